"""An estimate told part by part: whether it fits, devices, time, needs beside them."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.messages import Say
from assistant.sizing.estimate import Sizing
from assistant.sizing.fitting import FITS, Fit
from assistant.sizing.wording import number, spread, tokens_spoken

GB, MB, KILO = 1e9, 1e6, 1e3
BUDGET_CURRENCY = "USD"
MOST_DEVICES = 5
DAYS_FROM_HOURS = 72
SLOW = 1.05


def headline(sizing: Sizing, say: Say) -> Iterator[str]:
    """Yield what an estimate says first: whether it fits, or what holds it."""
    values = {
        "model": sizing.model.name,
        "method": say(f"method-{sizing.recipe.method}"),
        "total": number(sizing.memory.total / GB),
        "high": number(sizing.memory_high / GB),
    }
    if sizing.devices is None:
        yield say("headline-no-device", **values)
        names = list(dict.fromkeys(f.device for f in sizing.fits if f.verdict == FITS))
        listed = say("list-separator").join(names[:MOST_DEVICES])
        yield say("smallest-that-fit", devices=listed) if names else say("none-fits")
        return
    own = _own_fit(sizing)
    several = sizing.devices.count > 1
    name = f"{sizing.devices.count:,} x {own.device}" if several else own.device
    values |= {"device": name, "usable": number(own.usable / GB)}
    if own.verdict == "too-small":
        yield say("headline-too-small", **values, short=number(own.short / GB))
    elif own.because == "loading":
        yield say("headline-fits", **values)
        whole = sizing.memory.weights * sizing.layout.replicas
        yield say("loading", whole=number(whole / GB))
    else:
        yield say(f"headline-{own.verdict}", **values)
    others = [f for f in sizing.fits if f.device != own.device]
    if others:
        told = [
            say("variant", device=f.device, verdict=say(f"verdict-{f.verdict}")) for f in others
        ]
        yield say("variants", variants=say("list-separator").join(told))
    if sizing.alone is not None:
        yield say(
            f"alone-{sizing.alone.verdict}",
            device=own.device,
            needed=number(sizing.alone.needed / GB),
            high=number(sizing.alone.needed_high / GB),
            usable=number(sizing.alone.usable / GB),
        )


def _own_fit(sizing: Sizing) -> Fit:
    assert sizing.devices is not None
    name = sizing.devices.device.name
    return next(f for f in sizing.fits if f.device == name)


def device_lines(sizing: Sizing, say: Say) -> Iterator[str]:
    """Yield how many accelerators are needed and which limit binds."""
    d = sizing.devices
    if d is None:
        return
    yield say(
        f"devices-{d.binding}",
        count=f"{d.count:,}",
        device=d.device.name,
        nodes=f"{d.nodes:,}",
        for_memory=say("unknown") if d.for_memory is None else f"{d.for_memory:,}",
        for_time=say("unknown") if d.for_time is None else f"{d.for_time:,}",
    )


def time_lines(sizing: Sizing, say: Say) -> Iterator[str]:
    """Yield how long a run takes and whether a deadline is kept."""
    time, devices = sizing.time, sizing.devices
    if time is None:
        if devices is not None:
            yield say("unknown-time", device=devices.device.name)
        return
    long = time.hours.p50 > DAYS_FROM_HOURS

    def spoken(hours: float) -> str:
        return say("days", value=number(hours / 24)) if long else say("hours", value=number(hours))

    yield say(
        "time",
        p10=spoken(time.hours.p10),
        p50=spoken(time.hours.p50),
        p90=spoken(time.hours.p90),
        tokens=tokens_spoken(sizing.tokens),
        utilisation=f"{time.utilisation:.0%}",
        mover=say(f"mover-{time.mover}"),
    )
    if time.slowdown > SLOW:
        yield say("slow-links", times=number(time.slowdown))
    days = sizing.plan.deadline_days
    if days:
        late = "missed" if time.hours.p50 > days * 24 else "kept"
        late = "risky" if late == "kept" and time.hours.p90 > days * 24 else late
        yield say(f"deadline-{late}", days=number(days))


def need_lines(sizing: Sizing, say: Say) -> Iterator[str]:
    """Yield network, storage, host and power."""
    if sizing.network is not None and sizing.layout.accelerators > 1:
        yield say(
            "network",
            within=number(sizing.network.within_node_rate / GB),
            between=number(sizing.network.node_bits_per_second / GB),
        )
    s = sizing.storage
    yield say(
        "storage",
        capacity=number(s.capacity_bytes / GB),
        data=number(s.data_bytes / GB),
        kept=s.kept_checkpoints,
        checkpoint=number(s.checkpoint_bytes / GB),
        write=number(s.write_rate / GB),
        read=number(s.read_rate / MB),
    )
    h = sizing.host
    yield say(
        "host",
        needed=number(h.needed_bytes / GB),
        comfortable=number(h.comfortable_bytes / GB),
        cores=h.cores,
    )
    p = sizing.power
    if p is not None:
        yield say(
            "power",
            node=number(p.node_watts / KILO),
            supply=number(p.supply_watts / KILO),
            circuit=number(p.circuit_watts / KILO),
            heat=number(p.heat),
            **spread(p.energy_kwh),
        )


def budget_line(sizing: Sizing, say: Say) -> str:
    """Return whether a budget covers the cheapest offer."""
    budget = sizing.plan.budget or 0.0
    currency = sizing.plan.currency or BUDGET_CURRENCY
    offers = [x for x in sizing.cloud if x.offer.currency == currency.upper()]
    if not offers:
        return say("budget-unknown", currency=currency)
    cost = min((x.cost for x in offers), key=lambda x: x.p50)
    verdict = "within" if cost.p90 <= budget else "risky" if cost.p50 <= budget else "beyond"
    amount = cost.p50 if verdict == "beyond" else cost.p90
    return say(f"budget-{verdict}", budget=number(budget), cost=f"{number(amount)} {currency}")
