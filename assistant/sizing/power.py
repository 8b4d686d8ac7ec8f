"""What power supplies, circuits and cooling must carry, and what the meter shows."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.intervals import Interval

KILOWATT = 1_000.0


@dataclass(frozen=True)
class Power:
    """Watts of a node and of all; `heat` in BTU per hour; energy in kWh with cooling."""

    node_watts: float
    total_watts: float
    supply_watts: float
    circuit_watts: float
    heat: float
    mean_watts: float
    energy_kwh: Interval


def power(
    watts: float, accelerators: int, per_node: int, pue: float, hours: Interval, c: Coefficients
) -> Power:
    """Return the power of accelerators that are rated at so many watts each."""
    node = design_power(min(per_node, accelerators), watts, c)
    total = design_power(accelerators, watts, c)
    mean = mean_power(accelerators, watts, pue, c)
    supply = supply_power(node, c)
    return Power(
        node,
        total,
        supply,
        breaker_rating(supply, c),
        heat(total, c),
        mean,
        hours.times(mean / KILOWATT),
    )


def design_power(n: float, W: float, c: Coefficients) -> float:
    """Return the watts to design for (formula design-power)."""
    return c["system-power-factor"] * n * W


def mean_power(n: float, W: float, E: float, c: Coefficients) -> float:
    """Return the watts that the meter shows (formula mean-power)."""
    return c["measured-power-factor"] * n * W * E


def supply_power(W: float, c: Coefficients) -> float:
    """Return the watts drawn from the wall (formula supply-power)."""
    return W / c["psu-efficiency"]


def breaker_rating(W: float, c: Coefficients) -> float:
    """Return the watts a circuit must be rated for (formula breaker-rating)."""
    return W / c["breaker-share"]


def heat(W: float, c: Coefficients) -> float:
    """Return the BTU per hour to remove (formula heat)."""
    return c["heat-per-watt"] * W
