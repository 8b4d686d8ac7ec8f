"""The language of the page: its labels, not its answers, which follow the question."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from assistant.answer import Language
from assistant.messages import MESSAGES, Messages, Say

LANGUAGES: tuple[Language, ...] = get_args(Language)


def choose_language(say: Say) -> None:
    """Show the language switch; the choice also stands in the address, so it can be shared."""
    st.segmented_control(
        say("language"),
        LANGUAGES,
        default=browser_language(st.context.locale),
        format_func=lambda language: say(f"language-{language}"),
        required=True,
        key="language",
        bind="query-params",
        label_visibility="collapsed",
    )


def page_language() -> Language:
    """Return the language chosen, at the first run the address's or the browser's."""
    chosen: Language | None = st.session_state.get("language")
    return chosen or _named_in_address() or browser_language(st.context.locale)


def language_in_address() -> str:
    """Return the name of the page's language as the switch writes it into the address."""
    return page_texts()(f"language-{page_language()}")


def _named_in_address() -> Language | None:
    name, texts = st.query_params.get("language"), _messages()
    return next((known for known in LANGUAGES if texts(f"language-{known}", known) == name), None)


def page_texts() -> Say:
    """Return the texts of the page in its language."""
    return _messages().in_language(page_language())


def browser_language(locale: str | None) -> Language:
    """Return the page language nearest to a browser's locale: Chinese if it names none."""
    return "zh" if locale is None or locale.lower().startswith("zh") else "en"


@st.cache_resource(show_spinner=False)
def _messages() -> Messages:
    return Messages.load(MESSAGES)
