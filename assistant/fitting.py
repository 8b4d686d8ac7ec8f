"""Fits the few weights that fuse linked and embedded evidence, on example questions.

Every example is judged with evidence from a head that has not seen it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rdflib import URIRef

from assistant.conversation import Reading
from assistant.linking import Linked
from assistant.ranking import KINDS, NOT_STATED, OUTSIDE, Evidence, Ranker
from assistant.selecting import Selector
from assistant.templates import SINGLE_STATEMENT, ExampleQuestion

Array = NDArray[Any]

# Examples of one statement outnumber those of lists and comparisons by as much.
FAMILY_WEIGHT = 3.0
# Thresholds tried for the gates of templates.
SIMILARITIES = (0.0, -0.02, -0.05, -0.08, -0.12, -0.2, -0.3)
SUPPORTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5)
LEAST_GAIN = 0.5
# A similarity that no template reaches.
CLOSED = 1.0


def kind_of(example: ExampleQuestion) -> int:
    """Return which kind of answer an example expects, as a position in `KINDS`."""
    if example.template in OUTSIDE:
        return KINDS.index("outside")
    return KINDS.index("not_stated" if example.template == NOT_STATED else "in_guide")


def fit(features: Array, targets: Array, penalty: float = 1e-3) -> Array:
    """Return weights w that make softmax(features @ w) closest to the targets.

    Args:
        features: Shape (n, choices, n_features).
        targets: Shape (n, choices), rows sum to 1.
        penalty: Factor of the squared weights, against overfitting.
    """
    x, y = torch.tensor(features), torch.tensor(targets)
    weights = torch.zeros(x.shape[-1], dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=300)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = -(y * torch.log_softmax(x @ weights, 1)).sum(1).mean()
        value = value + penalty * (weights**2).sum() / len(weights)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return np.asarray(weights.detach().numpy())


def fit_kinds(features: Array, kinds: Array) -> Array:
    """Return weights, shape (n_kinds, n_features), of a multinomial logistic regression.

    Kinds are weighted by the root of their frequency, since examples of the guide's
    statements are many and the others few.
    """
    x = torch.tensor(features)
    y = torch.tensor(kinds)
    share = torch.bincount(y, minlength=len(KINDS)).double() / len(y)
    weights = torch.zeros(len(KINDS), x.shape[1], dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=300)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(x @ weights.T, y, weight=share**-0.5)
        value = value + 1e-3 * (weights**2).mean()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return np.asarray(weights.detach().numpy())


def fit_gates(
    selector: Selector,
    ranker: Ranker,
    examples: Sequence[ExampleQuestion],
    linked_examples: Sequence[Linked],
    evidence: Sequence[Evidence],
) -> dict[str, dict[str, float]]:
    """Return for each template that lists the thresholds under which it gains most.

    The gain is that in F1 of the statements said over the ranking's own choice, summed
    over all examples; a template that gains nothing is chosen only where it is cued and
    explains every mention.
    """
    shown: dict[str, list[tuple[float, float, bool, float]]] = defaultdict(list)
    for example, linked, seen in zip(examples, linked_examples, evidence, strict=True):
        if kind_of(example) != 0 or not example.statements:
            continue
        ranked = ranker.rank(linked, [seen])
        reading = Reading(linked, linked, (linked.asked,))
        candidates = selector.candidates(reading, ranked)
        expected = set(example.statements)
        without = f1(set(candidates[0].statements), expected)
        counts = 1.0 if example.template == SINGLE_STATEMENT else FAMILY_WEIGHT
        for c in candidates:
            if c.template.selection != "Focused":
                gain = counts * (f1(set(c.statements), expected) - without)
                shown[c.template.name].append((c.similarity, c.support, c.cued, gain))
    gates = {}
    for name, found in sorted(shown.items()):
        near, support, cued, gains = (np.array(column) for column in zip(*found, strict=True))
        best = (0.0, 0.0, 0.0, False)
        # A template that has cues wants one: without, gains on examples did not carry over.
        cue = bool(selector.library.templates[name].cues)
        for similarity, least in itertools.product(SIMILARITIES, SUPPORTS):
            admitted = (near >= similarity) & (support >= least) & (cued | (not cue))
            best = max(best, (float(gains[admitted].sum()), similarity, least, cue))
        print(f"gate {name:28s} gain {best[0]:6.2f} of {gains[gains > 0].sum():6.2f}: {best[1:]}")
        if best[0] > LEAST_GAIN:
            gates[name] = {"similarity": best[1], "support": best[2], "cue": float(best[3])}
        elif cue:  # only where it is cued and explains every mention
            gates[name] = {"similarity": CLOSED, "support": best[2], "cue": 1.0}
    return gates


def f1(said: set[URIRef], expected: set[URIRef]) -> float:
    """Return the harmonic mean of precision and recall, precision counting half.

    A statement too many costs a reader a line; one too few is a wrong answer.
    """
    both = len(said & expected)
    if not both:
        return 0.0
    precision, recall = both / len(said), both / len(expected)
    return 5 * precision * recall / (4 * precision + recall)


def accuracy(scores: Array, wanted: list[set[int]]) -> tuple[float, float, float]:
    """Return accuracy@1, accuracy@3 and MRR of score rows against sets of right columns."""
    ranks = []
    for row, right in zip(scores, wanted, strict=True):
        order = np.argsort(-row).tolist()
        ranks.append(1 + min(order.index(r) for r in right))
    ranked = np.array(ranks)
    return float((ranked == 1).mean()), float((ranked <= 3).mean()), float((1 / ranked).mean())
