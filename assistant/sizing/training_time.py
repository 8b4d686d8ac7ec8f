"""How long training takes: operations by what accelerators really reach."""

from __future__ import annotations

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.devices import Device
from assistant.sizing.intervals import Interval
from assistant.sizing.memory import Recipe
from assistant.sizing.models import Model

HOUR, DAY = 3_600.0, 86_400.0

# A device whose bandwidth is not stated is taken to be balanced as the reference.
EIGHT_BIT = "fp8"


def utilisation(
    device: Device, model: Model, recipe: Recipe, c: Coefficients, given: float | None = None
) -> float:
    """Return which share of the dense 16-bit peak a whole run is expected to reach.

    It was fitted on whole runs with nothing of what they compute again counted, so it holds
    for training all weights with or without recomputation.
    """
    if given is not None:
        return given
    balance = c["reference-balance"]
    if device.peak and device.bandwidth:
        balance = device.peak / device.bandwidth
    share = expected_utilisation(balance, c)
    if model.routed:
        share *= c["moe-efficiency"]
    if recipe.method != "pretrain":
        # Fine-tuning is over before much of what whole runs lose can happen.
        share /= c["goodput"]
    if recipe.precision.startswith(EIGHT_BIT) and device.can(EIGHT_BIT):
        share *= c["fp8-gain"]
    return share


def time_interval(expected: float, c: Coefficients) -> Interval:
    """Return the spread of a time around what is expected of it."""
    return Interval(expected * c["time-low"], expected, expected * c["time-high"])


def expected_utilisation(B: float, c: Coefficients) -> float:
    """Return the share of its peak a device reaches (formula expected-utilisation)."""
    share = c["utilisation-at-reference"] * (c["reference-balance"] / B) ** 0.5
    return float(min(c["highest-utilisation"], share))


def training_time(C: float, n: float, F: float, M: float) -> float:
    """Return the seconds a run takes (formula training-time)."""
    return C / (n * F * M)
