"""Decides whether a query only reads this graph.

Both engines follow SERVICE to the network from a plain SELECT and neither can be
told not to, so the decision is made on the parsed query before an engine sees it,
never on words in the text: comments, escapes and odd spacing cannot hide a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pyparsing import ParseException
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from kg.errors import QueryFailed, QueryRefused
from kg.namespaces import PREFIXES

_ESCAPED_ASCII = re.compile(r"\\u00[0-7][0-9a-fA-F]|\\U000000[0-7][0-9a-fA-F]")
_PROLOGUE = re.compile(
    r"(?:\s+|#[^\n]*\n|prefix\s+[^:]*:\s*<[^>]*>|base\s*<[^>]*>)*", re.IGNORECASE
)
_DECLARED = re.compile(r"(?m)^\s*[pP][rR][eE][fF][iI][xX]\s+([^:\s]*):")
READING_FORMS = frozenset({"SelectQuery", "AskQuery", "ConstructQuery", "DescribeQuery"})
REFUSED_CLAUSES = {
    "ServiceGraphPattern": "SERVICE would send the query to another server",
    "DatasetClause": "FROM names a graph outside this one",
}


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
        QueryRefused: If it holds SERVICE, FROM or FROM NAMED, however deep, or escapes of
            ASCII characters, behind which they could hide.
    """
    # Where this parser and the engine's read a text differently, a clause could hide from
    # the one and run in the other: escaped ASCII may close a string, a lone carriage
    # return ends a comment for the engine only.
    if escaped := _ESCAPED_ASCII.search(query):
        raise QueryRefused("write the character itself, not its escape", escaped.group())
    for text in {query, query.replace("\r", "\n")}:
        _check_text(text)


def _check_text(query: str) -> None:
    try:
        parsed = parseQuery(query)
    except (ParseException, ValueError, RecursionError) as error:
        raise QueryFailed(f"not a SPARQL query (updates are not accepted): {error}") from error
    form = next((part.name for part in parsed if getattr(part, "name", "").endswith("Query")), "")
    if form not in READING_FORMS:
        raise QueryRefused("only SELECT, ASK, CONSTRUCT and DESCRIBE are accepted", form)
    for node in _nodes(parsed):
        if node.name in REFUSED_CLAUSES:
            raise QueryRefused(REFUSED_CLAUSES[node.name], _named_iri(node))
    try:
        translateQuery(parsed)  # last: it rewrites the tree, and EXISTS would be gone from it
    except Exception as error:  # an undeclared prefix is an Exception of no kind of its own
        raise QueryFailed(str(error)) from error


def _nodes(parsed: Any) -> Iterator[CompValue]:
    """Yield every named node of a parse tree; a stack, since queries may nest deeply."""
    stack = [parsed]
    while stack:
        item = stack.pop()
        if isinstance(item, CompValue):
            yield item
            stack.extend(item.values())
        elif isinstance(item, str):
            continue
        elif hasattr(item, "__iter__"):
            stack.extend(item)


def _named_iri(node: CompValue) -> str | None:
    for key in ("term", "default", "named"):
        if (value := node.get(key)) is not None:
            return str(value)
    return None
