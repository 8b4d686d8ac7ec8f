"""Writes what a row says of its entry: names, facets, notes and sources."""

from __future__ import annotations

from rdflib.namespace import DCTERMS, RDF, SKOS
from rdflib.term import Literal, URIRef

from kg.importing.declarations import Column
from kg.importing.names import Names, local_name
from kg.importing.row_cells import RowCells
from kg.importing.texts import Triple, in_both_languages
from kg.namespaces import QUDT, TW


def entry(cells: RowCells, node: URIRef) -> list[Triple]:
    """Return what the row says of its entry, apart from figures."""
    triples = identity(cells, node)
    for column, fills in cells.filled():
        if of_entry(cells, column):
            triples += [(node, fills, value) for value in cells.values(column)]
    return in_both_languages(triples, _titled(cells, node))


def identity(cells: RowCells, node: URIRef) -> list[Triple]:
    """Return what a row's node is, and where it stands in which table, if it is no reading."""
    triples: list[Triple] = []
    if cells.table.row_class is not None:
        triples.append((node, RDF.type, cells.table.row_class))
    if cells.table.listed and cells.main is None:
        triples.append((node, TW.listedIn, cells.table.iri))
        triples.append((node, DCTERMS.identifier, Literal(cells.identifier)))
    return triples


def facet_readings(cells: RowCells, node: URIRef, names: Names) -> list[Triple]:
    """Return what a further reading says of facets: who says so, and the facet if preferred."""
    shared = cells.shared()
    standing = shared.get(TW.standing, [TW.Preferred])[0]
    triples: list[Triple] = []
    for column, fills in cells.filled():
        if column.is_source or not column.value_url or not of_entry(cells, column):
            continue
        for value in cells.values(column):
            reading = names.give("reading", node, [local_name(fills)])
            triples += [
                (reading, RDF.type, TW.FacetReading),
                (reading, RDF.subject, node),
                (reading, RDF.predicate, fills),
                (reading, RDF.object, value),
                (reading, TW.standing, standing),
                *((reading, DCTERMS.source, source) for source in cells.sources()),
                *((reading, SKOS.scopeNote, note) for note in shared.get(TW.conditionNote, [])),
            ]
            if standing == TW.Preferred:
                triples.append((node, fills, value))
    return in_both_languages(triples)


def of_entry(cells: RowCells, column: Column) -> bool:
    """Whether a column says something of the row's node rather than of a figure of it."""
    fills = column.fills
    return (
        fills not in (None, QUDT.unit)
        and not column.titled
        and not column.describes
        and (cells.table.rows_are_figures or (fills is not None and not cells.of_figures(fills)))
    )


def _titled(cells: RowCells, node: URIRef) -> list[list[Triple]]:
    """Return texts that begin with their column's title, those of one title together."""
    found: dict[str, list[Triple]] = {}
    for column, fills in cells.filled():
        if not column.titled:
            continue
        for value in cells.values(column):
            language = value.language if isinstance(value, Literal) and value.language else "en"
            colon = "：" if language == "zh" else ": "
            text = Literal(f"{column.title(language)}{colon}{value}", lang=language)
            found.setdefault(column.title("en"), []).append((node, fills, text))
    return list(found.values())
