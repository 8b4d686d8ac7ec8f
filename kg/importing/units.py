"""Finds the unit that people write, however they write it, and converts between units.

A spelling is first looked up among the names of the graph's units. One that is not there is
read by pint, and stands for the unit of the graph that is the same size (`gigabyte/second`
is GB/s). Factors are those of the graph: QUDT's, as exact decimals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from pathlib import Path

import pint
from rdflib.term import URIRef

from kg.graph import KnowledgeGraph

DEFINITIONS = Path(__file__).parent / "units.txt"

UNIT_WORDS = re.compile(r"[A-Za-zµμ°%$€¥ /·*_]{1,40}")

UNITS = """
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?unit ?kind ?multiplier ?symbol ?expression ?name WHERE {
  ?unit a qudt:Unit ; qudt:hasQuantityKind ?kind ; qudt:conversionMultiplier ?multiplier ;
        qudt:symbol ?symbol .
  OPTIONAL { ?unit tw:unitExpression ?expression }
  OPTIONAL { ?unit rdfs:label|skos:altLabel ?name }
}
"""


@dataclass(frozen=True)
class Unit:
    """A unit of the graph.

    Attributes:
        kinds: What it measures; two units are convertible if they share one.
        multiplier: The size of one of it in the base unit of its kind.
        expression: The same unit in pint's words.
    """

    iri: URIRef
    symbol: str
    kinds: frozenset[str]
    multiplier: Decimal
    expression: str | None = None

    def converts_to(self, other: Unit) -> bool:
        """Whether numbers in this unit can be given in the other."""
        return self.iri == other.iri or bool(self.kinds & other.kinds)

    def convert(self, number: Decimal, other: Unit) -> Decimal:
        """Return a number in this unit as a number in the other, to 28 significant digits."""
        with localcontext(prec=28):
            return number * self.multiplier / other.multiplier


@dataclass(frozen=True)
class Units:
    """The graph's units, by their spellings and IRIs."""

    by_iri: Mapping[URIRef, Unit]
    by_name: Mapping[str, URIRef]
    by_folded_name: Mapping[str, frozenset[URIRef]]

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Units:
        """Return the units that a graph describes."""
        by_iri: dict[URIRef, Unit] = {}
        names: dict[str, URIRef] = {}
        folded: dict[str, set[URIRef]] = {}
        kinds: dict[URIRef, set[str]] = {}
        for row in graph.select(UNITS):
            iri = URIRef(str(row["unit"]))
            kinds.setdefault(iri, set()).add(str(row["kind"]))
            expression = row.get("expression")
            by_iri[iri] = Unit(
                iri,
                str(row["symbol"]),
                frozenset(kinds[iri]),
                Decimal(str(row["multiplier"])),
                str(expression) if expression else None,
            )
            local = iri.rpartition("/")[2]
            for name in (str(row["symbol"]), str(row.get("name", local)), local):
                names[name] = iri
                folded.setdefault(name.casefold(), set()).add(iri)
        return cls(by_iri, names, {name: frozenset(found) for name, found in folded.items()})

    def find(self, spelling: str) -> Unit | None:
        """Return the unit a spelling means, or None if no unit, or more than one, fits.

        Upper and lower case are kept apart where they matter: Gb/s is not GB/s.
        """
        iri = self.by_name.get(spelling)
        if iri is None:
            alike = self.by_folded_name.get(spelling.casefold(), frozenset())
            iri = next(iter(alike)) if len(alike) == 1 else None
        if iri is None:
            iri = self._same_size(spelling)
        return None if iri is None else self.by_iri[iri]

    def alike(self, unit: Unit) -> list[str]:
        """Return the symbols of all units that numbers in this one can be given in, sorted."""
        return sorted(u.symbol for u in self.by_iri.values() if u.converts_to(unit))

    def _same_size(self, spelling: str) -> URIRef | None:
        # pint evaluates what it reads: no numbers, so no 9**9**9.
        size = pint_size(spelling) if UNIT_WORDS.fullmatch(spelling) else None
        if size is None:
            return None
        return next(
            (
                iri
                for iri, unit in sorted(self.by_iri.items())
                if unit.expression and pint_size(unit.expression) == size
            ),
            None,
        )


@cache
def registry() -> pint.UnitRegistry[Decimal]:
    """Return pint's units with ours, read once a process, as that takes 0.2 s."""
    units: pint.UnitRegistry[Decimal] = pint.UnitRegistry(
        non_int_type=Decimal, on_redefinition="ignore", cache_folder=None
    )
    units.load_definitions(DEFINITIONS)
    return units


@cache
def pint_size(spelling: str) -> tuple[Decimal, str] | None:
    """Return a unit's size in pint's base units, and those, or None if pint cannot read it."""
    try:
        size, base = registry().get_base_units(registry().parse_units(spelling))
    except Exception:  # pint raises errors of its own and, for odd text, those of a tokenizer
        return None
    with localcontext(prec=15):
        return +Decimal(str(size)), str(base)
