"""What users add to the graph: read, checked, saved as files, undone and redone, exported.

Parts are imported when they are first used, as units and shapes take a second to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kg.contributions.completing import Understood
    from kg.contributions.contributed_graph import ContributedGraph
    from kg.contributions.contribution import Author, Contribution
    from kg.contributions.contributions import Contributions, Draft
    from kg.contributions.errors import (
        ContributionError,
        ContributionRefused,
        NoSuchContribution,
        NotSaved,
    )
    from kg.contributions.fields import NOT_STATED, Choice, Field, Form
    from kg.contributions.filled_forms import Amount, FieldFault, Values
    from kg.contributions.findings import Fault, Finding, RowFault
    from kg.contributions.folder import ContributionFolder

__all__ = [
    "NOT_STATED",
    "Amount",
    "Author",
    "Choice",
    "ContributedGraph",
    "Contribution",
    "ContributionError",
    "ContributionFolder",
    "ContributionRefused",
    "Contributions",
    "Draft",
    "Fault",
    "Field",
    "FieldFault",
    "Finding",
    "Form",
    "NoSuchContribution",
    "NotSaved",
    "RowFault",
    "Understood",
    "Values",
]

_MODULES = {
    "Understood": "completing",
    "ContributedGraph": "contributed_graph",
    "Author": "contribution",
    "Contribution": "contribution",
    "Contributions": "contributions",
    "Draft": "contributions",
    "ContributionError": "errors",
    "ContributionRefused": "errors",
    "NoSuchContribution": "errors",
    "NotSaved": "errors",
    "Choice": "fields",
    "Field": "fields",
    "Form": "fields",
    "NOT_STATED": "fields",
    "Amount": "filled_forms",
    "FieldFault": "filled_forms",
    "Values": "filled_forms",
    "Fault": "findings",
    "Finding": "findings",
    "RowFault": "findings",
    "ContributionFolder": "folder",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
