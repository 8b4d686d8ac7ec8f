"""What is recommended for a plan, as one value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assistant.sizing.cost import OwnedCost
from assistant.sizing.intervals import Interval
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.settling import Assumption


@dataclass(frozen=True)
class Option:
    """One way to run a plan, rented or bought, with its cost in one currency.

    What is bought is priced with its accelerators alone, for the whole of it: the machine
    stays when the run is over.
    """

    device: str
    count: int
    nodes: int
    kind: str
    needed: float
    usable: float
    binding: str
    hours: Interval
    cost: Interval
    currency: str
    priced_by: str
    date: str
    source: str
    region: str | None = None
    slowdown: float = 1.0
    merits: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    pareto: bool = False


@dataclass(frozen=True)
class Rejected:
    """An accelerator that will not do: why, and what was given and needed."""

    device: str
    reason: str
    given: str
    needed: str


@dataclass(frozen=True)
class Recommendation:
    """Options, the cheapest first; those on the front of cost and time are marked.

    `chart` holds the options of every scale, `owned` the comparison of buying and renting
    for the first option whose accelerator has both prices.
    """

    plan: TrainingPlan
    options: tuple[Option, ...]
    chart: tuple[Option, ...]
    rejected: tuple[Rejected, ...]
    owned: OwnedCost | None
    owned_device: str | None
    scenario: str | None
    statements: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    asks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the recommendation as plain data."""
        data = asdict(self)
        data["plan"] = {k: v for k, v in data["plan"].items() if v not in (None, False)}
        return data
