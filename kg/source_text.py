"""Checks statements against the text they were taken from, and cuts out its exact words.

The repository holds no sentence of a source: a statement knows the offsets of its
span and the SHA-256 of it. With the source's file at hand the words can be shown,
and only if the digest matches, so that a wrong edition never yields a wrong quote.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kg.errors import SourceTextError
from kg.graph import KnowledgeGraph

MAX_BYTES = 10_000_000

PLACES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX oa: <http://www.w3.org/ns/oa#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?identifier ?start ?end ?digest WHERE {
  ?statement a tw:Statement ; dcterms:identifier ?identifier ; oa:hasSelector ?place .
  ?place oa:start ?start ; oa:end ?end ; tw:spanDigest ?digest .
} ORDER BY ?start ?identifier
"""


@dataclass(frozen=True)
class Place:
    """Where a statement stands: character offsets (end exclusive) and SHA-256 of the span."""

    statement: str
    start: int
    end: int
    digest: str


@dataclass(frozen=True)
class Verification:
    """Whether the words at a statement's place are the words it was taken from."""

    place: Place
    matches: bool


@dataclass(frozen=True)
class SourceText:
    """A source's text in the form that offsets and digests refer to (NFC, LF)."""

    text: str
    path: Path

    @classmethod
    def read(cls, path: Path) -> SourceText:
        """Return the text of a UTF-8 file.

        Raises:
            SourceTextError: If it is missing, a folder, empty, too large or not UTF-8 text.
        """
        if not path.exists():
            raise SourceTextError(path, "no such file")
        if not path.is_file():
            raise SourceTextError(path, "is not a file")
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size <= MAX_BYTES else b""
        except OSError as error:
            raise SourceTextError(path, f"cannot be read ({error.strerror})") from error
        if size > MAX_BYTES:
            raise SourceTextError(path, f"has {size} bytes; a guide has at most {MAX_BYTES}")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SourceTextError(path, f"is not UTF-8 text ({error.reason})") from error
        if "\0" in text:
            raise SourceTextError(path, "is binary, not text")
        if not text.strip():
            raise SourceTextError(path, "is empty")
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(unicodedata.normalize("NFC", lines), path)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole text, in hex."""
        return sha256(self.text)

    def quote(self, place: Place) -> str | None:
        """Return the exact words at a place, or None if they are not the ones meant."""
        words = self.text[place.start : place.end]
        return words if sha256(words) == place.digest else None

    def verify(self, places: list[Place]) -> list[Verification]:
        """Return for each place whether the text holds the words it should."""
        return [Verification(place, self.quote(place) is not None) for place in places]


def places_of_statements(graph: KnowledgeGraph) -> list[Place]:
    """Return the places of all statements, in the order of the text."""
    return [
        Place(str(r["identifier"]), int(r["start"]), int(r["end"]), str(r["digest"]))
        for r in graph.select(PLACES)
    ]


def sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
