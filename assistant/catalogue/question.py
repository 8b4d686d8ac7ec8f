"""A question to the catalogue, as understood: what of which entries, under which conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rdflib import URIRef

from assistant.catalogue.vocabulary import Conditions

Operation = Literal[
    "look-up", "compare", "difference", "ratio", "quotient", "superlative", "filter", "count",
    "support", "sources", "agreement", "convert",
]  # fmt: skip
Comparator = Literal[">", ">=", "<", "<=", "=", "between"]
Direction = Literal["highest", "lowest"]


@dataclass(frozen=True)
class Asked:
    """A quantity, with the conditions that the question names."""

    quantity: URIRef
    conditions: Conditions = frozenset()
    unit: URIRef | None = None

    def holds(self, conditions: Conditions) -> bool:
        """Return whether a figure under some conditions is what was asked for.

        Of several values of one condition, any will do.
        """
        names = {n for n, _ in self.conditions}
        return all(any(c in conditions for c in self.conditions if c[0] == n) for n in names)


@dataclass(frozen=True)
class Bound:
    """A limit for a quantity in its standard unit.

    With `reference`, the limit is the figure of another entry and `low` is not used.
    """

    asked: Asked
    comparator: Comparator
    low: float = 0.0
    high: float = 0.0
    reference: frozenset[URIRef] = frozenset()
    negated: bool = False


@dataclass(frozen=True)
class FacetCondition:
    """Entries must have one of some values of a property, or none of them.

    With `of_content`, it is a property of what they contain: systems with AMD GPUs.
    """

    facet: URIRef
    values: frozenset[URIRef]
    negated: bool = False
    of_content: bool = False


@dataclass(frozen=True)
class CatalogueQuestion:
    """What to select from the catalogue.

    `subjects` are the entries or lines named; `classes` those that entries must belong to;
    `bounds` must all hold, of each inner tuple at least one; `among` are the entries that a
    follow-up keeps to; `left_over` are words that were not understood.
    """

    operation: Operation
    subjects: tuple[URIRef, ...] = ()
    classes: frozenset[URIRef] = frozenset()
    asked: tuple[Asked, ...] = ()
    facets_asked: tuple[URIRef, ...] = ()
    bounds: tuple[tuple[Bound, ...], ...] = ()
    facets: tuple[FacetCondition, ...] = ()
    excluded: frozenset[URIRef] = frozenset()
    order: Asked | None = None
    direction: Direction = "highest"
    limit: int | None = None
    among: frozenset[URIRef] = frozenset()
    checked: tuple[FacetCondition, ...] = ()
    unit: URIRef | None = None
    amount: tuple[float, URIRef] | None = None
    implied: bool = False
    everything: bool = False
    left_over: tuple[str, ...] = ()
    assumed: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Missing:
    """Why a question to the catalogue cannot be answered as it is.

    `what` is a message key: no thing named, no quantity named, an unknown name or attribute.
    """

    what: str
    names: tuple[str, ...] = ()
    subjects: tuple[URIRef, ...] = ()
