"""Turns CSV tables with declared columns, units and sources into validated Turtle."""

from __future__ import annotations

from kg.importing.declarations import TABLES, Column, Table, load_tables
from kg.importing.problems import ImportReport, Problem
from kg.importing.table_import import import_rows, import_table

__all__ = [
    "TABLES",
    "Column",
    "ImportReport",
    "Problem",
    "Table",
    "import_rows",
    "import_table",
    "load_tables",
]
