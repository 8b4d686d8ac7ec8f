"""The fixed numbers of the formulas, as the graph states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kg import BrokenData, KnowledgeGraph

VALUES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?name ?value WHERE {
  ?coefficient a tw:Coefficient ; dcterms:identifier ?name ; tw:coefficientValue ?value .
}
"""


class Coefficients(Mapping[str, float]):
    """Numbers by the identifier of their node; asking for one the graph lacks is broken data."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = dict(values)

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Coefficients:
        """Return the coefficients of a graph."""
        return cls({str(r["name"]): float(str(r["value"])) for r in graph.select(VALUES)})

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise BrokenData("ontology/sizing/coefficients.ttl", f"no coefficient {name}")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
