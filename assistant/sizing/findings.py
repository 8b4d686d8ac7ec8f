"""What is found in a configuration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assistant.sizing.estimate import Sizing
from assistant.sizing.machine import Machine

MUST, SHOULD, NOTE = "must", "should", "note"
ORDER = (MUST, SHOULD, NOTE)


@dataclass(frozen=True)
class Finding:
    """One thing that does not do: what was given, what is needed, why, and what would do.

    `basis` names formulas or statements of the guide; `change` is the key of the smallest
    change that passes, `value` what it changes to.
    """

    level: str
    key: str
    given: str
    needed: str
    basis: tuple[str, ...]
    change: str | None = None
    value: str = ""


@dataclass(frozen=True)
class Checked:
    """What was found in a configuration, the gravest first, and the estimate behind it."""

    machine: Machine
    sizing: Sizing
    findings: tuple[Finding, ...]

    @property
    def passes(self) -> bool:
        """Return whether nothing found must be mended."""
        return all(f.level != MUST for f in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "passes": self.passes,
            "findings": [asdict(f) for f in self.findings],
            "machine": {k: v for k, v in asdict(self.machine).items() if v not in (None, False)},
            "sizing": self.sizing.as_dict(),
        }
