"""The graph with contributions, which takes up changes of their folder at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox
import rdflib

from kg.contributions.folder import ContributionFolder, Stamp
from kg.graph import ONTOLOGY, KnowledgeGraph

_log = logging.getLogger(__name__)

_Seen = dict[Path, tuple[int, int, int]]
"""Files as they were when read: inode, time of change and size."""


class ContributedGraph(KnowledgeGraph):
    """The shipped graph and all contributions in use.

    `refresh` reads only what has changed. A file that somebody broke by hand is left out.
    """

    def __init__(self, graph: rdflib.Graph, folder: ContributionFolder) -> None:
        super().__init__(graph)
        self.folder = folder
        self.stamp: Stamp | None = None
        self.version = 0
        """Counts the changes taken up."""
        self._seen: _Seen = {}
        self._places: tuple[Path, ...] = (ONTOLOGY,)
        self._lock = threading.Lock()

    @classmethod
    def of(
        cls, folder: ContributionFolder, places: Iterable[Path] = (ONTOLOGY,)
    ) -> ContributedGraph:
        """Return the graph of some places with a folder's contributions."""
        places = tuple(places)
        loaded = cls(KnowledgeGraph.load(*places).graph, folder)
        loaded._places = places
        loaded.refresh()
        return loaded

    @property
    def changed(self) -> bool:
        """Whether the folder has changed since it was last read."""
        return self.folder.stamp() != self.stamp

    def refresh(self) -> bool:
        """Take up what has changed in the folder, and return whether anything had."""
        if not self.changed:
            return False
        with self._lock:
            stamp = self.folder.stamp()
            if stamp == self.stamp:
                return False
            now = _look(self.folder)
            gone = [path for path, seen in self._seen.items() if now.get(path) != seen]
            come = [path for path, seen in now.items() if self._seen.get(path) != seen]
            if not all(self._forget(path) for path in gone):
                self.graph, come = KnowledgeGraph.load(*self._places).graph, list(now)
            self._learn(come)
            self._seen, self.stamp = now, stamp
            self.version += bool(gone or come)
            return bool(gone or come)

    @property
    def _engine(self) -> ox.Store:
        engine: ox.Store = self.graph.store._inner  # type: ignore[attr-defined]
        return engine

    def _learn(self, paths: list[Path]) -> None:
        if not paths:
            return
        try:
            # Prefixes are declared anew in each file, so all can be read at once.
            self._load(b"\n".join(path.read_bytes() for path in paths))
        except (SyntaxError, ValueError, OSError):
            for path in paths:
                try:
                    self._load(path.read_bytes())
                except (SyntaxError, ValueError, OSError) as error:
                    _log.warning("left out %s: %s", path, error)

    def _load(self, data: bytes) -> None:
        name = ox.BlankNode(str(self.graph.identifier))
        self._engine.load(data, format=ox.RdfFormat.TURTLE, to_graph=name)

    def _forget(self, path: Path) -> bool:
        """Remove what a contribution says, unless it was deleted or changed by hand."""
        text = _text_elsewhere(self.folder, path)
        if text is None:
            return False
        name = ox.BlankNode(str(self.graph.identifier))
        for triple in ox.parse(text, format=ox.RdfFormat.TURTLE):
            self._engine.remove(ox.Quad(triple.subject, triple.predicate, triple.object, name))
        return True


def _look(folder: ContributionFolder) -> _Seen:
    found: _Seen = {}
    for file in folder.files():
        try:
            state = file.path.stat()
        except OSError:
            continue  # undone this moment; the stamp changes again
        found[file.path] = (state.st_ino, state.st_mtime_ns, state.st_size)
    return found


def _text_elsewhere(folder: ContributionFolder, path: Path) -> bytes | None:
    """Return what a file held that is no longer in use, as it lies among those undone."""
    place = path.relative_to(folder.active)
    for moved in (folder.undone / place, folder.undone / ".".join(place.parts)):
        try:
            return moved.read_bytes()
        except OSError:
            continue
    return None
