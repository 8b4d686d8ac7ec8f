"""Texts of the page, by key and language; they live in `messages.ttl`."""

from __future__ import annotations

from pathlib import Path

from kg.messages import Messages, Say

__all__ = ["MESSAGES", "Messages", "Say"]

MESSAGES = Path(__file__).parent / "messages.ttl"
