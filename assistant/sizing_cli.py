"""The commands that estimate: `trainwright size`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.import_cli import Language, LanguageOption

if TYPE_CHECKING:
    from assistant.sizing import TrainingPlan
    from assistant.sizing.report import Reporter
    from assistant.sizing.sizing import Sizer

# What estimates comes late, so that other commands start without it.

FAILED, USAGE = 1, 2

PlanFile = Annotated[
    Path | None, typer.Argument(help="A plan as YAML or JSON; options given beside it win.")
]
Text = Annotated[str | None, typer.Option()]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(size)


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
    from assistant.sizing import PlanRefused

    sizer, reporter = _tools()
    spoken = _language(language)
    try:
        result = sizer.size(_plan(file, options, setting or []))
    except PlanRefused as refused:
        _refuse(reporter, refused, as_json, spoken)
    else:
        _print(reporter.data(result, spoken) if as_json else reporter.text(result, spoken))


NO_INPUTS = ("file", "setting", "as_json", "language")


def _plan(file: Path | None, options: dict[str, Any], settings: list[str]) -> TrainingPlan:
    from assistant.sizing import TrainingPlan
    from assistant.sizing.reading import read_inputs

    values = read_inputs(file) if file is not None else {}
    values = {k.replace("-", "_"): v for k, v in values.items()}
    values |= {k: v for k, v in options.items() if v is not None}
    for setting in settings:
        name, _, value = setting.partition("=")
        truth = {"true": True, "false": False}.get(value.strip().lower())
        values[name.strip().replace("-", "_")] = value.strip() if truth is None else truth
    return TrainingPlan.of(values)


def _tools() -> tuple[Sizer, Reporter]:
    from assistant.sizing import Sizer
    from assistant.sizing.explaining import Explainer
    from assistant.sizing.report import Reporter
    from kg import GraphError, KnowledgeGraph

    try:
        graph = KnowledgeGraph.shipped()
        return Sizer.of(graph), Reporter(Explainer.of(graph))
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


def _language(given: Language | None) -> str:
    from assistant.import_cli import _language as spoken

    return spoken(given)
