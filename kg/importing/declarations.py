"""What a table's columns mean, as declared in Turtle in the terms of CSV on the Web.

A `csvw:Table` names its file and its columns. A column is one of two kinds: it gives figures
of a quantity (`tw:ofQuantity`, with unit and conditions), or it fills a property (`tw:fills`)
of the row's entry, or of the figures of those columns that it describes.
https://www.w3.org/TR/tabular-metadata/
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import rdflib
from rdflib.collection import Collection
from rdflib.namespace import CSVW, DCTERMS, RDF
from rdflib.term import Literal, Node, URIRef

from kg.errors import BrokenData
from kg.graph import ONTOLOGY, turtle_files
from kg.namespaces import QUDT, TW

TABLES = ONTOLOGY / "catalogue" / "tables"

OF_THE_COLUMN = frozenset(
    {
        *(RDF.type, CSVW.name, CSVW.title, CSVW.required, CSVW.separator, CSVW.lang),
        *(CSVW.valueUrl, TW.fills, TW.describes, TW.titled, TW.ofQuantity, QUDT.unit),
    }
)
"""Properties that say something of the column; any other is one of its figures."""


@dataclass(frozen=True)
class Column:
    """A declared column.

    Attributes:
        name: The header it goes by; `titles` may be used too.
        separator: What stands between several values in a cell, if there can be several.
        languages: Languages its texts are in.
        value_url: Where a value's node is, with the value for `{}`.
        describes: Names of the columns whose figures this one says something of.
        of_figures: Properties and values that each of its figures gets.
        titled: Whether its texts begin with its title.
    """

    name: str
    titles: tuple[Literal, ...] = ()
    required: bool = False
    separator: str | None = None
    languages: tuple[str, ...] = ()
    value_url: str | None = None
    fills: URIRef | None = None
    describes: frozenset[str] = frozenset()
    titled: bool = False
    quantity: URIRef | None = None
    unit: URIRef | None = None
    of_figures: tuple[tuple[URIRef, Node], ...] = ()

    @property
    def headers(self) -> frozenset[str]:
        """All headers the column may have, folded."""
        return frozenset(folded(header) for header in (self.name, *map(str, self.titles)))

    @property
    def is_source(self) -> bool:
        """Whether its cells name sources."""
        return self.fills == DCTERMS.source

    def title(self, language: str) -> str:
        """Return what the column is called in a language."""
        return next((str(t) for t in self.titles if t.language == language), self.name)


@dataclass(frozen=True)
class Table:
    """A declared table.

    Attributes:
        name: Its file's name without ending; what `--table` takes.
        about_url: Where a row's node is, with the identifier for `{}`.
        row_class: The class of all rows; None if a column fills it.
        listed: Whether its rows are entries, which say in which table they stand.
    """

    iri: URIRef
    name: str
    about_url: str
    key: str
    columns: tuple[Column, ...]
    row_class: URIRef | None = None
    listed: bool = False

    @cached_property
    def rows_are_figures(self) -> bool:
        """Whether each row is one figure, rather than an entry with figures of its own."""
        return self.row_class == TW.Figure

    def column(self, header: str) -> Column | None:
        """Return the column that a header names."""
        return next((c for c in self.columns if folded(header) in c.headers), None)

    def node(self, identifier: str) -> URIRef:
        """Return the node of a row."""
        return URIRef(self.about_url.replace("{}", identifier))


def load_tables(places: Iterable[Path] = (TABLES,)) -> dict[str, Table]:
    """Return all declared tables by name, in the order of the table group if there is one.

    Raises:
        BrokenData: If a table lacks a file name, a pattern for its nodes, a key or columns.
    """
    graph = rdflib.Graph()
    found: dict[str, Table] = {}
    for path in turtle_files(places):
        graph.parse(path, format="turtle")
    groups = [Collection(graph, items) for items in graph.objects(None, CSVW.table)]
    ordered = [table for group in groups for table in group]
    others = set(graph.subjects(RDF.type, CSVW.Table)) - set(ordered)
    for iri in [*ordered, *sorted(others, key=str)]:
        assert isinstance(iri, URIRef)
        table = _table(graph, iri)
        found[table.name] = table
    return found


def folded(header: str) -> str:
    """Return a header as headers are compared: without case, spaces for underscores."""
    return " ".join(header.casefold().replace("_", " ").split())


def _table(graph: rdflib.Graph, iri: URIRef) -> Table:
    schema = graph.value(iri, CSVW.tableSchema)
    file, about = graph.value(iri, CSVW.url), graph.value(schema, CSVW.aboutUrl)
    key, columns = graph.value(schema, CSVW.primaryKey), graph.value(schema, CSVW.column)
    if file is None or about is None or key is None or columns is None:
        raise BrokenData(str(iri), "needs csvw:url and a schema with aboutUrl, primaryKey, column")
    names = {c: str(graph.value(c, CSVW.name)) for c in Collection(graph, columns)}
    row_class = graph.value(iri, TW.rowClass)
    return Table(
        iri=iri,
        name=Path(str(file)).stem,
        about_url=str(about).replace(f"{{{key}}}", "{}"),
        key=str(key),
        columns=tuple(_column(graph, column, names) for column in names),
        row_class=row_class if isinstance(row_class, URIRef) else None,
        listed=(iri, RDF.type, TW.Table) in graph,
    )


def _column(graph: rdflib.Graph, node: Node, names: dict[Node, str]) -> Column:
    def text(prop: URIRef) -> str | None:
        value = graph.value(node, prop)
        return None if value is None else str(value)

    def iri(prop: URIRef) -> URIRef | None:
        value = graph.value(node, prop)
        return value if isinstance(value, URIRef) else None

    titles = sorted(t for t in graph.objects(node, CSVW.title) if isinstance(t, Literal))
    return Column(
        name=names[node],
        titles=tuple(titles),
        required=text(CSVW.required) == "true",
        separator=text(CSVW.separator),
        languages=tuple(sorted(map(str, graph.objects(node, CSVW.lang)))),
        value_url=(text(CSVW.valueUrl) or "").replace(f"{{{names[node]}}}", "{}") or None,
        fills=iri(TW.fills),
        describes=frozenset(names[c] for c in graph.objects(node, TW.describes)),
        titled=text(TW.titled) == "true",
        quantity=iri(TW.ofQuantity),
        unit=iri(QUDT.unit),
        of_figures=tuple(
            sorted(
                (prop, value)
                for prop, value in graph.predicate_objects(node)
                if prop not in OF_THE_COLUMN and isinstance(prop, URIRef)
            )
        ),
    )
