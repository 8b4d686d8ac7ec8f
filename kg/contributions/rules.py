"""Runs the hygiene checks on what is new and what it refers to, and words what they find."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import rdflib
from rdflib.namespace import DCTERMS, RDF
from rdflib.term import Literal, Node, URIRef

from kg.checks import CHECKS
from kg.contributions.completing import named, shown_number, standard_unit, symbol
from kg.contributions.findings import Fault, Words, unique
from kg.contributions.knowledge import Knowledge
from kg.contributions.shapes import thing_name
from kg.graph import KnowledgeGraph, checked_query
from kg.importing.cells import plain
from kg.namespaces import QUDT, TW, shorten

AT_ONCE = 100

ELSEWHERE = {
    *("shared_name", "dangling_reference"),  # looked up in an index of all names
    *("statement_count", "statement_identifier_shared", "statement_without_use"),
    *("claim_without_triple", "triple_without_claim"),  # nobody may add to the guide
}

Said = tuple[str | Words, str | Words, tuple[str | Words, ...]]
"""Field, what was given, what is allowed."""


@cache
def _checks() -> dict[str, str]:
    paths = sorted(path for path in CHECKS.glob("*.rq") if path.stem not in ELSEWHERE)
    return {path.stem: checked_query(path) for path in paths}


def rule_faults(graph: rdflib.Graph, knowledge: Knowledge) -> list[Fault]:
    """Return what the hygiene checks find in a graph."""
    found: list[Fault] = []
    for part in _parts(graph):
        found += _part_faults(part, graph, knowledge)
    return unique(found)


def _parts(graph: rdflib.Graph) -> list[rdflib.Graph]:
    """Return a graph by things with their figures, some hundred at a time.

    Rules compare figures of one thing, and take a time that grows with the square of all.
    """
    groups: dict[Node, list[Node]] = {}
    for subject in set(graph.subjects()):
        of = graph.value(subject, TW.figureOf) or graph.value(subject, RDF.subject) or subject
        groups.setdefault(of, []).append(subject)
    if len(groups) <= AT_ONCE:
        return [graph]
    ordered = sorted(groups, key=str)
    parts = []
    for start in range(0, len(ordered), AT_ONCE):
        part = rdflib.Graph(bind_namespaces="none")
        for thing in ordered[start : start + AT_ONCE]:
            for subject in groups[thing]:
                for triple in graph.triples((subject, None, None)):
                    part.add(triple)
        for node in set(part.objects()) - set(part.subjects()):
            for kind in graph.objects(node, RDF.type):
                part.add((node, RDF.type, kind))
        parts.append(part)
    return parts


def _part_faults(part: rdflib.Graph, graph: rdflib.Graph, knowledge: Knowledge) -> list[Fault]:
    subjects = {s for s in part.subjects() if len(list(part.predicates(s))) > 1}
    around = _with_surroundings(part, subjects, knowledge)
    found: list[Fault] = []
    for stem, query in _checks().items():
        for row in around.select(query):
            message = str(row.get("message", ""))
            focus = _new_one(row["focus"], message, subjects)
            if focus is not None:
                found.append(_fault(stem, graph, focus, message, knowledge))
    return found


def _new_one(focus: Node, message: str, subjects: set[Node]) -> Node | None:
    """Return the new node that a finding is about; of two figures the known one may be named."""
    if focus in subjects:
        return focus
    other = URIRef(message.rpartition(" ")[2])
    return other if other in subjects else None


def _with_surroundings(
    graph: rdflib.Graph, subjects: set[Node], knowledge: Knowledge
) -> KnowledgeGraph:
    around = rdflib.Graph(store="Oxigraph", bind_namespaces="none")
    for triple in graph:
        around.add(triple)
    for triple in knowledge.terms:
        around.add(triple)
    mentioned = {o for o in graph.objects() if isinstance(o, URIRef)} - subjects
    for node in mentioned:
        for kind in knowledge.kinds.get(node, ()):
            around.add((node, RDF.type, kind))
    things = {o for p in (TW.figureOf, RDF.subject) for o in graph.objects(None, p)} - subjects
    for triple in knowledge.described(things | {s for s in subjects if knowledge.is_known(s)}):
        around.add(triple)
    return KnowledgeGraph(around)


def _fault(
    stem: str, graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge
) -> Fault:
    word = _WORDS.get(stem)
    field, given, allowed = word(graph, focus, message, knowledge) if word else ("", "", ())
    thing = thing_name(graph, focus, knowledge)
    if word is None and stem not in _BARE:
        given = message
    return Fault(f"check-{stem.replace('_', '-')}", thing, field, given, allowed)


def _figure(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    number, unit = graph.value(focus, QUDT.numericValue), graph.value(focus, QUDT.unit)
    shown = "" if unit is None else symbol(graph, unit, knowledge)
    return "", f"{shown_number(number)} {shown}".strip() if number is not None else "", ()


def _condition(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    prop = URIRef(message.rpartition(" ")[2])
    _, given, _ = _figure(graph, focus, message, knowledge)
    wanted = knowledge.vocabulary.ranges.get(prop)
    values = knowledge.members(wanted) if wanted is not None else []
    allowed: tuple[str | Words, ...] = tuple(shorten(value) for value in values)
    if prop == DCTERMS.date:
        allowed = ("2026", "2026-11", "2026-11-30")
    return knowledge.name(prop), given, allowed


def _plausible(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    _, given, _ = _figure(graph, focus, message, knowledge)
    node = graph.value(focus, TW.ofQuantity)
    quantity = knowledge.vocabulary.quantities.by_iri.get(node)  # type: ignore[call-overload]
    if quantity is None or quantity.least is None or quantity.most is None:
        return "", given, ()
    shown = symbol(graph, quantity.standard, knowledge)
    return "", given, (f"{plain(quantity.least)}–{plain(quantity.most)} {shown}".strip(),)


def _unit(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    _, given, _ = _figure(graph, focus, message, knowledge)
    node = graph.value(focus, TW.ofQuantity)
    quantity = knowledge.vocabulary.quantities.by_iri.get(node)  # type: ignore[call-overload]
    allowed: tuple[str, ...] = ()
    if quantity is not None:
        allowed = tuple(knowledge.vocabulary.unit_symbols(quantity))
    elif node is not None and (unit := standard_unit(graph, node, knowledge)) is not None:
        allowed = (symbol(graph, unit, knowledge),)
    return knowledge.name(QUDT.unit), given, allowed


def _other(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    field, given, _ = _figure(graph, focus, message, knowledge)
    others = [word.rstrip(",") for word in message.split() if word.startswith("http")]
    known = knowledge.graph.graph
    shown = []
    for other in map(URIRef, others):
        where = graph if (other, None, None) in graph else known
        _, said, _ = _figure(where, other, "", knowledge)
        shown.append(str(said) or shorten(other))
    return field, " / ".join([str(given), *shown]), ()


def _used(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    iris = [URIRef(word) for word in message.split() if word.startswith("http")]
    if len(iris) != 3:
        return "", message, ()
    prop, node, wanted = iris
    members = knowledge.members(wanted)
    given = named(graph, node, knowledge)
    allowed = tuple(map(shorten, members)) if 0 < len(members) <= 12 else (knowledge.name(wanted),)
    return knowledge.name(prop), given, allowed


def _text(graph: rdflib.Graph, focus: Node, message: str, knowledge: Knowledge) -> Said:
    texts = [o for o in graph.objects(focus) if isinstance(o, Literal) and o.language]
    return "", ", ".join(f"{t}@{t.language}" for t in sorted(texts, key=str)[:4]), ()


_WORDS: dict[str, Callable[[rdflib.Graph, Node, str, Knowledge], Said]] = {
    "figure_in_foreign_unit": _unit,
    "figure_out_of_range": _plausible,
    "figure_without_condition": _condition,
    "figures_out_of_proportion": _other,
    "preferred_figures": _other,
    "property_outside_domain": _used,
    "quantity_in_different_units": _unit,
    "readings_far_apart": _other,
    "standard_value_wrong": _figure,
    "definition_uses_own_term": _text,
    "text_in_one_language": _text,
}
_BARE = {
    *("class_not_upper_camel_case", "property_not_lower_camel_case", "subclass_cycle"),
    *("deprecated_without_replacement", "term_without_definition", "term_without_label"),
    "empty_text",
}
