"""The texts about contributions; they live in `messages.ttl` beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kg.messages import Messages

PATH = Path(__file__).parent / "messages.ttl"


@cache
def messages() -> Messages:
    """Return the texts about contributions, read once."""
    return Messages.load(PATH)
