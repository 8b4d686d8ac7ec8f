"""One answer on the page: what it says, where it comes from, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from assistant.answer import Answer, Citation, Table
from assistant.feedback import Feedback, FeedbackFile
from assistant.messages import Say
from assistant.pages import reasoning
from assistant.pages.downloads import as_json, as_markdown
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
        _show_table(answer.table, turn, say)
    if answer.citations:
        _show_citations(answer.citations, turn, say)
    if answer.suggestions:
        _show_suggestions(assistant, turn, answer, say)
    reasoning.show(answer, turn.id, say)
    _show_actions(turn, answer, say)


def _show_table(table: Table, turn: Turn, say: Say) -> None:
    columns = {
        title: _alike([row[place] for row in table.rows])
        for place, title in enumerate(table.columns)
    }
    st.dataframe(
        columns,
        hide_index=True,
        key=f"table-{turn.id}",
        alt=say("table"),
    )


def _alike(cells: list[Any]) -> list[Any]:
    """Return numbers as they are, and a column that holds anything else as text."""
    if all(isinstance(cell, int | float | None) for cell in cells):
        return cells
    return ["" if cell is None else str(cell) for cell in cells]


@st.fragment
def _show_citations(citations: tuple[Citation, ...], turn: Turn, say: Say) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(say("sources"), width="content")
        for citation in citations:
            # The title comes last: it is often the same, and a narrow page cuts it off.
            place = " · ".join(filter(None, (citation.section, citation.title)))
            label = literal(f"[{citation.n}] {place}")
            popover = st.popover(
                label, key=f"citation-{turn.id}-{citation.n}", type="tertiary", on_change="rerun"
            )
            if popover.open:
                with popover:
                    _show_citation(citation, f"source-{turn.id}-{citation.n}", say)


def _show_citation(citation: Citation, key: str, say: Say) -> None:
    st.text(citation.title)
    for field in ("wording", "quote", "section", "statement", "figure", "retrieved"):
        if value := getattr(citation, field):
            with st.container(gap=None):
                st.caption(say(f"citation-{field}"))
                st.text(value)
    if citation.url and citation.url.startswith(("https://", "http://")):
        st.link_button(say("citation-open"), citation.url, key=key, icon=":material/open_in_new:")


def _show_suggestions(assistant: Assistant, turn: Turn, answer: Answer, say: Say) -> None:
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.caption(say("suggestions"), width="content")
        for number, question in enumerate(answer.suggestions):
            st.button(
                literal(question),
                key=f"suggestion-{turn.id}-{number}",
                on_click=ask,
                args=(assistant, question, turn.question),
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


def _show_download(form: str, suffix: str, make: Callable[[], str], turn: Turn) -> None:
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
        context=turn.context,
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
