"""A result in each format can be read back by others, with the same terms."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.query import Result

from kg.results import GRAPH_FORMATS, ROW_FORMATS, QueryResult, from_term, term

HARD = 'a "quote", a tab\t, a line\nend, a \\ and <angles> & 内存'
TERMS = [
    URIRef("https://example.org/?a=1&b=2#内存"),
    BNode("b0"),
    Literal(HARD),
    Literal("内存", lang="zh"),
    Literal("80", datatype=XSD.integer),
    Literal("not a number", datatype=XSD.integer, normalize=False),
    Literal(""),
]
ROWS = QueryResult(
    "select", ("x", "y"), sent=[[from_term(t), None] for t in TERMS] + [[None, None]]
)
YES = QueryResult("ask", boolean=True)
S, P = URIRef("urn:s"), URIRef("urn:p")
GRAPH = QueryResult("construct", sent=[[from_term(S), from_term(P), from_term(t)] for t in TERMS])


def read_back(form: str) -> list[Any]:
    """Return the column ?x as RDFLib reads it."""
    result = Result.parse(io.BytesIO(ROWS.serialise(form)), format=form)
    return [row.get(rdflib.Variable("x")) for row in result.bindings]


@pytest.mark.parametrize("value", TERMS, ids=lambda t: t.n3()[:12])
def test_a_term_survives_the_way_between_processes(value: Any) -> None:
    assert term(json.loads(json.dumps(from_term(value)))) == value


@pytest.mark.parametrize("form", ["json", "xml"])
def test_rows_are_read_back_by_rdflib(form: str) -> None:
    found = read_back(form)
    assert isinstance(found[1], BNode)
    assert [t for t in found if not isinstance(t, BNode)] == [
        t for t in [*TERMS, None] if not isinstance(t, BNode)
    ]


@pytest.mark.parametrize(
    ("form", "parser"),
    [
        ("json", ox.QueryResultsFormat.JSON),
        ("xml", ox.QueryResultsFormat.XML),
        ("tsv", ox.QueryResultsFormat.TSV),
    ],
)
def test_rows_are_read_back_by_oxigraph(form: str, parser: ox.QueryResultsFormat) -> None:
    found = ox.parse_query_results(ROWS.serialise(form), format=parser)
    assert isinstance(found, ox.QuerySolutions)
    values = [row["x"] for row in found]
    assert [v.value for v in values[2:5] if isinstance(v, ox.Literal)] == [HARD, "内存", "80"]
    assert values[-1] is None


def test_csv_has_plain_values() -> None:
    """Values without their kind, lines ended by CRLF, an unbound variable as an empty field."""
    body = ROWS.serialise("csv").decode()
    assert body.startswith("x,y\r\n")
    lines = list(csv.reader(io.StringIO(body, newline="")))
    assert [line[0] for line in lines[3:7]] == [HARD, "内存", "80", "not a number"]
    assert lines[-1] == ["", ""]


def test_a_truth_value_has_each_row_format() -> None:
    assert json.loads(YES.serialise("json")) == {"head": {}, "boolean": True}
    assert b"<boolean>true</boolean>" in YES.serialise("xml")
    assert YES.serialise("csv") == b"true\r\n"
    assert YES.serialise("tsv") == b"true\n"


@pytest.mark.parametrize(
    ("form", "parser"),
    [("turtle", "turtle"), ("jsonld", "json-ld"), ("nt", "nt"), ("rdfxml", "xml")],
)
def test_a_graph_is_read_back_by_rdflib(form: str, parser: str) -> None:
    graph = rdflib.Graph().parse(data=GRAPH.serialise(form), format=parser)
    assert len(graph) == len(TERMS)
    assert (S, P, Literal(HARD)) in graph
    assert (S, P, Literal("内存", lang="zh")) in graph


@pytest.mark.parametrize(("result", "form"), [(ROWS, "turtle"), (YES, "nt"), (GRAPH, "csv")])
def test_a_format_of_the_other_kind_is_refused(result: QueryResult, form: str) -> None:
    with pytest.raises(ValueError, match=f"not {form}"):
        result.serialise(form)


def test_each_format_has_its_media_type() -> None:
    for form in ROW_FORMATS:
        assert ROWS.serialise(form)
    for form in GRAPH_FORMATS:
        assert GRAPH.serialise(form)
