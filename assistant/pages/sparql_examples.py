"""Queries to begin with: each template of the assistant, and some on the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from rdflib.term import Literal, URIRef

from assistant.messages import Say
from assistant.pages.sparql_executor import short_or_whole
from assistant.pages.sparql_format import formatted
from assistant.templates import TEMPLATES
from kg import Executor, GraphError, KnowledgeGraph, Limits

QUERIES = Path(__file__).parent / "queries"

DESCRIBED = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX sh: <http://www.w3.org/ns/shacl#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?name ?label ?parameter ?needed WHERE {
  ?template a tw:Template ; dcterms:identifier ?name ; rdfs:label ?label .
  OPTIONAL { ?template sh:parameter ?node . ?node sh:name ?parameter ; sh:minCount ?needed }
}
"""


@dataclass(frozen=True)
class Example:
    """A query to begin with; `parameters` are variables that get a value of the graph."""

    key: str
    labels: dict[str, str]
    query: str
    parameters: tuple[str, ...] = ()


@st.cache_resource(show_spinner=False)
def templates() -> tuple[Example, ...]:
    """Return the assistant's templates that have a query, by name."""
    labels: dict[str, dict[str, str]] = {}
    parameters: dict[str, set[str]] = {}
    for row in KnowledgeGraph.load(TEMPLATES).select(DESCRIBED):
        name, label = str(row["name"]), row["label"]
        if isinstance(label, Literal):
            labels.setdefault(name, {})[label.language or ""] = str(label)
        if "parameter" in row:
            parameters.setdefault(name, set()).add(str(row["parameter"]))
    return tuple(
        Example(
            name,
            labels[name],
            path.read_text(encoding="utf-8"),
            tuple(sorted(parameters.get(name, ()))),
        )
        for name in sorted(labels)
        if (path := TEMPLATES / f"{name}.rq").exists()
    )


def catalogue(say: Say, language: str) -> tuple[Example, ...]:
    """Return the queries on the catalogue, by name."""
    return tuple(
        Example(
            path.stem,
            {language: say(f"sparql-query-{path.stem.replace('_', '-')}")},
            path.read_text(encoding="utf-8"),
        )
        for path in sorted(QUERIES.glob("*.rq"))
    )


def filled(example: Example, executor: Executor) -> str:
    """Return the example's query with its parameters filled from the first row that has them all.

    The values come as VALUES, as in the queries that an answer shows.
    """
    if not example.parameters:
        return formatted(example.query)
    try:
        result = executor.run(example.query, Limits(seconds=5, rows=500))
    except GraphError:  # the query without values still shows how it is made
        return formatted(example.query)
    places = [result.variables.index(p) for p in example.parameters if p in result.variables]
    rows = [[row[place] for place in places] for row in result.rows]
    full = max(rows, key=lambda row: sum(isinstance(v, URIRef) for v in row), default=[])
    values = " ".join(short_or_whole(v) if isinstance(v, URIRef) else "UNDEF" for v in full)
    names = [result.variables[place] for place in places]
    return formatted(_with_values(example.query, names, values))


def _with_values(query: str, names: Sequence[str], values: str) -> str:
    if not values:
        return query
    variables = " ".join(f"?{name}" for name in names)
    head, body = query.split("WHERE {", 1)
    return f"{head}WHERE {{\n  VALUES ({variables}) {{ ({values}) }}{body}"
