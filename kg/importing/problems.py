"""What keeps a table, or a row of it, from being imported; and what came of an import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import rdflib

from kg.importing.messages import messages
from kg.importing.turtle import as_turtle, new_graph

HEADER = 1
"""The number of the row that holds the columns' names."""

EXAMPLES = 8
"""How many allowed values a problem names at most."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file, told by the message `key`.

    Rows count as lines of a spreadsheet do: the header is row 1. What concerns
    the whole file has no row, what concerns a whole row no column.
    """

    key: str
    file: str
    row: int | None = None
    column: str | None = None
    value: str = ""
    allowed: tuple[str, ...] = ()

    def text(self, language: str) -> str:
        """Return where the problem is and what it is, in a language."""
        say = messages().in_language(language)
        place = self.file
        if self.row is not None:
            place += say("import-place-row", row=self.row)
        if self.column is not None:
            place += say("import-place-column", column=self.column)
        named = say("import-list-separator").join(self.allowed[:EXAMPLES])
        if len(self.allowed) > EXAMPLES:
            named += say("import-list-more", count=len(self.allowed) - EXAMPLES)
        what = say(f"import-{self.key}", value=self.value, allowed=named)
        return say("import-problem", place=place, what=what)


class BadCell(Exception):
    """A cell does not hold what its column asks for; becomes a `Problem` of its row."""

    def __init__(self, key: str, value: str = "", allowed: Iterable[str] = ()) -> None:
        super().__init__(key, value)
        self.key = key
        self.value = value
        self.allowed = tuple(allowed)


@dataclass(frozen=True)
class ImportReport:
    """What came of an import: the graph of what was taken, and all problems.

    Attributes:
        rows: How many rows were taken, without further readings of another row.
        readings: How many rows were taken that are further readings.
        skipped: How many rows were left out, as asked, because something is wrong in them.
        problems: In the order of rows and columns; with none, nothing was left out.
    """

    file: str
    table: str
    rows: int = 0
    readings: int = 0
    skipped: int = 0
    problems: tuple[Problem, ...] = ()
    graph: rdflib.Graph = field(default_factory=new_graph, compare=False, repr=False)

    @property
    def refused(self) -> bool:
        """Whether nothing was taken because something is wrong."""
        return bool(self.problems) and not len(self.graph)

    def turtle(self) -> str:
        """Return what was taken as Turtle; the same rows always give the same bytes."""
        return as_turtle(self.graph)

    def text(self, language: str) -> str:
        """Return all problems and the outcome in a language, one a line."""
        say = messages().in_language(language)
        lines = [problem.text(language) for problem in self.problems]
        if self.refused:
            # Leaving rows out mends neither a file nor its header.
            whole = any(p.row is None or p.row == HEADER for p in self.problems)
            key = "import-refused-whole" if whole else "import-refused"
            lines.append(say(key, file=self.file, count=len(self.problems)))
        else:
            lines.append(say("import-done", file=self.file, rows=self.rows, readings=self.readings))
            if self.skipped:
                lines.append(say("import-skipped", count=self.skipped))
        return "\n".join(lines)
