"""Reads tables in the forms that people have them: CSV, TSV, XLSX, or pasted from somewhere."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from kg.contributions.findings import Fault
from kg.contributions.reading import LARGEST_TABLE, Unreadable, file_bytes, text_of
from kg.importing import Table
from kg.importing.csv_file import MOST_ROWS, CsvFile, CsvRow, parsed
from kg.importing.declarations import folded
from kg.importing.problems import BadCell, Problem

LARGEST_UNPACKED = 200 * 1024 * 1024
MOST_COLUMNS = 500
SEPARATORS = "\t;|"


class BadTable(Exception):
    """A table cannot be read as one."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text("en"))
        self.problem = problem


def read_table(path: Path) -> CsvFile:
    """Return the rows of a CSV, TSV or XLSX file.

    Raises:
        Unreadable: If it cannot be read, is too large or not what it is said to be.
        BadTable: If it has no rows, or too many, or quotes that do not fit.
    """
    data = file_bytes(path, LARGEST_TABLE)
    if path.suffix.lower() == ".xlsx" or data.startswith(b"PK\x03\x04"):
        return _xlsx(data, path.name)
    return pasted(text_of(data, path.name), path.name)


def pasted(text: str, name: str) -> CsvFile:
    """Return the rows of a text, whose cells stand between commas, tabs, semicolons or bars."""
    lines = [line for line in text.splitlines() if not re.fullmatch(r"[\s|:-]+", line) or not line]
    head = next((line for line in lines if line.strip()), "")
    separator = max(SEPARATORS, key=head.count)
    try:
        if head.count(separator) <= head.count(","):
            return parsed(text)
        if separator == "|":  # a table in Markdown
            lines = [line.strip().removeprefix("|").removesuffix("|") for line in lines]
        rows = csv.reader(
            io.StringIO("\n".join(lines), newline=""), delimiter=separator, strict=True
        )
        return _file(list(rows), name)
    except csv.Error as error:
        raise BadTable(Problem("file-not-csv", name, value=str(error))) from error
    except BadCell as error:
        raise BadTable(
            Problem(error.key, name, value=error.value, allowed=error.allowed)
        ) from error


def with_headers(file: CsvFile, mapping: Mapping[str, str]) -> CsvFile:
    """Return a file with headers replaced; what is mapped to nothing is left out."""
    wanted = {folded(header): name for header, name in mapping.items()}
    header = [wanted.get(folded(name), name) for name in file.header]
    kept = [i for i, name in enumerate(header) if name]
    if len(kept) == len(header):
        return replace(file, header=tuple(header))
    rows = tuple(
        replace(row, cells=tuple(row.cells[i] for i in kept if i < len(row.cells)))
        for row in file.rows
    )
    return CsvFile(tuple(header[i] for i in kept), rows)


def with_identifiers(file: CsvFile, table: Table) -> CsvFile:
    """Return a file whose rows have identifiers, made of their names if it has no such column."""
    columns = [table.column(header) for header in file.header]
    names = [c.name if c else "" for c in columns]
    if table.key in names or "name" not in names:
        return file
    at = names.index("name")
    taken: set[str] = set()
    rows = []
    for row in file.rows:
        cell = row.cells[at] if at < len(row.cells) else ""
        rows.append(replace(row, cells=(_free(identifier_of(cell), taken), *row.cells)))
    return CsvFile((table.key, *file.header), tuple(rows))


def identifier_of(name: str) -> str:
    """Return an identifier made of a name."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9.]+", "-", ascii_name.lower()).strip("-.")
    code = "-".join(f"{ord(c):x}" for c in name if ord(c) > 127)
    return (slug or code)[:60].strip("-.") or "unnamed"


def _free(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}-no{count}"
    taken.add(name)
    return name


def _xlsx(data: bytes, name: str) -> CsvFile:
    from openpyxl import load_workbook  # 0.2 s to import

    _check_archive(data, name)
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = []
        for row in sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS):
            rows.append([_cell(value) for value in row])
            if len(rows) > MOST_ROWS + 1:
                raise BadTable(
                    Problem(
                        "too-many-rows", name, value=f"> {MOST_ROWS}", allowed=(str(MOST_ROWS),)
                    )
                )
    except BadTable:
        raise
    except Exception as error:  # openpyxl raises whatever its parts do
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unreadable(Fault("xlsx", name, given=reason)) from error
    width = max((i + 1 for row in rows for i, cell in enumerate(row) if cell), default=0)
    return _file([row[:width] for row in rows], name)


def _check_archive(data: bytes, name: str) -> None:
    """Refuse an archive that unpacks to too much, or holds XML with entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            if size > LARGEST_UNPACKED or len(archive.infolist()) > 2000:
                given = f"{size / 1024 / 1024:.0f} MB"
                largest = f"{LARGEST_UNPACKED // 1024 // 1024} MB"
                raise Unreadable(Fault("unpacks-too-large", name, given=given, allowed=(largest,)))
            for part in archive.infolist():
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as file:
                        head = file.read(4096)
                    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                        raise Unreadable(Fault("entities", name, given=part.filename))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise Unreadable(Fault("xlsx", name, given=str(error))) from error


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.15g}" if value != int(value) else str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def _file(rows: Iterable[list[str]], name: str) -> CsvFile:
    found = []
    for number, cells in enumerate(rows, 1):
        tidy = tuple(unicodedata.normalize("NFC", cell).strip() for cell in cells)
        if any(tidy):
            found.append(CsvRow(number, tidy))
    if not found:
        raise BadTable(Problem("file-empty", name))
    if len(found) > MOST_ROWS + 1:
        raise BadTable(
            Problem("too-many-rows", name, value=str(len(found) - 1), allowed=(str(MOST_ROWS),))
        )
    return CsvFile(found[0].cells, tuple(found[1:]))
