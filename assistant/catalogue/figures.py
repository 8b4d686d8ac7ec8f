"""Figures of the catalogue as the queries give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from rdflib import URIRef

from assistant.catalogue.querying import QueryWriter, Selection
from assistant.catalogue.question import Asked, CatalogueQuestion
from assistant.catalogue.results import Figure
from assistant.catalogue.things import (
    CONTENT,
    HALF_PRECISION,
)
from assistant.catalogue.vocabulary import CONDITION_NAMES, Vocabulary
from assistant.messages import Messages
from kg import KnowledgeGraph, Row

ALTERNATIVE = "Alternative"
SOURCES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?source ?locator ?date ?url ?retrieved WHERE {
  ?source a tw:Source .
  OPTIONAL { ?source tw:locator ?locator } OPTIONAL { ?source dcterms:date ?date }
  OPTIONAL { ?source rdfs:seeAlso ?url } OPTIONAL { ?source tw:retrieved ?retrieved }
}
"""


class Figures:
    """Figures of the catalogue as the queries give them."""

    def __init__(self, graph: KnowledgeGraph, vocabulary: Vocabulary, messages: Messages) -> None:
        self._graph = graph
        self._v = vocabulary
        self._writer = QueryWriter(vocabulary)
        self._say = messages
        self._labels: dict[tuple[URIRef, str], str] = {}
        self._sources = {URIRef(str(r["source"])): r for r in graph.select(SOURCES)}

    def _figures(self, query: str) -> list[Figure]:
        rows: dict[str, list[Row]] = {}
        for row in self._graph.select(query):
            rows.setdefault(str(row["figure"]), []).append(row)
        return sorted(
            (self._figure(node, held) for node, held in rows.items()),
            key=lambda f: (f.entry, f.quantity, sorted(f.conditions), f.alternative, f.node),
        )

    def _figure(self, node: str, rows: list[Row]) -> Figure:
        row = rows[0]
        quantity = URIRef(str(row["quantity"]))
        conditions = frozenset((n, URIRef(str(row[n]))) for n in CONDITION_NAMES if n in row)
        price = None
        if quantity in self._writer.prices:
            price = (
                URIRef(str(row["priceKind"])) if "priceKind" in row else None,
                str(row["date"]) if "date" in row else None,
                URIRef(str(row["region"])) if "region" in row else None,
            )
        return Figure(
            URIRef(node),
            URIRef(str(row["entry"])),
            quantity,
            Decimal(str(row["value"])),
            URIRef(str(row["unit"])),
            str(row["standing"]).endswith(ALTERNATIVE),
            str(row["bound"]).rsplit("#", 1)[-1],
            Decimal(str(row["low"])) if "low" in row else None,
            Decimal(str(row["high"])) if "high" in row else None,
            conditions,
            price,
            tuple(dict.fromkeys(URIRef(str(r["source"])) for r in rows)),
        )

    def _figures_by_node(self, rows: Sequence[Row], selection: Selection) -> list[Figure]:
        nodes = {
            URIRef(str(row[f"figure{i}"]))
            for row in rows
            for i in range(len(selection.columns))
            if f"figure{i}" in row
        }
        if not nodes:
            return []
        return self._figures(self._writer.figures(nodes))

    def _standard(self, figure: Figure) -> float:
        own = self._v.units[figure.unit]
        standard = self._v.units[self._v.quantities[figure.quantity].unit]
        if own.kind != standard.kind:
            return float(figure.value)
        return float(figure.value) * own.factor / standard.factor

    def _facts(
        self, entries: Iterable[URIRef], properties: Iterable[URIRef]
    ) -> dict[tuple[URIRef, URIRef], tuple[URIRef, ...]]:
        found: dict[tuple[URIRef, URIRef], dict[URIRef, None]] = {}
        for row in self._graph.select(self._writer.facts(entries, properties)):
            if isinstance(row["value"], URIRef):
                key = URIRef(str(row["entry"])), URIRef(str(row["property"]))
                found.setdefault(key, {})[URIRef(str(row["value"]))] = None
        return {key: tuple(values) for key, values in found.items()}

    def _entry_sources(self, entry: URIRef) -> tuple[URIRef, ...]:
        found = self._graph.objects(entry, URIRef("http://purl.org/dc/terms/source"))
        return tuple(o for o in found if isinstance(o, URIRef))

    def _classes(self, entries: Iterable[URIRef]) -> frozenset[URIRef]:
        return frozenset(c for e in entries for c in self._v.classes_of[e])

    def _contents(self, entries: Sequence[URIRef]) -> tuple[URIRef, ...]:
        """Return the accelerators in machines, as entries or lines."""
        held = self._facts(entries, [CONTENT])
        return tuple(dict.fromkeys(v for values in held.values() for v in values))

    def _figure_of(self, entry: URIRef, asked: Asked, figures: Sequence[Figure]) -> Figure | None:
        own = [
            f
            for f in figures
            if f.entry == entry
            and f.quantity == asked.quantity
            and self._is_asked(f, (replace(asked, unit=None),), CatalogueQuestion("look-up"))
        ]
        if not own:
            own = [f for f in figures if f.entry == entry and f.quantity == asked.quantity]
        preferred = [f for f in own if not f.alternative]
        return next(iter(preferred or own), None)

    def _is_asked(
        self, figure: Figure, asked: Sequence[Asked], question: CatalogueQuestion
    ) -> bool:
        if not asked:
            return True
        held = figure.conditions
        if figure.price is not None:
            kind, _, region = figure.price
            held = held | {(n, v) for n, v in (("priceKind", kind), ("region", region)) if v}
        return any(a.quantity == figure.quantity and a.holds(held) for a in asked)

    def _without_side_figures(self, figures: list[Figure], asked: Sequence[Asked]) -> list[Figure]:
        """Drop rates with sums in fewer bits where the others are there and none was asked for."""
        named = {n for a in asked for n, _ in a.conditions}
        if "accumulation" in named:
            return figures
        short = HALF_PRECISION
        full = {
            (f.entry, f.quantity, dict(f.conditions).get("precision"))
            for f in figures
            if dict(f.conditions).get("accumulation") != short
        }
        return [
            f
            for f in figures
            if dict(f.conditions).get("accumulation") != short
            or (f.entry, f.quantity, dict(f.conditions).get("precision")) not in full
        ]

    def _rows(self, selection: Selection) -> list[Row]:
        return self._graph.select(selection.query)
