"""How a model is spread over accelerators, and whether that can be."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.models import Model
from assistant.sizing.plan import TrainingPlan
from assistant.sizing.problems import PlanRefused, Problem

ZERO_STAGES = {"none": 0, "ddp": 0, "zero-1": 1, "zero-2": 2, "zero-3": 3, "fsdp": 3}


@dataclass(frozen=True)
class Layout:
    """Ways of each parallelism; their product is the number of accelerators."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    data: int = 1
    sharding: str = "none"
    sequence_parallel: bool = True
    interleave: int = 1

    @property
    def accelerators(self) -> int:
        """Return how many accelerators the layout uses."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def replicas(self) -> int:
        """Return over how many ranks states can be sharded."""
        return self.data * self.context

    @property
    def stage(self) -> int:
        """Return the ZeRO stage, 3 for fully sharded data parallelism."""
        return ZERO_STAGES[self.sharding]

    def shards(self, stage: int) -> int:
        """Return into how many parts a state is cut that a ZeRO stage shards."""
        return self.replicas if self.stage >= stage else 1


def layout_for(plan: TrainingPlan, model: Model, accelerators: int, sharding: str) -> Layout:
    """Return the layout of a plan on a number of accelerators.

    Raises:
        PlanRefused: If the ways do not divide what they split.
    """
    tensor, pipeline = plan.tensor_parallel or 1, plan.pipeline_parallel or 1
    context = plan.context_parallel or 1
    ways = tensor * pipeline * context
    problems = _misfits(plan, model)
    if accelerators % ways:
        given = f"{accelerators}, {tensor} x {pipeline} x {context} = {ways}"
        problems.append(Problem("not-divisible", "accelerators", given, f"n x {ways}"))
    if problems:
        raise PlanRefused(problems)
    data = accelerators // ways
    batch = plan.global_batch
    if batch is not None and data * (plan.micro_batch or 1) > batch:
        given = f"{data} x {plan.micro_batch or 1} > {batch}"
        raise PlanRefused([Problem("batch-too-small", "global_batch", given, f">= {data}")])
    return Layout(
        tensor,
        pipeline,
        context,
        data,
        sharding,
        plan.sequence_parallel is not False,
        plan.interleave or 1,
    )


def _misfits(plan: TrainingPlan, model: Model) -> list[Problem]:
    """Return which parts of a model the ways do not divide; inferred parts adapt."""
    if model.inferred:
        return []
    pairs = (
        ("tensor_parallel", plan.tensor_parallel, "heads", model.heads),
        ("pipeline_parallel", plan.pipeline_parallel, "layers", model.layers),
        ("context_parallel", plan.context_parallel, "sequence_length", plan.sequence_length),
    )
    found = []
    for name, ways, what, size in pairs:
        # A last stage may be shorter, so stages need only be no more than there are layers.
        wrong = ways and size and (ways > size if what == "layers" else size % ways)
        if wrong and size:
            allowed = [d for d in range(1, min(size, 128) + 1) if size % d == 0]
            text = f"<= {size}" if what == "layers" else ", ".join(map(str, allowed))
            given = f"{ways} / {what} = {size}"
            found.append(Problem("not-divisible", name, given, text))
    return found
