"""The commands that estimate and judge: `trainwright size`, `check`, `recommend`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.import_cli import FAILED, USAGE, LanguageOption, spoken_language

if TYPE_CHECKING:
    from assistant.sizing import Reporter
    from kg import KnowledgeGraph

# What estimates comes late, so that other commands start without it.

PlanFile = Annotated[
    Path | None, typer.Argument(help="A plan as YAML or JSON; options given beside it win.")
]
Text = Annotated[str | None, typer.Option()]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(size)
    app.command()(check)
    app.command()(recommend)


def size(
    file: PlanFile = None,
    model: Annotated[str | None, typer.Option(help="A model, or its size: 7B.")] = None,
    parameters: Annotated[str | None, typer.Option(help="Weights, such as 7e9 or 7B.")] = None,
    method: Annotated[str | None, typer.Option(help="pretrain, full, lora or qlora.")] = None,
    accelerator: Annotated[str | None, typer.Option(help="A card of the catalogue.")] = None,
    accelerators: Annotated[str | None, typer.Option(help="How many there are.")] = None,
    tokens: Annotated[str | None, typer.Option(help="Tokens to train on, such as 1B.")] = None,
    samples: Text = None,
    epochs: Text = None,
    sequence_length: Text = None,
    micro_batch: Text = None,
    global_batch: Text = None,
    precision: Text = None,
    optimizer: Text = None,
    recompute: Text = None,
    sharding: Annotated[
        str | None, typer.Option(help="none, ddp, zero-1, zero-2, zero-3 or fsdp.")
    ] = None,
    tensor_parallel: Text = None,
    pipeline_parallel: Text = None,
    context_parallel: Text = None,
    offload: Annotated[str | None, typer.Option(help="none, optimizer or parameters.")] = None,
    lora_rank: Text = None,
    deadline_days: Text = None,
    budget: Text = None,
    currency: Text = None,
    region: Text = None,
    location: Annotated[str | None, typer.Option(help="cloud or on-premises.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any other input as input=value.")
    ] = None,
    as_json: AsJson = False,
    language: LanguageOption = None,
) -> None:
    """Estimate what training needs: memory, accelerators, time, network, power and cost."""
    options = {k: v for k, v in locals().items() if k not in NO_INPUTS}
    from assistant.sizing import PlanRefused, Sizer, TrainingPlan

    graph, reporter = _graph()
    spoken = spoken_language(language)
    try:
        plan = TrainingPlan.of(_inputs(file, options, setting or []))
        result = Sizer.of(graph).size(plan)
    except PlanRefused as refused:
        _refuse(reporter, refused, as_json, spoken)
    else:
        _print(reporter.data(result, spoken) if as_json else reporter.text(result, spoken))


def check(
    file: Annotated[
        Path | None, typer.Argument(help="A configuration as YAML or JSON; --set wins over it.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="An input as input=value, as for size.")
    ] = None,
    as_json: AsJson = False,
    language: LanguageOption = None,
) -> None:
    """Hold a configuration against the guide, its needs and plain physics.

    Inputs are those of `size` and what the machine has: host_memory_gb, cpu_cores, nic_count,
    nic_gbit, psu_watts, circuit_watts, cooling, pcie_lanes, pcie_slots, storage_gb,
    storage_write_gb_s, interconnect, chassis, pooled, hours. Exits with 1 if something must
    be mended.
    """
    from assistant.sizing import Checker, PlanRefused, configuration

    graph, reporter = _graph()
    spoken = spoken_language(language)
    try:
        result = Checker.of(graph).check(*configuration(_inputs(file, {}, setting or [])))
    except PlanRefused as refused:
        _refuse(reporter, refused, as_json, spoken)
        return
    _print(reporter.checked_data(result, spoken) if as_json else reporter.checked(result, spoken))
    if not result.passes:
        raise typer.Exit(FAILED)


def recommend(
    file: PlanFile = None,
    model: Annotated[str | None, typer.Option(help="A model, or its size: 7B.")] = None,
    method: Annotated[str | None, typer.Option(help="pretrain, full, lora or qlora.")] = None,
    tokens: Annotated[str | None, typer.Option(help="Tokens to train on, such as 1B.")] = None,
    sequence_length: Text = None,
    deadline_days: Text = None,
    budget: Text = None,
    currency: Text = None,
    region: Text = None,
    vendor: Text = None,
    location: Annotated[str | None, typer.Option(help="cloud or on-premises.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any other input of size as input=value.")
    ] = None,
    as_json: AsJson = False,
    language: LanguageOption = None,
) -> None:
    """Rank what could run a plan, and say why not the rest and by how much."""
    options = {k: v for k, v in locals().items() if k not in NO_INPUTS}
    from assistant.sizing import PlanRefused, Recommender, Sizer, TrainingPlan

    graph, reporter = _graph()
    spoken = spoken_language(language)
    try:
        plan = TrainingPlan.of(_inputs(file, options, setting or []))
        found = Recommender(Sizer.of(graph)).recommend(plan)
    except PlanRefused as refused:
        _refuse(reporter, refused, as_json, spoken)
        return
    data = reporter.recommended_data
    _print(data(found, spoken) if as_json else reporter.recommended(found, spoken))


NO_INPUTS = ("file", "setting", "as_json", "language")


def _inputs(file: Path | None, options: dict[str, Any], settings: list[str]) -> dict[str, Any]:
    """Return inputs from a file, options over it, and settings over both."""
    from assistant.sizing.reading import read_inputs

    values = read_inputs(file) if file is not None else {}
    values = {k.replace("-", "_"): v for k, v in values.items()}
    values |= {k: v for k, v in options.items() if v is not None}
    for setting in settings:
        name, _, value = setting.partition("=")
        truth = {"true": True, "false": False}.get(value.strip().lower())
        values[name.strip().replace("-", "_")] = value.strip() if truth is None else truth
    return values


def _graph() -> tuple[KnowledgeGraph, Reporter]:
    from assistant.sizing import Explainer, Reporter
    from kg import GraphError, KnowledgeGraph

    try:
        graph = KnowledgeGraph.shipped()
        return graph, Reporter(Explainer.of(graph))
    except GraphError as error:
        print(f"trainwright: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from error


def _refuse(reporter: Reporter, refused: Any, as_json: bool, language: str) -> None:
    if as_json:
        _print({"problems": reporter.problem_data(refused.problems)})
    else:
        print(reporter.problems(refused.problems, language), file=sys.stderr)
    raise typer.Exit(USAGE)


def _print(result: Any) -> None:
    print(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))
