"""One thing of the graph: its names, what is said of it, what is said with it, and what is near."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st
from rdflib.namespace import SKOS
from rdflib.term import Identifier, Literal, URIRef

from assistant.messages import Say
from assistant.pages import sparql, sparql_graph
from assistant.pages.language import page_language, page_texts
from assistant.pages.literal import literal
from assistant.pages.sparql_editor import library
from assistant.pages.sparql_executor import labels, name_of, shared_executor, short_or_whole
from kg import Executor, GraphError, Limits, shorten
from kg.namespaces import PREFIXES

USUAL = (
    *("dcterms:identifier", "dcterms:source", "dcterms:title", "rdf:type", "rdfs:label"),
    *("rdfs:subClassOf", "skos:altLabel", "skos:broader", "skos:definition", "skos:hiddenLabel"),
)
MOST_SAID = 300
MOST_SHOWN = 12
"""Values of one property that are shown at once."""

SAID = "SELECT ?property ?value {{ <{node}> ?property ?value }} ORDER BY ?property ?value"
SAID_WITH = "SELECT ?property ?value {{ ?value ?property <{node}> }} ORDER BY ?property ?value"
FOUND = """
SELECT DISTINCT ?sought ?node {
  ?node rdfs:label|skos:prefLabel|skos:altLabel|dcterms:identifier ?label
  FILTER(CONTAINS(LCASE(STR(?label)), LCASE(?sought)))
} ORDER BY STRLEN(STR(?label)) ?node LIMIT 12
"""


def page() -> None:
    """Show the node that the address names, or a way to find one."""
    say = page_texts()
    st.set_page_config(layout="wide")
    executor = shared_executor(say)
    library((), page_language())
    if handed := st.session_state.pop("describe-handed", None):
        st.query_params["iri"] = handed
    iri = _whole(st.query_params.get("iri", "").strip("<> "))
    try:
        _show_search(executor, say)
        if iri:
            _show(iri, executor, say)
    except GraphError as error:
        st.error(say("sparql-failed", reason=literal(str(error))), icon=":material/error:")


def open_page(node: str) -> None:
    """Leave the page that is shown for the description of a node."""
    st.session_state["describe-handed"] = node
    st.switch_page(st.Page(page, url_path="describe"))


def _whole(iri: str) -> str:
    """Return an IRI as it is, and prefix:name in full."""
    prefix, colon, local = iri.partition(":")
    iri = PREFIXES[prefix] + local if colon and prefix in PREFIXES else iri
    return "" if any(c in iri for c in '<>"{}|^`\\ \n\t') else iri


def _go(node: str) -> None:
    st.session_state["describe-sought"] = ""
    st.query_params["iri"] = node
    if "label" in st.query_params:
        del st.query_params["label"]


def _show_search(executor: Executor, say: Say) -> None:
    sought = st.text_input(
        say("describe-search"), key="describe-sought", icon=":material/search:"
    ).strip()
    if not sought:
        return
    bindings: dict[str, Identifier] = {"sought": Literal(sought)}
    found = [row[1] for row in executor.run(FOUND, bindings=bindings).rows]
    if not found:
        st.info(say("describe-nothing"), icon=":material/info:")
    known = labels(executor, found, page_language())
    with st.container(horizontal=True, gap="xsmall"):
        _show_nodes(found, known, "found")


def _show(iri: str, executor: Executor, say: Say) -> None:
    node = URIRef(iri)
    language = page_language()
    said = executor.run(SAID.format(node=iri), Limits(rows=MOST_SAID)).rows
    said_with = executor.run(SAID_WITH.format(node=iri), Limits(rows=MOST_SAID)).rows
    if not said and not said_with:
        st.info(say("describe-unknown", node=literal(shorten(iri))), icon=":material/info:")
        return
    terms = [node, *(term for row in (*said, *said_with) for term in row if term is not None)]
    known = labels(executor, terms, language)
    st.subheader(literal(name_of(node, known)), anchor=False)
    st.caption(literal(shorten(iri)))
    for definition in _texts(said, SKOS.definition, language):
        st.text(definition)
    _show_actions(iri, node, known, say)
    _heading(say("describe-said"))
    _show_properties(said, known, language, "said", say)
    if said_with:
        _heading(say("describe-said-with"))
        _show_properties(said_with, known, language, "with", say)
    near = sparql_graph.around(iri, executor)
    _heading(say("describe-near"))
    sparql_graph.explorer(near, executor, f"describe-{iri}", say)


def _heading(text: str) -> None:
    st.markdown(f"**{text}**")


def _show_actions(iri: str, node: URIRef, known: dict[str, str], say: Say) -> None:
    with st.container(horizontal=True, gap="small"):
        if st.button(say("sparql-open"), key="describe-query", icon=":material/code:"):
            sparql.open_page(name_of(node, known), f"DESCRIBE {short_or_whole(node)}\n")
        if iri.startswith(("http://", "https://")) and not shorten(iri).startswith(("tw:", "twd:")):
            st.link_button(say("citation-open"), iri, icon=":material/open_in_new:")


def _show_properties(
    rows: Iterable[tuple[Identifier | None, ...]],
    known: dict[str, str],
    language: str,
    side: str,
    say: Say,
) -> None:
    by_property: dict[Identifier, list[Identifier]] = {}
    for prop, value in rows:
        if prop is not None and value is not None and _speaks(value, language):
            by_property.setdefault(prop, []).append(value)
    for number, (prop, values) in enumerate(by_property.items()):
        linked = all(isinstance(value, URIRef) for value in values)
        with st.container(horizontal=True, gap="small", vertical_alignment="top"):
            st.text(_title(prop, known, say), width=150)
            with st.container(gap="xsmall", horizontal=linked, width="stretch"):
                _show_nodes(values[:MOST_SHOWN], known, f"{side}-{number}")
                if len(values) > MOST_SHOWN:
                    st.caption(say("describe-more", n=f"{len(values) - MOST_SHOWN}"))


def _title(prop: Identifier, known: dict[str, str], say: Say) -> str:
    """Return what to call a property; the usual ones have no label in this graph."""
    short = shorten(prop)
    return say(f"property-{short.replace(':', '-')}") if short in USUAL else name_of(prop, known)


def _show_nodes(values: Iterable[Identifier | None], known: dict[str, str], key: str) -> None:
    for number, value in enumerate(values):
        if isinstance(value, URIRef):
            st.button(
                f":blue[{literal(name_of(value, known))}]",
                key=f"describe-{key}-{number}",
                type="tertiary",
                on_click=_go,
                args=(str(value),),
                help=literal(shorten(value)),
                wrap=True,
            )
        else:
            st.text(name_of(value, known))


def _speaks(value: Identifier, language: str) -> bool:
    return not isinstance(value, Literal) or value.language in (None, language)


def _texts(rows: Iterable[tuple[Identifier | None, ...]], prop: URIRef, language: str) -> list[str]:
    return [
        str(value)
        for stated, value in rows
        if stated == prop and isinstance(value, Literal) and value.language == language
    ]
