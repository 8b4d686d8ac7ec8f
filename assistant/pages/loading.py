"""The one assistant that all browser sessions share, and its progress while it loads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TYPE_CHECKING

import streamlit as st

from assistant.messages import Say
from assistant.pages.literal import literal

if TYPE_CHECKING:
    from assistant import Assistant

Report = Callable[[str, float], None]


def load_assistant(report: Report) -> Assistant:
    """Return a loaded and warmed assistant."""
    from assistant import Assistant  # so that the page shows its progress before torch is imported

    return Assistant.load(report)


class Loading:
    """An assistant that is being loaded in a thread of its own.

    Streamlit ends the thread of a page that the reader leaves or reloads. This one
    goes on, and whoever comes meanwhile sees how far it is.
    """

    def __init__(self) -> None:
        self.stage = "loading-graph"
        self.fraction = 0.0
        self._assistant: Future[Assistant] = Future()
        Thread(target=self._load, name="load-assistant", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Return whether loading has ended, well or not, within some seconds."""
        return bool(wait([self._assistant], timeout=seconds).done)

    def result(self) -> Assistant:
        """Return the assistant, or raise what stopped it from loading."""
        return self._assistant.result()

    def _load(self) -> None:
        try:
            self._assistant.set_result(load_assistant(self._report))
        except BaseException as error:
            self._assistant.set_exception(error)

    def _report(self, stage: str, fraction: float) -> None:
        self.stage, self.fraction = stage, min(max(fraction, 0.0), 1.0)


@st.cache_resource(show_spinner=False)
def shared_loading() -> Loading:
    """Return the loading that this process has begun, once."""
    return Loading()


def shared_assistant(say: Say) -> Assistant:
    """Return the process's assistant; until it is there, the page shows how far it is."""
    loading = shared_loading()
    if not loading.wait(0):
        slot = st.empty()
        while not loading.wait(0.1):
            slot.progress(loading.fraction, say(f"progress-{loading.stage}"))
        slot.empty()
    try:
        return loading.result()
    except Exception as error:
        st.error(say("load-failed", reason=literal(str(error))), icon=":material/error:")
        st.button(say("load-again"), key="load-again", on_click=shared_loading.clear)
        st.stop()
