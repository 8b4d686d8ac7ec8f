"""Ranks what could run a plan: why each does, why not the others, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.sizing.checking import cloud_only
from assistant.sizing.cost import OwnedCost
from assistant.sizing.devices import Device, Offer
from assistant.sizing.estimate import Sizing
from assistant.sizing.fitting import TOO_SMALL
from assistant.sizing.intervals import Interval
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused
from assistant.sizing.recommendation import Option, Recommendation, Rejected
from assistant.sizing.settling import NODE, Assumption
from assistant.sizing.sizer import Sizer

USUAL_CURRENCY = "USD"
RENTED, BOUGHT = "rented", "bought"
# Prices that anybody can have at any time; others may be gone tomorrow.
STEADY = ("on-demand",)
SCALES = (1, 2, 4, 8)
ROUNDING = 1.001
GB = 1e9
SCENARIOS = {"small": ("S51a", "S51d"), "medium": ("S52a", "S52e"), "large": ("S53a", "S53b")}


class Recommender:
    """Recommends accelerators of a catalogue."""

    def __init__(self, sizer: Sizer) -> None:
        self._sizer = sizer

    def recommend(self, plan: TrainingPlan) -> Recommendation:
        """Return what could run a plan within its wishes.

        An accelerator in the plan restricts the choice to what it names.

        Raises:
            PlanRefused: If the plan itself is wrong.
        """
        general = self._sizer.size(replace(plan, accelerator=None, accelerators=None))
        assumptions = general.assumptions
        if plan.currency is None:
            assumptions = (*assumptions, Assumption("currency", USUAL_CURRENCY))
        named = self._sizer.devices.named(plan.accelerator) if plan.accelerator else None
        options: list[Option] = []
        rejected: list[Rejected] = []
        owned: dict[str, OwnedCost] = {}
        chart: list[Option] = []
        for device in named or tuple(self._sizer.devices):
            found = self._judge(plan, device, general)
            if isinstance(found, Rejected):
                rejected.append(found)
                continue
            sizing, ways = found
            options += ways
            chart += ways + self._larger(plan, device, sizing)
            if sizing.owned is not None:
                owned[device.name] = sizing.owned
        ranked = _with_merits(sorted(options, key=_rank))
        compared = next((o.device for o in ranked if _compares(owned.get(o.device))), None)
        scenario = _scenario(ranked[0]) if ranked else None
        return Recommendation(
            plan,
            ranked,
            _marked(sorted(chart, key=_rank)),
            tuple(sorted(rejected, key=lambda r: (r.reason, r.device))),
            owned.get(compared) if compared else None,
            compared,
            scenario,
            SCENARIOS[scenario] if scenario else (),
            assumptions,
            general.asks,
        )

    def _judge(
        self, plan: TrainingPlan, device: Device, general: Sizing
    ) -> Rejected | tuple[Sizing, list[Option]]:
        unfit = _unfit(plan, device, general)
        if unfit is not None:
            return unfit
        try:
            sizing = self._sizer.size(replace(plan, accelerator=device.name))
        except PlanRefused as refused:
            problem = refused.problems[0]
            return Rejected(device.name, "layout", problem.given, problem.allowed)
        devices, own = sizing.devices, sizing.fits[0]
        lacking = devices is None or sizing.time is None or devices.for_memory is None
        if lacking or own.verdict == TOO_SMALL:
            return Rejected(device.name, "memory", _gb(own.usable), _gb(own.needed))
        ways = self._ways(plan, device, sizing)
        if isinstance(ways, Rejected):
            return ways
        if plan.deadline_days:
            least = min(ways, key=lambda o: o.hours.p50)
            limit = plan.deadline_days * 24 * ROUNDING
            ways = [o for o in ways if o.hours.p50 <= limit]
            if not ways:
                given = f"{least.hours.p50 / 24:,.3g}"
                return Rejected(device.name, "deadline", given, f"<= {plan.deadline_days:g}")
        if plan.budget:
            least = min(ways, key=lambda o: o.cost.p50)
            ways = [o for o in ways if o.cost.p50 <= (plan.budget or 0)]
            if not ways:
                given = f"{least.cost.p50:,.4g} {least.currency}"
                return Rejected(device.name, "budget", given, f"<= {plan.budget:,.15g}")
        return sizing, ways

    def _ways(self, plan: TrainingPlan, device: Device, sizing: Sizing) -> Rejected | list[Option]:
        """Return the priced options of an accelerator: renting, or buying on premises."""
        currency = (plan.currency or USUAL_CURRENCY).upper()
        if plan.location == "on-premises":
            owned = sizing.owned
            if owned is None or owned.purchase.currency != currency:
                return Rejected(device.name, "no-price", "-", currency)
            return [_bought(sizing, owned)]
        steady = [x.offer for x in sizing.cloud if x.offer.kind in STEADY]
        steady = [o for o in steady if o.currency == currency]
        if not steady:
            wish = ", ".join(filter(None, (plan.region, plan.provider, currency)))
            return Rejected(device.name, "no-offer", "-", wish)
        found = [o for offer in steady if (o := self._on(plan, device, offer)) is not None]
        if not found:
            most = max(o.accelerators for o in steady)
            needed = str(sizing.devices.count if sizing.devices else 0)
            return Rejected(device.name, "no-network", str(most), needed)
        return [min(found, key=_rank)]

    def _on(self, plan: TrainingPlan, device: Device, offer: Offer) -> Option | None:
        """Return the option of an offer, with its network; None if it cannot be judged."""
        placed = replace(
            plan,
            accelerator=device.name,
            accelerators_per_node=offer.accelerators,
            node_network_gbit=offer.network_gbit,
        )
        try:
            sizing = self._sizer.size(placed)
        except PlanRefused:
            return None
        if sizing.devices is None or sizing.fits[0].verdict == TOO_SMALL:
            return None
        # One price per card may mean cards of one machine, but not more than one holds.
        if not offer.network_gbit and sizing.devices.count > max(offer.accelerators, NODE):
            return None
        return _rented(sizing, offer)

    def _larger(self, plan: TrainingPlan, device: Device, sizing: Sizing) -> list[Option]:
        """Return the options with several times as many accelerators, for the chart."""
        if plan.accelerators is not None or sizing.devices is None:
            return []
        found: list[Option] = []
        for scale in SCALES[1:]:
            more = replace(plan, accelerator=device.name, accelerators=sizing.devices.count * scale)
            try:
                ways = self._ways(more, device, self._sizer.size(more))
            except PlanRefused:
                break
            if isinstance(ways, list):
                found += ways
        return found


def _unfit(plan: TrainingPlan, device: Device, general: Sizing) -> Rejected | None:
    """Return why an accelerator will not do whatever the estimate, or None."""
    vendor = (device.vendor or "").removeprefix("vendor-")
    if plan.vendor and plan.vendor.lower() not in (vendor, device.vendor):
        return Rejected(device.name, "vendor", vendor or "-", plan.vendor)
    if device.inference_only:
        return Rejected(device.name, "inference-only", device.name, "-")
    if not device.peak:
        return Rejected(device.name, "no-peak", "-", "16 bit")
    if plan.location == "on-premises" and cloud_only(device):
        return Rejected(device.name, "cloud-only", device.name, "on-premises")
    precision = plan.precision.removesuffix("-mixed") if plan.precision else None
    if precision and device.can(precision) is False:
        return Rejected(device.name, "precision", precision, device.name)
    return None


def _rented(sizing: Sizing, offer: Offer) -> Option | None:
    """Return the option of renting an offer for an estimate, or None if it has no price."""
    cost = next((x.cost for x in sizing.cloud if x.offer == offer), None)
    if cost is None:
        return None
    price = (offer.currency, offer.instance, offer.date or "-", offer.source)
    option = _option(sizing, RENTED, cost, price, offer.region)
    apart = sizing.devices is not None and sizing.devices.count > offer.accelerators
    return replace(option, unstated=("network",) if apart and not offer.network_gbit else ())


def _bought(sizing: Sizing, owned: OwnedCost) -> Option:
    p, amount = owned.purchase, owned.accelerators
    cost = Interval(amount, amount, amount)
    return _option(sizing, BOUGHT, cost, (p.currency, p.currency, p.date, p.source), None)


def _option(
    sizing: Sizing,
    kind: str,
    cost: Interval,
    price: tuple[str, str, str, str],
    region: str | None,
) -> Option:
    devices, time = sizing.devices, sizing.time
    assert devices is not None
    assert time is not None
    return Option(
        devices.device.name,
        devices.count,
        devices.nodes,
        kind,
        sizing.memory.total,
        sizing.fits[0].usable,
        devices.binding,
        time.hours,
        cost,
        *price,
        region=region,
        slowdown=time.slowdown,
    )


def _with_merits(options: Sequence[Option]) -> tuple[Option, ...]:
    """Return options with what speaks for each."""
    if not options:
        return ()
    marked = _marked(options)
    fastest = min(marked, key=lambda o: o.hours.p50)
    fewest = min(marked, key=lambda o: (o.count, o.cost.p50))
    found = []
    for option in marked:
        merits = [
            name
            for name, best in (("cheapest", marked[0]), ("fastest", fastest), ("fewest", fewest))
            if option == best
        ]
        if option.pareto and not merits:
            merits.append("balanced")
        found.append(replace(option, merits=tuple(merits)))
    return tuple(found)


def _marked(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return options with those marked that no other beats in cost and in time."""
    held = tuple(options)
    return tuple(replace(o, pareto=not any(_beats(other, o) for other in held)) for o in held)


def _beats(one: Option, other: Option) -> bool:
    better = one.cost.p50 < other.cost.p50 or one.hours.p50 < other.hours.p50
    return better and one.cost.p50 <= other.cost.p50 and one.hours.p50 <= other.hours.p50


def _rank(option: Option) -> tuple[float, float, str, int]:
    return (option.cost.p50, option.hours.p50, option.device, option.count)


def _compares(owned: OwnedCost | None) -> bool:
    return owned is not None and owned.break_even_months is not None


def _scenario(option: Option) -> str:
    """Return the guide's scenario whose number of cards is nearest."""
    if option.count > NODE:
        return "large"
    return "medium" if option.count >= 4 else "small"


def _gb(count: float) -> str:
    return f"{count / GB:,.3g} GB" if count < 100 * GB else f"{count / GB:,.0f} GB"
