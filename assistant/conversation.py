"""Decides which words of a question count: its sentences, and the question before it.

A follow-up leans on the question before ("and the V100?"): what it does not say
itself is taken over, slot by slot, from there. A long story is reduced to the
sentences that ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rdflib import URIRef

from assistant import cues
from assistant.guide_index import GuideIndex
from assistant.linking import Linked, Linker

ACCELERATOR = URIRef("https://w3id.org/trainwright/ontology#Accelerator")
# In Chinese characters and Latin words, see `_size`.
SHORT_FOLLOW_UP = 14
SHORTEST_FOLLOW_UP = 4
MOST_IN_FOLLOW_UP = 3
SHORT_STORY = 40
SHORT_CLAUSE = 12

_SENTENCE = re.compile(r"[^。!?;！？；\n]*?(?:[。!?;！？；\n]+|\.(?=\s)|$)")
_CLAUSE = re.compile(r"[^,，、]*(?:[,，]|$)")
_ASKS = re.compile(r"[?？]\s*$")


@dataclass(frozen=True)
class Reading:
    """A question as it is to be understood.

    `linked` holds the mentions that count, `own` those of the question itself without
    the one before it, `texts` what the encoder is to be asked.
    """

    linked: Linked
    own: Linked
    texts: tuple[str, ...]

    @property
    def follows(self) -> bool:
        """Whether the question leans on the one before it."""
        return self.own is not self.linked


class Reader:
    """Reads a question, with the one before it if there is one."""

    def __init__(self, linker: Linker, guide: GuideIndex) -> None:
        self._linker = linker
        self._guide = guide

    def read(self, question: str, context: str | None = None) -> Reading:
        """Return the reading of a question.

        Args:
            question: What the person typed.
            context: The question asked before it, or None.
        """
        reading = self._focus(self._linker.link(question))
        if context is None or not context.strip() or not self._leans(reading.linked):
            return reading
        return self._continue(reading.linked, self._focus(self._linker.link(context)).linked)

    def _focus(self, linked: Linked) -> Reading:
        """Return a reading of the part that asks; of the rest only whom and what it is for.

        A short text is read whole, but for sentences that command instead of asking.
        """
        parts = [m for m in _SENTENCE.finditer(linked.text) if m.group().strip(" .。!?;")]
        asking = [m for m in parts if _ASKS.search(m.group())] or parts[-1:]
        if _size(linked.text) <= SHORT_STORY:
            asking = [m for m in parts if not self._commands(m, linked)] or parts
        elif len(parts) == 1 or _size(asking[-1].group()) > SHORT_STORY:
            asking = _last_clauses(linked.text, asking[-1].start() if asking else 0)
        spans = [(m.start(), m.end()) for m in asking]
        inside = [m for m in linked.things if _within(m.start, spans)]
        whole = len(asking) == len(parts)
        if whole or not any(m.node in self._guide.covered for m in inside):
            return Reading(linked, linked, (linked.asked,))
        taken = {self.slot(m.node) for m in inside}
        whom = [
            m
            for m in linked.things
            if not _within(m.start, spans)
            and self.slot(m.node) in self._guide.slots - {"part", ACCELERATOR}
            and self.slot(m.node) not in taken
        ]
        text = " ".join(m.group().strip() for m in asking)
        focused = replace(
            linked,
            things=tuple(inside + whom),
            cues=tuple(c for c in linked.cues if _within(c.start, spans)),
            quantities=tuple(q for q in linked.quantities if _within(q.start, spans)),
            designators=tuple(d for d in linked.designators if d in text),
        )
        return Reading(focused, focused, (self._linker.prepare(text),))

    def _commands(self, sentence: re.Match[str], linked: Linked) -> bool:
        span = [(sentence.start(), sentence.end())]
        asks = _ASKS.search(sentence.group()) is not None
        return not asks and any(
            c.node == cues.INSTRUCTION and _within(c.start, span) for c in linked.cues
        )

    def _leans(self, linked: Linked) -> bool:
        """Return whether a question says too little to stand alone, or says that it goes on.

        One that names two things or a thing and an amount stands alone, unless it opens
        like a continuation ("and ...") or points back ("the same for ...").
        """
        if any(c.node == cues.OPENING and c.start == 0 for c in linked.cues):
            return True
        says = len({m.node for m in linked.things if m.node in self._guide.covered})
        says += len(linked.quantities)
        if cues.FOLLOW_UP in linked.cue_nodes:
            return says <= MOST_IN_FOLLOW_UP
        anything = linked.things or linked.cues or linked.quantities or linked.designators
        limit = SHORT_FOLLOW_UP if anything else SHORTEST_FOLLOW_UP
        return says <= 1 and _size(linked.text) <= limit

    def _continue(self, linked: Linked, before: Linked) -> Reading:
        taken = {self.slot(m.node) for m in linked.things}
        kept = [m for m in before.things if self.slot(m.node) not in taken]
        merged = replace(
            linked,
            things=linked.things + tuple(kept),
            designators=linked.designators or before.designators,
        )
        texts = [self._substituted(linked, before) or f"{before.asked} {linked.asked}"]
        if any(m.node in self._guide.covered for m in linked.things):
            texts += [texts[0], linked.asked]  # the whole counts twice
        return Reading(merged, linked, tuple(texts))

    def _substituted(self, linked: Linked, before: Linked) -> str | None:
        """Return the question before with the new things in the places of the old."""
        text = before.text
        done = False
        for new in linked.things:
            for old in reversed(before.things):
                if self.slot(new.node) == self.slot(old.node) in self._guide.slots:
                    text = text[: old.start] + new.text + text[old.end :]
                    done = True
                    break
            if done:
                break
        if not done:
            return None
        rest = [m for m in linked.things if m.text not in text]
        return text if not rest else f"{text} {linked.text}"

    def slot(self, node: URIRef) -> URIRef | str:
        """Return the place in a question that a thing fills; one thing fills it at a time."""
        for meant in (node, *self._guide.stands_for.get(node, ())):
            for kind in self._guide.exclusive.get(meant, ()):
                return kind
        return "part" if node in self._guide.parts else "aspect"


def _within(start: int, spans: list[tuple[int, int]]) -> bool:
    return any(low <= start < high for low, high in spans)


def _size(text: str) -> int:
    """Return the length of a text in Chinese characters and Latin words."""
    return sum("一" <= c <= "鿿" for c in text) + len(re.findall(r"[a-z0-9]+", text))


def _last_clauses(text: str, start: int) -> list[re.Match[str]]:
    """Return the last clauses of a long sentence, enough of them to say something."""
    clauses = [m for m in _CLAUSE.finditer(text, start) if m.group().strip(" ,")]
    kept: list[re.Match[str]] = []
    for clause in reversed(clauses):
        kept.insert(0, clause)
        if sum(_size(m.group()) for m in kept) >= SHORT_CLAUSE:
            break
    return kept
