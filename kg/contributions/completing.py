"""Fills in what goes without saying, and says figures as they are understood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeVar

import rdflib
from rdflib.namespace import DCTERMS, RDF, RDFS, XSD
from rdflib.term import Literal, Node, URIRef

from kg.contributions.findings import Words, spoken
from kg.contributions.knowledge import Knowledge
from kg.importing.cells import decimal, plain
from kg.importing.texts import in_both_languages
from kg.importing.turtle import new_graph
from kg.namespaces import QUDT, TW, TWD

T = TypeVar("T")

TABLE = URIRef(TWD["table-devices"])


@dataclass(frozen=True)
class Understood:
    """A figure as it was given and as it is compared: 80 GiB, 85.9 GB."""

    thing: Words
    quantity: Words
    conditions: tuple[Words, ...]
    given: str
    standard: str

    def text(self, language: str) -> str:
        """Return it in a line."""
        of = ", ".join(spoken(c, language) for c in self.conditions)
        quantity = spoken(self.quantity, language) + (f" ({of})" if of else "")
        shown = self.given if self.given == self.standard else f"{self.given} → {self.standard}"
        return f"{spoken(self.thing, language)}: {quantity}: {shown}"


def completed(graph: rdflib.Graph, knowledge: Knowledge) -> rdflib.Graph:
    """Return a graph with what can be told from the rest of it.

    A figure's number becomes a decimal, and is given in the standard unit too; it is exact and
    preferred unless it says otherwise. A thing stands in the table of devices under its own
    name. A text in one language stands for both.
    """
    result = new_graph()
    for s, p, o in graph:
        result.add((s, p, _as_decimal(o) if p in NUMBERS else o))
    for figure in set(result.subjects(TW.figureOf)):
        _default(result, figure, RDF.type, TW.Figure)
        _default(result, figure, TW.bound, TW.Exactly)
        _default(result, figure, TW.standing, TW.Preferred)
        if (standard := _standard_value(result, figure, knowledge)) is not None:
            _default(result, figure, TW.standardValue, decimal(standard))
    for node in entries_of(result, knowledge):
        if (node, TW.listedIn, None) not in result:
            result.add((node, TW.listedIn, TABLE))
        if (node, DCTERMS.identifier, None) not in result:
            local = str(node).removeprefix(TWD).removeprefix("device-")
            result.add((node, DCTERMS.identifier, Literal(local)))
    by_subject: dict[Node, list[tuple[URIRef, URIRef, Node]]] = {}
    for s, p, o in result:
        if isinstance(o, Literal) and o.language:
            by_subject.setdefault(s, []).append((s, p, o))  # type: ignore[arg-type]
    for triples in by_subject.values():
        for triple in in_both_languages(triples):
            result.add(triple)
    return result


NUMBERS = {
    *(QUDT.numericValue, TW.standardValue, TW.rangeMinimum, TW.rangeMaximum),
    *(TW.plausibleMinimum, TW.plausibleMaximum),
}


def entries_of(graph: rdflib.Graph, knowledge: Knowledge) -> list[URIRef]:
    """Return the pieces of hardware that a graph describes and that are no product line, sorted."""
    lines = set(graph.objects(None, TW.variantOf))
    return sorted(
        node
        for node in set(graph.subjects(RDF.type))
        if isinstance(node, URIRef)
        and node not in lines
        and any(TW.Hardware in kinds_of(graph, c, knowledge) for c in graph.objects(node, RDF.type))
    )


def kinds_of(graph: rdflib.Graph, kind: Node, knowledge: Knowledge) -> set[Node]:
    """Return a class with all its superclasses, those that the graph adds too."""
    found: set[Node] = set()
    waiting = [kind]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        waiting += graph.objects(node, RDFS.subClassOf)
        waiting += knowledge.superclasses.get(node, ())
    return found


def understood(graph: rdflib.Graph, knowledge: Knowledge) -> tuple[Understood, ...]:
    """Return the figures of a graph as they are understood, by thing and quantity."""
    found = []
    for figure in in_order(set(graph.subjects(TW.figureOf))):
        thing, quantity = graph.value(figure, TW.figureOf), graph.value(figure, TW.ofQuantity)
        number, unit = graph.value(figure, QUDT.numericValue), graph.value(figure, QUDT.unit)
        if thing is None or quantity is None or number is None or unit is None:
            continue
        given = f"{shown_number(number)} {symbol(graph, unit, knowledge)}".strip()
        standard = graph.value(figure, TW.standardValue)
        shown = given
        wanted = standard_unit(graph, quantity, knowledge)
        if standard is not None and wanted is not None and wanted != unit:
            rounded = _rounded(Decimal(str(standard)))
            shown = f"{rounded} {symbol(graph, wanted, knowledge)}"
        conditions = tuple(
            named(graph, value, knowledge)
            for prop, value in in_order(graph.predicate_objects(figure))
            if prop in knowledge.vocabulary.conditions and isinstance(value, URIRef)
        )
        found.append(
            Understood(
                named(graph, thing, knowledge),
                named(graph, quantity, knowledge),
                conditions,
                given,
                shown,
            )
        )
    return tuple(found)


def named(graph: rdflib.Graph, node: Node, knowledge: Knowledge) -> Words:
    """Return a node's name in each language, from the new graph or the known."""
    labels = {
        str(label.language): str(label)
        for label in graph.objects(node, RDFS.label)
        if isinstance(label, Literal) and label.language
    }
    return labels or knowledge.name(node)


def symbol(graph: rdflib.Graph, unit: Node, knowledge: Knowledge) -> str:
    """Return a unit's symbol; none for plain counts and years."""
    text = str(graph.value(unit, QUDT.symbol) or knowledge.symbol(unit))
    return "" if text in ("1", "(year)") else text


def shown_number(value: Node) -> str:
    """Return a number for reading, or whatever stands in its place."""
    try:
        return plain(Decimal(str(value)))
    except InvalidOperation:
        return str(value)


def standard_unit(graph: rdflib.Graph, quantity: Node, knowledge: Knowledge) -> Node | None:
    """Return the unit in which a quantity is compared."""
    known = knowledge.vocabulary.quantities.by_iri.get(quantity)  # type: ignore[call-overload]
    return known.standard if known else graph.value(quantity, TW.standardUnit)


def _standard_value(graph: rdflib.Graph, figure: Node, knowledge: Knowledge) -> Decimal | None:
    quantity, unit = graph.value(figure, TW.ofQuantity), graph.value(figure, QUDT.unit)
    number = graph.value(figure, QUDT.numericValue)
    units = knowledge.vocabulary.units.by_iri
    standard = standard_unit(graph, quantity, knowledge) if quantity is not None else None
    if not isinstance(unit, URIRef) or not isinstance(standard, URIRef) or number is None:
        return None
    if unit not in units or standard not in units:
        return None
    try:
        value = Decimal(str(number))
        if value.is_finite() and units[unit].converts_to(units[standard]):
            return units[unit].convert(value, units[standard])
    except InvalidOperation:
        pass
    return None


def in_order(nodes: Iterable[T]) -> list[T]:
    """Return nodes, or tuples of them, in the order of their texts."""
    return sorted(nodes, key=str)


def _default(graph: rdflib.Graph, node: Node, prop: URIRef, value: Node) -> None:
    if (node, prop, None) not in graph:
        graph.add((node, prop, value))


def _as_decimal(value: Node) -> Node:
    """Return a whole number or double as the decimal that figures have, else what it is."""
    if isinstance(value, Literal) and value.datatype in (XSD.integer, XSD.double, XSD.decimal):
        try:
            number = Decimal(str(value))
            return decimal(number) if number.is_finite() else value
        except InvalidOperation:
            return value
    return value


def _rounded(value: Decimal) -> str:
    """Return a number for reading, to four digits: 85.89934592 is 85.9."""
    digits = max(0, 3 - value.adjusted()) if value else 0
    return plain(round(value, digits))
