"""One answer on the page: what it says, where it comes from, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from assistant.answer import Answer
from assistant.feedback import Feedback, FeedbackFile
from assistant.messages import Say
from assistant.pages import chart, citations, reasoning, sparql, table
from assistant.pages.downloads import as_csv, as_json, as_markdown
from assistant.pages.literal import literal
from assistant.pages.turns import Turn, ask

if TYPE_CHECKING:
    from assistant import Assistant

ICONS = {
    "unknown": ":material/help:",
    "needs_input": ":material/edit_note:",
    "out_of_scope": ":material/block:",
}


def show(assistant: Assistant, turn: Turn, answer: Answer, say: Say) -> None:
    """Show an answer with its citations, table, reasoning and what can be asked next."""
    if answer.kind != "answer":
        st.badge(say(f"kind-{answer.kind}"), icon=ICONS[answer.kind], color="orange")
    text = answer.text
    if answer.premise:
        correction = answer.premise.correction
        st.warning(say("premise", correction=literal(correction)), icon=":material/error:")
        text = text.removeprefix(correction).strip()  # not the same sentence twice
    if text:
        st.text(text)
    if answer.table:
        table.show(answer.table, turn.id, say)
        chart.show(answer.table, turn.id, say)
    if answer.citations:
        citations.show(answer.citations, turn.id, say)
    if answer.suggestions:
        _show_suggestions(assistant, turn, answer, say)
    reasoning.show(answer, turn.id, say)
    _show_actions(turn, answer, say)


def _show_suggestions(assistant: Assistant, turn: Turn, answer: Answer, say: Say) -> None:
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.caption(say("suggestions"), width="content")
        for number, question in enumerate(answer.suggestions):
            st.button(
                literal(question),
                key=f"suggestion-{turn.id}-{number}",
                on_click=ask,
                args=(assistant, question, turn.conversation()),
                wrap=True,
            )


@st.fragment
def _show_actions(turn: Turn, answer: Answer, say: Say) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.feedback(
            "thumbs", key=f"feedback-{turn.id}", on_change=_keep_feedback, args=(turn, answer, say)
        )
        with st.popover(
            say("take"),
            key=f"take-{turn.id}",
            icon=":material/content_copy:",
            type="tertiary",
            on_change="rerun",
        ) as take:
            if take.open:
                st.code(answer.text, language=None, wrap_lines=True)
                with st.container(horizontal=True):
                    _show_download("Markdown", "md", partial(as_markdown, answer, say), turn)
                    _show_download("JSON", "json", partial(as_json, answer), turn)
                    if answer.table:
                        _show_download(say("take-table"), "csv", partial(as_csv, answer), turn)
        if answer.sparql and st.button(
            say("sparql-open"),
            key=f"open-sparql-{turn.id}",
            icon=":material/code:",
            type="tertiary",
        ):
            sparql.open_page(answer.question, answer.sparql)


def _show_download(form: str, suffix: str, make: Callable[[], str | bytes], turn: Turn) -> None:
    st.download_button(
        form,
        make,
        file_name=f"trainwright.{suffix}",
        key=f"download-{suffix}-{turn.id}",
        icon=":material/download:",
        on_click="ignore",
    )


def _keep_feedback(turn: Turn, answer: Answer, say: Say) -> None:
    thumb = st.session_state[f"feedback-{turn.id}"]
    feedback = Feedback(
        turn=turn.id,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        rating=None if thumb is None else "up" if thumb else "down",
        question=turn.question,
        context=turn.context[-1] if turn.context else None,
        language=answer.language,
        kind=answer.kind,
        template=answer.template,
    )
    try:
        FeedbackFile.at_home().add(feedback)
    except OSError as error:
        st.toast(say("feedback-failed", reason=literal(str(error))), icon=":material/error:")
    else:
        st.toast(say("feedback-saved"), icon=":material/check:")
