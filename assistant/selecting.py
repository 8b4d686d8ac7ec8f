"""Binds templates to a question and selects the rows that answer it.

Two kinds of templates: an exhaustive one answers with all its rows (a whole
configuration, a comparison, a list), a focused one with the rows that the ranking
holds likely. Candidates are run before one is chosen: a template whose rows carry
little of the ranking's likelihood does not fit the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rdflib import URIRef
from rdflib.namespace import OWL
from rdflib.term import Identifier

from assistant.conversation import Reading
from assistant.guide_index import GuideIndex
from assistant.linking import Linked
from assistant.ranking import SHORT, Ranked
from assistant.templates import SINGLE_STATEMENT, Parameter, Template, TemplateLibrary
from kg import KnowledgeGraph, Row

CLASSES_OF = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node ?class WHERE {
  { ?node a/rdfs:subClassOf* ?class }
  UNION { ?node rdfs:subClassOf* ?class . ?class rdfs:subClassOf* tw:Part }
  FILTER(STRSTARTS(STR(?class), STR(tw:)))
  FILTER EXISTS { ?class a owl:Class }
}
"""

PART = URIRef("https://w3id.org/trainwright/ontology#Part")
MOST_BINDINGS = 6
MOST_STATEMENTS = 8
MOST_FOCUSED = 5
# So many kinds of parts in one question are a list, each of which wants its statement.
ENUMERATED = 3
# From this credit on a statement counts as being about a thing.
ABOUT = 0.6
LISTED_SHARE = 0.003
MOST_PER_THING = 6
# A further statement joins the best one if it is at least this likely in comparison ...
JOIN_SHARE = 0.12
# ... much less if only a thing is named: "NVMe", "and the V100?" ask for all of it.
BARE_SHARE = 0.02
MOST_JOINED = 3
# ... or if it is about something telling that no chosen one is about, and this likely.
COVER_SHARE = 0.015
TELLING = 2.2
# A bare list of names does not stand in for a statement this likely.
LEAD_SHARE = 0.2
# A focused template lends its name and query if its examples come this near the nearest.
NEAR_TEMPLATE = -0.25
# A part asked for beside others gets a statement at least this likely.
OPEN_SHARE = 0.0005
# Of several things compared, each is spoken for by statements this likely for that thing.
THING_SHARE = 0.04


@dataclass(frozen=True)
class Candidate:
    """A template with its parameters bound, its rows, and what it would answer.

    `statements` are the ones to be said. `similarity` is that of the template's examples
    below the nearest template's; `support` the likelihood of the statements to be said
    over that of the ranking's own choice; `cued` whether a cue of the template is there;
    `explains` whether nothing is mentioned that the template has no use for.
    """

    template: Template
    bindings: tuple[Mapping[str, URIRef], ...]
    rows: tuple[Row, ...]
    statements: tuple[URIRef, ...]
    similarity: float
    support: float
    cued: bool
    explains: bool


@dataclass(frozen=True)
class Gate:
    """What a template that lists must show before it replaces the likeliest statements.

    Fitted on example questions, template by template (`make encoder`).
    """

    similarity: float
    support: float
    cue: bool

    def admits(self, candidate: Candidate) -> bool:
        """Return whether a candidate is near, supported and, where needed, cued.

        One that is cued and explains every mention needs no support.
        """
        if candidate.cued and candidate.explains and candidate.similarity >= NEAR_TEMPLATE:
            return True
        return (
            candidate.similarity >= self.similarity
            and candidate.support >= self.support
            and (candidate.cued or not self.cue)
        )


class Selector:
    """Finds the statements that answer a question, and the query that yields them."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        guide: GuideIndex,
        library: TemplateLibrary,
        gates: Mapping[str, Gate],
    ) -> None:
        self.library = library
        self._graph = graph
        self._guide = guide
        self._templates = [t for _, t in sorted(library.templates.items()) if t.query]
        self._single = library.templates[SINGLE_STATEMENT]
        self._gates = gates
        self._classes: dict[URIRef, set[URIRef]] = {}
        for row in graph.select(CLASSES_OF):
            node = URIRef(str(row["node"]))
            self._classes.setdefault(node, set()).add(URIRef(str(row["class"])))

    def select(self, reading: Reading, ranked: Ranked) -> Candidate:
        """Return what answers a question best; templates that cannot win are not run."""
        focus = self._focus(reading, ranked)
        nearest = sorted(self._templates, key=lambda t: -self._similarity(t, ranked))
        listing = [
            c
            for template in nearest
            if template.name in self._gates and self._may_list(template, reading, ranked)
            if (c := self._candidate(template, focus, reading, ranked)) is not None
            and self._gates[template.name].admits(c)
        ]
        if listing:
            return listing[0]
        # Focused templates say the same statements; which one lends the query and the form of
        # the answer is decided by its cue, then by its examples.
        cued = [t for t in nearest if t.cues and self._cued(t, reading.linked)]
        for template in [*cued, *(t for t in nearest if not t.cues)]:
            if template.selection != "Focused" or template is self._single:
                continue
            if self._similarity(template, ranked) < NEAR_TEMPLATE:
                continue
            if (found := self._candidate(template, focus, reading, ranked)) is not None:
                return found
        return self.plain(focus, self._similarity(self._single, ranked))

    def candidates(self, reading: Reading, ranked: Ranked) -> list[Candidate]:
        """Return every template that the question can fill, run; the plain one first."""
        focus = self._focus(reading, ranked)
        found = (
            self._candidate(t, focus, reading, ranked)
            for t in self._templates
            if t is not self._single
        )
        return [
            self.plain(focus, self._similarity(self._single, ranked)),
            *(c for c in found if c is not None),
        ]

    def _may_list(self, template: Template, reading: Reading, ranked: Ranked) -> bool:
        """Return whether a template could pass its gate, by what is known before it runs."""
        gate = self._gates[template.name]
        cued = self._cued(template, reading.linked)
        near = self._similarity(template, ranked)
        return near >= (min(gate.similarity, NEAR_TEMPLATE) if cued else gate.similarity) and (
            cued or not gate.cue
        )

    def _similarity(self, template: Template, ranked: Ranked) -> float:
        nearest = max(ranked.templates.values(), default=0.0)
        return ranked.templates.get(template.name, -0.1) - nearest

    def _cued(self, template: Template, linked: Linked) -> bool:
        return bool(template.cues & (linked.nodes | linked.cue_nodes))

    def _focus(self, reading: Reading, ranked: Ranked) -> list[URIRef]:
        """Return the likeliest statements: the best, its equals, and what covers the rest."""
        linked = reading.linked
        order = ranked.statements.argsort()[::-1].tolist()
        best = ranked.statements[order[0]]
        bare = self.bare(reading)
        if bare is None:
            joined = [i for i in order[1:MOST_JOINED] if ranked.statements[i] >= JOIN_SHARE * best]
        else:
            credit = self._guide.credit(bare)
            joined = [
                i
                for i in order[1:]
                if ranked.statements[i] >= BARE_SHARE * best and credit[i] >= ABOUT
            ][: MOST_JOINED - 1]
        chosen = order[:1] + joined
        telling = [n for n in linked.nodes if self._guide.weight.get(n, 0.0) >= TELLING]
        enough = COVER_SHARE if len(telling) < ENUMERATED else LISTED_SHARE
        while len(chosen) < MOST_FOCUSED:
            missing = self._uncovered(linked, chosen)
            covering = [
                i
                for i in order
                if ranked.statements[i] >= enough
                and any(self._guide.credit(n)[i] == 1.0 for n in missing)
            ]
            if not covering:
                break
            chosen.append(covering[0])
        return [self._guide.statements[i] for i in chosen]

    def bare(self, reading: Reading) -> URIRef | None:
        """Return the one thing a question names if it says nothing else, or None."""
        own = {m.node for m in reading.own.things}
        if len(own) == 1 and own <= self._guide.covered and len(reading.own.asked) <= SHORT:
            return next(iter(own))
        return None

    def _uncovered(self, linked: Linked, chosen: list[int]) -> list[URIRef]:
        """Return the telling things asked for that no chosen statement is about."""
        parts = linked.nodes & self._guide.parts
        enumerated = parts if len(parts) >= ENUMERATED else frozenset()
        return [
            n
            for n in linked.nodes
            if (self._guide.weight.get(n, 0.0) >= TELLING or n in enumerated)
            and max(self._guide.credit(n)[i] for i in chosen) < ABOUT
        ]

    def _per_thing(self, rows: Sequence[Row], ranked: Ranked) -> list[URIRef]:
        """Return statements about several of the things, and the likeliest about each alone."""
        about: dict[URIRef, set[Identifier]] = {}
        for row in rows:
            about.setdefault(URIRef(str(row["statement"])), set()).add(row["thing"])
        things = list(dict.fromkeys(row["thing"] for row in rows))
        limit = 3 if len(things) <= 2 else 2
        chosen = [s for s, of in about.items() if len(of) > 1]
        for thing in things:
            alone = [s for s, of in about.items() if of == {thing}]
            alone.sort(key=lambda s: -self._chance(ranked, s))
            chosen += [
                s
                for s in alone[:limit]
                if self._chance(ranked, s) >= THING_SHARE * self._chance(ranked, alone[0])
            ]
        by_chance = sorted(chosen, key=lambda s: -self._chance(ranked, s))
        return by_chance[:MOST_PER_THING]

    def _chance(self, ranked: Ranked, statement: URIRef) -> float:
        return float(ranked.statements[self._guide.position[statement]])

    def _for_open_parts(self, said: list[URIRef], reading: Reading, ranked: Ranked) -> list[URIRef]:
        """Return the likeliest statement for each part asked for of which nothing is said yet."""
        more: list[URIRef] = []
        for node in sorted(reading.linked.nodes & self._guide.parts):
            credit = self._guide.credit(node)
            positions = [self._guide.position[s] for s in [*said, *more]]
            if len(positions) >= MOST_STATEMENTS or max(credit[i] for i in positions) >= 0.4:
                continue
            best = max(range(len(credit)), key=lambda i: credit[i] * ranked.statements[i])
            if credit[best] and ranked.statements[best] >= OPEN_SHARE:
                more.append(self._guide.statements[best])
        return more

    def _said(
        self,
        template: Template,
        rows: Sequence[Row],
        focus: list[URIRef],
        ranked: Ranked,
        certain: bool,
    ) -> list[URIRef]:
        """Return the statements a template would answer with; none if it does not fit.

        Args:
            template: The template that was run.
            rows: Its rows.
            focus: What the ranking alone would say.
            ranked: The ranking.
            certain: Whether the question asks for just what the template lists.
        """
        statements = list(dict.fromkeys(URIRef(str(row["statement"])) for row in rows))
        if template.selection == "Focused":
            return focus if set(focus) <= set(statements) else []
        said = (
            statements[:MOST_STATEMENTS]
            if template.selection == "Exhaustive"
            else self._per_thing(rows, ranked)
        )
        # What the question most likely asks for is not left out for a list's sake.
        unsaid = [s for s in focus if s not in said]
        leads = [s for s in unsaid if self._chance(ranked, s) >= LEAD_SHARE]
        if "{statements}" not in template.patterns["en"]:
            return [] if leads else said
        return [*(leads if certain else unsaid), *said][:MOST_STATEMENTS]

    def plain(self, statements: Sequence[URIRef], similarity: float = 0.0) -> Candidate:
        """Return the candidate that says just some statements."""
        bindings, rows = self._run(self._single, [{"statement": s} for s in statements])
        said = tuple(statements)
        return Candidate(self._single, bindings, rows, said, similarity, 1.0, False, False)

    def _candidate(
        self, template: Template, focus: list[URIRef], reading: Reading, ranked: Ranked
    ) -> Candidate | None:
        """Return a template bound to a question and run; None if it does not fit."""
        linked = reading.linked
        filled = list(self._bindings(template, linked))[:MOST_BINDINGS]
        if not filled or (template.selection == "PerThing" and len(filled) < 2):
            return None
        bindings, rows = self._run(template, filled)
        cued = self._cued(template, linked)
        explains = self._explains(template, bindings, rows, linked)
        said = self._said(template, rows, focus, ranked, cued and explains)
        if not said:
            return None
        said += self._for_open_parts(said, reading, ranked)
        likelihood = sum(self._chance(ranked, s) for s in said)
        own = sum(self._chance(ranked, s) for s in focus)
        return Candidate(
            template,
            bindings,
            rows,
            tuple(said),
            self._similarity(template, ranked),
            likelihood / own,
            cued,
            explains,
        )

    def _explains(
        self,
        template: Template,
        bindings: Sequence[Mapping[str, URIRef]],
        rows: Sequence[Row],
        linked: Linked,
    ) -> bool:
        used = {node for bound in bindings for node in bound.values()}
        used |= {n for row in rows for n in row.values() if isinstance(n, URIRef)} | template.cues
        known = [n for n in linked.nodes if n in self._guide.covered]
        return bool(known) and all(
            n in used or not self._guide.stands_for.get(n, frozenset()).isdisjoint(used)
            for n in known
        )

    def _bindings(self, template: Template, linked: Linked) -> Iterator[dict[str, URIRef]]:
        if self._excluded(linked, template.excludes):
            return
        if template.needs and not self._mentions(linked, template.needs):
            return
        names, choices = [], []
        for parameter in template.parameters:
            nodes = self._fitting(parameter, linked)
            if nodes:
                names.append(parameter.name)
                choices.append(nodes)
            elif parameter.required:
                return
        for chosen in product(*choices):
            if len(set(chosen)) == len(chosen):
                yield dict(zip(names, chosen, strict=True))

    def _mentions(self, linked: Linked, nodes: Iterable[URIRef]) -> bool:
        """Return whether a question mentions one of several things, or a member of classes."""
        return any(m.node == n or self._is(m.node, n) for m in linked.things for n in nodes)

    def _excluded(self, linked: Linked, classes: Iterable[URIRef]) -> bool:
        """Return whether a question mentions a particular member or subclass of classes."""
        return any(m.node != c and self._is(m.node, c) for m in linked.things for c in classes)

    def _fitting(self, parameter: Parameter, linked: Linked) -> list[URIRef]:
        meant = [
            node
            for m in linked.things
            for node in (m.node, *sorted(self._guide.stands_for.get(m.node, ())))
        ]
        kind = parameter.node_class
        if kind == PART:  # a kind of part; a product stands for its kind
            kinds = [c for n in meant for c in ([n] if "/ontology#" in n else self._kinds_of(n))]
            return list(dict.fromkeys(k for k in kinds if self._is(k, PART) and k != PART))
        return list(dict.fromkeys(n for n in meant if self._is(n, kind)))

    def _kinds_of(self, node: URIRef) -> list[URIRef]:
        """Return the kinds of part a product or technology is, the narrowest first."""
        kinds = self._guide.broader.get(node, frozenset())
        return sorted(
            (k for k in kinds if "/ontology#" in k), key=lambda k: -len(self._classes.get(k, ()))
        )[:1]

    def _is(self, node: URIRef, kind: URIRef | None) -> bool:
        if kind is None:
            return self._guide.weight.get(node, 0.0) >= TELLING or node in self._guide.parts
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
