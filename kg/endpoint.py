"""Asks a SPARQL 1.1 endpoint instead of the embedded engine, within the same limits.

`TRAINWRIGHT_STORE` names it: the address for queries and, after a space, the one for updates
if the graph shall be filled from here. The guard reads each query before it is sent, and what
is sent is what the guard has read. How much a query may cost there is the endpoint's to say;
here the time to the finished result, its rows and its bytes are limited.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

import pyoxigraph as ox

from kg.errors import (
    GraphError,
    QueryCancelled,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
    StoreUnavailable,
)
from kg.guard import admit
from kg.results import QueryResult, Sent, engine_term, to_send
from kg.sparql import ReadQuery

VARIABLE = "TRAINWRIGHT_STORE"
# Seconds to wait before asking again where asking again is safe: reading, with the store silent.
PAUSES = (0.2, 0.5, 1.0)
PASSING = frozenset({502, 503, 504})
ROWS = "application/sparql-results+json"
GRAPH = "application/n-triples, text/turtle;q=0.9"


@dataclass(frozen=True)
class Reply:
    """What an endpoint answered."""

    status: int
    media_type: str
    body: bytes


class Endpoint:
    """One SPARQL 1.1 endpoint."""

    def __init__(self, query_url: str, update_url: str | None = None) -> None:
        for url in filter(None, (query_url, update_url)):
            if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
                raise StoreUnavailable(url, "not an http or https address")
        self.query_url = query_url
        self.update_url = update_url

    @classmethod
    def from_environment(cls) -> Endpoint | None:
        """Return the endpoint that `TRAINWRIGHT_STORE` names, if it names one.

        Raises:
            StoreUnavailable: If it holds no address.
        """
        query_url, _, update_url = os.environ.get(VARIABLE, "").strip().partition(" ")
        return cls(query_url, update_url.strip() or None) if query_url else None

    def ask(self, text: str, form: str, seconds: float, most: int, stop: Stop) -> Reply:
        """Return the reply to a query; a silent or passing failure is tried again.

        Raises:
            QueryCancelled: If it was stopped.
            QueryTimeout: If the reply is not complete in time.
            QueryTooLarge: If the reply is larger than `most` bytes.
            StoreUnavailable: If nobody answers.
        """
        accept = ROWS if form in ("select", "ask") else GRAPH
        end = time.monotonic() + seconds
        problem = ""
        for pause in (*PAUSES, None):
            try:
                reply = self._post(self.query_url, {"query": text}, accept, end, most, stop)
                if reply.status not in PASSING:
                    return reply
                problem = f"status {reply.status}"
            except TimeoutError:
                raise QueryTimeout(seconds) from None
            except (OSError, http.client.HTTPException) as error:
                problem = str(error) or type(error).__name__
            if stop.asked:
                raise QueryCancelled
            if pause is None or time.monotonic() + pause >= end:
                break
            time.sleep(pause)
        raise StoreUnavailable(self.query_url, problem)

    def update(self, text: str, seconds: float = 60.0) -> None:
        """Send an update, once: it may not be safe to repeat.

        Raises:
            StoreUnavailable: If there is no address for updates, or it does not do it.
        """
        if self.update_url is None:
            raise StoreUnavailable(self.query_url, f"{VARIABLE} names no address for updates")
        end = time.monotonic() + seconds
        try:
            reply = self._post(self.update_url, {"update": text}, "*/*", end, 10**6, Stop())
        except (OSError, http.client.HTTPException) as error:
            raise StoreUnavailable(self.update_url, str(error)) from error
        if reply.status >= 300:
            problem = f"status {reply.status}: {_shown(reply.body)}"
            raise StoreUnavailable(self.update_url, problem)

    def _post(
        self, url: str, form: Mapping[str, str], accept: str, end: float, most: int, stop: Stop
    ) -> Reply:
        parts = urlsplit(url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        left = max(0.001, end - time.monotonic())
        connection = kind(parts.hostname or "", parts.port, timeout=left)
        headers = {
            "Accept": accept,
            "Content-Type": "application/x-www-form-urlencoded",
            "Connection": "close",
        }
        with contextlib.closing(connection):
            connection.connect()
            stop.socket = connection.sock
            path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
            connection.request("POST", path, urlencode(form), headers)
            # The connection has let go of a reply that it closes after.
            with contextlib.closing(connection.getresponse()) as response:
                body = self._body(response, end, most, stop)
            return Reply(response.status, response.headers.get_content_type(), body)

    def _body(self, response: http.client.HTTPResponse, end: float, most: int, stop: Stop) -> bytes:
        body = bytearray()
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if stop.socket is not None:
                stop.socket.settimeout(left)
            part = response.read1(65536)
            if not part:
                return bytes(body)
            body += part
            if len(body) > most:
                raise QueryTooLarge("result", most)


class Stop:
    """A way to end a request from another thread."""

    def __init__(self) -> None:
        self.asked = False
        self.socket: socket.socket | None = None
        self._lock = threading.Lock()

    def now(self) -> None:
        """End it."""
        with self._lock:
            self.asked = True
            if self.socket is not None:
                with contextlib.suppress(OSError):
                    self.socket.shutdown(socket.SHUT_RDWR)


def run(
    endpoint: Endpoint,
    query: str,
    *,
    seconds: float,
    rows: int,
    most: int,
    bindings: Mapping[str, Sent],
    base: str | None = None,
    stop: Stop | None = None,
) -> QueryResult:
    """Return a query's result from an endpoint.

    Args:
        endpoint: Whom to ask.
        query: As it was written.
        seconds: Until the result must be there.
        rows: Rows or triples kept; further ones are cut off.
        most: Bytes of the reply.
        bindings: Terms that stand for variables of the query.
        base: What relative IRIs are resolved against.
        stop: A way to end it from another thread.

    Raises:
        GraphError: As `Executor.run`, and `StoreUnavailable` if nobody answers.
    """
    started = time.perf_counter()
    read = admit(query, base=base)
    text = read.bound({name: str(engine_term(value)) for name, value in bindings.items()})
    if read.form == "select" and not read.limited:
        text += f" LIMIT {rows + 1}"  # one more, to see that there are more
    if base is not None:
        text = f"BASE <{base}> {text}"
    # An endpoint's JSON is about three times as long as the terms in it.
    reply = endpoint.ask(text, read.form, seconds, most * 3, stop or Stop())
    if reply.status >= 400:
        raise _refused(reply, endpoint, read)
    try:
        result = _result(read, reply, rows)
    except (ValueError, KeyError, TypeError, SyntaxError) as error:
        problem = f"its reply is not what was asked for: {error}"
        raise StoreUnavailable(endpoint.query_url, problem) from error
    elapsed = (time.perf_counter() - started) * 1000
    return replace(result, elapsed_ms=elapsed)


def _result(read: ReadQuery, reply: Reply, rows: int) -> QueryResult:
    if read.form in ("construct", "describe"):
        form = ox.RdfFormat.from_media_type(reply.media_type) or ox.RdfFormat.N_TRIPLES
        found: list[list[Sent]] = []
        for quad in ox.parse(reply.body, format=form):
            if len(found) == rows:
                return QueryResult(read.form, cut="rows", sent=found)
            found.append([to_send(quad.subject), to_send(quad.predicate), to_send(quad.object)])
        return QueryResult(read.form, sent=found)
    document: Any = json.loads(reply.body)
    if "boolean" in document:
        return QueryResult("ask", boolean=bool(document["boolean"]))
    if read.form == "ask":  # Virtuoso 7.2 gives a row with 1, or none
        values = [v["value"] for row in document["results"]["bindings"] for v in row.values()]
        return QueryResult("ask", boolean=values in (["1"], ["true"]))
    names = tuple(document["head"]["vars"])
    if read.all_selected:
        order = {name: place for place, name in enumerate(read.variables)}
        names = tuple(sorted(names, key=lambda name: order.get(name, len(order))))
    solutions = document["results"]["bindings"]
    sent = [[_from_json(s.get(name)) for name in names] for s in solutions[:rows]]
    return QueryResult("select", names, cut="rows" if len(solutions) > rows else None, sent=sent)


def _from_json(value: Mapping[str, str] | None) -> Sent:
    if value is None:
        return None
    if value["type"] == "uri":
        return value["value"]
    if value["type"] == "bnode":
        return [value["value"]]
    return [value["value"], value.get("datatype"), value.get("xml:lang")]


def _refused(reply: Reply, endpoint: Endpoint, read: ReadQuery) -> GraphError:
    if reply.status in (400, 422, 500):
        return QueryFailed(f"the store cannot run the query: {_shown(reply.body)}")
    if reply.status in (408, 504):
        return QueryFailed(f"the store stopped the query: {_shown(reply.body)}")
    problem = f"status {reply.status}: {_shown(reply.body)}"
    return StoreUnavailable(endpoint.query_url, problem)


def _shown(body: bytes) -> str:
    return " ".join(body[:300].decode(errors="replace").split())
