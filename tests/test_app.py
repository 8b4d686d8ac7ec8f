"""The page, run by Streamlit's AppTest with an assistant that needs no model and no graph."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from assistant.answer import Answer, Citation, Premise, Step, Table
from assistant.messages import MESSAGES, Messages
from assistant.pages import chart, citations, downloads, loading
from assistant.pages.chat import CATALOGUE_QUESTIONS
from assistant.pages.language import browser_language
from assistant.pages.literal import escape, literal
from assistant.pages.measures import measures, row_names
from assistant.pages.turns import MOST_CONTEXT, Turn
from kg.namespaces import TW

APP = Path(__file__).parent.parent / "app.py"
SAY = Messages.load(MESSAGES)
MARKUP = "<b>b</b> $x^2$ *i* _u_ ~~s~~ # h :smile: :red[r] [l](http://x.org) `c` a -> b | &lt; \\"

ANSWERS = {
    "memory": Answer(
        question="What is the minimum memory?",
        language="en",
        kind="answer",
        text="At least 128 GB of RAM are needed. [1]\nMore is better for large data sets. [2]",
        citations=(
            Citation(
                n=1,
                source="https://w3id.org/trainwright/data/guide",
                title="AI training server selection guide",
                section="四.1",
                statement="S412a",
                wording="At least 128 GB of memory.",
                quote="128",
            ),
            Citation(
                n=2,
                source="https://example.org/sheet",
                title="A data sheet with a rather long title, second edition",
                figure="figure-1",
                url="https://example.org/sheet",
                retrieved="2025-11-01",
            ),
        ),
        table=Table(["Device", "Memory (GB)"], [["A100", 80], ["H100", "80–94"], ["?", None]]),
        steps=(
            Step(
                "link",
                {"text": "min memory", "mentions": [{"text": "memory", "node": str(TW.Ram)}]},
            ),
            Step("rank", {"template": "requirement_of_scenario", "score": 0.93}),
            Step("bind", {"quantity": "twd:ram"}),
            Step("select", {"rows": 1}),
            Step("a-new-step", "some words"),
        ),
        template="requirement_of_scenario",
        sparql="SELECT ?x WHERE { ?x a tw:Statement } # comment",
        suggestions=("What about the disk?", "And the network?"),
        elapsed_ms=12.34,
    ),
    "premise": Answer(
        question="TPUs are made by NVIDIA, right?",
        language="en",
        kind="answer",
        text="TPUs are made by Google. [1]",
        premise=Premise(False, "TPUs are made by Google, not by NVIDIA *at all*."),
        citations=(Citation(n=1, source="twd:guide", title="guide", statement="S1"),),
    ),
    "unknown": Answer("?", "en", "unknown", "The graph does not say what it costs."),
    "weather": Answer("?", "en", "out_of_scope", "That is not about AI training servers."),
    "which": Answer(
        "?", "en", "needs_input", "Which one do you mean?", suggestions=("A100 memory", "H100")
    ),
    "内存": Answer(
        question="内存至少要多大？",
        language="zh",
        kind="answer",
        text="内存至少要 128 GB。[1]",
        citations=(
            Citation(n=1, source="twd:guide", title="选型指南", section="四.1", statement="S412a"),
        ),
    ),
}


class FakeAssistant:
    """Has an answer for some words, breaks on one, and says any other question back, everywhere."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def ask(self, question: str, context: Sequence[str] = ()) -> Answer:
        self.asked.append((question, tuple(context)))
        if "break" in question:
            raise RuntimeError("broken on purpose")
        for word, answer in ANSWERS.items():
            if word in question:
                return answer
        return Answer(
            question=question,
            language="en",
            kind="answer",
            text=question,
            premise=Premise(False, f"no {question}"),
            citations=(Citation(1, question, question, question, question, wording=question),),
            suggestions=(question,),
        )

    def suggested_questions(self, language: str) -> tuple[str, ...]:
        return ("内存至少要多大？", "*预算*有限怎么选？") if language == "zh" else ("What memory?",)


@pytest.fixture
def assistant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeAssistant]:
    fake = FakeAssistant()
    st.cache_resource.clear()
    monkeypatch.setenv("TRAINWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(loading, "load_assistant", lambda report: fake)
    yield fake
    st.cache_resource.clear()


@pytest.fixture
def page(assistant: FakeAssistant) -> AppTest:
    return shown(AppTest.from_file(APP, default_timeout=20).run())


def shown(page: AppTest) -> AppTest:
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    return shown(page.chat_input(key="question").set_value(question).run())


def press(page: AppTest, label: str) -> AppTest:
    return shown(next(b for b in page.button if b.label == label).click().run())


def texts(page: AppTest) -> list[str]:
    return [element.value for element in page.text]


def last_turn(page: AppTest) -> Any:
    return page.session_state["turns"][-1]


def open_part(page: AppTest, key: str) -> AppTest:
    page.session_state[key.format(last_turn(page).id)] = True
    return shown(page.run())


def test_an_empty_page_offers_questions_to_guide_and_catalogue(page: AppTest) -> None:
    labels = [button.label for button in page.button]
    assert labels[:2] == ["内存至少要多大？", r"\*预算\*有限怎么选？"]
    assert labels[2] == literal(SAY("catalogue-question-1", "zh"))
    assert len(labels) == 2 + len(CATALOGUE_QUESTIONS)


def test_a_pressed_example_is_asked_without_context(
    page: AppTest, assistant: FakeAssistant
) -> None:
    press(page, "内存至少要多大？")
    assert assistant.asked == [("内存至少要多大？", ())]
    assert "内存至少要 128 GB。[1]" in texts(page)
    assert page.button(key="clear")


def test_an_answer_shows_text_table_citations_and_reasoning(page: AppTest) -> None:
    ask(page, "What is the minimum memory?")
    answer = ANSWERS["memory"]
    assert answer.text in texts(page)
    for part in ("citation-{}-1", "citation-{}-2", "reasoning-{}"):
        open_part(page, part)
    seen = texts(page)
    assert {"S412a", "四.1", "At least 128 GB of memory.", "128", "2025-11-01"} <= set(seen)
    table = page.dataframe[0].value
    assert list(table["Device"]) == ["A100", "H100", "?"]
    assert list(table["Memory (GB)"].dropna()) == [80, 80]
    stated = SAY("table-stated", "zh", title="Memory (GB)")
    assert list(table[stated]) == ["", "80–94", ""]
    assert [code.value for code in page.code if code.language == "sparql"] == [answer.sparql]
    captions = " ".join(caption.value for caption in page.caption)
    assert literal(answer.template) in captions
    assert "12.3" in captions
    assert "a-new-step" in captions
    assert {"text: min memory", "score: 0.93", "rows: 1", "some words"} <= set(seen)
    assert page.dataframe[1].value.to_dict("records") == [{"text": "memory", "node": "tw:Ram"}]


def test_a_number_column_stays_numbers(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(["Device", "GB"], [["A", 80], ["B", 141.5], ["C", None]])
    monkeypatch.setitem(ANSWERS, "numbers", Answer("?", "en", "answer", "Some.", table=table))
    ask(page, "numbers")
    assert page.dataframe[0].value["GB"].dtype == "float64"


CARDS = Table(
    ["Name", "Form", "Memory (GB)", "带宽（双向合计） (GB/s)", "PCIe", "release year", "Source"],
    [
        ["A100", "SXM", 80, "2040 / 2000", 4, 2020, "[1][2]"],
        ["H100", "SXM", 80, 3350, 5, 2022, "[2]"],
        ["H100", "PCIe", 94, "1900–2000", 5, 2022, "[1]"],
        ["T4", "PCIe", None, 320.5, 3, 2018, None],
    ],
)


def with_table(page: AppTest, patch: pytest.MonkeyPatch, table: Table) -> AppTest:
    sources = tuple(Citation(n, "x", f"Source {n}", figure="twd:f") for n in (1, 2))
    answer = Answer("?", "en", "answer", "Some.", table=table, citations=sources)
    patch.setitem(ANSWERS, "numbers", answer)
    return ask(page, "numbers")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The charts that the page drew, newest last, as Vega-Lite."""
    specs: list[dict[str, Any]] = []
    monkeypatch.setattr(st, "altair_chart", lambda made, **_: specs.append(made.to_dict()))
    return specs


def values(spec: dict[str, Any], field: str, layer: int = 0) -> list[Any]:
    """What the rows of a chart, or of one of its layers, hold in a field."""
    data = spec["layer"][layer].get("data") if "layer" in spec else None
    return [row[field] for row in spec["datasets"][(data or spec["data"])["name"]]]


def test_only_numbers_with_a_unit_are_compared() -> None:
    titles = [m.title for m in measures(CARDS)]
    assert titles == ["Memory (GB)", "带宽（双向合计） (GB/s)"]


def test_rows_of_one_name_are_told_apart_by_what_else_is_said() -> None:
    assert row_names(CARDS) == ["A100 · SXM", "H100 · SXM", "H100 · PCIe", "T4 · PCIe"]


def test_a_table_that_begins_with_numbers_names_no_rows() -> None:
    assert row_names(Table(["GB (GB)", "Name"], [[1, "a"], [2, "b"]])) is None


def test_bars_show_the_chosen_column_in_the_order_of_the_table(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, drawn: list[dict[str, Any]]
) -> None:
    with_table(page, monkeypatch, CARDS)
    (spec,) = drawn
    assert values(spec, "name") == ["A100 · SXM", "H100 · SXM", "H100 · PCIe"]
    assert values(spec, "number") == [80, 80, 94]
    assert spec["layer"][0]["encoding"]["x"]["title"] == "Memory (GB)"
    assert SAY("chart-some", "zh", n=3, total=4) in [c.value for c in page.caption]
    shown(page.selectbox[0].set_value(1).run())
    spec = drawn[-1]
    assert values(spec, "number") == [2040, 3350, 1900, 320.5]
    assert values(spec, "stated") == ["2040 / 2000", "3350", "1900–2000", "320.5"]
    assert values(spec, "number", layer=3) == [2000, 2000]
    assert SAY("chart-stated", "zh") in [c.value for c in page.caption]


def test_two_quantities_can_be_seen_against_each_other(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, drawn: list[dict[str, Any]]
) -> None:
    with_table(page, monkeypatch, CARDS)
    shown(page.segmented_control(key=f"view-{last_turn(page).id}").set_value("scatter").run())
    spec = drawn[-1]
    assert values(spec, "across") == [80, 80, 94]
    assert values(spec, "up") == [2040, 3350, 1900]
    assert spec["encoding"]["tooltip"][0]["field"] == "name"
    assert spec["encoding"]["y"]["title"] == "带宽（双向合计） (GB/s)"


@pytest.mark.parametrize(
    "table",
    [
        Table(["Name", "Memory (GB)", "Source"], [["A", 80, "[1]"]]),
        Table(["Name", "release year"], [["A", 2020], ["B", 2022]]),
        Table(["Name", "Vendor"], [["A", "x"], ["B", "y"]]),
        Table(["Name", "Memory (GB)"], [["A", "80 GB"], ["B", "more"]]),
        Table(["Name", "Memory (GB)"], [["A", None], ["B", 80]]),
        Table(["Name", "Memory (GB)"], []),
    ],
    ids=["one-row", "years", "text", "numbers-in-words", "one-figure", "no-row"],
)
def test_where_nothing_is_compared_there_is_no_chart(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, drawn: list[dict[str, Any]], table: Table
) -> None:
    with_table(page, monkeypatch, table)
    assert drawn == []


def test_a_long_table_is_drawn_in_part_and_says_so(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, drawn: list[dict[str, Any]]
) -> None:
    table = Table(["Name", "Power (W)"], [[f"card {n}", 100 + n] for n in range(60)])
    with_table(page, monkeypatch, table)
    assert len(values(drawn[0], "name")) == chart.MOST_BARS
    note = SAY("chart-some", "zh", n=chart.MOST_BARS, total=60)
    assert note in [c.value for c in page.caption]


@pytest.mark.parametrize(("largest", "mark"), [(400, "bar"), (21_000_000, "circle")])
def test_figures_of_very_different_size_are_dots(
    page: AppTest,
    monkeypatch: pytest.MonkeyPatch,
    drawn: list[dict[str, Any]],
    largest: int,
    mark: str,
) -> None:
    table = Table(["Name", "Bandwidth (GB/s)"], [["A", largest], ["B", 320]])
    with_table(page, monkeypatch, table)
    layer = drawn[0]["layer"][0]
    assert layer["mark"]["type"] == mark
    assert (layer["encoding"]["x"]["scale"].get("type") == "log") == (mark == "circle")


def test_the_csv_download_has_the_cells_and_the_titles_of_their_sources() -> None:
    sources = (Citation(1, "x", "Sheet, second edition"), Citation(2, "y", "数据集"))
    answer = Answer("?", "en", "answer", "Some.", table=CARDS, citations=sources)
    rows = list(csv.reader(downloads.as_csv(answer).decode("utf-8-sig").splitlines()))
    assert rows[0] == CARDS.columns
    last = "Sheet, second edition; 数据集"
    assert rows[1] == ["A100", "SXM", "80", "2040 / 2000", "4", "2020", last]
    assert rows[4] == ["T4", "PCIe", "", "320.5", "3", "2018", ""]


def test_a_source_of_figures_has_a_place_and_not_a_section() -> None:
    say = SAY.in_language("en")
    source = Citation(1, "x", "Sheet", section="page 3 · 2026-01", figure="twd:f")
    assert citations.described(source, say) == [
        (say("citation-place"), "page 3 · 2026-01"),
        (say("citation-figure"), "twd:f"),
    ]


def test_many_sources_are_folded_into_a_table(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(
        Citation(n, "x", f"Source {n}", figure="twd:f", url=url)
        for n, url in enumerate(["https://example.org", "javascript:alert(1)"] * 6, start=1)
    )
    answer = Answer("?", "en", "answer", "Some.", citations=many)
    monkeypatch.setitem(ANSWERS, "many", answer)
    ask(page, "many")
    assert not page.dataframe
    open_part(page, "sources-{}")
    table = page.dataframe[0].value
    assert list(table[SAY("citation-title", "zh")]) == [c.title for c in many]
    assert set(table[SAY("citation-open", "zh")].dropna()) == {"https://example.org"}


def test_a_table_without_rows_is_no_error(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Answer("?", "en", "answer", "None.", table=Table(["Device"], []))
    monkeypatch.setitem(ANSWERS, "nothing", answer)
    ask(page, "nothing")
    assert list(page.dataframe[0].value.columns) == ["Device"]
    assert page.dataframe[0].value.empty


@pytest.mark.parametrize(
    ("question", "kind"),
    [("unknown", "unknown"), ("weather", "out_of_scope"), ("which", "needs_input")],
)
def test_not_being_able_to_answer_is_said_on_a_badge(
    page: AppTest, question: str, kind: str
) -> None:
    ask(page, question)
    assert any(SAY(f"kind-{kind}", "zh") in element.value for element in page.markdown)
    assert ANSWERS[question].text in texts(page)


def test_a_wrong_premise_stands_in_a_callout(page: AppTest) -> None:
    ask(page, "a premise")
    (callout,) = page.warning
    assert "TPUs are made by Google. [1]" in texts(page)
    assert r"not by NVIDIA \*at all\*." in callout.value


def test_a_correction_that_begins_the_answer_is_not_said_twice(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    premise = Premise(False, "No: 128 GB. [1]")
    answer = Answer("?", "en", "answer", "No: 128 GB. [1] An example. [2]", premise=premise)
    monkeypatch.setitem(ANSWERS, "twice", answer)
    ask(page, "twice")
    assert "An example. [2]" in texts(page)


def test_the_questions_before_are_the_context_of_the_next(
    page: AppTest, assistant: FakeAssistant
) -> None:
    for question in ("memory of A100?", "which H100?", "and the unknown?"):
        ask(page, question)
    assert assistant.asked == [
        ("memory of A100?", ()),
        ("which H100?", ("memory of A100?",)),
        ("and the unknown?", ("memory of A100?", "which H100?")),
    ]


def test_a_long_conversation_passes_on_its_last_questions() -> None:
    said = tuple(map(str, range(20)))
    assert Turn("20", said, None).conversation() == (*said[-MOST_CONTEXT + 1 :], "20")


def test_a_suggestion_is_asked_in_the_context_of_its_own_answer(
    page: AppTest, assistant: FakeAssistant
) -> None:
    ask(page, "which?")
    ask(page, "weather?")
    press(page, "A100 memory")
    assert assistant.asked[-1] == ("A100 memory", ("which?",))
    assert [turn.question for turn in page.session_state["turns"]][-1] == "A100 memory"


def test_a_question_that_breaks_the_assistant_leaves_the_conversation(page: AppTest) -> None:
    ask(page, "memory")
    ask(page, "break")
    assert [error.value for error in page.error] == [SAY("ask-failed", "zh")]
    assert ANSWERS["memory"].text in texts(page)
    ask(page, "weather")
    assert len(page.session_state["turns"]) == 3


def test_the_conversation_can_be_cleared(page: AppTest) -> None:
    ask(page, "memory")
    shown(page.button(key="clear").click().run())
    assert page.session_state["turns"] == []
    assert page.button(key="example-0")


def test_the_language_switch_changes_labels_and_leaves_answers(page: AppTest) -> None:
    ask(page, "内存")
    shown(page.segmented_control(key="language").set_value("en").run())
    assert page.button(key="clear").label == SAY("clear", "en")
    assert page.chat_input(key="question").placeholder == SAY("question-placeholder", "en")
    assert "内存至少要 128 GB。[1]" in texts(page)


@pytest.mark.parametrize(
    ("locale", "language"),
    [(None, "zh"), ("zh-CN", "zh"), ("ZH", "zh"), ("en-GB", "en"), ("de", "en")],
)
def test_the_browser_settles_the_first_language(locale: str | None, language: str) -> None:
    assert browser_language(locale) == language


@pytest.mark.parametrize(
    "question", [MARKUP, "问" * 20_000, "a" * 20_000], ids=["markup", "zh", "en"]
)
def test_any_question_is_shown_as_it_is(page: AppTest, question: str) -> None:
    ask(page, question)
    assert texts(page).count(question.strip()) >= 2
    label = literal(question)
    assert page.button(key=f"suggestion-{last_turn(page).id}-0").label == label
    assert page.warning[0].value == SAY("premise", "zh", correction=f"no {label}")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a*b_c", r"a\*b\_c"),
        ("- a", r"\- a"),
        ("12. a\n + b", "12\\. a\n \\+ b"),
        ("80-94 GB (1.5 TB/s)", "80-94 GB (1.5 TB/s)"),
        ("$5 :smile: <b>", r"\$5 \:smile\: \<b\>"),
    ],
)
def test_markdown_is_escaped_only_where_it_would_format(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_sessions_share_the_assistant_and_nothing_else(
    page: AppTest, assistant: FakeAssistant
) -> None:
    ask(page, "memory")
    other = shown(AppTest.from_file(APP, default_timeout=20).run())
    assert other.button(key="example-0")
    ask(other, "weather")
    assert assistant.asked == [("memory", ()), ("weather", ())]


def test_a_thumb_is_kept_and_can_be_taken_back(page: AppTest, tmp_path: Path) -> None:
    ask(page, "memory")
    for thumb in (1, 0, None):
        shown(page.feedback[0].set_value(thumb).run())
    lines = (tmp_path / "feedback.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["rating"] for line in lines] == ["up", "down", None]
    assert {json.loads(line)["question"] for line in lines} == {"memory"}


def test_nothing_is_stored_without_a_thumb(page: AppTest, tmp_path: Path) -> None:
    ask(page, "memory")
    assert list(tmp_path.iterdir()) == []


def test_a_thumb_that_cannot_be_kept_is_said(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("TRAINWRIGHT_HOME", str(tmp_path / "file"))
    ask(page, "memory")
    shown(page.feedback[0].set_value(1).run())
    assert SAY("feedback-failed", "zh", reason="")[:4] in page.toast[0].value


def test_loading_that_fails_names_the_reason_and_can_be_tried_again(
    assistant: FakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(report: Callable[[str, float], None]) -> None:
        raise ValueError("core.ttl: not *valid*")

    with monkeypatch.context() as patch:
        patch.setattr(loading, "load_assistant", fail)
        page = shown(AppTest.from_file(APP, default_timeout=20).run())
    assert r"core.ttl\: not \*valid\*" in page.error[0].value
    assert not page.chat_input
    shown(page.button(key="load-again").click().run())
    assert not page.error
    assert page.button(key="example-0")


def test_loading_reports_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, fake = threading.Event(), FakeAssistant()

    def load(report: Callable[[str, float], None]) -> FakeAssistant:
        report("building-index", 1.5)
        go_on.wait(20)
        return fake

    monkeypatch.setattr(loading, "load_assistant", load)
    started = loading.Loading()
    assert not started.wait(0.2)
    assert (started.stage, started.fraction) == ("building-index", 1.0)
    go_on.set()
    assert started.wait(20)
    assert started.result() is fake


def test_the_json_download_is_the_answer_as_the_command_line_gives_it() -> None:
    answer = ANSWERS["memory"]
    assert json.loads(downloads.as_json(answer)) == json.loads(json.dumps(answer.as_dict()))


def test_the_markdown_download_names_answer_table_sources_and_query() -> None:
    text = downloads.as_markdown(ANSWERS["memory"], SAY.in_language("en"))
    assert text.startswith("# What is the minimum memory?\n")
    assert "At least 128 GB of RAM are needed. \\[1\\]" in text
    assert "| Device | Memory (GB) |\n| --- | --- |\n| A100 | 80 |" in text
    assert "S412a" in text
    assert "<https://example.org/sheet>" in text
    assert "```sparql\nSELECT" in text


def test_the_markdown_download_says_what_the_answer_is_not() -> None:
    say = SAY.in_language("zh")
    assert say("kind-unknown") in downloads.as_markdown(ANSWERS["unknown"], say)
    assert "> **" in downloads.as_markdown(ANSWERS["premise"], say)
