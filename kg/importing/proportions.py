"""Notes figures of one row that do not go together: a digit has slipped in one of them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from rdflib.term import Node, URIRef

from kg.importing.cells import plain
from kg.importing.declarations import Column
from kg.importing.problems import BadCell
from kg.importing.ratios import Ratio
from kg.importing.row_cells import RowCells
from kg.namespaces import TW


@dataclass(frozen=True)
class Measured:
    """What a row gives for a quantity, in its standard unit."""

    column: Column
    quantity: URIRef
    formats: tuple[Node, ...]
    value: Decimal


def note_disproportions(cells: RowCells, measured: list[Measured]) -> None:
    """Note each figure of a row that is out of proportion to another one of it."""
    traits = {
        value
        for column, fills in cells.filled()
        if TW.Facet in cells.vocabulary.kinds.get(fills, ())
        for value in cells.values(column)
    }
    for ratio in cells.vocabulary.ratios:
        if ratio.trait in traits:
            continue
        for base in (m for m in measured if m.quantity == ratio.under):
            for figure in (m for m in measured if m.quantity == ratio.over):
                if ratio.format is None or ratio.format in figure.formats:
                    _compare(cells, ratio, figure, base)


def _compare(cells: RowCells, ratio: Ratio, figure: Measured, base: Measured) -> None:
    least, most = ratio.least * base.value, ratio.most * base.value
    if least <= figure.value <= most:
        return
    standard = cells.vocabulary.quantities[ratio.over].standard
    symbol = cells.vocabulary.units.by_iri[standard].symbol
    beside = f"{cells.cell(figure.column)} / {base.column.name} {cells.cell(base.column)}"
    bounds = f"{plain(round(least, 2))}–{plain(round(most, 2))} {symbol}"
    cells.problem(figure.column, BadCell("disproportionate", beside, [bounds]))
