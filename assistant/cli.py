"""The command line: `trainwright ask`, `trainwright guide verify`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer
from rich.console import Console

from assistant import contribute_cli, import_cli, sizing_cli, sparql_cli

if TYPE_CHECKING:
    from assistant import Answer, Assistant

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers questions about choosing AI-training servers, with sources.",
)
guide = typer.Typer(no_args_is_help=True, help="The selection guide's source text.")
app.add_typer(guide, name="guide")
sparql_cli.register(app)
import_cli.register(app)
contribute_cli.register(app)
sizing_cli.register(app)

FAILED, USAGE = 1, 2


@app.command()
def ask(
    question: Annotated[
        str | None, typer.Argument(help="A question in Chinese or English; none: a prompt.")
    ] = None,
    context: Annotated[
        str | None, typer.Option(help="The question asked before, for a follow-up.")
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            help='Answer each line {"id", "question", "context"} of a JSONL file (- for stdin).'
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    explain: Annotated[bool, typer.Option(help="Show how the answer was found.")] = False,
) -> None:
    """Answer a question, a file of questions, or one after another at a prompt."""
    if batch is not None and question is not None:
        _fail("give a question or --batch, not both", USAGE)
    if batch is not None:
        lines = _lines(batch)
        assistant = _assistant()
        for number, line in enumerate(lines, 1):
            if line.strip():
                print(json.dumps(answer_line(assistant, line, number), ensure_ascii=False))
    elif question is not None:
        answer = _assistant().ask(question, context)
        print(
            json.dumps(answer.as_dict(), ensure_ascii=False)
            if as_json
            else as_text(answer, explain)
        )
    else:
        _converse(_assistant(), sys.stdin, as_json, explain)


def answer_line(assistant: Assistant, line: str, number: int) -> dict[str, Any]:
    """Return the answer to one line of a batch; a broken line is an answer that says so."""
    from assistant import Answer

    identifier = None
    try:
        item = json.loads(line)
        if not isinstance(item, dict):
            raise ValueError('needs an object with a "question"')
        identifier = item.get("id")
        if not isinstance(item.get("question"), str):
            raise ValueError('"question" must be a string')
        context = item.get("context")
        if context is not None and not isinstance(context, str):
            raise ValueError('"context" must be a string or null')
    except (ValueError, RecursionError) as error:
        broken = Answer("", "en", "needs_input", f"line {number}: {error}")
        return broken.as_dict() | {"id": identifier}
    return assistant.ask(item["question"], context).as_dict() | {"id": identifier}


def as_text(answer: Answer, explain: bool = False) -> str:
    """Return an answer for reading: text, sources, and the steps if asked for."""
    lines = [answer.text]
    if answer.table:
        lines += ["", " | ".join(answer.table.columns)]
        lines += [
            " | ".join("" if cell is None else str(cell) for cell in row)
            for row in answer.table.rows
        ]
    if answer.citations:
        lines.append("")
    for citation in answer.citations:
        place = ", ".join(filter(None, (citation.title, citation.section)))
        known = citation.statement or citation.url
        place = f"[{citation.n}] {place}" + (f" ({known})" if known else "")
        lines.append(f"{place}: {citation.quote}" if citation.quote else place)
    if explain:
        lines.append("")
        for step in answer.steps:
            lines.append(f"{step.step}: {json.dumps(step.detail, ensure_ascii=False)}")
        if answer.sparql:
            lines += [f"template: {answer.template}", answer.sparql.rstrip()]
        lines.append(f"{answer.elapsed_ms:.1f} ms")
    return "\n".join(lines)


@guide.command()
def verify(
    file: Annotated[Path, typer.Argument(help="The guide's text, UTF-8.")],
) -> None:
    """Check that each statement's place in a file holds the words it was taken from."""
    from kg import KnowledgeGraph, SourceText, SourceTextError, places_of_statements

    try:
        text = SourceText.read(file)
    except SourceTextError as error:
        _fail(str(error), FAILED)
    results = text.verify(places_of_statements(KnowledgeGraph.shipped()))
    for result in results:
        place = result.place
        state = "same" if result.matches else "DIFFERS"
        print(f"{place.statement:6s} {place.start:5d}-{place.end:<5d} {state}")
    wrong = sum(not r.matches for r in results)
    print(f"{len(results) - wrong} of {len(results)} statements match {file}")
    if wrong == len(results):
        print("This is not the text that the statements were taken from.")
    if wrong:
        raise typer.Exit(FAILED)


def _converse(assistant: Assistant, source: TextIO, as_json: bool, explain: bool) -> None:
    """Answer questions from a prompt until the input ends; each is the context of the next."""
    console = Console(stderr=True)
    context = None
    while True:
        if source.isatty():
            console.print("? ", end="")
        line = source.readline()
        if not line:
            return
        if not line.strip():
            continue
        answer = assistant.ask(line.strip(), context)
        print(
            json.dumps(answer.as_dict(), ensure_ascii=False)
            if as_json
            else as_text(answer, explain)
        )
        if not as_json:
            print()
        context = line.strip()


def _lines(path: Path) -> list[str]:
    """Return a file's lines; only a line feed ends one, as JSON Lines has it."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        _fail(f"{path}: {error.strerror}", USAGE)
    return data.decode("utf-8-sig", errors="replace").split("\n")


def _assistant() -> Assistant:
    from assistant import Assistant  # late, so that --help is quick
    from kg import GraphError

    console = Console(stderr=True)
    try:
        if not console.is_terminal:
            return Assistant.load()
        with console.status("…"):
            return Assistant.load()
    except GraphError as error:
        _fail(str(error), FAILED)


def _fail(message: str, code: int) -> NoReturn:
    print(f"trainwright: {message}", file=sys.stderr)
    raise typer.Exit(code)


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
