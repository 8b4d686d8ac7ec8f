"""A query's result on the page: rows as table and chart, triples as graph, files to download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf
from urllib.parse import quote

import streamlit as st
from rdflib.namespace import XSD
from rdflib.term import Identifier, Literal, URIRef

from assistant.messages import Say
from assistant.pages import sparql_graph
from assistant.pages.language import language_in_address, page_language
from assistant.pages.literal import literal
from assistant.pages.sparql_executor import labels, name_of
from kg import GRAPH_FORMATS, ROW_FORMATS, Executor, GraphError, QueryResult

if TYPE_CHECKING:
    import altair as alt

Type = OneOf["quantitative", "ordinal", "nominal"]

NUMERIC = {
    *(XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.int, XSD.long, XSD.short, XSD.byte),
    *(XSD.nonNegativeInteger, XSD.positiveInteger, XSD.unsignedInt, XSD.unsignedLong),
    *(XSD.gYear,),
}
SUFFIXES = {"jsonld": "jsonld", "nt": "nt", "rdfxml": "rdf", "turtle": "ttl"}
SHOWN_FORMATS = {
    **{"csv": "CSV", "tsv": "TSV", "json": "JSON", "xml": "XML"},
    **{"turtle": "Turtle", "jsonld": "JSON-LD", "nt": "N-Triples"},
}
CHARTS = ("bar", "scatter", "line")
MOST_DRAWN = 2_000
"""Rows of a chart; more take a browser seconds and show nothing more."""

MOST_NAMES = 40
"""Names along an axis; more cannot be read."""


@dataclass(frozen=True)
class Column:
    """A column of a result: its name and its terms, row by row."""

    name: str
    terms: tuple[Identifier | None, ...]

    @property
    def links(self) -> bool:
        """Whether it holds IRIs and nothing else."""
        return self._holds_only(lambda term: isinstance(term, URIRef))

    @property
    def numbers(self) -> bool:
        """Whether it holds numbers and nothing else."""
        return self._holds_only(lambda t: isinstance(t, Literal) and number(t) is not None)

    def _holds_only(self, fits: Any) -> bool:
        stated = [term for term in self.terms if term is not None]
        return bool(stated) and all(map(fits, stated))


def show(result: QueryResult, executor: Executor, key: str, say: Say) -> None:
    """Show a result with its size and time, and everything that can be done with it."""
    _show_size(result, say)
    if result.kind == "ask":
        st.subheader(say("sparql-yes") if result.boolean else say("sparql-no"), anchor=False)
    elif result.is_graph:
        sparql_graph.show(result.triples, executor, key, say)
    elif result.rows:
        _show_rows(result, executor, key, say)
    else:
        st.info(say("sparql-no-rows"), icon=":material/info:")
    _show_downloads(result, key, say)


def columns_of(result: QueryResult) -> list[Column]:
    """Return the columns of rows."""
    cells = zip(*result.rows, strict=True) if result.rows else [()] * len(result.variables)
    return [Column(name, tuple(terms)) for name, terms in zip(result.variables, cells, strict=True)]


def number(term: Identifier | None) -> float | int | None:
    """Return a literal's number, or None if it has none."""
    if not isinstance(term, Literal) or term.datatype not in NUMERIC:
        return None
    try:
        value = float(str(term))
    except ValueError:
        return None
    if not isfinite(value):  # JSON, and so a chart, has no such number
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def describe_link(node: object, label: str) -> str:
    """Return the address of a node's description; the label in it is what a table shows."""
    page = str(st.context.url or "").rstrip("/")
    base = page.rsplit("/", 1)[0] if page.count("/") > 2 else page
    language = quote(language_in_address())
    shown = quote(label, safe="")
    return f"{base}/describe?label={shown}&language={language}&iri={quote(str(node), safe='')}"


def _show_size(result: QueryResult, say: Say) -> None:
    kind = "ask" if result.kind == "ask" else "triples" if result.is_graph else "rows"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        time = f"{result.elapsed_ms:,.0f}"
        st.caption(say(f"sparql-size-{kind}", n=f"{len(result):,}", milliseconds=time))
        if result.cut:
            text = say(f"sparql-cut-{result.cut}", n=f"{len(result):,}")
            st.badge(text, icon=":material/content_cut:", color="orange")


def _show_rows(result: QueryResult, executor: Executor, key: str, say: Say) -> None:
    columns = columns_of(result)
    known = _labels(executor, columns)
    table, chart = st.tabs([say("sparql-table"), say("sparql-chart")], key=f"{key}-views")
    with table:
        _show_table(columns, known, key, say)
    with chart:
        _show_chart(columns, known, key, say)


@st.fragment
def _show_table(columns: Sequence[Column], known: dict[str, str], key: str, say: Say) -> None:
    """Show the rows; where IRIs and texts share a column, a chosen cell can be described."""
    mixed = any(_mixed(column) for column in columns)
    st.dataframe(
        {column.name: _cells(column, known) for column in columns},
        hide_index=True,
        key=f"{key}-table",
        column_config={column.name: _config(column) for column in columns},
        on_select="rerun" if mixed else "ignore",
        selection_mode="single-cell",
        alt=say("sparql-table"),
    )
    cells = st.session_state[f"{key}-table"].selection.cells if mixed else []
    by_name = {column.name: column for column in columns}
    for row, name in cells:
        term = by_name[name].terms[row]
        if not isinstance(term, URIRef):
            st.caption(say("sparql-cell-hint"))
        elif st.button(
            f"{say('sparql-describe')}: {literal(name_of(term, known))}",
            key=f"{key}-describe",
            icon=":material/description:",
        ):
            from assistant.pages import describe  # it shows results, too

            describe.open_page(str(term))
    if mixed and not cells:
        st.caption(say("sparql-cell-hint"))


def _mixed(column: Column) -> bool:
    return not column.links and any(isinstance(term, URIRef) for term in column.terms)


def _labels(executor: Executor, columns: Sequence[Column]) -> dict[str, str]:
    nodes = [term for column in columns for term in column.terms if isinstance(term, URIRef)]
    try:
        return labels(executor, nodes, page_language())
    except GraphError:  # the rows are worth more than the names in them
        return {}


def _cells(column: Column, known: dict[str, str]) -> list[Any]:
    if column.links:
        return [
            None if term is None else describe_link(term, name_of(term, known))
            for term in column.terms
        ]
    if column.numbers:
        return [number(term) for term in column.terms]
    return [name_of(term, known) for term in column.terms]


def _config(column: Column) -> Any:
    if column.links:
        return st.column_config.LinkColumn(column.name, display_text=r"label=(.*?)&")
    if column.numbers:
        return st.column_config.NumberColumn(column.name, format="plain")
    return st.column_config.TextColumn(column.name)


def _show_chart(columns: Sequence[Column], known: dict[str, str], key: str, say: Say) -> None:
    numeric = [c.name for c in columns if c.numbers]
    if not numeric:
        st.info(say("sparql-no-numbers"), icon=":material/info:")
        return
    others = [c.name for c in columns if not c.numbers]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control(
            say("sparql-chart"),
            CHARTS,
            default="scatter" if len(numeric) > 1 else "bar",
            format_func=lambda kind: say(f"sparql-chart-{kind}"),
            required=True,
            key=f"{key}-kind",
        )
    names = [c.name for c in columns]
    along = (numeric if kind != "bar" and len(numeric) > 1 else others) or names
    with st.container(horizontal=True):
        x = st.selectbox("X", names, index=names.index(along[0]), key=f"{key}-x-{kind}")
        rest = [name for name in numeric if name != x] or numeric
        y = st.selectbox("Y", rest, key=f"{key}-y-{kind}-{x}")
        colour = st.selectbox(
            say("sparql-chart-colour"),
            [None, *names],
            format_func=lambda name: say("sparql-chart-none") if name is None else name,
            key=f"{key}-colour",
        )
    st.altair_chart(_chart(columns, known, str(kind), x, y, colour), key=f"{key}-drawn")
    rows = len(columns[0].terms)
    most = _most_drawn(next(column for column in columns if column.name == x))
    if rows > most:
        st.caption(say("sparql-chart-cut", n=f"{most:,}", rows=f"{rows:,}"))


def _chart(
    columns: Sequence[Column],
    known: dict[str, str],
    kind: str,
    x: str,
    y: str,
    colour: str | None,
) -> alt.Chart:
    """Return the chart. Its fields have names of their own: in a query's, signs would count."""
    import altair as alt  # half a second, and many readers draw nothing

    by_name = {column.name: column for column in columns}
    fields = {"x": by_name[x], "y": by_name[y]} | ({"colour": by_name[colour]} if colour else {})
    titles = {field: _title(column, columns, known) for field, column in fields.items()}
    types = {field: _type(column, kind, field) for field, column in fields.items()}
    points = _points(columns, fields, known)
    data = alt.InlineData(values=points)
    marked = {
        "bar": alt.Chart(data).mark_bar(),
        "scatter": alt.Chart(data).mark_circle(size=70),
        "line": alt.Chart(data).mark_line(point=True),
    }[kind]
    zero = kind == "bar" or types["x"] != "quantitative"
    form = "d" if _years(fields["x"]) else ""
    across = alt.X("x", type=types["x"], title=titles["x"], sort=None)
    across = across.axis(labelLimit=140, format=form).scale(zero=zero)
    up = alt.Y("y", type="quantitative", title=titles["y"], stack=None)
    if kind == "bar" and types["x"] == "nominal":  # names are read across
        across = alt.X("y", type="quantitative", title=titles["y"], stack=None)
        up = alt.Y("x", type="nominal", title=titles["x"], sort=None).axis(labelLimit=180)
    hints = [alt.Tooltip(f, type=types[f], title=titles[f]) for f in fields]
    if any(not column.numbers for column in columns):
        hints.insert(0, alt.Tooltip("name", type="nominal", title=" "))
    encoded: alt.Chart = marked.encode(across, up, tooltip=hints)
    if kind == "bar" and any(point["nth"] > 1 for point in points):  # beside, never on top of, them
        offset = alt.YOffset if types["x"] == "nominal" else alt.XOffset
        encoded = encoded.encode(offset("nth", type="ordinal"))
    if colour:
        encoded = encoded.encode(alt.Color("colour", type=types["colour"], title=titles["colour"]))
    return encoded


def _points(
    columns: Sequence[Column], fields: dict[str, Column], known: dict[str, str]
) -> list[dict[str, Any]]:
    """Return what is drawn of each row, in the order of the rows."""
    most = _most_drawn(fields["x"])
    names = [column for column in columns if not column.numbers and not column.name.endswith("nit")]
    drawn = {field: _plotted(column, known)[:most] for field, column in fields.items()}
    points: dict[tuple[Any, ...], dict[str, Any]] = {}
    seen: Counter[Any] = Counter()
    for row in range(min(most, len(drawn["x"]))):
        point = {field: values[row] for field, values in drawn.items()}
        same = tuple(point.values())  # another row that differs in what is not drawn
        if point["x"] in (None, "") or point["y"] is None or same in points:
            continue
        seen[point["x"]] += 1
        name = " · ".join(name_of(column.terms[row], known) for column in names)
        points[same] = point | {"name": name, "nth": seen[point["x"]]}
    return list(points.values())


def _type(column: Column, kind: str, field: str) -> Type:
    if column.numbers and (field != "x" or kind != "bar" or not _years(column)):
        return "quantitative"
    return "ordinal" if column.numbers or (kind == "line" and field == "x") else "nominal"


def _most_drawn(x: Column) -> int:
    return MOST_DRAWN if x.numbers else MOST_NAMES


def _plotted(column: Column, known: dict[str, str]) -> list[Any]:
    if column.numbers:
        return [number(term) for term in column.terms]
    return [name_of(term, known) for term in column.terms]


def _title(column: Column, columns: Sequence[Column], known: dict[str, str]) -> str:
    """Return a column's name, with the unit where the rows have one and it is the same in all."""
    if not column.numbers or _years(column):
        return column.name
    wanted = [c for c in columns if c.links and c.name.lower() == f"{column.name}unit".lower()]
    wanted = wanted or [c for c in columns if c.links and c.name.lower() == "unit"]
    units = {name_of(term, known) for c in wanted for term in c.terms if term is not None}
    return f"{column.name} ({units.pop()})" if len(units) == 1 else column.name


def _years(column: Column) -> bool:
    values = [number(term) for term in column.terms] if column.numbers else []
    stated = [value for value in values if value is not None]
    return bool(stated) and all(isinstance(v, int) and 1900 < v < 2100 for v in stated)


@st.fragment
def _show_downloads(result: QueryResult, key: str, say: Say) -> None:
    formats = GRAPH_FORMATS if result.is_graph else ROW_FORMATS
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(say("sparql-download"), width="content")
        for form in [form for form in SHOWN_FORMATS if form in formats]:
            st.download_button(
                SHOWN_FORMATS[form],
                partial(result.serialise, form),
                file_name=f"trainwright.{SUFFIXES.get(form, form)}",
                mime=formats[form],
                key=f"{key}-download-{form}",
                icon=":material/download:",
                on_click="ignore",
                type="tertiary",
            )
