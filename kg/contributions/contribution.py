"""A contribution: what somebody added to the graph, with author, time, tool and sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rdflib
from rdflib.namespace import DCTERMS, RDF, RDFS, XSD
from rdflib.term import Literal, Node, URIRef

from kg.contributions.folder import ContributionFile
from kg.contributions.messages import messages
from kg.errors import BrokenData
from kg.importing.turtle import as_turtle, new_graph
from kg.namespaces import TW, TWD

LANGUAGES = ("en", "zh")
MOST_NAMED = 3


@dataclass(frozen=True)
class Contribution:
    """One contribution as its file tells it.

    Attributes:
        import_id: The import that it came with, if with others.
        file: The name of the file it was made from, empty if none.
        things: Names of what it adds, in English.
        sources: Titles of its sources, in English.
        active: Whether it is in use, rather than undone.
    """

    id: str
    import_id: str | None
    author: str
    time: datetime
    tool: str
    file: str
    things: tuple[str, ...]
    sources: tuple[str, ...]
    active: bool
    path: Path


@dataclass(frozen=True)
class Author:
    """Who adds something, when and with what."""

    name: str
    time: datetime
    tool: str
    file: str = ""

    @classmethod
    def now(cls, name: str, file: str = "") -> Author:
        """Return somebody who adds something at this moment with this release."""
        return cls(name, datetime.now().astimezone().replace(microsecond=0), release(), file)


def release() -> str:
    """Return this program's release."""
    try:
        return version("trainwright")
    except PackageNotFoundError:
        return "0"


def header_node(identifier: str) -> URIRef:
    """Return the node of a contribution."""
    return URIRef(TWD[f"contribution-{identifier}"])


def header(
    identifier: str,
    author: Author,
    adds: Iterable[URIRef],
    names: Sequence[str],
    sources: Iterable[URIRef],
) -> rdflib.Graph:
    """Return what a contribution says of itself."""
    graph, node = new_graph(), header_node(identifier)
    graph.add((node, RDF.type, TW.Contribution))
    graph.add((node, DCTERMS.identifier, Literal(identifier)))
    graph.add((node, DCTERMS.creator, Literal(author.name)))
    graph.add((node, DCTERMS.created, Literal(author.time.isoformat(), datatype=XSD.dateTime)))
    graph.add((node, TW.toolVersion, Literal(author.tool)))
    if author.file:
        graph.add((node, DCTERMS.title, Literal(author.file)))
    for thing in adds:
        graph.add((node, TW.adds, thing))
    for source in sources:
        graph.add((node, DCTERMS.source, source))
    for language in LANGUAGES:
        said = messages()("contribution-label", language, names=", ".join(names[:MOST_NAMED]))
        graph.add((node, RDFS.label, Literal(said, lang=language)))
    return graph


def turtle(graph: rdflib.Graph) -> str:
    """Return a contribution's graph as its file holds it."""
    copy = new_graph()
    for s, p, o in graph:
        copy.add((s, p, unmarked(o)))
    return as_turtle(copy)


def unmarked(value: Node) -> Node:
    """Return a plain text without the datatype that all plain texts have."""
    plain = isinstance(value, Literal) and value.datatype == XSD.string
    return Literal(str(value)) if plain else value


def read(file: ContributionFile) -> Contribution:
    """Return what a contribution's file says of it.

    Raises:
        BrokenData: If it cannot be read or does not say what it must.
    """
    return _read(file, file.path.stat().st_mtime_ns if file.path.exists() else 0)


@lru_cache(maxsize=20_000)
def _read(file: ContributionFile, changed: int) -> Contribution:
    """Read a file once for each time it changed."""
    graph = rdflib.Graph(bind_namespaces="none")
    try:
        graph.parse(file.path, format="ox-turtle")
    except (SyntaxError, ValueError, OSError) as error:
        raise BrokenData(file.path, f"not a contribution: {error}") from error
    node = graph.value(None, RDF.type, TW.Contribution)
    created = graph.value(node, DCTERMS.created)
    if node is None or created is None:
        raise BrokenData(file.path, "does not say that it is a contribution, or when")
    return Contribution(
        file.id,
        file.import_id,
        str(graph.value(node, DCTERMS.creator) or ""),
        datetime.fromisoformat(str(created)),
        str(graph.value(node, TW.toolVersion) or ""),
        str(graph.value(node, DCTERMS.title) or ""),
        _labels(graph, graph.objects(node, TW.adds)),
        _labels(graph, graph.objects(node, DCTERMS.source)),
        file.active,
        file.path,
    )


def _labels(graph: rdflib.Graph, nodes: Iterable[object]) -> tuple[str, ...]:
    found = [
        str(label)
        for node in nodes
        for label in graph.objects(node, RDFS.label)  # type: ignore[arg-type]
        if isinstance(label, Literal) and label.language == "en"
    ]
    return tuple(sorted(set(found)))
