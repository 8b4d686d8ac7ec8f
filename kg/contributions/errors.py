"""What can go wrong with contributions.

GraphError
└── ContributionError    something about contributions, told by a message and its fields
    ├── ContributionRefused    what is to be saved has errors, or warnings not confirmed
    ├── NotSaved               the folder cannot be written, or the disk is full
    └── NoSuchContribution     there is no contribution of that name in that state
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kg.contributions.messages import messages
from kg.errors import GraphError

if TYPE_CHECKING:
    from kg.contributions.findings import Finding


class ContributionError(GraphError):
    """Something about contributions; `text` says what, in a language."""

    def __init__(self, key: str, **fields: object) -> None:
        self.key = key
        self.fields = fields
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """Return what is wrong, in a language."""
        return messages()(self.key, language, **self.fields)


class ContributionRefused(ContributionError):
    """What is to be saved has errors, or warnings that nobody confirmed."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("contribution-refused")

    def text(self, language: str) -> str:
        """Return each finding in a language, one a line."""
        return "\n".join(finding.text(language) for finding in self.findings)


class NotSaved(ContributionError):
    """The folder cannot be written, or the disk is full; nothing was changed."""


class NoSuchContribution(ContributionError):
    """There is no contribution of that name in that state, or more than one."""
