"""Declared tables say what each column means, in terms that the graph knows."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib

from kg import BrokenData, KnowledgeGraph
from kg.importing import TABLES, Column, Table, load_tables
from kg.importing.messages import PATH as MESSAGES
from kg.importing.vocabulary import Vocabulary

DECLARED = load_tables()
COLUMNS = [(table, column) for table in DECLARED.values() for column in table.columns]
FILES = sorted(TABLES.glob("*.ttl"))


@pytest.fixture(scope="module")
def vocabulary(shipped: KnowledgeGraph) -> Vocabulary:
    return Vocabulary.of(shipped)


def test_there_are_tables() -> None:
    assert len(DECLARED) >= 22
    assert len(COLUMNS) >= 280


@pytest.mark.parametrize("path", [*FILES, MESSAGES], ids=lambda path: path.stem)
def test_the_file_is_written_as_longturtle(path: Path) -> None:
    written = rdflib.Graph(bind_namespaces="none").parse(path).serialize(format="longturtle")
    assert path.read_text(encoding="utf-8").strip() == written.strip()


@pytest.mark.parametrize("table", DECLARED.values(), ids=lambda table: table.name)
class TestTable:
    def test_each_column_means_one_thing(self, table: Table) -> None:
        for column in table.columns:
            meanings = [column.quantity is not None, column.fills is not None]
            assert sum(meanings) == (0 if column.name == table.key else 1), column.name

    def test_each_quantity_comes_in_a_unit_of_its_own(
        self, table: Table, vocabulary: Vocabulary
    ) -> None:
        for column in table.columns:
            if column.quantity is not None and column.unit is not None:
                quantity = vocabulary.quantities[column.quantity]
                symbol = vocabulary.units.by_iri[column.unit].symbol
                assert vocabulary.unit(symbol, quantity).iri == column.unit

    def test_each_condition_that_a_quantity_demands_has_a_column(
        self, table: Table, vocabulary: Vocabulary
    ) -> None:
        for column in table.columns:
            if column.quantity is not None:
                given = {prop for prop, _ in column.of_figures}
                given |= {c.fills for c in table.columns if column.name in c.describes}
                assert vocabulary.quantities[column.quantity].demanded <= given, column.name

    def test_columns_describe_columns_that_give_figures(self, table: Table) -> None:
        figures = {c.name for c in table.columns if c.quantity is not None}
        for column in table.columns:
            assert column.describes <= figures, column.name

    def test_texts_come_in_both_languages(self, table: Table) -> None:
        """A property whose texts the table gives in one language could only be filled with that."""
        spoken: dict[tuple[object, frozenset[str], str], set[str]] = {}
        for column in table.columns:
            if column.languages:
                title = column.title("en") if column.titled else ""
                key = (column.fills, column.describes, title)
                spoken.setdefault(key, set()).update(column.languages)
        assert all(languages == {"en", "zh"} for languages in spoken.values())

    def test_a_header_means_one_column(self, table: Table) -> None:
        """Two columns share a title only to give it in two languages."""
        for column in table.columns:
            named = [c for c in table.columns if c.headers & column.headers]
            assert len(named) == 1 or {c.fills for c in named} == {column.fills}


def test_a_table_that_does_not_say_enough_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.ttl"
    path.write_text(
        "PREFIX csvw: <http://www.w3.org/ns/csvw#>\n"
        '<https://example.org/t> a csvw:Table ; csvw:url "t.csv" .\n'
    )
    with pytest.raises(BrokenData, match=r"https://example\.org/t.*aboutUrl"):
        load_tables([path])


def test_headers_are_compared_without_case_and_underscores() -> None:
    assert Column("memory_gb").headers == {"memory gb"}
    assert DECLARED["accelerators"].column("Memory GB") == DECLARED["accelerators"].column(
        "memory_gb"
    )
