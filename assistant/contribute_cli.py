"""The commands by which users add hardware to the graph, and take back what they added."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress as Bar

from assistant.import_cli import FAILED, USAGE, LanguageOption, spoken_language
from kg import GraphError

if TYPE_CHECKING:
    from kg.contributions import Contributions, Draft, Form, Values
    from kg.contributions.contributions import Progress
    from kg.messages import Say

# What contributions need comes late, so that other commands start without units and shapes.

AUTHOR_VARIABLE = "TRAINWRIGHT_AUTHOR"
MOST_SHOWN = 20

new = typer.Typer(no_args_is_help=True, help="Describe something new, field by field.")

AuthorOption = Annotated[
    str | None,
    typer.Option(help=f"Who adds it; else {AUTHOR_VARIABLE}, else the user's name."),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Confirm all warnings.")]
TableOption = Annotated[
    str | None, typer.Option(help="What a table's columns mean; else by the file's name.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option("--map", help="Another name for a header: 'VRAM=accelerator memory [GB]'."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (add, validate, history, undo, redo, export):
        app.command()(command)
    app.command("new")(new_thing)


def add(
    file: Annotated[Path, typer.Argument(help="Turtle, JSON-LD, CSV, TSV, XLSX; - for stdin.")],
    author: AuthorOption = None,
    yes: YesOption = False,
    table: TableOption = None,
    mapping: MapOption = None,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Take the good rows of a table with bad ones.")
    ] = False,
    language: LanguageOption = None,
) -> None:
    """Add what a file describes; it can be asked about at once.

    Exits with 1 if something is wrong, or has to be confirmed with --yes.
    """
    say, contributions = _open(language)
    with _telling(say) as progress:
        draft = _checked(contributions, file, table, mapping, skip_bad_rows, progress)
    _save(contributions, draft, author, yes, say, spoken_language(language))


def validate(
    file: Annotated[Path, typer.Argument(help="Turtle, JSON-LD, CSV, TSV, XLSX; - for stdin.")],
    table: TableOption = None,
    mapping: MapOption = None,
    language: LanguageOption = None,
) -> None:
    """Say what is wrong with a file, and how its figures are understood; save nothing.

    Exits with 1 if there are errors.
    """
    say, contributions = _open(language)
    with _telling(say) as progress:
        draft = _checked(contributions, file, table, mapping, False, progress)
    _show(draft, say, spoken_language(language))
    if draft.errors:
        _say_err(say("cli-errors", count=len(draft.errors)))
        raise typer.Exit(FAILED)
    if not draft.warnings:
        print(say("cli-good", name=draft.name))


def new_thing(
    kind: Annotated[str, typer.Argument(help="What it is: gpu, cpu, server, cloudinstance …")],
    values: Annotated[
        list[str] | None,
        typer.Option("--set", help="A field and its value: 'accelerator-memory=80 GiB'."),
    ] = None,
    author: AuthorOption = None,
    yes: YesOption = False,
    fields: Annotated[bool, typer.Option("--fields", help="List the fields and end.")] = False,
    language: LanguageOption = None,
) -> None:
    """Add one thing, by --set for each field, or by answering a prompt for each.

    A figure under conditions names them:
    'peak-throughput=989 TFLOPS; precision=bf16; sparsity=dense'.
    """
    say, contributions = _open(language)
    form = _form(contributions, kind, spoken_language(language), say)
    if fields:
        print("\n".join(_described(form, say)))
        return
    given = _given(values, form, say) if values else _asked(form, say)
    _save(
        contributions,
        contributions.check_form(form, given),
        author,
        yes,
        say,
        spoken_language(language),
    )


def history(language: LanguageOption = None) -> None:
    """List all contributions, newest first, also those undone."""
    say, contributions = _open(language)
    found = contributions.history()
    if not found:
        print(say("cli-no-history"))
    for c in found:
        state = say("cli-active" if c.active else "cli-inactive")
        things = ", ".join(c.things[:3])
        sources = "; ".join(c.sources[:2])
        print(f"{c.id}\t{state}\t{c.time.isoformat()}\t{c.author}\t{things}\t{sources}")


def undo(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="Of a contribution or import.")],
    language: LanguageOption = None,
) -> None:
    """Take a contribution, or all of an import, out of use; it is kept."""
    say, contributions = _open(language)
    with _failing(spoken_language(language)):
        print(say("cli-undone", ids=_ids(contributions.undo(identifier), say)))


def redo(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="Of a contribution or import.")],
    language: LanguageOption = None,
) -> None:
    """Bring back what was undone."""
    say, contributions = _open(language)
    with _failing(spoken_language(language)):
        print(say("cli-redone", ids=_ids(contributions.redo(identifier), say)))


def export(
    identifiers: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Which; else all in use.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to; else standard output.")] = None,
    language: LanguageOption = None,
) -> None:
    """Write contributions as one Turtle file, which `trainwright add` takes elsewhere."""
    _, contributions = _open(language)
    with _failing(spoken_language(language)):
        text = contributions.export(identifiers or ())
    if out is None:
        print(text, end="")
        return
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        _fail(f"{out}: {error.strerror}", USAGE)


def _open(language: LanguageOption) -> tuple[Say, Contributions]:
    from kg.contributions import Contributions
    from kg.contributions.messages import messages

    say = messages().in_language(spoken_language(language))
    try:
        return say, Contributions.open()
    except GraphError as error:
        _fail(str(error), FAILED)


def _checked(
    contributions: Contributions,
    file: Path,
    table: str | None,
    mapping: Sequence[str] | None,
    skip_bad_rows: bool,
    progress: Progress,
) -> Draft:
    names = dict(_pair(text) for text in mapping or ())
    if str(file) == "-":
        text = sys.stdin.read()
        if text.lstrip().startswith(("@prefix", "@base", "PREFIX", "BASE", "<", "#")):
            return contributions.check_text(text, "-")
        return contributions.check_pasted(text, "-", table, names)
    return contributions.check_file(file, table, names, skip_bad_rows, progress)


def _save(
    contributions: Contributions,
    draft: Draft,
    author: str | None,
    yes: bool,
    say: Say,
    language: str,
) -> None:
    _show(draft, say, language)
    if draft.errors:
        _say_err(say("cli-errors", count=len(draft.errors)))
        raise typer.Exit(FAILED)
    if draft.warnings and not yes and sys.stdin.isatty():
        yes = typer.confirm(say("cli-confirm"), err=True)
    if draft.warnings and not yes:
        _say_err(say("cli-warnings", count=len(draft.warnings)))
        raise typer.Exit(FAILED)
    who = author or os.environ.get(AUTHOR_VARIABLE) or getpass.getuser()
    with _failing(language):
        ids = contributions.save(draft, who, confirmed=yes)
    if len(ids) == 1:
        print(say("cli-saved", ids=ids[0]))
    else:
        print(say("cli-saved-import", count=len(ids), id=ids[0].partition(".")[0]))


def _show(draft: Draft, say: Say, language: str) -> None:
    """Print what is wrong, what to confirm, and how figures are understood."""
    for key, found in (("cli-error", draft.errors), ("cli-warning", draft.warnings)):
        for finding in found[:MOST_SHOWN]:
            _say_err(say(key, text=finding.text(language)))
        if len(found) > MOST_SHOWN:
            _say_err(say("cli-more", count=len(found) - MOST_SHOWN))
    if draft.errors:
        return
    for figure in draft.understood[:MOST_SHOWN]:
        print(say("cli-understood", text=figure.text(language)))
    if len(draft.understood) > MOST_SHOWN:
        print(say("cli-more", count=len(draft.understood) - MOST_SHOWN))


def _form(contributions: Contributions, kind: str, language: str, say: Say) -> Form:
    from rdflib import URIRef

    classes = contributions.form_classes(language)
    wanted = kind.casefold().replace("-", "")
    names = {choice.value.rpartition("#")[2]: choice for choice in classes}
    fitting = [
        choice
        for local, choice in names.items()
        if wanted in (local.casefold(), choice.label.casefold())
    ]
    if not fitting:
        _fail(say("cli-class", name=kind, allowed=", ".join(sorted(names))), USAGE)
    return contributions.form(URIRef(fitting[0].value), language)


def _described(form: Form, say: Say) -> Iterator[str]:
    for field in form.fields:
        text = f"{field.key}\t{field.label}"
        text += say("cli-required") if field.required else ""
        text += say("cli-units", units="/".join(field.units)) if field.units else ""
        text += "".join(f"; {c.key}=…" for c in field.conditions)
        yield f"{text}\t{field.help}"


def _given(values: Sequence[str], form: Form, say: Say) -> Values:
    found: dict[str, list[str]] = {}
    for text in values:
        key, value = _pair(text)
        if form.field(key) is None:
            allowed = ", ".join(field.key for field in form.fields)
            _fail(say("cli-field", name=key, allowed=allowed), USAGE)
        found.setdefault(key, []).append(value)
    return dict(found)


def _asked(form: Form, say: Say) -> Values:
    """Ask for each field; an empty answer leaves it out, and ends a list of several."""
    found: dict[str, list[str]] = {}
    for field in form.fields:
        prompt = field.label + (say("cli-required") if field.required else "")
        prompt += say("cli-units", units="/".join(field.units[:4])) if field.units else ""
        while value := typer.prompt(prompt, default="", show_default=False, err=True).strip():
            for condition in field.conditions:
                choices = "/".join(choice.label for choice in condition.choices[:8])
                said = typer.prompt(f"  {condition.label} {choices}", default="", err=True)
                value += f"; {condition.key}={said.strip()}" if said.strip() else ""
            found.setdefault(field.key, []).append(value)
            if not field.several:
                break
    return dict(found)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        _fail(f"{text}: name=value", USAGE)
    return key.strip(), value.strip()


def _ids(ids: Sequence[str], say: Say) -> str:
    shown = ", ".join(ids[:MOST_SHOWN])
    more = len(ids) - MOST_SHOWN
    return shown + (" " + say("cli-more", count=more) if more > 0 else "")


@contextmanager
def _telling(say: Say) -> Iterator[Progress]:
    """Show a progress bar on a terminal."""
    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks = {
            stage: bar.add_task(say(f"cli-{stage}"), total=1.0) for stage in ("rows", "checks")
        }
        yield lambda stage, share: bar.update(tasks[stage], completed=share)


@contextmanager
def _failing(language: str) -> Iterator[None]:
    """Tell what keeps something from being done, and exit with 1."""
    from kg.contributions import ContributionError

    try:
        yield
    except ContributionError as error:
        _fail(error.text(language), FAILED)
    except GraphError as error:
        _fail(str(error), FAILED)


def _say_err(text: str) -> None:
    print(text, file=sys.stderr)


def _fail(message: str, code: int) -> NoReturn:
    _say_err(f"trainwright: {message}")
    raise typer.Exit(code)
