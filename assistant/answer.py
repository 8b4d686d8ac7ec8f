"""The one shape of an answer, the same in the chat, on the command line and over HTTP."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Language = Literal["zh", "en"]
Kind = Literal["answer", "unknown", "needs_input", "out_of_scope"]


@dataclass(frozen=True)
class Citation:
    """Where a claim comes from.

    `quote` holds the source's exact words if its file is at hand and the digest
    of the span matches; otherwise it is None. `wording` is our own paraphrase.
    """

    n: int
    source: str
    title: str
    section: str | None = None
    statement: str | None = None
    figure: str | None = None
    url: str | None = None
    quote: str | None = None
    retrieved: str | None = None
    wording: str | None = None


@dataclass(frozen=True)
class Step:
    """One step of the reasoning, for people who want to check it."""

    step: str
    detail: Any


@dataclass(frozen=True)
class Premise:
    """A claim in the question that the graph contradicts, and the correction."""

    holds: bool
    correction: str


@dataclass(frozen=True)
class Table:
    """Rows behind an answer, with column titles in the reader's language."""

    columns: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Answer:
    """What the assistant says, where it comes from and how it got there."""

    question: str
    language: Language
    kind: Kind
    text: str
    id: str | None = None
    premise: Premise | None = None
    citations: tuple[Citation, ...] = ()
    table: Table | None = None
    steps: tuple[Step, ...] = ()
    template: str | None = None
    sparql: str | None = None
    suggestions: tuple[str, ...] = ()
    elapsed_ms: float = field(default=0.0, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, ready for `json.dumps`."""
        return asdict(self)
