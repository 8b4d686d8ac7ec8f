"""What training needs: memory, accelerators, time, network, storage, power and cost."""

from __future__ import annotations

from assistant.sizing.intervals import Interval
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused, Problem, SizingError
from assistant.sizing.sizing import Sizer, Sizing

__all__ = ["Interval", "PlanRefused", "Problem", "Sizer", "Sizing", "SizingError", "TrainingPlan"]
