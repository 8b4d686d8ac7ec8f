"""What can be wrong with a plan: each problem names what was given and what is allowed.

SizingError
└── PlanRefused   a plan asks for what there is not, or contradicts itself
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.messages import Messages

WORDING = Path(__file__).parent / "messages.ttl"


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a plan; `key` is that of its message, `fields` what it fills in."""

    key: str
    input: str
    given: str
    allowed: str
    fields: tuple[tuple[str, str], ...] = ()

    def text(self, messages: Messages, language: str) -> str:
        """Return the problem as a sentence."""
        values: dict[str, Any] = dict(self.fields)
        values |= {"input": self.input, "given": self.given, "allowed": self.allowed}
        return messages(f"problem-{self.key}", language, **values)

    def as_dict(self, messages: Messages) -> dict[str, Any]:
        """Return the problem as plain data with its sentence in both languages."""
        return {
            "problem": self.key,
            "input": self.input,
            "given": self.given,
            "allowed": self.allowed,
            "text": {language: self.text(messages, language) for language in ("en", "zh")},
        }


class SizingError(Exception):
    """A need cannot be estimated."""


@dataclass
class PlanRefused(SizingError):
    """A plan asks for what there is not, or contradicts itself."""

    problems: Sequence[Problem] = field(default_factory=tuple)

    def __str__(self) -> str:
        messages = Messages.load(WORDING)
        return "\n".join(p.text(messages, "en") for p in self.problems)
