"""What the graph knows that cells refer to: things by key or name, quantities, properties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache

from rapidfuzz import fuzz, process, utils
from rdflib.namespace import DCTERMS, OWL, RDF
from rdflib.term import Node, URIRef

from kg.graph import KnowledgeGraph
from kg.importing.declarations import Column, folded
from kg.importing.problems import BadCell
from kg.importing.ratios import Ratio, ratios_of
from kg.importing.units import Unit, Units
from kg.namespaces import PREFIXES, TW, TWD

NAMES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?class ?node ?name WHERE {
  ?node a/rdfs:subClassOf* ?class .
  ?node rdfs:label|skos:altLabel ?name .
}
"""

KINDS = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?node ?class WHERE { ?node a/rdfs:subClassOf* ?class }
"""

QUANTITIES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?quantity ?unit ?least ?most ?demanded ?unconverted ?label WHERE {
  ?quantity a tw:Quantity ; tw:standardUnit ?unit .
  OPTIONAL { ?quantity tw:plausibleMinimum ?least ; tw:plausibleMaximum ?most }
  OPTIONAL { ?quantity tw:conditionedBy ?demanded }
  OPTIONAL { ?quantity tw:unconvertedUnit ?unconverted }
  OPTIONAL { ?quantity rdfs:label ?label }
}
"""

NAMED = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?named ?label ?quantity ?condition ?value WHERE {
  ?named a tw:NamedQuantity ; tw:ofQuantity ?quantity ; ?condition ?value .
  ?condition a tw:FigureCondition .
  OPTIONAL { ?named rdfs:label ?label }
}
"""

PROPERTIES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?property ?range ?figures WHERE {
  { ?property rdfs:range ?range BIND(false AS ?figures) }
  UNION { ?property a tw:FigureCondition BIND(true AS ?figures) }
  UNION { ?property rdfs:domain tw:Figure BIND(true AS ?figures) }
}
"""

ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
"""A web address that may stand in Turtle as an IRI."""

FIXED_RANGES = {RDF.type: OWL.Class, DCTERMS.source: TW.Source, TW.ofQuantity: TW.Quantity}
"""What the values of a column must be, where the property itself leaves it open."""

FEW = 12
"""Up to so many allowed values are all named; of more, those spelt like the value given."""


@dataclass
class Quantity:
    """A quantity of the graph, and what its figures must keep to."""

    iri: URIRef
    standard: URIRef
    least: Decimal | None = None
    most: Decimal | None = None
    demanded: set[URIRef] = field(default_factory=set)
    unconverted: set[URIRef] = field(default_factory=set)


@dataclass(frozen=True)
class Vocabulary:
    """An index of a graph, made once an import.

    Attributes:
        kinds: The classes of each thing, superclasses too.
        names: The things of each class by name.
        ranges: The class that a property's values belong to.
        of_figures: Properties that say something of a figure, not of an entry.
        own: What the file itself describes, so that a row may name another.
    """

    units: Units
    quantities: dict[URIRef, Quantity]
    quantity_names: dict[str, set[URIRef]]
    named: dict[URIRef, tuple[URIRef, frozenset[tuple[URIRef, Node]]]]
    kinds: dict[URIRef, set[URIRef]]
    names: dict[URIRef, dict[str, set[URIRef]]]
    ranges: dict[URIRef, URIRef]
    of_figures: frozenset[URIRef]
    ratios: tuple[Ratio, ...]
    own: set[URIRef] = field(default_factory=set)
    keys: dict[tuple[str, URIRef | None], list[str]] = field(default_factory=dict)

    @classmethod
    @lru_cache(maxsize=1)
    def of(cls, graph: KnowledgeGraph) -> Vocabulary:
        """Return what a graph knows; kept for the last graph, as tables often come together."""
        quantities: dict[URIRef, Quantity] = {}
        quantity_names: dict[str, set[URIRef]] = {}
        for row in graph.select(QUANTITIES):
            iri = URIRef(str(row["quantity"]))
            quantity = quantities.setdefault(iri, Quantity(iri, URIRef(str(row["unit"]))))
            if "least" in row:
                quantity.least = Decimal(str(row["least"]))
                quantity.most = Decimal(str(row["most"]))
            if "demanded" in row:
                quantity.demanded.add(URIRef(str(row["demanded"])))
            if "unconverted" in row:
                quantity.unconverted.add(URIRef(str(row["unconverted"])))
            for name in (row.get("label"), iri.removeprefix(TWD), iri):
                if name is not None:
                    quantity_names.setdefault(folded(str(name)), set()).add(iri)
        named: dict[URIRef, tuple[URIRef, frozenset[tuple[URIRef, Node]]]] = {}
        for row in graph.select(NAMED):
            iri = URIRef(str(row["named"]))
            condition = (URIRef(str(row["condition"])), row["value"])
            _, before = named.get(iri, (iri, frozenset()))
            named[iri] = URIRef(str(row["quantity"])), before | {condition}
            for name in (row.get("label"), iri.removeprefix(TWD), iri):
                if name is not None:
                    quantity_names.setdefault(folded(str(name)), set()).add(iri)
        kinds: dict[URIRef, set[URIRef]] = {}
        for row in graph.select(KINDS):
            kinds.setdefault(URIRef(str(row["node"])), set()).add(URIRef(str(row["class"])))
        names: dict[URIRef, dict[str, set[URIRef]]] = {}
        for row in graph.select(NAMES):
            known = names.setdefault(URIRef(str(row["class"])), {})
            known.setdefault(_key(str(row["name"])), set()).add(URIRef(str(row["node"])))
        ranges: dict[URIRef, URIRef] = {}
        of_figures: set[URIRef] = set()
        for row in graph.select(PROPERTIES):
            prop = URIRef(str(row["property"]))
            if "range" in row:
                ranges[prop] = URIRef(str(row["range"]))
            if str(row.get("figures")) == "true":
                of_figures.add(prop)
        return cls(
            Units.of(graph), quantities, quantity_names, named, kinds, names, ranges,
            frozenset(of_figures), ratios_of(graph),
        )  # fmt: skip

    @cached_property
    def demanded(self) -> frozenset[URIRef]:
        """What some quantity's figures must say."""
        return frozenset().union(*(quantity.demanded for quantity in self.quantities.values()))

    @cached_property
    def conditions(self) -> frozenset[URIRef]:
        """What limits the circumstance in which a figure holds."""
        declared = {node for node, kinds in self.kinds.items() if TW.FigureCondition in kinds}
        return self.demanded | declared

    def thing(self, column: Column, value: str) -> URIRef:
        """Return the node a cell names: by key, by IRI, or by one of its names.

        Raises:
            BadCell: If none, or more than one, of the column's class is named so.
        """
        assert column.fills is not None
        wanted = FIXED_RANGES.get(column.fills) or self.ranges.get(column.fills)
        pattern = column.value_url or f"{TWD}{{}}"
        candidates = [pattern.replace("{}", value), f"{TWD}{value}", *_full(value)]
        for candidate in map(URIRef, candidates):
            if self._fits(candidate, wanted):
                return candidate
        named = self.names.get(wanted, {}).get(_key(value), set()) if wanted else set()
        if len(named) == 1:
            return next(iter(named))
        raise BadCell("unknown-value", value, self._suggestions(pattern, wanted, value))

    def measured(self, header: str) -> Column | None:
        """Return a column for the quantity that a header names by label or IRI, if it is one only.

        The name of a quantity under conditions, as `sequential read speed`, says those too.
        """
        found = {*self.quantity_names.get(folded(header), ())}
        found |= {URIRef(iri) for iri in _full(header)} & {*self.quantities, *self.named}
        if len(found) != 1:
            return None
        (iri,) = found
        quantity, conditions = self.named.get(iri, (iri, frozenset()))
        return Column(header, quantity=quantity, of_figures=tuple(sorted(conditions)))

    def unit(self, spelling: str, quantity: Quantity) -> Unit:
        """Return the unit a spelling means, if figures of the quantity may be in it.

        Raises:
            BadCell: If there is no such unit, or it measures something else.
        """
        standard = self.units.by_iri[quantity.standard]
        allowed = self.unit_symbols(quantity)
        if not spelling:
            raise BadCell("missing-unit", allowed=allowed)
        unit = self.units.find(spelling)
        if unit is None:
            raise BadCell("unknown-unit", spelling, allowed)
        if not unit.converts_to(standard) and unit.iri not in quantity.unconverted:
            raise BadCell("wrong-unit", spelling, allowed)
        return unit

    def unit_symbols(self, quantity: Quantity) -> list[str]:
        """Return the symbols of all units that figures of a quantity may be in, sorted."""
        alike = self.units.alike(self.units.by_iri[quantity.standard])
        return sorted({*alike, *(self.units.by_iri[iri].symbol for iri in quantity.unconverted)})

    def _fits(self, node: URIRef, wanted: URIRef | None) -> bool:
        if node in self.own:
            return True
        found = self.kinds.get(node, set())
        return bool(found) if wanted is None else wanted in found

    def _suggestions(self, pattern: str, wanted: URIRef | None, value: str) -> list[str]:
        """Return the keys of what could have been meant: all if few, else those spelt alike."""
        keys = self._keys(pattern, wanted)
        if len(keys) <= FEW:
            return keys
        alike = process.extract(
            value,
            keys,
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=5,
            score_cutoff=60,
        )
        return [key for key, _, _ in alike]

    def _keys(self, pattern: str, wanted: URIRef | None) -> list[str]:
        if (pattern, wanted) not in self.keys:
            start, end = pattern.split("{}")
            self.keys[pattern, wanted] = sorted(
                node.removeprefix(start).removesuffix(end).removeprefix(TWD).removeprefix(TW)
                for node, classes in self.kinds.items()
                if (wanted in classes if wanted else node.startswith(start))
                and node.startswith("https://w3id.org/trainwright/")
            )
        return self.keys[pattern, wanted]


def _key(name: str) -> str:
    """Return a name as names are compared; hyphens count as spaces (`at-most`, at most)."""
    return " ".join(name.casefold().replace("-", " ").split())


def _full(value: str) -> Iterable[str]:
    """Return what a value is as an IRI, if it is one, in full or with a usual prefix."""
    prefix, colon, local = value.partition(":")
    if colon and prefix in PREFIXES:
        return [PREFIXES[prefix] + local]
    return [value] if value.startswith(("http://", "https://")) else []
