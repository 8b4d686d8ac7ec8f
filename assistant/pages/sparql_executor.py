"""The one executor that all browser sessions share, and what it knows of nodes' names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st
from rdflib.term import Identifier, Literal, URIRef

from assistant.messages import Say
from assistant.pages.literal import literal
from assistant.sparql_cli import graph_places
from kg import Executor, GraphError, Limits, open_executor, shorten
from kg.namespaces import PREFIXES

MOST_NAMED = 3_000
"""Nodes of one result that get their labels; further ones show their short IRI."""

MOST_COMPLETED = 6_000
"""Names that the editor offers; classes and properties come first."""

# A unit's symbol is what people write; a figure has no label but its number and unit.
LABELS = """
SELECT ?node ?rank ?label ?unit {{
  VALUES ?node {{ {nodes} }}
  {{ ?node qudt:symbol ?label BIND(0 AS ?rank) }}
  UNION {{ ?node rdfs:label|skos:prefLabel|dcterms:title ?label BIND(1 AS ?rank) }}
  UNION {{ ?node qudt:numericValue ?label BIND(2 AS ?rank)
           OPTIONAL {{ ?node qudt:unit/qudt:symbol ?unit }} }}
  UNION {{ ?node dcterms:identifier ?label BIND(3 AS ?rank) }}
}}
"""
NAMES = """
SELECT ?node ?kind ?label {
  { ?node a owl:Class BIND("class" AS ?kind) }
  UNION { ?node a owl:ObjectProperty BIND("property" AS ?kind) }
  UNION { ?node a owl:DatatypeProperty BIND("property" AS ?kind) }
  UNION { { SELECT DISTINCT ?node { ?s ?node ?o } } BIND("property" AS ?kind) }
  UNION { ?node a ?class FILTER(?class NOT IN
            (owl:Class, owl:ObjectProperty, owl:DatatypeProperty, tw:Figure, tw:Claim))
          BIND("entity" AS ?kind) }
  OPTIONAL { ?node rdfs:label|skos:prefLabel ?label }
  FILTER(ISIRI(?node) && (BOUND(?label) || ?kind != "entity"))
}
"""
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[\w-]|\.(?=[\w-]))*")


@dataclass(frozen=True)
class Name:
    """A node that the editor can complete: prefix:name, labels by language, its kind."""

    short: str
    labels: tuple[tuple[str, str], ...]
    kind: str


@st.cache_resource(show_spinner=False, on_release=lambda executor: executor.close())
def _executor() -> Executor:
    return open_executor(graph_places())


def shared_executor(say: Say) -> Executor:
    """Return the process's executor; a graph that cannot be loaded is said on the page."""
    try:
        executor = _executor()
        with st.spinner(say("progress-loading-graph"), show_time=False):
            executor.ready()
    except GraphError as error:
        st.error(say("load-failed", reason=literal(str(error))), icon=":material/error:")
        st.button(say("load-again"), key="load-again", on_click=_executor.clear)
        st.stop()
    return executor


def labels(executor: Executor, nodes: Iterable[object], language: str) -> dict[str, str]:
    """Return what to call nodes in a language; those without a label are left out."""
    iris = [str(n) for n in dict.fromkeys(nodes) if isinstance(n, URIRef)]
    wanted = [iri for iri in iris if ":" in iri and not _NOT_IN_IRI.search(iri)][:MOST_NAMED]
    if not wanted:
        return {}
    query = LABELS.format(nodes=" ".join(f"<{iri}>" for iri in wanted))
    best: dict[str, tuple[tuple[int, int], str]] = {}
    for node, rank, label, unit in executor.run(query, Limits(rows=10 * MOST_NAMED)).rows:
        found = (int(str(rank)), _distance(label, language))
        if str(node) not in best or found < best[str(node)][0]:
            best[str(node)] = found, f"{label} {unit}" if unit else str(label)
    return {node: label for node, (_, label) in best.items()}


def name_of(node: Identifier | None, known: dict[str, str]) -> str:
    """Return how a term is shown: label, prefix:name, or the text of a literal."""
    if node is None:
        return ""
    if isinstance(node, URIRef):
        return known.get(str(node)) or shorten(node)
    return str(node) if isinstance(node, Literal) else f"_:{node}"


def short_or_whole(node: URIRef) -> str:
    """Return an IRI as it is written in a query: prefix:name if that is possible, else <IRI>."""
    short = shorten(node)
    prefix, _, local = short.partition(":")
    return short if prefix in PREFIXES and _LOCAL.fullmatch(local) else f"<{node}>"


@st.cache_resource(show_spinner=False)
def names(_executor: Executor) -> tuple[Name, ...]:
    """Return the names that can be completed, classes and properties before entities."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for node, kind, label in _executor.run(NAMES, Limits(rows=8 * MOST_COMPLETED)).rows:
        short = short_or_whole(URIRef(str(node)))
        if not short.startswith("<"):
            _, texts = found.setdefault(short, (str(kind), {}))
            if isinstance(label, Literal):
                texts.setdefault(label.language or "", str(label))
    listed = [Name(short, tuple(texts.items()), kind) for short, (kind, texts) in found.items()]
    order = {"class": 0, "property": 1, "entity": 2}
    return tuple(sorted(listed, key=lambda n: (order[n.kind], n.short))[:MOST_COMPLETED])


def _distance(label: Identifier | None, language: str) -> int:
    spoken = label.language if isinstance(label, Literal) else None
    return 0 if spoken == language else 1 if spoken is None else 2
