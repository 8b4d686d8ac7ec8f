"""Who is compared with whom, and what stands next to what, by the places of mentions."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import URIRef

from assistant import cues
from assistant.linking import Linked, Mention

# How far, in characters, a cue may stand from the thing it is said of.
NEAR = 14
CLOSE = 4


def compares(first: Mention, second: Mention, relation: URIRef, linked: Linked) -> bool:
    """Return whether the first is put above or below the second by a comparative.

    "X is faster than Y" has it between them, "X比Y快" behind both with 比 between.
    """
    found = [c for c in linked.cues if c.node == relation]
    than = any(first.end <= c.start < second.start for c in linked.cues if c.node == cues.THAN)
    between = any(first.end <= c.start and c.end <= second.start for c in found)
    behind = any(0 <= c.start - second.end <= NEAR for c in found)
    return between if linked.language == "en" else than and behind


def is_called(first: Mention, second: Mention, relation: URIRef, linked: Linked) -> URIRef | None:
    """Return which of two things is called a relation (predecessor) of the other, if clear.

    "X is the R of Y", "X is Y's R", "X是Y的R": the first. "The R of X is Y", "X's R is Y",
    "X的R是Y": the second.
    """
    ties = [c for c in linked.cues if c.node == cues.OF]
    for m in linked.things:
        if m.node != relation:
            continue
        tied_behind = any(0 <= c.start - m.end <= 1 for c in ties)
        tied_before = any(0 <= m.start - c.end <= 1 for c in ties)
        if first.end <= m.start and m.end <= second.start:
            return first.node if tied_behind else second.node
        if second.end <= m.start and (tied_before or m.start - second.end <= CLOSE):
            return first.node
        if m.end <= first.start and tied_behind:
            return second.node
    return None


def near(mention: Mention, marks: Iterable[Mention], reach: int = NEAR) -> bool:
    """Return whether a mention stands within so many characters of one of several marks."""
    return any(distance(mention, mark) <= reach for mark in marks)


def distance(one: Mention, other: Mention) -> int:
    """Return the number of characters between two mentions; 0 if they touch or overlap."""
    return max(one.start - other.end, other.start - one.end, 0)
