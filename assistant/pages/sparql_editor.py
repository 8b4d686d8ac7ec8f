"""The query editor and the graph view: components whose scripts are bundled, so nothing is fetched.

CodeMirror, rather than a ready-made package: streamlit-ace and streamlit-code-editor had their last
releases in 2023 and 2024 and know neither this graph's names nor the page's colours. The bundle
is built by `npm install && npm run build` in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from assistant.messages import Say
from assistant.pages.sparql_executor import Name
from assistant.pages.sparql_tabs import Tab
from kg.namespaces import PREFIXES

FRONTEND = Path(__file__).parent / "frontend"

WAITING = """
export default function (component) {
  const show = () => globalThis.trainwrightPages.SHOW(component);
  if (globalThis.trainwrightPages?.SHOW) return show();
  document.addEventListener("trainwright-pages", show, { once: true });
}
"""
"""Shows a part once the library, which comes with a message of its own, is there."""


@st.cache_resource(show_spinner=False)
def _text(name: str) -> str:
    return (FRONTEND / name).read_text(encoding="utf-8")


def library(names: Sequence[Name], language: str) -> None:
    """Send the scripts and the names to complete, once: a browser keeps what stays the same."""
    _component("trainwright_library", js=_text("library.js"))(
        key="sparql-library",
        data={"names": [_named(name, language) for name in names], "prefixes": PREFIXES},
        height=1,
    )


def editor(
    tab: Tab,
    marks: Sequence[dict[str, Any]],
    say: Say,
    on_text: Callable[[], None],
    on_run: Callable[[], None],
) -> None:
    """Show a tab's query; `st.session_state[editor_key(tab)]` holds what was typed."""
    _component(
        "trainwright_editor",
        html='<div class="editor"></div>',
        css=_text("editor.css"),
        js=WAITING.replace("SHOW", "showEditor"),
    )(
        key=editor_key(tab),
        data={
            "text": tab.placed,
            "revision": tab.revision,
            "marks": list(marks),
            "label": say("sparql-editor"),
            "placeholder": say("sparql-placeholder"),
        },
        default={"text": None},
        on_text_change=on_text,
        on_run_change=on_run,
    )


def editor_key(tab: Tab) -> str:
    """Return the key of a tab's editor."""
    return f"sparql-editor-{tab.id}"


def graph(
    nodes: Sequence[dict[str, Any]],
    edges: Sequence[dict[str, Any]],
    label: str,
    key: str,
    on_node: Callable[[], None],
) -> None:
    """Show a graph; `st.session_state[key]["node"]` is the IRI of the node that was chosen."""
    _component(
        "trainwright_graph",
        html='<div class="graph"></div>',
        css=_text("graph.css"),
        js=WAITING.replace("SHOW", "showGraph"),
    )(
        key=key,
        data={"nodes": list(nodes), "edges": list(edges), "label": label},
        on_node_change=on_node,
    )


_registered: dict[str, Callable[..., Any]] = {}


def _component(
    name: str, *, js: str, html: str | None = None, css: str | None = None
) -> Callable[..., Any]:
    if name not in _registered:
        _registered[name] = st.components.v2.component(name, html=html, css=css, js=js)
    return _registered[name]


def _named(name: Name, language: str) -> tuple[str, str, str, str]:
    labels = dict(name.labels)
    label = labels.get(language) or labels.get("") or next(iter(labels.values()), "")
    others = "\n".join(text for text in labels.values() if text != label)
    return name.short, label, name.kind, others
