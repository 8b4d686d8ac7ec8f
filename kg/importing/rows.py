"""Writes one row as triples: an entry with a figure for each quantity, or one figure itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from rdflib.namespace import DCTERMS, RDF, RDFS, SKOS
from rdflib.term import Literal, Node, URIRef

from kg.importing import cells
from kg.importing.declarations import Column, Table
from kg.importing.problems import BadCell, Problem
from kg.importing.units import Unit
from kg.importing.vocabulary import Quantity, Vocabulary
from kg.namespaces import QUDT, TW, TWD

Triple = tuple[URIRef, URIRef, Node]

NUMBERS = (QUDT.numericValue, TW.rangeMinimum, TW.rangeMaximum)

IN_NAMES = (
    TW.precision, TW.accumulation, TW.sparsity, TW.accessPattern, TW.operation, TW.direction,
    TW.perUnit,
)  # fmt: skip
"""Conditions that tell the figures of one quantity apart, in the order their IRIs have them."""

LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Row:
    """A row's cells by column."""

    cells: Mapping[Column, str]

    def __getitem__(self, name: str) -> str:
        return next((value for c, value in self.cells.items() if c.name == name), "")


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
    _rows: dict[str, Row] = field(default_factory=dict)
    _identifiers: set[str] = field(default_factory=set)
    _figures: set[URIRef] = field(default_factory=set)

    def write(self, row: Row) -> tuple[list[Triple], list[Problem]]:
        """Return a row's triples, and what is wrong with it; with a problem, take no triple."""
        writing = _Writing(self, row)
        triples = writing.triples()
        self.was_reading = writing.main is not None
        self._identifiers.add(writing.identifier)
        if not writing.problems:
            self._figures |= writing.figures
            if writing.main is None:
                self._rows[writing.identifier] = row
        return triples, writing.problems

    def taken(self, figure: URIRef) -> bool:
        """Whether a figure of this file has that IRI already."""
        return figure in self._figures

    def known(self, identifier: str) -> bool:
        """Whether a row before has that identifier."""
        return identifier in self._identifiers

    def main_row(self, identifier: str) -> Row | None:
        """Return the row with that identifier, if it was taken."""
        return self._rows.get(identifier)


class _Writing:
    """The writing of one row: collects problems rather than stopping at the first."""

    def __init__(self, writer: RowWriter, row: Row) -> None:
        self.table, self.vocabulary, self.writer = writer.table, writer.vocabulary, writer
        self.row = row
        self.problems: list[Problem] = []
        self.wrong: set[str] = set()
        self.main: Row | None = None
        self.identifier = row[self.table.key]
        self.figures: set[URIRef] = set()
        self.described: list[Triple] = []

    def triples(self) -> list[Triple]:
        """Return the row's triples; `problems` says whether they may be used."""
        node = self._node()
        if node is None:
            return []
        for column, value in self.row.cells.items():
            if column.required and not value and (self.main is None or _is_source(column)):
                self._problem(column, BadCell("missing-source" if _is_source(column) else "empty"))
        if self.table.rows_are_figures:
            triples = self._figure_row(node)
        else:
            triples = [*self._entry(node), *self._figures_of(node)]
        return triples + self.described

    # -- the entry

    def _node(self) -> URIRef | None:
        """Return the node the row is about, or None if its identifier will not do."""
        key = self.table.column(self.table.key)
        assert key is not None
        identifier = self.identifier
        try:
            if not identifier:
                raise BadCell("empty")
            if self.writer.known(identifier):
                raise BadCell("duplicate-identifier", identifier)
            if further := cells.FURTHER.fullmatch(identifier):
                cells.identifier(further[1])
                self.main = self.writer.main_row(further[1])
                if self.main is None:
                    raise BadCell("reading-of-nothing", identifier)
                return self.table.node(identifier if self.table.rows_are_figures else further[1])
            node = self.table.node(cells.identifier(identifier))
            if node in self.vocabulary.kinds and not self.writer.replace_entries:
                raise BadCell("known-identifier", identifier)
            return node
        except BadCell as error:
            self._problem(key, error)
            return None

    def _entry(self, node: URIRef) -> list[Triple]:
        """Return what the row says of its entry; of a further reading only facets count."""
        if self.main is not None:
            return self._facet_readings(node)
        triples: list[Triple] = self._identity(node)
        for column in self.row.cells:
            if self._of_entry(column):
                assert column.fills is not None
                triples += [(node, column.fills, value) for value in self._values(column)]
        return _in_both_languages(triples, self._titled(node))

    def _identity(self, node: URIRef) -> list[Triple]:
        triples: list[Triple] = []
        if self.table.row_class is not None:
            triples.append((node, RDF.type, self.table.row_class))
        if self.table.listed and self.main is None:
            triples.append((node, TW.listedIn, self.table.iri))
            triples.append((node, DCTERMS.identifier, Literal(self.identifier)))
        return triples

    def _facet_readings(self, node: URIRef) -> list[Triple]:
        triples: list[Triple] = []
        for column, cell in self.row.cells.items():
            if not cell or not column.value_url or not self._of_entry(column):
                continue
            if _is_source(column):
                continue
            assert column.fills is not None
            standing = self._shared_of_figures().get(TW.standing, [TW.Preferred])[0]
            for value in self._values(column):
                if standing == TW.Preferred:
                    triples.append((node, column.fills, value))
                reading = self._name(node, "reading", [_local(column.fills)])
                triples += [
                    (reading, RDF.type, TW.FacetReading),
                    (reading, RDF.subject, node),
                    (reading, RDF.predicate, column.fills),
                    (reading, RDF.object, value),
                    *((reading, DCTERMS.source, source) for source in self._row_sources()),
                    (reading, TW.standing, standing),
                ]
                triples += [
                    (reading, SKOS.scopeNote, note)
                    for note in self._shared_of_figures().get(TW.conditionNote, [])
                ]
        return triples

    def _titled(self, node: URIRef) -> list[list[Triple]]:
        """Return texts that begin with their column's title, those of one title together."""
        found: dict[str, list[Triple]] = {}
        for column in self.row.cells:
            if column.titled and column.fills is not None:
                for value in self._values(column):
                    assert isinstance(value, Literal)
                    language = value.language or "en"
                    colon = "：" if language == "zh" else ": "
                    text = Literal(f"{column.title(language)}{colon}{value}", lang=language)
                    found.setdefault(column.title("en"), []).append((node, column.fills, text))
        return list(found.values())

    def _of_entry(self, column: Column) -> bool:
        fills = column.fills
        return (
            fills is not None
            and fills not in (DCTERMS.identifier, QUDT.unit)
            and not column.titled
            and not column.describes
            and (self.table.rows_are_figures or not self._of_figures(fills))
        )

    def _of_figures(self, fills: URIRef) -> bool:
        """Whether a property says something of figures: of an entry's, a date is a price's."""
        demanded = self.table.listed and fills in self.vocabulary.demanded
        return demanded or fills in self.vocabulary.of_figures

    # -- figures

    def _figures_of(self, node: URIRef) -> list[Triple]:
        triples: list[Triple] = []
        for column, value in self.row.cells.items():
            if column.quantity is None or not value:
                continue
            quantity = self.vocabulary.quantities[column.quantity]
            try:
                amount = cells.amount(value, self._unit(column), quantity, self.vocabulary)
            except BadCell as error:
                self._problem(column, error)
                continue
            triples += self._figure(node, column, quantity, amount)
        return triples

    def _figure(
        self, node: URIRef, column: Column, quantity: Quantity, amount: cells.Amount
    ) -> list[Triple]:
        said = self._said_of(column, quantity)
        told_apart = [_local(said[p][0]) for p in IN_NAMES if p in said]
        figure = self._name(node, "figure", [quantity.iri.removeprefix(TWD), *told_apart])
        said.setdefault(DCTERMS.source, self._row_sources())
        if not said[DCTERMS.source] and not any(
            _is_source(c) and c.name in self.wrong for c in self.row.cells
        ):
            self._problem(column, BadCell("missing-source"))
        number, unit, standard = amount
        triples = [
            (figure, RDF.type, TW.Figure),
            (figure, TW.figureOf, node),
            (figure, TW.ofQuantity, quantity.iri),
            (figure, QUDT.numericValue, cells.decimal(number)),
            *_measure(figure, unit, standard),
        ]
        triples += self._completed(figure, column, quantity, said)
        return _in_both_languages(triples, [])

    def _said_of(self, column: Column, quantity: Quantity) -> dict[URIRef, list[Node]]:
        """Return what is said of a column's figure: by the column, and by those describing it."""
        said: dict[URIRef, list[Node]] = {}
        for prop, value in column.of_figures:
            said.setdefault(prop, []).append(value)
        for prop, values in self._shared_of_figures(quantity).items():
            said.setdefault(prop, []).extend(values)
        for other in self.row.cells:
            if column.name in other.describes and other.fills not in (None, QUDT.unit):
                assert other.fills is not None
                if values := self._values(other, inherited=not _is_source(other)):
                    said.setdefault(other.fills, []).extend(values)
        return said

    def _shared_of_figures(self, quantity: Quantity | None = None) -> dict[URIRef, list[Node]]:
        """Return what is said of all figures of the row; conditions, where they are demanded."""
        said: dict[URIRef, list[Node]] = {}
        for column in self.row.cells:
            fills = column.fills
            if fills is None or column.describes or not self._of_figures(fills):
                continue
            demanded = quantity is not None and fills in quantity.demanded
            condition = fills in self.vocabulary.conditions
            if (demanded or not condition) and (values := self._values(column)):
                said.setdefault(fills, []).extend(values)
        return said

    def _completed(
        self, figure: URIRef, column: Column, quantity: Quantity, said: dict[URIRef, list[Node]]
    ) -> list[Triple]:
        """Return what is said of a figure, what goes without saying, and what no source says."""
        said.setdefault(TW.bound, [TW.Exactly])
        said.setdefault(TW.standing, [TW.Preferred])
        triples = [(figure, prop, value) for prop, values in said.items() for value in values]
        for demanded in sorted(quantity.demanded - said.keys()):
            if not self._asked_for(demanded, column):
                label = _local(demanded)
                self._problem(column, BadCell("missing-condition", self._cell(column), [label]))
            triples.append((figure, TW.notStated, demanded))
        return triples

    def _asked_for(self, prop: URIRef, column: Column) -> bool:
        """Whether the file has a column for a condition, so that an empty cell tells something."""
        return any(
            other.fills == prop and (not other.describes or column.name in other.describes)
            for other in self.row.cells
        )

    def _figure_row(self, node: URIRef) -> list[Triple]:
        triples: list[Triple] = self._identity(node)
        said: dict[URIRef, list[Node]] = {}
        numbers: dict[URIRef, Column] = {}
        for column, value in self.row.cells.items():
            if column.fills in NUMBERS and value:
                numbers[column.fills] = column
            elif self._of_entry(column) and column.fills not in NUMBERS:
                assert column.fills is not None
                said.setdefault(column.fills, []).extend(self._values(column))
        said = {prop: values for prop, values in said.items() if values}
        quantity = self._quantity_of(said)
        if quantity is None:
            return []
        if not numbers:
            self._problem(self._key(), BadCell("no-number", self.identifier))
        return _in_both_languages(
            [
                *triples,
                *self._numbers(node, quantity, numbers),
                *self._completed(node, self._key(), quantity, said),
            ],
            [],
        )

    def _quantity_of(self, said: Mapping[URIRef, list[Node]]) -> Quantity | None:
        found = [q for q in said.get(TW.ofQuantity, ()) if isinstance(q, URIRef)]
        return self.vocabulary.quantities.get(found[0]) if found else None

    def _numbers(
        self, node: URIRef, quantity: Quantity, numbers: Mapping[URIRef, Column]
    ) -> list[Triple]:
        """Return a figure's number and range; of a range without a number its lower end."""
        triples: list[Triple] = []
        unit = next((v for c, v in self.row.cells.items() if c.fills == QUDT.unit), "")
        read: dict[URIRef, Decimal] = {}
        for prop, column in numbers.items():
            try:
                amount = cells.amount(self._cell(column), unit, quantity, self.vocabulary)
            except BadCell as error:
                self._problem(column, error)
                continue
            read[prop] = amount[0]
            triples.append((node, prop, cells.decimal(amount[0])))
            if prop == (QUDT.numericValue if QUDT.numericValue in numbers else TW.rangeMinimum):
                triples += _measure(node, amount[1], amount[2])
        low, high = read.get(TW.rangeMinimum), read.get(TW.rangeMaximum)
        if (low is None) != (high is None) or (low and high and low > high):
            self._problem(numbers.get(TW.rangeMaximum, self._key()), BadCell("bad-range"))
        if QUDT.numericValue not in read and low is not None:
            triples.append((node, QUDT.numericValue, cells.decimal(low)))
        return triples

    # -- cells

    def _values(self, column: Column, inherited: bool = False) -> list[Node]:
        """Return the terms of a cell; none if it is empty or something is wrong with it."""
        try:
            return [
                term
                for value in _parts(self._cell(column, inherited), column.separator)
                for term in self._terms(column, value)
            ]
        except BadCell as error:
            self._problem(column, error)
            return []

    def _terms(self, column: Column, value: str) -> Iterable[Node]:
        if column.languages:
            return [Literal(value, lang=language) for language in column.languages]
        if column.fills in (DCTERMS.date, TW.retrieved):
            return [cells.date(value)]
        if column.fills == RDFS.seeAlso:
            return [cells.address(value)]
        if column.fills == DCTERMS.source and (source := cells.web_source(value)):
            self.described += source.triples()
            return [source.iri]
        if column.value_url:
            return [self.vocabulary.thing(column, value)]
        return [Literal(value)]

    def _cell(self, column: Column, inherited: bool = False) -> str:
        value = self.row.cells.get(column, "")
        return self.main[column.name] if inherited and not value and self.main else value

    def _unit(self, column: Column) -> str:
        """Return the unit of a column's numbers: that of its header, else of its unit column."""
        for other in self.row.cells:
            if other.fills == QUDT.unit and column.name in other.describes:
                return self._cell(other, inherited=True)
        return self.writer.units.get(column.name, "")

    def _row_sources(self) -> list[Node]:
        return [
            source
            for column in self.row.cells
            if _is_source(column) and not column.describes
            for source in self._values(column)
        ]

    def _key(self) -> Column:
        key = self.table.column(self.table.key)
        assert key is not None
        return key

    def _name(self, node: URIRef, kind: str, parts: Iterable[str]) -> URIRef:
        """Return an IRI that no figure or reading before has: with a number from the second on."""
        base = URIRef(TWD["-".join([kind, node.removeprefix(TWD), *parts])])
        name, count = base, 1
        while self.writer.taken(name) or name in self.figures:
            count += 1
            name = URIRef(f"{base}-{count}")
        self.figures.add(name)
        return name

    def _problem(self, column: Column, error: BadCell) -> None:
        problem = Problem(error.key, "", None, column.name, error.value, error.allowed)
        if problem not in self.problems:
            self.problems.append(problem)
        self.wrong.add(column.name)


def _parts(value: str, separator: str | None) -> list[str]:
    parts = value.split(separator) if separator else [value]
    return [part.strip() for part in parts if part.strip()]


def _is_source(column: Column) -> bool:
    return column.fills == DCTERMS.source


def _measure(figure: URIRef, unit: Unit, standard: Decimal | None) -> list[Triple]:
    triples: list[Triple] = [(figure, QUDT.unit, unit.iri)]
    if standard is not None:
        triples.append((figure, TW.standardValue, cells.decimal(standard)))
    return triples


def _local(term: Node) -> str:
    """Return the last part of an IRI as it stands in IRIs of data: `OneWay` is one-way."""
    name = str(term).rpartition("/")[2].rpartition("#")[2]
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")


def _in_both_languages(triples: Iterable[Triple], apart: Iterable[list[Triple]]) -> list[Triple]:
    """Return triples with each text in Chinese and English: one given alone stands for both.

    Synonyms are each language's own. Texts that belong together only within a group, as the
    parts of a machine do, come apart from the others.
    """
    result: list[Triple] = []
    for group in (list(triples), *apart):
        spoken: dict[tuple[URIRef, URIRef], list[Literal]] = {}
        for s, p, o in group:
            if isinstance(o, Literal) and o.language and p != SKOS.altLabel:
                spoken.setdefault((s, p), []).append(o)
        result += group
        for (s, p), texts in spoken.items():
            for language in LANGUAGES:
                if not any(text.language == language for text in texts):
                    result += [(s, p, Literal(str(text), lang=language)) for text in texts]
    labels = {(s, o) for s, p, o in result if p == RDFS.label}
    return [t for t in result if not (t[1] == SKOS.altLabel and (t[0], t[2]) in labels)]
