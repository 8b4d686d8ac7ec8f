"""The shipped templates on the shipped graph: what they select, ask and say.

A selection may be empty where the guide says nothing, and `empty_selections.json` then
gives the reason.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from string import Formatter

import pytest
from rdflib import Literal, URIRef

from kg import ONTOLOGY, KnowledgeGraph, Row, checked_query, shorten
from kg.namespaces import PREFIXES

TEMPLATES = ONTOLOGY.parent / "assistant" / "templates"
QUERIES = sorted(TEMPLATES.glob("*.rq"))
EMPTY = Path(__file__).parent / "empty_selections.json"
FEWEST_EXAMPLES = 15

PARAMETERS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX sh: <http://www.w3.org/ns/shacl#>
SELECT ?template ?name ?class WHERE {
  ?node dcterms:identifier ?template ; sh:parameter ?parameter .
  ?parameter sh:name ?name . OPTIONAL { ?parameter sh:class ?class }
} ORDER BY ?template ?name
"""
# What a parameter of a class can be bound to: its kinds where it has any, else its members.
FITTING = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?class ?node WHERE {
  { ?node rdfs:subClassOf+ ?class FILTER(?class != owl:Class) }
  UNION { ?node a ?class FILTER NOT EXISTS { ?kind rdfs:subClassOf ?class } }
  UNION { ?node a owl:Class BIND(owl:Class AS ?class) }
} ORDER BY ?class ?node
"""
EXAMPLES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?example ?question WHERE {
  ?example tw:exampleOf/dcterms:identifier ?template ; tw:question ?question .
}
"""
STATEMENT_EXAMPLES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ("single_statement" AS ?template) ?question WHERE { ?s tw:exampleQuestion ?question }
"""
PATTERNS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?pattern WHERE {
  ?node a tw:Template ; dcterms:identifier ?template . OPTIONAL { ?node tw:answerPattern ?pattern }
}
"""

Binding = dict[str, str]


@dataclass(frozen=True)
class EmptySelections:
    """The bindings that a template may select nothing for, by template."""

    bindings: dict[str, list[Binding]]

    @classmethod
    def load(cls) -> EmptySelections:
        bindings: dict[str, list[Binding]] = defaultdict(list)
        for entry in json.loads(EMPTY.read_text(encoding="utf-8")):
            assert entry["reason"].endswith(".")
            names, choices = entry["bindings"].keys(), entry["bindings"].values()
            bindings[entry["template"]] += [
                dict(zip(names, chosen, strict=True)) for chosen in product(*choices)
            ]
        return cls(dict(bindings))


@pytest.fixture(scope="module")
def described() -> KnowledgeGraph:
    """What the templates' own files say."""
    return KnowledgeGraph.load(TEMPLATES)


@pytest.fixture(scope="module")
def parameters(described: KnowledgeGraph) -> dict[str, dict[str, URIRef | None]]:
    found: dict[str, dict[str, URIRef | None]] = defaultdict(dict)
    for row in described.select(PARAMETERS):
        node_class = URIRef(str(row["class"])) if "class" in row else None
        found[str(row["template"])][str(row["name"])] = node_class
    return found


@pytest.fixture(scope="module")
def fitting(shipped: KnowledgeGraph) -> dict[URIRef, list[str]]:
    found: dict[URIRef, list[str]] = defaultdict(list)
    for row in shipped.select(FITTING):
        found[URIRef(str(row["class"]))].append(shorten(row["node"]))
    return found


def expanded(binding: Binding) -> dict[str, URIRef]:
    parts = {name: short.split(":", 1) for name, short in binding.items()}
    return {name: URIRef(PREFIXES[prefix] + local) for name, (prefix, local) in parts.items()}


def possible(
    parameters: dict[str, URIRef | None], fitting: dict[URIRef, list[str]]
) -> Iterator[Binding]:
    """Yield every way to bind the parameters that have a class."""
    typed = {name: fitting[of] for name, of in parameters.items() if of is not None}
    assert all(typed.values())
    for chosen in product(*typed.values()):
        yield dict(zip(typed, chosen, strict=True))


def as_set(rows: list[Row]) -> set[frozenset[tuple[str, object]]]:
    return {frozenset(row.items()) for row in rows}


def test_there_are_templates_and_each_query_is_described(described: KnowledgeGraph) -> None:
    names = {str(row["template"]) for row in described.select(PATTERNS)}
    assert len(QUERIES) >= 18
    assert {query.stem for query in QUERIES} <= names


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
class TestQuery:
    def test_it_selects_something_for_every_member_of_its_classes(
        self,
        shipped: KnowledgeGraph,
        parameters: dict[str, dict[str, URIRef | None]],
        fitting: dict[URIRef, list[str]],
        path: Path,
    ) -> None:
        query = checked_query(path)
        empty = [
            binding
            for binding in possible(parameters[path.stem], fitting)
            if not shipped.select(query, expanded(binding))
        ]
        excused = EmptySelections.load().bindings.get(path.stem, [])
        assert [binding for binding in empty if binding not in excused] == []
        assert [binding for binding in excused if binding not in empty] == []

    def test_binding_a_parameter_selects_the_rows_that_have_it(
        self,
        shipped: KnowledgeGraph,
        parameters: dict[str, dict[str, URIRef | None]],
        path: Path,
    ) -> None:
        query = checked_query(path)
        rows = shipped.select(query)
        assert rows
        for name in parameters[path.stem]:
            values = {row[name] for row in rows}
            assert values
            for value in values:
                bound = shipped.select(query, {name: value})
                assert as_set(bound) == as_set([row for row in rows if row[name] == value])

    def test_every_row_leads_to_a_source(self, shipped: KnowledgeGraph, path: Path) -> None:
        assert all({"statement", "source"} <= set(r) for r in shipped.select(checked_query(path)))


def test_every_reason_belongs_to_a_template() -> None:
    assert set(EmptySelections.load().bindings) <= {path.stem for path in QUERIES}


def test_every_template_has_enough_example_questions_in_both_languages(
    described: KnowledgeGraph,
) -> None:
    asked: Counter[tuple[str, str | None]] = Counter()
    for row in described.select(EXAMPLES) + described.select(STATEMENT_EXAMPLES):
        question = row["question"]
        assert isinstance(question, Literal)
        asked[str(row["template"]), question.language] += 1
    names = {str(row["template"]) for row in described.select(PATTERNS)}
    assert len(names) >= 22
    few = {
        (name, language): asked[name, language]
        for name in names
        for language in ("zh", "en")
        if asked[name, language] < FEWEST_EXAMPLES
    }
    assert few == {}


def test_answer_patterns_come_in_both_languages_with_the_same_fields(
    described: KnowledgeGraph,
) -> None:
    fields: dict[str, dict[str | None, set[str]]] = defaultdict(dict)
    for row in described.select(PATTERNS):
        of_template = fields[str(row["template"])]
        if isinstance(pattern := row.get("pattern"), Literal):
            assert pattern.language not in of_template, row["template"]
            names = {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}
            of_template[pattern.language] = names
    assert len(fields) >= 22
    with_query = {path.stem for path in QUERIES}
    for template, by_language in fields.items():
        assert set(by_language) == ({"zh", "en"} if template in with_query else set()), template
        if template in with_query:
            assert by_language["zh"] == by_language["en"] != set(), template
