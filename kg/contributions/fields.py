"""Forms made of the SHACL shapes of a class: fields with label, help, order, choices and units.

Whatever property shape has an order, and targets the class or one above it, is a field. One whose
path leads back by `tw:figureOf`, to figures of a quantity, is a field for a number with a unit; the
quantity says under which conditions it is given. So a new shape, quantity or condition shows up in
forms by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

import rdflib
from rdflib.collection import Collection
from rdflib.namespace import DCTERMS, OWL, RDFS, SH, SKOS
from rdflib.term import Literal, Node, URIRef

from kg.contributions.completing import kinds_of, symbol
from kg.contributions.findings import spoken
from kg.contributions.knowledge import Knowledge
from kg.importing.names import local_name
from kg.importing.turtle import new_graph
from kg.namespaces import TW

Kind = OneOf["text", "long_text", "choice", "quantity", "date", "address"]

NOT_STATED = "not-stated"
"""What is given for a condition that the source leaves open."""

LAST = 1000.0


@dataclass(frozen=True)
class Choice:
    """A value that a field may have, and what it is called."""

    value: str
    label: str


@dataclass(frozen=True)
class Field:
    """A field of a form, in a language.

    Attributes:
        key: What values are given by.
        path: The properties it fills, from the thing on.
        several: Whether it may have several values.
        of_language: The language of its text, whatever that of the page is.
        choices: What may be chosen, by label; empty if anything may be written.
        units: The units its number may be in, that of comparisons first.
        quantity: What its number is of.
        conditions: What has to be said of its number, as fields of their own.
    """

    key: str
    label: str
    help: str
    order: float
    required: bool
    several: bool
    kind: Kind
    path: tuple[URIRef, ...] = ()
    of_language: str | None = None
    choices: tuple[Choice, ...] = ()
    units: tuple[str, ...] = ()
    quantity: URIRef | None = None
    conditions: tuple[Field, ...] = ()


@dataclass(frozen=True)
class Form:
    """The form of a class, in a language; fields in their order."""

    of_class: URIRef
    label: str
    fields: tuple[Field, ...]

    def field(self, key: str) -> Field | None:
        """Return the field of a key."""
        return next((field for field in self.fields if field.key == key), None)


def form_classes(knowledge: Knowledge, language: str) -> list[Choice]:
    """Return the classes of hardware that things may be added of, by name."""
    return sorted(
        (
            Choice(str(kind), spoken(knowledge.name(kind), language))
            for kind, kinds in knowledge.kinds.items()
            if OWL.Class in kinds
            and kind not in (TW.Hardware, TW.Part)
            and TW.Hardware in kinds_of(new_graph(), kind, knowledge)
        ),
        key=lambda choice: choice.label,
    )


def form(of_class: URIRef, knowledge: Knowledge, language: str) -> Form:
    """Return the form of a class, as the shapes of the graph have it."""
    graph = knowledge.graph.graph
    found: dict[str, Field] = {}
    for kind in kinds_of(new_graph(), of_class, knowledge):
        for shape in graph.subjects(SH.targetClass, kind):
            for prop in graph.objects(shape, SH.property):
                if (prop, SH.order, None) in graph:
                    field = _field(prop, knowledge, language)
                    found[field.key] = field
    fields = sorted(found.values(), key=lambda field: (field.order, field.key))
    return Form(of_class, spoken(knowledge.name(of_class), language), tuple(fields))


def _field(shape: Node, knowledge: Knowledge, language: str) -> Field:
    graph = knowledge.graph.graph
    quantity = _quantity(shape, graph)
    path = () if quantity is not None else _path(shape, graph)
    subject = quantity if quantity is not None else path[-1]
    of_language = _of_language(shape, graph)
    kind: Kind = "quantity" if quantity is not None else _kind(shape, path, graph)
    least = _number(graph, shape, SH.minCount) + _number(graph, shape, SH.qualifiedMinCount)
    most = graph.value(shape, SH.maxCount) or graph.value(shape, SH.qualifiedMaxCount)
    key = "-".join(filter(None, (*(local_name(p) for p in path or (subject,)), of_language)))
    order = graph.value(shape, SH.order)
    conditions = _conditions(quantity, knowledge, language) if quantity is not None else ()
    return Field(
        key,
        _text(graph, shape, SH.name, language) or spoken(knowledge.name(subject), language),
        _text(graph, shape, SH.description, language)
        or _text(graph, subject, SKOS.definition, language),
        float(str(order)) if order is not None else LAST,
        least > 0,
        # A quantity under conditions has a figure for each; another has one.
        several=bool(conditions) if quantity is not None else most is None,
        kind=kind,
        path=path,
        of_language=of_language,
        choices=_choices(graph.objects(shape, SH["class"]), knowledge, language)
        or _listed(shape, knowledge, language),
        units=_units(quantity, knowledge) if quantity is not None else (),
        quantity=quantity,
        conditions=conditions,
    )


def _quantity(shape: Node, graph: rdflib.Graph) -> URIRef | None:
    """Return the quantity whose figures a shape is about, if it is about figures."""
    if graph.value(graph.value(shape, SH.path), SH.inversePath) != TW.figureOf:
        return None
    for inner in graph.objects(graph.value(shape, SH.qualifiedValueShape), SH.property):
        value = graph.value(inner, SH.hasValue)
        if graph.value(inner, SH.path) == TW.ofQuantity and isinstance(value, URIRef):
            return value
    return None


def _path(shape: Node, graph: rdflib.Graph) -> tuple[URIRef, ...]:
    path = graph.value(shape, SH.path)
    assert path is not None
    parts = [path] if isinstance(path, URIRef) else Collection(graph, path)
    return tuple(part for part in parts if isinstance(part, URIRef))


def _kind(shape: Node, path: tuple[URIRef, ...], graph: rdflib.Graph) -> Kind:
    if (shape, SH["class"], None) in graph or (shape, SH["in"], None) in graph:
        return "choice"
    if path[-1] == DCTERMS.date:
        return "date"
    if path[-1] == RDFS.seeAlso:
        return "address"
    return "long_text" if path[-1] in (SKOS.scopeNote, SKOS.definition) else "text"


def _of_language(shape: Node, graph: rdflib.Graph) -> str | None:
    """Return the only language that values may be in, if there is one."""
    languages = graph.value(graph.value(shape, SH.qualifiedValueShape), SH.languageIn)
    if languages is None:
        languages = graph.value(shape, SH.languageIn)
    if languages is None:
        return None
    first, *more = Collection(graph, languages)
    return None if more else str(first)


def _choices(kinds: Iterable[Node], knowledge: Knowledge, language: str) -> tuple[Choice, ...]:
    return _by_label((m for kind in kinds for m in knowledge.members(kind)), knowledge, language)


def _listed(shape: Node, knowledge: Knowledge, language: str) -> tuple[Choice, ...]:
    graph = knowledge.graph.graph
    values = graph.value(shape, SH["in"])
    return _by_label(Collection(graph, values) if values is not None else (), knowledge, language)


def _by_label(values: Iterable[Node], knowledge: Knowledge, language: str) -> tuple[Choice, ...]:
    found = {Choice(str(v), spoken(knowledge.name(v), language)) for v in values}
    return tuple(sorted(found, key=lambda choice: (choice.label.casefold(), choice.value)))


def _units(quantity: URIRef, knowledge: Knowledge) -> tuple[str, ...]:
    known = knowledge.vocabulary.quantities.by_iri[quantity]
    standard = symbol(new_graph(), known.standard, knowledge)
    others = [u for u in knowledge.vocabulary.unit_symbols(known) if u not in ("1", "(year)")]
    return tuple(dict.fromkeys(([standard] if standard in others else []) + others))


def _conditions(quantity: URIRef, knowledge: Knowledge, language: str) -> tuple[Field, ...]:
    graph = knowledge.graph.graph
    found = []
    for prop in sorted(knowledge.vocabulary.quantities.by_iri[quantity].demanded):
        wanted = knowledge.vocabulary.ranges.get(prop)
        found.append(
            Field(
                local_name(prop),
                spoken(knowledge.name(prop), language),
                _text(graph, prop, SKOS.definition, language),
                0.0,
                required=True,
                several=False,
                kind="date" if prop == DCTERMS.date else "choice",
                path=(prop,),
                choices=_choices([wanted] if wanted is not None else [], knowledge, language),
            )
        )
    return tuple(found)


def _number(graph: rdflib.Graph, shape: Node, prop: URIRef) -> int:
    value = graph.value(shape, prop)
    return int(str(value)) if value is not None else 0


def _text(graph: rdflib.Graph, node: Node, prop: URIRef, language: str) -> str:
    return next(
        (
            str(text)
            for text in graph.objects(node, prop)
            if isinstance(text, Literal) and text.language == language
        ),
        "",
    )
