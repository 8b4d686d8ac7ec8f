"""A query is read by the grammar, and what is run is written from what was read."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest

from kg import QueryFailed, QueryRefused
from kg.guard import admit
from kg.namespaces import PREFIXES
from kg.sparql import MAX_DEPTH, read_query

DATA = Path(__file__).parent.parent / "data"
ALLOWED = [
    pytest.param(case["query"], id=case["id"])
    for case in json.loads((DATA / "queries.json").read_text(encoding="utf-8"))
    if case["verdict"] == "allowed"
]


@pytest.mark.parametrize("query", ALLOWED)
def test_what_is_run_reads_as_the_query(query: str) -> None:
    """The canonical text is one line, gives itself when read again, and suits the engine."""
    read = admit(query)
    assert "\n" not in read.text
    assert read_query(read.text).text == read.text
    ox.Store().query(read.text, base_iri="https://example.org/")


@pytest.mark.parametrize(
    ("written", "run"),
    [
        ("select*{?s ?p ?o}# x", "SELECT * { ?s ?p ?o }"),
        ("ASK{?s a-1}", "ASK { ?s a -1 }"),
        ("ASK{?s <p>-1}", "ASK { ?s <p> -1 }"),
        ("ASK{FILTER(?a<?b&&?c>-1)}", "ASK { FILTER ( ?a < ?b && ?c > -1 ) }"),
        ("ASK{FILTER(?a<=-1)}", "ASK { FILTER ( ?a <= -1 ) }"),
        ("ASK{FILTER(?a< <b>)}", "ASK { FILTER ( ?a < <b> ) }"),
        ("ASK{?s <p>'''a\"b\n'''@en}", 'ASK { ?s <p> "a\\"b\\n"@en }'),
        (r"ASK{?s <p>'\u5185\t'^^<d>}", 'ASK { ?s <p> "内\\t"^^<d> }'),
        (r"ASK{?s <\u5185> 1}", "ASK { ?s <内> 1 }"),
        ("ASK{?s <p>?/<q>* ?o}", "ASK { ?s <p> ? / <q> * ?o }"),
        ("ASK{FILTER(concat ( 'a' )=TRUE)}", 'ASK { FILTER ( CONCAT( "a" ) = true ) }'),
        ("PREFIX x:<y>ASK{?s x:a.b x:c. }", "PREFIX x: <y> ASK { ?s x:a.b x:c . }"),
    ],
    ids=lambda text: text,
)
def test_the_canonical_text(written: str, run: str) -> None:
    """Comments go, words are in capitals, tokens apart, strings in one form of quotes."""
    assert read_query(written).text == run


def test_only_usual_prefixes_that_are_used_are_declared() -> None:
    """They stand in front in the text that is run; places are those of the query as written."""
    read = admit("ASK { ?s a tw:Statement }")
    assert read.text == f"PREFIX tw: <{PREFIXES['tw']}> ASK {{ ?s a tw:Statement }}"
    assert read.place_of_column(1).column == 1
    own = admit("PREFIX tw: <urn:x> ASK { ?s a tw:Statement }")
    assert PREFIXES["tw"] not in own.text


def test_the_tree_names_the_clauses() -> None:
    read = read_query(
        "SELECT ?s FROM NAMED <urn:g> { { ?s ?p ?o } UNION { GRAPH ?g { } } "
        "FILTER(NOT EXISTS { SELECT * { OPTIONAL { } MINUS { } } }) VALUES ?s { } BIND(1 AS ?x) }"
    )
    kinds = {clause.kind for clause in read.tree.walk()}
    assert kinds == {
        *("SelectQuery", "FromNamed", "Group", "Union", "Graph", "Filter", "Exists"),
        *("SubSelect", "Optional", "Minus", "Values", "Bind"),
    }
    assert read.form == "select"
    assert read.variables == ("s", "p", "o", "g", "x")


@pytest.mark.parametrize(
    ("query", "line", "column", "message"),
    [
        ("SELECT ?s\nWHERE { ?s ?p }", 2, 15, "expected a term or a variable, found '}'"),
        ("SELECT ?s WHERE {\r\n ?s ?p ?o\r\n", 3, 1, "the end of the query"),
        ("ASK {\r ?s ?p 'x }", 2, 8, "a string that does not end"),
        ("ASK { ?s x:y ?o }", 1, 10, "the prefix x: is not declared"),
        ("INSERT DATA { }", 1, 1, "INSERT is an update"),
        ("WHICH { }", 1, 1, "expected SELECT, CONSTRUCT, DESCRIBE or ASK, found 'WHICH'"),
        ("ASK { } ASK { }", 1, 9, "expected the end of the query"),
        ("ASK { FILTER(FOO(1)) }", 1, 14, "expected an expression, found 'FOO'"),
        ("ASK { ?s ?p § }", 1, 13, "'§' cannot stand here"),
    ],
)
def test_what_does_not_fit_has_its_place(query: str, line: int, column: int, message: str) -> None:
    with pytest.raises(QueryFailed, match=r"not a SPARQL query") as failed:
        read_query(query)
    assert message in str(failed.value)
    assert (failed.value.line, failed.value.column) == (line, column)


def test_nesting_has_a_limit() -> None:
    """As deep as the limit is read; deeper is refused, not tried."""
    deep = MAX_DEPTH - 1
    read_query("ASK { FILTER(" + "!" * (deep - 3) + "true) }")
    with pytest.raises(QueryRefused, match="deeper than 100 levels"):
        read_query("ASK " + "{ " * (MAX_DEPTH + 1) + "} " * (MAX_DEPTH + 1))
