"""What a server may be told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kg import ONTOLOGY, Limits


@dataclass(frozen=True)
class Settings:
    """How to serve.

    Attributes:
        places: The graph's files and folders.
        host: Address to listen on.
        port: Port to listen on; 0 takes any free one.
        token: What callers must send as a bearer token, if anything.
        origins: Web origins whose pages may call; none unless set.
        limits: What a query may use.
        workers: Queries that run at once. One caller never has all of them, if there are several.
        patience: Seconds that a request waits for its turn.
        max_request: Bytes of a request's body.
        max_waiting: Requests that one caller may have open.
        questions: Whether to load the assistant and answer at `/ask`.
    """

    places: tuple[Path, ...] = (ONTOLOGY,)
    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    origins: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    workers: int = 4
    patience: float = 10.0
    max_request: int = 1_000_000
    max_waiting: int = 100
    questions: bool = True
