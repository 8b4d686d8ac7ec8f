"""A number that is not known exactly: low, middle and high."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """The tenth, fiftieth and ninetieth percentile of a quantity."""

    p10: float
    p50: float
    p90: float

    def map(self, change: Callable[[float], float]) -> Interval:
        """Return the interval with each end changed in the same way."""
        return Interval(*(change(x) for x in (self.p10, self.p50, self.p90)))

    def times(self, factor: float) -> Interval:
        """Return the interval scaled."""
        return self.map(lambda x: x * factor)
