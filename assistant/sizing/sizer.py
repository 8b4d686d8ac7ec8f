"""From one plan to everything it needs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from assistant.sizing.basis import formulas_behind
from assistant.sizing.coefficients import Coefficients
from assistant.sizing.compute import compute
from assistant.sizing.cost import CloudCost, cloud_costs, owned_cost
from assistant.sizing.devices import Device, DeviceCatalogue, Offer
from assistant.sizing.estimate import Devices, Sizing, Time
from assistant.sizing.fitting import (
    Arrangement,
    Fit,
    arrange,
    devices_for_memory,
    devices_for_time,
    fit,
    ways_of,
    whole,
)
from assistant.sizing.host import Host, host
from assistant.sizing.models import ModelCatalogue
from assistant.sizing.network import network, slowdown
from assistant.sizing.plan import RANGES, TrainingPlan, check
from assistant.sizing.power import power
from assistant.sizing.problems import PlanRefused, Problem
from assistant.sizing.settling import Assumption, Settled, settle
from assistant.sizing.storage import Storage, storage
from assistant.sizing.training_time import (
    DAY,
    HOUR,
    time_interval,
    training_time,
    utilisation,
)
from kg import KnowledgeGraph

# What to ask for where it was not said, for it changes the answer most.
GIGA = 1e9
ASKED_FOR = ("method", "sequence_length", "tokens")


class Sizer:
    """Estimates plans with the formulas, models, devices and prices of a graph."""

    def __init__(
        self, models: ModelCatalogue, devices: DeviceCatalogue, coefficients: Coefficients
    ) -> None:
        self.models = models
        self.devices = devices
        self.coefficients = coefficients

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Sizer:
        """Return an estimator over a graph."""
        return cls(ModelCatalogue.of(graph), DeviceCatalogue.of(graph), Coefficients.of(graph))

    def size(self, plan: TrainingPlan) -> Sizing:
        """Return what a plan needs.

        Raises:
            PlanRefused: If something in the plan is unknown, impossible or contradictory.
        """
        named = self._checked(plan)
        device = _chosen(named)
        settled = settle(plan, self.models, device, self.coefficients)
        if len(named) > 1 and device is not None:
            others = ", ".join(d.name for d in named if d is not device)
            note = Assumption("accelerator", f"{device.name} ({others})")
            settled = replace(settled, assumptions=(*settled.assumptions, note))
        if device is None:
            return self._without_device(settled)
        return self._on(device, named, settled)

    def _checked(self, plan: TrainingPlan) -> tuple[Device, ...]:
        """Return the accelerators a plan names; refuse it with all that is wrong at once."""
        problems: list[Problem] = []
        named: tuple[Device, ...] = ()
        try:
            check(plan)
        except PlanRefused as refused:
            problems += refused.problems
        try:
            named = self.devices.named(plan.accelerator) if plan.accelerator else ()
        except PlanRefused as refused:
            problems += refused.problems
        try:
            if plan.model:
                self.models.named(plan.model)
        except PlanRefused as refused:
            problems += refused.problems
        if problems:
            raise PlanRefused(problems)
        return named

    def _without_device(self, settled: Settled) -> Sizing:
        """Return what is needed of any accelerator; which of them hold it."""
        c = self.coefficients
        largest = max(self.devices, key=lambda d: d.memory)
        count = settled.plan.accelerators or ways_of(settled)
        found = arrange(settled, count, largest, c)
        if settled.plan.recompute is None:
            # Nobody said to compute again, so the need is told without.
            plain = replace(settled, plan=replace(settled.plan, recompute="none"))
            found = arrange(plain, count, largest, c)
        fits = tuple(
            sorted(
                (fit(found.memory.total, d, c) for d in self.devices if d.peak),
                key=lambda f: (f.usable, f.device),
            )
        )
        kept = storage(settled.model, found.recipe, settled.unique_tokens, 0.0, c)
        nodes = math.ceil(count / settled.per_node)
        machine = host(settled.model, found.recipe, None, nodes, settled.per_node, c)
        return self._sizing(settled, found, fits, kept, machine)

    def _on(self, device: Device, named: tuple[Device, ...], settled: Settled) -> Sizing:
        c, plan = self.coefficients, settled.plan
        for_memory = devices_for_memory(settled, device, c)
        first = plan.accelerators or for_memory or ways_of(settled)
        share = found = None
        for_time = None
        found = arrange(settled, first, device, c)
        if device.peak:
            work = compute(settled.model, found.recipe, settled.tokens, c)
            share = utilisation(device, settled.model, found.recipe, c, plan.utilisation)
            if plan.deadline_days:
                seconds = plan.deadline_days * DAY
                for_time = devices_for_time(
                    work.timed(found.recipe.adapted), device.peak, share, seconds
                )
        count = plan.accelerators or whole(max(for_memory or 1, for_time or 1), settled)
        if count > RANGES["accelerators"][1]:
            given, needed = f"{plan.deadline_days:g}", f"{count:,}"
            raise PlanRefused([Problem("deadline-impossible", "deadline_days", given, needed)])
        settled = _with_batch_for(
            settled, found if count == first else arrange(settled, count, device, c)
        )
        found = arrange(settled, count, device, c)
        fits = tuple(fit(found.memory.total, d, c, found.loaded()) for d in named)
        binding = _binding(plan, for_memory, for_time)
        nodes = math.ceil(count / settled.per_node)
        counted = Devices(device, count, for_memory, for_time, binding, nodes)
        machine = host(settled.model, found.recipe, device, nodes, min(settled.per_node, count), c)
        if not device.peak or share is None:
            kept = storage(settled.model, found.recipe, settled.unique_tokens, 0.0, c)
            return self._sizing(settled, found, fits, kept, machine, devices=counted)
        sizing = self._in_time(settled, found, fits, counted, machine, device.peak, share)
        return replace(sizing, alone=self._alone(settled, counted))

    def _alone(self, settled: Settled, counted: Devices) -> Fit | None:
        """Return how a plan would be on one accelerator, where more were found to be needed."""
        if settled.plan.accelerators or counted.for_memory in (None, 1) or ways_of(settled) > 1:
            return None
        c = self.coefficients
        return fit(arrange(settled, 1, counted.device, c).memory.total, counted.device, c)

    def _in_time(
        self,
        settled: Settled,
        found: Arrangement,
        fits: tuple[Fit, ...],
        counted: Devices,
        machine: Host,
        peak: float,
        share: float,
    ) -> Sizing:
        c, plan, count = self.coefficients, settled.plan, counted.count
        work = compute(settled.model, found.recipe, settled.tokens, c)
        ideal = training_time(work.timed(found.recipe.adapted), count, peak, share)
        steps = max(settled.tokens / (settled.global_batch * found.recipe.sequence_length), 1.0)
        links = network(
            settled.model, found.recipe, found.layout, settled.per_node, ideal / steps, c
        )
        ports = plan.node_network_gbit and plan.node_network_gbit * GIGA
        slower = slowdown(links, counted.device, ports, c)
        seconds = ideal * slower
        hours = time_interval(seconds, c).times(1 / HOUR)
        mover = "links" if slower > c["time-high"] else "utilisation"
        mover = "tokens" if settled.assumed("tokens") else mover
        time = Time(hours, share, work, settled.tokens / seconds, slower, mover)
        kept = storage(
            settled.model, found.recipe, settled.unique_tokens, time.tokens_per_second, c
        )
        device = counted.device
        drawn = None
        if device.power:
            drawn = power(device.power, count, settled.per_node, settled.pue, hours, c)
        offers = self._offers(plan, device)
        rented = cloud_costs(offers, count, hours) if plan.location != "on-premises" else ()
        owned = owned_cost(
            device,
            offers,
            count,
            settled.years,
            drawn.mean_watts if drawn else 0.0,
            plan.power_price,
            c,
        )
        return self._sizing(
            settled,
            found,
            fits,
            kept,
            machine,
            devices=counted,
            time=time,
            network=links,
            power=drawn,
            cloud=rented,
            owned=owned if plan.location != "cloud" else None,
            cost_mover=_cost_mover(rented, time, c),
        )

    def _offers(self, plan: TrainingPlan, device: Device) -> tuple[Offer, ...]:
        offers = self.devices.offers(device)
        for name in ("region", "provider", "currency"):
            wanted = getattr(plan, name)
            if wanted:
                offers = tuple(
                    o for o in offers if (getattr(o, name) or "").lower() == wanted.lower()
                )
        return offers

    def _sizing(
        self,
        settled: Settled,
        found: Arrangement,
        fits: tuple[Fit, ...],
        kept: Storage,
        machine: Host,
        **more: Any,
    ) -> Sizing:
        c, plan = self.coefficients, settled.plan
        empty: dict[str, Any] = {
            "devices": None,
            "alone": None,
            "time": None,
            "network": None,
            "power": None,
            "cloud": (),
            "owned": None,
            "cost_mover": None,
        }
        assumptions = settled.assumptions
        for name, value in (
            ("recompute", found.recipe.recompute),
            ("sharding", found.layout.sharding),
            ("tensor_parallel", found.layout.tensor),
        ):
            if getattr(plan, name) is None and value not in (1, "none"):
                assumptions = (*assumptions, Assumption(name, str(value)))
        return Sizing(
            plan,
            settled.model,
            found.recipe,
            found.layout,
            found.memory,
            found.memory.total * c["memory-margin"],
            settled.tokens,
            settled.global_batch,
            fits,
            storage=kept,
            host=machine,
            assumptions=assumptions,
            asks=tuple(n for n in ASKED_FOR if settled.assumed(n)),
            formulas=formulas_behind(settled.model, found, more.get("time") is not None),
            **(empty | more),
        )


def _chosen(named: tuple[Device, ...]) -> Device | None:
    """Return the variant that a line is figured with: the one that draws most power."""
    return max(named, key=lambda d: (d.power or 0, d.memory, d.name), default=None)


def _with_batch_for(settled: Settled, found: Arrangement) -> Settled:
    """Return a plan whose batch, if it was taken by default, gives each data rank a sequence."""
    least = found.layout.data * found.recipe.micro_batch
    if not settled.assumed("global_batch") or settled.global_batch >= least:
        return settled
    taken = tuple(
        Assumption("global_batch", f"{least:,}") if a.input == "global_batch" else a
        for a in settled.assumptions
    )
    return replace(settled, global_batch=least, assumptions=taken)


def _binding(plan: TrainingPlan, for_memory: int | None, for_time: int | None) -> str:
    if for_memory is None:
        return "memory"
    if plan.accelerators is not None:
        if plan.accelerators < for_memory:
            return "memory"
        return "time" if for_time and plan.accelerators < for_time else "given"
    return "time" if (for_time or 0) > for_memory else "memory"


def _cost_mover(rented: tuple[CloudCost, ...], time: Time, c: Coefficients) -> str | None:
    """Return what moves the cost most: how long it takes, or which offer is taken."""
    if not rented:
        return None
    currency = rented[0].offer.currency
    costs = [x.cost.p50 for x in rented if x.offer.currency == currency]
    if time.mover == "tokens":
        return "tokens"
    return "offer" if max(costs) / min(costs) > c["time-high"] / c["time-low"] else time.mover
