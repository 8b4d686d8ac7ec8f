"""Turns a table into a graph: each row an entry with its figures, or a figure itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kg.graph import KnowledgeGraph
from kg.importing import csv_file
from kg.importing.cells import IDENTIFIER
from kg.importing.csv_file import CsvFile, CsvRow
from kg.importing.declarations import Column, Table
from kg.importing.problems import BadCell, ImportReport, Problem
from kg.importing.rows import RowWriter
from kg.importing.texts import Triple
from kg.importing.turtle import new_graph
from kg.importing.vocabulary import Vocabulary

Progress = Callable[[int, int], None]
"""Is told how many rows of how many have been read."""

PROGRESS_ROWS = 100


def import_table(
    path: Path,
    table: Table,
    graph: KnowledgeGraph,
    *,
    skip_bad_rows: bool = False,
    replace_entries: bool = False,
) -> ImportReport:
    """Return what a CSV file says, as a graph, or what is wrong with it.

    Args:
        path: The file. A header is a declared column's name or title, or a quantity's
            label or IRI with the unit in square brackets: `memory capacity [GB]`.
        table: What the columns mean.
        graph: Where vendors, sources and all other things that cells name are looked up.
        skip_bad_rows: Take the other rows of a file that has bad ones. Else nothing is taken.
        replace_entries: Whether rows may have identifiers that the graph has in this table.
    """
    try:
        file = csv_file.read(path)
    except BadCell as error:
        return _refused(path, table, [_problem(error, path)])
    return import_rows(
        file, path, table, graph, skip_bad_rows=skip_bad_rows, replace_entries=replace_entries
    )


def import_rows(
    file: CsvFile,
    path: Path,
    table: Table,
    graph: KnowledgeGraph,
    *,
    skip_bad_rows: bool = False,
    replace_entries: bool = False,
    progress: Progress = lambda done, total: None,
) -> ImportReport:
    """Return what rows say, as a graph, or what is wrong with them; see `import_table`.

    Args:
        file: The rows, from wherever they come.
        path: What the report calls it.
        table: What the columns mean.
        graph: Where all that cells name is looked up.
        skip_bad_rows: As in `import_table`.
        replace_entries: As in `import_table`.
        progress: Called with the rows read and their number.
    """
    try:
        columns = _columns(file, table, Vocabulary.of(graph))
    except BadCell as error:
        return _refused(path, table, [_problem(error, path)])
    if isinstance(columns, _Bad):
        return _refused(path, table, [replace(p, file=path.name) for p in columns.problems])
    return _import(path, table, columns, file, skip_bad_rows, replace_entries, progress)


@dataclass
class _Bad:
    problems: list[Problem]


@dataclass(frozen=True)
class _Columns:
    """The columns of a file in its order, the header and unit of each, and what it refers to."""

    columns: tuple[Column, ...]
    headers: tuple[str, ...]
    units: dict[str, str]
    vocabulary: Vocabulary

    def header(self, name: str | None) -> str | None:
        """Return a column's header as it stands in the file."""
        pairs = zip(self.columns, self.headers, strict=True)
        return next((header for column, header in pairs if column.name == name), name)


def _columns(file: CsvFile, table: Table, vocabulary: Vocabulary) -> _Columns | _Bad:
    found: list[Column] = []
    units: dict[str, str] = {}
    problems: list[Problem] = []
    for header in file.header:
        try:
            column, unit = _column(header, table, vocabulary)
            if any(column.name == other.name for other in found):
                raise BadCell("header-twice", header)
        except BadCell as error:
            problems.append(Problem(error.key, "", 1, header, error.value, error.allowed))
            continue
        found.append(column)
        units[column.name] = unit
    for column in table.columns:
        if column.required and column not in found:
            problems.append(Problem("header-missing", "", 1, value=column.name))
    if problems:
        return _Bad(problems)
    return _Columns(tuple(found), file.header, units, vocabulary)


def _column(header: str, table: Table, vocabulary: Vocabulary) -> tuple[Column, str]:
    """Return the column a header means and the unit of its numbers, empty if cells must give it.

    A quantity that can be in one unit only, such as a count, needs none.

    Raises:
        BadCell: If it means none, or its unit does not fit.
    """
    name, unit = header, ""
    if header.endswith("]") and "[" in header:
        name, unit = (part.strip() for part in header.removesuffix("]").rsplit("[", 1))
    column = table.column(name) or vocabulary.quantities.column(name)
    if column is None:
        raise BadCell("header-unknown", header, [c.name for c in table.columns])
    if column.quantity is not None:
        quantity = vocabulary.quantities[column.quantity]
        if unit:
            vocabulary.unit(unit, quantity)
        elif column.unit is not None:
            unit = vocabulary.units.by_iri[column.unit].symbol
        elif len(only := vocabulary.unit_symbols(quantity)) == 1:
            unit = only[0]
    return column, unit


def _import(
    path: Path,
    table: Table,
    columns: _Columns,
    file: CsvFile,
    skip_bad_rows: bool,
    replace_entries: bool,
    progress: Progress,
) -> ImportReport:
    """Import all rows, again without the bad ones until no row names a bad one."""
    bad: set[int] = set()
    while True:
        report, found = _attempt(path, table, columns, file, bad, replace_entries, progress)
        if not report.problems:
            return report
        if not skip_bad_rows:
            return _refused(path, table, list(report.problems))
        if found == bad:
            return report
        bad = found


def _attempt(
    path: Path,
    table: Table,
    columns: _Columns,
    file: CsvFile,
    bad: set[int],
    replace_entries: bool,
    progress: Progress,
) -> tuple[ImportReport, set[int]]:
    """Import all rows, and return what came of it and the numbers of the bad rows."""
    graph = new_graph()
    problems: list[Problem] = []
    found: set[int] = set()
    rows = readings = 0
    writer = RowWriter(table, columns.vocabulary, columns.units, replace_entries)
    key = [column.name for column in columns.columns].index(table.key)
    columns.vocabulary.own.clear()
    columns.vocabulary.own.update(
        table.node(row.cells[key])
        for row in file.rows
        if row.number not in bad and IDENTIFIER.fullmatch("".join(row.cells[key : key + 1]))
    )
    for count, row in enumerate(file.rows):
        if count % PROGRESS_ROWS == 0:
            progress(count, len(file.rows))
        triples, wrong = _row(row, columns, writer)
        problems += (
            replace(p, file=path.name, row=row.number, column=columns.header(p.column))
            for p in wrong
        )
        if wrong:
            found.add(row.number)
            continue
        for triple in triples:
            graph.add(triple)
        rows, readings = rows + (not writer.was_reading), readings + writer.was_reading
    report = ImportReport(path.name, table.name, rows, readings, len(found), tuple(problems), graph)
    return report, found


def _row(row: CsvRow, columns: _Columns, writer: RowWriter) -> tuple[list[Triple], list[Problem]]:
    """Return a row's triples, and what is wrong with it."""
    if len(row.cells) != len(columns.headers):
        shape = f"{len(row.cells)} / {len(columns.headers)}"
        return [], [Problem("row-length", "", value=shape)]
    return writer.write(dict(zip(columns.columns, row.cells, strict=True)))


def _problem(error: BadCell, path: Path) -> Problem:
    return Problem(error.key, path.name, value=error.value, allowed=error.allowed)


def _refused(path: Path, table: Table, problems: list[Problem]) -> ImportReport:
    return ImportReport(path.name, table.name, problems=tuple(problems))
