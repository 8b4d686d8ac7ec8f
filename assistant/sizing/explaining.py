"""The formulas behind an estimate, as the graph explains and cites them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg import KnowledgeGraph

FORMULAS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?name ?formula ?label ?expression ?words ?valid ?error ?grade ?source ?title ?url WHERE {
  ?formula a tw:SizingFormula ; dcterms:identifier ?name ; rdfs:label ?label ;
           tw:symbolicExpression ?expression ; tw:expressionInWords ?words ;
           tw:validRange ?valid ; tw:knownError ?error ; tw:evidenceGrade ?grade ;
           dcterms:source ?source .
  ?source rdfs:label ?title .
  OPTIONAL { ?source rdfs:seeAlso ?url }
  FILTER(LANG(?label) = LANG(?words) && LANG(?label) = LANG(?valid))
  FILTER(LANG(?label) = LANG(?error) && LANG(?label) = LANG(?title))
}
ORDER BY ?name ?source
"""
TITLES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?source ?title WHERE { ?source a tw:Source ; rdfs:label ?title }
"""

RECALLED = "V4"


@dataclass(frozen=True)
class Formula:
    """A formula in one language: how it is written, where it holds, how far it is off."""

    name: str
    node: str
    label: str
    expression: str
    words: str
    valid: str
    error: str
    grade: str
    sources: tuple[str, ...]
    urls: tuple[str, ...] = field(default=())

    @property
    def recalled(self) -> bool:
        """Return whether the source was recalled and not read."""
        return self.grade == RECALLED


class Explainer:
    """Formulas and titles of sources by name and language."""

    def __init__(
        self,
        formulas: Mapping[tuple[str, str], Formula],
        titles: Mapping[tuple[str, str], str],
    ) -> None:
        self._formulas = formulas
        self._titles = titles

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Explainer:
        """Return what a graph explains."""
        found: dict[tuple[str, str], Formula] = {}
        for row in graph.select(FORMULAS):
            language = str(getattr(row["label"], "language", ""))
            key = (str(row["name"]), language)
            held = found.get(key)
            sources = (*(held.sources if held else ()), str(row["title"]))
            urls = (*(held.urls if held else ()), *([str(row["url"])] if "url" in row else []))
            found[key] = Formula(
                name=str(row["name"]),
                node=str(row["formula"]),
                label=str(row["label"]),
                expression=str(row["expression"]),
                words=str(row["words"]),
                valid=str(row["valid"]),
                error=str(row["error"]),
                grade=str(row["grade"]),
                sources=sources,
                urls=urls,
            )
        titles = {
            (str(r["source"]), str(getattr(r["title"], "language", ""))): str(r["title"])
            for r in graph.select(TITLES)
        }
        return cls(found, titles)

    def __call__(self, names: Iterable[str], language: str) -> list[Formula]:
        """Return formulas in a language, in the order of their names' first mention."""
        return [self._formulas[name, language] for name in dict.fromkeys(names)]

    def title(self, source: str, language: str) -> str:
        """Return the title of a source, or its address if it has none."""
        return self._titles.get((source, language), source)
