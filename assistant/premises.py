"""Holds what a question asserts against the graph.

A question asserts something if a cue says so (right?, why does the guide say,
given that ...). What it asserts is read from its mentions: a number, an order of
two things, a value, a restriction, a level. Each is set against the claims of the
graph; there is no list of wrong sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rdflib import URIRef

from assistant import cues
from assistant.claims import GuideClaims, GuideFigure
from assistant.guide_index import GuideIndex
from assistant.linking import Linked, Mention, Quantity
from assistant.word_order import CLOSE, NEAR, compares, distance, is_called, near
from kg import KnowledgeGraph

TW = "https://w3id.org/trainwright/ontology#"
TWD = "https://w3id.org/trainwright/data/"

ASSERTS = frozenset({cues.CONFIRMATION, cues.GIVEN, cues.REASON, cues.ATTRIBUTION})
INSISTS = frozenset({cues.CONFIRMATION, cues.GIVEN, cues.ATTRIBUTION})
PREDECESSOR, SUCCESSOR = URIRef(f"{TWD}predecessor"), URIRef(f"{TWD}successor")
MINIMUM = URIRef(f"{TWD}minimum")
PIECES = URIRef("http://qudt.org/vocab/quantitykind/Dimensionless")

# How far, in characters, a denial or an "every" may stand from what it is said of.
REACH = 30
FAR_REACH = 60
# A yes/no question this short is about the number in it.
SHORT = 30
# A tebibyte is a tenth more than a terabyte.
BINARY_SLACK = 0.1
# Weight of a thing that one or two statements are about.
RARE = 3.2


@dataclass(frozen=True)
class Contradiction:
    """What is wrong with a question: a message key, its fields, the statement that shows it."""

    message: str
    fields: Mapping[str, object]
    statement: URIRef


class PremiseChecker:
    """Finds what a question asserts against the graph."""

    def __init__(self, graph: KnowledgeGraph, guide: GuideIndex) -> None:
        self._guide = guide
        known = GuideClaims.of(graph)
        self._claims, self._figures = known.claims, known.figures
        self._conditional, self._models = known.conditional, known.models

    def check(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Return what a question asserts wrongly, or None.

        Args:
            linked: The question with its mentions.
            likely: The statements that answer it, best first.
        """
        asserts = bool(linked.cue_nodes & ASSERTS)
        yes_no = cues.YES_NO in linked.cue_nodes
        if not asserts and not yes_no:
            return None
        checks: list[Callable[[Linked, Sequence[URIRef]], Contradiction | None]] = [
            self._order,
            self._only,
            self._every,
        ]
        if asserts:
            checks += [self._number, self._level, self._value]
        elif len(linked.asked) <= SHORT and {cues.AT_LEAST, MINIMUM} & (
            linked.cue_nodes | linked.nodes
        ):
            checks.append(self._number)  # "is 256 GB the minimum?"
        if linked.cue_nodes & INSISTS:
            checks.append(self._forbids)
        for check in checks:
            if (found := check(linked, likely)) is not None:
                return found
        return None

    def sufficiency(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Return whether an amount asked about suffices, as a message; None if not asked."""
        if cues.SUFFICIENCY not in linked.cue_nodes:
            return None
        for quantity in linked.quantities:
            for figure in self._figures_for(linked, likely, quantity)[:1]:
                if figure.low is None and figure.kind != PIECES:
                    enough = quantity.low >= figure.value or _same(quantity, figure)
                    key = "enough" if enough else "not-enough"
                    return Contradiction(key, {"given": quantity.spoken}, figure.statement)
        return None

    def _number(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        for quantity in linked.quantities:
            figures = self._figures_for(linked, likely, quantity)
            if not figures or any(_same(quantity, f) for f in figures):
                continue
            figure = figures[0]
            probable = next((f for f in figures if _is_probable(quantity, f)), None)
            if probable is not None:
                fields = {
                    "literal": f"{probable.value:g}",
                    "low": f"{probable.low:g}",
                    "high": f"{probable.high:g}",
                }
                return Contradiction("premise-damaged", fields, probable.statement)
            return Contradiction("premise-number", {"given": quantity.spoken}, figure.statement)
        return None

    def _figures_for(
        self, linked: Linked, likely: Sequence[URIRef], quantity: Quantity
    ) -> list[GuideFigure]:
        """Return the figures a quantity of a question is to be held against.

        They measure the same kind of thing of the part that is named. Where a scenario, a
        product or a special condition is named, they are about it; a figure for a special
        condition that is not named is left aside.
        """
        parts = [n for n in linked.nodes if n in self._guide.parts]
        fitting = [
            s
            for s in likely
            if not parts
            or any(self._guide.credit(n)[self._guide.position[s]] >= 0.6 for n in parts)
        ]
        named = {n for n in linked.nodes if self._guide.exclusive.get(n) or self._is_rare(n)}
        named |= {s for n in linked.nodes for s in self._guide.stands_for.get(n, ())}
        about_named = [s for s in fitting if named & self._guide.about[s]]
        figures = self._figures_of(about_named, quantity)
        if figures or any(self._guide.is_for_scenario(n) for n in named):
            return figures  # what holds in general says nothing of a scenario
        plain = [s for s in fitting if s not in self._conditional]
        return self._figures_of(plain, quantity) or self._figures_of(fitting, quantity)

    def _is_rare(self, node: URIRef) -> bool:
        return self._guide.weight.get(node, 0.0) >= RARE

    def _figures_of(self, statements: Sequence[URIRef], quantity: Quantity) -> list[GuideFigure]:
        return [
            f
            for s in statements
            for f in self._figures
            if f.statement == s and f.kind == quantity.kind
        ]

    def _order(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Two things of which the graph knows the order, in the question the other way round.

        Only a plain sentence is judged: with a negation, a passive or "compared with" it is
        open which of the two is said to be ahead, and nothing is better than a wrong no.
        """
        if linked.cue_nodes & {cues.CHOICE, cues.ASIDE, cues.PROHIBITION}:
            return None
        for claim in self._claims:
            name = claim.property.rsplit("#", 1)[-1]
            pair = [m for m in linked.things if m.node in (claim.subject, claim.value)][:2]
            if name not in ("slightlyInferiorTo", "predecessorOf") or len(pair) != 2:
                continue
            first, second = pair
            if first.node == second.node:
                continue
            fields = {"first": claim.subject, "second": claim.value}
            if name == "slightlyInferiorTo":
                greater = compares(first, second, cues.GREATER, linked)
                lower = compares(first, second, cues.LOWER, linked)
                lesser_first = first.node == claim.subject
                if (greater and lesser_first) or (lower and not lesser_first):
                    return Contradiction("premise-comparison", fields, claim.statement)
            elif (
                is_called(first, second, PREDECESSOR, linked) == claim.value
                or is_called(first, second, SUCCESSOR, linked) == claim.subject
            ):
                return Contradiction("premise-order", fields, claim.statement)
        return None

    def _denied(self, linked: Linked) -> bool:
        return cues.PROHIBITION in linked.cue_nodes

    def _only(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """One of several options, said to be the only one."""
        marks = [c for c in linked.cues if c.node == cues.EXCLUSIVE]
        for claim in self._claims:
            if not claim.property.endswith("#recommendedOption") or not marks:
                continue
            if "/data/" not in claim.value:
                continue
            others = [
                c
                for c in self._claims
                if c.statement == claim.statement != c
                and c.property == claim.property
                and c.value != claim.value
            ]
            for mention in linked.things:
                if mention.node == claim.value and others and near(mention, marks):
                    return Contradiction("premise-only", {"given": claim.value}, claim.statement)
        return None

    def _every(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Something said to hold without exception of a thing that has limits."""
        marks = [c for c in linked.cues if c.node == cues.UNIVERSAL]
        if cues.CHOICE in linked.cue_nodes:
            return None
        spoken_of = {m.node for m in linked.things if near(m, marks, FAR_REACH)}
        limits = [
            c
            for c in self._claims
            if c.subject in spoken_of
            and c.property.rsplit("#", 1)[-1] in ("hasLimitation", "mayImprove")
        ]
        limits.sort(key=lambda c: likely.index(c.statement) if c.statement in likely else 99)
        return Contradiction("premise-every", {}, limits[0].statement) if limits else None

    def _level(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Something called low that the graph calls high, or the other way round."""
        levelled = {c.value for c in self._claims if c.level is not None}
        mentions = [m for m in linked.things if m.node in levelled]
        marks = [c for c in linked.cues if c.node in (cues.HIGH, cues.LOW)]
        for cue in marks:
            # Each is the other's nearest: "high bandwidth, low latency" are two pairs.
            closest = min(mentions, key=lambda m: distance(m, cue), default=None)
            if closest is None or distance(closest, cue) > NEAR:
                continue
            if min(marks, key=lambda c: distance(closest, c)) is not cue:
                continue
            said = URIRef(TW + ("High" if cue.node == cues.HIGH else "Low"))
            for claim in self._claims:
                meant = claim.value == closest.node and claim.statement in likely[:3]
                if meant and claim.level not in (None, said):
                    return Contradiction("premise-level", {}, claim.statement)
        return None

    def _value(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """A thing put with a value (scenario, role, segment, deployment) that is another's.

        Of several values of a class, a thing is held against the one nearest to it.
        """
        if self._denied(linked) or cues.CHOICE in linked.cue_nodes:
            return None
        contrasts = [c for c in linked.cues if c.node == cues.CONTRAST]
        said = [
            m for m in linked.things if not any(0 <= m.start - c.end <= CLOSE for c in contrasts)
        ]
        values: dict[URIRef, list[tuple[Mention, URIRef]]] = {}
        for mention in said:
            for node in (mention.node, *self._guide.stands_for.get(mention.node, ())):
                for kind in self._guide.exclusive.get(node, frozenset()):
                    if not kind.endswith("#Accelerator"):
                        values.setdefault(kind, []).append((mention, node))
        for kind, found in values.items():
            for mention in said:
                if kind in self._guide.exclusive.get(mention.node, ()):
                    continue
                others = [(m, v) for m, v in found if m.start != mention.start]
                if not others:
                    continue
                placed, nearest = min(others, key=lambda pair: distance(mention, pair[0]))
                rivals = [
                    m
                    for m in said
                    if m.node != mention.node
                    and m.start != placed.start
                    and self._holds(m.node, kind)
                ]
                if any(distance(m, placed) < distance(mention, placed) for m in rivals):
                    continue  # the value is said of something else
                if wrong := self._misplaced(mention.node, nearest, kind):
                    return wrong
        return None

    def _misplaced(self, thing: URIRef, value: URIRef, kind: URIRef) -> Contradiction | None:
        fields = {"thing": thing, "given": value}
        instead: URIRef | None = None
        for part in self._guide.broader.get(thing, frozenset()):
            if models := self._models.get((value, part)):
                if any(thing in named for named in models.values()):
                    return None
                instead = next(iter(models))
        holds = self._holds(thing, kind)
        recommended = any(
            c.property.endswith("#recommendedOption") and c.value == thing for c in self._claims
        )
        if recommended and kind.endswith("#Scenario") and instead is None:
            return None  # recommended to everyone, whatever one scenario has
        if value in holds:
            return None
        # Where the thing does belong says more than what stands in its place.
        shown = next(iter(holds.values()), instead)
        return Contradiction("premise-value", fields, shown) if shown else None

    def _holds(self, thing: URIRef, kind: URIRef) -> dict[URIRef, URIRef]:
        """Return the members of an exclusive class a thing goes with, and the statements."""
        narrower = {thing, *(n for n, wide in self._guide.broader.items() if thing in wide)}
        return {
            other: claim.statement
            for claim in self._claims
            for one, other in ((claim.subject, claim.value), (claim.value, claim.subject))
            if one in narrower and kind in self._guide.exclusive.get(other, ())
        }

    def _forbids(self, linked: Linked, likely: Sequence[URIRef]) -> Contradiction | None:
        """Something said to be ruled out or unimportant that the guide speaks for."""
        marks = [c for c in linked.cues if c.node == cues.PROHIBITION]
        for claim in self._claims:
            if not marks or not likely or claim.statement not in likely[:2]:
                continue
            if claim.property.rsplit("#", 1)[-1] in ("hasLimitation", "slightlyInferiorTo"):
                continue
            for mention in linked.things:
                if mention.node in (claim.subject, claim.value) and near(mention, marks, REACH):
                    return Contradiction(
                        "premise-forbids", {"thing": mention.node}, claim.statement
                    )
        return None


def _same(quantity: Quantity, figure: GuideFigure) -> bool:
    """Return whether a quantity is a figure; 1024 for 1000 is the same amount of data."""
    slack = 0.0 if figure.kind == PIECES else BINARY_SLACK * figure.value
    within = quantity.low - slack <= figure.value <= quantity.high + slack
    return within and quantity.high < 2 * figure.value + 1


def _is_probable(quantity: Quantity, figure: GuideFigure) -> bool:
    """Return whether a quantity lies in the probable reading of a damaged figure."""
    if figure.low is None or figure.high is None:
        return False
    return figure.low <= quantity.low <= quantity.high <= figure.high
