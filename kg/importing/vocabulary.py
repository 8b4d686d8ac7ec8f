"""What the graph knows that cells refer to: things by key or name, quantities, properties."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from rapidfuzz import fuzz, process, utils
from rdflib.namespace import DCTERMS, OWL, RDF
from rdflib.term import URIRef

from kg.graph import KnowledgeGraph
from kg.importing.declarations import Column
from kg.importing.problems import BadCell
from kg.importing.quantities import Quantities, Quantity, full_iris
from kg.importing.ratios import Ratio, ratios_of
from kg.importing.units import Unit, Units
from kg.namespaces import TW, TWD

NAMES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?node ?name WHERE { ?node rdfs:label|skos:altLabel ?name }
"""

KINDS = """
SELECT ?node ?class WHERE { ?node a ?class }
"""

SUPERCLASSES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?class ?above WHERE { ?class rdfs:subClassOf ?above }
"""

RANGES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?property ?range WHERE { ?property rdfs:range ?range }
"""

OF_FIGURES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?property WHERE {
  { ?property a tw:FigureCondition } UNION { ?property rdfs:domain tw:Figure }
}
"""

ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
"""A web address that may stand in Turtle as an IRI."""

FIXED_RANGES = {RDF.type: OWL.Class, DCTERMS.source: TW.Source, TW.ofQuantity: TW.Quantity}
"""What the values of a column must be, where the property itself leaves it open."""

FEW = 12
"""Up to so many allowed values are all named; of more, those spelt like the value given."""


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
    quantities: Quantities
    ratios: tuple[Ratio, ...]
    kinds: dict[URIRef, set[URIRef]]
    names: dict[URIRef, dict[str, set[URIRef]]]
    ranges: dict[URIRef, URIRef]
    of_figures: frozenset[URIRef]
    own: set[URIRef] = field(default_factory=set)
    keys: dict[tuple[str, URIRef | None], list[str]] = field(default_factory=dict)

    @classmethod
    @lru_cache(maxsize=1)
    def of(cls, graph: KnowledgeGraph) -> Vocabulary:
        """Return what a graph knows; kept for the last graph, as tables often come together."""
        above = _superclasses(graph)
        kinds: dict[URIRef, set[URIRef]] = {}
        for row in graph.select(KINDS):
            found = URIRef(str(row["class"]))
            kinds.setdefault(URIRef(str(row["node"])), set()).update(above.get(found, {found}))
        names: dict[URIRef, dict[str, set[URIRef]]] = {}
        for row in graph.select(NAMES):
            node, name = URIRef(str(row["node"])), _key(str(row["name"]))
            for found in kinds.get(node, ()):
                names.setdefault(found, {}).setdefault(name, set()).add(node)
        ranges = graph.select(RANGES)
        return cls(
            units=Units.of(graph),
            quantities=Quantities.of(graph),
            ratios=ratios_of(graph),
            kinds=kinds,
            names=names,
            ranges={URIRef(str(r["property"])): URIRef(str(r["range"])) for r in ranges},
            of_figures=frozenset(URIRef(str(r["property"])) for r in graph.select(OF_FIGURES)),
        )

    @cached_property
    def demanded(self) -> frozenset[URIRef]:
        """What some quantity's figures must say."""
        return frozenset().union(
            *(quantity.demanded for quantity in self.quantities.by_iri.values())
        )

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
        candidates = [pattern.replace("{}", value), f"{TWD}{value}", *full_iris(value)]
        for candidate in filter(ADDRESS.fullmatch, candidates):
            if self._fits(node := URIRef(candidate), wanted):
                return node
        named = self.names.get(wanted, {}).get(_key(value), set()) if wanted else set()
        if len(named) == 1:
            return next(iter(named))
        raise BadCell("unknown-value", value, self._suggestions(pattern, wanted, value))

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


def _superclasses(graph: KnowledgeGraph) -> dict[URIRef, set[URIRef]]:
    """Return each class that has superclasses with all of them and itself.

    Ten times quicker than a path in the query, which goes up anew for each node.
    """
    direct: dict[URIRef, set[URIRef]] = {}
    for row in graph.select(SUPERCLASSES):
        direct.setdefault(URIRef(str(row["class"])), set()).add(URIRef(str(row["above"])))
    found: dict[URIRef, set[URIRef]] = {}
    for start in direct:
        reached, waiting = set[URIRef](), [start]
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += direct.get(node, ())
        found[start] = reached
    return found


def _key(name: str) -> str:
    """Return a name as names are compared; hyphens count as spaces (`at-most`, at most)."""
    return " ".join(name.casefold().replace("-", " ").split())
