"""Holds a configuration against the guide's requirements, its needs, and plain physics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.sizing.devices import Device
from assistant.sizing.estimate import Sizing
from assistant.sizing.findings import MUST, NOTE, ORDER, SHOULD, Checked, Finding
from assistant.sizing.fitting import FITS, TIGHT
from assistant.sizing.machine import Machine
from assistant.sizing.mending import smallest_change
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.power import breaker_rating, design_power, supply_power
from assistant.sizing.requirements import Requirement, requirements_of, unmet
from assistant.sizing.sizer import Sizer
from kg import KnowledgeGraph

GB, HOUR, BITS = 1e9, 3_600.0, 8
CLOUD_ONLY = "segment-cloud-only"
CAPACITY, SPEED = "capacity", "minimumSpeed"
LARGE_WEIGHTS = 60e9
ONE_MACHINE, MOST_IN_ONE = ("workstation", "server"), 72

AIR_LIMIT = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?kilowatts WHERE {
  ?figure dcterms:identifier ?name ; tw:standing tw:Preferred ; qudt:numericValue ?kilowatts .
  FILTER(STR(?name) = "air-cooling-limit")
}
ORDER BY ?kilowatts
"""


class Checker:
    """Checks configurations against a graph."""

    def __init__(
        self, sizer: Sizer, requirements: Sequence[Requirement], air_limit: float | None
    ) -> None:
        self._sizer = sizer
        self._requirements = requirements
        self._air_limit = air_limit

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Checker:
        """Return a checker over a graph."""
        limits = [float(str(r["kilowatts"])) * 1e3 for r in graph.select(AIR_LIMIT)]
        return cls(Sizer.of(graph), requirements_of(graph), limits[0] if limits else None)

    def check(self, plan: TrainingPlan, machine: Machine) -> Checked:
        """Return what is wrong with a plan on a machine.

        Raises:
            PlanRefused: If the plan cannot be estimated at all.
        """
        if plan.accelerators is None:
            plan = replace(plan, accelerators=1)
        if machine.chassis in ONE_MACHINE and plan.accelerators_per_node is None:
            plan = replace(plan, accelerators_per_node=min(plan.accelerators or 1, MOST_IN_ONE))
        sizing = self._sizer.size(plan)
        found = [
            *self._memory(plan, machine, sizing),
            *self._host(machine, sizing),
            *self._supply(machine, sizing),
            *self._slots(machine, sizing),
            *self._links(plan, machine, sizing),
            *self._storage(machine, sizing),
            *self._precision(sizing),
            *self._place(plan, sizing),
            *self._plausible(plan, machine, sizing),
            *self._guide(machine, sizing),
        ]
        findings = tuple(sorted(found, key=lambda f: ORDER.index(f.level)))
        return Checked(machine, sizing, findings)

    def _memory(self, plan: TrainingPlan, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        devices = sizing.devices
        if devices is None:
            return
        device, count = devices.device, devices.count
        own = next(f for f in sizing.fits if f.device == device.name)
        all_of_it = device.memory * count
        plain = sizing.layout.stage < 3 and sizing.layout.tensor * sizing.layout.pipeline == 1
        lacking = own.verdict not in (FITS, TIGHT)
        basis = tuple(f for f in sizing.formulas if f.startswith(MEMORY_FORMULAS))
        if count > 1 and (machine.pooled or (lacking and plain and own.needed <= all_of_it)):
            pooled = f"{count} x {_gb(device.memory)} = {_gb(all_of_it)}"
            change, value = smallest_change(plan, sizing, self._sizer) if lacking else (None, "")
            level = MUST if lacking else NOTE
            needed = f"{_gb(own.needed)} / {_gb(own.usable)}"
            yield Finding(level, "pooled-memory", pooled, needed, basis, change, value)
        elif own.verdict != FITS:
            level = MUST if lacking else SHOULD
            change, value = smallest_change(plan, sizing, self._sizer)
            needed = f"{_gb(own.needed)} ({_gb(own.needed_high)})"
            key = "memory" if lacking else "memory-tight"
            yield Finding(level, key, _gb(own.usable), needed, basis, change, value)

    def _host(self, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        need = sizing.host
        if machine.host_memory_gb is not None:
            given = machine.host_memory_gb * GB
            if given < need.needed_bytes:
                key = "host-memory-offload" if need.moved_bytes else "host-memory-loading"
                basis = ("offload-host-memory",) if need.moved_bytes else ("model-states",)
                needed = _gb(need.needed_bytes)
                yield Finding(MUST, key, _gb(given), needed, basis, "host_memory_gb", needed)
            elif need.moved_bytes and given < need.moved_bytes * 1.5:
                needed = _gb(need.moved_bytes * 1.5)
                yield Finding(
                    SHOULD,
                    "host-memory-buffer",
                    _gb(given),
                    needed,
                    ("offload-host-memory",),
                    "host_memory_gb",
                    needed,
                )
        if machine.cpu_cores is not None and machine.cpu_cores < need.cores / 2:
            needed = str(need.cores)
            yield Finding(
                SHOULD,
                "cores",
                str(machine.cpu_cores),
                needed,
                ("host-cores",),
                "cpu_cores",
                needed,
            )

    def _supply(self, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        devices, c = sizing.devices, self._sizer.coefficients
        if devices is None or not devices.device.power:
            return
        per_node = -(-devices.count // devices.nodes)
        cards = per_node * devices.device.power
        node = design_power(per_node, devices.device.power, c)
        if machine.psu_watts is not None and machine.psu_watts < node:
            level = MUST if machine.psu_watts < cards * 1.1 else SHOULD
            given, needed = _kw(machine.psu_watts), _kw(node)
            yield Finding(level, "psu", given, needed, ("design-power",), "psu_watts", needed)
        basis: tuple[str, ...]
        circuit = breaker_rating(supply_power(node, c), c)
        if machine.circuit_watts is not None and machine.circuit_watts < circuit:
            given, needed = _kw(machine.circuit_watts), _kw(circuit)
            basis = ("supply-power", "breaker-rating")
            yield Finding(MUST, "breaker", given, needed, basis, "circuit_watts", needed)
        if machine.cooling == "air" and self._air_limit and node > self._air_limit:
            limit = _kw(self._air_limit)
            basis = ("design-power", "heat", "S431")
            yield Finding(MUST, "cooling", _kw(node), f"<= {limit}", basis, "cooling", "liquid")

    def _slots(self, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        devices, c = sizing.devices, self._sizer.coefficients
        if devices is None:
            return
        per_node = -(-devices.count // devices.nodes)
        on_cards = "pcie" in (devices.device.form_factor or "")
        lanes = round(c["lanes-per-card"])
        if machine.pcie_lanes is not None and machine.pcie_lanes < per_node * lanes:
            given, needed = str(machine.pcie_lanes), f"{per_node} x {lanes} = {per_node * lanes}"
            half = machine.pcie_lanes < per_node * lanes / 2
            level, value = (MUST if half else SHOULD), str(per_node * lanes)
            yield Finding(level, "pcie-lanes", given, needed, (), "pcie_lanes", value)
        if machine.pcie_slots is not None and machine.pcie_slots < per_node and on_cards:
            given, needed = str(machine.pcie_slots), str(per_node)
            yield Finding(MUST, "pcie-slots", given, needed, (), "accelerators", given)

    def _links(self, plan: TrainingPlan, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        devices, links = sizing.devices, sizing.network
        if devices is None:
            return
        device = devices.device
        if machine.interconnect == "nvlink" and not any("nvlink" in x for x in device.links):
            yield Finding(MUST, "no-nvlink", device.name, "NVLink", (), "interconnect", "pcie")
        basis: tuple[str, ...]
        fast = any("nvlink" in x for x in device.links) and machine.interconnect != "pcie"
        if (plan.tensor_parallel or 1) > 1 and device.kind == "GPU" and not fast:
            given = f"tensor_parallel = {plan.tensor_parallel}"
            basis = ("tensor-traffic",)
            yield Finding(SHOULD, "tensor-over-pcie", given, "NVLink", basis, "sharding", "fsdp")
        if devices.nodes < 2 or links is None:
            return
        if machine.nic_count == 0:
            given, basis = f"{devices.nodes}", ("needed-bandwidth", "S203a")
            yield Finding(MUST, "no-network", given, ">= 1", basis, "nic_count", "1")
        elif machine.nic_gbit is not None:
            total = machine.nic_gbit * (machine.nic_count or 1)
            need = links.node_bits_per_second / GB
            if total < need:
                given, needed = f"{total:,.0f} Gbit/s", f"{need:,.0f} Gbit/s"
                basis = ("needed-bandwidth",)
                value = needed
                yield Finding(SHOULD, "network-slow", given, needed, basis, "nic_gbit", value)

    def _storage(self, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        need = sizing.storage
        if machine.storage_gb is not None and machine.storage_gb * GB < need.capacity_bytes:
            given, needed = _gb(machine.storage_gb * GB), _gb(need.capacity_bytes)
            basis = ("checkpoint-size",)
            yield Finding(MUST, "storage-small", given, needed, basis, "storage_gb", needed)
        rate = machine.storage_write_gb_s
        if rate is not None and rate * GB < need.write_rate:
            stall = need.checkpoint_bytes / (rate * GB)
            given = f"{rate:g} GB/s ({stall:,.0f} s)"
            needed = f"{need.write_rate / GB:,.3g} GB/s (60 s)"
            basis = ("checkpoint-size",)
            value = needed
            yield Finding(SHOULD, "storage-slow", given, needed, basis, "storage_write_gb_s", value)

    def _precision(self, sizing: Sizing) -> Iterator[Finding]:
        devices = sizing.devices
        if devices is None:
            return
        precision = sizing.recipe.precision.removesuffix("-mixed")
        if devices.device.can(precision) is False:
            given = f"{precision}, {devices.device.name}"
            able = [p for p in ("bf16", "fp16", "fp32") if devices.device.can(p)]
            value = f"{able[0]}-mixed" if able and able[0] != "fp32" else "fp32"
            needed = ", ".join(able)
            yield Finding(MUST, "precision", given, needed, (), "precision", value)

    def _place(self, plan: TrainingPlan, sizing: Sizing) -> Iterator[Finding]:
        devices = sizing.devices
        if devices is None or plan.location != "on-premises":
            return
        device = devices.device
        if cloud_only(device):
            yield Finding(MUST, "cloud-only", device.name, "cloud", ("S32c",), "location", "cloud")

    def _plausible(self, plan: TrainingPlan, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        devices, c = sizing.devices, self._sizer.coefficients
        if devices is None:
            return
        basis: tuple[str, ...]
        per_node = -(-devices.count // devices.nodes)
        most = {
            "workstation": round(c["cards-in-workstation"]),
            "server": round(c["cards-in-server"]),
        }.get(machine.chassis or "")
        if most is not None:
            inside = plan.accelerators_per_node or per_node
            if inside > most:
                basis = ("S51a",) if machine.chassis == "workstation" else ("S53b",)
                given, needed = f"{inside}, {machine.chassis}", f"<= {most}"
                level = MUST if machine.chassis == "workstation" else SHOULD
                value = str(most)
                yield Finding(level, "too-many-cards", given, needed, basis, "accelerators", value)
        if per_node > 8 and machine.chassis is None:
            yield Finding(SHOULD, "too-many-cards", str(per_node), "<= 8", ("S53b",))
        if machine.hours and sizing.time and devices.device.peak:
            done = sizing.time.operations.useful
            share = done / (machine.hours * HOUR * devices.count * devices.device.peak)
            limit = c["plausible-utilisation"]
            if share > limit:
                p50 = sizing.time.hours.p50
                given = f"{machine.hours:,.3g} h = {share:.0%}"
                needed = f"<= {limit:.0%}"
                basis = ("training-time", "training-operations")
                value = f"{p50:,.3g}"
                yield Finding(MUST, "implausible-time", given, needed, basis, "hours", value)

    def _guide(self, machine: Machine, sizing: Sizing) -> Iterator[Finding]:
        large = sizing.model.parameters >= LARGE_WEIGHTS
        for u in unmet(machine, self._requirements, large):
            name = u.requirement.property.rsplit("#", 1)[-1]
            unit = {CAPACITY: " GB", SPEED: " Gbit/s"}.get(name, "")
            given, needed = f"{u.given:g}{unit}", f">= {u.requirement.minimum:g}{unit}"
            change = {CAPACITY: "host_memory_gb", SPEED: "nic_gbit"}.get(name, "nic_count")
            value = f"{u.requirement.minimum:g}{unit}"
            basis = (u.requirement.statement,)
            level = MUST if u.requirement.required else SHOULD
            yield Finding(
                level, f"guide-{change.replace('_', '-')}", given, needed, basis, change, value
            )


MEMORY_FORMULAS = ("model", "adapter-p", "quantised", "activations", "logits", "deq", "gathered")


def cloud_only(device: Device) -> bool:
    """Return whether an accelerator is only for rent."""
    return device.segment == CLOUD_ONLY


def _gb(count: float) -> str:
    return f"{count / GB:,.3g} GB" if count < 100 * GB else f"{count / GB:,.0f} GB"


def _kw(watts: float) -> str:
    return f"{watts / 1e3:,.3g} kW"
