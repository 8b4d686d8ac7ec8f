"""What training takes of each accelerator's memory, item by item, in bytes."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.models import Model, adapter_parameters
from assistant.sizing.parallelism import Layout


@dataclass(frozen=True)
class Recipe:
    """How a model is trained, with nothing left unsaid."""

    method: str = "full"
    precision: str = "bf16-mixed"
    optimizer: str = "adamw"
    gradient_bits: int = 16
    sequence_length: int = 2_048
    micro_batch: int = 1
    micro_batches: int = 1
    recompute: str = "none"
    attention: str = "fused"
    fused_loss: bool = False
    lora_rank: int = 16
    lora_targets: str = "all"
    trained_embeddings: bool = False
    quantisation: str = "nf4-double"
    offload: str = "none"

    @property
    def adapted(self) -> bool:
        """Return whether only adapters are trained."""
        return self.method in ("lora", "qlora")


@dataclass(frozen=True)
class Memory:
    """Bytes on the fullest accelerator at the peak."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    workspace: float
    overhead: float

    @property
    def total(self) -> float:
        """Return the sum of all items."""
        return sum(self.items().values())

    @property
    def states(self) -> float:
        """Return what lasts over the step: weights, gradients, optimizer."""
        return self.weights + self.gradients + self.optimizer

    def items(self) -> dict[str, float]:
        """Return the items by name, in the order in which they are told."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def memory(model: Model, recipe: Recipe, layout: Layout, c: Coefficients) -> Memory:
    """Return what a model takes of each accelerator under a layout."""
    states = _states(model, recipe, layout, c)
    kept, live = _activations(model, recipe, layout, c)
    scores = 0.0 if recipe.fused_loss else _logits(model, recipe, layout, c)
    # The last stage holds the logits, the first the activations of all micro-batches in flight.
    if layout.pipeline > 1:
        last = kept / layout.pipeline + scores
        kept, scores = (kept / layout.pipeline, scores) if last > kept else (kept, 0.0)
    return Memory(
        *states,
        kept + live,
        scores,
        _workspace(model, recipe, layout, c),
        c["context-overhead"],
    )


def state_bytes(recipe: Recipe, c: Coefficients) -> tuple[float, float, float]:
    """Return bytes of weights, gradients and optimizer state per trained weight."""
    half, single = c["weight-bytes-16-bit"], c["weight-bytes-32-bit"]
    if recipe.precision == "fp32":
        weights = gradients = single
    else:
        weights = half
        gradients = single if recipe.gradient_bits == 32 else half
    return weights, gradients, _optimizer_bytes(recipe, c)


def model_states(
    P: float,
    t: float,
    p: float,
    w: float,
    g: float,
    o: float,
    zw: float,
    zg: float,
    zo: float,
) -> float:
    """Return the bytes of weights, gradients and optimizer (formula model-states)."""
    return P / (t * p) * (w / zw + g / zg + o / zo)


def quantised_base(Pq: float, q: float, P: float, w: float) -> float:
    """Return the bytes of a base whose linear layers are quantised (formula quantised-base)."""
    return Pq * q + (P - Pq) * w


def trained_parameters(model: Model, recipe: Recipe) -> float:
    """Return how many weights are trained."""
    if not recipe.adapted:
        return model.parameters
    q, k, v, o, *feed_forward = model.matrices()
    matrices = {
        "query-value": [q, v],
        "attention": [q, k, v, o],
        "all": [q, k, v, o, *feed_forward],
    }[recipe.lora_targets]
    per_layer = sum(adapter_parameters(recipe.lora_rank, i, o) for i, o in matrices)
    embeddings = model.embedding_weights if recipe.trained_embeddings else 0
    return model.layers * per_layer + embeddings


def _states(
    model: Model, recipe: Recipe, layout: Layout, c: Coefficients
) -> tuple[float, float, float]:
    w, g, o = state_bytes(recipe, c)
    trained = trained_parameters(model, recipe)
    on_device = _per_stage(model, layout)
    if recipe.adapted:
        share = on_device / model.parameters
        base = base_bytes(model, recipe, w, c) * share
        # A quantised base cannot be cut by ZeRO-3 loaders; FSDP can (fsdp_qlora).
        whole = recipe.method == "qlora" and layout.sharding == "zero-3"
        base /= 1 if whole else layout.shards(3)
        adapters = trained - (model.embedding_weights if recipe.trained_embeddings else 0)
        added, here = adapters * share * w / layout.shards(3), trained * share
        weights = (0.0 if recipe.offload == "parameters" else base) + added
    else:
        here = on_device
        weights = on_device * w / layout.shards(3)
        if recipe.offload == "parameters":
            weights = 0.0
    optimizer = 0.0 if recipe.offload != "none" else here * o / layout.shards(1)
    gradients = here * g / layout.shards(2)
    if recipe.offload != "none" and not recipe.adapted:
        # Gradients go to the host as they come; one layer's are on the device.
        gradients /= model.layers
    return weights, gradients, optimizer


def _per_stage(model: Model, layout: Layout) -> float:
    """Return the weights on a device of the first stage before any sharding of data ranks."""
    if layout.pipeline == 1:
        return model.parameters / layout.tensor
    table = model.vocabulary * model.hidden
    layers = model.parameters - model.embedding_weights
    return (layers / layout.pipeline + table) / layout.tensor


def base_bytes(model: Model, recipe: Recipe, w: float, c: Coefficients) -> float:
    """Return the bytes of a frozen base as it is stored."""
    if recipe.method == "lora":
        return model.parameters * w
    q = c["nf4-bytes"] if recipe.quantisation == "nf4" else c["nf4-double-bytes"]
    return quantised_base(model.layer_weights, q, model.parameters, c["weight-bytes-16-bit"])


def _optimizer_bytes(recipe: Recipe, c: Coefficients) -> float:
    mixed = {
        "adamw": c["adam-mixed-bytes"],
        "adamw-8bit": c["adam-8-bit-bytes"],
        "sgd": c["sgd-mixed-bytes"],
        "adafactor": c["adafactor-bytes"],
    }[recipe.optimizer]
    if recipe.precision.endswith("mixed"):
        return mixed
    if recipe.optimizer == "adamw":
        return c["adam-plain-bytes-32" if recipe.precision == "fp32" else "adam-plain-bytes-16"]
    # Without a master copy; momentum of SGD follows the precision of the weights.
    plain = mixed - c["weight-bytes-32-bit"]
    return plain / 2 if recipe.optimizer == "sgd" and recipe.precision == "bf16" else plain


def _activations(
    model: Model, recipe: Recipe, layout: Layout, c: Coefficients
) -> tuple[float, float]:
    """Return the bytes kept for the backward pass, and those of a layer computed again."""
    layer = layer_activations(model, recipe, layout)
    if recipe.recompute == "selective" and recipe.attention == "fused":
        layer = activations_selective_fused(layer, c)
    held = model.layers * 1.0
    if layout.pipeline > 1:
        in_flight = min(layout.pipeline, max(recipe.micro_batches, 1))
        held = model.layers * in_flight / layout.pipeline
        if layout.interleave > 1 and in_flight == layout.pipeline:
            held = layers_held(model.layers, layout.pipeline, layout.interleave)
    if recipe.recompute == "full":
        tokens = recipe.sequence_length / layout.context
        kept = activations_full_recompute(tokens, recipe.micro_batch, model.hidden)
        return _wide(recipe) * kept * held, _wide(recipe) * layer
    return _wide(recipe) * layer * held, 0.0


def layer_activations(model: Model, recipe: Recipe, layout: Layout) -> float:
    """Return the bytes that a layer keeps in 16 bit where it is not computed again."""
    s, b, t = recipe.sequence_length / layout.context, recipe.micro_batch, layout.tensor
    h, f, a, kv = model.hidden, model.feed_forward, model.heads, model.kv_heads
    if recipe.attention == "stored":
        if recipe.recompute == "selective":
            split = activations_selective(s, b, h, t)
            return split if layout.sequence_parallel else s * b * h * (10 + 24 / t)
        if layout.sequence_parallel or t == 1:
            return activations_sequence_parallel(s, b, h, t, a)
        return activations_tensor_parallel(s, b, h, t, a)
    whole = activations_swiglu(s, b, h, kv, a, f) if model.gated else activations_gelu(s, b, h, f)
    if layout.sequence_parallel or t == 1:
        return whole / t
    unsplit = 10 * s * b * h
    return unsplit + (whole - unsplit) / t


def activations_tensor_parallel(s: float, b: float, h: float, t: float, a: float) -> float:
    """Return the bytes a GPT layer keeps (formula activations-tensor-parallel)."""
    return s * b * h * (10 + 24 / t + 5 * a * s / (h * t))


def activations_sequence_parallel(s: float, b: float, h: float, t: float, a: float) -> float:
    """Return the bytes a GPT layer keeps (formula activations-sequence-parallel)."""
    return s * b * h / t * (34 + 5 * a * s / h)


def activations_selective(s: float, b: float, h: float, t: float) -> float:
    """Return the bytes a GPT layer keeps (formula activations-selective)."""
    return 34 * s * b * h / t


def activations_selective_fused(L: float, c: Coefficients) -> float:
    """Return the bytes kept of a layer (formula activations-selective-fused)."""
    return c["selective-share"] * L


def activations_full_recompute(s: float, b: float, h: float) -> float:
    """Return the bytes kept of a layer (formula activations-full-recompute)."""
    return 2 * s * b * h


def layers_held(l: float, p: float, m: float) -> float:
    """Return how many layers' activations the first stage keeps (formula layers-held)."""
    return l * (1 + (p - 1) / (p * m))


def activations_swiglu(s: float, b: float, h: float, kv: float, a: float, f: float) -> float:
    """Return the bytes a gated layer keeps (formula activations-swiglu)."""
    return s * b * (16 * h + 4 * h * kv / a + 8 * f)


def activations_gelu(s: float, b: float, h: float, f: float) -> float:
    """Return the bytes a plain layer keeps (formula activations-gelu)."""
    return s * b * (12 * h + 4 * f)


def logits(V: float, s: float, b: float, c: Coefficients) -> float:
    """Return the bytes of scores over the vocabulary (formula logits)."""
    return c["logit-bytes"] * V * s * b


def dequantisation_workspace(w: float, Pq: float, l: float, c: Coefficients) -> float:
    """Return what a quantised base holds in 16 bit (formula dequantisation-workspace)."""
    return c["dequantised-layers"] * w * Pq / l


def gathered_workspace(w: float, P: float, l: float, c: Coefficients) -> float:
    """Return what is whole of a sharded model (formula gathered-workspace)."""
    return c["gathered-layers"] * w * P / l


def _logits(model: Model, recipe: Recipe, layout: Layout, c: Coefficients) -> float:
    tokens = recipe.sequence_length / layout.context
    return logits(model.vocabulary, tokens, recipe.micro_batch, c) / layout.tensor


def _workspace(model: Model, recipe: Recipe, layout: Layout, c: Coefficients) -> float:
    w = c["weight-bytes-16-bit"]
    layers = model.parameters - model.embedding_weights
    total = 0.0
    if recipe.method == "qlora":
        ways = layout.tensor
        total += dequantisation_workspace(w, model.layer_weights, model.layers, c) / ways
    sharded = layout.stage == 3 and layout.replicas > 1
    if (sharded and recipe.method != "qlora") or recipe.offload == "parameters":
        total += gathered_workspace(w, layers, model.layers, c) / layout.tensor
    return total


def _wide(recipe: Recipe) -> float:
    """Return how many times as wide as 16 bit activations are."""
    return 2.0 if recipe.precision == "fp32" else 1.0
