"""Amounts in questions: their number, their unit, their range."""

from __future__ import annotations

import pytest

from assistant.catalogue import Catalogue
from assistant.catalogue.reading import CatalogueReader, Words


@pytest.fixture(scope="module")
def reader(small: Catalogue) -> CatalogueReader:
    return CatalogueReader(small.vocabulary)


def amounts(words: Words) -> list[tuple[float, float, list[str]]]:
    """Return the amounts read, with the last parts of their units' IRIs."""
    return [(a.low, a.high, [u.rsplit("/", 1)[-1] for u in a.units]) for a in words.amounts]


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("80G", 80, "GigaBYTE"),
        ("80 GB", 80, "GigaBYTE"),
        ("512 GiB", 512, "GibiBYTE"),
        ("2TB/s", 2, "TeraBYTE-PER-SEC"),
        ("400Gb/s", 400, "GigaBIT-PER-SEC"),
        ("400 Gbps", 400, "GigaBIT-PER-SEC"),
        ("400GB/s", 400, "GigaBYTE-PER-SEC"),
        ("1 PFLOPS", 1, "PetaFLOPS"),
        ("1 tflops", 1, "TeraFLOPS"),
        ("700W", 700, "W"),
        ("0.7 kW", 0.7, "KiloW"),
        ("0.7千瓦", 700, "W"),
        ("两千瓦", 2000, "W"),
        ("一千瓦", 1000, "W"),
        ("3万美元", 30_000, "unit-usd"),
        ("$30k", 30_000, "unit-usd"),
        ("$30,000", 30_000, "unit-usd"),
        ("1.5 万元", 15_000, "unit-cny"),
        ("¥70000", 70_000, "unit-cny"),
        ("50块", 50, "unit-cny"),
        ("0.31美元/小时", 0.31, "unit-usd-per-hour"),
        ("10%", 10, "PERCENT"),
    ],
)
def test_a_number_is_read_with_its_unit(
    reader: CatalogueReader, text: str, number: float, unit: str
) -> None:
    assert amounts(reader.read(text)) == [(number, number, [unit])]


def test_gigabit_and_gigabyte_differ_by_one_letters_case(reader: CatalogueReader) -> None:
    """In small letters nobody can tell which is meant, and both are kept."""
    assert amounts(reader.read("400 gb/s")) == [(400, 400, ["GigaBIT-PER-SEC", "GigaBYTE-PER-SEC"])]


@pytest.mark.parametrize(
    "text",
    ["200W 到 300W", "200-300W", "200 到 300 W", "between 200 and 300 W", "from 200 W to 300 W"],
)
def test_a_range_is_one_amount(reader: CatalogueReader, text: str) -> None:
    assert amounts(reader.read(text)) == [(200, 300, ["W"])]


def test_numbers_that_fall_are_no_range(reader: CatalogueReader) -> None:
    assert amounts(reader.read("300W-200W")) == [(300, 300, ["W"]), (200, 200, ["W"])]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2022 年", 2022, 2022),
        ("released in 2022", 2022, 2022),
        ("2016 到 2018 年", 2016, 2018),
        ("2016-2018", 2016, 2018),
    ],
)
def test_a_year_is_read_as_a_year(
    reader: CatalogueReader, text: str, first: int, last: int
) -> None:
    assert amounts(reader.read(text)) == [(first, last, ["unit-calendar-year"])]


@pytest.mark.parametrize(
    ("text", "number"), [("三台", 3), ("8 张卡", 8), ("eight cards", 8), ("2.5倍", 2.5)]
)
def test_a_count_has_no_unit(reader: CatalogueReader, text: str, number: float) -> None:
    assert amounts(reader.read(text)) == [(number, number, [])]


@pytest.mark.parametrize("text", ["一台服务器", "一个月", "2块显卡", "which one"])
def test_an_article_is_no_amount(reader: CatalogueReader, text: str) -> None:
    """ "One machine" says no number; two 块 are two cards and not two yuan."""
    assert not any(units for _, _, units in amounts(reader.read(text)))
    if "2" not in text:
        assert not amounts(reader.read(text))


def test_a_number_inside_a_name_is_no_amount(reader: CatalogueReader) -> None:
    words = reader.read("Orca 80GB 与 Puffin 9 的功耗是否低于 500W")
    assert amounts(words) == [(500, 500, ["W"])]
    assert [t.text for t in words.tokens][:1] == ["orca 80gb"]


@pytest.mark.parametrize(
    ("text", "language"),
    [("Orca 80GB 的带宽", "zh"), ("Orca 80GB bandwidth", "en"), ("H100 TDP 呢", "zh")],
)
def test_the_language_is_that_of_most_of_the_words(
    reader: CatalogueReader, text: str, language: str
) -> None:
    assert reader.read(text).language == language
