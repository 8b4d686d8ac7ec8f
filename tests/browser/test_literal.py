"""Whatever a text holds, the reader sees its characters and never what they would format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEXTS = {
    "html": "<b>b</b> <script>document.title='x'</script> <img src=x onerror=alert(1)> &lt; &amp;",
    "latex": "$x^2$ and $$y$$ cost $5 or \\(z\\) \\$",
    "emphasis": "*i* **b** _u_ __s__ ~~t~~ `c` ***",
    "heading": "# not a heading",
    "list": "- not a list",
    "numbers": "1. not a list",
    "quote": "> not a quote",
    "rule": "---",
    "icons": ":smile: :+1: :material/home: :material_home: :streamlit:",
    "directives": ":red[r] :blue-background[b] :small[s] ::leaf[x] :help[h]",
    "links": "[l](https://x.org) ![i](x.png) https://x.org www.x.org a@x.org <x@x.org>",
    "arrows": "a -> b <- c <-> d -- e >= f <= g ~= h",
    "table": "| a | b | [^1] [x]: y",
    "backslash": "a\\b \\* \\\\ \\",
}


@pytest.fixture(scope="module")
def page(browser: Browser, serve: Callable[[Path], str]) -> Iterator[Page]:
    address = serve(Path(__file__).parent / "literal_page.py")
    page = browser.new_page()
    page.goto(f"{address}/?{urlencode([('text', text) for text in TEXTS.values()])}")
    page.get_by_test_id("stPopover").nth(len(TEXTS) - 1).wait_for()
    yield page
    page.close()


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_shown_as_it_is(page: Page, name: str) -> None:
    part = page.locator(f".st-key-text-{list(TEXTS).index(name)}")
    for place in ("stText", "stButton", "stPopover"):
        shown = part.get_by_test_id(place).inner_text()
        assert characters(shown.replace("expand_more", "")) == TEXTS[name], place
    assert characters(part.get_by_test_id("stAlert").inner_text()) == f"! {TEXTS[name]}"
    formatted = "b, i, em, del, code, h1, hr, li, blockquote, img, table, a[href], .katex, script"
    assert part.locator(f":is({formatted})").count() == 0
    assert part.locator("strong").count() == 1  # the callout's own


def characters(shown: str) -> str:
    return shown.replace("\u200b", "").strip()
