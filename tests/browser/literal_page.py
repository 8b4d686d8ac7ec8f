"""Shows texts wherever the page may show one: as text, as a label, in a callout."""

import streamlit as st

from assistant.pages.literal import literal

for number, text in enumerate(st.query_params.get_all("text")):
    with st.container(key=f"text-{number}"):
        st.text(text)
        st.button(literal(text), key=f"button-{number}")
        st.warning(f"**!** {literal(text)}")
        with st.popover(literal(text), key=f"popover-{number}"):
            st.badge("open")
