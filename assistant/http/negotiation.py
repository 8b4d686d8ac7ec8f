"""Which format a caller wants, by RFC 9110's `Accept`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kg import GRAPH_FORMATS, ROW_FORMATS

# In order of preference where a caller takes anything.
ROWS = {
    "application/sparql-results+json": "json",
    "application/json": "json",
    "application/sparql-results+xml": "xml",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
GRAPHS = {
    "text/turtle": "turtle",
    "application/ld+json": "jsonld",
    "application/json": "jsonld",
    "application/n-triples": "nt",
    "text/plain": "nt",
    "application/rdf+xml": "rdfxml",
    "application/xml": "rdfxml",
}
_WORST = -1.0


def chosen(accept: str | None, asked: str | None, offered: Mapping[str, str]) -> str | None:
    """Return the format that a caller likes best of some, None if it takes none of them.

    Args:
        accept: The request's `Accept`.
        asked: The parameter `format`, for callers that cannot set a header; it wins if it is
            the short name of a format that is offered.
        offered: Formats by media type.
    """
    if asked in offered.values():
        return asked
    ranges = _ranges(accept or "*/*")
    best, best_rank = None, _WORST
    for media_type, form in offered.items():
        quality = _quality(media_type, ranges)
        if quality > max(best_rank, 0.0):
            best, best_rank = form, quality
    return best


def media_type(form: str) -> str:
    """Return the media type in which a format is sent."""
    return {**ROW_FORMATS, **GRAPH_FORMATS}[form]


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    quality = 0.0
        if name:
            found.append((name, quality))
    return found


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """Return the quality of the most specific range that a type is in."""
    group = media_type.split("/")[0]
    for wanted in (media_type, f"{group}/*", "*/*"):
        qualities = [quality for name, quality in ranges if name == wanted]
        if qualities:
            return max(qualities)
    return 0.0
