"""The statements' wordings, in our own words, by language."""

from __future__ import annotations

from collections import defaultdict

from rdflib import URIRef

from kg import KnowledgeGraph

WORDINGS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?wording WHERE { ?statement a tw:Statement ; tw:wording ?wording }
ORDER BY ?statement ?wording
"""


def wordings_of(graph: KnowledgeGraph) -> dict[URIRef, tuple[str, ...]]:
    """Return each statement's wordings in all languages."""
    found: dict[URIRef, list[str]] = defaultdict(list)
    for row in graph.select(WORDINGS):
        found[URIRef(str(row["statement"]))].append(str(row["wording"]))
    return {statement: tuple(texts) for statement, texts in found.items()}
