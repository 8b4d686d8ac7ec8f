"""What the columns of an answer's table hold: names, numbers with a unit, citation marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assistant.answer import Table

UNIT = re.compile(r"[(（](?P<unit>[^()（）]+)[)）]$")
MARKS = re.compile(r"(\[\d+\]\s*)*")
# What sources that disagree state, or both ends of a range: 2040 / 2000, 80–94.
STATED = re.compile(r"-?\d+(?:\.\d+)?(?:(?: / |–)-?\d+(?:\.\d+)?)*")
NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Measure:
    """A column of numbers in one unit.

    `stated` has the numbers of each row, none if there is no figure. The first is
    the one to compare by; what follows is the range's end or what other sources say.
    """

    title: str
    place: int
    cells: tuple[Any, ...]
    stated: tuple[tuple[float, ...], ...]

    def text(self, row: int) -> str:
        """Return what the cell of a row states."""
        cell = self.cells[row]
        return f"{cell:.10g}" if isinstance(cell, int | float) else str(cell)

    def first(self) -> list[float | None]:
        """Return the number of each row to compare by."""
        return [numbers[0] if numbers else None for numbers in self.stated]

    def disagrees(self) -> bool:
        """Return whether a cell states more than one number."""
        return any(len(numbers) > 1 for numbers in self.stated)

    def drawn(self) -> list[int]:
        """Return the rows that have a figure."""
        return [row for row, numbers in enumerate(self.stated) if numbers]


def measures(table: Table) -> list[Measure]:
    """Return the columns that a chart can compare: numbers whose unit stands in the title.

    A year or a generation has no unit, so it is none.
    """
    return [m for m in number_columns(table) if UNIT.search(m.title)]


def number_columns(table: Table) -> list[Measure]:
    """Return the columns in which each cell that is filled states a number."""
    found = []
    for place, title in enumerate(table.columns):
        cells = tuple(row[place] for row in table.rows)
        stated = [numbers(cell) for cell in cells]
        figures = tuple(cell for cell in stated if cell is not None)
        if len(figures) == len(cells) and any(figures):
            found.append(Measure(title, place, cells, figures))
    return found


def numbers(cell: Any) -> tuple[float, ...] | None:
    """Return the numbers that a cell states, none if it is empty, None if it is words."""
    if cell is None or cell == "":
        return ()
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return (cell,)
    if not isinstance(cell, str) or not STATED.fullmatch(cell):
        return None
    return tuple(float(number) for number in NUMBER.findall(cell.replace("–", " / ")))


def source_column(table: Table) -> int | None:
    """Return the place of the column that holds nothing but citation marks."""
    last = len(table.columns) - 1
    cells = [str(row[last] or "") for row in table.rows]
    marked = any(cells) and all(MARKS.fullmatch(cell) for cell in cells)
    return last if marked else None


def row_names(table: Table) -> list[str] | None:
    """Return what to call each row, or None if the table begins with no name.

    Where two rows have the same name, what else is said of them in words follows it.
    """
    taken = {m.place for m in number_columns(table)} | {source_column(table)}
    worded = [place for place in range(len(table.columns)) if place not in taken]
    if not worded or worded[0] != 0:
        return None
    names = [str(row[0]) for row in table.rows]
    for place in worded[1:]:
        if len(set(names)) == len(names):
            break
        names = [f"{name} · {row[place]}" for name, row in zip(names, table.rows, strict=True)]
    return names
