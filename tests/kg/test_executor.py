"""Any query runs beside the caller, within limits, and can be stopped."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import RDFS, XSD

from kg import (
    BrokenData,
    Dataset,
    Executor,
    ExecutorBusy,
    Limits,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryTimeout,
    QueryTooLarge,
)
from kg.executor import stricter

MINI = Path(__file__).parent.parent / "data" / "mini.ttl"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with Executor.start([MINI], Limits(seconds=5)) as found:
        yield found


def test_a_select_gives_rows_of_terms(executor: Executor) -> None:
    """Columns stand in the order of the query; an unbound variable is None."""
    result = executor.run(
        'SELECT * { VALUES (?z ?a) { (<urn:x> "7"^^xsd:integer) ("内存"@zh UNDEF) } }'
    )
    assert result.kind == "select"
    assert result.variables == ("z", "a")
    assert result.rows[0] == (URIRef("urn:x"), Literal("7", datatype=XSD.integer))
    assert result.rows[1] == (Literal("内存", lang="zh"), None)
    assert result.cut is None
    assert result.elapsed_ms > 0


def test_an_ask_gives_a_truth_value(executor: Executor) -> None:
    assert executor.run("ASK { ?s ?p ?o }").boolean is True
    assert executor.run("ASK { <urn:a> <urn:b> <urn:c> }").boolean is False


def test_a_construct_and_a_describe_give_triples(executor: Executor) -> None:
    result = executor.run("CONSTRUCT { [] rdfs:label ?o } WHERE { VALUES ?o { 1 } }")
    ((subject, predicate, value),) = result.triples
    assert isinstance(subject, BNode)
    assert predicate == RDFS.label
    assert value == Literal(1)
    described = executor.run("DESCRIBE ?s { ?s rdfs:label ?label } LIMIT 1")
    assert described.kind == "describe"
    assert len(described.triples) >= 1


def test_bindings_replace_variables(executor: Executor) -> None:
    """Text from outside is a term for the engine, whatever stands in it."""
    hostile = Literal('" } INSERT DATA { } #')
    (row,) = executor.run("SELECT ?x (STR(?x) AS ?y) { }", bindings={"x": hostile}).rows
    assert row == (hostile, Literal(str(hostile)))


def test_rows_are_cut_visibly(executor: Executor) -> None:
    cut = executor.run("SELECT * { ?s ?p ?o }", Limits(rows=5))
    assert (len(cut.rows), cut.cut) == (5, "rows")
    exact = executor.run("SELECT * { ?s ?p ?o } LIMIT 5", Limits(rows=5))
    assert (len(exact.rows), exact.cut) == (5, None)
    assert executor.run("CONSTRUCT WHERE { ?s ?p ?o }", Limits(rows=5)).cut == "rows"


def test_bytes_are_cut_visibly(executor: Executor) -> None:
    cut = executor.run("SELECT * { ?s ?p ?o }", Limits(bytes=1_000))
    assert cut.cut == "bytes"
    assert 1 <= len(cut.rows) < 20
    assert len(cut.serialise("tsv")) < 1_500


def test_a_query_past_its_time_is_stopped(executor: Executor) -> None:
    started = time.perf_counter()
    with pytest.raises(QueryTimeout, match=r"0\.3 s"):
        executor.run(ENDLESS, Limits(seconds=0.3))
    assert time.perf_counter() - started < 1.3
    assert executor.run("ASK { }").boolean


def test_a_long_text_is_not_looked_at(executor: Executor) -> None:
    with pytest.raises(QueryTooLarge, match="text is larger than the 100 bytes"):
        executor.run("ASK { }" + " " * 100, Limits(query_bytes=100))


def test_an_error_has_its_place(executor: Executor) -> None:
    """Line and column are those of the query as it was written, from the engine's errors too."""
    with pytest.raises(QueryFailed, match="line 2, column 3: expected") as failed:
        executor.run("SELECT *\n{ WHERE }")
    assert (failed.value.line, failed.value.column) == (2, 3)
    with pytest.raises(QueryRefused) as refused:
        executor.run("SELECT *\n{\n  SERVICE <http://example.org/> { } }")
    assert (refused.value.line, refused.value.column) == (3, 3)
    with pytest.raises(QueryFailed, match="unbound") as engine:
        executor.run("# a comment\nSELECT ?s { ?s ?p ?o } GROUP BY ?p\n# another")
    assert engine.value.line in (2, 3)


def test_a_running_query_is_cancelled(executor: Executor) -> None:
    """The Stop button: at once, and the worker is free for the next."""
    query = executor.submit(ENDLESS).start()
    time.sleep(0.1)
    assert not query.done
    started = time.perf_counter()
    query.cancel()
    with pytest.raises(QueryCancelled):
        query.result()
    assert time.perf_counter() - started < 0.5
    assert query.done
    assert executor.run("ASK { }").boolean


def test_a_finished_query_cannot_be_cancelled(executor: Executor) -> None:
    query = executor.submit("ASK { }").start()
    assert query.result().boolean
    query.cancel()
    assert query.result().boolean


def test_a_waiting_query_is_cancelled() -> None:
    with Executor.start([MINI], workers=1) as executor:
        first = executor.submit(ENDLESS).start()
        time.sleep(0.5)
        second = executor.submit("ASK { }").start()
        time.sleep(0.1)
        second.cancel()
        with pytest.raises(QueryCancelled):
            second.result()
        first.cancel()


def test_an_interrupt_stops_the_query(executor: Executor) -> None:
    """Ctrl-C while waiting is passed on, and no worker goes on with the query."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        executor.run(ENDLESS)
    assert time.perf_counter() - started < 1.5
    assert executor.run("ASK { }").boolean


def test_a_busy_executor_says_so() -> None:
    with Executor.start([MINI], workers=1, patience=0.2) as executor:
        executor.ready()
        running = executor.submit(ENDLESS).start()
        time.sleep(0.1)
        with pytest.raises(ExecutorBusy, match=r"0\.2 s"):
            executor.run("ASK { }")
        running.cancel()


def test_a_killed_worker_is_replaced(executor: Executor) -> None:
    """A worker that something outside ends, idle or at work, is not noticed by who asks."""
    executor.run("ASK { }")
    for worker in executor._idle:
        os.kill(worker.pid, signal.SIGKILL)
    assert executor.run("ASK { }").boolean
    slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    query = executor.submit(slow).start()
    time.sleep(0.05)
    assert query._worker is not None
    os.kill(query._worker.pid, signal.SIGKILL)
    assert len(query.result().rows) == 1


def test_a_killed_keeper_is_replaced() -> None:
    """The process that holds the graph may end too: it is started and loaded again."""
    with Executor.start([MINI]) as executor:
        executor.run("ASK { }")
        executor._keeper._process.kill()
        for worker in executor._idle:
            os.kill(worker.pid, signal.SIGKILL)
        assert executor.run("ASK { ?s ?p ?o }").boolean


def test_a_changed_graph_is_reloaded(tmp_path: Path) -> None:
    """Queries see added files after a reload; a broken file leaves the graph as it was."""
    shutil.copy(MINI, tmp_path)
    with Executor.start([tmp_path]) as executor:
        before = executor.ready()
        added = tmp_path / "added.ttl"
        added.write_text("<urn:a> <urn:b> <urn:c> .", encoding="utf-8")
        assert not executor.run("ASK { <urn:a> ?p ?o }").boolean
        assert executor.reload() == before + 1
        assert executor.run("ASK { <urn:a> ?p ?o }").boolean
        added.write_text("<urn:a> <urn:b> .", encoding="utf-8")
        with pytest.raises(BrokenData, match=r"added\.ttl"):
            executor.reload()
        assert executor.run("ASK { <urn:a> ?p ?o }").boolean


def test_a_running_query_outlives_a_reload() -> None:
    with Executor.start([MINI]) as executor:
        executor.ready()
        query = executor.submit(ENDLESS, Limits(seconds=1)).start()
        time.sleep(0.1)
        old = executor._keeper
        executor.reload()
        with pytest.raises(QueryTimeout):
            query.result()
        assert old._process.poll() is not None


def test_a_broken_place_is_named(tmp_path: Path) -> None:
    with (
        Executor.start([tmp_path / "none"]) as executor,
        pytest.raises(BrokenData, match="no such file"),
    ):
        executor.run("ASK { }")


def test_named_graphs_can_be_asked(tmp_path: Path) -> None:
    """FROM and the protocol's dataset may name graphs that are here, and no others."""
    file = tmp_path / "graphs.trig"
    file.write_text("<urn:g> { <urn:a> <urn:b> 1 } <urn:h> { <urn:a> <urn:b> 2 }", encoding="utf-8")
    with Executor.start([file]) as executor:
        query = "SELECT ?o FROM <urn:g> { ?s ?p ?o }"
        assert executor.run(query).rows == ((Literal(1),),)
        dataset = Dataset(default=("urn:h",))
        assert executor.run(query, dataset=dataset).rows == ((Literal(2),),)
        with pytest.raises(QueryRefused, match="urn:i"):
            executor.run("ASK { }", dataset=Dataset(named=("urn:i",)))


def test_workers_are_gone_after_closing() -> None:
    executor = Executor.start([MINI])
    executor.run("ASK { }")
    pids = [executor._keeper._process.pid, *(worker.pid for worker in executor._idle)]
    executor.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_running_query_ends_with_its_executor() -> None:
    """Nothing goes on after closing, and whoever waits is told."""
    executor = Executor.start([MINI])
    executor.ready()
    query = executor.submit(ENDLESS).start()
    time.sleep(0.2)
    assert query._worker is not None
    pid = query._worker.pid
    executor.close()
    with pytest.raises(QueryCancelled):
        query.result()
    for _ in range(20):  # its end is the system's to notice once its parent is gone
        if not Path(f"/proc/{pid}").exists():
            break
        time.sleep(0.1)
    with pytest.raises((ProcessLookupError, FileNotFoundError)):
        os.kill(pid, 0)
    with pytest.raises(QueryCancelled):
        executor.run("ASK { }")


def test_limits_can_only_be_lowered() -> None:
    limits = Limits(seconds=10, rows=100)
    assert stricter(limits, seconds=5, rows=None) == Limits(seconds=5, rows=100)
    assert stricter(limits, seconds=50) == limits
