"""What accelerators send each other, and how fast links must be for it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.devices import Device
from assistant.sizing.memory import Recipe, base_bytes, state_bytes, trained_parameters
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
        if layout.stage == 3 and recipe.adapted:
            # The base is gathered for both passes, as it is stored; it has no gradients.
            base = base_bytes(model, recipe, w, c) / split
            data = batches * all_reduce_traffic(replicas, base)
        elif layout.stage == 3:
            data = batches * sharded_traffic(replicas, model.parameters / split * w)
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


def slowdown(links: Network, device: Device, node_bits: float | None, c: Coefficients) -> float:
    """Return how many times as long a step takes for the links of a device and a node."""
    rate = link_rate(device, c)
    inside = link_slowdown(links.within_node_rate, rate) if rate else 1.0
    if not node_bits:
        return inside
    return max(inside, link_slowdown(links.node_bits_per_second, node_bits))


def link_rate(device: Device, c: Coefficients) -> float | None:
    """Return the bytes per second a device sends one way to others of its node."""
    if device.link is not None:
        return device.link / 2
    if device.pcie is None:
        return None
    return float(c["pcie-3-rate"] * 2 ** (device.pcie - 3))


def link_slowdown(X: float, Yr: float) -> float:
    """Return how many times as long a step takes (formula link-slowdown)."""
    return max(1.0, X / Yr)


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
