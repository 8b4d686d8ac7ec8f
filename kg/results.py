"""The result of a query, and its forms in files: SPARQL JSON, XML, CSV, TSV; Turtle and others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as OneOf
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox
from rdflib.term import BNode, Identifier, Literal, URIRef

from kg.namespaces import PREFIXES
from kg.sparql import Form

Cut = OneOf["rows", "bytes"] | None
# A term between processes: an IRI is a string, a blank node [id], a literal [text, datatype,
# language], and None stands for an unbound variable.
Sent = str | list[str | None] | None

STRING = "http://www.w3.org/2001/XMLSchema#string"
ROW_FORMATS = {
    "json": "application/sparql-results+json",
    "xml": "application/sparql-results+xml",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
}
GRAPH_FORMATS = {
    "turtle": "text/turtle; charset=utf-8",
    "jsonld": "application/ld+json",
    "nt": "application/n-triples",
    "rdfxml": "application/rdf+xml",
}
_OXIGRAPH = {
    "turtle": ox.RdfFormat.TURTLE,
    "jsonld": ox.RdfFormat.JSON_LD,
    "nt": ox.RdfFormat.N_TRIPLES,
    "rdfxml": ox.RdfFormat.RDF_XML,
}


@dataclass(frozen=True)
class QueryResult:
    """What a query gave.

    Attributes:
        kind: The form of the query.
        variables: The names of the columns of a SELECT, in order.
        boolean: The answer of an ASK.
        cut: Which limit left out further rows or triples, if one did.
        elapsed_ms: From asking to having the result.
        sent: Rows or triples as they came from the worker.
    """

    kind: Form
    variables: tuple[str, ...] = ()
    boolean: bool | None = None
    cut: Cut = None
    elapsed_ms: float = 0.0
    sent: list[list[Sent]] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.sent)

    @cached_property
    def rows(self) -> tuple[tuple[Identifier | None, ...], ...]:
        """The rows of a SELECT as RDF terms; None where a variable is unbound."""
        return () if self.is_graph else tuple(tuple(map(term, row)) for row in self.sent)

    @cached_property
    def triples(self) -> tuple[tuple[Identifier, ...], ...]:
        """The triples of a CONSTRUCT or DESCRIBE as RDF terms."""
        found = [tuple(map(term, row)) for row in self.sent] if self.is_graph else []
        return tuple(tuple(t for t in triple if t is not None) for triple in found)

    @property
    def is_graph(self) -> bool:
        """Whether the result is a graph rather than rows or a truth value."""
        return self.kind in ("construct", "describe")

    def serialise(self, form: str) -> bytes:
        """Return the result in a format of `ROW_FORMATS` or, for graphs, `GRAPH_FORMATS`.

        Raises:
            ValueError: If the format is not one for this kind of result.
        """
        allowed = GRAPH_FORMATS if self.is_graph else ROW_FORMATS
        if form not in allowed:
            raise ValueError(f"{self.kind} gives {', '.join(allowed)}, not {form}")
        if self.is_graph:
            return graph_bytes(map(triple, self.sent), form)
        return _WRITERS[form](self).encode()


@dataclass(frozen=True)
class Document:
    """A result in a format, as the worker wrote it."""

    kind: Form
    format: str
    body: bytes = field(repr=False)
    length: int
    cut: Cut
    elapsed_ms: float


def term(sent: Sent) -> Identifier | None:
    """Return the RDF term that was sent, literals exactly as they were written."""
    if sent is None:
        return None
    if isinstance(sent, str):
        return URIRef(sent)
    if len(sent) == 1:
        return BNode(sent[0])
    text, datatype, language = sent
    if language is not None:
        return Literal(text, lang=language)
    return Literal(text, datatype=URIRef(datatype) if datatype else None, normalize=False)


def from_term(value: Identifier) -> Sent:
    """Return an RDF term in the form it is sent in."""
    if isinstance(value, Literal):
        datatype = str(value.datatype) if value.datatype else None
        return [str(value), None if value.language else datatype, value.language]
    return [str(value)] if isinstance(value, BNode) else str(value)


def to_send(found: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | None) -> Sent:
    """Return an engine's term in the form it is sent in."""
    if found is None:
        return None
    if isinstance(found, ox.NamedNode):
        return found.value
    if isinstance(found, ox.BlankNode):
        return [found.value]
    if isinstance(found, ox.Literal):
        if found.language is not None:
            return [found.value, None, found.language]
        datatype = found.datatype.value
        return [found.value, None if datatype == STRING else datatype, None]
    return [str(found), None, None]


def triple(sent: Sequence[Sent]) -> ox.Triple:
    """Return an engine's triple from one that was sent."""
    return ox.Triple(*map(engine_term, sent))  # type: ignore[arg-type]


def graph_bytes(triples: Iterable[ox.Triple], form: str) -> bytes:
    """Return triples in a format, with the usual prefixes where it has such."""
    prefixes = PREFIXES if form in ("turtle", "rdfxml") else None
    return ox.serialize(triples, format=_OXIGRAPH[form], prefixes=prefixes) or b""


def engine_term(sent: Sent) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    """Return the engine's term for one that was sent."""
    if isinstance(sent, str):
        return ox.NamedNode(sent)
    assert sent is not None
    if len(sent) == 1:
        return ox.BlankNode(str(sent[0]))
    text, datatype, language = sent
    kind = ox.NamedNode(datatype) if datatype else None
    return ox.Literal(str(text), datatype=kind, language=language)


def _json(result: QueryResult) -> str:
    """https://www.w3.org/TR/sparql11-results-json/ ."""
    if result.kind == "ask":
        return json.dumps({"head": {}, "boolean": result.boolean})
    bindings = [
        {
            name: _json_term(value)
            for name, value in zip(result.variables, row, strict=True)
            if value is not None
        }
        for row in result.sent
    ]
    document = {"head": {"vars": result.variables}, "results": {"bindings": bindings}}
    return json.dumps(document, ensure_ascii=False)


def _json_term(sent: Sent) -> dict[str, str | None]:
    if isinstance(sent, str):
        return {"type": "uri", "value": sent}
    assert sent is not None
    if len(sent) == 1:
        return {"type": "bnode", "value": sent[0]}
    text, datatype, language = sent
    found = {"type": "literal", "value": text}
    if language is not None:
        found["xml:lang"] = language
    elif datatype is not None:
        found["datatype"] = datatype
    return found


def _xml(result: QueryResult) -> str:
    """https://www.w3.org/TR/rdf-sparql-XMLres/ ."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n']
    out.append('<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head>')
    out += [f"<variable name={quoteattr(name)}/>" for name in result.variables]
    out.append("</head>")
    if result.kind == "ask":
        out.append(f"<boolean>{str(result.boolean).lower()}</boolean></sparql>\n")
        return "".join(out)
    out.append("<results>")
    for row in result.sent:
        out.append("<result>")
        out += [
            f"<binding name={quoteattr(name)}>{_xml_term(value)}</binding>"
            for name, value in zip(result.variables, row, strict=True)
            if value is not None
        ]
        out.append("</result>")
    out.append("</results></sparql>\n")
    return "".join(out)


def _xml_term(sent: Sent) -> str:
    if isinstance(sent, str):
        return f"<uri>{escape(sent)}</uri>"
    assert sent is not None
    if len(sent) == 1:
        return f"<bnode>{escape(str(sent[0]))}</bnode>"
    text, datatype, language = sent
    about = ""
    if language is not None:
        about = f" xml:lang={quoteattr(language)}"
    elif datatype is not None:
        about = f" datatype={quoteattr(datatype)}"
    # XML 1.0 has no other control characters, and a reader takes a bare return for a line feed.
    shown = "".join(c if c >= " " or c in "\t\n\r" else "\ufffd" for c in str(text))
    return f"<literal{about}>{escape(shown, {chr(13): '&#13;'})}</literal>"


def _csv(result: QueryResult) -> str:
    """https://www.w3.org/TR/sparql11-results-csv-tsv/ : values without their kind."""
    out = io.StringIO()
    writer = csv.writer(out)
    if result.kind == "ask":
        return f"{str(result.boolean).lower()}\r\n"
    writer.writerow(result.variables)
    for row in result.sent:
        line = ["" if v is None else v if isinstance(v, str) else _csv_value(v) for v in row]
        # One unbound column is an empty line; the module would write "".
        out.write("\r\n") if line == [""] else writer.writerow(line)
    return out.getvalue()


def _csv_value(sent: list[str | None]) -> str:
    return f"_:{sent[0]}" if len(sent) == 1 else str(sent[0])


def _tsv(result: QueryResult) -> str:
    """https://www.w3.org/TR/sparql11-results-csv-tsv/ : terms as in Turtle."""
    if result.kind == "ask":
        return f"{str(result.boolean).lower()}\n"
    lines = ["\t".join(f"?{name}" for name in result.variables)]
    lines += ["\t".join("" if v is None else _tsv_term(v) for v in row) for row in result.sent]
    return "\n".join(lines) + "\n"


def _tsv_term(sent: Sent) -> str:
    written = str(engine_term(sent))  # N-Triples, which escapes line ends but not tabs
    return written.replace("\t", "\\t")


_WRITERS: dict[str, Callable[[QueryResult], str]] = {
    "csv": _csv,
    "json": _json,
    "tsv": _tsv,
    "xml": _xml,
}
