"""Runs anybody's query on the graph, within limits that hold.

Neither engine has a time limit, a memory limit or a way to stop a query, so each query runs in
a process of its own that can be killed (`kg.worker`). A new one takes some milliseconds.

    with Executor.start([ONTOLOGY]) as executor:
        result = executor.run("SELECT ?s { ?s a tw:Statement }")   # the caller waits
        query = executor.submit("SELECT ...")                      # the caller goes on
        query.cancel()                                             # a Stop button
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from rdflib.term import Identifier

from kg.errors import (
    BrokenData,
    ExecutorBusy,
    GraphError,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryTimeout,
    QueryTooLarge,
)
from kg.keeper import SHORT, Keeper, KeeperDied, Worker, WorkerDied
from kg.results import Document, QueryResult, from_term


@dataclass(frozen=True)
class Limits:
    """What one query may use.

    Attributes:
        seconds: From its start in a worker to the finished result.
        rows: Rows or triples kept; further ones are cut off.
        bytes: About what the kept rows take in a file; further ones are cut off.
        memory: Bytes that the engine may take for its work; more ends the query.
        query_bytes: Length of the query's text; a longer one is not looked at.
    """

    seconds: float = 10.0
    rows: int = 10_000
    bytes: int = 20_000_000
    memory: int = 500_000_000
    query_bytes: int = 500_000


@dataclass(frozen=True)
class Dataset:
    """The graphs a request names beside its query (SPARQL 1.1 Protocol, 2.1.4)."""

    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


class Executor:
    """A pool of workers on one graph; every method may be called from any thread."""

    def __init__(self, keeper: Keeper, limits: Limits, workers: int, patience: float) -> None:
        self.limits = limits
        self.workers = workers
        self.patience = patience
        self._keeper = keeper
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._running = 0
        self._changed = threading.Condition()
        self._closed = False

    @classmethod
    def start(
        cls,
        places: Iterable[Path],
        limits: Limits | None = None,
        workers: int = 4,
        patience: float = 10.0,
    ) -> Executor:
        """Return an executor on the graph files of some places; loading goes on beside the caller.

        Args:
            places: Files and folders as for `KnowledgeGraph.load`; TriG and N-Quads files too.
            limits: What a query may use if it comes without limits of its own.
            workers: How many queries run at once.
            patience: Seconds that a query waits for a worker.
        """
        return cls(Keeper(list(places)), limits or Limits(), workers, patience)

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def ready(self) -> int:
        """Wait until the graph is loaded and return its number of triples.

        Raises:
            BrokenData: If a place does not exist, or a file is not valid.
        """
        return self._keeper.ready()

    def run(
        self,
        query: str,
        limits: Limits | None = None,
        *,
        bindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        dataset: Dataset | None = None,
    ) -> QueryResult:
        """Return a query's result; an interrupt while waiting stops the query.

        Args:
            query: The text. The usual prefixes need not be declared.
            limits: What it may use, if not what is usual here.
            bindings: Terms that replace variables inside the engine, as in `KnowledgeGraph.select`.
            base: What relative IRIs are resolved against.
            dataset: Graphs that are asked instead of those that the query names.

        Raises:
            QueryFailed: If it does not parse or cannot be evaluated, with line and column.
            QueryRefused: If it asks for more than reading this graph, with line and column.
            QueryTimeout: If it takes too long.
            QueryTooLarge: If its text or its working memory is too large.
            ExecutorBusy: If no worker became free in time.
        """
        return self.submit(query, limits, bindings=bindings, base=base, dataset=dataset).result()

    def document(
        self,
        query: str,
        rows: str,
        graph: str,
        limits: Limits | None = None,
        *,
        base: str | None = None,
        dataset: Dataset | None = None,
    ) -> Document:
        """Return a query's result as the worker wrote it, in one of two formats.

        Args:
            query: As in `run`, which see for the errors too.
            rows: The format if it is a SELECT or ASK, of `ROW_FORMATS`.
            graph: The format if it is a CONSTRUCT or DESCRIBE, of `GRAPH_FORMATS`.
            limits: As in `run`.
            base: As in `run`.
            dataset: As in `run`.
        """
        running = self.submit(query, limits, formats=(rows, graph), base=base, dataset=dataset)
        return running.document()

    def submit(
        self,
        query: str,
        limits: Limits | None = None,
        *,
        formats: tuple[str, str] | None = None,
        bindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        dataset: Dataset | None = None,
    ) -> RunningQuery:
        """Return a handle on a query; it starts when its result is asked for, or with `start`."""
        limits = limits or self.limits
        graphs = dataset or Dataset()
        task = {
            "query": query,
            "formats": formats,
            "bindings": {name: from_term(value) for name, value in (bindings or {}).items()},
            "base": base,
            "default": graphs.default,
            "named": graphs.named,
            "seconds": limits.seconds,
            "rows": limits.rows,
            "bytes": limits.bytes,
            "memory": limits.memory,
        }
        return RunningQuery(self, task, limits)

    def reload(self, places: Iterable[Path] | None = None) -> int:
        """Load the graph anew and return its number of triples; queries go on meanwhile.

        Raises:
            BrokenData: If a place does not exist, or a file is not valid; the old graph stays.
        """
        keeper = Keeper(self._keeper.places if places is None else list(places))
        try:
            triples = keeper.ready()
        except BrokenData:
            keeper.close()
            raise
        with self._changed:
            old, self._keeper = self._keeper, keeper
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()
        old.retire()
        return triples

    def close(self) -> None:
        """Stop all workers, also those that run a query."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            self._changed.notify_all()
        for worker in busy:
            worker.kill()  # whoever waits for it takes its end
        for worker in idle:
            worker.stop()
        self._keeper.close()

    def _acquire(self, query: RunningQuery) -> Worker:
        with self._changed:
            if not self._changed.wait_for(
                lambda: self._running < self.workers or query.cancelled or self._closed,
                self.patience,
            ):
                raise ExecutorBusy(self.patience)
            if query.cancelled or self._closed:
                raise QueryCancelled
            self._running += 1
            worker = self._idle.pop() if self._idle else None
        try:
            worker = worker or self._new_worker()
        except BaseException:
            self._one_less()
            raise
        with self._changed:
            self._busy.add(worker)
        return worker

    def _new_worker(self) -> Worker:
        try:
            return self._keeper.worker()
        except KeeperDied:
            if self._closed:
                raise QueryCancelled from None
            self.reload()
            return self._keeper.worker()

    def _release(self, worker: Worker, reusable: bool) -> None:
        with self._changed:
            self._busy.discard(worker)
            kept = reusable and worker.keeper is self._keeper and not self._closed
            if kept:
                self._idle.append(worker)
        if not kept:
            worker.stop()
        self._one_less()

    def _one_less(self) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify()


class RunningQuery:
    """One query: its result, and a way to stop it."""

    def __init__(self, executor: Executor, task: dict[str, Any], limits: Limits) -> None:
        self.cancelled = False
        self._executor = executor
        self._task = task
        self._limits = limits
        self._worker: Worker | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._outcome: tuple[dict[str, Any], bytes] | Exception | None = None
        self._started = time.perf_counter()
        self._elapsed_ms = 0.0

    @property
    def done(self) -> bool:
        """Whether there is a result or an error."""
        return self._outcome is not None

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since it was submitted, or until it ended."""
        return self._elapsed_ms or (time.perf_counter() - self._started) * 1000

    def start(self) -> RunningQuery:
        """Run it beside the caller."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Stop it; its result is `QueryCancelled` unless it had ended before."""
        with self._lock:
            self.cancelled = True
            if self._worker is not None:
                self._worker.kill()
        with self._executor._changed:
            self._executor._changed.notify_all()

    def result(self) -> QueryResult:
        """Wait for it and return its result, or raise what `Executor.run` raises."""
        head, body = self._wait()
        return QueryResult(
            kind=head["kind"],
            variables=tuple(head["variables"]),
            boolean=head["boolean"],
            cut=head["cut"],
            elapsed_ms=self._elapsed_ms,
            sent=json.loads(body),
        )

    def document(self) -> Document:
        """Wait for it and return its result as written, or raise what `Executor.run` raises."""
        head, body = self._wait()
        kind, length = head["kind"], head["length"]
        return Document(kind, head["format"], body, length, head["cut"], self._elapsed_ms)

    def _wait(self) -> tuple[dict[str, Any], bytes]:
        try:
            if self._thread is not None:
                self._thread.join()
            elif self._outcome is None:
                self._run()
        except KeyboardInterrupt:
            self.cancel()
            raise
        assert self._outcome is not None
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._answer()
        except Exception as error:
            self._outcome = error
        finally:
            self._elapsed_ms = (time.perf_counter() - self._started) * 1000

    def _answer(self) -> tuple[dict[str, Any], bytes]:
        length = len(self._task["query"].encode(errors="surrogatepass"))
        if length > self._limits.query_bytes:
            raise QueryTooLarge("text", self._limits.query_bytes)
        try:
            head, body = self._ask_worker()
        except _WorkerKilled:  # by someone outside; asking again is safe, as queries only read
            head, body = self._ask_worker()
        if "error" in head:
            raise _error(head, self._limits)
        return head, body

    def _ask_worker(self) -> tuple[dict[str, Any], bytes]:
        worker = self._executor._acquire(self)
        started = time.perf_counter()
        reusable = False
        try:
            with self._lock:
                self._worker = worker
                if self.cancelled:
                    raise QueryCancelled
            answer = worker.ask(self._task)
            reusable = time.perf_counter() - started < SHORT
            return answer
        except WorkerDied as died:
            raise self._why(died.status, time.perf_counter() - started) from None
        finally:
            with self._lock:
                self._worker = None
                reusable = reusable and not self.cancelled
            self._executor._release(worker, reusable)

    def _why(self, status: int, seconds: float) -> GraphError:
        """Return the error for a worker that ended with an exit status before it answered."""
        if self.cancelled or self._executor._closed:
            return QueryCancelled()
        if status == -signal.SIGALRM or seconds >= self._limits.seconds:
            return QueryTimeout(self._limits.seconds)
        if status == -signal.SIGABRT:  # what the engine does when it gets no more memory
            return QueryTooLarge("working memory", self._limits.memory)
        if status == -signal.SIGSEGV:
            return QueryFailed("the query is too long or too deep for the engine")
        return _WorkerKilled()


def _error(head: dict[str, Any], limits: Limits) -> GraphError:
    if head["error"] == "refused":
        return QueryRefused(head["reason"], head["fragment"], head["line"], head["column"])
    if head["error"] == "memory":
        return QueryTooLarge("working memory", limits.memory)
    return QueryFailed(head["reason"], head["line"], head["column"])


class _WorkerKilled(QueryFailed):
    def __init__(self) -> None:
        super().__init__("the worker was ended from outside while it ran the query")


def stricter(limits: Limits, **wanted: Any) -> Limits:
    """Return limits with some lowered; None, and what would raise one, is left out."""
    lowered = {k: min(v, getattr(limits, k)) for k, v in wanted.items() if v is not None}
    return replace(limits, **lowered)
