"""What can go wrong with the graph.

GraphError
├── BrokenData        a shipped or contributed file does not say what it must
├── QueryRefused      a query asks for more than reading this graph
├── QueryFailed       a query does not parse or cannot be evaluated
├── QueryStopped      a query was stopped before its end
│   ├── QueryCancelled    whoever asked no longer wants the result
│   ├── QueryTimeout      it took longer than it may
│   └── QueryTooLarge     its text or its working memory is larger than it may be
├── ExecutorBusy      no worker became free in time for a query
├── StoreUnavailable  the store named by TRAINWRIGHT_STORE does not answer as it must
└── SourceTextError   a source's file is missing, empty, not text, or another text
"""

from __future__ import annotations

from pathlib import Path


class GraphError(Exception):
    """Something about the graph is not as it must be."""


class BrokenData(GraphError):
    """A file of the graph does not say what it must."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class QueryRefused(GraphError):
    """A query asks for something other than reading this graph; line and column count from 1."""

    def __init__(
        self,
        reason: str,
        fragment: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        where = f"line {line}, column {column}: " if line is not None else ""
        super().__init__(where + (f"{reason}: {fragment}" if fragment else reason))
        self.reason = reason
        self.fragment = fragment
        self.line = line
        self.column = column


class QueryFailed(GraphError):
    """A query does not parse or cannot be evaluated; line and column count from 1, if known."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class QueryStopped(GraphError):
    """A query was stopped before its end."""


class QueryCancelled(QueryStopped):
    """Whoever asked no longer wants the result."""

    def __init__(self) -> None:
        super().__init__("the query was cancelled")


class QueryTimeout(QueryStopped):
    """A query took longer than it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the query was stopped after {seconds:g} s")
        self.seconds = seconds


class QueryTooLarge(QueryStopped):
    """A query's text or working memory is larger than it may be, in bytes."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"the query's {what} is larger than the {limit:,} bytes it may be")
        self.what = what
        self.limit = limit


class ExecutorBusy(GraphError):
    """No worker became free in time for a query."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"other queries are running; none ended within {seconds:g} s")
        self.seconds = seconds


class StoreUnavailable(GraphError):
    """The store named by `TRAINWRIGHT_STORE` does not answer, or not as an endpoint must."""

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(f"the store {address} cannot be used: {problem}")
        self.address = address
        self.problem = problem


class SourceTextError(GraphError):
    """A source's file cannot be used as its text."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem
