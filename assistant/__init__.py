"""Turns questions about AI-training servers into cited answers."""

from __future__ import annotations

from assistant.answer import Answer, Citation, Premise, Step, Table
from assistant.assistant import Assistant

__all__ = ["Answer", "Assistant", "Citation", "Premise", "Step", "Table"]
