"""The graph in another store, with the interface of the embedded one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import pyoxigraph as ox
import rdflib
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.term import Identifier, URIRef

from kg.endpoint import Endpoint
from kg.errors import BrokenData
from kg.executor import Limits
from kg.graph import KnowledgeGraph, Row, turtle_files
from kg.remote import RemoteExecutor

# The product's own queries are no stranger's: they get all their rows.
LIMITS = Limits(seconds=30, rows=1_000_000, bytes=200_000_000)
AT_ONCE = 1_000
BLANK = "https://w3id.org/trainwright/.well-known/genid/"


class RemoteGraph(KnowledgeGraph):
    """A graph at a SPARQL 1.1 endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(rdflib.Graph(SPARQLStore(endpoint.query_url)))
        self.executor = RemoteExecutor(endpoint, LIMITS, workers=4, patience=30)

    @classmethod
    def from_environment(cls) -> RemoteGraph | None:
        """Return the graph that `TRAINWRIGHT_STORE` names, if it names one."""
        endpoint = Endpoint.from_environment()
        return None if endpoint is None else cls(endpoint)

    def __len__(self) -> int:
        return self.executor.ready()

    def select(self, query: str, bindings: Mapping[str, Identifier] | None = None) -> list[Row]:
        """Return the rows of a SELECT query; bindings are written into it as terms.

        Raises:
            GraphError: If the guard, the store or the way to it refuses.
        """
        found = self.executor.run(query, bindings=bindings)
        return [
            {n: v for n, v in zip(found.variables, row, strict=True) if v is not None}
            for row in found.rows
        ]

    def objects(self, subject: URIRef, predicate: URIRef) -> list[Identifier]:
        """Return the objects of a subject and predicate, sorted for repeatability."""
        bindings: dict[str, Identifier] = {"s": subject, "p": predicate}
        rows = self.select("SELECT ?s ?p ?o { ?s ?p ?o }", bindings)
        return sorted((row["o"] for row in rows), key=str)


def fill(endpoint: Endpoint, places: Iterable[Path], clear: bool = False) -> int:
    """Send the graph files of some places to a store and return the number of triples sent.

    Blank nodes become IRIs (RDF 1.1, 3.5), since a store takes those of two requests apart.

    Args:
        endpoint: Where to; it needs an address for updates.
        places: As for `KnowledgeGraph.load`.
        clear: Whether to empty the default graph first.

    Raises:
        BrokenData: If a place does not exist, or a file is not valid Turtle.
        StoreUnavailable: If the store does not take it.
    """
    files = turtle_files(places)
    if clear:
        endpoint.update("CLEAR SILENT DEFAULT")
    sent = 0
    lines = (line for file in files for line in _lines(file))
    while part := list(islice(lines, AT_ONCE)):
        endpoint.update("INSERT DATA {\n" + "\n".join(part) + "\n}")
        sent += len(part)
    return sent


def _lines(file: Path) -> Iterator[str]:
    try:
        for quad in ox.parse(
            path=file,
            format=ox.RdfFormat.TURTLE,
            base_iri=file.absolute().as_uri(),
            rename_blank_nodes=True,
        ):
            yield f"{_named(quad.subject)} {quad.predicate} {_named(quad.object)} ."
    except (SyntaxError, ValueError, OSError) as error:
        raise BrokenData(file, f"not valid Turtle: {error}") from error


def _named(term: object) -> str:
    return f"<{BLANK}{term.value}>" if isinstance(term, ox.BlankNode) else str(term)
