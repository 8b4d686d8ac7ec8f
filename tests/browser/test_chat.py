"""The whole product in a browser: the real page, the real assistant, the real graph."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from assistant.messages import MESSAGES, Messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SAY = Messages.load(MESSAGES)
QUESTIONS = {
    "zh": "服务器内存至少要多大？",
    "en": "What is the minimum amount of memory recommended for the server?",
}
COMPARISON = {
    "zh": SAY("catalogue-question-1", "zh"),
    "en": SAY("catalogue-question-1", "en"),
}
LOADED = 60_000
"""Milliseconds in which the page must be usable, with room for a busy machine."""


@pytest.fixture
def page(browser: Browser, app: str) -> Iterator[Page]:
    """Give the page in a Chinese browser; it may ask no other server and log no error."""
    addresses: list[str] = []
    errors: list[str] = []
    with opened(browser, app, locale="zh-CN", width=1280) as page:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.reload()
        wait_until_loaded(page)
        yield page
    hosts = {urlsplit(url).netloc for url in addresses if url.startswith(("http", "ws"))}
    assert hosts == {urlsplit(app).netloc}
    assert errors == []


@contextmanager
def opened(browser: Browser, app: str, locale: str, width: int) -> Iterator[Page]:
    with browser.new_page(locale=locale, viewport={"width": width, "height": 900}) as page:
        page.goto(app)
        wait_until_loaded(page)
        yield page


def wait_until_loaded(page: Page) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    failure = page.get_by_test_id("stAlert").or_(page.get_by_test_id("stException"))
    box.or_(failure).first.wait_for(timeout=LOADED)
    assert box.is_visible(), failure.first.inner_text()


def ask(page: Page, question: str) -> Locator:
    """Put a question and give the answer once it is whole."""
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(question)
    box.press("Enter")
    return newest_answer(page, question)


def newest_answer(page: Page, question: str) -> Locator:
    messages = page.get_by_test_id("stChatMessage")
    messages.filter(has_text=question[:200]).last.wait_for()
    answer = messages.last
    answer.get_by_test_id("stFeedback").wait_for()
    wait_until_whole(page)
    return answer


def wait_until_whole(page: Page) -> None:
    """Wait for the end of the run that has begun to show something."""
    page.locator('[data-test-script-state="notRunning"]').wait_for()


def sources(page: Page, answer: Locator) -> list[str]:
    """Open each citation and give what it shows."""
    shown = []
    for button in answer.locator('[class*="st-key-citation-"] button').all():
        button.click()
        body = page.get_by_test_id("stPopoverBody")
        body.get_by_test_id("stText").first.wait_for()  # what it holds is sent when it opens
        wait_until_whole(page)
        shown.append(body.inner_text())
        page.keyboard.press("Escape")
        body.wait_for(state="detached")
    return shown


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_is_answered_with_its_source_and_reasoning(page: Page, language: str) -> None:
    answer = ask(page, QUESTIONS[language])
    assert "128" in answer.inner_text()
    assert any("S412a" in source for source in sources(page, answer))

    answer.locator('[class*="st-key-reasoning-"] summary').click()
    query = answer.get_by_test_id("stCode")
    query.wait_for()
    assert "SELECT" in query.inner_text().upper()


def test_the_page_changes_its_language_and_keeps_the_answer(page: Page) -> None:
    answer = ask(page, QUESTIONS["zh"])
    before = answer.get_by_test_id("stText").first.inner_text()
    page.get_by_role("radio", name="English").click()
    page.get_by_role("button", name=SAY("clear", "en")).wait_for()
    assert page.get_by_placeholder(SAY("question-placeholder", "en")).is_visible()
    assert answer.get_by_test_id("stText").first.inner_text() == before
    page.reload()
    wait_until_loaded(page)
    assert page.get_by_placeholder(SAY("question-placeholder", "en")).is_visible()


def test_an_english_browser_gets_an_english_page(browser: Browser, app: str) -> None:
    with opened(browser, app, locale="en-US", width=1280) as page:
        assert page.get_by_placeholder(SAY("question-placeholder", "en")).is_visible()


def test_each_example_question_is_answered(page: Page) -> None:
    buttons = page.locator('[class*="st-key-example-"] button')
    buttons.nth(2).wait_for()
    examples = [e.inner_text() for e in buttons.all()]
    assert len(examples) >= 3
    for example in examples:
        page.get_by_role("button", name=example, exact=True).click()
        answer = newest_answer(page, example)
        assert answer.locator('[class*="st-key-citation-"]').count() >= 1, example
        page.get_by_role("button", name=SAY("clear", "zh")).click()
        page.locator(".st-key-example-0").wait_for()


def test_an_answer_can_be_downloaded(page: Page, tmp_path: Path) -> None:
    answer = ask(page, QUESTIONS["zh"])
    answer.locator('[class*="st-key-take-"] button').click()
    with page.expect_download() as download:
        page.locator('[class*="st-key-download-json-"] button').click()
    download.value.save_as(tmp_path / "answer.json")
    saved = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert saved["question"] == QUESTIONS["zh"]
    assert any(citation["statement"] == "S412a" for citation in saved["citations"])


@pytest.mark.parametrize("language", COMPARISON)
def test_compared_figures_have_a_chart_and_a_table_to_download(
    page: Page, tmp_path: Path, language: str
) -> None:
    answer = ask(page, COMPARISON[language])
    chart = answer.locator('[class*="st-key-chart-"]')
    drawing = chart.locator("svg.marks")
    drawing.wait_for()
    assert {"H100 SXM5 80GB", "A100 SXM4 80GB", "3350", "2039"} <= set(
        drawing.locator("text").all_text_contents()
    )
    chart.get_by_role("combobox").click()
    page.get_by_role("option").filter(has_text="(W)").click()
    drawing.get_by_text("(W)").wait_for()
    assert {"700", "400"} <= set(drawing.locator("text").all_text_contents())

    answer.locator('[class*="st-key-take-"] button').click()
    with page.expect_download() as download:
        page.locator('[class*="st-key-download-csv-"] button').click()
    download.value.save_as(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        names, *rows = csv.reader(file)
    assert [row[0] for row in rows] == ["H100 SXM5 80GB", "A100 SXM4 80GB"]
    assert any("(GB/s)" in name for name in names)
    assert "[" not in rows[0][-1]  # titles of sources, not their numbers


def test_an_off_topic_question_is_refused_on_a_badge(page: Page) -> None:
    answer = ask(page, "今天北京的天气怎么样？")
    kinds = {SAY(f"kind-{kind}", "zh") for kind in ("out_of_scope", "unknown")}
    assert any(kind in answer.inner_text() for kind in kinds)


@pytest.mark.parametrize(
    "question",
    ["<img src=x onerror=alert(1)> $x^2$ *内存* :smile:", "内存 " * 6_667],
    ids=["markup", "long"],
)
def test_an_odd_question_is_shown_as_it_is(page: Page, question: str) -> None:
    ask(page, question)
    asked = page.get_by_test_id("stChatMessage").first.get_by_test_id("stText")
    assert asked.inner_text().strip() == question.strip()
    assert page.locator(".stMain :is(img, em, .katex)").count() == 0


def test_a_phone_has_no_sideways_scrolling(browser: Browser, app: str) -> None:
    with opened(browser, app, locale="zh-CN", width=390) as page:
        for question in (QUESTIONS["zh"], COMPARISON["zh"]):
            answer = ask(page, question)
            assert page.locator(".stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
        drawing = answer.locator('[class*="st-key-chart-"] svg.marks')
        drawing.wait_for()
        edge = drawing.evaluate("e => e.getBoundingClientRect().right")
        assert edge <= 390
