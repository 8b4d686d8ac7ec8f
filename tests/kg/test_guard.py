"""The guard decides on the parsed query: what hides a clause from the eye hides nothing here.

The corpus, `tests/data/queries.json`, holds each query with its verdict: `allowed`,
`refused` (a query that asks for too much), `not_a_query` (updates and everything else
that does not parse), or `not_allowed`, where either reason will do.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kg import GraphError, KnowledgeGraph, QueryFailed, QueryRefused
from kg.guard import admit, check, declare_prefixes

CORPUS: list[dict[str, str]] = json.loads(
    (Path(__file__).parent.parent / "data" / "queries.json").read_text(encoding="utf-8")
)


def having(*verdicts: str) -> list[object]:
    """Return the corpus queries with one of some verdicts, as parameters with readable ids."""
    return [pytest.param(c["query"], id=c["id"]) for c in CORPUS if c["verdict"] in verdicts]


def test_the_corpus_is_large_and_names_each_query_once() -> None:
    """The corpus holds at least 60 queries, many of each verdict, under different names."""
    assert len(CORPUS) >= 60
    assert len({c["id"] for c in CORPUS}) == len({c["query"] for c in CORPUS}) == len(CORPUS)
    counts = Counter(c["verdict"] for c in CORPUS)
    assert set(counts) == {"allowed", "refused", "not_a_query", "not_allowed"}
    assert min(counts["allowed"], counts["refused"], counts["not_a_query"]) >= 20


@pytest.mark.parametrize("query", having("allowed"))
def test_a_query_that_only_reads_passes_and_runs(query: str) -> None:
    """A query that reads this graph passes the guard, and the engine takes what has passed."""
    text = declare_prefixes(query)
    check(text)
    graph = KnowledgeGraph.load()
    graph.graph.query(text)
    assert len(graph) == 0


@pytest.mark.parametrize("query", having("refused"))
def test_a_query_that_reaches_outside_is_refused(query: str) -> None:
    """SERVICE and FROM are refused wherever they stand, however written, with their place."""
    with pytest.raises(QueryRefused, match=r"SERVICE|FROM") as refused:
        check(declare_prefixes(query))
    assert refused.value.line is not None


def test_a_graph_that_is_here_may_be_named() -> None:
    """FROM and FROM NAMED choose among the graphs that are here; any other is refused."""
    query = "SELECT * FROM <urn:a> FROM NAMED <urn:b> { GRAPH ?g { ?s ?p ?o } }"
    admit(query, {"urn:a", "urn:b"})
    with pytest.raises(QueryRefused, match=r"line 1, column 23: FROM.*urn:b"):
        admit(query, {"urn:a"})


@pytest.mark.parametrize("escape", [r"\u0022", r"\u0027", r"\u005c", r"\U0000000a", r"\u003E"])
def test_an_escape_that_parsers_read_differently_is_refused(escape: str) -> None:
    """Whether it ends the string depends on when a parser takes the escapes away."""
    with pytest.raises((QueryRefused, QueryFailed)):
        check(declare_prefixes(f'SELECT ?s WHERE {{ ?s rdfs:label "x{escape} y" }}'))


@pytest.mark.parametrize("query", having("not_a_query"))
def test_an_update_does_not_parse_as_a_query(query: str) -> None:
    """Updates in every form, several requests in one and plain text are no SPARQL query."""
    with pytest.raises(QueryFailed, match="not a SPARQL query"):
        check(declare_prefixes(query))


@pytest.mark.parametrize("query", having("not_allowed"))
def test_escapes_do_not_hide_a_clause(query: str) -> None:
    r"""A clause behind escapes such as \u0053ERVICE never passes, whatever the reason given."""
    with pytest.raises((QueryFailed, QueryRefused)):
        check(declare_prefixes(query))


def test_a_refusal_names_the_address() -> None:
    """A refused query's error holds the reason and the address it would have reached."""
    with pytest.raises(QueryRefused) as refused:
        check("SELECT ?s WHERE { SERVICE <https://example.org/sparql> { ?s ?p ?o } }")
    assert refused.value.fragment == "https://example.org/sparql"
    assert "another server" in refused.value.reason
    assert refused.value.fragment in str(refused.value)


@pytest.mark.parametrize("depth", [5, 40, 2_000])
def test_deep_nesting_is_judged_or_refused(depth: int) -> None:
    """SERVICE under many braces never passes; nesting too deep to parse is no crash."""
    inner = "SERVICE <https://example.org/sparql> { ?s ?p ?o }"
    with pytest.raises((QueryRefused, QueryFailed)):
        check("SELECT ?s WHERE " + "{ " * depth + inner + " }" * depth)


def test_each_error_is_a_graph_error() -> None:
    """Whoever shows errors to people can catch them all by one class."""
    assert issubclass(QueryRefused, GraphError)
    assert issubclass(QueryFailed, GraphError)


def test_a_prefix_of_the_query_wins_over_the_declared_one() -> None:
    """A prefix that a query declares itself means what the query says."""
    query = declare_prefixes("PREFIX tw: <https://example.org/> SELECT (STR(tw:x) AS ?iri) {}")
    check(query)
    assert [str(row["iri"]) for row in KnowledgeGraph.load().select(query)] == [
        "https://example.org/x"
    ]


def test_an_undeclared_prefix_is_named() -> None:
    """A prefix that neither the query nor the graph declares fails before the engine sees it."""
    with pytest.raises(QueryFailed, match="nowhere"):
        check(declare_prefixes("SELECT ?s WHERE { ?s a nowhere:Statement }"))


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT ?s { ?s a tw:Statement } # no PREFIX tw: needed", id="a comment"),
        pytest.param("SELECT ?s { ?s a tw:Statement ; ?p 'prefix tw: is ours' }", id="a string"),
        pytest.param("PREFIX TW: <https://example.org/> SELECT ?s { ?s a tw:X }", id="other case"),
    ],
)
def test_only_a_declaration_declares_a_prefix(query: str) -> None:
    """A usual prefix is declared unless the query itself does, in these very letters."""
    check(declare_prefixes(query))
