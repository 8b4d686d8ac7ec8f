"""Which formulas an estimate rests on."""

from __future__ import annotations

from assistant.sizing.fitting import Arrangement
from assistant.sizing.models import Model


def formulas_behind(model: Model, found: Arrangement, timed: bool) -> tuple[str, ...]:
    """Return the identifiers of the formulas behind an estimate."""
    recipe, layout = found.recipe, found.layout
    names = ["model-states"]
    if recipe.adapted:
        names.append("adapter-parameters")
    if recipe.method == "qlora":
        names += ["quantised-base", "dequantisation-workspace"]
    if recipe.attention == "stored":
        names.append(
            "activations-selective"
            if recipe.recompute == "selective"
            else "activations-sequence-parallel"
        )
    else:
        names.append("activations-swiglu" if model.gated else "activations-gelu")
    if recipe.recompute == "selective" and recipe.attention == "fused":
        names.append("activations-selective-fused")
    if recipe.recompute == "full":
        names.append("activations-full-recompute")
    if layout.pipeline > 1:
        names.append("layers-held")
    if not recipe.fused_loss:
        names.append("logits")
    if layout.stage == 3 and layout.replicas > 1:
        names.append("gathered-workspace")
    if not timed:
        return tuple(names)
    names += ["adapter-operations" if recipe.adapted else "training-operations"]
    names += ["attention-operations", "expected-utilisation", "training-time"]
    if layout.replicas > 1:
        names.append("sharded-traffic" if layout.stage == 3 else "all-reduce-traffic")
        names += ["needed-bandwidth", "link-slowdown"]
    names += ["checkpoint-size", "comfortable-host-memory", "design-power", "mean-power"]
    return tuple(names)
