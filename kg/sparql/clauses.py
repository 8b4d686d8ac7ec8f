"""What has been read: the clauses of a query, and the text that is run for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from kg.errors import QueryFailed
from kg.sparql.tokens import Place, Tokens

Form = OneOf["select", "ask", "construct", "describe"]


@dataclass(slots=True)
class Clause:
    """A part of a query: its kind in the algebra, where it starts, what it names, its parts."""

    kind: str
    start: int
    named: str | None = None
    parts: list[Clause] = field(default_factory=list)

    def walk(self) -> Iterator[Clause]:
        """Yield this clause and all below it."""
        stack = [self]
        while stack:
            clause = stack.pop()
            yield clause
            stack.extend(clause.parts)


@dataclass(frozen=True)
class ReadQuery:
    """A query that fits the grammar.

    Attributes:
        form: select, ask, construct or describe.
        text: What the engine is given: one line, no comments, strings and addresses unescaped.
        tree: The clauses; the root is the query.
        variables: The names of all variables, in the order of their first appearance.
        all_selected: Whether it is a SELECT *.
        limited: Whether its text had better not be followed by a LIMIT: it has one, ends in
            VALUES, or is sorted (Virtuoso sorts at most 10,000 rows for a LIMIT).
    """

    form: Form
    text: str
    tree: Clause
    variables: tuple[str, ...]
    all_selected: bool
    limited: bool
    _tokens: Tokens
    _starts: list[int]
    _written: list[str]
    _values: list[tuple[int, str]]
    _selection: list[tuple[int, str]]

    def place(self, clause: Clause) -> Place:
        """Return where a clause starts in the query as it was written."""
        return self._tokens.place(clause.start)

    def place_of_column(self, column: int) -> Place:
        """Return where that is, as written, which stands at a column (from 1) of `text`."""
        end = 0
        for start, piece in zip(self._starts, self._written, strict=True):
            end += len(piece) + 1
            if column <= end:
                return self._tokens.place(start)
        return self._tokens.place(len(self._tokens.text))

    def bound(self, terms: Mapping[str, str]) -> str:
        """Return `text` with terms, as SPARQL writes them, in the places of variables.

        It is for engines that cannot bind variables themselves. A variable that is selected
        stays a column. In GROUP BY, BIND and VALUES a variable is not replaced.

        Raises:
            QueryFailed: If the query has no variable of a name.
        """
        if unknown := sorted(set(terms) - set(self.variables)):
            raise QueryFailed(f"the query has no variable ?{unknown[0]}")
        written = list(self._written)
        for place, name in self._values:
            written[place] = terms.get(name, written[place])
        for place, name in self._selection:
            if name in terms:
                written[place] = f"({terms[name]} AS ?{name})"
        return " ".join(written)
