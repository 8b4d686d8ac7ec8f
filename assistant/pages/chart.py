"""Charts of the numbers that an answer compares: bars, or two quantities against each other."""

from __future__ import annotations

from typing import Any

import altair as alt
import streamlit as st

from assistant.answer import Table
from assistant.messages import Say
from assistant.pages.measures import Measure, measures, row_names

MOST_BARS = 25
FEWEST_POINTS = 3
ROW_HEIGHT, AXIS_HEIGHT = 32, 80
"""Pixels for a bar with its name above it, so that a long name fits a narrow page."""

WIDE = 1000
"""How many times the smallest figure the largest must be for bars to say nothing of the small."""

CHOICE = 320
"""Pixels of a list of measures: wide enough for a long title, and a line of its own on a phone."""

ABOVE: dict[str, Any] = {"dy": -8, "fontSize": 12, "baseline": "middle"}
BELOW = 8
INK, DARK_INK = "#31333f", "#fafafa"
ACCENT, SECOND = "#2a86d1", "#d9731a"
"""Both have a contrast of at least 3:1 to the light and to the dark background."""


@st.fragment
def show(table: Table, turn_id: str, say: Say) -> None:
    """Show a chart, where at least two named rows have figures of one quantity."""
    names = row_names(table)
    comparable = [m for m in measures(table) if len(m.drawn()) > 1]
    if names is None or not comparable:
        return
    with st.container(key=f"chart-{turn_id}", gap="xsmall"):
        choices = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        paired = [m for m in comparable if _partners(m, comparable)]
        with choices:
            scattered = bool(paired) and _view(turn_id, say) == "scatter"
        if scattered:
            with choices:
                # Of two, one is across and the other up: there is nothing to choose.
                options = paired if len(paired) > 2 else paired[:1]
                across = _choose(say("chart-across"), options, f"across-{turn_id}")
                up = _choose(say("chart-up"), _partners(across, comparable), f"up-{turn_id}")
            _show_scatter(names, across, up, turn_id, say)
        else:
            with choices:
                measure = _choose(say("chart-measure"), comparable, f"measure-{turn_id}")
            _show_bars(names, measure, turn_id, say)


def _view(turn_id: str, say: Say) -> str | None:
    titles = {"bars": say("chart-bars"), "scatter": say("chart-scatter")}
    return st.segmented_control(
        say("chart-view"),
        titles,
        default="bars",
        format_func=titles.__getitem__,
        required=True,
        key=f"view-{turn_id}",
        label_visibility="collapsed",
    )


def _show_bars(names: list[str], measure: Measure, turn_id: str, say: Say) -> None:
    rows = measure.drawn()[:MOST_BARS]
    st.altair_chart(
        bars(names, measure, rows, say),
        key=f"bars-{turn_id}",
        alt=_bars_in_words(names, measure, rows, say),
    )
    notes = []
    if len(rows) < len(names):
        notes.append(say("chart-some", n=len(rows), total=len(names)))
    if any(len(measure.stated[row]) > 1 for row in rows):
        notes.append(say("chart-stated"))
    if notes:
        st.caption(" ".join(notes))


def _bars_in_words(names: list[str], measure: Measure, rows: list[int], say: Say) -> str:
    lowest, *_, highest = sorted(rows, key=lambda row: measure.stated[row][0])
    return say(
        "chart-bars-alt",
        title=measure.title,
        n=len(rows),
        lowest=names[lowest],
        low=measure.text(lowest),
        highest=names[highest],
        high=measure.text(highest),
    )


def bars(names: list[str], measure: Measure, rows: list[int], say: Say) -> alt.LayerChart:
    """Return a bar for each of the rows, in their order, with name and number above it.

    Figures of very different size are dots on a logarithmic axis instead.
    """
    # The place and not the name sets rows apart: two offers may have one name.
    points = [
        {
            "place": place,
            "name": names[row],
            "number": measure.stated[row][0],
            "stated": measure.text(row),
        }
        for place, row in enumerate(rows)
    ]
    others = [
        point | {"number": number}
        for point, row in zip(points, rows, strict=True)
        for number in measure.stated[row][1:]
    ]
    encoding: dict[str, Any] = {
        "y": alt.Y("place:O", sort=None, axis=None),
        "tooltip": [
            alt.Tooltip("name:N", title=say("chart-name")),
            alt.Tooltip("stated:N", title=measure.title),
        ],
    }
    across = alt.X(
        "number:Q",
        title=_title(measure, say, rows),
        scale=_scale(measure, rows),
        axis=alt.Axis(orient="top", tickCount=4, labelOverlap=True),
    )
    drawn = _chart(points).encode(**encoding)
    above = ABOVE | {"color": DARK_INK if st.context.theme.type == "dark" else INK}
    name = drawn.mark_text(align="left", limit=alt.ExprRef("width - 80"), **above)
    number = drawn.mark_text(align="right", **above)
    layers = [
        drawn.mark_circle(size=90, yOffset=BELOW, color=ACCENT, opacity=1).encode(x=across)
        if _is_wide(measure, rows)
        else drawn.mark_bar(height=10, yOffset=BELOW, color=ACCENT).encode(x=across),
        name.encode(x=alt.value(0), text="name:N"),
        number.encode(x=alt.value("width"), text="stated:N"),
    ]
    if others:
        tick = _chart(others).encode(**encoding)
        ticks = tick.mark_tick(height=16, thickness=3, yOffset=BELOW, color=SECOND, opacity=1)
        layers.append(ticks.encode(x=across))
    return alt.LayerChart(layer=layers, height=AXIS_HEIGHT + ROW_HEIGHT * len(rows))


def _show_scatter(names: list[str], across: Measure, up: Measure, turn_id: str, say: Say) -> None:
    n = len(rows_with_both(across, up))
    st.altair_chart(
        scatter(names, across, up, say),
        key=f"scatter-{turn_id}",
        alt=say("chart-scatter-alt", across=across.title, up=up.title, n=n),
    )
    notes = [say("chart-point")]
    if n < len(names):
        notes.append(say("chart-some", n=n, total=len(names)))
    st.caption(" ".join(notes))


def scatter(names: list[str], across: Measure, up: Measure, say: Say) -> alt.Chart:
    """Return a point for each row that has both figures; pointing at one names it."""
    points = [
        {
            "name": names[row],
            "across": across.stated[row][0],
            "up": up.stated[row][0],
            "stated_across": across.text(row),
            "stated_up": up.text(row),
        }
        for row in rows_with_both(across, up)
    ]
    # The title of the upright axis lies above it, where it needs no turning of the head.
    above = alt.Axis(
        titleAngle=0, titleAlign="left", titleAnchor="end", titleX=0, titleY=-14, tickCount=5
    )
    chart: alt.Chart = _chart(points).mark_circle(size=90, color=ACCENT, opacity=0.75)
    return chart.encode(
        x=alt.X(
            "across:Q", title=_title(across, say), scale=_scale(across), axis=alt.Axis(tickCount=5)
        ),
        y=alt.Y("up:Q", title=_title(up, say), scale=_scale(up), axis=above),
        tooltip=[
            alt.Tooltip("name:N", title=say("chart-name")),
            alt.Tooltip("stated_across:N", title=across.title),
            alt.Tooltip("stated_up:N", title=up.title),
        ],
    )


def rows_with_both(across: Measure, up: Measure) -> list[int]:
    """Return the rows that have a figure of each."""
    return [row for row in across.drawn() if up.stated[row]]


def _partners(measure: Measure, comparable: list[Measure]) -> list[Measure]:
    """Return the measures that a scatter can show against this one."""
    return [
        m for m in comparable if m != measure and len(rows_with_both(measure, m)) >= FEWEST_POINTS
    ]


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _choose(label: str, options: list[Measure], key: str) -> Measure:
    """Return the measure that the reader chooses: at first one in which rows differ."""
    if len(options) == 1:
        return options[0]
    differing = [n for n, measure in enumerate(options) if len(set(measure.first())) > 1]
    return options[
        st.selectbox(
            label,
            range(len(options)),
            index=differing[0] if differing else 0,
            format_func=lambda n: options[n].title,
            key=key,
            filter_mode=None,
            width=CHOICE,
        )
    ]


def _is_wide(measure: Measure, rows: list[int] | None = None) -> bool:
    numbers = [n for row in rows or measure.drawn() for n in measure.stated[row]]
    return min(numbers) > 0 and max(numbers) / min(numbers) > WIDE


def _scale(measure: Measure, rows: list[int] | None = None) -> alt.Scale:
    return alt.Scale(type="log") if _is_wide(measure, rows) else alt.Scale(zero=True)


def _title(measure: Measure, say: Say, rows: list[int] | None = None) -> str:
    if _is_wide(measure, rows):
        return say("chart-logarithmic", title=measure.title)
    return measure.title
