"""Reads a CSV file as people send it: bounded in size, UTF-8, one header, then rows."""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from kg.importing.problems import BadCell

LARGEST = 50 * 1024 * 1024
"""How many bytes a file may have; it is read as a whole."""

MOST_ROWS = 20_000
"""How many rows a file may have: with four figures each, they take a minute and a gigabyte."""


@dataclass(frozen=True)
class CsvRow:
    """One row: its number as a spreadsheet counts it, and its cells in the order of the header."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class CsvFile:
    """A file's header and the rows that are not blank, cells trimmed and in Unicode NFC."""

    header: tuple[str, ...]
    rows: tuple[CsvRow, ...]


def read(path: Path) -> CsvFile:
    """Return a file's header and rows.

    Raises:
        BadCell: If the file cannot be read, is too large, is not UTF-8, has no
            header or too many rows, or has quotes that do not fit.
    """
    return parsed(_text(path))


def parsed(text: str) -> CsvFile:
    """Return the header and rows of a text.

    Raises:
        BadCell: If there is no header, there are too many rows, or quotes do not fit.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[CsvRow] = []
    try:
        for number, cells in enumerate(reader, 1):
            tidy = tuple(unicodedata.normalize("NFC", cell).strip() for cell in cells)
            if any(tidy):
                rows.append(CsvRow(number, tidy))
    except csv.Error as error:
        raise BadCell("file-not-csv", f"{error} ({reader.line_num})") from error
    if not rows:
        raise BadCell("file-empty")
    if len(rows) > MOST_ROWS + 1:
        raise BadCell("too-many-rows", str(len(rows) - 1), [str(MOST_ROWS)])
    return CsvFile(rows[0].cells, tuple(rows[1:]))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise BadCell(
                "file-too-large",
                f"{path.stat().st_size / 1024 / 1024:.1f} MB",
                [f"{LARGEST // 1024 // 1024} MB"],
            )
        data = path.read_bytes()
    except OSError as error:
        raise BadCell("file-unreadable", error.strerror or str(error)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadCell("file-encoding", str(line), ["UTF-8"]) from error
    if "\0" in text:
        raise BadCell("file-encoding", str(text[: text.index("\0")].count("\n") + 1), ["UTF-8"])
    return text
