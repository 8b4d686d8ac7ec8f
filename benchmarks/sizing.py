"""Sets estimates of memory and time beside what was measured and what other tools say.

The cases and the figures of other tools are data in `tests/data/sizing/`. Run with
`python -m benchmarks.sizing [--bars]`; it exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.sizing import Sizer, Sizing, TrainingPlan
from assistant.sizing.fitting import FITS
from assistant.sizing.memory import Recipe, layer_activations, layers_held, state_bytes
from assistant.sizing.parallelism import Layout
from kg import ONTOLOGY, KnowledgeGraph

DATA = Path(__file__).parent.parent / "tests" / "data" / "sizing"
GIB, GB, HOUR = 2.0**30, 1e9, 3_600.0
PLAN_INPUTS = (
    "model", "parameters", "active_parameters", "method", "quantisation", "precision",
    "lora_rank", "lora_targets", "trained_embeddings", "sequence_length", "micro_batch",
    "recompute", "attention", "sharding", "accelerators", "accelerator", "tokens",
)  # fmt: skip
PEER_MODELS = {
    "gpt2-xl-1.5B": "GPT-2 XL",
    "llama2-7b": "Llama 2 7B",
    "llama2-13b": "Llama 2 13B",
    "llama2-70b": "Llama 2 70B",
    "gpt3-175b": "GPT-3 175B",
}
MEGATRON = {
    "Megatron 22B": "Megatron 22B",
    "GPT-3 175B (Megatron)": "GPT-3 175B",
    "Megatron 530B": "Megatron-Turing 530B",
    "Megatron 1T": "Megatron 1T",
}
# What these give is model states only.
STATES_ONLY = {
    "THEORY": "ZeRO formula (states)",
    "DeepSpeed": "DeepSpeed (states)",
    "accelerate": "accelerate (states)",
}
THEORY = "THEORY ZeRO paper 2/2/12 bytes"
SPLITS = ("none", "zero-1", "zero-2", "zero-3")

Row = dict[str, str]


@dataclass(frozen=True)
class Compared:
    """An estimate beside a measurement, in one unit."""

    case: str
    what: str
    estimated: float
    measured: float

    @property
    def error(self) -> float:
        """The share by which the estimate is off."""
        return abs(self.estimated / self.measured - 1)


@dataclass(frozen=True)
class Bar:
    """A bar and whether it is held."""

    name: str
    reached: str
    bar: str
    held: bool


def rows(name: str) -> list[Row]:
    """Return the rows of a table of cases."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plan(row: Row, **more: object) -> TrainingPlan:
    """Return the plan of a row: what it leaves empty is left open."""
    given: dict[str, object] = {k: row[k] for k in PLAN_INPUTS if row.get(k)}
    if given.get("trained_embeddings"):
        given["trained_embeddings"] = True
    return TrainingPlan.of(given | more)


def states(sizer: Sizer) -> list[Compared]:
    """Return model states beside the ZeRO paper's formula, worked out by somebody else."""
    found = []
    for row in rows("peer_figures"):
        if row["peer"] != THEORY:
            continue
        count = int(row["accelerators"])
        given = TrainingPlan(
            model=PEER_MODELS[row["model"]],
            method="full",
            sharding=SPLITS[int(row["zero"])],
            accelerators=count,
            accelerator="A100 SXM4 80GB",
            recompute="none",
        )
        sized = sizer.size(replace(given, tensor_parallel=1))
        name = f"{row['model']} ZeRO-{row['zero']} x {count}"
        found.append(Compared(row["id"], name, sized.memory.states / GIB, float(row["total_gib"])))
    return found


def printed(sizer: Sizer, part: str) -> list[Compared]:
    """Return states or activations beside those that Korthikanti et al. print."""
    found = []
    for row in rows("printed_activations"):
        if row["part"] != part:
            continue
        model = sizer.models.named(row["model"])
        t, p, m = (int(row[k]) for k in ("tensor_parallel", "pipeline_parallel", "interleave"))
        if part == "states":
            recipe = Recipe(gradient_bits=32)
            weights = 12 * model.layers * model.hidden**2
            estimated = weights * sum(state_bytes(recipe, sizer.coefficients)) / (t * p)
        else:
            recipe = Recipe(
                sequence_length=int(row["sequence_length"]),
                micro_batch=int(row["micro_batch"]),
                recompute=row["recompute"],
                attention="stored",
            )
            layout = Layout(t, p, sequence_parallel=row["sequence_parallel"] == "yes")
            held = layers_held(model.layers, p, m) if m > 1 else model.layers
            estimated = layer_activations(model, recipe, layout) * held
        what = f"{row['model']}, {row['recompute']}"
        found.append(Compared(row["id"], what, estimated / GIB, float(row["gib"])))
    return found


def peaks(sizer: Sizer) -> list[Compared]:
    """Return peaks on one accelerator beside measured ones."""
    found = []
    for row in rows("memory_peaks"):
        if row["outcome"] != "ok" or row["method"] not in ("lora", "qlora"):
            continue
        given = plan(row)
        sized = sizer.size(given)
        peak = sized.memory.total
        if row["measured"] == "allocated":
            # What PyTorch reports as allocated has no driver or kernels in it.
            peak -= sized.memory.overhead
        what = f"{row['model']} {row['method']} {row['sequence_length']} x {row['micro_batch']}"
        found.append(Compared(row["id"], what, peak / GB, float(row["peak_gb"])))
    return found


def out_of_memory(sizer: Sizer) -> list[tuple[str, str]]:
    """Return what is said of runs that ran out of memory: the case and the verdict."""
    found = []
    for row in rows("memory_peaks"):
        if row["outcome"] == "oom":
            devices = sizer.devices.named(row["accelerator"])
            sized = sizer.size(replace(plan(row), recompute=row["recompute"] or "none"))
            verdicts = {f.verdict for f in sized.fits if f.device in {d.name for d in devices}}
            found.append((row["id"], FITS if FITS in verdicts else min(verdicts)))
    return found


def runs(
    sizer: Sizer, kinds: Sequence[str] = ("full-run", "full-run-rate")
) -> list[tuple[Row, Sizing]]:
    """Return published dense runs with their estimates on one accelerator."""
    found = []
    for row in rows("published_runs"):
        if row["kind"] in kinds and row["architecture"] == "dense":
            given = {k: v for k, v in row.items() if k in PLAN_INPUTS and v}
            if given.get("model"):
                del given["parameters"], given["active_parameters"]
            given |= {"method": "pretrain", "accelerators": "1"}
            found.append((row, sizer.size(TrainingPlan.of(given))))
    return found


def hours(estimates: Iterable[tuple[Row, Sizing]]) -> list[Compared]:
    """Return accelerator-hours beside those published."""
    return [
        Compared(row["id"], row["name"], s.time.hours.p50, float(row["accelerator_hours"]))
        for row, s in estimates
        if s.time
    ]


def rates(sizer: Sizer) -> list[Compared]:
    """Return tokens per second and accelerator of fine-tuning beside those published."""
    found = []
    for row in rows("fine_tuning_rates"):
        sized = sizer.size(replace(plan(row), tokens=1e9))
        assert sized.time is not None
        rate = sized.time.tokens_per_second / int(row["accelerators"])
        found.append(Compared(row["id"], row["name"], rate, float(row["tokens_per_second"])))
    return found


def peers(sizer: Sizer) -> list[tuple[str, dict[str, str]]]:
    """Return the same case by every tool: GiB per accelerator, own estimate first.

    Tools that know neither length nor batch stand in the line of the same split; what
    they give holds no activations.
    """
    table: dict[str, dict[str, str]] = {}
    lines: dict[str, tuple[str, ...]] = {}
    splits: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for row in rows("peer_figures"):
        peer = row["peer"].split()[0].split("/")[-1]
        peer = STATES_ONLY.get(peer, peer)
        split = tuple(row[k] for k in ("model", "method", "zero", "accelerators"))
        if row["offload"] != "none" or row["model"] not in (*PEER_MODELS, *MEGATRON):
            continue
        if not row["sequence_length"] and row["model"] in PEER_MODELS:
            splits[split][peer] = row["total_gib"]
            continue
        name, given = _peer_case(row)
        if name not in table:
            total = sizer.size(given).memory.total / GIB
            table[name] = {"Trainwright": f"{total:.1f}"}
        table[name][peer] = row["total_gib"]
        lines[name] = split
    for name, split in lines.items():
        table[name] |= splits[split]
    return list(table.items())


def _peer_case(row: Row) -> tuple[str, TrainingPlan]:
    """Return the name and the plan of a case that another tool was run on."""
    split, method = SPLITS[int(row["zero"])], row["method"]
    model = PEER_MODELS.get(row["model"]) or MEGATRON[row["model"]]
    layout = re.fullmatch(r"TP(\d+) PP(\d+)", row["layout"])
    given = TrainingPlan(
        model=model,
        method="pretrain" if layout else method,
        sharding=split,
        accelerators=int(row["accelerators"]),
        sequence_length=int(row["sequence_length"]),
        micro_batch=int(row["micro_batch"]),
        recompute=row["recompute"] or "none",
        accelerator="A100 SXM4 80GB",
        tensor_parallel=int(layout[1]) if layout else 1,
        pipeline_parallel=int(layout[2]) if layout else 1,
        lora_rank=8 if "lora" in method else None,
    )
    if layout:
        # Printed for four sequences at a time at 22B, with 32-bit gradients and dropout.
        batch = 4 if model == "Megatron 22B" else 1
        given = replace(given, attention="stored", gradient_bits=32, micro_batch=batch)
    name = (
        f"{model} {method}, {row['layout'] or split} x {row['accelerators']}, "
        f"{row['sequence_length']} x {given.micro_batch}, recompute {given.recompute}"
    )
    return name, given


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def bars(sizer: Sizer) -> list[Bar]:
    """Return each bar of the benchmark and whether it is held."""
    exact = [*states(sizer), *printed(sizer, "states")]
    off = max(abs(round(c.estimated, 2) - round(c.measured, 2)) for c in exact)
    drawn = printed(sizer, "activations")
    digits = sum(f"{c.estimated:.4g}" == f"{c.measured:.4g}" for c in drawn)
    errors = [c.error for c in peaks(sizer)]
    called_safe = [case for case, verdict in out_of_memory(sizer) if verdict == FITS]
    estimates = runs(sizer)
    timed = hours(estimates)
    inside = [
        s.time.hours.p10 <= float(row["accelerator_hours"]) <= s.time.hours.p90
        for row, s in estimates
        if s.time
    ]
    wide = max(s.time.hours.p90 / s.time.hours.p10 for _, s in estimates if s.time)
    covered = sum(inside) / len(inside)
    median, high = statistics.median(errors), percentile(errors, 0.9)
    late = statistics.median(c.error for c in timed)
    return [
        Bar(f"model states, {len(exact)} cases", f"{off:.3f} GiB off", "exact", off <= 0.011),
        Bar(
            "printed activations, four digits",
            f"{digits} of {len(drawn)}",
            "all",
            digits == len(drawn),
        ),
        Bar(f"LoRA/QLoRA peaks, {len(errors)}: median", f"{median:.1%}", "<= 12 %", median <= 0.12),
        Bar("LoRA/QLoRA peaks: 90th percentile", f"{high:.1%}", "<= 30 %", high <= 0.30),
        Bar("out-of-memory rows called safe", f"{len(called_safe)}", "0", not called_safe),
        Bar(
            f"run time, {len(timed)} runs: within P10-P90",
            f"{covered:.0%}",
            ">= 80 %",
            covered >= 0.8,
        ),
        Bar("run time: P90 / P10", f"{wide:.2f}", "<= 2.5", wide <= 2.5),
        Bar("run time: median error of P50", f"{late:.1%}", "<= 25 %", late <= 0.25),
    ]


def main() -> None:
    """Print all tables and the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bars", action="store_true", help="print the bars only")
    arguments = parser.parse_args()
    sizer = Sizer.of(KnowledgeGraph.load(ONTOLOGY))
    if not arguments.bars:
        for title, unit, cases in (
            ("Model states", "GiB", lambda: [*states(sizer), *printed(sizer, "states")]),
            ("Printed activations", "GiB", lambda: printed(sizer, "activations")),
            ("Peaks of LoRA and QLoRA on one accelerator", "GB", lambda: peaks(sizer)),
            ("Published dense runs", "accelerator-hours", lambda: hours(runs(sizer))),
            ("Fine-tuning rates", "tokens/s per accelerator", lambda: rates(sizer)),
        ):
            _print_compared(title, unit, cases)
        _print_peers(peers(sizer))
    held = bars(sizer)
    print("| bar | reached | must be | held |\n| --- | --- | --- | --- |")
    for bar in held:
        print(f"| {bar.name} | {bar.reached} | {bar.bar} | {'yes' if bar.held else 'NO'} |")
    sys.exit(not all(bar.held for bar in held))


def _print_compared(title: str, unit: str, cases: Callable[[], list[Compared]]) -> None:
    print(f"## {title} ({unit})\n\n| case | what | estimated | measured | error |")
    print("| --- | --- | ---: | ---: | ---: |")
    for c in cases():
        error = c.estimated / c.measured - 1
        print(f"| {c.case} | {c.what} | {c.estimated:,.4g} | {c.measured:,.4g} | {error:+.0%} |")
    print()


def _print_peers(table: list[tuple[str, dict[str, str]]]) -> None:
    names = list(dict.fromkeys(name for _, line in table for name in line))
    print("## The same cases by other tools (GiB per accelerator)\n")
    print("| case | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for case, line in table:
        print(f"| {case} | " + " | ".join(line.get(n, "") for n in names) + " |")
    print()


if __name__ == "__main__":
    main()
