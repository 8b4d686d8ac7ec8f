"""What data and checkpoints take of storage, and how fast it must be."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.memory import Recipe, state_bytes, trained_parameters
from assistant.sizing.models import Model

KEPT_CHECKPOINTS = 3
ALLOWED_STALL = 60.0


@dataclass(frozen=True)
class Storage:
    """Bytes on disk and bytes per second; a checkpoint may stall training a minute."""

    data_bytes: float
    checkpoint_bytes: float
    model_bytes: float
    kept_checkpoints: int
    capacity_bytes: float
    write_rate: float
    read_rate: float


def storage(
    model: Model, recipe: Recipe, unique_tokens: float, tokens_per_second: float, c: Coefficients
) -> Storage:
    """Return the storage of a run; tokens read again count once."""
    data = c["token-bytes"] * unique_tokens
    w, _, o = state_bytes(recipe, c)
    if recipe.adapted or recipe.precision != "bf16-mixed" or recipe.optimizer != "adamw":
        checkpoint = trained_parameters(model, recipe) * (w + o)
    else:
        checkpoint = checkpoint_size(model.parameters, c)
    weights = model.parameters * c["weight-bytes-16-bit"]
    return Storage(
        data,
        checkpoint,
        weights,
        KEPT_CHECKPOINTS,
        data + weights + checkpoint * KEPT_CHECKPOINTS,
        checkpoint / ALLOWED_STALL,
        token_read_rate(tokens_per_second, c),
    )


def checkpoint_size(P: float, c: Coefficients) -> float:
    """Return the bytes of a full checkpoint (formula checkpoint-size)."""
    return c["checkpoint-bytes"] * P


def token_read_rate(x: float, c: Coefficients) -> float:
    """Return the bytes per second at which text is read (formula token-read-rate)."""
    return c["token-bytes"] * x


def checkpoint_interval(T: float, mtbf: float) -> float:
    """Return the best seconds between checkpoints (formula checkpoint-interval)."""
    return float((2 * T * mtbf) ** 0.5)
