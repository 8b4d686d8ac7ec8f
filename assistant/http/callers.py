"""Shares the workers fairly: no caller has them all, and none may queue without end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


class TooManyRequests(Exception):
    """A caller has more requests open than it may."""


class NoTurn(Exception):
    """A request's turn did not come in time."""


@dataclass
class _Caller:
    turns: asyncio.Semaphore
    open: int = 0


class Callers:
    """Who is being served right now."""

    def __init__(self, turns: int, max_waiting: int, patience: float) -> None:
        self.turns = turns
        self.max_waiting = max_waiting
        self.patience = patience
        self._callers: dict[str, _Caller] = {}

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for the turn of a caller's request, and hold it.

        Raises:
            TooManyRequests: If the caller has too many open.
            NoTurn: If the turn does not come in time.
        """
        caller = self._callers.setdefault(name, _Caller(asyncio.Semaphore(self.turns)))
        if caller.open >= self.max_waiting:
            raise TooManyRequests
        caller.open += 1
        try:
            try:
                await asyncio.wait_for(caller.turns.acquire(), self.patience)
            except TimeoutError:
                raise NoTurn from None
            try:
                yield
            finally:
                caller.turns.release()
        finally:
            caller.open -= 1
            if caller.open == 0:
                self._callers.pop(name, None)
