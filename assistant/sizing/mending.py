"""The smallest change to a plan with which it fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assistant.sizing.estimate import Sizing
from assistant.sizing.fitting import FITS, fit
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused
from assistant.sizing.sizer import Sizer


def smallest_change(plan: TrainingPlan, sizing: Sizing, sizer: Sizer) -> tuple[str | None, str]:
    """Return the smallest change to a plan with which it fits: its key and new value."""
    devices = sizing.devices
    assert devices is not None
    changes: list[tuple[str, str, dict[str, Any]]] = [
        ("recompute", "full", {"recompute": "full"}),
        ("micro_batch", "1", {"micro_batch": 1, "recompute": "full"}),
    ]
    if devices.count > 1:
        changes.append(("sharding", "fsdp", {"sharding": "fsdp", "recompute": "full"}))
    if plan.method == "lora":
        changes.append(("method", "qlora", {"method": "qlora", "recompute": "full"}))
    larger: dict[str, Any] = {
        "sharding": None,
        "tensor_parallel": None,
        "pipeline_parallel": None,
    }
    count = _count_that_fits(replace(plan, recompute=None, **larger), sizer)
    if count is not None and count > devices.count:
        more = larger | {"recompute": None, "accelerators": count}
        changes.append(("accelerators", f"{count:,}", more))
    if plan.method in (None, "full"):
        for method in ("lora", "qlora"):
            changes.append(("method", method, {"method": method, "recompute": "full"}))
    for change, value, values in changes:
        try:
            tried = sizer.size(replace(plan, **values))
        except PlanRefused:
            continue
        assert tried.devices is not None
        if any(f.device == devices.device.name and f.verdict == FITS for f in tried.fits):
            return change, value
    for device in sorted(sizer.devices, key=lambda d: (d.memory, d.name)):
        held = fit(sizing.memory.total, device, sizer.coefficients)
        if device.peak and held.verdict == FITS:
            return "accelerator", device.name
    return None, ""


def _count_that_fits(plan: TrainingPlan, sizer: Sizer) -> int | None:
    try:
        sized = sizer.size(replace(plan, accelerators=None))
    except PlanRefused:
        return None
    return sized.devices.for_memory if sized.devices else None
