"""A quote is shown only if the file at hand holds the very words that were hashed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rdflib import URIRef

from assistant.provenance import Provenance
from kg import KnowledgeGraph, SourceText, SourceTextError, places_of_statements
from kg.source_text import MAX_BYTES

GUIDE = Path(__file__).parent.parent / "data" / "mini_guide.txt"
WORDS = {
    "M1": "The Zephyr 7 suits a large cluster.",
    "M2": "The Zephyr 7 is the predecessor of the Zephyr 7 Pro.",
    "M3": "For a small lab in Zürich take two Kestrel 3090.",
    "M4": "at least 64 GB of memory. 内存至少 64 GB。",
}


def test_each_place_yields_its_words(mini: KnowledgeGraph) -> None:
    """The words at each statement's place are cut out exactly, umlauts and Chinese included."""
    text = SourceText.read(GUIDE)
    assert {p.statement: text.quote(p) for p in places_of_statements(mini)} == WORDS


def test_places_come_in_the_order_of_the_text(mini: KnowledgeGraph) -> None:
    """Places are listed as the text goes, not by their names."""
    starts = [p.start for p in places_of_statements(mini)]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(lambda t: t.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda t: t.replace("\n", "\r").encode(), id="CR"),
        pytest.param(lambda t: unicodedata.normalize("NFD", t).encode(), id="NFD"),
        pytest.param(
            lambda t: unicodedata.normalize("NFD", t).replace("\n", "\r\n").encode(),
            id="NFD and CRLF",
        ),
        pytest.param(lambda t: b"\xef\xbb\xbf" + t.encode(), id="byte order mark"),
    ],
)
def test_the_same_text_in_another_form_is_the_same_text(
    mini: KnowledgeGraph, tmp_path: Path, variant: Callable[[str], bytes]
) -> None:
    """Line ends, Unicode composition and a byte order mark change neither digest nor quotes."""
    path = tmp_path / "guide.txt"
    path.write_bytes(variant(GUIDE.read_text(encoding="utf-8")))
    assert path.read_bytes() != GUIDE.read_bytes()
    text = SourceText.read(path)
    assert text.digest == SourceText.read(GUIDE).digest
    assert all(v.matches for v in text.verify(places_of_statements(mini)))


def test_an_edition_that_differs_matches_only_up_to_the_change(
    mini: KnowledgeGraph, tmp_path: Path
) -> None:
    """One word more shifts what follows: those places differ, and none is quoted wrongly."""
    path = tmp_path / "guide.txt"
    words = GUIDE.read_text(encoding="utf-8").replace("a small lab", "a very small lab")
    path.write_text(words, encoding="utf-8")
    results = SourceText.read(path).verify(places_of_statements(mini))
    assert {r.place.statement: r.matches for r in results} == {
        "M1": True,
        "M2": True,
        "M3": False,
        "M4": False,
    }


def test_a_wrong_digest_shows_nothing(mini: KnowledgeGraph) -> None:
    """A place whose digest is another's yields no quote rather than a wrong one."""
    first, second, *_ = places_of_statements(mini)
    text = SourceText.read(GUIDE)
    assert text.quote(replace(first, digest=second.digest)) is None
    assert text.quote(replace(first, digest="")) is None


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param(100_000, 100_010, id="behind the end"),
        pytest.param(0, 100_000, id="longer than the text"),
        pytest.param(20, 10, id="end before start"),
    ],
)
def test_a_place_outside_the_text_shows_nothing(mini: KnowledgeGraph, start: int, end: int) -> None:
    """Offsets that do not fit the text are a mismatch, no error."""
    place = replace(places_of_statements(mini)[0], start=start, end=end)
    assert SourceText.read(GUIDE).quote(place) is None


def test_a_citation_has_a_quote_only_from_a_matching_text(
    mini: KnowledgeGraph, tmp_path: Path
) -> None:
    """With the right file a citation quotes it; with a wrong one, or none, it does not."""
    statement = URIRef("https://example.org/data/statement-M1")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("Quite another text, long enough to hold the first place.")
    for source, quote in (
        (SourceText.read(GUIDE), WORDS["M1"]),
        (SourceText.read(wrong), None),
        (None, None),
    ):
        (citation,) = Provenance(mini, source).citations([statement], "en")
        assert citation.quote == quote
        assert citation.statement == "M1"
        assert citation.wording == "The Zephyr 7 suits a large cluster."
        assert (citation.title, citation.section) == ("Mini guide", "Cards")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b" \r\n\t\n", "is empty", id="only spaces"),
        pytest.param(b"\xef\xbb\xbf", "is empty", id="only a byte order mark"),
        pytest.param(b"text\0text", "is binary", id="null bytes"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "is not UTF-8", id="an image"),
        pytest.param("内存".encode("gb18030"), "is not UTF-8", id="GB 18030"),
        pytest.param(b"x" * (MAX_BYTES + 1), "has 10000001 bytes", id="too large"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    """A file that cannot be the guide is an error that says why and names it."""
    path = tmp_path / "guide.txt"
    path.write_bytes(content)
    with pytest.raises(SourceTextError, match=problem) as error:
        SourceText.read(path)
    assert error.value.path == path
    assert str(path) in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is an error with its name."""
    with pytest.raises(SourceTextError, match="no such file"):
        SourceText.read(tmp_path / "nowhere.txt")


def test_a_folder_is_no_text(tmp_path: Path) -> None:
    """A folder is an error that says so, not one of the system's."""
    with pytest.raises(SourceTextError, match="is not a file"):
        SourceText.read(tmp_path)


def test_the_largest_text_allowed_is_read(tmp_path: Path) -> None:
    """A file of exactly the greatest size is read."""
    path = tmp_path / "guide.txt"
    path.write_bytes(b"x" * MAX_BYTES)
    assert len(SourceText.read(path).text) == MAX_BYTES
