"""Writes the figures of an entry: one for each cell that holds a number of a quantity."""

from __future__ import annotations

from decimal import Decimal

from rdflib.namespace import DCTERMS, RDF
from rdflib.term import URIRef

from kg.importing import cells as reading
from kg.importing.declarations import Column
from kg.importing.names import Names, local_name
from kg.importing.problems import BadCell
from kg.importing.proportions import Measured, note_disproportions
from kg.importing.quantities import Quantity
from kg.importing.row_cells import RowCells, Said
from kg.importing.texts import Triple, in_both_languages
from kg.importing.units import Unit
from kg.namespaces import QUDT, TW, TWD

IN_NAMES = (
    TW.precision, TW.accumulation, TW.sparsity, TW.accessPattern, TW.operation, TW.direction,
    TW.perUnit,
)  # fmt: skip
"""Conditions that tell the figures of one quantity apart, in the order their IRIs have them."""


def figures(cells: RowCells, node: URIRef, names: Names) -> list[Triple]:
    """Return the figures of a row's entry."""
    triples: list[Triple] = []
    measured: list[Measured] = []
    for column, value in cells.row.items():
        if column.quantity is None or not value:
            continue
        quantity = cells.vocabulary.quantities[column.quantity]
        try:
            amount = reading.amount(value, cells.unit(column), quantity, cells.vocabulary)
        except BadCell as error:
            cells.problem(column, error)
            continue
        said = _said_of(cells, column, quantity)
        if amount[2] is not None:
            formats = tuple(said.get(TW.precision, ()))
            measured.append(Measured(column, quantity.iri, formats, amount[2]))
        triples += _figure(cells, node, column, amount, said, names)
    note_disproportions(cells, measured)
    return triples


def measure(figure: URIRef, unit: Unit, standard: Decimal | None) -> list[Triple]:
    """Return a figure's unit, and its number in the standard unit unless nothing converts it."""
    triples: list[Triple] = [(figure, QUDT.unit, unit.iri)]
    if standard is not None:
        triples.append((figure, TW.standardValue, reading.decimal(standard)))
    return triples


def completed(cells: RowCells, figure: URIRef, column: Column, said: Said) -> list[Triple]:
    """Return what is said of a figure, what goes without saying, and what no source says."""
    (quantity,) = (cells.vocabulary.quantities[URIRef(str(q))] for q in said[TW.ofQuantity])
    said.setdefault(TW.bound, [TW.Exactly])
    said.setdefault(TW.standing, [TW.Preferred])
    triples = [(figure, prop, value) for prop, values in said.items() for value in values]
    for demanded in sorted(quantity.demanded - said.keys()):
        if not _asked_for(cells, demanded, column):
            name = local_name(demanded)
            cells.problem(column, BadCell("missing-condition", cells.cell(column), [name]))
        triples.append((figure, TW.notStated, demanded))
    return triples


def _figure(
    cells: RowCells,
    node: URIRef,
    column: Column,
    amount: reading.Amount,
    said: Said,
    names: Names,
) -> list[Triple]:
    assert column.quantity is not None
    told_apart = [local_name(said[prop][0]) for prop in IN_NAMES if prop in said]
    figure = names.give("figure", node, [column.quantity.removeprefix(TWD), *told_apart])
    said.setdefault(DCTERMS.source, cells.sources())
    if not said[DCTERMS.source] and not cells.sources_are_wrong():
        cells.problem(column, BadCell("missing-source"))
    number, unit, standard = amount
    said |= {TW.figureOf: [node], TW.ofQuantity: [column.quantity]}
    return in_both_languages(
        [
            (figure, RDF.type, TW.Figure),
            (figure, QUDT.numericValue, reading.decimal(number)),
            *measure(figure, unit, standard),
            *completed(cells, figure, column, said),
        ]
    )


def _said_of(cells: RowCells, column: Column, quantity: Quantity) -> Said:
    """Return what is said of a column's figure: by the column, and by those describing it."""
    said: Said = {}
    for prop, value in column.of_figures:
        said.setdefault(prop, []).append(value)
    for prop, values in cells.shared(quantity).items():
        said.setdefault(prop, []).extend(values)
    for other, fills in cells.filled():
        if column.name not in other.describes or fills == QUDT.unit:
            continue
        # Another reading holds under the same conditions, but has a source of its own.
        if values := cells.values(other, inherited=not other.is_source):
            said.setdefault(fills, []).extend(values)
    return said


def _asked_for(cells: RowCells, prop: URIRef, column: Column) -> bool:
    """Whether the file has a column for a condition, so that an empty cell tells something."""
    return any(
        fills == prop and (not other.describes or column.name in other.describes)
        for other, fills in cells.filled()
    )
