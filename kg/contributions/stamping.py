"""Makes contributions of a checked graph: one for each thing, with header and own sources.

Each contribution has source nodes of its own, whose titles name its author, so that an answer's
citation does; what a source was before is kept as `prov:wasDerivedFrom`. What was contributed
elsewhere before, and comes in by an exported file, keeps its author, time and sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import rdflib
from rdflib.namespace import DCTERMS, PROV, RDF, RDFS
from rdflib.term import Literal, Node, URIRef

from kg.contributions.contribution import LANGUAGES, Author, header, header_node, turtle
from kg.contributions.messages import messages
from kg.importing.turtle import new_graph
from kg.namespaces import TW, shorten


@dataclass(frozen=True)
class _Part:
    """Subjects that belong together, and who added them."""

    subjects: tuple[URIRef, ...]
    author: Author


def contributions_of(
    graph: rdflib.Graph, known: rdflib.Graph, identifier: str, author: Author
) -> list[str]:
    """Return the Turtle of each contribution that a graph makes, in the order of their names.

    Args:
        graph: What is added; every node has an IRI.
        known: The graph it is added to.
        identifier: The contribution's id, or that of the import if there are several.
        author: Who adds it.
    """
    parts = _parts(graph, author)
    if len(parts) == 1:
        return [_stamped(graph, known, identifier, parts[0])]
    return [
        _stamped(graph, known, f"{identifier}.{number:05d}", part)
        for number, part in enumerate(parts, 1)
    ]


def _parts(graph: rdflib.Graph, author: Author) -> list[_Part]:
    headers = set(graph.subjects(RDF.type, TW.Contribution))
    apart = headers | set(graph.subjects(RDF.type, TW.Source))
    subjects = {s for s in graph.subjects(unique=True) if s not in apart}
    parent: dict[Node, Node] = {s: s for s in subjects}

    def root(node: Node) -> Node:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for s, p, o in graph:
        if s in subjects:
            for other in (p, o):
                if other in subjects:
                    parent[root(s)] = root(other)
    for node in headers:
        added = [thing for thing in graph.objects(node, TW.adds) if thing in subjects]
        for thing in added[1:]:
            parent[root(thing)] = root(added[0])
    groups: dict[Node, list[URIRef]] = {}
    for s in sorted(subjects, key=str):
        assert isinstance(s, URIRef)
        groups.setdefault(root(s), []).append(s)
    return [
        _Part(tuple(group), _author(graph, group, author))
        for group in sorted(groups.values(), key=lambda group: group[0])
    ]


def _author(graph: rdflib.Graph, subjects: list[URIRef], author: Author) -> Author:
    """Return who added something before, if an exported file says so."""
    for subject in subjects:
        node = graph.value(None, TW.adds, subject)
        name, time = graph.value(node, DCTERMS.creator), graph.value(node, DCTERMS.created)
        if node is not None and name is not None and time is not None:
            tool = graph.value(node, TW.toolVersion) or author.tool
            return Author(str(name), datetime.fromisoformat(str(time)), str(tool), author.file)
    return author


def _stamped(graph: rdflib.Graph, known: rdflib.Graph, identifier: str, part: _Part) -> str:
    result = new_graph()
    sources: dict[Node, URIRef] = {}
    adds: list[URIRef] = []
    for subject in part.subjects:
        classes = set(graph.objects(subject, RDF.type))
        if not classes & {TW.Figure, TW.FacetReading} or not _belongs(graph, subject, part):
            adds.append(subject)
        for prop, value in graph.predicate_objects(subject):
            if prop == DCTERMS.source:
                value = _source(graph, known, value, identifier, part.author, sources, result)
            result.add((subject, prop, value))
    names = sorted({_name(graph, thing) for thing in adds})
    said = header(identifier, part.author, adds, names, sources.values())
    for triple in said:
        result.add(triple)
    return turtle(result)


def _belongs(graph: rdflib.Graph, figure: URIRef, part: _Part) -> bool:
    """Whether a figure or reading is of something that comes with it."""
    of = {graph.value(figure, TW.figureOf), graph.value(figure, RDF.subject)}
    return bool(of & set(part.subjects))


def _name(graph: rdflib.Graph, thing: URIRef) -> str:
    labels = sorted(
        (label.language != "en", str(label))
        for label in graph.objects(thing, RDFS.label)
        if isinstance(label, Literal)
    )
    return labels[0][1] if labels else shorten(thing)


def _source(
    graph: rdflib.Graph,
    known: rdflib.Graph,
    source: Node,
    identifier: str,
    author: Author,
    sources: dict[Node, URIRef],
    result: rdflib.Graph,
) -> Node:
    """Return the contribution's own node for a source, described in the result."""
    here = (source, RDF.type, TW.Source) in graph
    if not here and (source, RDF.type, TW.Source) not in known:
        return source  # a statement of the guide
    if source in sources:
        return sources[source]
    described = graph if here else known
    assert isinstance(source, URIRef)
    if (source, DCTERMS.contributor, None) in described and here:
        sources[source] = source  # was contributed before, elsewhere
        for prop, value in described.predicate_objects(source):
            result.add((source, prop, value))
        return source
    node = URIRef(f"{header_node(identifier)}-source-{len(sources) + 1}")
    sources[source] = node
    result.add((node, DCTERMS.contributor, Literal(author.name)))
    for prop, value in _described(described, source):
        if prop == RDFS.label and isinstance(value, Literal):
            text = messages()(
                "source-label", str(value.language), title=str(value), author=author.name
            )
            value = Literal(text, lang=value.language)
        result.add((node, prop, value))
    if not here:
        result.add((node, PROV.wasDerivedFrom, source))
    return node


def _described(graph: rdflib.Graph, source: URIRef) -> Iterator[tuple[Node, Node]]:
    """Return what a source says of itself, with a title in both languages."""
    titles = {v.language: v for v in graph.objects(source, RDFS.label) if isinstance(v, Literal)}
    for prop, value in sorted(graph.predicate_objects(source), key=str):
        if prop != RDFS.label:
            yield prop, value
    for language in LANGUAGES:
        title = titles.get(language) or next(iter(titles.values()), Literal(str(source)))
        yield RDFS.label, Literal(str(title), lang=language)


def exported(texts: Sequence[str]) -> str:
    """Return contributions as one Turtle file."""
    graph = new_graph()
    for text in texts:
        graph.parse(data=text, format="ox-turtle")
    return turtle(graph)
