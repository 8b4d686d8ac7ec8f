"""Binds templates to a question and selects the rows that answer it.

Two kinds of templates: an exhaustive one answers with all its rows (a whole
configuration, a comparison, a list), a focused one with the rows that the ranking
holds likely. Candidates are run before one is chosen: a template whose rows carry
little of the ranking's likelihood does not fit the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from rdflib import URIRef
from rdflib.namespace import OWL
from rdflib.term import Identifier

from assistant.guide_index import GuideIndex
from assistant.linking import Linked
from assistant.ranking import Ranked
from assistant.templates import SINGLE_STATEMENT, Parameter, Template, TemplateLibrary
from kg import KnowledgeGraph, Row

CLASSES_OF = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node ?class WHERE {
  { ?node a/rdfs:subClassOf* ?class } UNION { ?node rdfs:subClassOf* ?class }
  FILTER(STRSTARTS(STR(?class), STR(tw:)))
  FILTER EXISTS { ?class a owl:Class }
}
"""

MOST_BINDINGS = 6
MOST_STATEMENTS = 8
# A further statement joins the best one if it is at least this likely in comparison ...
JOIN_SHARE = 0.35
# ... or if it is about something asked for that no chosen one is about.
COVER_SHARE = 0.02
MOST_JOINED = 3


@dataclass(frozen=True)
class Candidate:
    """A template with its parameters bound, its rows, and how well it fits."""

    template: Template
    bindings: tuple[Mapping[str, URIRef], ...]
    rows: tuple[Row, ...]
    score: float

    @property
    def statements(self) -> list[URIRef]:
        """The statements behind the rows, each once, in the rows' order."""
        return list(dict.fromkeys(URIRef(str(row["statement"])) for row in self.rows))


@dataclass(frozen=True)
class Selected:
    """What is to be said: statements in order, and the query run for them."""

    candidate: Candidate
    statements: tuple[URIRef, ...]


@dataclass(frozen=True)
class TemplateWeights:
    """How the evidence for a template is added up; fitted on example questions."""

    similarity: float = 6.0
    cue: float = 1.0
    likelihood: float = 1.5
    parameter: float = 0.4
    exhaustive: float = -1.2
    size: float = 0.35


class Selector:
    """Finds the statements that answer a question, and the query that yields them."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        guide: GuideIndex,
        library: TemplateLibrary,
        weights: TemplateWeights | None = None,
    ) -> None:
        self._graph = graph
        self._guide = guide
        self._templates = [t for t in library.templates.values() if t.query]
        self._single = library.templates[SINGLE_STATEMENT]
        self._weights = weights or TemplateWeights()
        self._classes: dict[URIRef, set[URIRef]] = {}
        for row in graph.select(CLASSES_OF):
            node = URIRef(str(row["node"]))
            self._classes.setdefault(node, set()).add(URIRef(str(row["class"])))

    def select(self, linked: Linked, ranked: Ranked) -> Selected:
        """Return the statements that answer a question, best first."""
        focus = self.focus(linked, ranked)
        best = max(self.candidates(linked, ranked), key=lambda c: c.score, default=None)
        if best is not None and best.template.exhaustive:
            return Selected(best, tuple(self._ordered(best, ranked)))
        single = self._run(self._single, [{"statement": s} for s in focus])
        fitting = [
            c
            for c in self.candidates(linked, ranked)
            if not c.template.exhaustive and set(focus) <= set(c.statements)
        ]
        chosen = max(fitting, key=lambda c: c.score, default=None)
        return Selected(chosen or Candidate(self._single, *single, 0.0), tuple(focus))

    def focus(self, linked: Linked, ranked: Ranked) -> list[URIRef]:
        """Return the likeliest statements: the best, its equals, and what covers the rest."""
        order = sorted(range(len(ranked.statements)), key=lambda i: -ranked.statements[i])
        best = ranked.statements[order[0]]
        chosen = [order[0]]
        for i in order[1:MOST_JOINED]:
            if ranked.statements[i] >= JOIN_SHARE * best:
                chosen.append(i)
        open_nodes = self._uncovered(linked, chosen)
        for i in order[1 : 4 * MOST_STATEMENTS]:
            if len(chosen) >= MOST_STATEMENTS or not open_nodes:
                break
            if i in chosen or ranked.statements[i] < COVER_SHARE * best:
                continue
            if any(self._guide.credit(n)[i] == 1.0 for n in open_nodes):
                chosen.append(i)
                open_nodes = self._uncovered(linked, chosen)
        return [self._guide.statements[i] for i in chosen]

    def _uncovered(self, linked: Linked, chosen: list[int]) -> list[URIRef]:
        """Return the parts and products asked for that no chosen statement is about."""
        wanted = {
            n
            for n in linked.nodes
            if n in self._guide.covered and (n in self._guide.parts or n in self._guide.exclusive)
        }
        return [n for n in wanted if max(self._guide.credit(n)[i] for i in chosen) < 0.6]

    def candidates(self, linked: Linked, ranked: Ranked) -> list[Candidate]:
        """Return every template whose parameters the mentions can fill, run and scored."""
        found = []
        for template in self._templates:
            bindings = list(self._bindings(template, linked))
            if bindings and template is not self._single:
                bound, rows = self._run(template, bindings[:MOST_BINDINGS])
                if rows:
                    found.append(self._scored(template, bound, rows, linked, ranked))
        return found

    def _bindings(self, template: Template, linked: Linked) -> Iterator[dict[str, URIRef]]:
        names, choices = [], []
        for parameter in template.parameters:
            nodes = self._fitting(parameter, linked)
            if nodes:
                names.append(parameter.name)
                choices.append(nodes)
            elif parameter.required:
                return
        for nodes in product(*choices):
            if len(set(nodes)) == len(nodes):
                yield dict(zip(names, nodes, strict=True))

    def _fitting(self, parameter: Parameter, linked: Linked) -> list[URIRef]:
        meant = [
            node
            for m in linked.things
            for node in (m.node, *sorted(self._guide.stands_for.get(m.node, ())))
        ]
        kind = parameter.node_class
        return list(dict.fromkeys(n for n in meant if self._is(n, kind)))

    def _is(self, node: URIRef, kind: URIRef | None) -> bool:
        if kind is None:
            return node in self._guide.weight
        if kind == OWL.Class:
            return "/ontology#" in node
        return kind in self._classes.get(node, ())

    def _run(
        self, template: Template, bindings: list[dict[str, URIRef]]
    ) -> tuple[tuple[Mapping[str, URIRef], ...], tuple[Row, ...]]:
        assert template.query is not None
        rows: list[Row] = []
        for bound in bindings:
            terms: dict[str, Identifier] = dict(bound)
            rows += [r for r in self._graph.select(template.query, terms) if r not in rows]
        return tuple(bindings), tuple(rows)

    def _scored(
        self,
        template: Template,
        bindings: tuple[Mapping[str, URIRef], ...],
        rows: tuple[Row, ...],
        linked: Linked,
        ranked: Ranked,
    ) -> Candidate:
        w = self._weights
        candidate = Candidate(template, bindings, rows, 0.0)
        positions = [self._guide.position[s] for s in candidate.statements]
        likelihood = float(sum(ranked.statements[i] for i in positions))
        cued = bool(template.cues & (linked.nodes | linked.cue_nodes))
        score = (
            w.similarity * ranked.templates.get(template.name, 0.0)
            + w.cue * cued
            + w.likelihood * math.log(likelihood + 0.01)
            + w.parameter * len(bindings[0])
            + w.exhaustive * template.exhaustive
            - w.size * math.log(len(positions))
        )
        return Candidate(template, bindings, rows, score)

    def _ordered(self, candidate: Candidate, ranked: Ranked) -> list[URIRef]:
        return candidate.statements[:MOST_STATEMENTS]
