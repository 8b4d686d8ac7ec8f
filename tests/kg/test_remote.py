"""A graph in another store: the same results, limits and clear errors.

Against two real servers if their programs are here: Oxigraph (PyPI `oxigraph`, of the extra
`dev`) and Virtuoso (Debian's virtuoso-opensource-7-bin); and against one that misbehaves.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from rdflib import Literal, URIRef

from kg import (
    Executor,
    ExecutorBusy,
    KnowledgeGraph,
    Limits,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryTimeout,
    QueryTooLarge,
    RemoteGraph,
    StoreUnavailable,
    open_executor,
)
from kg.endpoint import VARIABLE, Endpoint
from kg.remote import RemoteExecutor
from kg.remote_graph import fill
from kg.sparql import read_query

MINI = Path(__file__).parent.parent / "data" / "mini.ttl"
PROGRAM = shutil.which("oxigraph", path=Path(sys.executable).parent) or shutil.which("oxigraph")
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"
QUERIES = [
    "SELECT ?s ?label { ?s rdfs:label ?label } ORDER BY ?label ?s",
    "SELECT * { ?s a ?class . OPTIONAL { ?s skos:altLabel ?other } } ORDER BY ?s ?class ?other",
    "SELECT ?class (COUNT(?s) AS ?n) { ?s a ?class } GROUP BY ?class ORDER BY ?class",
    "SELECT ?s ?x { VALUES ?x { 1 2 'a'@en } ?s a tw:Statement } ORDER BY ?s ?x",
    "ASK { ?s ?p ?o }",
    "ASK { <urn:a> ?p ?o }",
    "CONSTRUCT { ?s rdfs:label ?o } WHERE { ?s rdfs:label ?o }",
]

Answer = tuple[int, str, bytes]


VIRTUOSO_INI = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = temp.db
TransactionFile = temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
NumberOfBuffers = 10000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 8
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def oxigraph(_: Path) -> Iterator[Endpoint]:
    if PROGRAM is None:
        pytest.skip("the program oxigraph is not installed")
    address = f"127.0.0.1:{free_port()}"
    command = [PROGRAM, "serve", "--bind", address]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield Endpoint(f"http://{address}/query", f"http://{address}/update")
        finally:
            process.kill()


@contextmanager
def virtuoso(folder: Path) -> Iterator[Endpoint]:
    """Virtuoso puts its own triples into the union of all graphs, so that ours get a name."""
    if not (shutil.which("virtuoso-t") and shutil.which("isql-vt")):
        pytest.skip("virtuoso-opensource-7-bin is not installed")
    sql, http = free_port(), free_port()
    (folder / "virtuoso.ini").write_text(VIRTUOSO_INI.format(sql=sql, http=http))
    command = ["virtuoso-t", "-f", "-c", "virtuoso.ini"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as process:
        try:
            grant = ["isql-vt", f"127.0.0.1:{sql}", "dba", "dba"]
            grant.append('EXEC=GRANT SPARQL_UPDATE TO "SPARQL"')
            for _ in range(100):
                time.sleep(0.3)
                if subprocess.run(grant, capture_output=True, check=False).returncode == 0:
                    break
            address = f"http://127.0.0.1:{http}/sparql?default-graph-uri=urn:trainwright"
            yield Endpoint(address, address)
        finally:
            process.kill()


SERVERS = {"oxigraph": oxigraph, "virtuoso": virtuoso}


@pytest.fixture(scope="module", params=SERVERS)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    """A real server, filled with the mini graph."""
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as endpoint:
        for _ in range(10):
            try:
                RemoteExecutor(endpoint, Limits(seconds=10), 4, 1).ready()
                break
            except StoreUnavailable:
                time.sleep(0.5)
        assert fill(endpoint, [MINI]) == len(KnowledgeGraph.load(MINI))
        yield endpoint


@pytest.fixture(scope="module")
def embedded() -> Iterator[Executor]:
    with Executor.start([MINI]) as executor:
        yield executor


@pytest.fixture
def remote(store: Endpoint) -> RemoteExecutor:
    return RemoteExecutor(store, Limits(seconds=5), workers=4, patience=1)


@pytest.fixture
def server() -> Iterator[Callable[[Callable[[int, str], Answer]], Endpoint]]:
    """Start a server that answers each request, by its number and query, as a test wants."""
    started: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[int, str], Answer]) -> Endpoint:
        count = iter(range(1_000))

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                form = parse_qs(self.rfile.read(length).decode())
                status, kind, body = answer(next(count), form["query"][0])
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        found.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=found.serve_forever, daemon=True).start()
        started.append(found)
        return Endpoint(f"http://127.0.0.1:{found.server_port}/sparql")

    yield start
    for found in started:
        found.shutdown()
        found.server_close()


YES: Answer = (200, "application/sparql-results+json", b'{"head": {}, "boolean": true}')


@pytest.mark.parametrize("query", QUERIES)
def test_a_store_gives_what_the_embedded_engine_gives(
    query: str, remote: RemoteExecutor, embedded: Executor
) -> None:
    ours, theirs = embedded.run(query), remote.run(query)
    assert (theirs.kind, theirs.boolean) == (ours.kind, ours.boolean)
    assert theirs.variables == ours.variables
    # The order between languages and between kinds of literals is each engine's own.
    assert sorted(map(str, theirs.rows)) == sorted(map(str, ours.rows))
    assert set(theirs.triples) == set(ours.triples)


def test_a_store_is_filled_and_counted(remote: RemoteExecutor) -> None:
    assert remote.ready() == remote.reload() == len(KnowledgeGraph.load(MINI))


def test_rows_are_cut_there_too(remote: RemoteExecutor) -> None:
    """The store is asked for one row more than may be kept; a LIMIT of the query's own stays."""
    assert remote.run("SELECT * { ?s ?p ?o }", Limits(rows=3)).cut == "rows"
    limited = remote.run("SELECT * { ?s ?p ?o } LIMIT 3", Limits(rows=3))
    assert (len(limited.rows), limited.cut) == (3, None)
    assert remote.run("CONSTRUCT WHERE { ?s ?p ?o }", Limits(rows=3)).cut == "rows"
    with pytest.raises(QueryTooLarge, match="result"):
        remote.run("SELECT * { ?s ?p ?o }", Limits(bytes=100))


def test_the_guard_stands_before_the_store(remote: RemoteExecutor) -> None:
    with pytest.raises(QueryRefused, match="line 1, column 12: SERVICE"):
        remote.run("SELECT * { SERVICE <http://example.org/> { } }")
    with pytest.raises(QueryFailed, match="INSERT is an update"):
        remote.run("INSERT DATA { }")
    with pytest.raises(QueryFailed, match="the store cannot run the query"):
        remote.run("SELECT (SUBSTR() AS ?x) { ?s ?p ?o }")
    with pytest.raises(QueryTooLarge, match="text"):
        remote.run("ASK { }" + " " * 99, Limits(query_bytes=50))


def test_a_slow_store_is_left(remote: RemoteExecutor) -> None:
    started = time.perf_counter()
    with pytest.raises(QueryTimeout):
        remote.run(ENDLESS, Limits(seconds=0.4))
    assert time.perf_counter() - started < 1.4


def test_a_query_to_a_store_is_cancelled(remote: RemoteExecutor) -> None:
    query = remote.submit(ENDLESS).start()
    time.sleep(0.2)
    started = time.perf_counter()
    query.cancel()
    with pytest.raises(QueryCancelled):
        query.result()
    assert time.perf_counter() - started < 0.5


def test_a_graph_in_a_store_answers_as_the_embedded_one(store: Endpoint) -> None:
    """Selecting, bound variables, objects and texts."""
    here, there = KnowledgeGraph.load(MINI), RemoteGraph(store)
    assert len(there) == len(here)
    query = read_query("SELECT ?s ?label { ?s rdfs:label ?label }", {"rdfs": "urn:"}).text
    query = query.replace("<urn:>", "<http://www.w3.org/2000/01/rdf-schema#>")
    rows = here.select(query)
    assert sorted(map(str, there.select(query))) == sorted(map(str, rows))
    bound = {"s": rows[0]["s"]}
    assert sorted(map(str, there.select(query, bound))) == sorted(
        map(str, here.select(query, bound))
    )
    label = URIRef("http://www.w3.org/2000/01/rdf-schema#label")
    subject = rows[0]["s"]
    assert isinstance(subject, URIRef)
    assert there.objects(subject, label) == here.objects(subject, label)
    assert there.text(subject, label, "en") == here.text(subject, label, "en")
    with pytest.raises(QueryFailed, match="no variable"):
        there.select(query, {"none": Literal(1)})


def test_a_store_is_asked_again_while_it_fails_for_a_moment(
    server: Callable[[Callable[[int, str], Answer]], Endpoint],
) -> None:
    endpoint = server(lambda n, _: (503, "text/plain", b"later") if n < 2 else YES)
    assert RemoteExecutor(endpoint, Limits(), 1, 1).run("ASK { }").boolean


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((503, "text/plain", b"down"), "status 503"),
        ((401, "text/plain", b"who are you"), "status 401: who are you"),
        ((200, "text/html", b"<html>hello</html>"), "not what was asked for"),
        ((200, "application/sparql-results+json", b'{"head": {}}'), "not what was asked for"),
    ],
    ids=["down", "locked", "a web page", "half a result"],
)
def test_a_store_that_misbehaves_is_named(
    answer: Answer,
    problem: str,
    server: Callable[[Callable[[int, str], Answer]], Endpoint],
) -> None:
    endpoint = server(lambda *_: answer)
    with pytest.raises(StoreUnavailable, match=problem) as error:
        RemoteExecutor(endpoint, Limits(seconds=3), 1, 1).run("SELECT * { ?s ?p ?o }")
    assert error.value.address == endpoint.query_url


def test_virtuosos_truth_value_is_understood(
    server: Callable[[Callable[[int, str], Answer]], Endpoint],
) -> None:
    value = {"__ASK_RETVAL": {"type": "literal", "value": "1"}}
    document = {"head": {"vars": ["__ASK_RETVAL"]}, "results": {"bindings": [value]}}
    endpoint = server(
        lambda *_: (200, "application/sparql-results+json", json.dumps(document).encode())
    )
    assert RemoteExecutor(endpoint, Limits(), 1, 1).run("ASK { }").boolean is True


def test_a_busy_executor_of_a_store_says_so(
    server: Callable[[Callable[[int, str], Answer]], Endpoint],
) -> None:
    def slow(*_: object) -> Answer:
        time.sleep(0.5)
        return YES

    executor = RemoteExecutor(server(slow), Limits(), workers=1, patience=0.1)
    first = executor.submit("ASK { }").start()
    time.sleep(0.1)
    with pytest.raises(ExecutorBusy):
        executor.run("ASK { }")
    assert first.result().boolean


def test_nobody_listening_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(StoreUnavailable, match="refused"):
        RemoteExecutor(Endpoint(address), Limits(seconds=3), 1, 1).run("ASK { }")
    with pytest.raises(StoreUnavailable, match="names no address for updates"):
        Endpoint(address).update("CLEAR ALL")


def test_the_variable_chooses_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "http://localhost:1/query http://localhost:1/update")
    endpoint = Endpoint.from_environment()
    assert endpoint is not None
    assert endpoint.update_url == "http://localhost:1/update"
    assert isinstance(open_executor([MINI]), RemoteExecutor)
    assert isinstance(KnowledgeGraph.shipped(), RemoteGraph)
    monkeypatch.setenv(VARIABLE, "file:///etc/passwd")
    with pytest.raises(StoreUnavailable, match="not an http"):
        open_executor([MINI])
    monkeypatch.delenv(VARIABLE)
    with open_executor([MINI]) as executor:
        assert not isinstance(executor, RemoteExecutor)


@pytest.mark.parametrize(
    ("query", "bound"),
    [
        ("SELECT ?x ?y { ?x <p> ?y }", "SELECT (<urn:a> AS ?x) ?y { <urn:a> <p> ?y }"),
        (
            "SELECT * { ?y ?x ?z FILTER(?z > ?x) }",
            "SELECT * { ?y <urn:a> ?z FILTER ( ?z > <urn:a> ) }",
        ),
        ("ASK { GRAPH ?x { } }", "ASK { GRAPH <urn:a> { } }"),
        ("DESCRIBE ?x { }", "DESCRIBE <urn:a> { }"),
        (
            "ASK { { SELECT ?x { ?x ?y ?z } } }",
            "ASK { { SELECT (<urn:a> AS ?x) { <urn:a> ?y ?z } } }",
        ),
    ],
)
def test_terms_are_written_in_the_places_of_variables(query: str, bound: str) -> None:
    assert read_query(query).bound({"x": "<urn:a>"}) == bound
