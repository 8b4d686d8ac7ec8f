"""Writes rows as triples: each an entry with figures, a figure itself, or a further reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rdflib.term import URIRef

from kg.importing import cells as reading
from kg.importing.declarations import Table
from kg.importing.entries import entry, facet_readings
from kg.importing.figure_rows import figure_row
from kg.importing.figures import figures
from kg.importing.names import Names
from kg.importing.problems import BadCell, Problem
from kg.importing.row_cells import Row, RowCells
from kg.importing.texts import Triple
from kg.importing.vocabulary import Vocabulary


@dataclass
class RowWriter:
    """Writes the rows of one file, one after another.

    A row whose identifier ends in `--2`, `--3` … is a further reading of the row before: what
    another source says of the same thing. Conditions it leaves empty are that row's.
    """

    table: Table
    vocabulary: Vocabulary
    units: Mapping[str, str]
    replace_entries: bool = False
    was_reading: bool = False
    _names: Names = field(default_factory=Names)
    _identifiers: set[str] = field(default_factory=set)
    _main_rows: dict[str, Row] = field(default_factory=dict)

    def write(self, row: Row) -> tuple[list[Triple], list[Problem]]:
        """Return a row's triples, and what is wrong with it; with a problem, take no triple."""
        cells = RowCells(self.table, self.vocabulary, row, self.units)
        node = self._node(cells)
        self.was_reading = cells.main is not None
        self._identifiers.add(cells.identifier)
        if node is None:
            return [], cells.problems
        self._note_empty(cells)
        triples = self._triples(cells, node) + cells.described
        self._names.end_row(keep=not cells.problems)
        if not cells.problems and cells.main is None:
            self._main_rows[cells.identifier] = row
        return triples, cells.problems

    def _triples(self, cells: RowCells, node: URIRef) -> list[Triple]:
        if self.table.rows_are_figures:
            return figure_row(cells, node)
        if cells.main is not None:
            facets = facet_readings(cells, node, self._names)
        else:
            facets = entry(cells, node)
        return [*facets, *figures(cells, node, self._names)]

    def _node(self, cells: RowCells) -> URIRef | None:
        """Return the node the row is about, or None if its identifier will not do."""
        identifier = cells.identifier
        try:
            if not identifier:
                raise BadCell("empty")
            if identifier in self._identifiers:
                raise BadCell("duplicate-identifier", identifier)
            if further := reading.FURTHER.fullmatch(identifier):
                return self._read_again(cells, reading.identifier(further[1]))
            node = self.table.node(reading.identifier(identifier))
            if node in self.vocabulary.kinds and not self.replace_entries:
                raise BadCell("known-identifier", identifier)
            return node
        except BadCell as error:
            cells.problem(cells.key, error)
            return None

    def _read_again(self, cells: RowCells, identifier: str) -> URIRef:
        """Return the node of a further reading: the entry's, or where rows are figures its own."""
        cells.main = self._main_rows.get(identifier)
        if cells.main is None:
            raise BadCell("reading-of-nothing", cells.identifier)
        own = self.table.rows_are_figures
        return self.table.node(cells.identifier if own else identifier)

    def _note_empty(self, cells: RowCells) -> None:
        """Note required cells that are empty; a further reading needs only its source."""
        for column, value in cells.row.items():
            if column.required and not value and (cells.main is None or column.is_source):
                key = "missing-source" if column.is_source else "empty"
                cells.problem(column, BadCell(key))
