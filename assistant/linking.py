"""Finds what a question mentions: things, cues, and quantities with units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rdflib import URIRef

from assistant import cues
from assistant.lexicon import Found, Lexicon
from assistant.normalisation import han_share, has_han, normalise
from kg import KnowledgeGraph

# Number words this close together are one number.
LONGEST_GAP = 16

ONE = URIRef("http://qudt.org/vocab/unit/NUM")

UNITS = """
PREFIX qudt: <http://qudt.org/schema/qudt/>
SELECT ?unit ?kind ?multiplier ?symbol WHERE {
  ?unit a qudt:Unit ; qudt:hasQuantityKind ?kind ; qudt:conversionMultiplier ?multiplier ;
        qudt:symbol ?symbol .
}
"""
NUMBERS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?word ?value WHERE { ?word a tw:NumberWord ; tw:numberValue ?value }
"""

_DIGITS = r"\d{1,3}(?:,\d{3})+|\d{1,15}(?:\.\d{1,6})?"
_NUMBER = re.compile(
    rf"(?<![a-z\d./-])(?<!\d,)({_DIGITS})(?:\s*(?:[-~–—到至]|to|or)\s*({_DIGITS}))?(?!\.?\d|[,/]\d|e\d)"
)
# Shaped like a product number: letters and digits in one word (h100, mi300x, 910b).
_DESIGNATOR = re.compile(
    r"(?<![a-z0-9.])(?:(?=[a-z]*\d)(?=\d*[a-z])[a-z]{0,6}\d{2,5}[a-z]{0,4}|[a-z]{3,4} \d{4})"
    r"(?![a-z0-9])"
)


@dataclass(frozen=True)
class Mention:
    """A thing or cue that the question names, at [start, end) of the linked text."""

    start: int
    end: int
    text: str
    node: URIRef


@dataclass(frozen=True)
class Quantity:
    """A number with its unit; `high` differs from `low` where a range is given.

    `spoken` is how it reads in an answer (64 GB). `low` and `high` are in
    the unit's base (bytes, bits per second, pieces), by its conversion multiplier, so
    that 1 TB equals 1000 GB.
    """

    start: int
    end: int
    text: str
    low: float
    high: float
    unit: URIRef
    kind: URIRef
    spoken: str


@dataclass(frozen=True)
class Linked:
    """A question and everything found in it."""

    question: str
    text: str
    language: str
    things: tuple[Mention, ...]
    cues: tuple[Mention, ...]
    quantities: tuple[Quantity, ...]
    designators: tuple[str, ...]

    @cached_property
    def nodes(self) -> frozenset[URIRef]:
        """The things mentioned, each once."""
        return frozenset(m.node for m in self.things)

    @cached_property
    def cue_nodes(self) -> frozenset[URIRef]:
        """The meanings of the cues, each once."""
        return frozenset(m.node for m in self.cues)

    @cached_property
    def asked(self) -> str:
        """The text without "the guide says" and the like, which says nothing of what is asked."""
        text = self.text
        for cue in reversed(self.cues):
            if cue.node == cues.ATTRIBUTION:
                text = text[: cue.start] + " " + text[cue.end :]
        text = " ".join(text.split())
        return text if len(text) > 3 else self.text

    def as_detail(self) -> dict[str, Any]:
        """Return what was understood, as plain data."""
        return {
            "text": self.text,
            "mentions": [{"text": m.text, "node": str(m.node)} for m in self.things],
            "cues": [{"text": m.text, "node": str(m.node)} for m in self.cues],
            "quantities": [
                {"text": q.text, "low": q.low, "high": q.high, "unit": str(q.unit)}
                for q in self.quantities
            ],
            "unknown_names": list(self.designators),
        }


class Linker:
    """Links questions to the nodes of a graph."""

    def __init__(self, graph: KnowledgeGraph, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._units = {
            URIRef(str(r["unit"])): (
                URIRef(str(r["kind"])),
                float(r["multiplier"]),
                str(r["symbol"]),
            )
            for r in graph.select(UNITS)
        }
        self._longest_unit = max(map(len, lexicon.names["unit"]), default=0)
        self._numbers = {URIRef(str(r["word"])): int(r["value"]) for r in graph.select(NUMBERS)}

    def prepare(self, question: str) -> str:
        """Return the text that is encoded: normalised, slips put right, without attribution."""
        return self.link(question).asked

    def link(self, question: str) -> Linked:
        """Return the mentions of a question; nothing found is an empty result, no error."""
        text = self.lexicon.corrected(normalise(question))
        marks = tuple(_mention(text, f) for f in self.lexicon.find(text, "cue"))
        # "the guide says" attributes; it is not a question about the guide.
        said = {i for m in marks if m.node == cues.ATTRIBUTION for i in range(m.start, m.end)}
        things = tuple(
            _mention(text, f) for f in self.lexicon.find(text, "thing") if f.start not in said
        )
        quantities = tuple(self._quantities(text, things))
        spans = [(m.start, m.end) for m in things] + [(q.start, q.end) for q in quantities]
        covered = {i for start, end in spans for i in range(start, end)}
        unknown = tuple(
            m.group() for m in _DESIGNATOR.finditer(text) if covered.isdisjoint(range(*m.span()))
        )
        language = "zh" if han_share(question) > 0.2 or has_han(question[-1:]) else "en"
        return Linked(question, text, language, things, marks, quantities, unknown)

    def _quantities(self, text: str, things: tuple[Mention, ...]) -> list[Quantity]:
        counters = {
            f.start: f.end for f in self.lexicon.find(text, "cue") if f.name.subject == cues.COUNTER
        }
        counted = {m.start for m in things}
        named = {i for m in things for i in range(m.start, m.end)}
        found: list[Quantity] = []
        for start, end, low, high in self._numerals(text):
            after = end + len(text[end:]) - len(text[end:].lstrip(" -"))
            if unit := self._unit_at(text, after):
                stop, node = unit
            elif start in named and start not in counters:
                continue  # the 3090 of a product's name counts nothing
            elif after in counters or after in counted:
                stop, node = counters.get(after, after), ONE
            else:
                continue
            kind, factor, symbol = self._units[node]
            number = f"{low:g}" if low == high else f"{low:g}-{high:g}"
            found.append(
                Quantity(
                    start,
                    stop,
                    text[start:stop],
                    low * factor,
                    high * factor,
                    node,
                    kind,
                    number if node == ONE else f"{number} {symbol}",
                )
            )
        return found

    def _numerals(self, text: str) -> list[tuple[int, int, float, float]]:
        """Return numbers in digits and in words as (start, end, low, high), in order."""
        digits = [
            (m.start(), m.end(), _value(m[1]), _value(m[2] or m[1])) for m in _NUMBER.finditer(text)
        ]
        taken = {i for start, end, _, _ in digits for i in range(start, end)}
        found = self.lexicon.find(text, "number")
        words = [
            (f.start, f.end, value, value)
            for f in found
            # "one hundred and twenty-eight" is more than this reads; part of it would be wrong.
            if f.start not in taken
            and text[f.start - 1 : f.start] != "-"
            and not any(g is not f and _gap(f, g) <= LONGEST_GAP for g in found)
            and (value := float(self._numbers[f.name.subject])) is not None
        ]
        return sorted(digits + words)

    def _unit_at(self, text: str, start: int) -> tuple[int, URIRef] | None:
        """Return the end and node of the longest unit name at a place, if there is one."""
        for length in range(min(self._longest_unit, len(text) - start), 0, -1):
            end = start + length
            subjects = self.lexicon.names["unit"].get(text[start:end])
            if subjects and not re.match(r"[a-z0-9/]", text[end : end + 1]):
                return end, subjects[0]
        return None


def _value(digits: str) -> float:
    return float(digits.replace(",", ""))


def _gap(one: Found, other: Found) -> int:
    return max(one.start - other.end, other.start - one.end)


def _mention(text: str, found: Found) -> Mention:
    return Mention(found.start, found.end, text[found.start : found.end], found.name.subject)
