"""The table of an answer: numbers can be sorted as numbers, sources take little room."""

from __future__ import annotations

from typing import Any
from unicodedata import east_asian_width

import streamlit as st

from assistant.answer import Table
from assistant.messages import Say
from assistant.pages.literal import ZERO_WIDTH_SPACE, literal
from assistant.pages.measures import number_columns, source_column

MANY_COLUMNS = 4
"""Columns from which the first one stays in sight while the others scroll."""

NARROW = 40
"""Letters side by side on a phone, a Chinese character for two. Numbers stand at the right of
their column: under a title too long for what the names leave they would be out of sight."""

SHORTEST, LONGEST = 13, 26
"""Letters of a title before it is cut; the whole one stands in its help and on the chart."""

SOURCES = 110
"""Pixels for the citation marks of a row: five of them."""


def show(table: Table, turn_id: str, say: Say) -> None:
    """Show the table; a long one scrolls, and a click on a title sorts by it."""
    columns = _columns(table, say)
    names = max((_width(str(row[0])) for row in table.rows), default=0)
    room = min(max(NARROW - names, SHORTEST), LONGEST)
    config: dict[str, Any] = {
        title: st.column_config.Column(label=_short(title, room), help=literal(title))
        for title in columns
        if _width(title) > room
    }
    if len(columns) >= MANY_COLUMNS:
        config[next(iter(columns))] = st.column_config.Column(pinned=True)
    if source_column(table) is not None:
        config[list(columns)[-1]] = st.column_config.TextColumn(width=SOURCES)
    st.dataframe(
        columns,
        column_config=config,
        hide_index=True,
        placeholder="–",
        key=f"table-{turn_id}",
        alt=say("table"),
    )


def _columns(table: Table, say: Say) -> dict[str, list[Any]]:
    """Return cells by title: a column is of numbers or of text, never of both.

    Where sources disagree, the number to compare by stands in the column, and
    all that is stated in one of text beside it.
    """
    numeric = {column.place: column for column in number_columns(table)}
    columns: dict[str, list[Any]] = {}
    for place, title in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        while title in columns:
            title += ZERO_WIDTH_SPACE
        if place not in numeric:
            columns[title] = ["" if cell is None else str(cell) for cell in cells]
            continue
        columns[title] = _plain(numeric[place].first())
        if numeric[place].disagrees():
            columns[say("table-stated", title=title)] = [
                cell if isinstance(cell, str) else "" for cell in cells
            ]
    return columns


def _plain(cells: list[float | None]) -> list[float | None]:
    """Return whole numbers without a decimal point, where all are whole."""
    if all(cell is None or float(cell).is_integer() for cell in cells):
        return [cell if cell is None else int(cell) for cell in cells]
    return cells


def _short(title: str, room: int) -> str:
    """Return a title cut before what stands in brackets: its conditions and its unit."""
    name, bracket, rest = title.partition(" (")
    room = max(room - _width(bracket + rest), 8)
    if _width(name) <= room:
        return title
    while _width(name) > room:
        name = name[:-1]
    return f"{name.rstrip()}…{bracket}{rest}"


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
