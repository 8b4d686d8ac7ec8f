"""Proves the graph keeps its rules: SHACL shapes for data, one query per rule for terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import rdflib

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


def check_shapes(graph: KnowledgeGraph, shapes: Path = SHAPES) -> list[Violation]:
    """Return what the SHACL shapes object to."""
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
    sh = rdflib.Namespace("http://www.w3.org/ns/shacl#")
    return [
        Violation(
            shorten(report.value(result, sh.sourceShape)),
            shorten(report.value(result, sh.focusNode)),
            f"{shorten(report.value(result, sh.resultPath) or '')} "
            f"{report.value(result, sh.resultMessage)}".strip(),
        )
        for result in report.objects(None, sh.result)
    ]
