"""The commands for those who know SPARQL: `trainwright sparql`, `describe` and `serve`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rdflib.term import Identifier, Literal, URIRef

from kg import (
    GRAPH_FORMATS,
    ONTOLOGY,
    Executor,
    GraphError,
    Limits,
    QueryFailed,
    QueryResult,
    open_executor,
    shorten,
)

FAILED, USAGE = 1, 2


class Format(StrEnum):
    """How a result is written: columns for reading, or a format for rows or for graphs."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    XML = "xml"
    TURTLE = "turtle"
    JSONLD = "jsonld"
    NT = "nt"
    RDFXML = "rdfxml"


# The nodes that a person may mean by a name, and what to call a node in a language.
NAMED = """
SELECT DISTINCT ?name ?node {
  ?node rdfs:label|skos:prefLabel|skos:altLabel|dcterms:identifier ?label
  FILTER(LCASE(STR(?label)) = LCASE(?name))
} ORDER BY ?node LIMIT 20
"""
NEAR = """
SELECT DISTINCT ?name ?label {
  ?node rdfs:label|skos:altLabel ?text FILTER(CONTAINS(LCASE(STR(?text)), LCASE(?name)))
  BIND(STR(?text) AS ?label)
} ORDER BY STRLEN(?label) ?label LIMIT 5
"""
OUTGOING = """
SELECT DISTINCT ?node ?language ?property ?propertyLabel ?value ?valueLabel {
  ?node ?property ?value
  OPTIONAL { ?property rdfs:label ?propertyLabel FILTER(LANG(?propertyLabel) = ?language) }
  OPTIONAL { ?value rdfs:label ?valueLabel FILTER(LANG(?valueLabel) = ?language) }
  FILTER(!ISLITERAL(?value) || LANG(?value) IN ("", ?language))
} ORDER BY ?property ?value
"""
INCOMING = """
SELECT DISTINCT ?node ?language ?property ?propertyLabel ?other ?otherLabel {
  ?other ?property ?node
  OPTIONAL { ?property rdfs:label ?propertyLabel FILTER(LANG(?propertyLabel) = ?language) }
  OPTIONAL { ?other rdfs:label ?otherLabel FILTER(LANG(?otherLabel) = ?language) }
} ORDER BY ?property ?other
"""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(sparql)
    app.command()(describe)
    app.command()(serve)
    store = typer.Typer(no_args_is_help=True, help="A store elsewhere, for larger graphs.")
    store.command()(load)
    store.callback()(_store)
    app.add_typer(store, name="store")


def _store() -> None:
    """A store elsewhere, for larger graphs."""


def graph_places() -> list[Path]:
    """Return the files and folders that make up the graph."""
    return [ONTOLOGY]


def sparql(
    query: Annotated[
        str | None, typer.Argument(help="The query; none: from --file or standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="A file with the query (- for stdin).")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="table, or a format for rows or for graphs.")
    ] = Format.TABLE,
    timeout: Annotated[float, typer.Option(min=0.01, help="Seconds it may take.")] = 10.0,
    limit: Annotated[int, typer.Option(min=0, help="Rows or triples to show at most.")] = 10_000,
) -> None:
    """Run a SPARQL query on the graph; the usual prefixes need no declaration."""
    text = _query_text(query, file)
    limits = Limits(seconds=timeout, rows=limit)
    try:
        with open_executor(graph_places(), limits, workers=1) as executor:
            result = executor.run(text)
    except GraphError as error:
        _fail(str(error), FAILED)
    _write(result, form)


def describe(
    name: Annotated[str, typer.Argument(help="A label, a synonym, an identifier or an IRI.")],
    form: Annotated[
        Format, typer.Option("--format", help="table, or one for graphs.")
    ] = Format.TABLE,
    language: Annotated[str | None, typer.Option(help="en or zh; none: that of the name.")] = None,
) -> None:
    """Show what the graph says of a thing, and what it says of others with it."""
    from assistant.normalisation import has_han

    speech = language or ("zh" if has_han(name) else "en")
    if form is not Format.TABLE and form.value not in GRAPH_FORMATS:
        _fail(f"a description is table, {', '.join(GRAPH_FORMATS)}", USAGE)
    try:
        with open_executor(graph_places(), workers=1) as executor:
            nodes = _nodes(executor, name)
            if form is Format.TABLE:
                print("\n\n".join(_description(executor, node, speech) for node in nodes))
            else:
                iris = " ".join(f"<{node}>" for node in nodes)
                _write(executor.run(f"DESCRIBE {iris}"), form)
    except GraphError as error:
        _fail(str(error), FAILED)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any free one.")] = 8080,
    token: Annotated[
        str | None,
        typer.Option(envvar="TRAINWRIGHT_TOKEN", help="Callers must send it as a bearer token."),
    ] = None,
    cors: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may call; * for all.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.01, help="Seconds a query may take.")] = 10.0,
    limit: Annotated[int, typer.Option(min=1, help="Rows or triples at most.")] = 100_000,
    workers: Annotated[int, typer.Option(min=1, help="Queries that run at once.")] = 4,
    max_request: Annotated[int, typer.Option(min=1, help="Bytes of a request.")] = 1_000_000,
    max_waiting: Annotated[
        int, typer.Option(min=1, help="Requests that one caller may have open.")
    ] = 100,
    ask: Annotated[bool, typer.Option(help="Answer questions too, at /ask.")] = True,
) -> None:
    """Serve the graph: SPARQL 1.1 Protocol at /sparql, questions at /ask, both in /docs."""
    from assistant.http import Settings, serve_forever

    settings = Settings(
        places=tuple(graph_places()),
        host=host,
        port=port,
        token=token or None,
        origins=tuple(cors or ()),
        limits=Limits(seconds=timeout, rows=limit, bytes=100_000_000, query_bytes=max_request),
        workers=workers,
        max_request=max_request,
        max_waiting=max_waiting,
        questions=ask,
    )
    try:
        serve_forever(settings)
    except (GraphError, OSError) as error:
        _fail(str(error), FAILED)


def load(
    places: Annotated[
        list[Path] | None, typer.Argument(help="Turtle files and folders; none: the product's.")
    ] = None,
    clear: Annotated[bool, typer.Option(help="Empty the store's default graph first.")] = False,
) -> None:
    """Send the graph to the store that TRAINWRIGHT_STORE names: QUERY_URL UPDATE_URL."""
    from kg.endpoint import VARIABLE, Endpoint
    from kg.remote_graph import fill

    try:
        endpoint = Endpoint.from_environment()
        if endpoint is None:
            _fail(f"{VARIABLE} must name the store: QUERY_URL UPDATE_URL", USAGE)
        sent = fill(endpoint, places or graph_places(), clear)
    except GraphError as error:
        _fail(str(error), FAILED)
    print(f"sent {sent:,} triples to {endpoint.update_url}")


def _query_text(query: str | None, file: Path | None) -> str:
    if query is not None and file is not None:
        _fail("give a query or --file, not both", USAGE)
    if query is not None:
        return query
    if file is None and sys.stdin.isatty():
        _fail("give a query, --file FILE, or a query on standard input", USAGE)
    try:
        data = sys.stdin.buffer.read() if file is None or str(file) == "-" else file.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        _fail(f"{file}: {error.strerror}", USAGE)
    except UnicodeDecodeError as error:
        _fail(f"{file or 'standard input'}: not UTF-8: {error.reason}", USAGE)


def _write(result: QueryResult, form: Format) -> None:
    if form is Format.TABLE:
        print(table(result))
    else:
        try:
            body = result.serialise(form.value)
        except ValueError as error:
            _fail(str(error), USAGE)
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    counted = "" if result.kind == "ask" else f"{len(result):,} "
    counted += {"select": "rows", "ask": "answered"}.get(result.kind, "triples")
    if result.cut == "rows":
        print(f"cut at {counted}; --limit shows more", file=sys.stderr)
    elif result.cut == "bytes":
        print(f"cut at {counted}, where the result became too large", file=sys.stderr)
    elif sys.stderr.isatty():
        print(f"{counted} in {result.elapsed_ms:.0f} ms", file=sys.stderr)


def table(result: QueryResult) -> str:
    """Return a result in columns for reading: IRIs as prefix:name, literals as their text."""
    from rich.cells import cell_len

    if result.kind == "ask":
        return "yes" if result.boolean else "no"
    head = ("subject", "property", "object") if result.is_graph else result.variables
    rows: Sequence[Sequence[Identifier | None]] = result.triples or result.rows
    lines = [list(head), *([_cell(value) for value in row] for row in rows)]
    # A long text may not push the other columns of all rows aside.
    widths = [min(60, max(map(cell_len, column))) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            cell + " " * max(0, width - cell_len(cell))
            for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: Identifier | None) -> str:
    if value is None:
        return ""
    if isinstance(value, Literal):
        return " ".join(str(value).split())
    return shorten(value) if isinstance(value, URIRef) else f"_:{value}"


def _nodes(executor: Executor, name: str) -> list[URIRef]:
    """Return the nodes with a name, an IRI or a prefixed name."""
    from kg.namespaces import PREFIXES

    prefix, colon, local = name.strip("<>").partition(":")
    iri = PREFIXES[prefix] + local if prefix in PREFIXES else name.strip("<>")
    if colon and not any(c in iri for c in '<>"{}|^`\\ '):
        known = executor.run(f"ASK {{ {{ <{iri}> ?p ?o }} UNION {{ ?s ?p <{iri}> }} }}")
        if known.boolean:
            return [URIRef(iri)]
    bindings: dict[str, Identifier] = {"name": Literal(name.strip())}
    found = [row[1] for row in executor.run(NAMED, bindings=bindings).rows]
    if nodes := [node for node in found if isinstance(node, URIRef)]:
        return nodes
    near = [str(row[1]) for row in executor.run(NEAR, bindings=bindings).rows]
    raise QueryFailed(
        f"nothing is called {name}" + (f"; near it: {', '.join(near)}" if near else "")
    )


def _description(executor: Executor, node: URIRef, language: str) -> str:
    bindings: dict[str, Identifier] = {"node": node, "language": Literal(language)}
    lines = [shorten(node)]
    for query, arrow in ((OUTGOING, ""), (INCOMING, "<- ")):
        shown: dict[str, list[str]] = {}
        for _, _, prop, prop_label, value, value_label in executor.run(
            query, Limits(rows=500), bindings=bindings
        ).rows:
            key = arrow + str(prop_label or _cell(prop))
            text = _cell(value)
            shown.setdefault(key, []).append(f"{value_label} ({text})" if value_label else text)
        lines += [f"  {key}: {'; '.join(dict.fromkeys(values))}" for key, values in shown.items()]
    return "\n".join(lines)


def _fail(message: str, code: int) -> NoReturn:
    print(f"trainwright: {message}", file=sys.stderr)
    raise typer.Exit(code)
