"""The process that holds the graph, and the workers that it forks, one query at a time each.

    executor --- control socket ---> keeper (`main`; loads the graph once)
        |                              |  forks, which takes some milliseconds and no memory
        +------- a socket each ------> worker (reads, judges, runs and writes the query)

A worker cannot open a file or a connection: no descriptor is left to it. What it may use of
memory and time is set in the kernel, so that it holds in the engine's own code too.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import signal
import socket
import struct
import time
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kg.errors import BrokenData, QueryFailed, QueryRefused
from kg.graph import turtle_files
from kg.guard import admit
from kg.results import QueryResult, engine_term, to_send
from kg.sparql import ReadQuery

COMMAND = struct.Struct("!cq")
FORK, WAIT = b"F", b"W"
# Seconds by which the kernel's limit is later than the executor's, which has the better words.
GRACE = 0.3

_DATASETS = {".nq": ox.RdfFormat.N_QUADS, ".trig": ox.RdfFormat.TRIG}
_ENGINE_PLACE = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_ENGINE_REASON = re.compile(r"(?:^|, |expected |one of )([A-Z][a-z][^,\[\]\"]* [^,\[\]\"]*)")


def main(control_fd: int, places: list[str]) -> None:
    """Load the graph of some places, then fork a worker for each socket that comes in."""
    control = socket.socket(fileno=control_fd)
    try:
        store = load([Path(place) for place in places])
    except BrokenData as error:
        control.sendall(json.dumps({"path": str(error.path), "problem": error.problem}).encode())
        return
    control.sendall(json.dumps({"triples": len(store)}).encode())
    gc.collect()
    gc.freeze()  # else the first collection in each worker copies every page
    while True:
        message, descriptors, *_ = socket.recv_fds(control, COMMAND.size, 1)
        if not message:
            return
        command, number = COMMAND.unpack(message)
        if command == FORK:
            pid = os.fork()
            if pid == 0:
                control.close()
                _work(store, descriptors[0])
            os.close(descriptors[0])
            control.sendall(COMMAND.pack(FORK, pid))
        else:
            _, status = os.waitpid(number, 0)
            control.sendall(COMMAND.pack(WAIT, os.waitstatus_to_exitcode(status)))


def load(places: list[Path]) -> ox.Store:
    """Return a store with the Turtle, TriG and N-Quads files of some places.

    Raises:
        BrokenData: If a place does not exist, or a file is not valid.
    """
    store = ox.Store()
    for path in turtle_files(places):
        form = _DATASETS.get(path.suffix, ox.RdfFormat.TURTLE)
        try:
            store.bulk_load(path=path, format=form, base_iri=path.absolute().as_uri())
        except (SyntaxError, ValueError, OSError) as error:
            raise BrokenData(path, f"not valid {form.name}: {error}") from error
    return store


def _work(store: ox.Store, descriptor: int) -> None:
    """Answer queries until the socket closes; never return."""
    used = _address_space()
    os.dup2(descriptor, 3)
    devnull = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(devnull, standard)
    os.closerange(4, 1024)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    connection = Connection(3)
    graphs = {graph.value for graph in store.named_graphs() if isinstance(graph, ox.NamedNode)}
    try:
        while True:
            task = json.loads(connection.recv_bytes())
            _limit_memory(used, task["memory"])
            signal.setitimer(signal.ITIMER_REAL, task["seconds"] + GRACE)
            head, body = _answer(store, graphs, task)
            connection.send_bytes(json.dumps(head).encode())
            connection.send_bytes(body)
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (EOFError, OSError):
        os._exit(0)
    except BaseException:
        os._exit(1)


def _answer(
    store: ox.Store, graphs: set[str], task: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """Return the head of the result and its body, or the head of an error."""
    try:
        outside = [g for g in [*task["default"], *task["named"]] if g not in graphs]
        if outside:
            raise QueryRefused("the request names a graph outside this one", outside[0])
        read = admit(task["query"], graphs, base=task["base"])
        result = run(store, read, task)
        return head_and_body(result, task["formats"])
    except QueryRefused as error:
        head = {"error": "refused", "reason": error.reason, "fragment": error.fragment}
        return head | {"line": error.line, "column": error.column}, b""
    except QueryFailed as error:
        head = {"error": "failed", "reason": str(error)}
        return head | {"line": error.line, "column": error.column}, b""
    except MemoryError:
        return {"error": "memory"}, b""
    except RecursionError:
        return {"error": "failed", "reason": "nested too deep", "line": None, "column": None}, b""


def run(store: ox.Store, read: ReadQuery, task: dict[str, Any]) -> QueryResult:
    """Return the result of an admitted query, cut where rows or bytes reach their limit.

    Raises:
        QueryFailed: If the engine refuses it or fails on it.
    """
    started = time.perf_counter()
    chosen: dict[str, Any] = {}
    if task["default"] or task["named"]:
        chosen["default_graph"] = [ox.NamedNode(g) for g in task["default"]]
        chosen["named_graphs"] = [ox.NamedNode(g) for g in task["named"]]
    try:
        terms: Any = {ox.Variable(k): engine_term(v) for k, v in task["bindings"].items()}
        found = store.query(read.text, base_iri=task["base"], substitutions=terms, **chosen)
        if isinstance(found, ox.QueryBoolean):
            return _timed(started, kind="ask", boolean=bool(found))
        if isinstance(found, ox.QuerySolutions):
            names = tuple(variable.value for variable in found.variables)
            if read.all_selected:  # the engine sorts them; people expect them as they were written
                names = tuple(sorted(names, key=read.variables.index))
            rows, cut = _collect(([to_send(s[name]) for name in names] for s in found), task)
            return _timed(started, kind="select", variables=names, sent=rows, cut=cut)
        triples = ([to_send(t.subject), to_send(t.predicate), to_send(t.object)] for t in found)
        rows, cut = _collect(triples, task)
        return _timed(started, kind=read.form, sent=rows, cut=cut)
    except (SyntaxError, ValueError, RuntimeError, OSError) as error:
        raise _engine_error(read, error) from error


def _collect(rows: Iterable[list[Any]], task: dict[str, Any]) -> tuple[list[list[Any]], str | None]:
    kept: list[list[Any]] = []
    left = task["bytes"]
    for row in rows:
        if len(kept) == task["rows"]:
            return kept, "rows"
        left -= sum(_length(value) for value in row) + 2
        if left < 0:
            return kept, "bytes"
        kept.append(row)
    return kept, None


def _length(sent: Any) -> int:
    """Return about how many bytes a term takes in a file."""
    if sent is None:
        return 1
    parts = (sent,) if isinstance(sent, str) else sent
    return 3 + sum(len(p) if p.isascii() else len(p.encode()) for p in parts if p is not None)


def _timed(started: float, **what: Any) -> QueryResult:
    return QueryResult(elapsed_ms=(time.perf_counter() - started) * 1000, **what)


def head_and_body(
    result: QueryResult, formats: Sequence[str] | None
) -> tuple[dict[str, Any], bytes]:
    """Return a result as it is sent: what it is, and its rows, in a format if one is asked for."""
    head = {
        "kind": result.kind,
        "variables": result.variables,
        "boolean": result.boolean,
        "cut": result.cut,
        "length": len(result.sent),
    }
    if formats is None:
        return head, json.dumps(result.sent, ensure_ascii=False).encode()
    form = formats[1 if result.is_graph else 0]
    return head | {"format": form}, result.serialise(form)


def _engine_error(read: ReadQuery, error: Exception) -> QueryFailed:
    """Return an engine's error with its place in the query as it was written, if it has one."""
    where = _ENGINE_PLACE.match(str(error))
    if where is None:
        return QueryFailed(f"the engine cannot run the query: {error}")
    place = read.place_of_column(int(where.group(2)))
    found = _ENGINE_REASON.search(where.group(3))
    reason = found.group(1) if found else "the engine cannot read what stands here"
    return QueryFailed(
        f"line {place.line}, column {place.column}: {reason}", place.line, place.column
    )


def _address_space() -> int:
    """Return the bytes of address space in use, 0 where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def _limit_memory(used: int, memory: int) -> None:
    if used:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = used + memory
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
