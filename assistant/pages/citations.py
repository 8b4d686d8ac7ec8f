"""The sources of an answer: some as links with their details, many as a table."""

from __future__ import annotations

import streamlit as st

from assistant.answer import Citation
from assistant.messages import Say
from assistant.pages.literal import literal

MOST_LINKS = 5
"""Sources that stand below an answer each for itself; of more, the first ones do."""

FIRST_LINKS = 3


@st.fragment
def show(citations: tuple[Citation, ...], turn_id: str, say: Say) -> None:
    """Show each source as a link that opens its details; more than a few also as a table."""
    few = len(citations) <= MOST_LINKS
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.caption(say("sources"), width="content")
        for citation in citations if few else citations[:FIRST_LINKS]:
            _show_link(citation, turn_id, say)
    if not few:
        _show_all(citations, turn_id, say)


def described(citation: Citation, say: Say) -> list[tuple[str, str]]:
    """Return what is known of a source beside its title and address, with labels.

    A figure of the catalogue has a place and a date in the source where a statement
    of the guide has its section.
    """
    stated = citation.statement is not None
    facts = (
        ("citation-wording", citation.wording),
        ("citation-quote", citation.quote),
        ("citation-section" if stated else "citation-place", citation.section),
        ("citation-statement", citation.statement),
        ("citation-figure", citation.figure),
        ("citation-retrieved", citation.retrieved),
    )
    return [(say(key), value) for key, value in facts if value]


def _show_link(citation: Citation, turn_id: str, say: Say) -> None:
    # Statements of the guide differ in their section and not in their title; a narrow page
    # cuts off what comes last.
    parts = (citation.section, citation.title) if citation.statement else (citation.title,)
    label = literal(f"[{citation.n}] {' · '.join(filter(None, parts))}")
    popover = st.popover(
        label, key=f"citation-{turn_id}-{citation.n}", type="tertiary", on_change="rerun"
    )
    if popover.open:
        with popover:
            _show_details(citation, f"source-{turn_id}-{citation.n}", say)


def _show_details(citation: Citation, key: str, say: Say) -> None:
    st.text(citation.title)
    for label, value in described(citation, say):
        with st.container(gap=None):
            st.caption(label)
            st.text(value)
    if address := _address(citation):
        st.link_button(say("citation-open"), address, key=key, icon=":material/open_in_new:")


def _show_all(citations: tuple[Citation, ...], turn_id: str, say: Say) -> None:
    folded = st.expander(
        say("sources-all", n=len(citations)),
        key=f"sources-{turn_id}",
        type="compact",
        on_change="rerun",
    )
    if not folded.open:
        return
    rows = [
        {
            say("citation-number"): citation.n,
            say("citation-title"): citation.title,
            say("citation-open"): _address(citation),
            **dict(described(citation, say)),
        }
        for citation in citations
    ]
    with folded:
        st.dataframe(
            rows,
            column_config={
                say("citation-number"): st.column_config.NumberColumn(width=40, pinned=True),
                say("citation-title"): st.column_config.TextColumn(width="medium"),
                say("citation-open"): st.column_config.LinkColumn(
                    width="small", display_text=":material/open_in_new:"
                ),
            },
            hide_index=True,
            placeholder="–",
            key=f"source-table-{turn_id}",
            alt=say("sources-all", n=len(citations)),
        )


def _address(citation: Citation) -> str | None:
    """Return the address, if it is one that a browser opens as a page."""
    url = citation.url
    return url if url and url.startswith(("https://", "http://")) else None
