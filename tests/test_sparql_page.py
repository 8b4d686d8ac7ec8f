"""The SPARQL page without a browser: its files, its layout of queries, its results, its texts."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import streamlit as st
from rdflib import Literal, URIRef
from rdflib.namespace import XSD
from streamlit.testing.v1 import AppTest

from assistant.messages import MESSAGES, Messages
from assistant.pages import sparql, sparql_executor, sparql_result
from assistant.pages.sparql_clients import as_curl, as_python
from assistant.pages.sparql_examples import QUERIES, catalogue, filled, templates
from assistant.pages.sparql_executor import labels, name_of, names, short_or_whole
from assistant.pages.sparql_format import formatted
from assistant.pages.sparql_result import Column
from assistant.pages.sparql_tabs import QueryFolder, Tab
from assistant.templates import TEMPLATES
from kg import ONTOLOGY, Executor, Limits, QueryResult
from kg.guard import admit, declare_prefixes
from kg.namespaces import TW, TWD, UNIT

SAY = Messages.load(MESSAGES)
UGLY = (
    "prefix ex:<http://example.org/> select distinct ?a (count(?b) as ?n) where{?a a tw:GPU;"
    "tw:vendor ?b,?c . # kept\n optional{?a tw:x ?y; tw:z ?w}filter(?b>5 && ?c<3)"
    "values ?x {1 2} {?a ?b 'a # no comment'@en} union {select ?z {?z ?p ?q} limit 3}}"
    "order by desc(?n) limit 5"
)
LAID_OUT = """\
PREFIX ex:<http://example.org/>
SELECT DISTINCT ?a (COUNT(?b) AS ?n) WHERE {
  ?a a tw:GPU ;
    tw:vendor ?b, ?c . # kept
  OPTIONAL { ?a tw:x ?y ; tw:z ?w }
  FILTER(?b>5 && ?c<3)
  VALUES ?x { 1 2 }
  { ?a ?b 'a # no comment'@en } UNION {
    SELECT ?z { ?z ?p ?q }
    LIMIT 3
  }
}
ORDER BY DESC(?n)
LIMIT 5
"""
SLOW = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?a != ?g) }"


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with Executor.start([ONTOLOGY], workers=2) as executor:
        yield executor


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    st.cache_resource.clear()
    monkeypatch.setenv("TRAINWRIGHT_HOME", str(tmp_path))
    yield tmp_path
    st.cache_resource.clear()


def page(query: str | None = None, language: str = "English") -> AppTest:
    def script() -> None:
        from assistant.pages import sparql

        sparql.page()

    app = AppTest.from_function(script, default_timeout=30)
    app.query_params["language"] = language
    if query is not None:
        app.query_params["query"] = query
    return shown(app.run())


def shown(app: AppTest) -> AppTest:
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return "\n".join(str(e.value) for e in (*app.caption, *app.markdown, *app.info, *app.error))


# The layout of queries


def test_a_query_is_laid_out() -> None:
    assert formatted(UGLY) == LAID_OUT
    assert formatted(LAID_OUT) == LAID_OUT


@pytest.mark.parametrize(
    "path", [*TEMPLATES.glob("*.rq"), *QUERIES.glob("*.rq")], ids=lambda path: path.stem
)
def test_a_layout_changes_no_meaning(path: Path) -> None:
    query = path.read_text(encoding="utf-8")
    for written in (query, " ".join(query.split()) if "#" not in query else query):
        assert admit(formatted(written)).text == admit(query).text
    assert [c for c in query.splitlines() if c.startswith("#")] == [
        c for c in formatted(query).splitlines() if c.startswith("#")
    ]


@pytest.mark.parametrize("query", ["", "select ?x where {", "} } ) (", "'open", "<a> # \u4e2d"])
def test_what_is_no_query_keeps_all_its_signs(query: str) -> None:
    assert "".join(formatted(query).split()).lower() == "".join(query.split())


# Files


def test_queries_survive_a_restart(tmp_path: Path) -> None:
    folder = QueryFolder(tmp_path / "queries")
    first = folder.save(Tab.new("Memory\n of GPUs", "SELECT *\r\n{ ?s ?p ?o }"))
    folder.save(Tab.new("\u67e5\u8be2", "ASK { }"))
    (tmp_path / "queries" / "own.rq").write_text("ASK { ?s ?p ?o }", encoding="utf-8")
    (tmp_path / "queries" / "cut-off.part").write_text("ASK {", encoding="utf-8")
    tabs = QueryFolder(tmp_path / "queries").load()
    assert [tab.name for tab in tabs] == ["Memory of GPUs", "\u67e5\u8be2", "own"]
    assert tabs[0].text == first.text
    assert tabs[2].text == "ASK { ?s ?p ?o }"


def test_what_another_session_wrote_is_not_overwritten(tmp_path: Path) -> None:
    folder = QueryFolder(tmp_path)
    ours = folder.save(Tab.new("Ours", "ASK { 1 }"))
    (theirs,) = folder.load()
    folder.save(theirs.typed("ASK { 2 }"))
    kept = folder.save(ours.typed("ASK { 3 }"))
    assert {tab.text for tab in folder.load()} == {"ASK { 2 }", "ASK { 3 }"}
    assert kept.id == ours.id
    folder.save(kept.typed("ASK { 4 }"))
    assert {tab.text for tab in folder.load()} == {"ASK { 2 }", "ASK { 4 }"}
    folder.delete(ours)
    assert len(folder.load()) == 2


def test_a_renamed_query_keeps_its_text_and_a_deleted_one_is_gone(tmp_path: Path) -> None:
    folder = QueryFolder(tmp_path)
    tab = folder.save(Tab.new("Old", "ASK { }"))
    tab = folder.save(tab.renamed(" "))
    assert tab.name == "Old"
    tab = folder.save(tab.renamed("New"))
    assert [(t.name, t.text) for t in folder.load()] == [("New", "ASK { }")]
    folder.delete(tab)
    assert folder.load() == []


# Examples


def test_each_template_opens_with_its_parameters_filled(executor: Executor) -> None:
    found = templates()
    assert len(found) >= 20
    for example in found:
        assert set(example.labels) == {"zh", "en"}
        query = filled(example, executor)
        assert ("VALUES" in query) == (bool(example.parameters) or "VALUES" in example.query)
        assert len(executor.run(query)) > 0, example.key


def test_each_query_on_the_catalogue_gives_something(executor: Executor) -> None:
    for language in ("zh", "en"):
        found = catalogue(SAY.in_language(language), language)
        assert len(found) >= 9
    for example in found:
        assert example.labels["en"]
        assert len(executor.run(filled(example, executor))) > 0, example.key


# Programs


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?d { ?d a tw:GPU FILTER(STR(?d) != 'it''s') }",
        'ASK { ?s ?p "a\\"b" }',
        "DESCRIBE tw:GPU",
    ],
)
def test_a_query_is_carried_whole_to_curl_and_python(query: str) -> None:
    whole = declare_prefixes(query).strip()
    assert shlex.split(as_curl(query))[-1] == f"query={whole}"
    (assigned,) = (
        n
        for n in ast.parse(as_python(query)).body
        if isinstance(n, ast.Assign) and n.targets[0].id == "query"
    )
    assert ast.literal_eval(assigned.value).strip() == whole
    wanted = "text/turtle" if query.startswith("DESCRIBE") else "application/sparql-results+json"
    assert wanted in as_curl(query)
    assert wanted in as_python(query)


# Names


def test_nodes_are_called_in_the_language_units_by_symbol_and_figures_by_value(
    executor: Executor,
) -> None:
    nodes = [TW.Workload, UNIT.GigaBYTE, TWD["figure-S53b"], URIRef("https://example.org/none")]
    english, chinese = labels(executor, nodes, "en"), labels(executor, nodes, "zh")
    assert english[str(TW.Workload)] == "workload"
    assert chinese[str(TW.Workload)] != "workload"
    assert english[str(UNIT.GigaBYTE)] == "GB"
    assert english[str(TWD["figure-S53b"])].startswith("8")
    assert name_of(nodes[-1], english) == "https://example.org/none"
    assert labels(executor, [URIRef("no iri> } DROP"), URIRef("")], "en") == {}


def test_classes_properties_and_entities_can_be_completed(executor: Executor) -> None:
    found = {name.short: name for name in names(executor)}
    assert found["tw:GPU"].kind == "class"
    assert {found[name].kind for name in ("tw:vendor", "skos:altLabel")} == {"property"}
    assert found["twd:nvidia-a100"].kind == "entity"
    assert set(dict(found["tw:vendor"].labels)) == {"zh", "en"}
    for short in found:
        admit(f"ASK {{ ?s ?p {short} }}")


def test_an_iri_is_written_short_only_where_that_reads_the_same() -> None:
    assert short_or_whole(TW.GPU) == "tw:GPU"
    assert short_or_whole(URIRef(f"{TWD}a/b")) == f"<{TWD}a/b>"
    assert short_or_whole(URIRef("https://example.org/")) == "<https://example.org/>"


# Results


def test_columns_know_numbers_links_and_units() -> None:
    numbers = Column("value", (Literal("80.5", datatype=XSD.decimal), None, Literal(7)))
    unit = Column("unit", (UNIT.GigaBYTE, UNIT.GigaBYTE, None))
    mixed = Column("mixed", (TW.GPU, Literal("text"), None))
    assert numbers.numbers
    assert not numbers.links
    assert unit.links
    assert not mixed.links
    assert not mixed.numbers
    assert not Column("empty", (None,)).numbers
    known = {str(UNIT.GigaBYTE): "GB"}
    assert sparql_result._title(numbers, [numbers, unit], known) == "value (GB)"
    both = Column("unit", (UNIT.GigaBYTE, UNIT.W))
    assert sparql_result._title(numbers, [numbers, both], known) == "value"
    assert sparql_result.number(Literal("many", datatype=XSD.integer)) is None
    assert sparql_result.number(Literal("INF", datatype=XSD.double)) is None


def test_bars_of_one_name_stand_side_by_side_and_are_not_added() -> None:
    device = Column("device", (TW.A, TW.A, TW.A, TW.B))
    value = Column("value", (Literal(80), Literal(80), Literal(96), Literal(40)))
    chart = sparql_result._chart([device, value], {}, "bar", "device", "value", None).to_dict()
    (points,) = chart["datasets"].values()
    assert [(p["x"], p["y"], p["nth"]) for p in points] == [
        ("tw:A", 80, 1),
        ("tw:A", 96, 2),
        ("tw:B", 40, 1),
    ]
    assert chart["encoding"]["yOffset"]["field"] == "nth"
    assert chart["encoding"]["x"]["stack"] is None


@pytest.mark.parametrize("kind", sparql_result.CHARTS)
def test_each_chart_is_valid_with_odd_column_names(kind: str) -> None:
    year = Column("a.b[0]", (Literal(2020), Literal(2021)))
    value = Column("y:z", (Literal(1.5), Literal(2)))
    chart = sparql_result._chart([year, value], {}, kind, "a.b[0]", "y:z", "y:z").to_dict()
    assert chart["encoding"]["y"]["title"] == "y:z"


# The page


def test_a_shared_query_runs_and_its_rows_have_labels_and_links(home: Path) -> None:
    query = (
        "SELECT ?device ?n ?unit { ?f tw:figureOf ?device ; qudt:numericValue ?n ; "
        "qudt:unit ?unit } LIMIT 3"
    )
    app = page(query)
    assert "Rows: 3" in said(app)
    table = app.dataframe[0].value
    assert list(table.columns) == ["device", "n", "unit"]
    address = parse_qs(urlsplit(table["device"][0]).query)
    assert address["iri"][0].startswith(str(TWD))
    assert address["label"][0]
    assert all("label=" in unquote(link) for link in table["unit"])
    assert not (home / "queries").exists(), "nobody has changed anything yet"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT ?x {\n FILTR(?x) }", "Line 2, column 2"),
        ("SELECT * { SERVICE <http://x.org/> { } }", "Refused, at line 1, column 12"),
        ("DROP ALL", "updates are not accepted"),
        ("SELECT * { FILTER(false) }", "no row fits"),
        ("CONSTRUCT { ?s a ?o } WHERE { FILTER(false) . ?s a ?o }", "no triples"),
    ],
)
def test_the_page_says_why_there_is_no_result(home: Path, query: str, words: str) -> None:
    assert words in said(page(query))


def test_the_page_speaks_chinese(home: Path) -> None:
    app = page("SELECT ?x {\n FILTR(?x) }", "\u4e2d\u6587")
    assert "\u7b2c 2 \u884c\u7b2c 2 \u5217" in said(app)


def test_the_page_says_yes_and_no(home: Path) -> None:
    assert [e.value for e in page("ASK { ?s a tw:GPU }").subheader] == ["Yes"]
    assert [e.value for e in page("ASK { ?s a tw:Nothing }").subheader] == ["No"]


def test_a_result_that_was_cut_says_where(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = Limits(rows=5)
    monkeypatch.setattr(
        sparql_executor, "open_executor", lambda places: Executor.start(places, small, 1)
    )
    assert "Cut at 5" in said(page("SELECT * { ?s ?p ?o }"))


def test_a_slow_query_can_be_stopped(home: Path) -> None:
    app = page(SLOW)
    workspace = app.session_state["sparql-workspace"]
    running = workspace.running
    assert running is not None
    app.button(key="sparql-stop").click().run()
    with pytest.raises(Exception, match="cancelled"):
        running.result()
    assert SAY("sparql-stopped", "en") in said(shown(app.run()))


def test_the_page_says_when_the_time_is_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brief = Limits(seconds=0.2)
    monkeypatch.setattr(
        sparql_executor, "open_executor", lambda places: Executor.start(places, brief, 1)
    )
    assert "0.2 s" in said(page(SLOW))


def test_an_example_opens_in_a_tab_of_its_own_and_runs(home: Path) -> None:
    app = page()
    app.selectbox(key="sparql-example").set_value("catalogue-statements_by_topic").run()
    assert "Rows: " in said(shown(app))
    assert len(app.session_state["sparql-workspace"].tabs) == 2


def test_tabs_are_renamed_kept_and_deleted(home: Path) -> None:
    app = page()
    app.button(key="sparql-new").click().run()
    workspace = app.session_state["sparql-workspace"]
    app.text_input(key=f"sparql-name-{workspace.current}").set_value("Mine").run()
    assert [tab.name for tab in QueryFolder.at_home().load()] == ["Mine"]
    app.button(key="sparql-delete").click().run()
    assert QueryFolder.at_home().load() == []
    assert len(workspace.tabs) == 1


def test_typing_is_kept_unless_the_page_has_put_another_text_there(home: Path) -> None:
    workspace = page().session_state["sparql-workspace"]
    first = workspace.tab
    workspace.tabs[first.id] = first.replaced("ASK { ?new ?text ?here }")
    workspace.type(first.id, {"text": "late", "revision": 0})
    assert workspace.tab.text == "ASK { ?new ?text ?here }"


def test_only_the_last_results_stay_in_memory(home: Path) -> None:
    app = page()
    workspace = app.session_state["sparql-workspace"]
    for number in range(sparql.KEPT_RESULTS + 3):
        workspace.outcomes[str(number)] = sparql.Outcome("", QueryResult("ask"), None, number)
    app.button(key="sparql-run").click().run()
    assert len(workspace.outcomes) == sparql.KEPT_RESULTS


def test_a_graph_that_cannot_be_loaded_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = home / "broken.ttl"
    broken.write_text("no turtle", encoding="utf-8")
    monkeypatch.setattr(sparql_executor, "graph_places", lambda: [broken])
    assert "broken.ttl" in said(page())


def test_a_node_is_described(home: Path) -> None:
    def script() -> None:
        from assistant.pages import describe

        describe.page()

    app = AppTest.from_function(script, default_timeout=30)
    app.query_params["language"] = "English"
    app.query_params["iri"] = "twd:nvidia-a100"
    shown(app.run())
    assert [e.value for e in app.subheader] == ["NVIDIA A100"]
    maker = next(b for b in app.button if "large-scale training" in b.label)
    shown(maker.click().run())
    assert [e.value for e in app.subheader] == ["large-scale training"]
    shown(app.text_input(key="describe-sought").set_value("A100").run())
    assert any("A100" in b.label for b in app.button if b.key.startswith("describe-found"))
    app.query_params["iri"] = "https://example.org/nothing"
    assert "nothing" in said(shown(app.run()))
