"""The folder of contributions: files that are there whole or not at all, moved and never deleted.

    home/contributions/<id>.ttl             a contribution in use
    home/contributions/<import>/<n>.ttl     those of one import, whose ids are <import>.<n>
    home/undone/...                         the same, not in use
    home/unfinished/                        what is being written; left over only by a crash
    home/generation                         changes with every change, so that readers notice

A contribution is saved, undone and redone by one rename each, and so is a whole import.
Writers take turns by a lock, which the system frees when its holder dies; readers take none.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from kg.contributions.errors import NoSuchContribution, NotSaved
from kg.contributions.home import home_folder
from kg.contributions.whole_files import sync_folder, write_through, write_whole

IDENTIFIER = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}(\.\d{5})?")
PATIENCE = 60.0
"""Seconds that a writer waits for the others; a change takes milliseconds, a large import some."""

Stamp = tuple[str, int]
"""Changes whenever the folder does; comparing two takes some microseconds."""


@dataclass(frozen=True)
class ContributionFile:
    """A contribution's file; of an import, its part before the point is the import's."""

    id: str
    path: Path
    active: bool

    @property
    def import_id(self) -> str | None:
        """The import that it came with, if it came with one."""
        before, point, _ = self.id.partition(".")
        return before if point else None


class ContributionFolder:
    """The contributions of one home."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.active = home / "contributions"
        self.undone = home / "undone"
        self._unfinished = home / "unfinished"
        self._generation = home / "generation"

    @classmethod
    def at_home(cls, home: Path | None = None) -> ContributionFolder:
        """Return the contributions of a home, else of `TRAINWRIGHT_HOME`."""
        return cls(home_folder() if home is None else home)

    def stamp(self) -> Stamp:
        """Return what changes with the folder."""
        try:
            generation = self._generation.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            generation = ""
        try:
            return generation, self.active.stat().st_mtime_ns
        except OSError:
            return generation, 0

    def files(self) -> list[ContributionFile]:
        """Return all contributions in use, by id."""
        return _files(self.active, True)

    def undone_files(self) -> list[ContributionFile]:
        """Return all contributions that were undone, by id."""
        return _files(self.undone, False)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer; what a writer that died has left unfinished is removed.

        Raises:
            NotSaved: If the folder cannot be written, or another writer takes too long.
        """
        try:
            for folder in (self.active, self.undone, self._unfinished):
                folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.home / "contributions.lock", timeout=PATIENCE):
                for left in self._unfinished.iterdir():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                yield
        except Timeout as error:
            raise NotSaved("folder-busy", folder=str(self.home)) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise NotSaved("folder-unwritable", folder=str(self.home), reason=reason) from error

    def add(self, identifier: str, texts: Sequence[str]) -> list[str]:
        """Save one contribution, or those of an import all at once, and return their ids.

        Call it while `writing`.
        """
        if len(texts) == 1:
            path = self.active / f"{identifier}.ttl"
            write_whole(path, texts[0].encode(), self._unfinished / path.name)
            self._tell()
            return [identifier]
        part = self._unfinished / identifier
        part.mkdir()
        for number, text in enumerate(texts, 1):
            write_through(part / f"{number:05d}.ttl", text.encode())
        sync_folder(part)
        part.rename(self.active / identifier)
        sync_folder(self.active)
        self._tell()
        return [f"{identifier}.{number:05d}" for number in range(1, len(texts) + 1)]

    def undo(self, identifier: str) -> list[str]:
        """Take a contribution, or all of an import, out of use; call it while `writing`.

        Raises:
            NoSuchContribution: If none of that id is in use.
        """
        return self._move(identifier, self.files(), self.active, self.undone)

    def redo(self, identifier: str) -> list[str]:
        """Bring a contribution, or all of an import, back into use; call it while `writing`.

        Raises:
            NoSuchContribution: If none of that id was undone.
        """
        return self._move(identifier, self.undone_files(), self.undone, self.active)

    def _move(
        self, identifier: str, files: list[ContributionFile], here: Path, there: Path
    ) -> list[str]:
        chosen = chosen_by(identifier, files)
        together = {file.import_id for file in chosen if file.path.parent != here}
        whole = here / identifier
        if together == {identifier} and not (there / identifier).exists():
            whole.rename(there / identifier)  # one rename for all of the import
        for file in chosen:
            if file.path.exists():
                # On its own it leaves its import's folder, so that this can be moved later.
                file.path.rename(there / f"{file.id}.ttl")
        if whole.is_dir():
            with suppress(OSError):
                whole.rmdir()
        for folder in (here, there):
            sync_folder(folder)
        self._tell()
        return [file.id for file in chosen]

    def _tell(self) -> None:
        """Let readers notice; if that fails, the folder's own time still tells them."""
        with suppress(OSError):
            write_whole(
                self._generation, secrets.token_hex(8).encode(), self._unfinished / "generation"
            )


def new_identifier(now: datetime) -> str:
    """Return an id for a contribution or import: by time, with what tells two people apart."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def chosen_by(identifier: str, files: Sequence[ContributionFile]) -> list[ContributionFile]:
    """Return the contributions that an id, an import's id, or the beginning of one names.

    Raises:
        NoSuchContribution: If there is none, or the beginning fits several.
    """
    exact = [f for f in files if identifier in (f.id, f.import_id)]
    if exact:
        return exact
    begun = {f.import_id or f.id for f in files if f.id.startswith(identifier)}
    if not identifier or not begun:
        raise NoSuchContribution("no-such-contribution", id=identifier)
    if len(begun) > 1:
        raise NoSuchContribution(
            "ambiguous-contribution", id=identifier, allowed=", ".join(sorted(begun)[:8])
        )
    return [f for f in files if (f.import_id or f.id) in begun]


def _files(folder: Path, active: bool) -> list[ContributionFile]:
    found: list[ContributionFile] = []
    for entry in _entries(folder):
        if entry.name.endswith(".ttl"):
            found.append(ContributionFile(entry.name[:-4], Path(entry.path), active))
        elif IDENTIFIER.fullmatch(entry.name) and entry.is_dir():
            for part in _entries(Path(entry.path)):
                if part.name.endswith(".ttl"):
                    name = f"{entry.name}.{part.name[:-4]}"
                    found.append(ContributionFile(name, Path(part.path), active))
    return sorted(found, key=lambda file: file.id)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
