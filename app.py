"""Entry point of the page: its settings, its language and its navigation."""

from __future__ import annotations

import streamlit as st

from assistant.pages import chat, describe, sparql
from assistant.pages.language import choose_language, page_texts


def main() -> None:
    """Show the page that the reader chose, in the reader's language."""
    say = page_texts()
    st.set_page_config(page_title=say("app-title"), page_icon="🖥️")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(say("app-title"), anchor=False)
        choose_language(say)
    pages = [
        st.Page(
            chat.page,
            title=say("page-chat"),
            icon=":material/forum:",
            url_path="chat",
            default=True,
        ),
        st.Page(sparql.page, title=say("page-sparql"), icon=":material/code:", url_path="sparql"),
        st.Page(
            describe.page,
            title=say("page-describe"),
            icon=":material/description:",
            url_path="describe",
        ),
    ]
    st.navigation(pages, position="top").run()


main()
