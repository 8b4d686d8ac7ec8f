"""How numbers and inputs are written for people."""

from __future__ import annotations

from assistant.messages import Say
from assistant.sizing.intervals import Interval
from assistant.sizing.settling import Assumption


def input_name(name: str, say: Say) -> str:
    """Return what an input is called."""
    return say(f"input-{name.replace(', ', '-').replace('_', '-')}")


def assumed(assumption: Assumption, say: Say) -> str:
    """Return a default as a line."""
    return say("assumed-line", input=input_name(assumption.input, say), value=assumption.value)


def spread(interval: Interval) -> dict[str, str]:
    """Return the three numbers of an interval by the names that texts use."""
    return {k: number(getattr(interval, k)) for k in ("p10", "p50", "p90")}


def tokens_spoken(count: float) -> str:
    """Return a number of tokens with a letter for its size."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if count >= size:
            return f"{count / size:,.4g}{letter}"
    return f"{count:,.0f}"


def number(value: float) -> str:
    """Return a number with as many digits as an estimate deserves."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.3g}"
