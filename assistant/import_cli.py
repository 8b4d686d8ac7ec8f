"""The commands that bring tables into the graph and look over the catalogue made of them."""

from __future__ import annotations

import os
import sys
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from kg import BrokenData, KnowledgeGraph

if TYPE_CHECKING:
    from kg.importing import Table

# What imports comes late, so that other commands start without pint.

FAILED, USAGE = 1, 2

DEVICES = "devices"
"""The table of files that are no declared one: any kind of device, quantities as headers."""

STALE_YEARS = 1
"""How old a price may be before it is called stale: cloud prices change about once a year."""

catalogue = typer.Typer(no_args_is_help=True, help="The catalogue of hardware and prices.")


class Language(StrEnum):
    """The language of what is reported."""

    ZH = "zh"
    EN = "en"


LanguageOption = Annotated[
    Language | None, typer.Option(help="Language of the report; else that of the terminal.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("import")(import_file)
    app.add_typer(catalogue, name="catalogue")


def import_file(
    file: Annotated[Path, typer.Argument(help="A CSV file, UTF-8.")],
    table: Annotated[
        str | None,
        typer.Option(help="What its columns mean: a declared table; else by the file's name."),
    ] = None,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Take the good rows of a file with bad ones.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Where to write the Turtle; else standard output.")
    ] = None,
    language: LanguageOption = None,
) -> None:
    """Turn a table of devices into Turtle, or say which cells are wrong.

    Exits with 1 if nothing was imported because something is wrong in the file.
    """
    from kg.importing import import_table, load_tables

    try:
        declared = _table(file, table, load_tables())
        report = import_table(file, declared, KnowledgeGraph.shipped(), skip_bad_rows=skip_bad_rows)
    except BrokenData as error:
        _fail(str(error))
    print(report.text(spoken_language(language)), file=sys.stderr)
    if report.refused:
        raise typer.Exit(FAILED)
    if out is None:
        print(report.turtle(), end="")
        return
    try:
        out.write_text(report.turtle(), encoding="utf-8", newline="\n")
    except OSError as error:
        _fail(f"{out}: {error.strerror}")


@catalogue.command()
def build(
    tables: Annotated[Path, typer.Argument(help="A folder with the tables as CSV files.")],
    language: LanguageOption = None,
) -> None:
    """Make the shipped catalogue anew from its tables."""
    from kg.importing.catalogue import rebuild

    if not tables.is_dir():
        _fail(f"{tables}: no such folder")
    bad = 0
    for report in rebuild(tables):
        print(report.text(spoken_language(language)))
        bad += bool(report.problems)
    if bad:
        raise typer.Exit(FAILED)


@catalogue.command()
def report(
    day: Annotated[
        str | None, typer.Option("--date", help="Count a price's age up to this day; else today.")
    ] = None,
    language: LanguageOption = None,
) -> None:
    """List figures that rest on one source, and prices that are old or undated."""
    from kg.reports import catalogue_report

    try:
        until = date.fromisoformat(day) if day else date.today()
    except ValueError:
        _fail(f"--date {day}: not a date such as 2026-11-30")
    # The 29th of February has no day a year before.
    before = until.replace(year=until.year - STALE_YEARS, day=min(until.day, 28))
    print(catalogue_report(KnowledgeGraph.shipped(), before, spoken_language(language)))


def _table(file: Path, name: str | None, tables: dict[str, Table]) -> Table:
    """Return the table named, else the one the file is called by, else that of devices."""
    if name is None:
        return tables.get(file.stem.replace("-", "_")) or tables[DEVICES]
    if name not in tables:
        _fail(f"--table {name}: one of {', '.join(sorted(tables))}")
    return tables[name]


def spoken_language(given: Language | None) -> str:
    """Return the language given, else that of the terminal."""
    if given is not None:
        return given.value
    spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG", "")
    return "zh" if spoken.startswith("zh") else "en"


def _fail(message: str) -> NoReturn:
    print(f"trainwright: {message}", file=sys.stderr)
    raise typer.Exit(USAGE)
