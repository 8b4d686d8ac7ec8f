"""Decides which words of a question count: its sentences, and the question before it.

A follow-up leans on the question before ("and the V100?"): what it does not say
itself is taken over, slot by slot, from there. A long story is reduced to the
sentences that ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rdflib import URIRef

from assistant.guide_index import GuideIndex
from assistant.linking import Linked, Linker, Mention

FOLLOW_UP = URIRef("https://w3id.org/trainwright/data/cue-follow-up")
SHORT_HAN = 14
SHORT_WORDS = 9

_SENTENCE = re.compile(r"[^。!?;！？；\n]*?(?:[。!?;！？；\n]+|\.(?=\s)|$)")
_ASKS = re.compile(r"[?？]\s*$")


@dataclass(frozen=True)
class Reading:
    """A question as it is to be understood.

    `linked` holds the mentions that count, `texts` what the encoder is to be asked.
    """

    linked: Linked
    texts: tuple[str, ...]
    follows: bool = False


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
        """Return a reading of the sentences that ask; of the rest only whom it is for."""
        sentences = [m for m in _SENTENCE.finditer(linked.text) if m.group().strip(" .。!?;")]
        if len(sentences) < 2:
            return Reading(linked, (linked.text,))
        asking = [m for m in sentences if _ASKS.search(m.group())] or sentences[-1:]
        spans = [(m.start(), m.end()) for m in asking]
        inside = [m for m in linked.things if _within(m, spans)]
        if not any(m.node in self._guide.covered for m in inside):
            return Reading(linked, (linked.text,))
        taken = {self.slot(m.node) for m in inside}
        whom = [
            m
            for m in linked.things
            if not _within(m, spans)
            and self.slot(m.node) in self._guide.slots
            and self.slot(m.node) not in taken
        ]
        focused = replace(
            linked,
            things=tuple(inside + whom),
            cues=tuple(c for c in linked.cues if _within(c, spans)),
            quantities=tuple(q for q in linked.quantities if _within(q, spans)),
            designators=tuple(
                d for d in linked.designators if any(d in m.group() for m in asking)
            ),
        )
        text = " ".join(m.group().strip() for m in asking)
        return Reading(focused, (text,))

    def _leans(self, linked: Linked) -> bool:
        """Return whether a question says too little to stand alone."""
        if FOLLOW_UP in linked.cue_nodes:
            return True
        words = len(re.findall(r"[a-z0-9]+", linked.text))
        han = sum("一" <= c <= "鿿" for c in linked.text)
        return han + words <= (SHORT_HAN if han else SHORT_WORDS)

    def _continue(self, linked: Linked, before: Linked) -> Reading:
        taken = {self.slot(m.node) for m in linked.things}
        kept = [m for m in before.things if self.slot(m.node) not in taken]
        merged = replace(
            linked,
            things=linked.things + tuple(kept),
            designators=linked.designators or before.designators,
        )
        texts = [self._substituted(linked, before) or f"{before.text} {linked.text}"]
        if any(m.node in self._guide.covered for m in linked.things):
            texts.append(linked.text)
        return Reading(merged, tuple(texts), follows=True)

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


def _within(item: Mention | object, spans: list[tuple[int, int]]) -> bool:
    start = item.start  # type: ignore[attr-defined]
    return any(low <= start < high for low, high in spans)
