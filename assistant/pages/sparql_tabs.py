"""The reader's queries as tabs; each is a file that survives a restart.

A file is an ordinary query, `trainwright sparql -f FILE` runs it; its first line holds the name
in the way of grlc: `#+ summary: NAME`.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from filelock import FileLock
from platformdirs import user_data_path

HEAD = "#+ summary:"
LARGEST = 500_000
"""Bytes of a file; a larger one is not one of ours."""

LONGEST_NAME = 60


@dataclass(frozen=True)
class Tab:
    """A named query.

    Attributes:
        id: What the session knows it by.
        file: The file's name without its ending; later ones sort behind.
        name: What the reader calls it.
        text: The query.
        revision: Counts the texts that the page, not the reader, has put into the editor.
        placed: The text of that revision.
        kept: What the file held when it was last read or written; None if there is no file yet.
    """

    id: str
    file: str
    name: str
    text: str
    revision: int = 0
    placed: str = ""
    kept: str | None = None

    @classmethod
    def new(cls, name: str, text: str) -> Tab:
        """Return a tab that has no file yet."""
        file = new_file_name()
        return cls(file, file, " ".join(name.split())[:LONGEST_NAME], text, 0, text)

    def typed(self, text: str) -> Tab:
        """Return the tab with a text that the reader typed."""
        return replace(self, text=text)

    def replaced(self, text: str) -> Tab:
        """Return the tab with a text that the editor has to show."""
        return replace(self, text=text, revision=self.revision + 1, placed=text)

    def renamed(self, name: str) -> Tab:
        """Return the tab under another name; an empty one changes nothing."""
        return replace(self, name=" ".join(name.split())[:LONGEST_NAME] or self.name)

    @property
    def content(self) -> str:
        """What its file holds."""
        return f"{HEAD} {self.name}\n{self.text}"


class QueryFolder:
    """A folder of queries; several sessions and processes may write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def at_home(cls) -> QueryFolder:
        """Return the folder in `TRAINWRIGHT_HOME`, or in the platform's user data folder."""
        named = os.environ.get("TRAINWRIGHT_HOME")
        home = Path(named).expanduser() if named else user_data_path("trainwright", False)
        return cls(home / "queries")

    def load(self) -> list[Tab]:
        """Return the queries, oldest first; files that cannot be read are left out."""
        tabs = []
        for path in sorted(self.path.glob("*.rq")) if self.path.is_dir() else []:
            try:
                if path.stat().st_size <= LARGEST:
                    tabs.append(_tab(path.stem, _read(path)))
            except OSError:
                continue
        return tabs

    def save(self, tab: Tab) -> Tab:
        """Write a query whole or not at all, and return its tab as it is kept.

        A file that someone else has changed meanwhile stays; the text goes into a new one.

        Raises:
            OSError: If the folder or the file cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path / ".lock"):
            if self._changed(tab):
                tab = replace(tab, file=new_file_name())
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", newline="", dir=self.path, suffix=".part", delete=False
            ) as file:
                file.write(tab.content)
            Path(file.name).replace(self._file(tab))
        return replace(tab, kept=tab.content)

    def delete(self, tab: Tab) -> None:
        """Remove a query, unless someone else has changed it meanwhile.

        Raises:
            OSError: If the file cannot be removed.
        """
        if tab.kept is not None:
            with FileLock(self.path / ".lock"):
                if not self._changed(tab):
                    self._file(tab).unlink(missing_ok=True)

    def _file(self, tab: Tab) -> Path:
        return self.path / f"{tab.file}.rq"

    def _changed(self, tab: Tab) -> bool:
        try:
            return _read(self._file(tab)) != tab.kept
        except FileNotFoundError:
            return False  # deleted elsewhere, or never written


def new_file_name() -> str:
    """Return a name for a file, behind those that exist."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{uuid4().hex[:4]}"


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def _tab(stem: str, content: str) -> Tab:
    first, _, rest = content.partition("\n")
    named = first.startswith(HEAD)
    name, text = (first.removeprefix(HEAD).strip(), rest) if named else (stem, content)
    return Tab(stem, stem, name or stem, text, 0, text, content)
