"""Makes the shipped catalogue anew from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kg.graph import ONTOLOGY, KnowledgeGraph
from kg.importing.declarations import load_tables
from kg.importing.problems import ImportReport
from kg.importing.table_import import import_table

CATALOGUE = ONTOLOGY / "catalogue"


def rebuild(tables: Path, catalogue: Path = CATALOGUE) -> Iterator[ImportReport]:
    """Import each declared table that is in a folder, and write those without problems.

    Tables come in the order of the table group, in which a table follows those it names.
    """
    for name, table in load_tables().items():
        path = tables / f"{name}.csv"
        if not path.exists():
            continue
        graph = KnowledgeGraph.load(ONTOLOGY)
        report = import_table(path, table, graph, replace_entries=True)
        if not report.problems:
            (catalogue / f"{name}.ttl").write_text(report.turtle(), encoding="utf-8", newline="\n")
        yield report
