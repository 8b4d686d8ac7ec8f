"""The bundled encoder gives what its saved model gives, and another can take its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assistant import Assistant
from assistant.encoder import (
    FOLDER,
    BundledEncoder,
    SentenceTransformersEncoder,
    encoder_of_environment,
    unit_rows,
)
from kg import BrokenData

TEXTS = [
    "内存至少要多大？",
    "How much memory is the minimum?",
    "a100 vs v100",
    "",
    "?",
    "サーバー",
    "😀",
    "word " * 300,
    "训练" * 300,
]


@pytest.fixture(scope="module")
def bundled() -> BundledEncoder:
    return BundledEncoder.load()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static model of a few words, saved as a sentence-transformers folder."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "memory", "gpu", "network", "cloud", "storage"]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.eye(len(words), dtype=np.float32)
    folder = tmp_path_factory.mktemp("models") / "tiny"
    SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=weights)], device="cpu"
    ).save(str(folder))
    return folder


def test_vectors_are_of_unit_length(bundled: BundledEncoder) -> None:
    """Each text has one float32 row of unit length, however short or long it is."""
    vectors = bundled.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 256)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_a_text_has_one_vector_in_any_company(bundled: BundledEncoder) -> None:
    """A text's vector does not depend on what is encoded with it."""
    together = bundled.encode(TEXTS)
    alone = np.vstack([bundled.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


def test_a_question_is_near_its_translation(bundled: BundledEncoder) -> None:
    """The same question in two languages is nearer than another question in one."""
    zh, en, other = bundled.encode(
        ["内存至少要多大？", "How much memory is the minimum?", "Why is cloud flexible?"]
    )
    assert zh @ en > en @ other


@pytest.mark.slow
def test_the_bundled_encoder_equals_the_saved_model(bundled: BundledEncoder) -> None:
    """Numpy alone gives what sentence-transformers computes from the same folder, within 1e-5."""
    from sentence_transformers import SentenceTransformer

    # Its first module is ours, which sentence-transformers calls remote code.
    model = SentenceTransformer(str(FOLDER), device="cpu", trust_remote_code=True)
    vectors = model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(vectors - bundled.encode(TEXTS)).max() < 1e-5


@pytest.mark.slow
def test_importing_the_assistant_leaves_torch_alone() -> None:
    """Neither torch nor sentence-transformers nor Streamlit is imported for a question."""
    heavy = "{'torch', 'sentence_transformers', 'streamlit'}"
    script = f"import sys, assistant; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
def test_the_environment_names_another_model(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRAINWRIGHT_ENCODER swaps in a model by its folder; its vectors have unit length."""
    monkeypatch.setenv("TRAINWRIGHT_ENCODER", str(tiny_model))
    encoder = encoder_of_environment()
    assert isinstance(encoder, SentenceTransformersEncoder)
    assert encoder.name.startswith(str(tiny_model))
    vectors = encoder.encode(["memory", "memory gpu", "cloud"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert vectors[0] @ vectors[1] == pytest.approx(2**-0.5, abs=1e-6)
    assert vectors[0] @ vectors[2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.slow
def test_the_assistant_answers_with_another_model(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A model of another width needs no other change; the answer has the one shape."""
    monkeypatch.setenv("TRAINWRIGHT_ENCODER", str(tiny_model))
    monkeypatch.setattr("assistant.ranking.user_cache_path", lambda name: tmp_path / name)
    answer = Assistant.load().ask("How much memory is the minimum?")
    assert answer.kind in {"answer", "unknown", "needs_input", "out_of_scope"}
    assert answer.text


@pytest.mark.parametrize("value", [None, "", "  "], ids=["unset", "empty", "spaces"])
def test_without_a_name_the_bundled_encoder_is_taken(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    """Where the environment names no model, the bundled one is used."""
    if value is not None:
        monkeypatch.setenv("TRAINWRIGHT_ENCODER", value)
    assert isinstance(encoder_of_environment(), BundledEncoder)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(None, id="missing"),
        pytest.param(b"not safetensors", id="another format"),
    ],
)
def test_a_broken_head_is_named(tmp_path: Path, content: bytes | None) -> None:
    """A file that is missing or holds no head is an error with its name."""
    path = tmp_path / "model.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BrokenData, match=r"model\.safetensors"):
        BundledEncoder.load(path)


def test_zeros_stay_zeros() -> None:
    """Scaling to unit length leaves a row of zeros alone."""
    assert unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist() == [
        pytest.approx([0.6, 0.8]),
        [0.0, 0.0],
    ]
