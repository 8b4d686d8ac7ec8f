"""How many floating-point operations training takes."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.coefficients import Coefficients
from assistant.sizing.memory import Recipe
from assistant.sizing.models import Model


@dataclass(frozen=True)
class Compute:
    """Operations of a training run; `recomputed` ones do not count as useful."""

    weights: float
    attention: float
    recomputed: float

    @property
    def useful(self) -> float:
        """Return the operations that utilisation is stated for."""
        return self.weights + self.attention

    def timed(self, adapted: bool) -> float:
        """Return the operations that take time beyond what utilisation already holds.

        Utilisation of whole runs was fitted with recomputation in it; that of adapters was not.
        """
        return self.useful + (self.recomputed if adapted else 0.0)


def compute(model: Model, recipe: Recipe, tokens: float, c: Coefficients) -> Compute:
    """Return the operations of training on a number of tokens."""
    active = model.active_parameters
    if recipe.adapted:
        weights = adapter_operations(active, tokens, c)
    else:
        weights = training_operations(active, tokens, c)
    attention = attention_operations(model.layers, model.hidden, recipe.sequence_length, tokens, c)
    again = recompute_operations(active, tokens, c) if recipe.recompute == "full" else 0.0
    return Compute(weights, attention, again)


def training_operations(Pa: float, D: float, c: Coefficients) -> float:
    """Return the operations of training all weights (formula training-operations)."""
    return c["forward-backward-flops"] * Pa * D


def adapter_operations(Pa: float, D: float, c: Coefficients) -> float:
    """Return the operations of training adapters (formula adapter-operations)."""
    return c["adapter-flops"] * Pa * D


def recompute_operations(Pa: float, D: float, c: Coefficients) -> float:
    """Return the operations of computing again (formula recompute-operations)."""
    return c["recompute-flops"] * Pa * D


def attention_operations(
    l: float,
    h: float,
    s: float,
    D: float,
    c: Coefficients,
) -> float:
    """Return the operations of attention (formula attention-operations)."""
    return c["attention-flops"] * l * h * s * D


def optimal_token_count(P: float, c: Coefficients) -> float:
    """Return compute-optimal tokens (formula optimal-token-count)."""
    return c["optimal-tokens"] * P
