"""How an answer came about, for readers who want to check it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from assistant.answer import Answer, Step
from assistant.messages import Say
from assistant.pages.literal import literal
from kg import shorten


@st.fragment
def show(answer: Answer, turn_id: str, say: Say) -> None:
    """Show the steps, the template, the query and the time, once they are unfolded."""
    folded = st.expander(
        say("reasoning"), key=f"reasoning-{turn_id}", type="compact", on_change="rerun"
    )
    if not folded.open:
        return
    with folded:
        for step in answer.steps:
            _show_step(step, f"step-{turn_id}-{step.step}", say)
        if answer.template:
            st.caption(say("reasoning-template", template=literal(answer.template)))
        if answer.sparql:
            st.code(answer.sparql, language="sparql", wrap_lines=True)
        st.caption(say("reasoning-elapsed", milliseconds=f"{answer.elapsed_ms:.1f}"))


def _show_step(step: Step, key: str, say: Say) -> None:
    detail = step.detail if isinstance(step.detail, dict) else {"": step.detail}
    with st.container(gap="xsmall"):
        st.caption(_title(step, say))
        for name, value in detail.items():
            if _is_table(value):
                st.text(f"{name}:")
                cells = [{column: _brief(cell) for column, cell in row.items()} for row in value]
                st.dataframe(cells, hide_index=True, key=f"{key}-{name}", alt=literal(name))
            elif value:
                st.text(f"{name}: {_brief(value)}" if name else _brief(value))


def _title(step: Step, say: Say) -> str:
    try:
        return say(f"step-{step.step}")
    except KeyError:  # a step that a later version of the pipeline adds
        return literal(step.step)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_brief(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_brief, value))
    return shorten(value)
