"""What training costs: rented at dated prices, or on bought machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.devices import Device, Offer, Purchase
from assistant.sizing.intervals import Interval

HOURS_A_YEAR = 8_760


@dataclass(frozen=True)
class CloudCost:
    """The cost of a run on whole instances of one offer."""

    offer: Offer
    instances: int
    cost: Interval


@dataclass(frozen=True)
class OwnedCost:
    """The cost of buying: accelerators alone, and a used hour of one at full use."""

    purchase: Purchase
    accelerators: float
    hourly_at_full_use: float
    yearly_running: float
    break_even_utilisation: float | None
    break_even_months: float | None
    against: Offer | None


def cloud_costs(
    offers: Sequence[Offer], accelerators: int, hours: Interval
) -> tuple[CloudCost, ...]:
    """Return what a run costs with each offer, cheapest first within a currency.

    Idle accelerators of a last instance are paid for. Amounts of different currencies
    are never compared.
    """
    found = []
    for offer in offers:
        instances = math.ceil(accelerators / offer.accelerators)
        found.append(CloudCost(offer, instances, hours.times(instances * offer.price)))
    return tuple(sorted(found, key=lambda x: (x.offer.currency, x.cost.p50, x.offer.instance)))


def owned_cost(
    device: Device,
    offers: Sequence[Offer],
    accelerators: int,
    years: float,
    mean_watts: float,
    power_price: float | None,
    c: Coefficients,
) -> OwnedCost | None:
    """Return what buying costs, beside the cheapest offer in the same currency.

    The price is that of the accelerators; the rest of a server is not in it.
    """
    if not device.prices:
        return None
    purchase = max(device.prices, key=lambda p: p.date)
    bought = purchase.amount * accelerators
    energy = mean_watts / 1_000 * HOURS_A_YEAR * (power_price or 0.0)
    running = bought * c["support-share"] + energy
    rate = owned_rate(bought, years, running, accelerators, 1.0)
    same = [o for o in offers if o.currency == purchase.currency and o.kind == "on-demand"]
    rent = min(same, key=lambda o: o.per_accelerator, default=None)
    share = months = None
    if rent is not None:
        price = rent.per_accelerator
        share = break_even_utilisation(bought, years, running, accelerators, price)
        saved = price * accelerators * HOURS_A_YEAR - running
        months = bought / saved * 12 if saved > 0 else None
    return OwnedCost(purchase, bought, rate, running, share, months, rent)


def owned_rate(K: float, Y: float, A: float, n: float, u: float) -> float:
    """Return the cost of an owned accelerator-hour (formula owned-rate)."""
    return (K / Y + A) / (n * HOURS_A_YEAR * u)


def break_even_utilisation(K: float, Y: float, A: float, n: float, R: float) -> float:
    """Return from which share of hours owning is cheaper (formula break-even-utilisation)."""
    return (K / Y + A) / (n * HOURS_A_YEAR) / R
