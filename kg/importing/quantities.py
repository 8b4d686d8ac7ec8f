"""The quantities that figures can be of, by the names that headers may call them."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from rdflib.term import Node, URIRef

from kg.graph import KnowledgeGraph, Row
from kg.importing.declarations import Column, folded
from kg.namespaces import PREFIXES, TWD

QUANTITIES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?quantity ?unit ?least ?most ?demanded ?unconverted ?label WHERE {
  ?quantity a tw:Quantity ; tw:standardUnit ?unit .
  OPTIONAL { ?quantity tw:plausibleMinimum ?least ; tw:plausibleMaximum ?most }
  OPTIONAL { ?quantity tw:conditionedBy ?demanded }
  OPTIONAL { ?quantity tw:unconvertedUnit ?unconverted }
  OPTIONAL { ?quantity rdfs:label ?label }
}
"""

NAMED = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?named ?label ?quantity ?condition ?value WHERE {
  ?named a tw:NamedQuantity ; tw:ofQuantity ?quantity ; ?condition ?value .
  ?condition a tw:FigureCondition .
  OPTIONAL { ?named rdfs:label ?label }
}
"""


@dataclass
class Quantity:
    """A quantity of the graph, and what its figures must keep to."""

    iri: URIRef
    standard: URIRef
    least: Decimal | None = None
    most: Decimal | None = None
    demanded: set[URIRef] = field(default_factory=set)
    unconverted: set[URIRef] = field(default_factory=set)

    def learn(self, row: Row) -> None:
        """Take up what one row of the query says."""
        if "least" in row:
            self.least, self.most = Decimal(str(row["least"])), Decimal(str(row["most"]))
        if "demanded" in row:
            self.demanded.add(URIRef(str(row["demanded"])))
        if "unconverted" in row:
            self.unconverted.add(URIRef(str(row["unconverted"])))


@dataclass(frozen=True)
class Quantities:
    """All quantities of a graph.

    Attributes:
        conditioned: Quantities under conditions, as `sequential read speed`: of what they are
            and what each of their figures says.
        names: Which of both have a label or IRI.
    """

    by_iri: dict[URIRef, Quantity] = field(default_factory=dict)
    conditioned: dict[URIRef, tuple[URIRef, frozenset[tuple[URIRef, Node]]]] = field(
        default_factory=dict
    )
    names: dict[str, set[URIRef]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Quantities:
        """Return the quantities that a graph describes."""
        found = cls()
        for row in graph.select(QUANTITIES):
            iri = URIRef(str(row["quantity"]))
            found.by_iri.setdefault(iri, Quantity(iri, URIRef(str(row["unit"])))).learn(row)
            found._learn_names(iri, row)
        for row in graph.select(NAMED):
            iri = URIRef(str(row["named"]))
            condition = (URIRef(str(row["condition"])), row["value"])
            _, before = found.conditioned.get(iri, (iri, frozenset()))
            found.conditioned[iri] = URIRef(str(row["quantity"])), before | {condition}
            found._learn_names(iri, row)
        return found

    def __getitem__(self, iri: URIRef) -> Quantity:
        return self.by_iri[iri]

    def column(self, header: str) -> Column | None:
        """Return a column for the quantity that a header names by label or IRI, if it is one only.

        The name of a quantity under conditions says those of its figures too.
        """
        found = {*self.names.get(folded(header), ())}
        found |= {URIRef(iri) for iri in full_iris(header)} & {*self.by_iri, *self.conditioned}
        if len(found) != 1:
            return None
        (iri,) = found
        quantity, conditions = self.conditioned.get(iri, (iri, frozenset()))
        return Column(header, quantity=quantity, of_figures=tuple(sorted(conditions)))

    def _learn_names(self, iri: URIRef, row: Row) -> None:
        for name in (row.get("label"), iri.removeprefix(TWD), iri):
            if name is not None:
                self.names.setdefault(folded(str(name)), set()).add(iri)


def full_iris(value: str) -> list[str]:
    """Return what a value is as an IRI, if it is one, in full or with a usual prefix."""
    prefix, colon, local = value.partition(":")
    if colon and prefix in PREFIXES:
        return [PREFIXES[prefix] + local]
    return [value] if value.startswith(("http://", "https://")) else []
