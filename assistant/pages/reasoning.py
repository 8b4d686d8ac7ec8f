"""How an answer came about, for readers who want to check it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from assistant.answer import Answer, Step
from assistant.messages import Say
from assistant.pages.literal import literal


@st.fragment
def show(answer: Answer, turn_id: str, say: Say) -> None:
    """Show the steps, the template, the query and the time, folded away until asked for."""
    folded = st.expander(
        say("reasoning"), key=f"reasoning-{turn_id}", type="compact", on_change="rerun"
    )
    if not folded.open:
        return
    with folded:
        for step in answer.steps:
            _show_step(step, f"step-{turn_id}-{step.step}", say)
        if answer.template:
            st.caption(say("reasoning-template"))
            st.text(answer.template)
        if answer.sparql:
            st.caption(say("reasoning-sparql"))
            st.code(answer.sparql, language="sparql", wrap_lines=True)
        st.caption(say("reasoning-elapsed", milliseconds=f"{answer.elapsed_ms:.1f}"))


def _show_step(step: Step, key: str, say: Say) -> None:
    st.caption(_title(step, say))
    if not isinstance(step.detail, dict):
        st.text(str(step.detail))
        return
    tables = {name: value for name, value in step.detail.items() if _is_table(value)}
    if rest := {name: value for name, value in step.detail.items() if name not in tables}:
        st.json(rest, expanded=2)
    for name, rows in tables.items():
        cells = [{column: str(cell) for column, cell in row.items()} for row in rows]
        st.dataframe(cells, hide_index=True, key=f"{key}-{name}", alt=literal(name))


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _title(step: Step, say: Say) -> str:
    try:
        return say(f"step-{step.step}")
    except KeyError:  # a step that a later version of the pipeline adds
        return literal(step.step)
