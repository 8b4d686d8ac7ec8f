"""The graph loads from files and folders, binds terms, and names the file that is at fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Literal, URIRef
from rdflib.namespace import RDFS

from kg import BrokenData, KnowledgeGraph, QueryFailed, checked_query, shorten, turtle_files

EX = "https://example.org/data/"
LABELS = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?thing ?label WHERE { ?thing rdfs:label ?label } ORDER BY ?label
"""
ONE = "<https://example.org/a> <https://example.org/b> 1 ."
TWO = "<https://example.org/a> <https://example.org/b> 2 ."


def test_a_file_loads(mini: KnowledgeGraph) -> None:
    """A Turtle file's facts can be selected as rows of terms."""
    rows = mini.select(LABELS)
    assert {"thing": URIRef(EX + "zephyr-7"), "label": Literal("Zephyr 7", lang="en")} in rows


def test_a_folder_loads_with_its_folders(tmp_path: Path) -> None:
    """Every Turtle file below a folder is loaded, other files are not."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "one.ttl").write_text(ONE)
    (tmp_path / "deep" / "two.ttl").write_text(TWO)
    (tmp_path / "notes.txt").write_text("not Turtle")
    assert len(KnowledgeGraph.load(tmp_path)) == 2


def test_several_places_become_one_graph(tmp_path: Path) -> None:
    """Facts of several places are in one graph; the same fact counts once."""
    for name, text in (("one", ONE), ("two", TWO), ("again", ONE)):
        (tmp_path / f"{name}.ttl").write_text(text)
    places = [tmp_path / f"{name}.ttl" for name in ("one", "two", "again")]
    assert len(KnowledgeGraph.load(*places)) == 2


def test_files_come_in_a_fixed_order(tmp_path: Path) -> None:
    """The files of a folder are listed sorted, whatever order the system gives."""
    for name in ("b.ttl", "a.ttl", "c.ttl"):
        (tmp_path / name).write_text("")
    assert [p.name for p in turtle_files([tmp_path])] == ["a.ttl", "b.ttl", "c.ttl"]


def test_no_place_is_an_empty_graph() -> None:
    """A graph of nothing is empty, and no query on it fails."""
    graph = KnowledgeGraph.load()
    assert len(graph) == 0
    assert graph.select(LABELS) == []


def test_a_missing_place_is_named(tmp_path: Path) -> None:
    """A place that does not exist is an error with its name, not an empty graph."""
    with pytest.raises(BrokenData, match="no such file or folder") as error:
        KnowledgeGraph.load(tmp_path / "nowhere")
    assert error.value.path == tmp_path / "nowhere"
    assert "nowhere" in str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"<a> <b> ", id="cut off"),
        pytest.param(b"@prefix ex: <https://example.org/> . ex:a ex:b ey:c .", id="no prefix"),
        pytest.param(b'<https://e.org/a> <https://e.org/b> "open .', id="open string"),
        pytest.param(b"\xff\xfe\x00", id="not UTF-8"),
        pytest.param(b"How much memory do I need?", id="plain text"),
    ],
)
def test_broken_turtle_is_named(tmp_path: Path, content: bytes) -> None:
    """The error for a file that is not Turtle holds the name of that file, and only that."""
    (tmp_path / "good.ttl").write_text(ONE)
    (tmp_path / "broken.ttl").write_bytes(content)
    with pytest.raises(BrokenData, match="not valid Turtle") as error:
        KnowledgeGraph.load(tmp_path)
    assert error.value.path == tmp_path / "broken.ttl"
    assert "good.ttl" not in str(error.value)


def test_a_binding_is_a_term_in_the_engine(mini: KnowledgeGraph) -> None:
    """A bound variable has one value; only its rows come back."""
    rows = mini.select(LABELS, {"thing": URIRef(EX + "zephyr-7")})
    assert [str(row["label"]) for row in rows] == ["Zephyr 7"]


def test_a_binding_is_never_read_as_sparql(mini: KnowledgeGraph) -> None:
    """A literal full of SPARQL is compared as a literal and finds nothing."""
    assert mini.select(LABELS, {"label": Literal('" } } DROP ALL #', lang="en")}) == []
    assert len(mini) > 30


def test_an_unbound_variable_is_left_out_of_its_row(mini: KnowledgeGraph) -> None:
    """A row holds only the variables that have a value."""
    query = "SELECT ?a ?b WHERE { VALUES (?a ?b) { (1 UNDEF) } }"
    assert mini.select(query) == [{"a": Literal(1)}]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT ?s WHERE {", id="cut off"),
        pytest.param("SELECT ?s WHERE { ?s ex:p ?o }", id="unknown prefix"),
        pytest.param("DROP ALL", id="an update"),
    ],
)
def test_a_query_that_the_engine_refuses_is_a_failed_query(
    mini: KnowledgeGraph, query: str
) -> None:
    """An error of the engine becomes one of ours, and the graph is unchanged."""
    before = len(mini)
    with pytest.raises(QueryFailed):
        mini.select(query)
    assert len(mini) == before


def test_objects_come_sorted(mini: KnowledgeGraph) -> None:
    """The objects of a subject have the same order every time."""
    labels = mini.objects(URIRef(EX + "bandwidth"), RDFS.label)
    assert [str(label) for label in labels] == ["bandwidth", "带宽"]


def test_a_text_is_given_in_one_language(mini: KnowledgeGraph) -> None:
    """A label comes in the language asked for, and is None where there is none."""
    lab, card = URIRef(EX + "small-lab"), URIRef(EX + "zephyr-7")
    assert mini.text(lab, RDFS.label, "zh") == "小实验室"
    assert mini.text(lab, RDFS.label, "en") == "small lab"
    assert mini.text(card, RDFS.label, "zh") is None


def test_a_query_file_that_asks_for_too_much_is_named(tmp_path: Path) -> None:
    """A query file is checked by the guard, and the error names it."""
    path = tmp_path / "outside.rq"
    path.write_text("SELECT ?s WHERE { SERVICE <https://example.org/> { ?s ?p ?o } }")
    with pytest.raises(BrokenData, match="SERVICE") as error:
        checked_query(path)
    assert error.value.path == path


def test_a_query_file_may_use_the_usual_prefixes(tmp_path: Path) -> None:
    """Prefixes of the graph need no declaration in a query file."""
    path = tmp_path / "statements.rq"
    path.write_text("SELECT ?s WHERE { ?s a tw:Statement }")
    assert len(KnowledgeGraph.shipped().select(checked_query(path))) == 53


@pytest.mark.parametrize(
    ("iri", "short"),
    [
        pytest.param("https://w3id.org/trainwright/data/guide", "twd:guide", id="ours"),
        pytest.param("http://qudt.org/vocab/unit/NUM", "unit:NUM", id="QUDT"),
        pytest.param("https://example.org/x", "https://example.org/x", id="no prefix"),
        pytest.param("plain text", "plain text", id="not an IRI"),
    ],
)
def test_an_iri_is_shortened_where_a_prefix_fits(iri: str, short: str) -> None:
    """An IRI becomes prefix:name, everything else stays as it is."""
    assert shorten(iri) == short
