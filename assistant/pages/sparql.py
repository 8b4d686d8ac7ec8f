"""SPARQL on the page: write a query, run it, read, draw and take away its result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from assistant.messages import Say
from assistant.pages import sparql_result
from assistant.pages.language import language_in_address, page_language, page_texts
from assistant.pages.literal import literal
from assistant.pages.sparql_clients import as_curl, as_python
from assistant.pages.sparql_editor import editor, editor_key, library
from assistant.pages.sparql_examples import QUERIES, catalogue, filled, templates
from assistant.pages.sparql_executor import names, shared_executor
from assistant.pages.sparql_format import formatted
from assistant.pages.sparql_tabs import QueryFolder, Tab
from kg import (
    Executor,
    ExecutorBusy,
    GraphError,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryResult,
    QueryTimeout,
    QueryTooLarge,
    RunningQuery,
)

FIRST = QUERIES / "memory_of_gpus.rq"
AT_ONCE = 0.4
"""Seconds in which most queries end; only after them the page says that it waits."""

LONG_LINK = 7_000
"""Characters from which some programs cut an address off."""

KEPT_RESULTS = 4
"""Tabs whose last result stays in memory."""


@dataclass(frozen=True)
class Outcome:
    """What became of a query: a result, or an error."""

    query: str
    result: QueryResult | None
    error: GraphError | None
    number: int

    @property
    def marks(self) -> list[dict[str, Any]]:
        """Where the query is at fault."""
        error = self.error
        if not isinstance(error, QueryFailed | QueryRefused) or error.line is None:
            return []
        return [{"line": error.line, "column": error.column, "message": str(error)}]


def page() -> None:
    """Show the reader's queries, and the result of the one that is open."""
    say = page_texts()
    st.set_page_config(layout="wide")
    executor = shared_executor(say)
    workspace = _Workspace.of_session(say)
    if (shared := st.query_params.get("query")) and workspace.address != shared:
        workspace.address = shared
        workspace.open(say("sparql-shared-name"), shared)
        workspace.run(executor)
    if handed := st.session_state.pop("sparql-handed", None):
        workspace.open(*handed)
        workspace.run(executor)
    library(names(executor), page_language())
    _show_tabs(workspace, say)
    _show_examples(workspace, executor, say)
    _show_editor(workspace, executor, workspace.changes, say)
    if workspace.running:
        st.fragment(_show_running, run_every=0.3)(workspace, say)
    elif outcome := workspace.outcomes.get(workspace.current):
        _show_outcome(outcome, executor, workspace.current, say)


def open_page(name: str, query: str) -> None:
    """Leave the page that is shown for this one, with a query that is run at once."""
    st.session_state["sparql-handed"] = (name, query)
    st.switch_page(st.Page(page, url_path="sparql"))


class _Workspace:
    """The tabs of a browser session, the results of their queries and the query that runs."""

    def __init__(self, folder: QueryFolder, say: Say) -> None:
        self.folder = folder
        self.say = say
        self.tabs = {tab.id: tab for tab in folder.load()}
        self.outcomes: dict[str, Outcome] = {}
        self.running: RunningQuery | None = None
        self.changes = 0  # of anything that is shown outside of the editor
        self.address: str | None = None
        self._asked = ("", "")  # the tab and the text of the query that runs
        self._count = 0
        if not self.tabs:
            first = Tab.new(say("sparql-first-name"), FIRST.read_text(encoding="utf-8"))
            self.tabs[first.id] = first
        self.current = next(reversed(self.tabs))

    @classmethod
    def of_session(cls, say: Say) -> _Workspace:
        if "sparql-workspace" not in st.session_state:
            st.session_state["sparql-workspace"] = cls(QueryFolder.at_home(), say)
        workspace: _Workspace = st.session_state["sparql-workspace"]
        workspace.say = say
        return workspace

    @property
    def tab(self) -> Tab:
        return self.tabs[self.current]

    def open(self, name: str, query: str) -> None:
        """Open a query in a tab of its own, which gets a file as soon as it is changed."""
        known = next((t for t in self.tabs.values() if t.text.strip() == query.strip()), None)
        tab = known or Tab.new(name, query)
        self.tabs[tab.id] = tab
        self.choose(tab.id)

    def open_new(self) -> None:
        """Open an empty tab."""
        tab = Tab.new(self.say("sparql-new-name"), "")
        self.tabs[tab.id] = tab
        self.choose(tab.id)

    def type(self, tab: str, typed: dict[str, Any] | None) -> None:
        """Take over what was typed, unless the page has put another text into the editor since."""
        known = self.tabs.get(tab)
        if typed and known and typed["revision"] == known.revision and typed["text"] != known.text:
            self.update(known.typed(typed["text"]))
            self._forget_address()

    def replace(self, text: str) -> None:
        """Put a text into the editor of the open tab."""
        if text != self.tab.text:
            self.changes += 1
            self.update(self.tab.replaced(text))
            self._forget_address()

    def _forget_address(self) -> None:
        if "query" in st.query_params:
            del st.query_params["query"]

    def choose(self, tab: str) -> None:
        self.changes += 1
        self.current = tab
        st.session_state["sparql-tab"] = tab

    def update(self, tab: Tab) -> None:
        """Take a changed tab over and write its file, or say why that is not possible."""
        try:
            tab = self.folder.save(tab)
        except OSError as error:
            reason = literal(str(error))
            st.toast(self.say("sparql-not-kept", reason=reason), icon=":material/error:")
        self.tabs[tab.id] = tab

    def close(self) -> None:
        """Delete the open tab; the one before it opens, or a new one."""
        tab = self.tabs.pop(self.current)
        self.outcomes.pop(tab.id, None)
        try:
            self.folder.delete(tab)
        except OSError as error:
            reason = literal(str(error))
            st.toast(self.say("sparql-not-kept", reason=reason), icon=":material/error:")
        if self.tabs:
            self.choose(next(reversed(self.tabs)))
        else:
            self.open_new()

    def run(self, executor: Executor) -> None:
        """Start the query of the open tab; most have ended when this returns."""
        if self.running:
            self.running.cancel()
        self.changes += 1
        self._asked = (self.current, self.tab.text)
        self.running = executor.submit(self.tab.text).start()
        until = time.monotonic() + AT_ONCE
        while not self.running.done and time.monotonic() < until:
            time.sleep(0.005)
        self.collect()

    def collect(self) -> bool:
        """Keep the outcome of the query that runs, if it has ended."""
        if self.running is None or not self.running.done:
            return False
        tab, query = self._asked
        result, problem = None, None
        try:
            result = self.running.result()
        except GraphError as error:
            problem = error
        self._count += 1
        self.outcomes.pop(tab, None)
        self.outcomes[tab] = Outcome(query, result, problem, self._count)
        while len(self.outcomes) > KEPT_RESULTS:
            self.outcomes.pop(next(iter(self.outcomes)))
        self.running = None
        return True


def _show_tabs(workspace: _Workspace, say: Say) -> None:
    if st.session_state.get("sparql-tab") not in workspace.tabs:
        st.session_state["sparql-tab"] = workspace.current
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.segmented_control(
            say("sparql-tabs"),
            list(workspace.tabs),
            format_func=lambda tab: literal(workspace.tabs[tab].name),
            required=True,
            key="sparql-tab",
            label_visibility="collapsed",
            on_change=lambda: workspace.choose(st.session_state["sparql-tab"]),
        )
        st.button(
            say("sparql-new"),
            key="sparql-new",
            icon=":material/add:",
            type="tertiary",
            on_click=lambda: workspace.open_new(),
        )
        with st.popover(
            say("sparql-edit-tab"), icon=":material/edit:", type="tertiary", key="sparql-edit-tab"
        ):
            key = f"sparql-name-{workspace.current}"
            st.text_input(
                say("sparql-name"),
                workspace.tab.name,
                max_chars=60,
                key=key,
                on_change=lambda: workspace.update(workspace.tab.renamed(st.session_state[key])),
            )
            st.button(
                say("sparql-delete"),
                key="sparql-delete",
                icon=":material/delete:",
                on_click=workspace.close,
            )


@st.fragment
def _show_editor(workspace: _Workspace, executor: Executor, drawn: int, say: Say) -> None:
    """Show the editor; what is typed is taken over without running the page again.

    A click that follows typing at once is answered by a run of this part alone, so it may not be
    in a callback, and what it changes outside of this part (`drawn`) asks for a run of the page.
    """
    tab = workspace.tab
    outcome = workspace.outcomes.get(tab.id)
    key = editor_key(tab)

    def typed() -> None:
        workspace.type(tab.id, st.session_state[key].get("text"))

    def run() -> None:
        workspace.type(tab.id, st.session_state[key].get("run"))
        workspace.run(executor)

    editor(tab, outcome.marks if outcome else [], say, typed, run)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if st.button(
            say("sparql-run"),
            key="sparql-run",
            type="primary",
            icon=":material/play_arrow:",
            help=say("sparql-run-help"),
        ):
            workspace.run(executor)
        if st.button(
            say("sparql-format"), key="sparql-format", icon=":material/format_align_left:"
        ):
            workspace.replace(formatted(workspace.tab.text))
        with st.popover(
            say("sparql-share"), icon=":material/share:", key="sparql-share", on_change="rerun"
        ) as share:
            if share.open:
                _show_share(workspace.tab.text, say)
    if workspace.changes != drawn:
        st.rerun()


def _show_examples(workspace: _Workspace, executor: Executor, say: Say) -> None:
    language = page_language()
    examples = {
        f"{group}-{example.key}": (group, example)
        for group, listed in (("catalogue", catalogue(say, language)), ("template", templates()))
        for example in listed
    }

    def label(key: str) -> str:
        group, example = examples[key]
        name = example.labels.get(language) or example.key
        return say(f"sparql-example-{group}", name=name)

    def opened() -> None:
        if key := st.session_state["sparql-example"]:
            _, example = examples[key]
            name = example.labels.get(language) or example.key
            workspace.open(name, filled(example, executor))
            workspace.run(executor)
            st.session_state["sparql-example"] = None

    st.selectbox(
        say("sparql-examples"),
        list(examples),
        index=None,
        format_func=label,
        placeholder=say("sparql-examples"),
        key="sparql-example",
        label_visibility="collapsed",
        on_change=opened,
    )


def _show_share(query: str, say: Say) -> None:
    link = share_link(query)
    st.caption(say("sparql-share-link"))
    st.code(link, language=None, wrap_lines=True, height=110)
    if len(link) > LONG_LINK:
        st.warning(say("sparql-share-long", n=f"{len(link):,}"), icon=":material/warning:")
    st.caption(say("sparql-share-programs"))
    curl, python = st.tabs(["curl", "Python"])
    with curl:
        st.code(as_curl(query), language="bash", wrap_lines=True, height=200)
    with python:
        st.code(as_python(query), language="python", wrap_lines=True, height=200)


def share_link(query: str) -> str:
    """Return the address of this page with a query in it."""
    page = str(st.context.url or "").split("?", 1)[0]
    return f"{page}?{urlencode({'language': language_in_address(), 'query': query})}"


def _show_running(workspace: _Workspace, say: Say) -> None:
    running = workspace.running
    if running is None or workspace.collect():
        st.rerun()
    seconds = f"{running.elapsed_ms / 1000:.1f}" if running else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("sparql-stop"), key="sparql-stop", icon=":material/stop:", on_click=running.cancel
        )
        st.caption(say("sparql-running", seconds=seconds), width="content")


def _show_outcome(outcome: Outcome, executor: Executor, tab: str, say: Say) -> None:
    if isinstance(outcome.error, QueryCancelled):
        st.info(say("sparql-stopped"), icon=":material/stop_circle:")
    elif outcome.error:
        refused = isinstance(outcome.error, QueryRefused)
        icon = ":material/block:" if refused else ":material/error:"
        st.error(_worded(outcome.error, say), icon=icon)
    elif outcome.result is not None:
        sparql_result.show(outcome.result, executor, f"sparql-{tab}-{outcome.number}", say)


def _worded(error: GraphError, say: Say) -> str:
    """Return what went wrong, in the page's language as far as the graph words nothing itself."""
    if isinstance(error, QueryTimeout):
        return say("sparql-timeout", seconds=f"{error.seconds:g}")
    if isinstance(error, ExecutorBusy):
        return say("sparql-busy", seconds=f"{error.seconds:g}")
    if isinstance(error, QueryTooLarge):
        return say("sparql-too-large", megabytes=f"{error.limit / 1e6:g}")
    reason = str(error)
    if isinstance(error, QueryFailed | QueryRefused) and error.line is not None:
        place = f"line {error.line}, column {error.column}: "
        where = {"line": error.line, "column": error.column}
        reason = literal(reason.replace(place, "", 1))
        if isinstance(error, QueryRefused):
            return say("sparql-refused-at", reason=reason, **where)
        return say("sparql-failed-at", reason=reason, **where)
    return say("sparql-failed", reason=literal(reason))
