"""Makes of a filled form the one row of a table, so that forms and tables are read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rdflib.namespace import DCTERMS, RDF, RDFS
from rdflib.term import Literal, Node, URIRef

from kg.contributions.fields import NOT_STATED, Field, Form
from kg.contributions.findings import Fault, Finding, Severity
from kg.contributions.spreadsheets import identifier_of
from kg.importing import Column, Problem, Table
from kg.importing import cells as reading
from kg.importing.csv_file import CsvFile, CsvRow
from kg.importing.problems import BadCell
from kg.namespaces import TWD

SEPARATOR = "\x1f"
"""Stands between several values in a cell; nobody types it."""

SOURCE = "sources"


@dataclass(frozen=True)
class Amount:
    """A number as it was typed, with unit, and what is said of it by keys of conditions."""

    number: str
    unit: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)


Value = str | Amount | Sequence[str] | Sequence[Amount]
Values = Mapping[str, Value]
"""What was filled in, by keys of fields: texts, IRIs or names of choices, and amounts."""


@dataclass(frozen=True)
class FieldFault:
    """A finding about a field of a form.

    Attributes:
        field: The key of the field, for the page to show it there.
    """

    problem: Problem
    field: str
    severity: Severity = "error"

    @property
    def key(self) -> str:
        """What kind of thing is wrong."""
        return self.problem.key

    def text(self, language: str) -> str:
        """Return the thing, the field, what is wrong, and what is allowed."""
        return self.problem.text(language)


@dataclass(frozen=True)
class FilledForm:
    """A form as a table with one row.

    Attributes:
        fields: The key and label of each column's field.
        date: What the source dates from.
    """

    name: str
    table: Table
    file: CsvFile
    fields: Mapping[str, tuple[str, str]]
    date: Literal | None

    def fault(self, problem: Problem) -> Finding:
        """Return a problem of the row as one of a field."""
        column = problem.column or ""
        key, label = self.fields.get(column, (column, column))
        return FieldFault(replace(problem, file=self.name, row=None, column=label or None), key)


def filled(form: Form, values: Values, base: Table) -> FilledForm | list[Finding]:
    """Return a filled form as a row, or what is wrong with it before it can be one.

    Args:
        form: The form.
        values: What was filled in.
        base: The table of devices, whose patterns the row follows.
    """
    row = _Row(form)
    faults: list[Finding] = []
    name = _first(values, "label-en") or _first(values, "label-zh")
    for key in values:
        if form.field(key) is None:
            allowed = tuple(f.key for f in form.fields)
            faults.append(Fault("unknown-field", name, key, allowed=allowed))
    for item in form.fields:
        given = values.get(item.key, "")
        several = [v for v in _several(given) if not isinstance(v, str) or v.strip()]
        if item.required and not several:
            faults.append(FieldFault(Problem("empty", name, column=item.label), item.key))
        try:
            row.fill(item, several)
        except BadCell as error:
            problem = Problem(error.key, name, None, item.label, error.value, error.allowed)
            faults.append(FieldFault(problem, item.key))
    if faults:
        return faults
    columns = (
        Column("id", required=True),
        Column("class", value_url=f"{TWD}{{}}", fills=RDF.type),
        *row.columns,
    )
    cells = (identifier_of(name), str(form.of_class), *row.cells)
    table = replace(base, columns=columns, key="id", row_class=None)
    file = CsvFile(tuple(c.name for c in columns), (CsvRow(2, cells),))
    return FilledForm(name, table, file, row.fields, row.date)


class _Row:
    """Columns and cells as they come together."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.columns: list[Column] = []
        self.cells: list[str] = []
        self.fields: dict[str, tuple[str, str]] = {}
        self.date: Literal | None = None
        self._title = ""

    def fill(self, item: Field, values: Sequence[str | Amount]) -> None:
        """Add what was filled into a field."""
        if item.path[:1] == (DCTERMS.source,):
            self._fill_source(item, [str(v).strip() for v in values])
        elif item.quantity is not None:
            for number, value in enumerate(values, 1):
                self._fill_amount(item, number, value)
        elif values:
            texts = [str(v).strip() for v in values]
            column = Column(item.key, separator=SEPARATOR, fills=item.path[0])
            if item.kind == "choice":
                column = replace(column, value_url=f"{TWD}{{}}")
                texts = [_chosen(item, text) for text in texts]
            elif item.of_language is not None:
                column = replace(column, languages=(item.of_language,))
            self._add(column, SEPARATOR.join(texts), item)

    def _fill_source(self, item: Field, values: list[str]) -> None:
        """Put title and link into one cell; the date is added to the source afterwards."""
        if not values:
            return
        if item.path[-1] == RDFS.label:
            self._title = values[0].replace(SEPARATOR, " ")
        elif item.path[-1] == DCTERMS.date:
            self.date = reading.date(values[0])
        elif item.path[-1] == RDFS.seeAlso:
            reading.address(values[0])
            column = Column(
                SOURCE,
                required=True,
                separator=SEPARATOR,
                value_url=f"{TWD}source-{{}}",
                fills=DCTERMS.source,
            )
            title = f"{self._title} <{values[0]}>" if self._title else values[0]
            self._add(column, title, item)

    def _fill_amount(self, item: Field, number: int, value: str | Amount) -> None:
        amount = value if isinstance(value, Amount) else amount_of(value)
        name = item.key if number == 1 else f"{item.key} {number}"
        said: list[tuple[URIRef, Node]] = []
        unstated: list[Column] = []
        unit = amount.unit or ("" if item.units else "1")
        for key in amount.conditions:
            if all(key != condition.key for condition in item.conditions):
                raise BadCell("unknown-value", key, [c.key for c in item.conditions])
        for condition in item.conditions:
            given = amount.conditions.get(condition.key, "").strip()
            if given == NOT_STATED:
                described = f"{name} {condition.key}"
                unstated.append(
                    Column(described, fills=condition.path[0], describes=frozenset((name,)))
                )
            elif given and condition.kind == "date":
                said.append((condition.path[0], reading.date(given)))
            elif given:
                said.append((condition.path[0], URIRef(_chosen(condition, given))))
        column = Column(name, quantity=item.quantity, of_figures=tuple(sorted(said)))
        cell = f"{amount.number.strip()} {unit}".strip()
        self._add(column, cell.removesuffix(" 1") if unit == "1" else cell, item)
        for column in unstated:
            self._add(column, "", item)

    def _add(self, column: Column, cell: str, item: Field) -> None:
        self.columns.append(column)
        self.cells.append(cell)
        self.fields[column.name] = item.key, item.label


def amount_of(text: str) -> Amount:
    """Return an amount written in a line: `989 TFLOPS; precision=bf16; sparsity=dense`."""
    first, *rest = text.split(";")
    conditions = {}
    for part in filter(str.strip, rest):
        key, _, value = part.partition("=")
        conditions[key.strip()] = value.strip()
    return Amount(first.strip(), "", conditions)


def _chosen(item: Field, text: str) -> str:
    """Return the value of a choice that is given by value, label or the end of its IRI.

    Raises:
        BadCell: If there is no such choice, or no telling which.
    """
    if any(text == choice.value for choice in item.choices):
        return text
    folded = text.casefold()
    found = {c.value for c in item.choices if folded == c.label.casefold()}
    for choice in item.choices:
        local = choice.value.rpartition("/")[2].rpartition("#")[2].casefold()
        ends = local.endswith(f"-{folded}") or local.startswith(f"{folded}-")
        if local == folded or (ends and not found):
            found.add(choice.value)
    if len(found) != 1:
        raise BadCell("unknown-value", text, [choice.label for choice in item.choices])
    return found.pop()


def _several(value: Value) -> list[str | Amount]:
    return [value] if isinstance(value, str | Amount) else list(value)


def _first(values: Values, key: str) -> str:
    return next((v.strip() for v in _several(values.get(key, "")) if isinstance(v, str)), "")
