"""Turns questions about AI-training servers into cited answers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.answer import Answer, Citation, Premise, Step, Table
    from assistant.assistant import Assistant

__all__ = ["Answer", "Assistant", "Citation", "Premise", "Step", "Table"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the command line's SPARQL needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "assistant.assistant" if name == "Assistant" else "assistant.answer"
    return getattr(import_module(home), name)
