"""Text as it is, where Streamlit or a file would read Markdown in it."""

from __future__ import annotations

import re

FORMATTING = re.compile(r"[\\`*_\[\]<>#|~$&:]")
# At a line's start these begin a list or underline a heading; elsewhere they are harmless.
LIST = re.compile(r"^(\s*(?:\d+(?=[.)])|(?=[-+=])))", re.MULTILINE)

# What Streamlit's Markdown still replaces in text that is escaped: icons, its logo, bare
# addresses and arrows. Only a character between them keeps them apart.
REPLACED = re.compile(
    r"(?<=:)(?=//|material[/_]|streamlit:)"
    r"|(?<=www)(?=\.)|(?<=@)"
    r"|(?<=[<>~-])(?=[=>-])",
    re.IGNORECASE,
)
ZERO_WIDTH_SPACE = "\u200b"


def escape(text: str) -> str:
    r"""Return Markdown that reads as the text itself: `*` as `\*`."""
    return LIST.sub(r"\1\\", FORMATTING.sub(r"\\\g<0>", text))


def literal(text: str) -> str:
    """Return the text on one line for a label or callout, where Streamlit formats Markdown."""
    return escape(REPLACED.sub(ZERO_WIDTH_SPACE, " ".join(text.split())))
