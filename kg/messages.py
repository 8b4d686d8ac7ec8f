"""Texts shown to people, by key and language; they live in Turtle files as `tw:Message`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from string import Formatter

from kg.errors import BrokenData
from kg.graph import KnowledgeGraph

ALL_TEXTS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?key ?text WHERE { ?message a tw:Message ; dcterms:identifier ?key ; tw:text ?text }
"""

Say = Callable[..., str]
"""Gives a text by its key and its fields, in a language settled before."""


class Messages:
    """Texts shown to people, in Chinese and English."""

    def __init__(self, texts: Mapping[tuple[str, str], str]) -> None:
        self._texts = texts

    @classmethod
    def load(cls, path: Path) -> Messages:
        """Return the texts of a Turtle file.

        Raises:
            BrokenData: If a text is missing in one of the two languages, is there
                twice, or has other {fields} than in the other language.
        """
        texts: dict[tuple[str, str], str] = {}
        for row in KnowledgeGraph.load(path).select(ALL_TEXTS):
            key, language = str(row["key"]), str(row["text"].language)  # type: ignore[attr-defined]
            if (key, language) in texts:
                raise BrokenData(path, f"message {key} has two texts in {language}")
            texts[key, language] = str(row["text"])
        for key in sorted({key for key, _ in texts}):
            for language in ("zh", "en"):
                if (key, language) not in texts:
                    raise BrokenData(path, f"message {key} has no text in {language}")
            if _fields(texts[key, "zh"]) != _fields(texts[key, "en"]):
                raise BrokenData(path, f"message {key} has other fields in zh than in en")
        return cls(texts)

    def __call__(self, key: str, language: str, /, **fields: object) -> str:
        """Return a text with its {fields} filled in.

        Raises:
            KeyError: If there is no such message or a field is not given.
        """
        return self._texts[key, language].format(**fields)

    def in_language(self, language: str) -> Say:
        """Return these texts in one language: `say(key, **fields)`."""

        def say(key: str, /, **fields: object) -> str:
            return self(key, language, **fields)

        return say


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
