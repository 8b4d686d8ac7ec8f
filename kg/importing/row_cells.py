"""The cells of one row as RDF terms; what is wrong with any is collected, not raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rdflib.namespace import DCTERMS, RDFS
from rdflib.term import Literal, Node, URIRef

from kg.importing import cells
from kg.importing.declarations import Column, Table
from kg.importing.problems import BadCell, Problem
from kg.importing.quantities import Quantity
from kg.importing.texts import Triple
from kg.importing.vocabulary import Vocabulary
from kg.namespaces import QUDT, TW

Row = Mapping[Column, str]
"""A row's cells by column, in the order of the file."""

Said = dict[URIRef, list[Node]]
"""Properties with their values."""


@dataclass
class RowCells:
    """A row, and what its cells mean.

    Attributes:
        units: The unit of each column's header, empty if it has none.
        main: The row that this one is a further reading of, if it is one.
        described: What the row says of nodes other than its own: sources it gives by address.
    """

    table: Table
    vocabulary: Vocabulary
    row: Row
    units: Mapping[str, str]
    main: Row | None = None
    problems: list[Problem] = field(default_factory=list)
    described: list[Triple] = field(default_factory=list)

    @property
    def identifier(self) -> str:
        """The cell of the key column."""
        return self.row.get(self.key, "")

    @property
    def key(self) -> Column:
        """The column of identifiers."""
        key = self.table.column(self.table.key)
        assert key is not None
        return key

    def cell(self, column: Column, inherited: bool = False) -> str:
        """Return a cell; of a further reading, the main row's if it is empty and inherited."""
        value = self.row.get(column, "")
        return self.main.get(column, "") if inherited and not value and self.main else value

    def values(self, column: Column, inherited: bool = False) -> list[Node]:
        """Return the terms of a cell; none if it is empty or something is wrong with it."""
        value = self.cell(column, inherited)
        parts = value.split(column.separator) if column.separator else [value]
        try:
            return [
                term for part in parts if part.strip() for term in self._terms(column, part.strip())
            ]
        except BadCell as error:
            self.problem(column, error)
            return []

    def filled(self) -> Iterator[tuple[Column, URIRef]]:
        """Return the columns that fill a property, and that."""
        return ((column, column.fills) for column in self.row if column.fills is not None)

    def sources(self) -> list[Node]:
        """Return the sources of the row; those of certain columns only are left out."""
        return [
            source
            for column in self.row
            if column.is_source and not column.describes
            for source in self.values(column)
        ]

    def unit(self, column: Column) -> str:
        """Return the unit of a column's numbers: that of its unit column, else of its header."""
        for other, fills in self.filled():
            if fills == QUDT.unit and column.name in other.describes:
                return self.cell(other, inherited=True)
        return self.units.get(column.name, "")

    def of_figures(self, prop: URIRef) -> bool:
        """Whether a property says something of figures: in a table of entries, a date does."""
        demanded = self.table.listed and prop in self.vocabulary.demanded
        return demanded or prop in self.vocabulary.of_figures

    def shared(self, quantity: Quantity | None = None) -> Said:
        """Return what is said of all figures of the row; conditions, where they are demanded."""
        said: Said = {}
        for column, fills in self.filled():
            if column.describes or not self.of_figures(fills):
                continue
            demanded = quantity is not None and fills in quantity.demanded
            condition = fills in self.vocabulary.conditions
            if (demanded or not condition) and (values := self.values(column)):
                said.setdefault(fills, []).extend(values)
        return said

    def problem(self, column: Column, error: BadCell) -> None:
        """Note what is wrong with a cell, once."""
        problem = Problem(error.key, "", None, column.name, error.value, error.allowed)
        if problem not in self.problems:
            self.problems.append(problem)

    def sources_are_wrong(self) -> bool:
        """Whether a problem with the row's sources is noted already."""
        wrong = {problem.column for problem in self.problems}
        return any(column.is_source and column.name in wrong for column in self.row)

    def _terms(self, column: Column, value: str) -> Iterable[Node]:
        if column.languages:
            return [Literal(value, lang=language) for language in column.languages]
        if column.fills in (DCTERMS.date, TW.retrieved):
            return [cells.date(value)]
        if column.fills == RDFS.seeAlso:
            return [cells.address(value)]
        if column.is_source and (source := cells.web_source(value)):
            self.described += source.triples()
            return [source.iri]
        if column.value_url:
            return [self.vocabulary.thing(column, value)]
        return [Literal(value)]
