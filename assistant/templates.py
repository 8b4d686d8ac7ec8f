"""Loads query templates: a query in `<name>.rq`, what it is for in `<name>.ttl`.

A template without a query stands for questions that are not answered from rows:
chit-chat, unrelated topics, hidden instructions, what the guide does not say.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from rdflib import URIRef

from kg import BrokenData, KnowledgeGraph, checked_query

TEMPLATES = Path(__file__).parent / "templates"

DESCRIPTIONS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?name ?selection ?counts WHERE {
  ?template a tw:Template ; dcterms:identifier ?name .
  OPTIONAL { ?template tw:selection ?selection }
  OPTIONAL { ?template tw:countsRows ?counts FILTER(?counts) }
}
"""
PARAMETERS = """
PREFIX sh: <http://www.w3.org/ns/shacl#>
SELECT ?template ?parameter ?name ?class ?minimum WHERE {
  ?template sh:parameter ?parameter .
  OPTIONAL { ?parameter sh:name ?name }
  OPTIONAL { ?parameter sh:minCount ?minimum }
  OPTIONAL { ?parameter sh:class ?class }
}
"""
CUES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?cue WHERE { ?template tw:cuedBy ?cue }
"""
MENTIONS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?property ?node WHERE {
  VALUES ?property { tw:excludesMention tw:needsMention }
  ?template ?property ?node .
}
"""
PATTERNS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?template ?pattern WHERE { ?template tw:answerPattern ?pattern }
"""
EXAMPLES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?example ?template ?question ?context ?statement WHERE {
  ?example tw:exampleOf ?template ; tw:question ?question .
  OPTIONAL { ?example tw:context ?context }
  OPTIONAL { ?example tw:expects ?statement }
} ORDER BY ?example ?statement
"""
STATEMENT_EXAMPLES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?statement ?question WHERE { ?statement tw:exampleQuestion ?question }
ORDER BY ?statement ?question
"""

SELECTIONS = ("Exhaustive", "Focused", "NoSelection", "PerThing")
PATTERN_FIELDS = frozenset({"passages", "statements", "subject", "things"})
_LATIN = re.compile(r"[a-z][a-z'-]+")
SINGLE_STATEMENT = "single_statement"


@dataclass(frozen=True)
class Parameter:
    """A variable of a template's query that is bound to a node of a class.

    `node_class` is None if any thing will do.
    """

    name: str
    node_class: URIRef | None
    required: bool


@dataclass(frozen=True)
class Template:
    """A parameterised query and how its rows become an answer.

    `selection` is Exhaustive (all rows), Focused (the likeliest), PerThing (the likeliest
    of each thing asked about) or NoSelection (no query). `excludes` are classes whose
    members the question must not mention, `needs` things or classes of which it must. With
    `counts_rows` the number of rows answers "how many are there?".
    """

    name: str
    node: URIRef
    selection: str
    query: str | None
    parameters: tuple[Parameter, ...]
    cues: frozenset[URIRef]
    excludes: frozenset[URIRef]
    needs: frozenset[URIRef]
    counts_rows: bool
    patterns: dict[str, str]


@dataclass(frozen=True)
class ExampleQuestion:
    """A question that shows what a template or a statement is asked for."""

    text: str
    language: str
    template: str
    statements: tuple[URIRef, ...]
    context: str | None = None


@dataclass(frozen=True)
class TemplateLibrary:
    """All templates and all example questions."""

    templates: dict[str, Template]
    examples: tuple[ExampleQuestion, ...]

    def usual_words(self) -> frozenset[str]:
        """Return the Latin words that stand in two or more example questions."""
        seen = Counter(w for e in self.examples for w in set(_LATIN.findall(e.text.lower())))
        return frozenset(word for word, count in seen.items() if count > 1)

    @classmethod
    def load(cls, folder: Path = TEMPLATES) -> TemplateLibrary:
        """Return the templates of a folder, each checked against its query.

        Raises:
            BrokenData: If a query is refused, a parameter or pattern field is not
                selected by the query, or a language is missing; the file is named.
        """
        described = KnowledgeGraph.load(folder)
        parameters: dict[Any, list[Parameter]] = defaultdict(list)
        cues: dict[Any, list[URIRef]] = defaultdict(list)
        excludes: dict[Any, list[URIRef]] = defaultdict(list)
        needs: dict[Any, list[URIRef]] = defaultdict(list)
        patterns: dict[Any, list[tuple[str, str]]] = defaultdict(list)
        for row in described.select(PARAMETERS):
            if "name" not in row or "minimum" not in row:
                described_in = folder / f"{str(row['template']).rsplit('template-', 1)[-1]}.ttl"
                problem = f"{row['parameter']} needs sh:name and sh:minCount"
                raise BrokenData(described_in, problem)
            node_class = URIRef(str(row["class"])) if "class" in row else None
            parameters[row["template"]].append(
                Parameter(str(row["name"]), node_class, bool(int(row["minimum"])))
            )
        for row in described.select(CUES):
            cues[row["template"]].append(URIRef(str(row["cue"])))
        for row in described.select(MENTIONS):
            kind = excludes if str(row["property"]).endswith("#excludesMention") else needs
            kind[row["template"]].append(URIRef(str(row["node"])))
        for row in described.select(PATTERNS):
            language = row["pattern"].language  # type: ignore[attr-defined]
            patterns[row["template"]].append((language, str(row["pattern"])))
        templates = {}
        for row in described.select(DESCRIPTIONS):
            name, node = str(row["name"]), row["template"]
            path = folder / f"{name}.rq"
            selection = str(row.get("selection", "none")).rsplit("#", 1)[-1]
            if selection not in SELECTIONS:
                raise BrokenData(
                    path.with_suffix(".ttl"),
                    f"tw:selection is {selection}; allowed are {', '.join(SELECTIONS)}",
                )
            templates[name] = Template(
                name,
                URIRef(str(node)),
                selection,
                checked_query(path) if path.exists() else None,
                tuple(sorted(parameters[node], key=lambda p: p.name)),
                frozenset(cues[node]),
                frozenset(excludes[node]),
                frozenset(needs[node]),
                "counts" in row,
                _by_language(patterns[node], path.with_suffix(".ttl")),
            )
            _check(templates[name], path)
        for path in folder.glob("*.rq"):
            if path.stem not in templates:
                raise BrokenData(path, "no template of this name is described in a .ttl file")
        return cls(templates, tuple(_examples(described)))


def _by_language(patterns: list[tuple[str, str]], path: Path) -> dict[str, str]:
    """Return the patterns by language; two in one language are an error."""
    found = dict(patterns)
    if len(found) != len(patterns):
        raise BrokenData(path, "has two answer patterns in one language")
    return found


def _check(template: Template, path: Path) -> None:
    described = path.with_suffix(".ttl")
    if template.query is None:
        if template.selection != "NoSelection":
            raise BrokenData(path, f"no such file, though the selection is {template.selection}")
        return
    if set(template.patterns) != {"zh", "en"}:
        raise BrokenData(described, "needs an answer pattern in zh and in en")
    fields = {language: _fields(text, described) for language, text in template.patterns.items()}
    if unknown := (fields["zh"] | fields["en"]) - PATTERN_FIELDS:
        allowed = ", ".join(sorted(PATTERN_FIELDS))
        raise BrokenData(described, f"pattern fields {sorted(unknown)}; allowed are {allowed}")
    if fields["zh"] != fields["en"]:
        raise BrokenData(described, "the answer pattern has other fields in zh than in en")
    selected = set(re.findall(r"\?(\w+)", template.query.split("WHERE", 1)[0]))
    missing = {p.name for p in template.parameters} - selected
    if missing:
        raise BrokenData(path, f"parameters that the query does not select: {sorted(missing)}")
    for needed in ("statement", "source"):
        if needed not in selected:
            raise BrokenData(path, f"the query does not select ?{needed}")


def _fields(pattern: str, path: Path) -> set[str]:
    try:
        return {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}
    except ValueError as error:
        raise BrokenData(path, f"answer pattern {pattern!r}: {error}") from error


def _examples(described: KnowledgeGraph) -> list[ExampleQuestion]:
    found: dict[str, ExampleQuestion] = {}
    for row in described.select(EXAMPLES):
        key = str(row["example"])
        before = found[key].statements if key in found else ()
        statement = (URIRef(str(row["statement"])),) if "statement" in row else ()
        found[key] = ExampleQuestion(
            str(row["question"]),
            str(row["question"].language),  # type: ignore[attr-defined]
            str(row["template"]).rsplit("template-", 1)[-1],
            before + statement,
            str(row["context"]) if "context" in row else None,
        )
    single = [
        ExampleQuestion(
            str(row["question"]),
            str(row["question"].language),  # type: ignore[attr-defined]
            SINGLE_STATEMENT,
            (URIRef(str(row["statement"])),),
        )
        for row in described.select(STATEMENT_EXAMPLES)
    ]
    return [*found.values(), *single]
