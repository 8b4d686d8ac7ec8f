"""`trainwright serve` keeps the SPARQL 1.1 Protocol, its limits, and real clients happy."""

from __future__ import annotations

import io
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd
import pyoxigraph as ox
import pytest
import rdflib
import uvicorn
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import JSON, POST, SPARQLWrapper

from assistant import Assistant
from assistant.http import Settings, application
from assistant.http.negotiation import GRAPHS, ROWS, chosen
from kg import Limits

MINI = Path(__file__).parent.parent / "data" / "mini.ttl"
SELECT = "SELECT ?s ?label { ?s rdfs:label ?label } ORDER BY ?s ?label LIMIT 3"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"
SETTINGS = Settings(
    places=(MINI,),
    limits=Limits(seconds=1, rows=1_000),
    workers=3,
    patience=1,
    max_request=5_000,
    max_waiting=6,
    questions=False,
)


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """Serve in this process; give the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(application(settings), log_level="warning", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(SETTINGS) as found:
        yield found


def call(
    url: str, data: bytes | str | None = None, method: str | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers by lower-case name, and body."""
    body = data.encode() if isinstance(data, str) else data
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, body, named, method=method)
    try:
        with closing(urllib.request.urlopen(request, timeout=20)) as response:
            return (
                response.status,
                {k.lower(): v for k, v in response.headers.items()},
                response.read(),
            )
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


def ask_sparql(address: str, query: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return call(f"{address}/sparql?{urlencode({'query': query})}", **headers)


def problem(answer: tuple[int, dict[str, str], bytes]) -> tuple[int, dict[str, Any]]:
    status, headers, body = answer
    assert headers["content-type"] == "application/json"
    found: dict[str, Any] = json.loads(body)
    return status, found


def test_the_three_ways_to_send_a_query(address: str) -> None:
    """GET, a form, and the query itself as the body give the same."""
    form = urlencode({"query": SELECT})
    by_get = call(f"{address}/sparql?{form}")
    by_form = call(f"{address}/sparql", form, content_type="application/x-www-form-urlencoded")
    by_body = call(f"{address}/sparql", SELECT, content_type="application/sparql-query")
    assert by_get[0] == 200
    assert by_get[2] == by_form[2] == by_body[2]
    assert by_get[1]["content-type"] == "application/sparql-results+json"
    assert len(json.loads(by_get[2])["results"]["bindings"]) == 3


@pytest.mark.parametrize(
    ("accept", "query", "content_type"),
    [
        ("text/csv", SELECT, "text/csv; charset=utf-8"),
        ("text/tab-separated-values", SELECT, "text/tab-separated-values; charset=utf-8"),
        ("application/sparql-results+xml", SELECT, "application/sparql-results+xml"),
        ("application/json", SELECT, "application/sparql-results+json"),
        ("text/html, */*;q=0.1", SELECT, "application/sparql-results+json"),
        ("text/csv;q=0.5, application/xml;q=0.9", "ASK { }", "application/sparql-results+xml"),
        ("*/*", "DESCRIBE ?s { ?s ?p ?o } LIMIT 1", "text/turtle; charset=utf-8"),
        ("application/ld+json", "CONSTRUCT WHERE { ?s ?p ?o }", "application/ld+json"),
        ("application/n-triples", "CONSTRUCT WHERE { ?s ?p ?o }", "application/n-triples"),
        ("application/rdf+xml", "CONSTRUCT WHERE { ?s ?p ?o }", "application/rdf+xml"),
    ],
)
def test_the_format_is_negotiated(address: str, accept: str, query: str, content_type: str) -> None:
    status, headers, body = ask_sparql(address, query, accept=accept)
    assert (status, headers["content-type"]) == (200, content_type)
    assert body


@pytest.mark.parametrize(
    ("accept", "asked", "rows", "graph"),
    [
        (None, None, "json", "turtle"),
        ("text/*", None, "xml", "turtle"),
        ("application/*;q=0.2, text/csv;q=0.1", None, "json", "jsonld"),
        ("application/json;q=0, */*", None, "json", "turtle"),
        ("application/sparql-results+json;q=0, text/csv;q=0.5", None, "csv", None),
        ("image/png", None, None, None),
        ("text/csv", "tsv", "tsv", None),
        ("text/csv;q=x", None, None, None),
        ("text/csv", "exe", "csv", None),
    ],
)
def test_the_best_format_wins(
    accept: str | None, asked: str | None, rows: str | None, graph: str | None
) -> None:
    """The most specific range counts; zero excludes; the parameter wins if it names a format."""
    assert chosen(accept, asked, ROWS) == rows
    assert chosen(accept, asked, GRAPHS) == graph


def test_nothing_acceptable_is_406(address: str) -> None:
    assert problem(ask_sparql(address, SELECT, accept="image/png"))[0] == 406
    assert problem(ask_sparql(address, SELECT, accept="text/turtle"))[0] == 406


def test_the_service_describes_itself(address: str) -> None:
    """Without a query the endpoint gives RDF with its own address."""
    status, headers, body = call(f"{address}/sparql", accept="text/turtle")
    assert (status, headers["content-type"]) == (200, "text/turtle; charset=utf-8")
    graph = rdflib.Graph().parse(data=body, format="turtle")
    sd = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")
    (service,) = graph.subjects(rdflib.RDF.type, sd.Service)
    assert graph.value(service, sd.endpoint) == rdflib.URIRef(f"{address}/sparql")
    assert graph.value(service, sd.supportedLanguage) == sd.SPARQL11Query
    formats = list(graph.objects(service, sd.resultFormat))
    assert len(formats) == 8


def test_a_bad_query_is_400_with_its_place(address: str) -> None:
    status, found = problem(ask_sparql(address, "SELECT *\n{ ?s ?p }"))
    assert (status, found["error"], found["line"], found["column"]) == (400, "failed", 2, 9)


def test_a_refused_query_is_403_with_its_place(address: str) -> None:
    query = "SELECT * { SERVICE <http://example.org/> { } }"
    status, found = problem(ask_sparql(address, query))
    assert (status, found["error"], found["line"], found["column"]) == (403, "refused", 1, 12)
    assert problem(ask_sparql(address, "SELECT * FROM <urn:x> { }"))[0] == 403
    graph = quote("http://example.org/g", safe="")
    url = f"{address}/sparql?query=ASK%7B%7D&default-graph-uri={graph}"
    assert problem(call(url))[0] == 403


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/sparql-update", "DROP ALL"),
        ("application/x-www-form-urlencoded", "update=DROP%20ALL"),
    ],
)
def test_an_update_is_403(address: str, content_type: str, body: str) -> None:
    answer = call(f"{address}/sparql", body, content_type=content_type)
    assert problem(answer)[0] == 403
    assert ask_sparql(address, "ASK { ?s ?p ?o }")[2] == b'{"head": {}, "boolean": true}'


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (400, "application/sparql-query", b"ASK { \xff }"),
        (400, "application/x-www-form-urlencoded", b"query=%FF"),
        (400, "application/x-www-form-urlencoded", b"query=ASK%7B%7D&query=ASK%7B%7D"),
        (400, "application/x-www-form-urlencoded", b"query=ASK%7B%7D&timeout=soon"),
        (400, "application/x-www-form-urlencoded", b"&".join(b"a=%d" % i for i in range(500))),
        (415, "text/plain", b"ASK { }"),
        (415, "application/sparql-query; charset=utf-16", "ASK { }".encode("utf-16")),
        (413, "application/sparql-query", b"ASK { }" + b" " * 6_000),
    ],
)
def test_a_request_that_is_not_of_the_protocol(
    address: str, status: int, content_type: str, body: bytes
) -> None:
    assert problem(call(f"{address}/sparql", body, content_type=content_type))[0] == status


def test_other_methods_are_405(address: str) -> None:
    assert call(f"{address}/sparql", "ASK { }", method="PUT")[0] == 405
    assert call(f"{address}/sparql", method="DELETE")[0] == 405


def test_a_slow_query_is_408(address: str) -> None:
    started = time.perf_counter()
    status, found = problem(ask_sparql(address, ENDLESS))
    assert (status, found["error"]) == (408, "timeout")
    assert time.perf_counter() - started < 2
    url = f"{address}/sparql?{urlencode({'query': ENDLESS, 'timeout': '0.2'})}"
    started = time.perf_counter()
    assert call(url)[0] == 408
    assert time.perf_counter() - started < 1


def test_a_cut_result_says_so(address: str) -> None:
    url = f"{address}/sparql?{urlencode({'query': 'SELECT * { ?s ?p ?o }', 'limit': 2})}"
    _, headers, body = call(url, accept="text/csv")
    assert headers["x-trainwright-cut"] == "rows at 2"
    assert len(body.splitlines()) == 3


def test_one_caller_may_not_queue_without_end(address: str) -> None:
    """Beyond what one caller may have open it is 429; who waits in vain for a turn gets 503."""
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: ask_sparql(address, ENDLESS), range(10)))
    statuses = sorted({status for status, _, _ in answers})
    assert 429 in statuses
    assert set(statuses) <= {408, 429, 503}
    refused = next(answer for answer in answers if answer[0] == 429)
    assert refused[1]["retry-after"] == "1"
    assert ask_sparql(address, "ASK { }")[0] == 200


def test_a_caller_that_hangs_up_stops_its_query(address: str) -> None:
    """Its turn is free at once: as many as may run, hung up on, hold up nobody."""
    host, port = address.removeprefix("http://").split(":")
    request = f"GET /sparql?{urlencode({'query': ENDLESS})} HTTP/1.1\r\nHost: {host}\r\n\r\n"
    for _ in range(2):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(request.encode())
            time.sleep(0.1)
    started = time.perf_counter()
    assert ask_sparql(address, "ASK { }")[0] == 200
    assert time.perf_counter() - started < 0.6


def test_nobody_else_is_let_in_with_a_token() -> None:
    with serving(replace(SETTINGS, token="secret")) as address:
        assert problem(ask_sparql(address, "ASK { }"))[0] == 401
        assert problem(ask_sparql(address, "ASK { }", authorization="Bearer secre"))[0] == 401
        assert ask_sparql(address, "ASK { }", authorization="Bearer secret")[0] == 200
        assert call(f"{address}/ask?question=x")[0] == 401
        assert call(f"{address}/health")[0] == 200


def test_other_origins_may_call_only_if_named(address: str) -> None:
    origin = "https://example.org"
    assert "access-control-allow-origin" not in ask_sparql(address, "ASK { }", origin=origin)[1]
    with serving(replace(SETTINGS, origins=(origin,))) as open_address:
        allowed = ask_sparql(open_address, "ASK { }", origin=origin)[1]
        assert allowed["access-control-allow-origin"] == origin
        other = ask_sparql(open_address, "ASK { }", origin="https://example.com")[1]
        assert "access-control-allow-origin" not in other


def test_the_api_page_needs_no_other_server(address: str) -> None:
    page = call(f"{address}/docs")[2].decode()
    assert "://" not in page.replace(address, "")
    paths = json.loads(call(f"{address}/openapi.json")[2])["paths"]
    assert set(paths) == {"/sparql", "/ask", "/health"}
    assert {"400", "403", "408", "413", "429", "503"} <= set(paths["/sparql"]["get"]["responses"])
    assert "application/sparql-query" in paths["/sparql"]["post"]["requestBody"]["content"]


def test_health_tells_what_is_there(address: str) -> None:
    found = json.loads(call(f"{address}/health")[2])
    assert found["status"] == "ok"
    assert found["triples"] > 30
    assert found["questions"] == "off"


def test_questions_are_answered(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """GET and POST give the one shape of an answer; without the assistant it is 503."""
    monkeypatch.setattr("assistant.Assistant.load", lambda: assistant)
    question = "How much memory is the minimum?"
    with serving(replace(SETTINGS, questions=True)) as address:
        body = json.dumps({"question": question, "id": 7})
        posted = call(f"{address}/ask", body, content_type="application/json")
        answer = json.loads(posted[2])
        assert (posted[0], answer["kind"], answer["id"]) == (200, "answer", 7)
        assert "128 GB" in answer["text"]
        got = json.loads(call(f"{address}/ask?{urlencode({'question': question})}")[2])
        assert got["text"] == answer["text"]
        assert json.loads(call(f"{address}/health")[2])["questions"] == "ready"
        assert call(f"{address}/ask", "{}", content_type="application/json")[0] == 422
    with serving(SETTINGS) as address:
        assert problem(call(f"{address}/ask?question=x"))[0] == 503


def test_sparqlwrapper_is_served(address: str) -> None:
    client = SPARQLWrapper(f"{address}/sparql")
    client.setQuery(SELECT)
    client.setReturnFormat(JSON)
    for method in ("GET", POST):
        client.setMethod(method)
        found: Any = client.queryAndConvert()
        assert len(found["results"]["bindings"]) == 3
    client.setQuery("CONSTRUCT WHERE { ?s rdfs:label ?label }")
    client.setReturnFormat("turtle")
    graph: Any = rdflib.Graph().parse(data=client.queryAndConvert(), format="turtle")
    assert len(graph) > 3


def test_rdflibs_sparqlstore_is_served(address: str) -> None:
    graph = rdflib.Graph(SPARQLStore(f"{address}/sparql"))
    labels = {str(row[1]) for row in graph.query(SELECT)}  # type: ignore[index]
    assert len(labels) == 3
    expected = rdflib.Graph().parse(MINI)
    assert set(graph.subjects(rdflib.RDFS.label)) == set(expected.subjects(rdflib.RDFS.label))


def test_pandas_is_served(address: str) -> None:
    url = f"{address}/sparql?{urlencode({'query': SELECT, 'format': 'csv'})}"
    frame = pd.read_csv(url)
    assert list(frame.columns) == ["s", "label"]
    assert len(frame) == 3
    body = ask_sparql(address, SELECT, accept="text/csv")[2]
    assert frame.equals(pd.read_csv(io.BytesIO(body)))


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_is_served(address: str) -> None:
    def curl(*arguments: str) -> bytes:
        command = ["curl", "--silent", "--fail", f"{address}/sparql", *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    rows = curl("--data-urlencode", f"query={SELECT}", "-H", "Accept: text/csv")
    assert len(rows.splitlines()) == 4
    direct = curl("--data-binary", SELECT, "-H", "Content-Type: application/sparql-query")
    assert len(list(ox.parse_query_results(direct, format=ox.QueryResultsFormat.JSON))) == 3  # type: ignore[arg-type]
    assert b"rdfs:label" in curl(
        "-G", "--data-urlencode", "query=CONSTRUCT WHERE { ?s rdfs:label ?l }"
    )


@pytest.mark.slow
def test_the_command_serves() -> None:
    """`trainwright serve` prints its address, answers, and ends on a signal without a trace."""
    command = [sys.executable, "-m", "assistant.cli", "serve", "--port", "0", "--no-ask"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[1].removesuffix("/sparql,")
        try:
            assert ask_sparql(address, "ASK { ?s a tw:Statement }")[0] == 200
        finally:
            process.terminate()
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "assistant.cli", "serve", "--port", port]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "in use" in result.stderr
    assert "Traceback" not in result.stderr
