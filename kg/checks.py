"""Proves the graph keeps its rules: SHACL shapes for data, one query per rule for terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import rdflib
from rdflib.namespace import SH
from rdflib.term import Node, URIRef

from kg.graph import ONTOLOGY, KnowledgeGraph, checked_query, turtle_files
from kg.namespaces import shorten

CHECKS = ONTOLOGY / "checks"
SHAPES = ONTOLOGY / "shapes"


@dataclass(frozen=True)
class Violation:
    """A node that breaks a rule."""

    rule: str
    focus: str
    message: str


def check_terms(graph: KnowledgeGraph, checks: Path = CHECKS) -> list[Violation]:
    """Return the rows of every hygiene query; none is what we want.

    Raises:
        BrokenData: If a check is not a query that may run; the message names its file.
    """
    return [
        Violation(path.stem, shorten(row["focus"]), str(row["message"]))
        for path in sorted(checks.glob("*.rq"))
        for row in graph.select(checked_query(path))
    ]


def check_shapes(
    graph: KnowledgeGraph, shapes: Path = SHAPES, language: str = "en"
) -> list[Violation]:
    """Return what the SHACL shapes object to, with messages in a language."""
    import pyshacl  # 0.3 s to import, and only checks need it

    # pySHACL needs a graph it may copy; the Oxigraph store is not one.
    data = rdflib.Graph()
    for triple in graph.graph:
        data.add(triple)
    rules = rdflib.Graph()
    for path in turtle_files([shapes]):
        rules.parse(path, format="turtle")
    _, report, _ = pyshacl.validate(data, shacl_graph=rules, advanced=False, inference="none")
    assert isinstance(report, rdflib.Graph)
    return [
        Violation(
            shorten(report.value(result, SH.sourceShape)),
            shorten(report.value(result, SH.focusNode)),
            _message(report, result, language),
        )
        for result in report.objects(None, SH.result)
    ]


def _message(report: rdflib.Graph, result: Node, language: str) -> str:
    """Return a result's message in a language, after the path it is about if that is an IRI."""
    messages = list(report.objects(result, SH.resultMessage))
    fitting = [m for m in messages if getattr(m, "language", None) == language] or messages
    path = report.value(result, SH.resultPath)
    where = f"{shorten(path)} " if isinstance(path, URIRef) else ""
    return where + str(min(fitting, key=str, default=""))
