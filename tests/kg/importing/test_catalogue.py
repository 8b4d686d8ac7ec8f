"""The shipped catalogue is what its tables say: all rows, all cells, the same bytes each time."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from rdflib.namespace import DCTERMS, RDF

from kg import KnowledgeGraph
from kg.importing import import_table, load_tables
from kg.importing.catalogue import CATALOGUE, rebuild
from kg.importing.cells import FURTHER
from kg.namespaces import TW

TABLES = Path(__file__).parents[2] / "data" / "tables"
DECLARED = load_tables()
FILES = sorted(TABLES.glob("*.csv"))

# How many rows the collected files have; storage, memory and CPUs were one file of 35.
ROWS = {
    "accelerators": 102,
    "networks": 77,
    "storage": 13,
    "memory": 7,
    "cpus": 15,
    "systems": 36,
    "cloud_instances": 287,
    "purchase_prices": 54,
    "power_cooling": 20,
}


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def committed(name: str) -> KnowledgeGraph:
    return KnowledgeGraph.load(CATALOGUE / f"{name}.ttl")


def test_each_table_is_declared_and_has_a_file() -> None:
    assert len(FILES) >= 21
    assert {path.stem for path in FILES} == DECLARED.keys() - {"devices"}
    assert {name for name, table in DECLARED.items() if table.listed} == {*ROWS, "devices"}


@pytest.mark.parametrize("name", ROWS)
def test_every_collected_row_is_one_node_of_the_committed_turtle(name: str) -> None:
    graph = committed(name).graph
    listed = set(graph.subjects(TW.listedIn, DECLARED[name].iri))
    identifiers = [str(graph.value(node, DCTERMS.identifier)) for node in listed]
    rows = [row["id"] for row in cells(TABLES / f"{name}.csv")]
    assert len(listed) == ROWS[name]
    assert sorted(identifiers) == sorted(row for row in rows if not FURTHER.fullmatch(row))


def test_the_collected_storage_memory_and_cpus_are_35_rows() -> None:
    assert sum(ROWS[name] for name in ("storage", "memory", "cpus")) == 35


@pytest.mark.parametrize("name", [n for n in ROWS if not DECLARED[n].rows_are_figures])
def test_every_number_of_a_table_is_one_figure(name: str) -> None:
    measured = {c.name for c in DECLARED[name].columns if c.quantity is not None}
    numbers = sum(
        bool(value)
        for row in cells(TABLES / f"{name}.csv")
        for column, value in row.items()
        if column in measured
    )
    assert len(set(committed(name).graph.subjects(RDF.type, TW.Figure))) == numbers
    assert numbers >= ROWS[name]


@pytest.mark.parametrize("name", [n for n in ROWS if DECLARED[n].rows_are_figures])
def test_every_row_of_a_table_of_figures_is_one_figure(name: str) -> None:
    figures = set(committed(name).graph.subjects(RDF.type, TW.Figure))
    assert len(figures) == len(cells(TABLES / f"{name}.csv"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_import_gives_the_committed_bytes(shipped: KnowledgeGraph, path: Path) -> None:
    report = import_table(path, DECLARED[path.stem], shipped, replace_entries=True)
    assert [problem.text("en") for problem in report.problems] == []
    written = report.turtle()
    assert written.encode() == (CATALOGUE / f"{path.stem}.ttl").read_bytes()


def test_the_import_run_twice_gives_the_same_bytes(shipped: KnowledgeGraph) -> None:
    path = TABLES / "networks.csv"
    once, twice = (
        import_table(path, DECLARED["networks"], shipped, replace_entries=True).turtle()
        for _ in range(2)
    )
    assert once == twice


def test_a_shipped_entry_cannot_be_imported_over(shipped: KnowledgeGraph) -> None:
    """Who brings a table of their own does not change what the catalogue says."""
    report = import_table(TABLES / "memory.csv", DECLARED["memory"], shipped)
    assert report.refused
    assert {problem.key for problem in report.problems} >= {"known-identifier"}


def test_the_catalogue_is_made_anew_from_its_tables(tmp_path: Path) -> None:
    """Good tables are written as they are committed, a bad one is told and not written."""
    tables, made = tmp_path / "tables", tmp_path / "catalogue"
    tables.mkdir()
    made.mkdir()
    (tables / "precisions.csv").write_bytes((TABLES / "precisions.csv").read_bytes())
    (tables / "vendors.csv").write_text("key,name\n,Nobody\n", encoding="utf-8")
    reports = {report.table: report.refused for report in rebuild(tables, made)}
    assert reports == {"precisions": False, "vendors": True}
    assert [path.name for path in made.iterdir()] == ["precisions.ttl"]
    assert (made / "precisions.ttl").read_bytes() == (CATALOGUE / "precisions.ttl").read_bytes()
