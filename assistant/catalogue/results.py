"""What an answer is made of: figures, the sources cited so far, rows and text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from rdflib import URIRef

from assistant.answer import Kind, Table


@dataclass(frozen=True)
class Figure:
    """A figure with all that is said of it; `value` is in its own unit."""

    node: URIRef
    entry: URIRef
    quantity: URIRef
    value: Decimal
    unit: URIRef
    alternative: bool
    bound: str
    low: Decimal | None
    high: Decimal | None
    conditions: frozenset[tuple[str, URIRef]]
    price: tuple[URIRef | None, str | None, URIRef | None] | None
    sources: tuple[URIRef, ...]

    @property
    def asked(self) -> tuple[URIRef, frozenset[tuple[str, URIRef]]]:
        """The quantity and conditions, by which figures of several entries are compared."""
        return self.quantity, self.conditions


@dataclass
class Said:
    """What an answer says so far: its sentences and the sources in the order of their numbers."""

    numbers: dict[URIRef, int] = field(default_factory=dict)
    figures: dict[URIRef, list[URIRef]] = field(default_factory=dict)

    def marks(self, sources: Iterable[URIRef], figure: URIRef | None = None) -> tuple[int, ...]:
        """Return the citation numbers of sources."""
        found = []
        for source in sources:
            number = self.numbers.setdefault(source, len(self.numbers) + 1)
            if figure is not None:
                self.figures.setdefault(source, []).append(figure)
            found.append(number)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Result:
    """Rows found for a question, before they are worded."""

    kind: Kind
    text: str
    table: Table | None = None
    query: str | None = None
    entries: tuple[URIRef, ...] = ()


def spelt(value: Decimal) -> str:
    """Return a number without trailing zeros or an exponent."""
    return f"{value.normalize():f}"


def plain(value: float) -> float | int:
    """Return a number as a table holds it: whole if it is."""
    return int(value) if value.is_integer() else round(value, 6)
