"""Trains the encoder's head and fits the fusion weights on the example questions.

Run with `make encoder`. The head is trained with sentence-transformers: pairs of
questions that the same statement answers, MultipleNegativesRankingLoss. What is printed
is measured on examples that the head had not seen (k folds); the head that is kept is
then trained on all examples.
"""

from __future__ import annotations

import argparse
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
from assistant.fitting import Array, accuracy, fit, fit_gates, fit_kinds, kind_of
from assistant.guide_index import GuideIndex
from assistant.lexicon import Lexicon
from assistant.linking import Linker
from assistant.ranking import (
    KINDS,
    NOT_STATED,
    OUTSIDE,
    WEIGHTS,
    Evidence,
    ExampleIndex,
    FusionWeights,
    Ranker,
)
from assistant.selecting import Selector
from assistant.speech import FIGURES
from assistant.templates import TemplateLibrary
from assistant.wordings import wordings_of
from kg import KnowledgeGraph

HEAD_DIMENSION = 256
EPOCHS = 6
PAIRS_PER_EXAMPLE = 4
SEED = 0
# Every so many names of the lexicon are shown to the gate as keyword searches.
KEYWORD_STEP = 12
FIGURE_REPEAT = 2


class Workbench:
    """The graph, the examples and what is needed to judge a head on them."""

    def __init__(self) -> None:
        self.graph = KnowledgeGraph.shipped()
        self.guide = GuideIndex.of(self.graph)
        self.wordings = wordings_of(self.graph)
        self.base = UniversalSentenceEncoder(threads=2)
        self.library = TemplateLibrary.load()
        self.linker = Linker(self.graph, Lexicon.of(self.graph, self.library.usual_words()))
        self.examples = [e for e in self.library.examples if e.context is None]
        self.linked = [self.linker.link(e.text) for e in self.examples]

    def unseen_evidence(self, folds: int) -> list[Evidence]:
        """Return for each example the evidence of a head and an index without its fold."""
        fold_of = np.random.default_rng(SEED).integers(0, folds, len(self.examples))
        evidence: dict[int, Evidence] = {}
        for fold in range(folds):
            keep = np.flatnonzero(fold_of != fold).tolist()
            encoder, index = self.trained(keep)
            for i in np.flatnonzero(fold_of == fold).tolist():
                evidence[i] = index.evidence(encoder.encode([self.linked[i].asked])[0])
        return [evidence[i] for i in range(len(self.examples))]

    def trained(self, keep: list[int]) -> tuple[BundledEncoder, ExampleIndex]:
        """Return an encoder trained on the kept examples, and their index."""
        encoder = BundledEncoder(head_weights(train_head(self.groups(keep), self.base)), "fold")
        return encoder, self.index(encoder, keep)

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
        vectors = np.vstack([encoder.encode(texts[i : i + 64]) for i in range(0, len(texts), 64)])
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


def head_weights(model: SentenceTransformer) -> Array:
    """Return the head's weights, float32, shape (256, 512)."""
    head = next(module for module in model if isinstance(module, Dense))
    weights: np.ndarray = head.linear.weight.detach().numpy().astype(np.float32)
    return weights


def main() -> None:
    """Train, print the evaluation on unseen questions, write head and weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    bench = Workbench()
    everything = list(range(len(bench.examples)))
    evidence = bench.unseen_evidence(arguments.folds)
    statements = fuse_statements(bench, evidence)
    kinds = fuse_kinds(bench, evidence, statements, bench.trained(everything))
    ranker = unembodied(bench, FusionWeights(statements, kinds, {}))
    selector = Selector(bench.graph, bench.guide, bench.library, {})
    gates = fit_gates(selector, ranker, bench.examples, bench.linked, evidence)
    model = train_head(bench.groups(everything), bench.base)
    write(arguments.output, model, statements, kinds, gates)
    print(f"written to {arguments.output}")


def fuse_statements(bench: Workbench, evidence: list[Evidence]) -> Array:
    """Return the weights of statement features; print how well they rank unseen questions."""
    asked = [
        i
        for i, e in enumerate(bench.examples)
        if e.template not in (NOT_STATED, *OUTSIDE) and 1 <= len(e.statements) <= 2
    ]
    ranker = unembodied(bench)
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
    return weights


def fuse_kinds(
    bench: Workbench,
    evidence: list[Evidence],
    weights: Array,
    trained: tuple[BundledEncoder, ExampleIndex],
) -> Array:
    """Return the weights that tell kinds of answers apart; print recall and precision.

    Names and figures alone are added as keyword searches: in the guide if a statement
    is about them. They are in no index, so the head of all examples may judge them.
    """
    ranker = unembodied(bench)
    encoder, index = trained
    seen = list(zip(bench.linked, evidence, map(kind_of, bench.examples), strict=True))
    for text, kind in bench.keywords():
        linked = bench.linker.link(text)
        seen.append((linked, index.evidence(encoder.encode([linked.asked])[0]), kind))
    rows = []
    for linked, found, _ in seen:
        scores = ranker.statement_features(linked, found.statements) @ weights
        rows.append(ranker.kind_features(linked, found.statements, found.templates, scores))
    features, kinds = np.array(rows), np.array([kind for _, _, kind in seen])
    fitted = fit_kinds(features, kinds)
    guessed = np.argmax(features @ fitted.T, axis=1)
    for position, name in enumerate(KINDS):
        of_kind = kinds == position
        hits = ((guessed == position) & of_kind).sum()
        recall, precision = hits / of_kind.sum(), hits / max(1, (guessed == position).sum())
        print(f"kind {name:12s} {of_kind.sum():4d}: recall {recall:.3f} precision {precision:.3f}")
    return fitted


def unembodied(bench: Workbench, weights: FusionWeights | None = None) -> Ranker:
    """Return a ranker that is given its evidence and has no encoder and index of its own."""
    return Ranker(None, None, bench.guide, weights)  # type: ignore[arg-type]


def write(
    folder: Path,
    model: SentenceTransformer,
    statements: Array,
    kinds: Array,
    gates: dict[str, dict[str, float]],
) -> None:
    """Write the model and the weights beside it, and read the weights back."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save(str(folder), create_model_card=False)
    weights = {
        "statements": np.round(statements, 4).tolist(),
        "kinds": np.round(kinds, 4).tolist(),
        "gates": gates,
    }
    path = folder / WEIGHTS.name
    path.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    FusionWeights.load(path)


if __name__ == "__main__":
    main()
