"""Times warm `ask` over the question sets, whole and in its parts, and for the catalogue.

Run with `python -m benchmarks.latency`.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant import Assistant

QUESTIONS = Path(__file__).parent.parent / "tests" / "questions"
SETS = ("regression.json", "held_out.json")
CATALOGUE = "catalogue.json"


def timed(parts: dict[str, list[float]], name: str, function: Callable[..., Any]) -> Any:
    """Return the function wrapped so that each call's milliseconds are added to a part."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            parts[name][-1] += (time.perf_counter() - started) * 1000

    return wrapper


def main() -> None:
    """Print median and 95th percentile of the whole and of each part, in milliseconds."""
    assistant = Assistant.load()
    questions = [
        item for name in SETS for item in json.loads((QUESTIONS / name).read_text(encoding="utf-8"))
    ]
    parts: dict[str, list[float]] = {}
    for name, owner, method in (
        ("link", assistant._reader, "read"),
        ("encode", assistant._ranker.encoder, "encode"),
        ("search", assistant._ranker.index, "evidence"),
        ("query", assistant.graph, "select"),
        ("words", assistant._speech, "answer"),
    ):
        parts[name] = []
        setattr(owner, method, timed(parts, name, getattr(owner, method)))
    whole = []
    for item in questions:
        for times in parts.values():
            times.append(0.0)
        whole.append(assistant.ask(item["question"], item["context"]).elapsed_ms)
    catalogue = [
        assistant.ask(
            item["question"][language], item["context"][language] if item["context"] else None
        ).elapsed_ms
        for item in json.loads((QUESTIONS / CATALOGUE).read_text(encoding="utf-8"))
        for language in ("zh", "en")
    ]
    print(f"{len(questions)} questions, warm, one process; milliseconds")
    for name, times in {"whole": whole, **parts, "catalogue": catalogue}.items():
        p95 = statistics.quantiles(times, n=20)[-1]
        print(f"{name:10s} p50 {statistics.median(times):6.2f}  p95 {p95:6.2f}")


if __name__ == "__main__":
    main()
