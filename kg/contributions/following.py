"""The executor on the shipped graph and contributions, which notices when these change."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kg.contributions.folder import ContributionFolder
from kg.errors import BrokenData
from kg.executor import Executor, Limits, RunningQuery
from kg.keeper import Keeper


class FollowingExecutor(Executor):
    """Loads the graph anew before a query if contributions have changed since."""

    def __init__(
        self,
        folder: ContributionFolder,
        places: Iterable[Path],
        limits: Limits,
        workers: int,
        patience: float,
    ) -> None:
        self._folder = folder
        self._given = list(places)
        self._stamp = folder.stamp()
        self._noticing = threading.Lock()
        super().__init__(Keeper(self._places()), limits, workers, patience)

    def submit(self, *arguments: Any, **named: Any) -> RunningQuery:
        """Return a handle on a query on the graph as it is now; see `Executor.submit`."""
        if self._folder.stamp() != self._stamp:
            with self._noticing:
                stamp = self._folder.stamp()
                if stamp != self._stamp:
                    self._take_up()
                    self._stamp = stamp
        return super().submit(*arguments, **named)

    def _take_up(self) -> None:
        """Load the graph anew; if a file was undone meanwhile, the next query does so again."""
        try:
            self.reload(self._places())
        except BrokenData:  # broken by hand: the graph stays as it was
            return

    def _places(self) -> list[Path]:
        used = [self._folder.active] if self._folder.active.exists() else []
        return [*self._given, *used]
