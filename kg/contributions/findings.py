"""What there is to say of something before it is saved: errors, and warnings to confirm."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from kg.contributions.messages import messages
from kg.importing.problems import EXAMPLES, Problem

Severity = Literal["error", "warning"]

Words = Mapping[str, str]
"""A name in each language."""


class Finding(Protocol):
    """Something that is wrong, or to be confirmed."""

    @property
    def severity(self) -> Severity:
        """Whether it can be confirmed (`warning`) or not (`error`)."""

    @property
    def key(self) -> str:
        """What kind of thing is wrong."""

    def text(self, language: str) -> str:
        """Return what it is, naming thing, field, what was given and what is allowed."""


@dataclass(frozen=True)
class Fault:
    """A finding about a thing of a graph, or about a file.

    Attributes:
        thing: What it is about, by name; a file's name if about the file.
        what: The words of a rule that brings its own; else those of the message `key`.
        allowed: What would do; the first few are named.
    """

    key: str
    thing: str | Words = ""
    field: str | Words = ""
    given: str | Words = ""
    allowed: tuple[str | Words, ...] = ()
    severity: Severity = "error"
    what: Words = dataclasses.field(default_factory=dict)

    def text(self, language: str) -> str:
        """Return thing, field, what is wrong, what was given and what is allowed."""
        say = messages().in_language(language)
        place = say("finding-separator").join(
            part for words in (self.thing, self.field) if (part := spoken(words, language))
        )
        what = self.what.get(language) or say(f"finding-{self.key}")
        text = say("finding", place=place, what=what) if place else what
        if given := spoken(self.given, language):
            text += say("finding-given", given=_short(given))
        allowed = [spoken(words, language) for words in self.allowed]
        if allowed:
            named = say("finding-list-separator").join(allowed[:EXAMPLES])
            if len(allowed) > EXAMPLES:
                named += say("finding-list-more", count=len(allowed) - EXAMPLES)
            text += say("finding-allowed", allowed=named)
        return text


@dataclass(frozen=True)
class RowFault:
    """A finding about a cell, row or header of a table."""

    problem: Problem
    severity: Severity = "error"

    @property
    def key(self) -> str:
        """What kind of thing is wrong."""
        return self.problem.key

    def text(self, language: str) -> str:
        """Return where in the table it is, what is wrong, and what is allowed."""
        return self.problem.text(language)


def unique(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults without those that say the same."""
    return list({(fault.key, fault.text("en")): fault for fault in faults}.values())


def spoken(words: str | Words, language: str) -> str:
    """Return a name in a language, or as it is if it has one form only."""
    if isinstance(words, str):
        return words
    return words.get(language) or next(iter(words.values()), "")


def _short(text: str) -> str:
    """Return a text in one line of bearable length, with nothing in it that could act."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= 80 else line[:77] + "…"
