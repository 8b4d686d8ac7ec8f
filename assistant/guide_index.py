"""What each statement is about, and how well a question's mentions agree with it.

Everything is kept as one vector per node over all statements, so that holding a
question against every statement costs a few vector sums.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rdflib import URIRef

from assistant.linking import Quantity
from kg import KnowledgeGraph

Vector = NDArray[np.float64]

ABOUT = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?id ?topic ?section ?node WHERE {
  ?statement a tw:Statement ; dcterms:identifier ?id ; tw:topic ?topic ; tw:inSection ?section ;
             tw:about ?node .
}
"""
# What is more general than a node, up to but without tw:Part: the A100 is a GPU.
BROADER = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node ?broader WHERE {
  { ?node a/rdfs:subClassOf* ?broader } UNION { ?node rdfs:subClassOf+ ?broader }
  UNION { ?node skos:broader+ ?broader }
  { ?broader rdfs:subClassOf+ tw:Part } UNION { ?broader a/rdfs:subClassOf* tw:Part }
}
"""
PARTS = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?part WHERE {
  { ?part rdfs:subClassOf+ tw:Part } UNION { ?part a/rdfs:subClassOf* tw:Part }
}
"""
# A user group or a task stands for the scenario that serves it; a technology that falls
# short of one the guide demands stands for that one.
STANDS_FOR = """
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?node ?meant WHERE {
  {
    ?meant a tw:Scenario ; tw:intendedFor|tw:targetsTask ?node .
    FILTER NOT EXISTS {
      ?elsewhere tw:about ?node FILTER NOT EXISTS { ?elsewhere tw:about ?meant }
    }
  } UNION {
    ?node skos:related ?meant
  }
}
"""
# Things of which a statement is about one and not another: scenarios, products ...
EXCLUSIVE = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node ?class WHERE {
  { ?class a tw:ExclusiveClass . ?node a ?class }
  UNION { BIND(tw:Accelerator AS ?class) ?node a/rdfs:subClassOf* ?class }
}
"""
FIGURES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?value ?kind ?factor WHERE {
  ?figure a tw:Figure ; dcterms:source ?statement ; qudt:numericValue ?value ; qudt:unit ?unit .
  ?unit qudt:hasQuantityKind ?kind ; qudt:conversionMultiplier ?factor .
}
"""


@dataclass
class GuideIndex:
    """Statements and the nodes they are about, as vectors over the statements."""

    about: dict[URIRef, frozenset[URIRef]]
    identifiers: dict[URIRef, str]
    topics: dict[URIRef, URIRef]
    sections: dict[URIRef, URIRef]
    broader: dict[URIRef, frozenset[URIRef]]
    stands_for: dict[URIRef, frozenset[URIRef]]
    exclusive: dict[URIRef, frozenset[URIRef]]
    figures: dict[URIRef, list[tuple[float, URIRef]]]
    parts: frozenset[URIRef]
    statements: list[URIRef] = field(init=False)
    position: dict[URIRef, int] = field(init=False)
    weight: dict[URIRef, float] = field(init=False)
    covered: frozenset[URIRef] = field(init=False)
    slots: frozenset[URIRef | str] = field(init=False)
    _credit: dict[URIRef, Vector] = field(init=False, default_factory=dict)
    _total_weight: Vector = field(init=False)
    _says: dict[URIRef, Vector] = field(init=False)

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> GuideIndex:
        """Return the index of all statements in a graph."""
        about: dict[URIRef, set[URIRef]] = defaultdict(set)
        identifiers, topics, sections = {}, {}, {}
        for row in graph.select(ABOUT):
            statement, topic = URIRef(str(row["statement"])), URIRef(str(row["topic"]))
            about[statement] |= {URIRef(str(row["node"])), topic}
            identifiers[statement] = str(row["id"])
            topics[statement] = topic
            sections[statement] = URIRef(str(row["section"]))
        figures: dict[URIRef, list[tuple[float, URIRef]]] = defaultdict(list)
        for row in graph.select(FIGURES):
            value = float(row["value"]) * float(row["factor"])
            figures[URIRef(str(row["statement"]))].append((value, URIRef(str(row["kind"]))))
        return cls(
            {s: frozenset(nodes) for s, nodes in about.items()},
            identifiers,
            topics,
            sections,
            _pairs(graph, BROADER, "node", "broader"),
            _pairs(graph, STANDS_FOR, "node", "meant"),
            _pairs(graph, EXCLUSIVE, "node", "class"),
            dict(figures),
            frozenset(URIRef(str(r["part"])) for r in graph.select(PARTS)),
        )

    def __post_init__(self) -> None:
        self.statements = sorted(self.about, key=lambda s: self.identifiers[s])
        self.position = {s: i for i, s in enumerate(self.statements)}
        frequency: dict[URIRef, int] = defaultdict(int)
        for nodes in self.about.values():
            for node in nodes | {b for n in nodes for b in self.broader.get(n, ())}:
                frequency[node] += 1
        total = len(self.about)
        self.weight = {n: math.log(1 + total / f) for n, f in frequency.items()}
        self.covered = frozenset(frequency) | frozenset(self.stands_for)
        self.slots = frozenset(
            {kind for kinds in self.exclusive.values() for kind in kinds} | {"part"}
        )
        self._total_weight = np.array(
            [sum(self.weight[n] for n in self.about[s]) for s in self.statements]
        )
        # For each exclusive class: which statements are about any of its members.
        self._says = {}
        for node, classes in self.exclusive.items():
            for kind in classes:
                says = self._says.setdefault(kind, np.zeros(total))
                says += [float(node in self.about[s]) for s in self.statements]

    def is_for_scenario(self, node: URIRef) -> bool:
        """Return whether a node is a scenario or stands for one."""
        meant = {node, *self.stands_for.get(node, ())}
        return any(k.endswith("#Scenario") for m in meant for k in self.exclusive.get(m, ()))

    def credit(self, node: URIRef) -> Vector:
        """Return how far a mention speaks for each statement, from 0 to 1."""
        if node not in self._credit:
            self._credit[node] = np.array([self._credit_of(node, s) for s in self.statements])
        return self._credit[node]

    def _credit_of(self, node: URIRef, statement: URIRef) -> float:
        about = self.about[statement]
        if node in about:
            return 1.0
        if not self.stands_for.get(node, frozenset()).isdisjoint(about):
            return 0.7
        if not self.broader.get(node, frozenset()).isdisjoint(about):
            return 0.4  # the question is narrower: the A100, the statement on GPUs
        if any(node in self.broader.get(n, ()) for n in about):
            return 0.6  # the question is wider: GPUs, the statement on the A100
        return 0.0

    def features(self, nodes: Iterable[URIRef], quantities: Iterable[Quantity]) -> Vector:
        """Return three features for each statement, shape (n_statements, 3).

        Coverage is the share of the mentions, by weight, that the statement is about;
        precision the share of the statement's things that are mentioned; conflict
        counts exclusive things (another scenario, another product) where the statement
        is about a different one. A quantity counts as a mention of the statements that
        have it as a figure.
        """
        known = [n for n in nodes if n in self.covered]
        met, exact = np.zeros(len(self.statements)), np.zeros(len(self.statements))
        asked = 0.0
        for node in known:
            weight = self.weight.get(node, 3.0)
            credit = self.credit(node)
            asked += weight
            met += weight * credit
            exact += weight * (credit == 1.0)
        for found in self._figures(quantities):
            # A figure is as telling as a thing that few statements are about.
            weight = math.log(1 + len(self.statements) / max(1.0, found.sum()))
            asked += weight
            met += weight * found
            exact += weight * found
        # Damped by 1, or one weak mention would count as much as three strong ones.
        coverage = met / (asked + 1.0)
        precision = exact / self._total_weight
        conflict = self._conflict(known)
        return np.column_stack([coverage, precision, conflict])

    def _conflict(self, nodes: list[URIRef]) -> Vector:
        meant = {*nodes, *(s for n in nodes for s in self.stands_for.get(n, ()))}
        conflict = np.zeros(len(self.statements))
        for kind, says in self._says.items():
            asked = [n for n in meant if kind in self.exclusive.get(n, ())]
            if asked:
                agrees = np.max([self.credit(n) == 1.0 for n in asked], axis=0)
                conflict += (says > 0) & ~agrees
        return conflict

    def has_figure(self, quantity: Quantity) -> bool:
        """Return whether a quantity is a figure of any statement."""
        return next(self._figures([quantity]), None) is not None

    def _figures(self, quantities: Iterable[Quantity]) -> Iterator[Vector]:
        """Yield for each quantity of the guide which statements have it as a figure."""
        for quantity in quantities:
            match = np.zeros(len(self.statements))
            for statement, figures in self.figures.items():
                match[self.position[statement]] = any(
                    kind == quantity.kind and quantity.low <= value <= quantity.high
                    for value, kind in figures
                )
            if match.any():
                yield match


def _pairs(
    graph: KnowledgeGraph, query: str, key: str, value: str
) -> dict[URIRef, frozenset[URIRef]]:
    pairs: dict[URIRef, set[URIRef]] = defaultdict(set)
    for row in graph.select(query):
        pairs[URIRef(str(row[key]))].add(URIRef(str(row[value])))
    return {k: frozenset(v) for k, v in pairs.items()}
