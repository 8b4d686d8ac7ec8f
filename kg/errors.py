"""What can go wrong with the graph.

GraphError
├── BrokenData        a shipped or contributed file does not say what it must
├── QueryRefused      a query asks for more than reading this graph
├── QueryFailed       a query does not parse or cannot be evaluated
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
    """A query asks for something other than reading this graph."""

    def __init__(self, reason: str, fragment: str | None = None) -> None:
        super().__init__(f"{reason}: {fragment}" if fragment else reason)
        self.reason = reason
        self.fragment = fragment


class QueryFailed(GraphError):
    """A query does not parse or cannot be evaluated."""


class SourceTextError(GraphError):
    """A source's file cannot be used as its text."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem
