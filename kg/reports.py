"""Lists what in the catalogue to look at again: no errors, but figures that deserve less trust."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from rdflib.namespace import RDFS
from rdflib.term import Literal, URIRef

from kg.graph import ONTOLOGY, KnowledgeGraph, Row, checked_query
from kg.importing.messages import messages
from kg.namespaces import QUDT, shorten

REPORTS = ONTOLOGY / "reports"


@dataclass(frozen=True)
class Finding:
    """A figure of a report, in words.

    Attributes:
        figure: The figure's IRI, shortened.
        date: What the figure's price dates from, empty if its source does not say.
    """

    figure: str
    thing: str
    quantity: str
    value: str
    date: str = ""


def one_source(graph: KnowledgeGraph, language: str) -> list[Finding]:
    """Return the figures that rest on one source, by thing and quantity."""
    query = checked_query(REPORTS / "one_source.rq")
    return [_finding(graph, row, language) for row in graph.select(query)]


def stale_prices(graph: KnowledgeGraph, before: date, language: str) -> list[Finding]:
    """Return the prices that date from before a day or have no date, by thing and quantity."""
    query = checked_query(REPORTS / "stale_prices.rq")
    rows = graph.select(query, {"before": Literal(before.isoformat())})
    return [_finding(graph, row, language) for row in rows]


def catalogue_report(graph: KnowledgeGraph, before: date, language: str) -> str:
    """Return both lists as text, one figure a line with tabs between its parts."""
    say = messages().in_language(language)
    single, prices = one_source(graph, language), stale_prices(graph, before, language)
    lines = [say("report-one-source", count=len(single))]
    lines += [f"{f.thing}\t{f.quantity}\t{f.value}" for f in single]
    lines += ["", say("report-stale-prices", count=len(prices), date=before.isoformat())]
    undated = say("report-undated")
    lines += [f"{p.thing}\t{p.quantity}\t{p.value}\t{p.date or undated}" for p in prices]
    return "\n".join(lines)


def _finding(graph: KnowledgeGraph, row: Row, language: str) -> Finding:
    unit = next(iter(graph.objects(URIRef(str(row["unit"])), QUDT.symbol)), "")
    return Finding(
        shorten(row["focus"]),
        _name(graph, row, "thing", language),
        _name(graph, row, "quantity", language),
        f"{str(row['number']).removesuffix('.0')} {unit}".strip(),
        str(row.get("date", "")),
    )


def _name(graph: KnowledgeGraph, row: Row, variable: str, language: str) -> str:
    node = URIRef(str(row[variable]))
    return graph.text(node, RDFS.label, language) or shorten(node)
