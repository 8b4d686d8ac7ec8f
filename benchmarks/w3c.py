"""Runs the W3C SPARQL 1.0 and 1.1 tests through guard and executor, and through the bare engine.

Run with `W3C_TESTS=FOLDER python -m benchmarks.w3c`; the folder holds `sparql/sparql10` and
`sparql/sparql11` of w3c/rdf-tests. It prints how many tests of each group pass on either side,
and each difference by name. Update tests are not run: there are no updates. The protocol tests
go to a server of ours; the engine has none in this process to compare with.
"""

from __future__ import annotations

import csv
import http.client
import io
import os
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import rdflib
from rdflib import RDF, Namespace, URIRef
from rdflib.collection import Collection

from kg import Dataset, Executor, GraphError, Limits, QueryRefused, QueryResult
from kg.results import engine_term

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
RS = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")
HT = Namespace("http://www.w3.org/2011/http#")
CNT = Namespace("http://www.w3.org/2011/content#")
EVALUATION = {MF.QueryEvaluationTest, MF.CSVResultFormatTest}
POSITIVE = {MF.PositiveSyntaxTest, MF.PositiveSyntaxTest11}
NEGATIVE = {MF.NegativeSyntaxTest, MF.NegativeSyntaxTest11}
# These need another server to answer, or entailment, which is not part of the query language.
LEFT_OUT = {"service", "entailment"}
LIMITS = Limits(seconds=10, rows=100_000)


@dataclass(frozen=True)
class Case:
    """One test: what is asked, of what, and what must come."""

    group: str
    name: str
    kind: URIRef
    query: Path
    data: tuple[Path, ...] = ()
    named: tuple[Path, ...] = ()
    expected: Path | None = None

    @property
    def id(self) -> str:
        """Group and name, by which differences are listed."""
        return f"{self.group}/{self.name}"


@dataclass
class Report:
    """Which tests pass on either side, and why ours refuses what it refuses."""

    bare: dict[str, bool] = field(default_factory=dict)
    ours: dict[str, bool] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def lost(self) -> list[str]:
        """Return the tests that the bare engine passes and ours does not."""
        return sorted(name for name, passes in self.bare.items() if passes and not self.ours[name])

    def won(self) -> list[str]:
        """Return the tests that ours passes and the bare engine does not."""
        return sorted(name for name, passes in self.ours.items() if passes and not self.bare[name])

    def lines(self) -> Iterator[str]:
        """Yield a line for each group, the totals, and the differences."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in self.ours:
            groups[name.rpartition("/")[0]].append(name)
        yield f"{'group':38s} tests   bare   ours"
        for group, names in [*sorted(groups.items()), ("all", list(self.ours))]:
            bare, ours = (sum(side[n] for n in names) for side in (self.bare, self.ours))
            yield f"{group:38s} {len(names):5d}  {bare:5d}  {ours:5d}"
        for name in self.lost():
            yield f"not ours: {name}: {self.refused.get(name, 'not explained')}"
        for name in self.won():
            yield f"only ours: {name}"


def cases(folder: Path) -> list[Case]:
    """Return the query tests of all manifests, in a fixed order."""
    found = []
    for manifest in sorted((folder / "sparql").glob("sparql1[01]/*/manifest.ttl")):
        if manifest.parent.name in LEFT_OUT:
            continue
        graph = rdflib.Graph().parse(manifest, format="turtle", publicID=manifest.as_uri())
        group = "/".join(manifest.parts[-3:-1])
        for entries in graph.objects(None, MF.entries):
            for node in Collection(graph, entries):
                found += _case(graph, node, group)
    return found


def _case(graph: rdflib.Graph, node: Any, group: str) -> Iterator[Case]:
    kind = graph.value(node, RDF.type)
    action = graph.value(node, MF.action)
    name = str(node).rpartition("#")[2] or str(node).rpartition("/")[2]
    if kind in POSITIVE | NEGATIVE:
        yield Case(group, name, kind, _path(action))
    elif kind in EVALUATION:
        yield Case(
            group,
            name,
            kind,
            _path(graph.value(action, QT.query)),
            tuple(sorted(map(_path, graph.objects(action, QT.data)))),
            tuple(sorted(map(_path, graph.objects(action, QT.graphData)))),
            _path(graph.value(node, MF.result)),
        )


def _path(iri: Any) -> Path:
    return Path(str(iri).removeprefix("file://"))


def run(found: list[Case]) -> Report:
    """Return which tests pass, run by the bare engine and by an executor on all their data."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "all.nq"
        file.write_bytes(b"".join(_quads(path) for path in sorted(_files(found))))
        with Executor.start([file], LIMITS, workers=1) as executor:
            for case in found:
                text = case.query.read_bytes().decode("utf-8", errors="surrogateescape")
                report.bare[case.id] = _passes(case, lambda c, t: _ask_bare(c, t), text)
                try:
                    report.ours[case.id] = _passes(
                        case, lambda c, t: _ask_ours(executor, c, t), text
                    )
                except QueryRefused as refused:
                    report.ours[case.id] = case.kind in NEGATIVE
                    report.refused[case.id] = refused.reason
    return report


def _files(found: list[Case]) -> set[Path]:
    """Return all data files, those too that queries name in FROM: all beside the queries."""
    given = {path for case in found for path in (*case.data, *case.named)}
    beside = {
        path
        for case in found
        if case.group.endswith("/dataset")
        for path in case.query.parent.glob("data-g*.ttl")
    }
    return given | beside


def _parsed(path: Path) -> Iterator[ox.Quad]:
    form = ox.RdfFormat.from_extension(path.suffix[1:]) or ox.RdfFormat.TURTLE
    return iter(ox.parse(path=path, format=form, base_iri=path.as_uri(), rename_blank_nodes=True))


def _quads(path: Path) -> bytes:
    graph = ox.NamedNode(path.as_uri())
    quads = (ox.Quad(q.subject, q.predicate, q.object, graph) for q in _parsed(path))
    return ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b""


# Either side gives the result in the form of a comparable value.


def _ask_bare(case: Case, text: str) -> Any:
    store = ox.Store()
    for path in case.data:
        store.extend(q for q in _parsed(path))
    # A graph that only FROM names has to be there for the engine, too.
    for path in {*case.named, *(_files([case]) - set(case.data))}:
        store.bulk_load(_quads(path), format=ox.RdfFormat.N_QUADS)
    result = store.query(text, base_iri=case.query.as_uri())
    if isinstance(result, ox.QueryBoolean):
        return bool(result)
    if isinstance(result, ox.QueryTriples):
        return canonical(result)
    if case.kind == MF.CSVResultFormatTest:
        return csv_rows((result.serialize(format=_row_format(case.expected)) or b"").decode())
    names = [v.value for v in result.variables]
    return _solutions(names, ([row[name] for name in names] for row in result))


def _ask_ours(executor: Executor, case: Case, text: str) -> Any:
    dataset = None
    if case.data or case.named:
        filled = [
            tuple(p.as_uri() for p in paths if next(_parsed(p), None))
            for paths in (case.data, case.named)
        ]
        # An empty file leaves no graph to name; the default graph is empty here anyway.
        dataset = Dataset(*filled) if any(filled) else None
    if b"FROM" in case.query.read_bytes():
        dataset = None
    result = executor.run(text, base=case.query.as_uri(), dataset=dataset)
    if result.kind == "ask":
        return result.boolean
    if result.is_graph:
        return canonical(ox.Triple(*map(engine_term, row)) for row in result.sent)  # type: ignore[arg-type]
    if case.kind == MF.CSVResultFormatTest:
        return csv_rows(result.serialise(str(case.expected)[-3:]).decode())
    return _of_result(result)


def _of_result(result: QueryResult) -> Any:
    rows = ([None if v is None else engine_term(v) for v in row] for row in result.sent)
    return _solutions(list(result.variables), rows)


def _passes(case: Case, ask: Any, text: str) -> bool:
    try:
        found = ask(case, text)
    except QueryRefused:
        raise
    except (GraphError, SyntaxError, ValueError, OSError, RuntimeError):
        return case.kind in NEGATIVE
    if case.kind in POSITIVE:
        return True
    if case.kind in NEGATIVE or case.expected is None:
        return False
    return bool(found == expected(case))


def expected(case: Case) -> Any:
    """Return what must come, as a comparable value."""
    path = case.expected
    assert path is not None
    if path.suffix in (".csv", ".tsv") and case.kind == MF.CSVResultFormatTest:
        return csv_rows(path.read_text(encoding="utf-8"))
    if path.suffix in (".srx", ".srj", ".tsv"):
        result = ox.parse_query_results(path=path, format=_row_format(path))
        if isinstance(result, ox.QueryBoolean):
            return bool(result)
        names = [v.value for v in result.variables]
        return _solutions(names, ([row[name] for name in names] for row in result))
    graph = rdflib.Graph().parse(path, publicID=path.as_uri())
    result_set = graph.value(None, RDF.type, RS.ResultSet)
    if result_set is None:
        return canonical(q.triple for q in _parsed(path))
    if (boolean := graph.value(result_set, RS.boolean)) is not None:
        return str(boolean) == "true"
    names = sorted(str(name) for name in graph.objects(result_set, RS.resultVariable))
    rows = []
    for solution in graph.objects(result_set, RS.solution):
        values = {
            str(graph.value(b, RS.variable)): _from_rdflib(graph.value(b, RS.value))
            for b in graph.objects(solution, RS.binding)
        }
        rows.append([values.get(name) for name in names])
    return _solutions(names, rows)


def _row_format(path: Path | None) -> ox.QueryResultsFormat:
    form = ox.QueryResultsFormat.from_extension(path.suffix[1:] if path else "srx")
    assert form is not None
    return form


def _from_rdflib(node: Any) -> Any:
    if isinstance(node, rdflib.Literal):
        datatype = ox.NamedNode(str(node.datatype)) if node.datatype else None
        return ox.Literal(str(node), datatype=datatype, language=node.language)
    if isinstance(node, rdflib.BNode):
        return ox.BlankNode(str(node))
    return ox.NamedNode(str(node))


def _solutions(names: Iterable[str], rows: Iterable[list[Any]]) -> tuple[list[str], Any]:
    """Return rows in no order, blank nodes by their role, as a canonical graph."""
    names = list(names)
    counted: Counter[str] = Counter()
    triples = []
    for row in rows:
        if any(isinstance(value, ox.BlankNode) for value in row):
            node = ox.BlankNode()
            triples += [
                ox.Triple(node, ox.NamedNode(f"urn:var:{name}"), value)
                for name, value in zip(names, row, strict=True)
                if value is not None
            ]
        else:
            shown = sorted(
                (n, str(_stored(v))) for n, v in zip(names, row, strict=True) if v is not None
            )
            counted[str(shown)] += 1
    return sorted(names), (counted, canonical(triples))


def _stored(value: Any) -> Any:
    """Return a term as the engine gives it back: numbers in their canonical form."""
    store = ox.Store()
    store.add(ox.Quad(ox.BlankNode(), ox.NamedNode("urn:p"), value))
    return next(iter(store)).object


def canonical(triples: Iterable[ox.Triple]) -> list[str]:
    """Return triples in an order and with names of blank nodes that equal graphs share."""
    store = ox.Store()
    store.extend(ox.Quad(t.subject, t.predicate, t.object) for t in triples)
    dataset = ox.Dataset(store)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return sorted(map(str, dataset))


def csv_rows(text: str) -> tuple[list[str], Counter[str]]:
    """Return head and rows of CSV or TSV, blank nodes without their names."""
    tabs = "\t" in text
    lines = [line.split("\t") for line in text.splitlines()] if tabs else None
    head, *rows = lines or list(csv.reader(io.StringIO(text, newline="")))
    return head, Counter(
        str(["_:" if v.startswith("_:") else str(_number(v)) for v in row]) for row in rows
    )


def _number(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value


# The protocol, through a server


@dataclass(frozen=True)
class Exchange:
    """One request of a protocol test, and what may come."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    statuses: frozenset[str]
    boolean: bool | None
    format: str | None


def protocol_cases(folder: Path) -> dict[str, list[Exchange]]:
    """Return the requests of each test of the protocol."""
    manifest = folder / "sparql" / "sparql11" / "protocol" / "manifest.ttl"
    graph = rdflib.Graph().parse(manifest, format="turtle", publicID=manifest.as_uri())
    found = {}
    for entries in graph.objects(None, MF.entries):
        for node in Collection(graph, entries):
            requests = graph.value(graph.value(node, MF.action), HT.requests)
            exchanges = [_exchange(graph, r) for r in Collection(graph, requests)]
            found[str(node).rpartition("#")[2]] = exchanges
    return found


def _exchange(graph: rdflib.Graph, request: Any) -> Exchange:
    headers = {}
    if (given := graph.value(request, HT.headers)) is not None:
        for header in Collection(graph, given):
            name, value = (graph.value(header, p) for p in (HT.fieldName, HT.fieldValue))
            headers[str(name)] = str(value)
    body = graph.value(request, HT.body)
    text = str(graph.value(body, CNT.chars) or "") if body is not None else ""
    encoding = str(graph.value(body, CNT.characterEncoding) or "utf-8") if body else "utf-8"
    response = graph.value(request, HT.resp)
    boolean = graph.value(response, MF.expectedBoolean)
    form = graph.value(response, MF.expectedFormat)
    return Exchange(
        method=str(graph.value(request, HT.methodName)),
        path=str(graph.value(request, HT.absolutePath)),
        headers=headers,
        body=text.encode(encoding),
        statuses=frozenset(str(s)[-3] for s in graph.objects(response, MF.expectedStatus)),
        boolean=None if boolean is None else bool(boolean.toPython()),  # type: ignore[attr-defined]
        format=None if form is None else str(form),
    )


def run_protocol(folder: Path) -> dict[str, tuple[bool, str]]:
    """Return for each protocol test whether it passes, and the statuses that came."""
    data = folder / "sparql" / "sparql11" / "protocol"
    # Several tests name a graph data0.rdf, whatever is in it.
    quads = b"".join(
        ox.serialize(
            (
                ox.Quad(q.subject, q.predicate, q.object, ox.NamedNode(_KASEI.format(n)))
                for q in ox.parse(path=data / f"data{n or 1}.nt", format=ox.RdfFormat.N_TRIPLES)
            ),
            format=ox.RdfFormat.N_QUADS,
        )
        or b""
        for n in (0, 1, 2, 3)
    )
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "protocol.nq"
        file.write_bytes(quads)
        with serving(file) as port:
            return {name: _exchanged(port, found) for name, found in protocol_cases(folder).items()}


_KASEI = "http://kasei.us/2009/09/sparql/data/data{}.rdf"
_TYPES = {"boolean": "sparql-results", "tabular": "sparql-results", "RDF": "turtle"}


def _exchanged(port: int, exchanges: list[Exchange]) -> tuple[bool, str]:
    statuses = []
    passes = True
    for exchange in exchanges:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.putrequest(exchange.method, exchange.path)
            for name, value in exchange.headers.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(exchange.body)))
            connection.endheaders(exchange.body)
            response = connection.getresponse()
            body = response.read()
            kind = response.headers.get("content-type", "")
        finally:
            connection.close()
        statuses.append(str(response.status))
        passes = passes and str(response.status)[0] in exchange.statuses
        if exchange.format is not None:
            passes = passes and _TYPES[exchange.format] in kind
        if exchange.boolean is not None:
            passes = passes and f'"boolean": {str(exchange.boolean).lower()}'.encode() in body
    return passes, " ".join(statuses)


@contextmanager
def serving(*places: Path) -> Iterator[int]:
    """Serve graph files in this process, without the assistant; give the port."""
    import socket

    import uvicorn

    from assistant.http import Settings, application

    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = application(Settings(places=places, questions=False))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def main() -> None:
    """Print pass rates per group and each difference."""
    if not (folder := os.environ.get("W3C_TESTS")):
        raise SystemExit("W3C_TESTS must name the folder of the W3C tests")
    path = Path(folder).resolve()
    for line in run(cases(path)).lines():
        print(line)
    protocol = run_protocol(path)
    passed = sum(passes for passes, _ in protocol.values())
    print(f"{'sparql11/protocol, through the server':38s} {len(protocol):5d}      -  {passed:5d}")
    for name, (passes, statuses) in protocol.items():
        if not passes:
            print(f"not passed: protocol/{name}: {statuses}")


if __name__ == "__main__":
    main()
