"""Citations: where a statement stands, in our words and, with the source at hand, in its own."""

from __future__ import annotations

from collections.abc import Sequence

from rdflib import URIRef
from rdflib.namespace import DCTERMS, RDFS

from assistant.answer import Citation
from kg import KnowledgeGraph, SourceText, places_of_statements

STATEMENTS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?id ?section ?number ?source WHERE {
  ?statement a tw:Statement ; dcterms:identifier ?id ; tw:inSection ?section ;
             dcterms:source ?source .
  ?section dcterms:identifier ?number .
}
"""
TW = "https://w3id.org/trainwright/ontology#"


class Provenance:
    """Knows for each statement where it comes from."""

    def __init__(self, graph: KnowledgeGraph, source_text: SourceText | None = None) -> None:
        self._graph = graph
        self._rows = {URIRef(str(r["statement"])): r for r in graph.select(STATEMENTS)}
        self._quotes: dict[str, str] = {}
        if source_text is not None:
            for place in places_of_statements(graph):
                if (words := source_text.quote(place)) is not None:
                    self._quotes[place.statement] = words

    def citations(self, statements: Sequence[URIRef], language: str) -> tuple[Citation, ...]:
        """Return numbered citations of statements, in order."""
        return tuple(self._citation(n, s, language) for n, s in enumerate(statements, 1))

    def _citation(self, n: int, statement: URIRef, language: str) -> Citation:
        row = self._rows[statement]
        source, section = URIRef(str(row["source"])), URIRef(str(row["section"]))
        identifier = str(row["id"])
        return Citation(
            n=n,
            source=str(source),
            title=self._graph.text(source, RDFS.label, language) or "",
            section=self._graph.text(section, RDFS.label, language),
            statement=identifier,
            url=self._first(source, DCTERMS.identifier),
            quote=self._quotes.get(identifier),
            wording=self._graph.text(statement, URIRef(TW + "wording"), language),
        )

    def _first(self, subject: URIRef, predicate: URIRef) -> str | None:
        return next((str(o) for o in self._graph.objects(subject, predicate)), None)
