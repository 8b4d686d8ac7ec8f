"""Runs the SHACL shapes on what is new, and words what they object to.

Of many nodes that are alike in all that the shapes can tell apart, one is checked: with the same
properties, classes and datatypes it would fare the same. 10,000 figures become some dozens.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import rdflib
from rdflib.namespace import RDF, RDFS, SH
from rdflib.term import Literal, Node, URIRef

from kg.checks import SHAPES
from kg.contributions.completing import in_order, kinds_of, named
from kg.contributions.findings import Fault, Words, unique
from kg.contributions.knowledge import Knowledge
from kg.graph import ONTOLOGY, turtle_files
from kg.namespaces import TW, shorten

FORMS = ONTOLOGY / "catalogue" / "forms"

BY_VALUE = {
    *(SH.pattern, SH["in"], SH.hasValue, SH.equals, SH.disjoint, SH.lessThan),
    *(SH.lessThanOrEquals, SH.minInclusive, SH.maxInclusive, SH.maxExclusive, SH.maxLength),
}
"""Constraints for which the values themselves matter."""

Signature = tuple[tuple[str, ...], ...]


@cache
def all_shapes() -> rdflib.Graph:
    """Return the shapes of the ontology and of the forms, read once."""
    graph = rdflib.Graph()
    places: list[Path] = [SHAPES, *([FORMS] if FORMS.exists() else [])]
    for path in turtle_files(places):
        graph.parse(path, format="turtle")
    return graph


def shape_faults(graph: rdflib.Graph, knowledge: Knowledge) -> list[Fault]:
    """Return what the shapes object to in a graph, each with thing, field, given and allowed."""
    import pyshacl  # 0.3 s to import, and only checks need it

    rules = all_shapes()
    chosen = _representatives(graph, _exact_paths(rules))
    data = rdflib.Graph()
    for subject in chosen:
        for triple in graph.triples((subject, None, None)):
            data.add(triple)
        for figure_of in graph.triples((None, TW.figureOf, subject)):
            data.add(figure_of)
    _add_classes(data, graph, knowledge)
    _, report, _ = pyshacl.validate(data, shacl_graph=rules, advanced=False, inference="none")
    assert isinstance(report, rdflib.Graph)
    found: list[Fault] = []
    for result in report.objects(None, SH.result):
        focus = report.value(result, SH.focusNode)
        # What a form asks for, but a table need not have, is declared as information only.
        severe = report.value(result, SH.resultSeverity) != SH.Info
        if focus in chosen and severe:
            found.append(_fault(graph, knowledge, rules, report, result))
    return sorted(unique(found), key=lambda fault: (str(fault.thing), str(fault.field)))


def _representatives(graph: rdflib.Graph, exact: set[Node]) -> set[Node]:
    """Return one subject of each kind that the shapes can tell apart."""
    seen: dict[Signature, Node] = {}
    kinds: dict[Node, tuple[str, ...]] = {}
    of: dict[Node, set[str]] = defaultdict(set)
    for figure, thing in graph.subject_objects(TW.figureOf):
        of[thing].add(str(graph.value(figure, TW.ofQuantity)))
    for subject in in_order(set(graph.subjects())):
        parts = [
            (str(prop), *_kind(graph, value, prop in exact, kinds))
            for prop, value in graph.predicate_objects(subject)
        ]
        parts.append(tuple(sorted(of.get(subject, ()))))
        seen.setdefault(tuple(sorted(parts)), subject)
    return set(seen.values())


def _kind(
    graph: rdflib.Graph, value: Node, exact: bool, kinds: dict[Node, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return what tells a value from others for the shapes."""
    if isinstance(value, Literal):
        sign = "" if exact or not value.datatype else "+" if _positive(value) else "-"
        shown = str(value) if exact else ("text" if str(value) else "")
        return ("literal", str(value.datatype), str(value.language), sign, shown)
    if exact:
        return ("thing", str(value))
    if value not in kinds:
        classes = sorted(map(str, graph.objects(value, RDF.type)))
        # What is known already may be of any class, so it stands for itself.
        kinds[value] = ("new", *classes) if classes else ("known", str(value))
    return kinds[value]


def _positive(value: Literal) -> bool:
    try:
        return bool(value.toPython() > 0)
    except TypeError:
        return True


def _exact_paths(rules: rdflib.Graph) -> set[Node]:
    """Return the properties whose values themselves matter to a shape."""
    found: set[Node] = {RDF.type}
    for constraint in BY_VALUE:
        for shape in rules.subjects(constraint):
            found |= set(rules.objects(shape, SH.path))
            found |= {o for o in rules.objects(shape, constraint) if isinstance(o, URIRef)}
    return found


def _add_classes(data: rdflib.Graph, graph: rdflib.Graph, knowledge: Knowledge) -> None:
    """Add the classes of all that the data refer to, and of what those are subclasses."""
    nodes = {o for o in data.objects() if isinstance(o, URIRef)}
    for node in nodes:
        for kind in graph.objects(node, RDF.type):
            data.add((node, RDF.type, kind))
        for kind in knowledge.kinds.get(node, ()):
            data.add((node, RDF.type, kind))
    for kind in set(data.objects(None, RDF.type)):
        for above in kinds_of(graph, kind, knowledge) - {kind}:
            data.add((kind, RDFS.subClassOf, above))


def _fault(
    graph: rdflib.Graph,
    knowledge: Knowledge,
    rules: rdflib.Graph,
    report: rdflib.Graph,
    result: Node,
) -> Fault:
    shape, focus = report.value(result, SH.sourceShape), report.value(result, SH.focusNode)
    path, value = report.value(result, SH.resultPath), report.value(result, SH.value)
    component = str(report.value(result, SH.sourceConstraintComponent)).rpartition("#")[2]
    assert focus is not None
    thing = thing_name(graph, focus, knowledge)
    field: str | Words = ""
    if names := _texts(rules, shape, SH.name):
        field = names
    elif isinstance(path, URIRef):
        field = knowledge.name(path)
    given = ", ".join(
        sorted(_said(v) for v in graph.objects(focus, path))
        if value is None and isinstance(path, URIRef)
        else [_said(value)] * (value is not None)
    )
    return Fault(
        f"shape-{component}", thing, field, given, _allowed(rules, shape, knowledge),
        what=_texts(rules, shape, SH.message),
    )  # fmt: skip


def thing_name(graph: rdflib.Graph, focus: Node, knowledge: Knowledge) -> Words:
    """Return the name of a node, of a figure that of its thing and quantity."""
    of, quantity = graph.value(focus, TW.figureOf), graph.value(focus, TW.ofQuantity)
    if of is None or quantity is None:
        return named(graph, focus, knowledge)
    names = named(graph, of, knowledge), named(graph, quantity, knowledge)
    return {
        language: " · ".join(words.get(language) or next(iter(words.values())) for words in names)
        for language in ("en", "zh")
    }


def _said(value: Node | None) -> str:
    if isinstance(value, Literal):
        return str(value) + (f"@{value.language}" if value.language else "")
    return shorten(value)


def _texts(rules: rdflib.Graph, shape: Node | None, prop: URIRef) -> dict[str, str]:
    return {
        str(text.language): str(text)
        for text in rules.objects(shape, prop)
        if isinstance(text, Literal) and text.language
    }


def _allowed(
    rules: rdflib.Graph, shape: Node | None, knowledge: Knowledge
) -> tuple[str | Words, ...]:
    kind, datatype = rules.value(shape, SH["class"]), rules.value(shape, SH.datatype)
    if kind is not None:
        members = knowledge.members(kind)
        return tuple(map(shorten, members)) if len(members) <= 12 else (knowledge.name(kind),)
    if datatype is not None:
        least = rules.value(shape, SH.minExclusive)
        return (shorten(datatype) + (f" > {float(str(least)):g}" if least is not None else ""),)
    return ()
