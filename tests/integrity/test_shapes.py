"""Every SHACL shape: the shipped graph conforms, and a small broken one does not.

`broken/<topic>.ttl` says in its second line which rule of `ontology/shapes/<topic>.ttl`
must object to which node; all rules of the file are in it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import OWL, RDF, RDFS, SH

from assistant.normalisation import has_han
from kg import KnowledgeGraph, shorten
from kg.checks import SHAPES, check_shapes

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(SHAPES.glob("*.ttl"))


def rules(path: Path) -> set[str]:
    graph = rdflib.Graph().parse(path)
    return {shorten(shape) for shape in graph.subjects(SH.message, unique=True)}


@pytest.fixture(scope="module")
def all_shapes() -> rdflib.Graph:
    graph = rdflib.Graph()
    for path in FILES:
        graph.parse(path)
    return graph


def test_there_are_shapes() -> None:
    assert len(FILES) >= 9
    assert sum(len(rules(path)) for path in FILES) >= 65


def test_the_shipped_graph_conforms(shipped: KnowledgeGraph) -> None:
    assert check_shapes(shipped) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_rule_objects_to_what_is_broken(path: Path) -> None:
    data = BROKEN / path.name
    says = data.read_text(encoding="utf-8").splitlines()[1]
    expected = {tuple(pair.split(" on ")) for pair in says.removeprefix("# fires: ").split(", ")}
    found = {(v.rule, v.focus) for v in check_shapes(KnowledgeGraph.load(data))}
    assert {rule for rule, _ in expected} == rules(path)
    assert {(rule, focus) for rule, focus in found if rule in rules(path)} == expected


def test_messages_come_in_the_language_asked_for() -> None:
    """The same violations are found in both languages, each told in its own."""
    graph = KnowledgeGraph.load(BROKEN / "terms.ttl")
    en, zh = (check_shapes(graph, language=language) for language in ("en", "zh"))
    assert en
    assert {(v.rule, v.focus) for v in en} == {(v.rule, v.focus) for v in zh}
    assert all(v.message.isascii() for v in en)
    assert all(has_han(v.message) for v in zh)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_file_is_written_as_longturtle(path: Path) -> None:
    written = rdflib.Graph(bind_namespaces="none").parse(path).serialize(format="longturtle")
    assert path.read_text(encoding="utf-8").strip() == written.strip()


def test_every_property_shape_has_a_message_in_both_languages(all_shapes: rdflib.Graph) -> None:
    shapes = set(all_shapes.subjects(RDF.type, SH.PropertyShape))
    assert len(shapes) >= 55
    for shape in shapes:
        messages = list(all_shapes.objects(shape, SH.message))
        languages = sorted(m.language or "" for m in messages if isinstance(m, rdflib.Literal))
        assert languages == ["en", "zh"], shape


def test_every_node_shape_has_a_label_in_both_languages(all_shapes: rdflib.Graph) -> None:
    for shape in all_shapes.subjects(RDF.type, SH.NodeShape):
        labels = list(all_shapes.objects(shape, RDFS.label))
        assert {m.language for m in labels if isinstance(m, rdflib.Literal)} == {"en", "zh"}, shape


def test_every_class_and_path_of_a_shape_is_in_use(
    shipped: KnowledgeGraph, all_shapes: rdflib.Graph
) -> None:
    """A shape for a class or property that does not exist would never object."""
    graph = shipped.graph
    for node in {*all_shapes.objects(None, SH.targetClass), *all_shapes.objects(None, SH["class"])}:
        if shorten(node).startswith("tw:"):
            assert (node, RDF.type, OWL.Class) in graph, node
    for path in all_shapes.objects(None, SH.path):
        if isinstance(path, rdflib.URIRef):
            assert (None, path, None) in graph, path
