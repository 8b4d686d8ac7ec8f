"""What accelerators send each other, and how fast links must be for it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.memory import Recipe, state_bytes, trained_parameters
from assistant.sizing.models import Model
from assistant.sizing.parallelism import Layout

BITS = 8


@dataclass(frozen=True)
class Network:
    """Bytes per accelerator and step, and the bytes per second that hides them.

    `node_bits_per_second` is what the ports of a node together must carry; 0 on one node.
    """

    data_bytes: float
    tensor_bytes: float
    pipeline_bytes: float
    step_seconds: float
    data_rate: float
    within_node_rate: float
    node_bits_per_second: float
    bubble: float


def network(
    model: Model, recipe: Recipe, layout: Layout, per_node: int, step: float, c: Coefficients
) -> Network:
    """Return the traffic of a step of so many seconds."""
    w, g, _ = state_bytes(recipe, c)
    split = layout.tensor * layout.pipeline
    replicas, batches = layout.replicas, recipe.micro_batches
    data = 0.0
    if replicas > 1:
        trained = trained_parameters(model, recipe) / split
        if layout.stage == 3:
            whole = model.parameters / split
            data = batches * sharded_traffic(replicas, whole * w)
        else:
            data = all_reduce_traffic(replicas, trained * g)
    s, b, h = recipe.sequence_length / layout.context, recipe.micro_batch, model.hidden
    layers = model.layers / layout.pipeline
    tensor = batches * tensor_traffic(layers, layout.tensor, s, b, h, c)
    pipeline = batches * 4.0 * s * b * h if layout.pipeline > 1 else 0.0
    rate = needed_bandwidth(data, step, c) if step else 0.0
    inside = needed_bandwidth(tensor, step, c) if step else 0.0
    several = layout.accelerators > per_node
    # Data ranks of a node share its ports: one ring per model-parallel rank crosses the node.
    rings = min(per_node, split)
    outside = (rate * rings + pipeline / step * rings if step else 0.0) * BITS if several else 0.0
    bubble = pipeline_bubble(layout.pipeline, batches, layout.interleave)
    return Network(
        data, tensor, pipeline, step, rate, inside + (0.0 if several else rate), outside, bubble
    )


def all_reduce_traffic(k: float, S: float) -> float:
    """Return the bytes a rank sends to sum a buffer (formula all-reduce-traffic)."""
    return 2 * (k - 1) / k * S


def sharded_traffic(k: float, S: float) -> float:
    """Return the bytes a rank sends per step (formula sharded-traffic)."""
    return 3 * (k - 1) / k * S


def tensor_traffic(l: float, t: float, s: float, b: float, h: float, c: Coefficients) -> float:
    """Return the bytes a rank sends per micro-batch (formula tensor-traffic)."""
    return c["tensor-operations"] * l * 2 * (t - 1) / t * 2 * s * b * h


def expert_traffic(top: float, s: float, b: float, h: float) -> float:
    """Return the bytes a rank sends per routed layer (formula expert-traffic)."""
    return 2 * top * s * b * h * 2 * 2


def needed_bandwidth(S: float, T: float, c: Coefficients) -> float:
    """Return the bytes per second that hide traffic (formula needed-bandwidth)."""
    return S / (c["overlap-window"] * T)


def pipeline_bubble(p: float, N: float, m: float) -> float:
    """Return the share of time stages wait (formula pipeline-bubble)."""
    return (p - 1) / (N * m)
