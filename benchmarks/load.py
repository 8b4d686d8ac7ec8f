"""Lets 50 clients ask `trainwright serve` for a minute, and kills a worker in the middle.

Run with `python -m benchmarks.load [SECONDS [CLIENTS]]`. Half of the clients send queries to
`/sparql`, half send questions to `/ask`, each the next as soon as it has the answer.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psutil

QUERIES = (
    "SELECT ?s ?label { ?s a tw:Statement ; rdfs:label ?label } LIMIT 50",
    "SELECT ?class (COUNT(*) AS ?n) { ?s a ?class } GROUP BY ?class ORDER BY DESC(?n)",
    "ASK { ?s a tw:Figure }",
    "DESCRIBE twd:nvidia-a100",
    "SELECT ?c ?label { ?c rdfs:subClassOf* tw:Hardware ; rdfs:label ?label }",
    "CONSTRUCT { ?s skos:prefLabel ?l } WHERE { ?s rdfs:label ?l FILTER(LANG(?l) = 'zh') } LIMIT 9",
)
QUESTIONS = Path(__file__).parent.parent / "tests" / "questions" / "regression.json"


@dataclass
class Tally:
    """What the clients saw."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)


def client(port: int, path: str, number: int, end: float, tally: Tally) -> None:
    """Ask again and again until the end, over one connection."""
    choose = random.Random(number)
    questions = [q["question"] for q in json.loads(QUESTIONS.read_text(encoding="utf-8"))]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while time.monotonic() < end:
        if path == "/sparql":
            url = f"/sparql?query={quote(choose.choice(QUERIES))}"
        else:
            url = f"/ask?question={quote(choose.choice(questions))}"
        started = time.perf_counter()
        try:
            connection.request("GET", url)
            response = connection.getresponse()
            body = response.read()
        except OSError as error:
            tally.errors.append(repr(error))
            connection.close()
            continue
        tally.times[path].append((time.perf_counter() - started) * 1000)
        if response.status != 200:
            tally.errors.append(f"{response.status} {body[:200]!r}")
    connection.close()


def kill_a_worker(server: psutil.Process) -> int:
    """Kill one of the processes that run queries; return its number."""
    (keeper,) = (p for p in server.children() if "kg.worker" in " ".join(p.cmdline()))
    worker = random.choice(keeper.children())
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker.pid, signal.SIGKILL)
    return worker.pid


def main() -> None:
    """Print requests, errors and latencies per path, and the server's memory."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    clients = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    command = [sys.executable, "-m", "assistant.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().split()[1].split(":")[2].split("/")[0])
        tally = Tally()
        client(port, "/ask", 0, time.monotonic() + 0.01, Tally())  # the assistant is loaded
        end = time.monotonic() + seconds
        threads = [
            threading.Thread(target=client, args=(port, ("/sparql", "/ask")[n % 2], n, end, tally))
            for n in range(clients)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds / 2)
        server = psutil.Process(process.pid)
        killed = kill_a_worker(server)
        for thread in threads:
            thread.join()
        family = [server, *server.children(recursive=True)]
        memory = [p.memory_info().rss // 1_000_000 for p in family]
        process.terminate()
        said = process.stderr.read().strip()
    print(f"{clients} clients for {seconds:g} s; worker {killed} killed half-way")
    for path, times in sorted(tally.times.items()):
        p95 = statistics.quantiles(times, n=20)[-1]
        print(
            f"{path:8s} {len(times):6d} requests, {len(times) / seconds:6.1f}/s, "
            f"p50 {statistics.median(times):6.1f} ms, p95 {p95:6.1f} ms, max {max(times):6.1f} ms"
        )
    print(f"memory of the server and its processes: {memory} MB")
    print(f"{len(tally.errors)} errors {tally.errors[:3]}")
    if said:
        print(f"the server said: {said[-2000:]}")
    raise SystemExit(bool(tally.errors))


if __name__ == "__main__":
    main()
