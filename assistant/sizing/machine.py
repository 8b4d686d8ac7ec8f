"""A machine to train on, as a sentence, a form or a quote describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assistant.sizing.plan import TrainingPlan, input_value
from assistant.sizing.problems import PlanRefused, Problem

CHASSIS = ("workstation", "server", "rack")
COOLINGS = ("air", "liquid")
INTERCONNECTS = ("nvlink", "pcie")


@dataclass(frozen=True)
class Machine:
    """What each node has beside its accelerators; None means not said.

    Memory and storage in GB, rates in GB/s, ports in Gbit/s, power in watts. `pooled` says
    that the memory of several accelerators was counted as one; `hours` is what somebody
    claims that the run takes.
    """

    host_memory_gb: float | None = None
    cpu_cores: int | None = None
    nic_count: int | None = None
    nic_gbit: float | None = None
    psu_watts: float | None = None
    circuit_watts: float | None = None
    cooling: str | None = None
    pcie_lanes: int | None = None
    pcie_slots: int | None = None
    storage_gb: float | None = None
    storage_write_gb_s: float | None = None
    interconnect: str | None = None
    chassis: str | None = None
    pooled: bool = False
    hours: float | None = None


RANGES: dict[str, tuple[float, float]] = {
    "host_memory_gb": (1, 100_000),
    "cpu_cores": (1, 10_000),
    "nic_count": (0, 64),
    "nic_gbit": (0.01, 10_000),
    "psu_watts": (50, 1_000_000),
    "circuit_watts": (50, 10_000_000),
    "pcie_lanes": (1, 1_024),
    "pcie_slots": (1, 64),
    "storage_gb": (1, 1e12),
    "storage_write_gb_s": (0.001, 100_000),
    "hours": (0.001, 1e6),
}
CHOICES = {"cooling": COOLINGS, "interconnect": INTERCONNECTS, "chassis": CHASSIS}


def configuration(values: Mapping[str, Any]) -> tuple[TrainingPlan, Machine]:
    """Return the plan and the machine that plain data describes.

    Raises:
        PlanRefused: If an input is unknown, of another kind, or cannot be.
    """
    names = {f.name for f in fields(Machine)}
    keyed = {str(k).replace("-", "_").lower(): v for k, v in values.items()}
    own = {k: v for k, v in keyed.items() if k in names}
    problems: list[Problem] = []
    plan = TrainingPlan()
    try:
        plan = TrainingPlan.of({k: v for k, v in keyed.items() if k not in names})
    except PlanRefused as refused:
        problems += refused.problems
    given: dict[str, Any] = {}
    for name, value in own.items():
        read = input_value(Machine, name, value, CHOICES)
        problems += [read] if isinstance(read, Problem) else _impossible(name, read)
        given[name] = read
    if problems:
        raise PlanRefused(problems)
    return plan, Machine(**{k: v for k, v in given.items() if v is not None})


def _impossible(name: str, value: Any) -> list[Problem]:
    if value is None:
        return []
    if name in CHOICES and value not in CHOICES[name]:
        return [Problem("no-choice", name, str(value), ", ".join(CHOICES[name]))]
    low, high = RANGES.get(name, (None, None))
    if low is None or high is None or low <= value <= high:
        return []
    key = "not-positive" if value <= 0 else "out-of-range"
    return [Problem(key, name, f"{value:g}", f"{low:g} - {high:,.15g}")]
