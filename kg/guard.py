"""Decides whether a query only reads this graph.

Both engines follow SERVICE to the network from a plain SELECT and neither can be
told not to, so the decision is made on the parsed query before an engine sees it,
never on words in the text: comments, escapes and odd spacing cannot hide a clause.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from kg.errors import QueryRefused
from kg.namespaces import PREFIXES
from kg.sparql import Clause, ReadQuery, read_query

# An escape of one of these ends a string, an address or a comment for a parser that takes the
# escapes away first, and does not for others. Only text that means the same to both may pass.
_DOUBTFUL_ESCAPE = re.compile(r"\\(?:u00|U000000)(?:0[0aAdD]|2[237]|3[cCeE]|5[cC])")
_PROLOGUE = re.compile(
    r"(?:\s+|#[^\n]*\n|prefix\s+[^:]*:\s*<[^>]*>|base\s*<[^>]*>)*", re.IGNORECASE
)
_DECLARED = re.compile(r"(?m)^\s*[pP][rR][eE][fF][iI][xX]\s+([^:\s]*):")


def declare_prefixes(query: str) -> str:
    """Return the query with those of the graph's usual prefixes declared that it lacks."""
    prologue = _PROLOGUE.match(query)
    declared = set(_DECLARED.findall(prologue.group() if prologue else ""))
    missing = [
        f"PREFIX {prefix}: <{iri}>\n"
        for prefix, iri in PREFIXES.items()
        if prefix not in declared and f"{prefix}:" in query
    ]
    return "".join(missing) + query


def check(query: str) -> None:
    """Let a query pass if it is one SELECT, ASK, CONSTRUCT or DESCRIBE on this graph.

    Raises:
        QueryFailed: If it does not parse as a SPARQL 1.1 query; updates do not.
        QueryRefused: If it asks for more than reading, as in `admit`.
    """
    admit(query, prefixes={})


def admit(
    query: str,
    graphs: Collection[str] = (),
    prefixes: Mapping[str, str] = PREFIXES,
    base: str | None = None,
) -> ReadQuery:
    """Return a query that only reads this graph, ready for the engine.

    Args:
        query: The query as written. It need not declare `prefixes`.
        graphs: The named graphs that are there to be read.
        prefixes: Prefixes that stand for themselves unless the query declares them otherwise.
        base: What relative IRIs are resolved against.

    Raises:
        QueryFailed: If it does not parse as a SPARQL 1.1 query, with the place.
        QueryRefused: If it holds SERVICE, however deep, FROM or FROM NAMED with a graph that is
            not here, nests too deep, or holds escapes that parsers read differently. The error
            has the place.
    """
    read = read_query(query, prefixes, base)
    for clause in read.tree.walk():
        if reason := _refusal(clause, graphs):
            place = read.place(clause)
            raise QueryRefused(reason, clause.named, place.line, place.column)
    if doubtful := _DOUBTFUL_ESCAPE.search(query):
        place = read.place(Clause("Escape", doubtful.start()))
        reason = "write the character itself, not its escape"
        raise QueryRefused(reason, doubtful.group(), place.line, place.column)
    return read


def _refusal(clause: Clause, graphs: Collection[str]) -> str | None:
    if clause.kind == "Service":
        return "SERVICE would send the query to another server"
    if clause.kind in ("From", "FromNamed") and clause.named not in graphs:
        return "FROM names a graph outside this one"
    return None
