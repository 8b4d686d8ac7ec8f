"""A real Chromium and a real Streamlit server; skipped with a reason where one is missing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    binary = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if binary is None:
        pytest.skip(f"none of {', '.join(CHROMIUM)} is on the PATH")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """Start Streamlit on a script and give its address; all are stopped at the end."""
    with ExitStack() as running:
        yield lambda script: running.enter_context(served(script, tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session")
def app(serve: Callable[[Path], str]) -> str:
    """Give the address of the real page with the real assistant."""
    return serve(ROOT / "app.py")


@contextmanager
def served(script: Path, home: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = home / "streamlit.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", str(script)),
                *("--server.address", "127.0.0.1", "--server.port", str(port)),
                *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
            ],
            cwd=ROOT,
            env={**os.environ, "TRAINWRIGHT_HOME": str(home)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 30
        while not healthy(url):
            if server.poll() is not None or time.monotonic() > until:
                pytest.fail(f"streamlit did not start:\n{log.read_text()}")
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(20)


def healthy(url: str) -> bool:
    try:
        with urlopen(f"{url}/_stcore/health", timeout=1) as reply:
            return reply.status == 200
    except (URLError, OSError):
        return False
