"""How an answer came about, for readers who want to check it."""

from __future__ import annotations

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
            _show_step(step, say)
        if answer.template:
            st.caption(say("reasoning-template"))
            st.text(answer.template)
        if answer.sparql:
            st.caption(say("reasoning-sparql"))
            st.code(answer.sparql, language="sparql", wrap_lines=True)
        st.caption(say("reasoning-elapsed", milliseconds=f"{answer.elapsed_ms:.1f}"))


def _show_step(step: Step, say: Say) -> None:
    st.caption(_title(step, say))
    if isinstance(step.detail, str):
        st.text(step.detail)
    else:
        st.json(step.detail, expanded=2)


def _title(step: Step, say: Say) -> str:
    try:
        return say(f"step-{step.step}")
    except KeyError:  # a step that a later version of the pipeline adds
        return literal(step.step)
