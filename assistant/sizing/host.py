"""What each node needs beside its accelerators: memory and cores."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.devices import Device
from assistant.sizing.memory import Recipe, state_bytes, trained_parameters
from assistant.sizing.models import Model


@dataclass(frozen=True)
class Host:
    """Bytes of memory and cores of each node.

    `moved_bytes` is what offloading puts there; `needed_bytes` the least that holds it and
    the weights while they are loaded, `comfortable_bytes` what leaves room.
    """

    moved_bytes: float
    needed_bytes: float
    comfortable_bytes: float
    cores: int


def host(
    model: Model, recipe: Recipe, device: Device | None, nodes: int, per_node: int, c: Coefficients
) -> Host:
    """Return what a node needs."""
    w, g, o = state_bytes(recipe, c)
    trained = trained_parameters(model, recipe)
    moved = 0.0
    if recipe.offload != "none":
        moved = trained * (g + o) / nodes
    if recipe.offload == "parameters":
        moved += model.parameters * w / nodes
    loading = model.parameters * c["weight-bytes-16-bit"]
    memory = device.memory if device else 0.0
    comfortable = comfortable_host_memory(per_node, memory, c)
    return Host(
        moved,
        max(moved, loading),
        max(offload_host_memory(moved, c), comfortable, loading),
        round(host_cores(per_node, c)),
    )


def offload_host_memory(S: float, c: Coefficients) -> float:
    """Return the host bytes that moved states need (formula offload-host-memory)."""
    return c["offload-buffer"] * S


def comfortable_host_memory(n: float, G: float, c: Coefficients) -> float:
    """Return the bytes a node should have (formula comfortable-host-memory)."""
    return c["host-memory-ratio"] * n * G


def host_cores(n: float, c: Coefficients) -> float:
    """Return the cores a node should have (formula host-cores)."""
    return c["cores-per-accelerator"] * n
