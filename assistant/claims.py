"""What the statements claim and which figures they give, as the graph holds it."""

from __future__ import annotations

from dataclasses import dataclass

from rdflib import URIRef

from kg import KnowledgeGraph

CLAIMS = """
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?subject ?property ?value ?level WHERE {
  ?statement tw:states ?claim .
  ?claim rdf:subject ?subject ; rdf:predicate ?property ; rdf:object ?value .
  OPTIONAL { ?claim tw:level ?level }
}
"""
FIGURES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?value ?unit ?kind ?factor ?low ?high WHERE {
  ?figure a tw:Figure ; dcterms:source ?statement ; qudt:numericValue ?value ; qudt:unit ?unit .
  ?unit qudt:hasQuantityKind ?kind ; qudt:conversionMultiplier ?factor .
  OPTIONAL { ?figure tw:probableMinimum ?low ; tw:probableMaximum ?high }
}
"""
CONDITIONAL = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?statement WHERE {
  ?requirement tw:condition ?condition ; dcterms:source ?statement .
}
"""
MODELS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?scenario ?part ?model ?statement WHERE {
  ?scenario tw:hasConfiguration/tw:hasPart ?item .
  ?item tw:partKind ?part ; dcterms:source ?statement ; tw:model/skos:broader* ?model .
}
"""


@dataclass(frozen=True)
class Claim:
    """A subject, property and value that a statement asserts."""

    statement: URIRef
    subject: URIRef
    property: URIRef
    value: URIRef
    level: URIRef | None


@dataclass(frozen=True)
class GuideFigure:
    """A number of a statement in its unit's base; `low` and `high` if it is damaged."""

    statement: URIRef
    value: float
    kind: URIRef
    low: float | None
    high: float | None


@dataclass(frozen=True)
class GuideClaims:
    """All claims and figures.

    `conditional` are statements whose requirement holds under a condition; `models` gives
    for a scenario and a kind of part the models that each statement names.
    """

    claims: tuple[Claim, ...]
    figures: tuple[GuideFigure, ...]
    conditional: frozenset[URIRef]
    models: dict[tuple[URIRef, URIRef], dict[URIRef, set[URIRef]]]

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> GuideClaims:
        """Return the claims and figures of a graph."""
        models: dict[tuple[URIRef, URIRef], dict[URIRef, set[URIRef]]] = {}
        for r in graph.select(MODELS):
            key = URIRef(str(r["scenario"])), URIRef(str(r["part"]))
            statement, model = URIRef(str(r["statement"])), URIRef(str(r["model"]))
            models.setdefault(key, {}).setdefault(statement, set()).add(model)
        claims = (
            Claim(
                URIRef(str(r["statement"])),
                URIRef(str(r["subject"])),
                URIRef(str(r["property"])),
                URIRef(str(r["value"])),
                URIRef(str(r["level"])) if "level" in r else None,
            )
            for r in graph.select(CLAIMS)
        )
        figures = (
            GuideFigure(
                URIRef(str(r["statement"])),
                float(r["value"]) * float(r["factor"]),
                URIRef(str(r["kind"])),
                float(r["low"]) if "low" in r else None,
                float(r["high"]) if "high" in r else None,
            )
            for r in graph.select(FIGURES)
        )
        conditional = frozenset(URIRef(str(r["statement"])) for r in graph.select(CONDITIONAL))
        return cls(tuple(claims), tuple(figures), conditional, models)
