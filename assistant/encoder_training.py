"""Trains the encoder's head and the fusion weights on the example questions (`make encoder`).

The head is trained with sentence-transformers: pairs of questions that the same
statement answers, MultipleNegativesRankingLoss. For the fusion weights and the
printed evaluation every example is judged by a head that has not seen it (k folds);
the head that is kept is then trained on all examples.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.sampler import BatchSamplers
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.sentence_transformer.modules import Dense, Dropout, Normalize

from assistant.encoder import FOLDER, BundledEncoder
from assistant.encoder_module import DIMENSION, UniversalSentenceEncoder
from assistant.guide_index import GuideIndex
from assistant.lexicon import Lexicon
from assistant.conversation import Reading
from assistant.linking import Linker
from assistant.ranking import (
    KINDS,
    NOT_STATED,
    OUTSIDE,
    WEIGHTS,
    ExampleIndex,
    FusionWeights,
    Ranker,
)
from assistant.selecting import Selector
from assistant.speech import FIGURES
from assistant.templates import SINGLE_STATEMENT, ExampleQuestion, TemplateLibrary
from assistant.wordings import wordings_of
from kg import KnowledgeGraph

HEAD_DIMENSION = 256
EPOCHS = 6
PAIRS_PER_EXAMPLE = 4
SEED = 0
# Every so many names of the lexicon are shown to the gate as keyword searches.
KEYWORD_STEP = 12
FIGURE_REPEAT = 2
# Thresholds tried for the gates of templates.
SIMILARITIES = (0.0, -0.02, -0.05, -0.08, -0.12, -0.2, -0.3)
SUPPORTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5)
LEAST_GAIN = 0.5
# Examples of one statement outnumber those of lists and comparisons by as much.
FAMILY_WEIGHT = 3.0


def train_head(groups: dict[str, list[str]], base: UniversalSentenceEncoder) -> SentenceTransformer:
    """Return a model whose head puts the texts of a group close together.

    Args:
        groups: Texts by what answers them.
        base: The frozen encoder; it keeps the vectors of texts it has seen.
    """
    torch.manual_seed(SEED)
    chooser = random.Random(SEED)
    pairs = [
        (text, other)
        for texts in groups.values()
        for text in texts
        for other in chooser.sample(texts, min(PAIRS_PER_EXAMPLE, len(texts)))
        if text != other
    ]
    head = Dense(DIMENSION, HEAD_DIMENSION, bias=False, activation_function=None)
    model = SentenceTransformer(modules=[base, Dropout(0.3), head, Normalize()], device="cpu")
    with tempfile.TemporaryDirectory() as folder:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=folder,
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=64,
            learning_rate=3e-3,
            lr_scheduler_type="cosine",
            weight_decay=1e-3,
            batch_sampler=BatchSamplers.NO_DUPLICATES,
            logging_strategy="no",
            save_strategy="no",
            report_to=[],
            seed=SEED,
            use_cpu=True,
            disable_tqdm=True,
        )
        data = Dataset.from_dict(
            {"anchor": [a for a, _ in pairs], "positive": [b for _, b in pairs]}
        )
        loss = MultipleNegativesRankingLoss(model, scale=20.0)
        SentenceTransformerTrainer(
            model=model, args=arguments, train_dataset=data, loss=loss
        ).train()
    return SentenceTransformer(modules=[base, head, Normalize()], device="cpu")


def head_weights(model: SentenceTransformer) -> np.ndarray:
    """Return the head's weights, float32, shape (256, 512)."""
    head = next(module for module in model if isinstance(module, Dense))
    weights: np.ndarray = head.linear.weight.detach().numpy().astype(np.float32)
    return weights


class Workbench:
    """The graph, the examples and what is needed to judge a head on them."""

    def __init__(self) -> None:
        self.graph = KnowledgeGraph.shipped()
        self.guide = GuideIndex.of(self.graph)
        self.linker = Linker(self.graph, Lexicon.of(self.graph))
        self.wordings = wordings_of(self.graph)
        self.base = UniversalSentenceEncoder(threads=2)
        self.library = TemplateLibrary.load()
        self.examples = [e for e in self.library.examples if e.context is None]
        self.linked = [self.linker.link(e.text) for e in self.examples]

    def groups(self, keep: list[int]) -> dict[str, list[str]]:
        """Return training texts by statement, and by template where none is expected."""
        groups: dict[str, list[str]] = defaultdict(list)
        for position in keep:
            example = self.examples[position]
            text = self.linked[position].asked
            if example.template in (NOT_STATED, *OUTSIDE):
                groups[example.template].append(text)
            elif len(example.statements) <= 2:
                for statement in example.statements:
                    groups[str(statement)].append(text)
            else:  # lists, whole configurations, comparisons
                groups[example.template].append(text)
        for statement, texts in self.wordings.items():
            groups[str(statement)] += [self.linker.prepare(text) for text in texts]
        return dict(groups)

    def index(self, encoder: BundledEncoder, keep: list[int]) -> ExampleIndex:
        """Return the index of the kept examples and all wordings."""
        texts = [self.linked[i].asked for i in keep]
        entries = [
            (
                self.examples[i].template,
                tuple(self.guide.position[s] for s in self.examples[i].statements),
            )
            for i in keep
        ]
        for statement, own in sorted(self.wordings.items()):
            for text in own:
                texts.append(self.linker.prepare(text))
                entries.append(("single_statement", (self.guide.position[statement],)))
        vectors = np.vstack(
            [encoder.encode(texts[i : i + 64]) for i in range(0, len(texts), 64)]
        )
        return ExampleIndex(vectors, entries, len(self.guide.statements))


    def keywords(self) -> list[tuple[str, int]]:
        """Return names of the graph's things with the kind of answer they get alone."""
        found = []
        for name, subjects in self.linker.lexicon.names["thing"].items():
            for subject in subjects:
                if subject in self.guide.covered:
                    found.append((name, KINDS.index("in_guide")))
                elif "/data/" in subject:
                    found.append((name, KINDS.index("not_stated")))
        figures = [
            (f"{int(row['value'])}{row['symbol'] if str(row['symbol']) != '1' else counter}", 0)
            for row in self.graph.select(FIGURES)
            for counter in ("块", " cards")
        ]
        return found[::KEYWORD_STEP] + figures * FIGURE_REPEAT


def kind_of(example: ExampleQuestion) -> int:
    """Return which kind of answer an example expects, as a position in `KINDS`."""
    if example.template in OUTSIDE:
        return KINDS.index("outside")
    return KINDS.index("not_stated" if example.template == NOT_STATED else "in_guide")


def fit(features: np.ndarray, targets: np.ndarray, penalty: float = 1e-3) -> np.ndarray:
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
        value.backward()
        return value

    optimizer.step(loss)  # type: ignore[arg-type]
    return weights.detach().numpy()


def fit_kinds(features: np.ndarray, kinds: np.ndarray) -> np.ndarray:
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
        value.backward()
        return value

    optimizer.step(loss)  # type: ignore[arg-type]
    return weights.detach().numpy()


def judge_unseen(bench: Workbench, folds: int) -> tuple[list[int], np.ndarray, list, np.ndarray]:
    """Return positions, encoder similarities and evidence of examples, each unseen by its head."""
    fold_of = np.random.default_rng(SEED).integers(0, folds, len(bench.examples))
    evidence: list = [None] * len(bench.examples)
    for fold in range(folds):
        keep = [i for i in range(len(bench.examples)) if fold_of[i] != fold]
        encoder = BundledEncoder(head_weights(train_head(bench.groups(keep), bench.base)), "fold")
        index = bench.index(encoder, keep)
        for i in np.flatnonzero(fold_of == fold):
            evidence[i] = index.evidence(encoder.encode([bench.linked[i].asked])[0])
    return list(range(len(bench.examples))), fold_of, evidence, fold_of


def fit_gates(bench: Workbench, ranker: Ranker, evidence: list) -> dict[str, dict[str, float]]:
    """Return for each template that lists the thresholds under which it gains most.

    The gain is that in F1 of the statements said over the ranking's own choice, summed
    over all examples; a template that gains nothing gets no gate and is never chosen.
    """
    selector = Selector(bench.graph, bench.guide, bench.library, {})
    shown: dict[str, list[tuple[float, float, bool, float]]] = defaultdict(list)
    for i, example in enumerate(bench.examples):
        if kind_of(example) != 0 or not example.statements:
            continue
        linked = bench.linked[i]
        ranked = ranker.rank(linked, [evidence[i]])
        candidates = selector.candidates(Reading(linked, linked, (linked.asked,)), ranked)
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
        cue = bool(bench.library.templates[name].cues)
        for similarity, least in itertools.product(SIMILARITIES, SUPPORTS):
            admitted = (near >= similarity) & (support >= least) & (cued | (not cue))
            best = max(best, (float(gains[admitted].sum()), similarity, least, cue))
        print(f"gate {name:28s} gain {best[0]:6.2f} of {gains[gains > 0].sum():6.2f}: {best[1:]}")
        if best[0] > LEAST_GAIN:
            gates[name] = {"similarity": best[1], "support": best[2], "cue": float(best[3])}
    return gates


def f1(said: set, expected: set) -> float:
    """Return the harmonic mean of precision and recall, precision counting half.

    A statement too many costs a reader a line; one too few is a wrong answer.
    """
    both = len(said & expected)
    if not both:
        return 0.0
    precision, recall = both / len(said), both / len(expected)
    return 5 * precision * recall / (4 * precision + recall)


def accuracy(scores: np.ndarray, wanted: list[set[int]]) -> tuple[float, float, float]:
    """Return accuracy@1, accuracy@3 and MRR of score rows against sets of right columns."""
    ranks = []
    for row, right in zip(scores, wanted, strict=True):
        order = np.argsort(-row).tolist()
        ranks.append(1 + min(order.index(r) for r in right))
    ranked = np.array(ranks)
    return float((ranked == 1).mean()), float((ranked <= 3).mean()), float((1 / ranked).mean())


def main() -> None:
    """Train, print the evaluation on unseen questions, write head and weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    bench = Workbench()
    _, _, evidence, _ = judge_unseen(bench, arguments.folds)

    asked = [
        i
        for i, e in enumerate(bench.examples)
        if e.template not in (NOT_STATED, *OUTSIDE) and 1 <= len(e.statements) <= 2
    ]
    ranker = Ranker(None, None, bench.guide, None)  # type: ignore[arg-type]
    features = np.stack(
        [ranker.statement_features(bench.linked[i], evidence[i].statements) for i in asked]
    )
    wanted = [{bench.guide.position[s] for s in bench.examples[i].statements} for i in asked]
    targets = np.zeros(features.shape[:2])
    for row, right in enumerate(wanted):
        targets[row, list(right)] = 1 / len(right)
    weights = fit(features, targets)
    fused = features @ weights
    for language in ("zh", "en"):
        rows = [r for r, i in enumerate(asked) if bench.examples[i].language == language]
        for title, scores in (("encoder", features[:, :, 0]), ("fused with mentions", fused)):
            first, third, mrr = accuracy(scores[rows], [wanted[r] for r in rows])
            print(
                f"{language} {title:20s} unseen {len(rows):4d}: "
                f"accuracy@1 {first:.3f}  accuracy@3 {third:.3f}  MRR {mrr:.3f}"
            )

    kind_rows, kinds = [], []
    for i, example in enumerate(bench.examples):
        scores = ranker.statement_features(bench.linked[i], evidence[i].statements) @ weights
        kind_rows.append(
            ranker.kind_features(
                bench.linked[i], evidence[i].statements, evidence[i].templates, scores
            )
        )
        kinds.append(kind_of(example))
    # A name or a figure alone is a keyword search: in the guide if a statement is about it.
    keyword_index = bench.index(
        encoder := BundledEncoder(
            head_weights(train_head(bench.groups(list(range(len(bench.examples)))), bench.base)),
            "all",
        ),
        list(range(len(bench.examples))),
    )
    for text, kind in bench.keywords():
        linked = bench.linker.link(text)
        seen = keyword_index.evidence(encoder.encode([linked.asked])[0])
        scores = ranker.statement_features(linked, seen.statements) @ weights
        kind_rows.append(ranker.kind_features(linked, seen.statements, seen.templates, scores))
        kinds.append(kind)
    kind_weights = fit_kinds(np.array(kind_rows), np.array(kinds))
    guessed = np.argmax(np.array(kind_rows) @ kind_weights.T, axis=1)
    ranker = Ranker(
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        bench.guide,
        FusionWeights(weights, kind_weights, {}),
    )
    gates = fit_gates(bench, ranker, evidence)
    for position, kind in enumerate(KINDS):
        of_kind = np.array(kinds) == position
        hits = (guessed == position) & of_kind
        print(
            f"kind {kind:12s} {of_kind.sum():4d}: recall {hits.sum() / of_kind.sum():.3f} "
            f"precision {hits.sum() / max(1, (guessed == position).sum()):.3f}"
        )

    model = train_head(bench.groups(list(range(len(bench.examples)))), bench.base)
    arguments.output.mkdir(parents=True, exist_ok=True)
    model.save(str(arguments.output), create_model_card=False)
    (arguments.output / WEIGHTS.name).write_text(
        json.dumps(
            {
                "statements": np.round(weights, 4).tolist(),
                "kinds": np.round(kind_weights, 4).tolist(),
                "gates": gates,
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
    FusionWeights.load(arguments.output / WEIGHTS.name)
    print(f"written to {arguments.output}")


if __name__ == "__main__":
    main()
