"""Writes a graph as the repository's Turtle files are written: sorted, one value a line."""

from __future__ import annotations

import rdflib

from kg.namespaces import PREFIXES


def new_graph() -> rdflib.Graph:
    """Return an empty graph that no prefix is bound in, so that `as_turtle` need not copy it."""
    return rdflib.Graph(bind_namespaces="none")


def as_turtle(graph: rdflib.Graph) -> str:
    """Return the graph as longturtle with only the prefixes it uses; equal graphs give equal text.

    That holds for graphs without blank nodes, which imports never make. The graph has
    to be a `new_graph`.
    """
    used = {str(term) for triple in graph for term in triple if isinstance(term, rdflib.URIRef)}
    used |= {str(t.datatype) for t in graph.objects() if isinstance(t, rdflib.Literal)}
    for prefix, iri in PREFIXES.items():
        if any(text.startswith(iri) for text in used):
            graph.bind(prefix, iri)
    return graph.serialize(format="longturtle").strip() + "\n"
