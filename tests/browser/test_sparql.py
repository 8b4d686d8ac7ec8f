"""The SPARQL page in a browser: the real editor, the real executor, the real graph."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from rdflib import Graph

from assistant.messages import MESSAGES, Messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

SAY = Messages.load(MESSAGES).in_language("en")
LOADED = 60_000
MEMORY = (
    "SELECT ?device ?memory ?unit { ?device a tw:GPU . ?figure tw:figureOf ?device ; "
    "tw:ofQuantity twd:accelerator-memory ; qudt:numericValue ?memory ; qudt:unit ?unit } "
    "ORDER BY DESC(?memory) ?device LIMIT 12"
)
SLOW = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?a != ?g) "


@pytest.fixture
def context(browser: Browser, app: str) -> Iterator[BrowserContext]:
    """Give a browser of an English reader; its pages may ask no other server."""
    addresses: list[str] = []
    with browser.new_context(locale="en-US", viewport={"width": 1180, "height": 1000}) as context:
        context.on("request", lambda request: addresses.append(request.url))
        context.on("weberror", lambda error: pytest.fail(str(error.error)))
        yield context
    hosts = {urlsplit(url).netloc for url in addresses if url.startswith(("http", "ws"))}
    assert hosts <= {urlsplit(app).netloc}


@pytest.fixture
def page(context: BrowserContext, app: str) -> Page:
    page = context.new_page()
    opened(page, f"{app}/sparql")
    return page


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.locator(".cm-content").wait_for(timeout=LOADED)
    settled(page)
    return page


def settled(page: Page) -> None:
    """Wait for the end of the run that a click or a key has begun."""
    page.wait_for_timeout(150)
    page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=LOADED)


def new_query(page: Page, text: str) -> Locator:
    before = page.locator(".st-key-sparql-tab button").count()
    page.get_by_role("button", name=SAY("sparql-new")).click()
    page.locator(".st-key-sparql-tab button").nth(before).wait_for()
    settled(page)
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.type(text)
    return editor


def run(page: Page) -> None:
    page.get_by_role("button", name=SAY("sparql-run"), exact=True).click()
    settled(page)


def choose_example(page: Page, words: str) -> None:
    page.locator(".st-key-sparql-example input").click()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    settled(page)


def size(page: Page) -> Locator:
    return page.get_by_test_id("stCaptionContainer").filter(has_text="Rows: ")


def test_a_query_is_typed_completed_and_run(page: Page) -> None:
    editor = new_query(page, "SELECT ?d { ?d a tw:GP")
    option = page.locator(".cm-tooltip-autocomplete li", has_text="tw:GPU")
    option.wait_for()
    page.wait_for_timeout(200)  # the editor takes no key for a choice that has just come up
    page.keyboard.press("Enter")
    page.keyboard.type(" ; vendo")
    page.locator(".cm-tooltip-autocomplete li", has_text="is made by").click()
    page.keyboard.type(" ?v ")
    assert " ".join(editor.inner_text().split()) == (
        "PREFIX tw: <https://w3id.org/trainwright/ontology#> "
        "SELECT ?d { ?d a tw:GPU ; tw:vendor ?v }"
    )
    page.keyboard.press("Control+Enter")
    page.get_by_test_id("stDataFrame").wait_for()
    assert size(page).is_visible()


def test_an_iri_in_a_table_leads_to_its_description(page: Page, app: str) -> None:
    query = "SELECT ?s ?o { VALUES ?s { tw:GPU } ?s rdfs:label|rdfs:subClassOf ?o } ORDER BY ?o"
    opened(page, f"{app}/sparql?query={quote(query)}")
    table = page.get_by_test_id("stDataFrame")
    table.locator("canvas").first.wait_for()
    box = table.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 54)  # IRIs sort before labels
    page.get_by_role("button", name=SAY("sparql-describe")).click()
    page.get_by_text(SAY("describe-said"), exact=True).wait_for()
    opened(page, f"{app}/sparql?query={quote(query)}")
    table.locator("canvas").first.wait_for()
    page.wait_for_timeout(500)
    page.mouse.click(box["x"] + 24, box["y"] + 54)  # chooses the cell
    page.wait_for_timeout(500)
    with page.context.expect_page() as other:
        page.mouse.click(box["x"] + 24, box["y"] + 54)
    other.value.get_by_role("heading", name="GPU", exact=True).wait_for(timeout=LOADED)


def test_what_is_typed_last_is_what_a_click_runs(page: Page) -> None:
    new_query(page, "ASK { ?d a tw:GPU ")
    run(page)
    page.get_by_role("heading", name=SAY("sparql-yes")).wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("ASK { ?d a tw:Nothing ")
    run(page)
    page.get_by_role("heading", name=SAY("sparql-no"), exact=True).wait_for()


def test_keywords_variables_names_and_lines_are_told_apart(page: Page, app: str) -> None:
    opened(page, f"{app}/sparql?query={quote(MEMORY)}")
    colours = {
        word: page.locator(".cm-line span", has_text=word).first.evaluate(
            "e => getComputedStyle(e).color"
        )
        for word in ("SELECT", "?device", "tw:GPU")
    }
    assert len(set(colours.values())) == 3
    assert page.locator(".cm-lineNumbers .cm-gutterElement", has_text="1").first.is_visible()


def test_an_error_is_marked_where_it_is(page: Page) -> None:
    new_query(page, "SELECT ?x {\n?x a tw:GPU .\nFILTR(?x)")
    run(page)
    marked = page.locator(".cm-lintRange-error")
    marked.wait_for()
    assert marked.inner_text() == "FILTR"
    assert page.locator(".cm-lint-marker-error").count() == 1
    assert "Line 4, column" in page.get_by_test_id("stAlert").inner_text()


def test_a_query_is_laid_out(page: Page) -> None:
    editor = new_query(page, "select ?x {?x a tw:GPU; tw:vendor ?v")
    page.get_by_role("button", name=SAY("sparql-format")).click()
    page.locator(".cm-line", has_text="  ?x a tw:GPU ;").wait_for()
    assert "SELECT ?x {" in editor.inner_text()
    settled(page)
    page.keyboard.press("Control+a")
    editor.press("Control+z")  # the reader can take it back
    assert "select ?x" in editor.inner_text()


def test_numbers_are_drawn_with_their_unit(page: Page, app: str) -> None:
    opened(page, f"{app}/sparql?query={quote(MEMORY)}")
    page.get_by_role("tab", name=SAY("sparql-chart")).click()
    chart = page.get_by_test_id("stVegaLiteChart")
    chart.locator("canvas, svg").first.wait_for()
    for kind in ("line", "scatter", "bar"):
        page.get_by_role("radio", name=SAY(f"sparql-chart-{kind}")).click()
        settled(page)
        chart.locator("canvas, svg").first.wait_for()
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "xml"])
def test_rows_are_downloaded(page: Page, app: str, tmp_path: Path, form: str) -> None:
    opened(page, f"{app}/sparql?query={quote(MEMORY)}")
    text = downloaded(page, form.upper(), tmp_path)
    if form == "csv":
        rows = list(csv.reader(text.splitlines()))
        assert rows[0] == ["device", "memory", "unit"]
        assert len(rows) == 13
    if form == "json":
        assert len(json.loads(text)["results"]["bindings"]) == 12
    assert text.count("accelerator-") >= 12


@pytest.mark.parametrize(
    ("name", "form"), [("Turtle", "turtle"), ("JSON-LD", "json-ld"), ("N-Triples", "nt")]
)
def test_graphs_are_downloaded(page: Page, app: str, tmp_path: Path, name: str, form: str) -> None:
    opened(page, f"{app}/sparql?query={quote('DESCRIBE twd:nvidia-a100')}")
    assert len(Graph().parse(data=downloaded(page, name, tmp_path), format=form)) >= 10


def downloaded(page: Page, name: str, folder: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    download.value.save_as(folder / "result")
    return (folder / "result").read_text(encoding="utf-8")


def test_a_shared_link_gives_the_same_result_in_a_new_tab(
    page: Page, context: BrowserContext, app: str, tmp_path: Path
) -> None:
    opened(page, f"{app}/sparql?query={quote(MEMORY)}")
    before = downloaded(page, "CSV", tmp_path)
    page.get_by_role("button", name=SAY("sparql-share")).click()
    body = page.get_by_test_id("stPopoverBody")
    link = body.locator("code", has_text="query=").first
    link.wait_for()
    other = opened(context.new_page(), link.inner_text())
    other.get_by_test_id("stDataFrame").wait_for()
    assert downloaded(other, "CSV", tmp_path) == before
    assert other.locator(".cm-content").inner_text() == page.locator(".cm-content").inner_text()
    assert "curl" in body.inner_text()


def test_a_slow_query_is_stopped(page: Page) -> None:
    new_query(page, SLOW)
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name=SAY("sparql-stop")).click()
    page.get_by_test_id("stAlert").filter(has_text=SAY("sparql-stopped")).wait_for(timeout=5000)
    page.keyboard.press("Escape")
    choose_example(page, SAY("sparql-query-statements-by-topic"))
    page.get_by_test_id("stDataFrame").wait_for()


def test_queries_are_there_after_a_reload(page: Page) -> None:
    new_query(page, "# remember me")
    run(page)
    page.reload()
    page.locator(".cm-content", has_text="# remember me").wait_for(timeout=LOADED)


def test_a_graph_is_drawn_explored_and_described(page: Page) -> None:
    choose_example(page, SAY("sparql-query-describe-a-line"))
    node = page.locator(".node.iri", has_text="Ampere").or_(page.locator(".node.iri")).first
    node.wait_for()
    before = page.locator(".node").count()
    page.locator(".node.iri", has_text="NVIDIA").last.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name=SAY("sparql-explore")).click()
    settled(page)
    page.wait_for_timeout(500)
    assert page.locator(".node").count() > before
    page.get_by_role("button", name=SAY("sparql-describe"), exact=True).click()
    page.get_by_text(SAY("describe-said"), exact=True).wait_for()
    assert "/describe?" in page.url


def test_an_answers_query_opens_in_one_click(context: BrowserContext, app: str) -> None:
    page = context.new_page()
    page.goto(app)
    box = page.get_by_test_id("stChatInputTextArea")
    box.wait_for(timeout=LOADED)
    box.fill("What is the minimum amount of memory recommended for the server?")
    box.press("Enter")
    page.get_by_role("button", name=SAY("sparql-open")).click()
    page.locator(".cm-content").wait_for(timeout=LOADED)
    page.get_by_test_id("stDataFrame").wait_for()
    assert page.url.startswith(f"{app}/sparql")
    assert "SELECT" in page.locator(".cm-content").inner_text()


@pytest.mark.parametrize("place", ["sparql?query=" + quote(MEMORY), "describe?iri=twd:nvidia-a100"])
def test_a_phone_has_no_sideways_scrolling(browser: Browser, app: str, place: str) -> None:
    with browser.new_page(locale="zh-CN", viewport={"width": 390, "height": 900}) as page:
        page.goto(f"{app}/{place}")
        page.get_by_test_id("stDataFrame").or_(page.locator(".node")).first.wait_for(timeout=LOADED)
        settled(page)
        assert page.locator(".stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
