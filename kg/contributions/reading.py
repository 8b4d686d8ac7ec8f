"""Reads what people send: Turtle and JSON-LD, bounded in size, without going to the network."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import rdflib
from oxrdflib._converter import from_ox

from kg.contributions.contribution import unmarked
from kg.contributions.findings import Fault
from kg.namespaces import TWD

LARGEST = 5 * 1024 * 1024
"""Bytes that a file of triples may have; a device takes some 3,000."""

MOST_BLANK = 200
"""Nodes without a name that a file may have; contributions need none."""

LARGEST_TABLE = 50 * 1024 * 1024

_PLACE = re.compile(r"(?:at line |line )(\d+)")


class Unreadable(Exception):
    """A file cannot be taken as what it is said to be."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text("en"))
        self.fault = fault


def file_bytes(path: Path, largest: int) -> bytes:
    """Return a file's bytes.

    Raises:
        Unreadable: If it cannot be read or is too large; then it is not read.
    """
    try:
        size = path.stat().st_size
        if size > largest:
            raise _too_large(path.name, size, largest)
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unreadable(Fault("file-unreadable", path.name, given=reason)) from error


def text_of(data: bytes, name: str) -> str:
    """Return a file's text.

    Raises:
        Unreadable: If it is not UTF-8.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable(Fault("file-encoding", name, given="UTF-16", allowed=("UTF-8",)))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = {"en": "line {}", "zh": "第 {} 行"}
        where = {k: v.format(data[: error.start].count(b"\n") + 1) for k, v in line.items()}
        raise Unreadable(Fault("file-encoding", name, given=where, allowed=("UTF-8",))) from error
    if "\0" in text:
        raise Unreadable(Fault("file-encoding", name, given="NUL", allowed=("UTF-8",)))
    return text


def triples_of(text: str, name: str, form: ox.RdfFormat) -> rdflib.Graph:
    """Return the triples of a text; nodes without a name get one.

    Raises:
        Unreadable: If it is too large, or is not what it is said to be.
    """
    size = len(text.encode())
    if size > LARGEST:
        raise _too_large(name, size, LARGEST)
    head = text.lstrip()[:2000]
    if head.startswith("<?xml") or "<!DOCTYPE" in head or "<!ENTITY" in head:
        raise Unreadable(Fault("xml", name, given=head[:40], allowed=FORMS))
    if form == ox.RdfFormat.JSON_LD:
        _check_json(text, name)
    graph = rdflib.Graph(bind_namespaces="none")
    names: dict[str, rdflib.URIRef] = {}
    try:
        for quad in ox.parse(text, format=form):
            if isinstance(quad.object, ox.Triple) or isinstance(quad.subject, ox.Triple):
                raise Unreadable(Fault("quoted-triple", name))
            subject, value = (
                names.setdefault(term.value, TWD[f"node-{len(names) + 1}"])
                if isinstance(term, ox.BlankNode)
                else from_ox(term)
                for term in (quad.subject, quad.object)
            )
            if len(names) > MOST_BLANK:
                raise Unreadable(
                    Fault(
                        "blank-nodes", name, given=f"> {MOST_BLANK}", allowed=(f"≤ {MOST_BLANK}",)
                    )
                )
            graph.add((subject, from_ox(quad.predicate), unmarked(value)))  # type: ignore[arg-type]
    except (SyntaxError, ValueError, RecursionError) as error:
        said = str(error).splitlines()[0]
        raise Unreadable(Fault("syntax", name, given=said, allowed=(form.name,))) from error
    if not len(graph):
        raise Unreadable(Fault("empty", name))
    return graph


FORMS = ("Turtle (.ttl)", "JSON-LD (.jsonld)", "CSV", "TSV", "XLSX")


def _check_json(text: str, name: str) -> None:
    """Refuse JSON-LD that would have to fetch something."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(Fault("syntax", name, given=str(error), allowed=("JSON",))) from error
    for context in _contexts(content):
        if isinstance(context, str):
            raise Unreadable(Fault("remote-context", name, "@context", context))


def _contexts(content: Any) -> list[Any]:
    found: list[Any] = []
    stack = [content]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key, value in item.items():
                if key == "@context":
                    found += value if isinstance(value, list) else [value]
                elif key == "@import":
                    found.append(str(value))
                stack.append(value)
        elif isinstance(item, list):
            stack += item
    return found


def _too_large(name: str, size: int, largest: int) -> Unreadable:
    given = f"{size / 1024 / 1024:.1f} MB"
    return Unreadable(
        Fault("too-large", name, given=given, allowed=(f"{largest // 1024 // 1024} MB",))
    )
