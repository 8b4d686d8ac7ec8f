"""A question's things, cues, quantities and unknown names are found where they stand."""

from __future__ import annotations

import pytest
from rdflib import URIRef

from assistant.linking import Linker

EX = "https://example.org/data/"
GB, TB, GBE, ONE = 1e9, 1e12, 1e9, 1.0


def quantities(linker: Linker, question: str) -> list[tuple[float, float, str]]:
    """Return the quantities of a question as (low, high, last part of the unit's IRI)."""
    return [(q.low, q.high, q.unit.rsplit("/", 1)[-1]) for q in linker.link(question).quantities]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("80G", [(80 * GB, 80 * GB, "GigaBYTE")], id="80G"),
        pytest.param("80 GB", [(80 * GB, 80 * GB, "GigaBYTE")], id="80 GB"),
        pytest.param("80GB内存", [(80 * GB, 80 * GB, "GigaBYTE")], id="80GB before Chinese"),
        pytest.param("８０ＧＢ", [(80 * GB, 80 * GB, "GigaBYTE")], id="full width"),
        pytest.param("2TB", [(2 * TB, 2 * TB, "TeraBYTE")], id="2TB"),
        pytest.param("0.5 TB", [(0.5 * TB, 0.5 * TB, "TeraBYTE")], id="a fraction"),
        pytest.param("10GbE", [(10 * GBE, 10 * GBE, "GigaBIT-PER-SEC")], id="10GbE"),
        pytest.param("64到128G", [(64 * GB, 128 * GB, "GigaBYTE")], id="a range with 到"),
        pytest.param("64 to 128 GB", [(64 * GB, 128 * GB, "GigaBYTE")], id="a range with to"),
        pytest.param("1-2块", [(1.0, 2.0, "NUM")], id="1-2块"),
        pytest.param("1-2 cards", [(1.0, 2.0, "NUM")], id="1-2 cards"),
        pytest.param("十块Z700", [(10.0, 10.0, "NUM")], id="十块"),
        pytest.param("两张", [(2.0, 2.0, "NUM")], id="两张"),
        pytest.param("two Kestrel 3090", [(2.0, 2.0, "NUM")], id="a number word before a product"),
        pytest.param("4块3090", [(4.0, 4.0, "NUM")], id="a count before a product number"),
        pytest.param("7 cards", [(7.0, 7.0, "NUM")], id="a count before a class"),
        pytest.param(
            "64 GB or 2 TB",
            [(64 * GB, 64 * GB, "GigaBYTE"), (2 * TB, 2 * TB, "TeraBYTE")],
            id="two quantities",
        ),
        pytest.param("3090", [], id="a product number is no count"),
        pytest.param("3090张", [], id="a product number before a counter is no count"),
        pytest.param("3090 3090", [], id="a product number before a product is no count"),
        pytest.param("Zephyr 7 cards", [], id="the number of a name counts nothing"),
        pytest.param("7", [], id="a bare number"),
        pytest.param("2024年", [], id="a year"),
        pytest.param("50%", [], id="an unknown unit"),
        pytest.param("GB", [], id="a unit without a number"),
        pytest.param("2TBx", [], id="a unit within a longer word"),
    ],
)
def test_quantities_have_numbers_and_units(
    mini_linker: Linker, question: str, expected: list[tuple[float, float, str]]
) -> None:
    """A number counts with its unit, in the unit's base; a product's number does not."""
    assert quantities(mini_linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("1,000 GB", [(TB, TB, "GigaBYTE")], id="a thousands separator"),
        pytest.param("1,000,000 GB", [(1e15, 1e15, "GigaBYTE")], id="two thousands separators"),
        pytest.param("1,00 GB", [], id="a comma elsewhere separates no thousands"),
        pytest.param(
            "64G-128G",
            [(64 * GB, 128 * GB, "GigaBYTE")],
            marks=pytest.mark.xfail(reason="the second bound is lost"),
            id="a range with two units",
        ),
        pytest.param(
            "2-1块",
            [(1.0, 2.0, "NUM")],
            marks=pytest.mark.xfail(reason="low is above high"),
            id="a range downwards",
        ),
    ],
)
def test_quantities_in_other_spellings(
    mini_linker: Linker, question: str, expected: list[tuple[float, float, str]]
) -> None:
    """Separators, repeated units and ranges the other way round mean what they say."""
    assert quantities(mini_linker, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "8 x A100",
        pytest.param("8x A100", marks=pytest.mark.xfail(reason="x is not seen behind a digit")),
    ],
)
def test_times_counts(shipped_linker: Linker, question: str) -> None:
    """8x A100 are eight of them."""
    assert quantities(shipped_linker, question) == [(8.0, 8.0, "NUM")]


def test_the_same_amount_in_two_units_is_equal(mini_linker: Linker) -> None:
    """1 TB equals 1000 GB, so that figures can be compared."""
    (tera,) = mini_linker.link("1 TB").quantities
    (giga,) = mini_linker.link("1000 GB").quantities
    assert (tera.low, tera.kind) == (giga.low, giga.kind)


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        pytest.param("H200 or Z700", ("h200",), id="one known, one not"),
        pytest.param("MI300X和910B", ("mi300x", "910b"), id="two unknown"),
        pytest.param("Z700", (), id="a known one"),
        pytest.param("80GB", (), id="a quantity"),
        pytest.param("hello", (), id="a word"),
        pytest.param("2024", (), id="a number"),
    ],
)
def test_unknown_designators_are_kept(
    mini_linker: Linker, question: str, unknown: tuple[str, ...]
) -> None:
    """What is shaped like a product number and known to nobody is told apart."""
    assert mini_linker.link(question).designators == unknown


@pytest.mark.parametrize(
    ("question", "language"),
    [
        pytest.param("内存要多大", "zh", id="Chinese"),
        pytest.param("記憶體要多大", "zh", id="traditional Chinese"),
        pytest.param("How much memory?", "en", id="English"),
        pytest.param("Kestrel 3090 怎么样", "zh", id="Chinese about a Latin name"),
        pytest.param("What does 内存 mean in English, please tell me", "en", id="a Chinese word"),
        pytest.param("3090", "en", id="a number"),
        pytest.param("", "en", id="empty"),
    ],
)
def test_the_language_is_told(mini_linker: Linker, question: str, language: str) -> None:
    """A question is Chinese if enough of it is; names in Latin letters do not decide."""
    assert mini_linker.link(question).language == language


def test_mentions_stand_where_they_say(mini_linker: Linker) -> None:
    """The words at a mention's place in the linked text are its words."""
    linked = mini_linker.link("Are TWO Kestrel 3090 enough for a small lab, at least 64 GB?")
    spans = [(m.start, m.end, m.text) for m in (*linked.things, *linked.cues)]
    for start, end, text in spans + [(q.start, q.end, q.text) for q in linked.quantities]:
        assert linked.text[start:end] == text
    assert linked.nodes == {URIRef(EX + "kestrel-3090"), URIRef(EX + "small-lab")}
    assert [c.text for c in linked.cues] == ["at least"]


def test_attribution_is_no_part_of_what_is_asked(mini_linker: Linker) -> None:
    """ "The guide says" is found as a cue and left out of what the encoder is asked."""
    linked = mini_linker.link("The guide says small lab")
    assert linked.asked == "small lab"
    assert linked.nodes == {URIRef(EX + "small-lab")}
    assert mini_linker.prepare("The guide says") == "the guide says"


def test_what_was_understood_is_plain_data(mini_linker: Linker) -> None:
    """The detail of the link step holds text, mentions, cues, quantities and unknown names."""
    detail = mini_linker.link("at least 64 GB for Z700 or H200").as_detail()
    assert detail["mentions"] == [{"text": "z700", "node": EX + "zephyr-7"}]
    assert [c["text"] for c in detail["cues"]] == ["at least"]
    assert detail["quantities"][0]["low"] == 64 * GB
    assert detail["unknown_names"] == ["h200"]


@pytest.mark.parametrize("question", ["", " ", "?", "\0", "😀", "x" * 20_000, "块" * 20_000])
def test_nothing_found_is_an_empty_result(mini_linker: Linker, question: str) -> None:
    """A question that names nothing known is no error."""
    linked = mini_linker.link(question)
    assert (linked.things, linked.quantities, linked.designators) == ((), (), ())
