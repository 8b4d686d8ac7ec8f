"""A training plan: everything that is asked of an estimate, as given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints

from assistant.sizing.problems import PlanRefused, Problem

METHODS = ("pretrain", "full", "lora", "qlora")
PRECISIONS = ("bf16-mixed", "fp16-mixed", "fp8-mixed", "bf16", "fp32")
OPTIMIZERS = ("adamw", "adamw-8bit", "sgd", "adafactor")
SHARDINGS = ("none", "ddp", "zero-1", "zero-2", "zero-3", "fsdp")
RECOMPUTES = ("none", "selective", "full")
OFFLOADS = ("none", "optimizer", "parameters")
TARGETS = ("all", "attention", "query-value")
QUANTISATIONS = ("nf4", "nf4-double", "int4")
ATTENTIONS = ("fused", "stored")
LOCATIONS = ("cloud", "on-premises")


@dataclass(frozen=True)
class TrainingPlan:
    """What is trained, how, and on what; None means not said.

    Lengths are in tokens, money in the currency of the prices, days are calendar days,
    `power_price` is money per kWh.
    """

    model: str | None = None
    parameters: float | None = None
    active_parameters: float | None = None
    layers: int | None = None
    hidden: int | None = None
    feed_forward: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    vocabulary: int | None = None
    method: str | None = None
    lora_rank: int | None = None
    lora_targets: str | None = None
    trained_embeddings: bool = False
    quantisation: str | None = None
    precision: str | None = None
    optimizer: str | None = None
    gradient_bits: int | None = None
    sequence_length: int | None = None
    micro_batch: int | None = None
    global_batch: int | None = None
    tokens: float | None = None
    samples: float | None = None
    mean_length: float | None = None
    epochs: float | None = None
    recompute: str | None = None
    attention: str | None = None
    fused_loss: bool = False
    sharding: str | None = None
    tensor_parallel: int | None = None
    sequence_parallel: bool | None = None
    pipeline_parallel: int | None = None
    interleave: int | None = None
    context_parallel: int | None = None
    offload: str | None = None
    accelerator: str | None = None
    accelerators: int | None = None
    accelerators_per_node: int | None = None
    node_network_gbit: float | None = None
    deadline_days: float | None = None
    budget: float | None = None
    currency: str | None = None
    region: str | None = None
    provider: str | None = None
    vendor: str | None = None
    location: str | None = None
    power_price: float | None = None
    pue: float | None = None
    utilisation: float | None = None
    years: float | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TrainingPlan:
        """Return the plan of plain data, as a file or a form holds it.

        Raises:
            PlanRefused: If there is an unknown input, or a value of another kind.
        """
        known = {f.name for f in fields(cls)}
        problems, given = [], {}
        for name, value in values.items():
            key = name.replace("-", "_").lower() if isinstance(name, str) else ""
            if key not in known:
                allowed = ", ".join(f.name for f in fields(cls))
                problems.append(Problem("unknown-input", str(name), str(value), allowed))
                continue
            read = input_value(cls, key, value, CHOICES)
            if isinstance(read, Problem):
                problems.append(read)
            elif read is not None:
                given[key] = read
        if problems:
            raise PlanRefused(problems)
        return cls(**given)


EXPECTED = {int: "whole-number", float: "number", str: "text", bool: "yes-or-no"}

# The least and the most of each number; beyond is a slip or a claim.
RANGES: dict[str, tuple[float, float]] = {
    "parameters": (1e6, 1e14),
    "active_parameters": (1e6, 1e14),
    "layers": (1, 10_000),
    "hidden": (32, 1_000_000),
    "feed_forward": (32, 10_000_000),
    "heads": (1, 10_000),
    "kv_heads": (1, 10_000),
    "vocabulary": (2, 10_000_000),
    "lora_rank": (1, 8_192),
    "gradient_bits": (16, 32),
    "sequence_length": (1, 10_000_000),
    "micro_batch": (1, 65_536),
    "global_batch": (1, 10_000_000),
    "tokens": (1, 1e16),
    "samples": (1, 1e13),
    "mean_length": (1, 10_000_000),
    "epochs": (0.001, 10_000),
    "tensor_parallel": (1, 1_024),
    "pipeline_parallel": (1, 1_024),
    "interleave": (1, 128),
    "context_parallel": (1, 1_024),
    "accelerators": (1, 1_000_000),
    "accelerators_per_node": (1, 72),
    "node_network_gbit": (0.01, 100_000),
    "deadline_days": (0.01, 3_650),
    "budget": (0.01, 1e12),
    "power_price": (0.0001, 100),
    "pue": (1, 3),
    "utilisation": (0.01, 0.95),
    "years": (0.25, 20),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "method": METHODS,
    "precision": PRECISIONS,
    "optimizer": OPTIMIZERS,
    "sharding": SHARDINGS,
    "recompute": RECOMPUTES,
    "offload": OFFLOADS,
    "lora_targets": TARGETS,
    "quantisation": QUANTISATIONS,
    "attention": ATTENTIONS,
    "location": LOCATIONS,
}


def input_value(of: type, name: str, value: Any, choices: Mapping[str, tuple[str, ...]]) -> Any:
    """Return a value as an input of a dataclass wants it, None if not given, or a problem."""
    hint = get_type_hints(of)[name]
    kind = next(t for t in get_args(hint) or (hint,) if t is not type(None))
    if value is None:
        return None
    read = _value(value, kind)
    if read is None:
        expected = EXPECTED[kind]
        return Problem(f"not-{expected}", name, str(value), expected)
    return chosen(read, choices.get(name, ())) if kind is str else read


def chosen(text: str, choices: tuple[str, ...]) -> str:
    """Return the choice that a text writes in another way, such as ZeRO3, else the text."""
    spelt = {_letters(c): c for c in choices}
    return spelt.get(_letters(text), text)


def _letters(text: str) -> str:
    return re.sub(r"[\s_\-]+", "", text).lower()


def check(plan: TrainingPlan) -> None:
    """Refuse a plan with a number out of its range or a word that is no choice.

    Raises:
        PlanRefused: With every such problem at once.
    """
    problems = []
    for name, (low, high) in RANGES.items():
        value = getattr(plan, name)
        if value is not None and not low <= value <= high:
            key = "not-positive" if value <= 0 else "out-of-range"
            problems.append(Problem(key, name, f"{value:g}", f"{low:,.15g} - {high:,.15g}"))
    for name, choices in CHOICES.items():
        value = getattr(plan, name)
        if value is not None and value not in choices:
            problems.append(Problem("no-choice", name, value, ", ".join(choices)))
    if plan.gradient_bits not in (None, 16, 32):
        problems.append(Problem("no-choice", "gradient_bits", str(plan.gradient_bits), "16, 32"))
    problems += _contradictions(plan)
    if problems:
        raise PlanRefused(problems)


def _contradictions(plan: TrainingPlan) -> list[Problem]:
    found = []
    if plan.model and plan.parameters:
        given = f"{plan.model}, {plan.parameters:g}"
        found.append(Problem("either-or", "model, parameters", given, "model | parameters"))
    if plan.tokens and plan.samples:
        given = f"{plan.tokens:g}, {plan.samples:g}"
        found.append(Problem("either-or", "tokens, samples", given, "tokens | samples"))
    total, active = plan.parameters, plan.active_parameters
    if total and active and active > total:
        found.append(Problem("more-than-all", "active_parameters", f"{active:g}", f"<= {total:g}"))
    if plan.micro_batch and plan.global_batch and plan.micro_batch > plan.global_batch:
        given, most = str(plan.micro_batch), f"<= {plan.global_batch}"
        found.append(Problem("more-than-all", "micro_batch", given, most))
    adapters = [n for n in ("lora_rank", "lora_targets", "quantisation") if getattr(plan, n)]
    if plan.method in ("pretrain", "full") and adapters:
        given = f"{adapters[0]} = {getattr(plan, adapters[0])}, method = {plan.method}"
        found.append(Problem("only-with", adapters[0], given, "method: lora, qlora"))
    if plan.interleave and plan.interleave > 1 and (plan.pipeline_parallel or 1) == 1:
        given = f"interleave = {plan.interleave}"
        found.append(Problem("only-with", "interleave", given, "pipeline_parallel > 1"))
    return found


def _value(value: Any, kind: type) -> Any:
    """Return a value as the kind of an input, or None if it is none."""
    if kind is str:
        # YAML reads the card 4090 as a number.
        named = isinstance(value, (str, int)) and not isinstance(value, bool)
        return str(value) if named else None
    if kind is bool:
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        from assistant.sizing.models import parameters_of

        text = value.replace(",", "").replace("_", "").strip()
        number = parameters_of(text)
        if kind is int and number is not None and text.lower().endswith("k"):
            # Lengths of sequences are powers of two: 4k is 4,096.
            number = number / 1_000 * 1_024
        try:
            value = number if number is not None else float(text)
        except ValueError:
            return None
    if (
        not isinstance(value, (int, float))
        or value != value
        or value in (float("inf"), -float("inf"))
    ):
        return None
    if kind is int:
        return int(value) if value == int(value) else None
    return float(value)
