"""Compares what is new with what is there: the same by name, nickname or figures, or far off."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal

import rdflib
from rapidfuzz import fuzz, process
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS
from rdflib.term import Node, URIRef

from kg.contributions.completing import entries_of, in_order, named, standard_unit, symbol
from kg.contributions.findings import Fault
from kg.contributions.knowledge import Knowledge, folded_name
from kg.importing.cells import plain
from kg.namespaces import TW, shorten

CLOSE = 90
"""From this likeness in a hundred, two names with the same digits may be of one thing."""

TIMES_OFF = 10
FEW = 3
"""So many values a class must have of a quantity before another can be far off."""

SAME_FIGURES = 3


def likeness_faults(graph: rdflib.Graph, knowledge: Knowledge) -> list[Fault]:
    """Return duplicates as errors; as warnings what may be one, is far off or has one source."""
    entries = entries_of(graph, knowledge)
    lines = in_order(set(graph.objects(None, TW.variantOf)) & set(graph.subjects()))
    named_things = [*entries, *(line for line in lines if isinstance(line, URIRef))]
    return [
        *_same_names(graph, named_things, knowledge),
        *_same_terms(graph, knowledge),
        *_close_names(graph, entries, knowledge),
        *_same_figures(graph, entries, knowledge),
        *_far_off(graph, entries, knowledge),
        *_one_source(graph, entries, knowledge),
    ]


def _names(graph: rdflib.Graph, node: Node, prop: URIRef) -> list[str]:
    return sorted({str(name) for name in graph.objects(node, prop)})


def _same_names(graph: rdflib.Graph, things: list[URIRef], knowledge: Knowledge) -> Iterator[Fault]:
    own: dict[str, URIRef] = {}
    for thing in things:
        name = named(graph, thing, knowledge)
        for label in _names(graph, thing, RDFS.label):
            folded = folded_name(label)
            if not folded:
                yield Fault("nameless", name, knowledge.name(RDFS.label), label)
                continue
            if own.setdefault(folded, thing) != thing:
                yield Fault("same-name", name, knowledge.name(RDFS.label), label)
            for other in sorted(knowledge.entry_names.get(folded, ())):
                if other != thing:
                    yield Fault(
                        "same-name", name, knowledge.name(RDFS.label),
                        f"{label} = {shorten(other)}",
                    )  # fmt: skip
        for alias in _names(graph, thing, SKOS.altLabel):
            for other, is_label in sorted(
                knowledge.entry_names.get(folded_name(alias), {}).items()
            ):
                if other == thing or (thing, TW.variantOf, other) in graph:
                    continue
                field = knowledge.name(SKOS.altLabel)
                given = f"{alias} = {shorten(other)}"
                if is_label:
                    yield Fault("same-nickname", name, field, given)
                else:
                    yield Fault("shared-nickname", name, field, given, severity="warning")


def _same_terms(graph: rdflib.Graph, knowledge: Knowledge) -> Iterator[Fault]:
    for kind in (OWL.Class, TW.Quantity, TW.Topic, TW.Vendor):
        for term in in_order(set(graph.subjects(RDF.type, kind))):
            for label in _names(graph, term, RDFS.label):
                other = knowledge.term_names.get(folded_name(label))
                if other is not None and other != term:
                    name, field = named(graph, term, knowledge), knowledge.name(RDFS.label)
                    yield Fault("same-name", name, field, f"{label} = {shorten(other)}")


def _close_names(
    graph: rdflib.Graph, entries: list[URIRef], knowledge: Knowledge
) -> Iterator[Fault]:
    by_digits: dict[str, list[str]] = defaultdict(list)
    for folded, things in knowledge.entry_names.items():
        if any(things.values()):
            by_digits[_digits(folded)].append(folded)
    for entry in entries:
        label = next(iter(_names(graph, entry, RDFS.label)), "")
        folded = folded_name(label)
        near = process.extractOne(
            folded, by_digits.get(_digits(folded), []), scorer=fuzz.ratio, score_cutoff=CLOSE
        )
        if near is not None and near[0] != folded:
            other = sorted(knowledge.entry_names[near[0]])[0]
            yield Fault(
                "close-name", named(graph, entry, knowledge), knowledge.name(RDFS.label),
                f"{label} ≈ {knowledge.name(other).get('en', shorten(other))}", severity="warning",
            )  # fmt: skip


def _digits(name: str) -> str:
    return "-".join(re.findall(r"\d+", name))


def _same_figures(
    graph: rdflib.Graph, entries: list[URIRef], knowledge: Knowledge
) -> Iterator[Fault]:
    for entry in entries:
        figures = list(graph.subjects(TW.figureOf, entry))
        if len(figures) < SAME_FIGURES:
            continue
        shared: Counter[Node] = Counter()
        for figure in figures:
            value = graph.value(figure, TW.standardValue)
            if value is None:
                continue
            key = (
                graph.value(figure, TW.ofQuantity) or figure,
                f"{Decimal(str(value)).normalize():f}",
                str(graph.value(figure, TW.precision) or ""),
                str(graph.value(figure, TW.sparsity) or ""),
            )
            shared.update(knowledge.entry_figures.get(key, ()))
        makers = set(graph.objects(entry, TW.vendor))
        for other, count in in_order(shared.items()):
            vendors = set(knowledge.graph.graph.objects(other, TW.vendor))
            if count == len(figures) and other != entry and (not makers or makers & vendors):
                yield Fault(
                    "same-figures", named(graph, entry, knowledge), "",
                    knowledge.name(other), severity="warning",
                )  # fmt: skip
                break


def _far_off(graph: rdflib.Graph, entries: list[URIRef], knowledge: Knowledge) -> Iterator[Fault]:
    for entry in entries:
        for figure in in_order(graph.subjects(TW.figureOf, entry)):
            quantity, value = (
                graph.value(figure, TW.ofQuantity),
                graph.value(figure, TW.standardValue),
            )
            if quantity is None or value is None:
                continue
            number = Decimal(str(value))
            for kind in graph.objects(entry, RDF.type):
                usual = knowledge.ranges.get((kind, quantity))
                if usual is None or usual.count < FEW:
                    continue
                if not usual.least / TIMES_OFF <= number <= usual.most * TIMES_OFF:
                    unit = standard_unit(graph, quantity, knowledge)
                    shown = symbol(graph, unit, knowledge) if unit is not None else ""
                    bounds = f"{plain(usual.least)}–{plain(usual.most)} {shown}".strip()
                    yield Fault(
                        "far-off",
                        named(graph, entry, knowledge),
                        named(graph, quantity, knowledge),
                        f"{plain(number)} {shown}".strip(), (bounds,), severity="warning",
                    )  # fmt: skip


def _one_source(
    graph: rdflib.Graph, entries: list[URIRef], knowledge: Knowledge
) -> Iterator[Fault]:
    """Warn once for all that rests on one source, however many things that is."""
    single = [
        entry
        for entry in entries
        if len(
            {
                s
                for f in graph.subjects(TW.figureOf, entry)
                for s in graph.objects(f, DCTERMS.source)
            }
        )
        == 1
    ]
    if not single:
        return
    names = named(graph, single[0], knowledge)
    more = f" + {len(single) - 1}" if len(single) > 1 else ""
    thing = {language: name + more for language, name in names.items()}
    source = next(
        s for f in graph.subjects(TW.figureOf, single[0]) for s in graph.objects(f, DCTERMS.source)
    )
    yield Fault("one-source", thing, "", named(graph, source, knowledge), severity="warning")
