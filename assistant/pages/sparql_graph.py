"""Triples as a picture: what is near a node, and further from it on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st
from rdflib.term import BNode, Identifier, Literal, URIRef

from assistant.messages import Say
from assistant.pages.language import page_language
from assistant.pages.literal import literal
from assistant.pages.sparql_editor import graph
from assistant.pages.sparql_executor import labels, name_of
from kg import Executor, GraphError, Limits, shorten

Triple = Sequence[Identifier]

MOST_DRAWN = 80
"""Edges of a picture; with more nobody sees anything."""

NEIGHBOURS = 20
"""Triples in each direction that exploring adds."""

AROUND = """
CONSTRUCT {{ <{node}> ?to ?object . ?subject ?from <{node}> }} WHERE {{
  {{ SELECT ?to ?object {{ <{node}> ?to ?object
     FILTER(ISIRI(?object) || (ISLITERAL(?object) && LANG(?object) IN ("", "{language}")
            && STRLEN(STR(?object)) < 60)) }} LIMIT {most} }}
  UNION
  {{ SELECT ?subject ?from {{ ?subject ?from <{node}> }} LIMIT {most} }}
}}
"""


def show(triples: Sequence[Triple], executor: Executor, key: str, say: Say) -> None:
    """Show triples as a picture and as a table."""
    if not triples:
        st.info(say("sparql-no-triples"), icon=":material/info:")
        return
    picture, table = st.tabs([say("sparql-graph"), say("sparql-table")], key=f"{key}-views")
    with picture:
        explorer(triples, executor, key, say)
    with table:
        known = _labels(executor, (term for triple in triples for term in triple))
        titles = (say("sparql-subject"), say("sparql-predicate"), say("sparql-object"))
        cells = [[name_of(term, known) for term in triple] for triple in triples]
        st.dataframe(
            [dict(zip(titles, row, strict=True)) for row in cells],
            hide_index=True,
            key=f"{key}-triples",
            alt=say("sparql-table"),
        )


@st.fragment
def explorer(triples: Sequence[Triple], executor: Executor, key: str, say: Say) -> None:
    """Show a picture of triples; a node that is chosen can be explored from or described."""
    state = st.session_state.setdefault(f"{key}-explored", {"chosen": None, "more": []})
    chosen = state["chosen"]
    shown = list(dict.fromkeys(tuple(t) for t in [*state["more"], *triples]))
    drawn = shown[:MOST_DRAWN]
    known = _labels(executor, [term for triple in drawn for term in triple])
    nodes = {_id(t): _node(t, known, chosen) for s, _, o in drawn for t in (s, o)}
    edges = [{"source": _id(s), "target": _id(o), "label": name_of(p, known)} for s, p, o in drawn]
    graph(
        list(nodes.values()),
        edges,
        say("sparql-graph"),
        f"{key}-graph",
        lambda: _choose(state, f"{key}-graph"),
    )
    if len(shown) > len(drawn):
        st.caption(say("sparql-graph-cut", n=f"{len(drawn)}", triples=f"{len(shown):,}"))
    if chosen is None:
        st.caption(say("sparql-graph-hint"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{literal(name_of(URIRef(chosen), known))}**", width="content")
        st.button(
            say("sparql-explore"),
            key=f"{key}-explore",
            icon=":material/hub:",
            on_click=_explore,
            args=(state, chosen, executor, say),
        )
        if st.button(say("sparql-describe"), key=f"{key}-describe", icon=":material/description:"):
            from assistant.pages import describe  # it shows pictures, too

            describe.open_page(chosen)


def around(node: str, executor: Executor) -> list[Triple]:
    """Return some triples from and to a node.

    Raises:
        GraphError: If the query cannot be run.
    """
    query = AROUND.format(node=node, language=page_language(), most=NEIGHBOURS)
    return list(executor.run(query, Limits(rows=2 * NEIGHBOURS)).triples)


def _choose(state: dict[str, object], key: str) -> None:
    state["chosen"] = st.session_state[key].get("node") or state["chosen"]


def _explore(state: dict[str, list[Triple]], node: str, executor: Executor, say: Say) -> None:
    try:
        state["more"] = [*around(node, executor), *state["more"]]
    except GraphError as error:
        st.toast(literal(str(error)), icon=":material/error:")


def _labels(executor: Executor, terms: Iterable[Identifier]) -> dict[str, str]:
    try:
        return labels(executor, terms, page_language())
    except GraphError:  # without labels the short names are shown
        return {}


def _id(term: Identifier) -> str:
    return str(term) if isinstance(term, URIRef) else term.n3()


def _node(term: Identifier, known: dict[str, str], chosen: str | None) -> dict[str, object]:
    kinds = {URIRef: "iri", BNode: "blank", Literal: "literal"}
    return {
        "id": _id(term),
        "label": name_of(term, known),
        "name": shorten(term),
        "kind": kinds.get(type(term), "literal"),
        "chosen": str(term) == chosen and isinstance(term, URIRef),
    }
