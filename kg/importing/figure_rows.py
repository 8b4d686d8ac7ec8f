"""Writes the rows of a table in which each row is one figure, as in a list of prices."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from rdflib.term import URIRef

from kg.importing import cells as reading
from kg.importing.declarations import Column
from kg.importing.entries import identity, of_entry
from kg.importing.figures import completed, measure
from kg.importing.problems import BadCell
from kg.importing.quantities import Quantity
from kg.importing.row_cells import RowCells, Said
from kg.importing.texts import Triple, in_both_languages
from kg.namespaces import QUDT, TW

NUMBERS = (QUDT.numericValue, TW.rangeMinimum, TW.rangeMaximum)


def figure_row(cells: RowCells, node: URIRef) -> list[Triple]:
    """Return the figure that a row is; nothing if its quantity is not known."""
    said: Said = {}
    numbers: dict[URIRef, Column] = {}
    for column, fills in cells.filled():
        if fills in NUMBERS:
            if cells.cell(column):
                numbers[fills] = column
        elif of_entry(cells, column) and (values := cells.values(column)):
            said.setdefault(fills, []).extend(values)
    if TW.ofQuantity not in said:
        return []
    if not numbers:
        cells.problem(cells.key, BadCell("no-number", cells.identifier))
    quantity = cells.vocabulary.quantities[URIRef(str(said[TW.ofQuantity][0]))]
    return in_both_languages(
        [
            *identity(cells, node),
            *_numbers(cells, node, quantity, numbers),
            *completed(cells, node, cells.key, said),
        ]
    )


def _numbers(
    cells: RowCells, node: URIRef, quantity: Quantity, numbers: Mapping[URIRef, Column]
) -> list[Triple]:
    """Return a figure's number and range; of a range without a number, its lower end for both."""
    triples: list[Triple] = []
    unit = next((cells.cell(c) for c, fills in cells.filled() if fills == QUDT.unit), "")
    leading = QUDT.numericValue if QUDT.numericValue in numbers else TW.rangeMinimum
    read: dict[URIRef, Decimal] = {}
    for prop, column in numbers.items():
        try:
            number, found, standard = reading.amount(
                cells.cell(column), unit, quantity, cells.vocabulary
            )
        except BadCell as error:
            cells.problem(column, error)
            continue
        read[prop] = number
        triples.append((node, prop, reading.decimal(number)))
        if prop == leading:
            triples += measure(node, found, standard)
    low, high = read.get(TW.rangeMinimum), read.get(TW.rangeMaximum)
    if (low is None) != (high is None) or (low and high and low > high):
        cells.problem(numbers.get(TW.rangeMaximum, cells.key), BadCell("bad-range"))
    if QUDT.numericValue not in read and low is not None:
        triples.append((node, QUDT.numericValue, reading.decimal(low)))
    return triples
