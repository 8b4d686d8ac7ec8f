"""The chat: ask a question, read the cited answer, ask on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from assistant.messages import Say
from assistant.pages import answer_card
from assistant.pages.language import page_language, page_texts
from assistant.pages.literal import literal
from assistant.pages.loading import shared_assistant
from assistant.pages.turns import Turn, ask, follow_up, turns

if TYPE_CHECKING:
    from assistant import Assistant

LONG = 1500
"""Characters from which a question scrolls in its own box."""

CATALOGUE_QUESTIONS = (
    "catalogue-question-1",
    "catalogue-question-2",
    "catalogue-question-3",
    "catalogue-question-4",
    "catalogue-question-5",
)


def page() -> None:
    """Show the conversation, or examples to begin one."""
    say = page_texts()
    assistant = shared_assistant(say)
    if question := st.chat_input(say("question-placeholder"), key="question"):
        follow_up(assistant, question)
    if not turns():
        _show_examples(assistant, say)
        return
    for turn in turns():
        _show_turn(assistant, turn, say)
    st.button(say("clear"), key="clear", icon=":material/delete_sweep:", on_click=turns().clear)


def _show_examples(assistant: Assistant, say: Say) -> None:
    st.text(say("app-intro"))
    guide, catalogue = st.columns(2)
    questions = assistant.suggested_questions(page_language())
    with guide:
        _show_questions(assistant, say("examples"), questions, "example")
    with catalogue:
        questions = tuple(map(say, CATALOGUE_QUESTIONS))
        _show_questions(assistant, say("examples-catalogue"), questions, "example-catalogue")


def _show_questions(assistant: Assistant, title: str, questions: tuple[str, ...], key: str) -> None:
    with st.container(gap="xxsmall"):
        st.caption(title)
        for number, question in enumerate(questions):
            st.button(
                literal(question),
                key=f"{key}-{number}",
                on_click=ask,
                args=(assistant, question),
                width="stretch",
                wrap=True,
            )


def _show_turn(assistant: Assistant, turn: Turn, say: Say) -> None:
    with st.chat_message("user"):
        if len(turn.question) > LONG:
            with st.container(height=240, border=False, key=f"long-{turn.id}"):
                st.text(turn.question)
        else:
            st.text(turn.question)
    with st.chat_message("assistant"):
        if turn.answer is None:
            st.error(say("ask-failed"), icon=":material/error:")
        else:
            answer_card.show(assistant, turn, turn.answer, say)
