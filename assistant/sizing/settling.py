"""Settles what a plan leaves unsaid: each default is stated, none is silent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.compute import optimal_token_count
from assistant.sizing.devices import Device
from assistant.sizing.memory import Recipe
from assistant.sizing.models import Model, ModelCatalogue, inferred
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused, Problem

# Where nobody says: a usual length, four million tokens a step for pre-training as in Llama 2,
# and ten million tokens as in the fine-tuning tables of NVIDIA NeMo.
LENGTHS = {"pretrain": 4_096}
USUAL_LENGTH = 2_048
STEP_TOKENS = 4_000_000
FINE_TUNING_BATCH = 64
FINE_TUNING_TOKENS = 10_000_000.0
USUAL_PUE = 1.4
USUAL_YEARS = 4.0
NODE = 8


@dataclass(frozen=True)
class Assumption:
    """A value taken because the plan gives none; `input` is what would say it."""

    input: str
    value: str


@dataclass(frozen=True)
class Settled:
    """A plan with nothing left unsaid but the layout."""

    plan: TrainingPlan
    model: Model
    recipe: Recipe
    tokens: float
    unique_tokens: float
    global_batch: int
    per_node: int
    pue: float
    years: float
    assumptions: tuple[Assumption, ...]

    def assumed(self, name: str) -> bool:
        """Return whether an input was taken by default."""
        return any(a.input == name for a in self.assumptions)


def settle(
    plan: TrainingPlan, models: ModelCatalogue, device: Device | None, c: Coefficients
) -> Settled:
    """Return a plan with its defaults.

    Raises:
        PlanRefused: If no model and no size is given, or the model is unknown.
    """
    taken: dict[str, Any] = {}

    def settled(name: str, default: Any) -> Any:
        given = getattr(plan, name)
        if given is None:
            taken[name] = default
        return default if given is None else given

    model = _model(plan, models)
    if model.inferred and not (plan.layers and plan.hidden):
        taken["layers, hidden, vocabulary"] = (
            f"{model.layers}, {model.hidden:,}, {model.vocabulary:,}"
        )
    method = settled("method", "full")
    length = settled("sequence_length", LENGTHS.get(method, USUAL_LENGTH))
    pretraining = method == "pretrain"
    batch = settled(
        "global_batch", max(1, STEP_TOKENS // length) if pretraining else FINE_TUNING_BATCH
    )
    tokens, unique = _tokens(plan, model, length, pretraining, taken, c)
    recipe = Recipe(
        method,
        _precision(plan, device, taken),
        settled("optimizer", "adamw"),
        plan.gradient_bits or 16,
        length,
        settled("micro_batch", 1),
        1,
        plan.recompute or "none",
        plan.attention or "fused",
        plan.fused_loss,
        settled("lora_rank", 16) if method in ("lora", "qlora") else 16,
        settled("lora_targets", "all") if method in ("lora", "qlora") else "all",
        plan.trained_embeddings,
        settled("quantisation", "nf4-double") if method == "qlora" else "nf4-double",
        plan.offload or "none",
    )
    most = plan.accelerators or NODE
    per_node = plan.accelerators_per_node or min(NODE, most)
    pue = settled("pue", USUAL_PUE)
    assumptions = tuple(Assumption(k, _spoken(v)) for k, v in taken.items())
    years = plan.years or USUAL_YEARS
    return Settled(plan, model, recipe, tokens, unique, batch, per_node, pue, years, assumptions)


def _model(plan: TrainingPlan, models: ModelCatalogue) -> Model:
    known = {
        "layers": plan.layers,
        "hidden": plan.hidden,
        "feed_forward": plan.feed_forward,
        "heads": plan.heads,
        "kv_heads": plan.kv_heads,
        "vocabulary": plan.vocabulary,
    }
    if plan.model:
        model = models.named(plan.model)
        if plan.active_parameters:
            model = replace(model, active_parameters=plan.active_parameters)
        return model
    if plan.parameters:
        return inferred(plan.parameters, plan.active_parameters, known=known)
    if plan.layers and plan.hidden:
        guess = 12.0 * plan.layers * plan.hidden**2 + (plan.vocabulary or 0) * plan.hidden
        return inferred(guess, known=known)
    raise PlanRefused([Problem("model-missing", "model", "-", "Llama 2 7B, 7B, parameters")])


def _tokens(
    plan: TrainingPlan,
    model: Model,
    length: int,
    pretraining: bool,
    taken: dict[str, Any],
    c: Coefficients,
) -> tuple[float, float]:
    """Return the tokens trained on, and those of them that differ."""
    epochs = plan.epochs or 1.0
    if plan.tokens:
        return plan.tokens * epochs, plan.tokens
    if plan.samples:
        mean = plan.mean_length
        if mean is None:
            mean = float(length)
            taken["mean_length"] = mean
        return plan.samples * mean * epochs, plan.samples * mean
    optimal = optimal_token_count(model.active_parameters, c)
    default = optimal if pretraining else FINE_TUNING_TOKENS
    taken["tokens"] = default
    return default * epochs, default


def _precision(plan: TrainingPlan, device: Device | None, taken: dict[str, Any]) -> str:
    if plan.precision:
        return plan.precision
    lacking = device is not None and device.can("bf16") is False
    taken["precision"] = "fp16-mixed" if lacking else "bf16-mixed"
    return str(taken["precision"])


def _spoken(value: Any) -> str:
    return f"{value:,.15g}" if isinstance(value, (int, float)) else str(value)
