"""Whether a need fits an accelerator, and how many accelerators make it fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.devices import Device
from assistant.sizing.memory import Memory, Recipe, memory
from assistant.sizing.parallelism import Layout, layout_for
from assistant.sizing.problems import PlanRefused
from assistant.sizing.settling import Settled

FITS, TIGHT, TOO_SMALL = "fits", "tight", "too-small"
MOST_ACCELERATORS = 32_768
NODE = 8


@dataclass(frozen=True)
class Fit:
    """Whether a need fits a device: its estimate, its upper end, and what is usable.

    `because` says what makes it tight: the margin, or a loader that may hold the whole base.
    """

    device: str
    verdict: str
    needed: float
    needed_high: float
    usable: float
    because: str = ""

    @property
    def short(self) -> float:
        """Return how many bytes are lacking, 0 if none are."""
        return max(0.0, self.needed - self.usable)


@dataclass(frozen=True)
class Arrangement:
    """A recipe under a layout, with what it takes of each accelerator."""

    recipe: Recipe
    layout: Layout
    memory: Memory

    def loaded(self) -> float:
        """Return the bytes of a sharded base before it is sharded; 0 if it is not."""
        sharded = self.recipe.adapted and self.layout.stage == 3
        return self.memory.weights * self.layout.replicas if sharded else 0.0


def fit(needed: float, device: Device, c: Coefficients, loaded: float = 0.0) -> Fit:
    """Return whether a number of bytes fits a device; `fits` only with the margin.

    Args:
        needed: What the fullest device holds at the peak.
        device: The device.
        c: Coefficients.
        loaded: What a loader may hold before a base is sharded.
    """
    usable, high = device.memory * c["usable-memory"], needed * c["memory-margin"]
    verdict = FITS if high <= usable else TIGHT if needed <= usable else TOO_SMALL
    because = "margin" if verdict == TIGHT else ""
    if verdict == FITS and loaded > usable:
        # LitGPT's FSDP holds 13B of adapters' base whole on each of four devices at first.
        verdict, because = TIGHT, "loading"
    return Fit(device.name, verdict, needed, high, usable, because)


def arranged(settled: Settled, accelerators: int, c: Coefficients) -> Iterator[Arrangement]:
    """Yield the ways to spread a plan over a number of accelerators, the plainest first.

    What the plan says stays; what it leaves open is tried: sharding, then recomputation,
    then tensor parallelism within a node.
    """
    plan = settled.plan
    recomputes = (plan.recompute,) if plan.recompute else ("none", "full")
    tensors: tuple[int | None, ...] = (plan.tensor_parallel,)
    if plan.tensor_parallel is None and plan.sharding is None and accelerators > 1:
        heads = settled.model.heads
        most = min(settled.plan.accelerators_per_node or NODE, accelerators)
        tensors += tuple(t for t in (2, 4, 8) if t <= most and heads % t == 0)
    for tensor in tensors:
        for recompute in recomputes:
            for sharding in _shardings(settled, accelerators):
                attempt = replace(plan, tensor_parallel=tensor)
                try:
                    layout = layout_for(attempt, settled.model, accelerators, sharding)
                except PlanRefused:
                    if tensor == plan.tensor_parallel:
                        raise
                    continue
                yield _arrangement(settled, recompute, layout, c)


def arrange(settled: Settled, accelerators: int, device: Device, c: Coefficients) -> Arrangement:
    """Return the plainest arrangement that fits a device, else the one that takes least.

    Raises:
        PlanRefused: If the plan's own ways do not go together.
    """
    least = None
    for attempt in arranged(settled, accelerators, c):
        if fit(attempt.memory.total, device, c).verdict == FITS:
            return attempt
        if least is None or attempt.memory.total < least.memory.total:
            least = attempt
    assert least is not None
    return least


def devices_for_memory(settled: Settled, device: Device, c: Coefficients) -> int | None:
    """Return the fewest accelerators that a plan fits, or None if there is no number."""
    ways = ways_of(settled)
    for count in _counts(ways):
        try:
            found = arrange(settled, count, device, c)
        except PlanRefused as refused:
            if any(p.key != "batch-too-small" for p in refused.problems):
                raise
            return None
        if fit(found.memory.total, device, c).verdict == FITS:
            return count
    return None


def whole(count: int, settled: Settled) -> int:
    """Return a number of accelerators rounded up to whole nodes and to a plan's ways."""
    ways = ways_of(settled)
    step = ways
    if count > settled.per_node:
        step = ways if ways % settled.per_node == 0 else ways * settled.per_node
        if settled.per_node % ways == 0:
            step = settled.per_node
    return -(-count // step) * step


def devices_for_memory_bound(Q: float, G: float) -> int:
    """Return the fewest devices that hold so much (formula devices-for-memory)."""
    return int(-(-Q // G))


def devices_for_time(C: float, F: float, M: float, Z: float) -> int:
    """Return the fewest devices that finish in time (formula devices-for-time)."""
    return int(-(-C // (F * M * Z)))


def _shardings(settled: Settled, accelerators: int) -> tuple[str, ...]:
    plan = settled.plan
    if plan.sharding:
        return (plan.sharding,)
    if accelerators == 1:
        return ("none",)
    return ("ddp", "fsdp")


def _arrangement(settled: Settled, recompute: str, layout: Layout, c: Coefficients) -> Arrangement:
    share = layout.data * settled.recipe.micro_batch
    batches = max(1, -(-settled.global_batch // share))
    recipe = replace(settled.recipe, recompute=recompute, micro_batches=batches)
    return Arrangement(recipe, layout, memory(settled.model, recipe, layout, c))


def ways_of(settled: Settled) -> int:
    """Return the product of the ways of tensor, pipeline and context parallelism."""
    plan = settled.plan
    product = 1
    for ways in (plan.tensor_parallel, plan.pipeline_parallel, plan.context_parallel):
        product *= ways or 1
    return product


def _counts(ways: int) -> Iterator[int]:
    """Yield numbers of accelerators to try: multiples of the ways, ever further apart."""
    factor, step = 1, 1
    while ways * factor <= MOST_ACCELERATORS:
        yield ways * factor
        if ways * factor >= 8 * max(step, 1) * NODE:
            step *= 2
        factor += factor if ways * factor < NODE else max(1, step * NODE // ways)
