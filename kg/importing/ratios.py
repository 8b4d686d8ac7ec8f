"""Which figures of one thing go together, and within what bounds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from rdflib.term import Node, URIRef

from kg.graph import KnowledgeGraph

RATIOS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?ratio ?over ?under ?least ?most ?format ?trait WHERE {
  ?ratio a tw:PlausibleRatio ; tw:numerator ?over ; tw:denominator ?under ;
         tw:plausibleMinimum ?least ; tw:plausibleMaximum ?most .
  OPTIONAL { ?ratio tw:precision ?format }
  OPTIONAL { ?ratio tw:exceptFor ?trait }
} ORDER BY ?ratio
"""


@dataclass(frozen=True)
class Ratio:
    """Two quantities, and the bounds between which one is a multiple of the other.

    Attributes:
        format: The number format that the first has to be in, if it matters.
        trait: What things have, such as on-chip memory, for which the bounds do not hold.
    """

    over: URIRef
    under: URIRef
    least: Decimal
    most: Decimal
    format: Node | None
    trait: Node | None


def ratios_of(graph: KnowledgeGraph) -> tuple[Ratio, ...]:
    """Return the plausible ratios that a graph describes."""
    return tuple(
        Ratio(
            URIRef(str(row["over"])),
            URIRef(str(row["under"])),
            Decimal(str(row["least"])),
            Decimal(str(row["most"])),
            row.get("format"),
            row.get("trait"),
        )
        for row in graph.select(RATIOS)
    )
