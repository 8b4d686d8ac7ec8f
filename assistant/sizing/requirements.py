"""The guide's minimum requirements as SHACL shapes, and what a machine lacks of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import rdflib
from rdflib import RDF, XSD, Literal, URIRef
from rdflib.namespace import SH

from assistant.sizing.machine import Machine
from kg import KnowledgeGraph
from kg.namespaces import TW

REQUIREMENTS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?requirement ?statement ?part ?property ?number ?condition ?modality WHERE {
  VALUES ?property { tw:capacity tw:count tw:minimumSpeed }
  ?requirement a tw:Requirement ; tw:partKind ?part ; ?property ?figure ; dcterms:source ?source .
  ?source dcterms:identifier ?statement . ?figure qudt:numericValue ?number ; tw:bound tw:AtLeast .
  OPTIONAL { ?requirement tw:condition ?condition }
  OPTIONAL { ?source tw:modality ?modality }
}
ORDER BY ?requirement ?property ?condition
"""
SHAPE = "https://w3id.org/trainwright/ontology/shapes/requirement/"


@dataclass(frozen=True)
class Requirement:
    """A minimum of one property of one kind of part, with the statement that sets it."""

    node: str
    statement: str
    part: str
    property: str
    minimum: float
    conditional: bool
    required: bool


@dataclass(frozen=True)
class Unmet:
    """A requirement that a machine does not meet, and what it has."""

    requirement: Requirement
    given: float


def requirements_of(graph: KnowledgeGraph) -> tuple[Requirement, ...]:
    """Return the guide's requirements with a minimum."""
    found = {
        (str(r["requirement"]), str(r["property"])): Requirement(
            str(r["requirement"]),
            str(r["statement"]),
            str(r["part"]),
            str(r["property"]),
            float(str(r["number"])),
            "condition" in r,
            str(r.get("modality", "")) == f"{TW}Requires",
        )
        for r in graph.select(REQUIREMENTS)
    }
    return tuple(found.values())


def shapes(requirements: Iterable[Requirement]) -> rdflib.Graph:
    """Return a SHACL shape for each requirement: its parts have at least the minimum."""
    graph = rdflib.Graph()
    for n, r in enumerate(requirements):
        shape, minimum = URIRef(f"{SHAPE}{n}"), URIRef(f"{SHAPE}{n}/minimum")
        graph.add((shape, RDF.type, SH.NodeShape))
        graph.add((shape, SH.targetClass, URIRef(r.part)))
        graph.add((shape, SH.property, minimum))
        graph.add((minimum, SH.path, URIRef(r.property)))
        graph.add((minimum, SH.minInclusive, Literal(r.minimum, datatype=XSD.double)))
    return graph


def described(machine: Machine) -> rdflib.Graph:
    """Return a machine's parts as a graph that the shapes can be held against."""
    graph = rdflib.Graph()
    for part, values in (
        ("Memory", {"capacity": machine.host_memory_gb}),
        ("NetworkInterfaceCard", {"count": machine.nic_count, "minimumSpeed": machine.nic_gbit}),
    ):
        node = URIRef(f"urn:machine:{part}")
        for name, value in values.items():
            if value is not None:
                graph.add((node, RDF.type, URIRef(TW + part)))
                graph.add((node, URIRef(TW + name), Literal(float(value), datatype=XSD.double)))
    return graph


def unmet(machine: Machine, requirements: Iterable[Requirement], large: bool) -> tuple[Unmet, ...]:
    """Return the requirements that a machine does not meet.

    Args:
        machine: The machine.
        requirements: The guide's requirements.
        large: Whether those that hold for very large models and data count.
    """
    import pyshacl  # 0.3 s to import, and only checks need it

    held = [r for r in requirements if large or not r.conditional]
    data = described(machine)
    if not held or not data:
        return ()
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes(held), inference="none")
    assert isinstance(report, rdflib.Graph)
    by_shape = {f"{SHAPE}{n}/minimum": r for n, r in enumerate(held)}
    found = [
        Unmet(
            by_shape[str(report.value(result, SH.sourceShape))],
            float(str(report.value(result, SH.value))),
        )
        for result in report.objects(None, SH.result)
    ]
    return tuple(sorted(found, key=lambda u: (u.requirement.statement, u.requirement.property)))
