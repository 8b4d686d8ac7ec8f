"""What a reader asked in this browser session, and what the assistant said."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

import streamlit as st

from assistant.answer import Answer

if TYPE_CHECKING:
    from assistant import Assistant

MOST_CONTEXT = 5
"""Questions back that a follow-up may lean on; each is understood anew, which takes its time."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Turn:
    """A question and its answer; `answer` is None if the assistant failed on it.

    `context` has the questions asked before it that it may lean on, oldest first.
    """

    question: str
    context: tuple[str, ...]
    answer: Answer | None
    id: str = field(default_factory=lambda: uuid4().hex)

    def conversation(self) -> tuple[str, ...]:
        """Return the context for a question that leans on this one."""
        return (*self.context, self.question)[-MOST_CONTEXT:]


def turns() -> list[Turn]:
    """Return the conversation of this browser session, oldest first."""
    conversation: list[Turn] = st.session_state.setdefault("turns", [])
    return conversation


def ask(assistant: Assistant, question: str, context: tuple[str, ...] = ()) -> None:
    """Put a question and append the turn; context has those asked before it, oldest first."""
    try:
        answer = assistant.ask(question, context)
    except Exception:  # one question that breaks must not take the conversation with it
        log.exception("the assistant failed on a question of %d characters", len(question))
        answer = None
    turns().append(Turn(question, context, answer))


def follow_up(assistant: Assistant, question: str) -> None:
    """Put a question that may lean on those before it."""
    before = turns()[-1:]
    ask(assistant, question, before[0].conversation() if before else ())
