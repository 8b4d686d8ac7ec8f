"""What a plan needs, as one value: memory, devices, time, network, storage, power and cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assistant.sizing.compute import Compute
from assistant.sizing.cost import CloudCost, OwnedCost
from assistant.sizing.devices import Device
from assistant.sizing.fitting import Fit
from assistant.sizing.host import Host
from assistant.sizing.intervals import Interval
from assistant.sizing.memory import Memory, Recipe
from assistant.sizing.models import Model
from assistant.sizing.network import Network
from assistant.sizing.parallelism import Layout
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.power import Power
from assistant.sizing.settling import Assumption
from assistant.sizing.storage import Storage


@dataclass(frozen=True)
class Devices:
    """How many accelerators are needed and which limit binds: memory, time or what was given."""

    device: Device
    count: int
    for_memory: int | None
    for_time: int | None
    binding: str
    nodes: int


@dataclass(frozen=True)
class Time:
    """Hours of a run, how much slow links add to them, and the assumption that moves them most."""

    hours: Interval
    utilisation: float
    operations: Compute
    tokens_per_second: float
    slowdown: float
    mover: str


@dataclass(frozen=True)
class Sizing:
    """What a plan needs. Bytes, seconds, watts; `None` where no accelerator was named.

    `alone` says how it would be on a single accelerator where several were found to be needed.
    """

    plan: TrainingPlan
    model: Model
    recipe: Recipe
    layout: Layout
    memory: Memory
    memory_high: float
    tokens: float
    global_batch: int
    fits: tuple[Fit, ...]
    alone: Fit | None
    devices: Devices | None
    time: Time | None
    network: Network | None
    storage: Storage
    host: Host
    power: Power | None
    cloud: tuple[CloudCost, ...]
    owned: OwnedCost | None
    cost_mover: str | None
    assumptions: tuple[Assumption, ...]
    asks: tuple[str, ...]
    formulas: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the estimate as plain data, ready for `json.dumps`."""
        data = asdict(self)
        data["plan"] = {k: v for k, v in data["plan"].items() if v not in (None, False)}
        data["memory"] |= {"total": self.memory.total, "high": self.memory_high}
        del data["memory_high"]
        if self.devices is not None:
            data["devices"]["device"] = self.devices.device.name
        return data
