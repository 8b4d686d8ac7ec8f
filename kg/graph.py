"""Loads the graph into the embedded engine and queries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import rdflib
from rdflib.term import Identifier, Literal, URIRef

from kg import guard
from kg.errors import BrokenData, QueryFailed
from kg.namespaces import PREFIXES

ONTOLOGY = Path(__file__).resolve().parent.parent / "ontology"
CATALOGUE = ONTOLOGY / "catalogue"
SIZING = ONTOLOGY / "sizing"

Row = dict[str, Identifier]


class KnowledgeGraph:
    """A read-only graph in Oxigraph, reached through rdflib.

    Oxigraph rather than rdflib's own engine: comparing two devices on five
    quantities took 8.7 s there and 0.14 ms here on 150,000 triples.
    """

    def __init__(self, graph: rdflib.Graph) -> None:
        self.graph = graph

    @classmethod
    def load(cls, *places: Path) -> KnowledgeGraph:
        """Return the graph of all Turtle files in the places (files or folders).

        Raises:
            BrokenData: If a place does not exist, or a file is not valid Turtle.
        """
        graph = rdflib.Graph(store="Oxigraph", bind_namespaces="none")
        for prefix, iri in PREFIXES.items():
            graph.bind(prefix, iri)
        for path in turtle_files(places):
            try:
                graph.parse(path, format="ox-turtle")
            except (SyntaxError, ValueError, OSError) as error:
                raise BrokenData(path, f"not valid Turtle: {error}") from error
        return cls(graph)

    @classmethod
    def shipped(cls) -> KnowledgeGraph:
        """Return the graph that comes with the product, or the store that takes its place.

        Raises:
            StoreUnavailable: If `TRAINWRIGHT_STORE` holds no address.
        """
        from kg.remote_graph import RemoteGraph  # late: it is one of these itself

        remote = RemoteGraph.from_environment()
        return cls.load(ONTOLOGY) if remote is None else remote

    @classmethod
    def with_contributions(cls, home: Path | None = None) -> KnowledgeGraph:
        """Return the shipped graph with what users added, or the store that takes its place.

        Args:
            home: Where contributions are; else `TRAINWRIGHT_HOME`.
        """
        from kg.contributions import ContributedGraph, ContributionFolder  # late: as above
        from kg.remote_graph import RemoteGraph

        remote = RemoteGraph.from_environment()
        folder = ContributionFolder.at_home(home)
        return ContributedGraph.of(folder) if remote is None else remote

    @classmethod
    def guide(cls) -> KnowledgeGraph:
        """Return the shipped graph without catalogue and sizing: what the guide speaks of.

        Questions about the guide are understood by its own words only, so that no
        device of the catalogue or model of sizing changes what they mean.
        """
        return cls.load(*(p for p in sorted(ONTOLOGY.iterdir()) if p not in (CATALOGUE, SIZING)))

    def __len__(self) -> int:
        return len(self.graph)

    def select(self, query: str, bindings: Mapping[str, Identifier] | None = None) -> list[Row]:
        """Return the rows of a SELECT query that has passed the guard.

        Bindings replace variables by terms inside the engine; text is never
        spliced into the query. The engine wants a bound variable to be selected.

        Raises:
            QueryFailed: If the engine refuses the query or a binding's name.
        """
        try:
            result = self.graph.query(query, initBindings=dict(bindings or {}))
        except (SyntaxError, ValueError, RuntimeError) as error:
            raise QueryFailed(str(error)) from error
        names = [str(name) for name in result.vars or ()]
        rows: Iterable[Any] = result
        return [{n: v for n, v in zip(names, row, strict=True) if v is not None} for row in rows]

    def objects(self, subject: URIRef, predicate: URIRef) -> list[Identifier]:
        """Return the objects of a subject and predicate, sorted for repeatability."""
        return sorted(self.graph.objects(subject, predicate), key=str)  # type: ignore[arg-type]

    def text(self, subject: URIRef, predicate: URIRef, language: str) -> str | None:
        """Return the literal of a property in one language, or None if there is none."""
        for value in self.objects(subject, predicate):
            if isinstance(value, Literal) and value.language == language:
                return str(value)
        return None


def turtle_files(places: Iterable[Path]) -> list[Path]:
    """Return the Turtle files in files and folders, sorted.

    Raises:
        BrokenData: If a place does not exist.
    """
    found: list[Path] = []
    for place in places:
        if not place.exists():
            raise BrokenData(place, "no such file or folder")
        found += sorted(place.rglob("*.ttl")) if place.is_dir() else [place]
    return found


def checked_query(path: Path) -> str:
    """Return a query file's text with the usual prefixes declared, once it passes the guard.

    Raises:
        BrokenData: If it does not parse or is refused; the message names the file.
    """
    query = guard.declare_prefixes(path.read_text(encoding="utf-8"))
    try:
        guard.check(query)
    except Exception as error:
        raise BrokenData(path, str(error)) from error
    return query
