"""The SPARQL 1.1 Protocol's query operation, and the service description.

https://www.w3.org/TR/sparql11-protocol/ and https://www.w3.org/TR/sparql11-service-description/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import parse_qsl

import pyoxigraph as ox
from starlette.datastructures import Headers

from kg import Dataset, QueryRefused
from kg.results import graph_bytes

N = TypeVar("N", int, float)
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
FORM = "application/x-www-form-urlencoded"
_FORMATS = (
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "JSON-LD",
    "N-Triples",
    "RDF_XML",
)


class BadRequest(Exception):
    """A request that is not one of the protocol; the status says in which way."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


@dataclass(frozen=True)
class Operation:
    """What a request asks: a query, or, without one, the service description."""

    query: str | None
    dataset: Dataset
    format: str | None
    timeout: float | None
    limit: int | None


def operation(method: str, query_string: str, headers: Headers, body: bytes) -> Operation:
    """Return what a request asks.

    Raises:
        BadRequest: If it is none of the protocol's three ways to send a query.
        QueryRefused: If it sends an update.
    """
    pairs = _pairs(query_string.encode("latin-1"))
    if method == "GET":
        return _from_pairs(pairs)
    content_type, _, parameters = headers.get("content-type", "").lower().partition(";")
    if content_type.strip() == FORM:
        return _from_pairs(pairs + _pairs(body))
    if content_type.strip() == UPDATE:
        raise QueryRefused("updates are not accepted")
    if content_type.strip() != QUERY:
        raise BadRequest(415, f"send {QUERY} or {FORM}, not {content_type or 'an unnamed type'}")
    if "charset" in parameters and "utf-8" not in parameters:
        raise BadRequest(415, "a query is sent as UTF-8")
    if any(name == "query" for name, _ in pairs):
        raise BadRequest(400, "the query is in the body and in the address")
    return _from_pairs([*pairs, ("query", _decoded(body))])


def service_description(endpoint: str, triples: int, form: str) -> bytes:
    """Return what the service can do, as RDF in a format."""
    formats = ", ".join(f"<http://www.w3.org/ns/formats/{name}>" for name in _FORMATS)
    turtle = f"""
        PREFIX sd: <http://www.w3.org/ns/sparql-service-description#>
        PREFIX void: <http://rdfs.org/ns/void#>
        [] a sd:Service ;
            sd:endpoint <{endpoint}> ;
            sd:supportedLanguage sd:SPARQL11Query ;
            sd:resultFormat {formats} ;
            sd:defaultDataset [ a sd:Dataset ;
                sd:defaultGraph [ a sd:Graph ; void:triples {triples} ] ] ."""
    found = ox.parse(turtle, format=ox.RdfFormat.TURTLE)
    return graph_bytes((quad.triple for quad in found), form)


def _from_pairs(pairs: list[tuple[str, str]]) -> Operation:
    def all_of(name: str) -> tuple[str, ...]:
        return tuple(value for key, value in pairs if key == name)

    if all_of("update"):
        raise QueryRefused("updates are not accepted")
    queries = all_of("query")
    if len(queries) > 1:
        raise BadRequest(400, "there is more than one query")
    return Operation(
        query=queries[0] if queries else None,
        dataset=Dataset(all_of("default-graph-uri"), all_of("named-graph-uri")),
        format=next(iter(all_of("format")), None),
        timeout=_number(all_of("timeout"), float),
        limit=_number(all_of("limit"), int),
    )


def _number(values: tuple[str, ...], kind: type[N]) -> N | None:
    if not values:
        return None
    try:
        number = kind(values[0])
    except ValueError:
        number = kind(-1)
    if not 0 <= number < 1e9:
        raise BadRequest(400, f"not a number of seconds or rows: {values[0][:20]}")
    return number


def _pairs(text: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100
        )
    except ValueError as error:
        raise BadRequest(400, f"not form data in UTF-8: {error}") from error


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(400, f"the query is not UTF-8: {error.reason}") from error
