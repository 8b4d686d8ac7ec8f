"""Checks what a contribution may speak of, and how: names, namespaces, classes and texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

import rdflib
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS, XSD
from rdflib.term import Literal, Node, URIRef

from kg.contributions.completing import in_order, kinds_of, named
from kg.contributions.findings import Fault, Words, unique
from kg.contributions.knowledge import Knowledge
from kg.namespaces import QUDT, TW, TWD, shorten

LONGEST_LABEL = 120
LONGEST_TEXT = 2000
LONGEST_NAME = 120

_LOCAL = re.compile(r"[A-Za-z0-9]+(?:[._-]+[A-Za-z0-9]+)*")
_MARKUP = re.compile(
    r"<\s*[/!?a-zA-Z]|&(?:#\d+|#x[0-9a-fA-F]+|[a-zA-Z]+);|javascript:", re.IGNORECASE
)
_WEB = re.compile(r"https?://[^\s<>\"{}|\\^`]+\.[^\s<>\"{}|\\^`]+")

OPEN_CLASSES = (
    *(TW.Hardware, TW.Figure, TW.FacetReading, TW.Source, TW.Quantity, TW.NamedQuantity, TW.Topic),
    *(TW.Vendor, TW.Architecture, TW.FormFactor, TW.MemoryType, TW.NetworkKind, TW.Precision),
    *(TW.CloudProvider, TW.Region, TW.PlausibleRatio, OWL.Class, TW.Contribution),
)
"""What users may add things of; all else makes the program work, or is the guide's."""

USUAL = {
    *(RDF.type, RDFS.label, RDFS.seeAlso, RDFS.subClassOf, SKOS.altLabel, SKOS.hiddenLabel),
    *(SKOS.definition, SKOS.scopeNote, SKOS.broader, DCTERMS.source, DCTERMS.identifier),
    *(DCTERMS.date, DCTERMS.title, DCTERMS.creator, DCTERMS.created, DCTERMS.contributor),
    *(DCTERMS.isReplacedBy, DCTERMS.language, OWL.deprecated, QUDT.numericValue, QUDT.unit),
    *(RDF.subject, RDF.predicate, RDF.object),
    URIRef("http://www.w3.org/ns/prov#wasDerivedFrom"),
}
"""Properties of other vocabularies that a contribution may use."""

TO_THINGS = {
    *(RDF.type, DCTERMS.source, DCTERMS.isReplacedBy, QUDT.unit, TW.figureOf, TW.ofQuantity),
    *(RDFS.subClassOf, RDFS.seeAlso, TW.bound, TW.standing, TW.listedIn, TW.notStated),
}
TEXTS = {RDFS.label, SKOS.altLabel, SKOS.hiddenLabel, SKOS.definition, SKOS.scopeNote}

MAY_BE_SAID_OF_KNOWN = {OWL.deprecated, DCTERMS.isReplacedBy}
"""What may be said of an entry that is there already: that another has taken its place."""


def faults(graph: rdflib.Graph, knowledge: Knowledge) -> list[Fault]:
    """Return what is wrong with a graph's names, classes, properties and values."""
    checks = (_subjects, _classes, _properties, _values, _references, _replacements)
    found = unique(fault for check in checks for fault in check(graph, knowledge))
    return sorted(found, key=lambda fault: (str(fault.thing), str(fault.field)))


def _subjects(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    for subject in in_order(set(graph.subjects())):
        name = shorten(subject)
        local = _local(subject)
        if local is None:
            yield Fault("foreign-subject", name, given=str(subject), allowed=(str(TWD), str(TW)))
        elif not _LOCAL.fullmatch(local) or len(local) > LONGEST_NAME or ".." in local:
            yield Fault("bad-name", name, given=local, allowed=("A–Z a–z 0–9 . _ -",))
        elif knowledge.is_known(subject):
            said = set(graph.predicates(subject))
            entry = (subject, TW.listedIn, None) in knowledge.graph.graph
            if not (entry and said <= MAY_BE_SAID_OF_KNOWN):
                yield Fault(
                    "overrides",
                    named(knowledge.graph.graph, subject, knowledge),
                    given=", ".join(sorted(map(shorten, said - MAY_BE_SAID_OF_KNOWN or said))),
                    allowed=(name + "-2",),
                )
        elif (subject, RDF.type, None) not in graph:
            yield Fault(
                "no-class",
                named(graph, subject, knowledge),
                knowledge.name(RDF.type),
                allowed=_open(),
            )


def _classes(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    own = set(graph.subjects(RDF.type, OWL.Class))
    for subject, kind in in_order(graph.subject_objects(RDF.type)):
        thing = named(graph, subject, knowledge)
        if isinstance(kind, Literal):
            continue  # told as a value that must be a thing
        if kind not in own and OWL.Class not in knowledge.kinds.get(kind, ()) and kind != OWL.Class:  # type: ignore[call-overload]
            alike = knowledge.alike(str(kind))
            yield Fault(
                "unknown-class", thing, knowledge.name(RDF.type), shorten(kind), alike or _open()
            )
        elif not kinds_of(graph, kind, knowledge) & set(OPEN_CLASSES):
            yield Fault(
                "closed-class", thing, knowledge.name(RDF.type), knowledge.name(kind), _open()
            )
        elif kind == OWL.Class and not _is_hardware_class(graph, subject, knowledge):
            above = knowledge.name(TW.Hardware)
            yield Fault("class-apart", thing, knowledge.name(RDFS.subClassOf), allowed=(above,))


def _is_hardware_class(graph: rdflib.Graph, kind: Node, knowledge: Knowledge) -> bool:
    return TW.Hardware in kinds_of(graph, kind, knowledge)


def _properties(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    for prop in in_order(set(graph.predicates())):
        if prop in USUAL or (prop in knowledge.properties and str(prop).startswith(str(TW))):
            continue
        for subject in in_order(set(graph.subjects(prop)))[:3]:
            alike = knowledge.alike_property(str(prop))
            yield Fault(
                "unknown-property", named(graph, subject, knowledge), shorten(prop), allowed=alike
            )


def _values(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    things: dict[Node, Words] = {}  # each is looked up once, however many triples it has
    fields = {prop: knowledge.name(prop) for prop in set(graph.predicates())}
    for subject, prop, value in graph:
        if subject not in things:
            things[subject] = named(graph, subject, knowledge)
        thing, field = things[subject], fields[prop]
        to_thing = prop in TO_THINGS or _is_facet(prop, knowledge)
        if isinstance(value, Literal):
            if to_thing:
                alike = knowledge.alike(str(value))
                yield Fault("literal-for-thing", thing, field, str(value), alike)
            else:
                yield from _text_faults(thing, field, prop, value)
        elif prop == RDFS.seeAlso and not _WEB.fullmatch(str(value)):
            yield Fault("not-a-web-address", thing, field, str(value), ("https://…",))
        elif prop in TEXTS or knowledge.is_datatype_property(prop):
            yield Fault("thing-for-literal", thing, field, shorten(value))


def _is_facet(prop: Node, knowledge: Knowledge) -> bool:
    kinds = knowledge.properties.get(prop, set())  # type: ignore[call-overload]
    return bool(kinds & {TW.Facet, TW.FigureCondition, OWL.ObjectProperty})


def _text_faults(thing: Words, field: Words, prop: Node, value: Literal) -> Iterator[Fault]:
    text = str(value)
    if value.ill_typed:
        yield Fault("ill-typed", thing, field, text, (shorten(value.datatype),))
    if prop in TEXTS and value.language not in ("en", "zh"):
        yield Fault("language", thing, field, f"{text}@{value.language or ''}", ("@en", "@zh"))
    if _MARKUP.search(text):
        yield Fault("markup", thing, field, text)
    if any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") for c in text):
        yield Fault("control-characters", thing, field, text.encode("unicode_escape").decode())
    longest = LONGEST_LABEL if prop in (RDFS.label, SKOS.altLabel) else LONGEST_TEXT
    if len(text) > longest:
        yield Fault("too-long", thing, field, f"{text[:40]}… ({len(text)})", (f"≤ {longest}",))
    if prop in (RDFS.label, SKOS.altLabel) and re.search(r"\.\.[/\\]|^[/\\]|^[A-Za-z]:\\", text):
        yield Fault("path", thing, field, text)
    if value.datatype in (None, XSD.string) and text != text.strip():
        yield Fault("untrimmed", thing, field, f"“{text}”")


def _references(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    subjects = set(graph.subjects())
    for subject, prop, value in graph:
        if prop in (RDF.type, RDFS.seeAlso) or not isinstance(value, URIRef) or value in subjects:
            continue
        if not knowledge.is_known(value) and not knowledge.is_term(value):
            thing, field = named(graph, subject, knowledge), knowledge.name(prop)
            alike = knowledge.alike(str(value), prop)
            yield Fault("unknown-reference", thing, field, shorten(value), alike)


def _replacements(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    def after(node: Node) -> Iterable[Node]:
        return {*graph.objects(node, DCTERMS.isReplacedBy), *knowledge.replaced.get(node, ())}

    for start in in_order(set(graph.subjects(DCTERMS.isReplacedBy))):
        seen: set[Node] = set()
        waiting = list(after(start))
        while waiting:
            node = waiting.pop()
            if node == start:
                thing = named(graph, start, knowledge)
                field = knowledge.name(DCTERMS.isReplacedBy)
                given = " → ".join(map(shorten, [start, *in_order(after(start)), start]))
                yield Fault("replacement-cycle", thing, field, given)
                break
            if node not in seen:
                seen.add(node)
                waiting += after(node)


def _local(node: Node) -> str | None:
    for namespace in (TWD, TW):
        if str(node).startswith(namespace):
            return str(node)[len(namespace) :]
    return None


def _open() -> tuple[str, ...]:
    return tuple(shorten(kind) for kind in OPEN_CLASSES[:8])
