"""What training needs: memory, accelerators, time, network, storage, power and cost."""

from __future__ import annotations

from assistant.sizing.checking import Checker
from assistant.sizing.estimate import Sizing
from assistant.sizing.explaining import Explainer
from assistant.sizing.findings import Checked, Finding
from assistant.sizing.intervals import Interval
from assistant.sizing.machine import Machine, configuration
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused, Problem, SizingError
from assistant.sizing.recommendation import Recommendation
from assistant.sizing.recommending import Recommender
from assistant.sizing.report import Reporter
from assistant.sizing.sizer import Sizer

__all__ = [
    "Checked",
    "Checker",
    "Explainer",
    "Finding",
    "Interval",
    "Machine",
    "PlanRefused",
    "Problem",
    "Recommendation",
    "Recommender",
    "Reporter",
    "Sizer",
    "Sizing",
    "SizingError",
    "TrainingPlan",
    "configuration",
]
