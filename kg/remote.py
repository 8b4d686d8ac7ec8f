"""The executor for a graph in another store: the same limits and errors, no workers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rdflib.term import Identifier

from kg.endpoint import Endpoint, Stop, run
from kg.errors import ExecutorBusy, QueryCancelled, QueryRefused, QueryTooLarge
from kg.executor import Dataset, Executor, Limits, RunningQuery
from kg.graph import ONTOLOGY
from kg.results import from_term
from kg.worker import head_and_body

COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


def open_executor(
    places: Iterable[Path],
    limits: Limits | None = None,
    workers: int = 4,
    patience: float = 10.0,
) -> Executor:
    """Return an executor on the store that `TRAINWRIGHT_STORE` names, else on graph files.

    With the shipped graph come the contributions of this user, also those saved later.

    Raises:
        StoreUnavailable: If the variable holds no address.
    """
    endpoint = Endpoint.from_environment()
    if endpoint is None:
        places = list(places)
        if ONTOLOGY in places:
            from kg.contributions.folder import ContributionFolder  # late: they build on all of kg
            from kg.contributions.following import FollowingExecutor

            folder = ContributionFolder.at_home()
            return FollowingExecutor(folder, places, limits or Limits(), workers, patience)
        return Executor.start(places, limits, workers, patience)
    return RemoteExecutor(endpoint, limits or Limits(), workers, patience)


class RemoteExecutor(Executor):
    """Asks an endpoint, so many queries at once."""

    def __init__(self, endpoint: Endpoint, limits: Limits, workers: int, patience: float) -> None:
        self.endpoint = endpoint
        self.limits = limits
        self.workers = workers
        self.patience = patience
        self.turns = threading.BoundedSemaphore(workers)

    def ready(self) -> int:
        """Return the number of triples in the store.

        Raises:
            StoreUnavailable: If it does not answer.
        """
        ((count,),) = self.run(COUNT).rows
        return int(str(count))

    def reload(self, places: Iterable[Path] | None = None) -> int:
        """Return the number of triples in the store, which is always up to date."""
        return self.ready()

    def close(self) -> None:
        """Do nothing: there are no processes."""

    def submit(
        self,
        query: str,
        limits: Limits | None = None,
        *,
        formats: tuple[str, str] | None = None,
        bindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        dataset: Dataset | None = None,
    ) -> RunningQuery:
        """Return a handle on a query; see `Executor.submit`. A dataset cannot be chosen here."""
        task = {
            "query": query,
            "formats": formats,
            "bindings": {name: from_term(value) for name, value in (bindings or {}).items()},
            "base": base,
            "graphs": [*dataset.default, *dataset.named] if dataset else [],
        }
        return _RemoteQuery(self, task, limits or self.limits)


class _RemoteQuery(RunningQuery):
    def __init__(self, executor: RemoteExecutor, task: dict[str, Any], limits: Limits) -> None:
        super().__init__(executor, task, limits)
        self._remote = executor
        self._stop = Stop()

    def cancel(self) -> None:
        self.cancelled = True
        self._stop.now()

    def _answer(self) -> tuple[dict[str, Any], bytes]:
        task, limits = self._task, self._limits
        if len(task["query"].encode(errors="surrogatepass")) > limits.query_bytes:
            raise QueryTooLarge("text", limits.query_bytes)
        if task["graphs"]:
            raise QueryRefused("the request names a graph outside this one", task["graphs"][0])
        if not self._remote.turns.acquire(timeout=self._remote.patience):
            raise ExecutorBusy(self._remote.patience)
        try:
            if self.cancelled:
                raise QueryCancelled
            result = run(
                self._remote.endpoint,
                task["query"],
                seconds=limits.seconds,
                rows=limits.rows,
                most=limits.bytes,
                bindings=task["bindings"],
                base=task["base"],
                stop=self._stop,
            )
        finally:
            self._remote.turns.release()
        return head_and_body(result, task["formats"])
