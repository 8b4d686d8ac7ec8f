"""However a question is typed, the same question gives the same text."""

from __future__ import annotations

import time

import pytest

from assistant.normalisation import MAX_CHARACTERS, han_share, has_han, normalise


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param("GPU", "gpu", id="case"),
        pytest.param("ＧＰＵ　１０ＧｂＥ", "gpu 10gbe", id="full width"),
        pytest.param("㎇", "gb", id="one character for a unit"),
        pytest.param("ﬁne", "fine", id="ligature"),
        pytest.param("  GPU\n\t 8  ", "gpu 8", id="spaces"),
        pytest.param("伺服器的記憶體", "服务器的内存", id="traditional, with regional words"),
        pytest.param("顯示卡", "显卡", id="regional word for a card"),
        pytest.param("硬碟", "硬盘", id="regional word for a disk"),
        pytest.param("網路頻寬", "网络带宽", id="regional word for bandwidth"),
        pytest.param("固態硬碟", "固态硬盘", id="regional word for an SSD"),
        pytest.param("叢集", "集群", id="regional word for a cluster"),
        pytest.param("内存要多大", "内存要多大", id="simplified stays"),
        pytest.param("V10O", "v100", id="O for 0 at the end"),
        pytest.param("A1OO", "a100", id="two O for 0"),
        pytest.param("4O90", "4090", id="O for 0 in the middle"),
        pytest.param("h1l0", "h110", id="l for 1"),
        pytest.param("lol, too long", "lol, too long", id="words keep their letters"),
        pytest.param("R740", "r740", id="a right product number stays"),
        pytest.param("a\0b\x07c", "a b c", id="control characters"),
        pytest.param("Zürich naïve", "zurich naive", id="Latin accents"),
        pytest.param("e\u0301" + "\u0301" * 9, "e", id="many accents on one letter"),
        pytest.param("が 한국", "が 한국", id="marks of other scripts stay"),
        pytest.param("\u202eabc", "abc", id="direction override"),
        pytest.param("\ud800x", "x", id="lone surrogate"),
        pytest.param("", "", id="empty"),
        pytest.param(" \n\u3000", "", id="only spaces"),
        pytest.param("\0\x01\x1b", "", id="only control characters"),
        pytest.param("😀", "😀", id="emoji stays"),
    ],
)
def test_spellings_become_one(typed: str, expected: str) -> None:
    """Width, case, script, look-alike digits and stray characters are brought to one form."""
    assert normalise(typed) == expected


@pytest.mark.parametrize("between", ["\u200b", "\u200d", "\u2060", "\u00ad", "\ufeff"], ids=ascii)
def test_an_invisible_character_is_dropped(between: str) -> None:
    """What cannot be seen does not cut a word in two."""
    assert normalise(f"内{between}存") == "内存"


@pytest.mark.parametrize("typed", ["V10O有多快", "伺服器的記憶體", "ＧＰＵ　８", "at  least 8 GB"])
def test_a_normalised_text_stays_as_it_is(typed: str) -> None:
    """Normalising twice is normalising once."""
    once = normalise(typed)
    assert normalise(once) == once


def test_a_text_is_cut_at_a_thousand_characters() -> None:
    """A thousand characters stay, one more is cut."""
    assert normalise("a" * 1_000 + "b") == "a" * 1_000 == normalise("a" * 1_000)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 20_000, id="one long word"),
        pytest.param("記憶體" * 6_667, id="traditional Chinese"),
        pytest.param("1o" * 10_000, id="digits and letters"),
        pytest.param("﷽" * 20_000, id="a character that NFKC makes eighteen of"),
        pytest.param(" \0" * 10_000, id="nothing to see"),
    ],
)
def test_a_very_long_text_is_cut_quickly(text: str) -> None:
    """20,000 characters take well under a second and come back shorter."""
    started = time.perf_counter()
    assert len(normalise(text)) <= MAX_CHARACTERS
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        pytest.param("内存", 1.0, id="Chinese"),
        pytest.param("memory size", 0.0, id="English"),
        pytest.param("NVMe 好", 0.5, id="one character and one word"),
        pytest.param("128", 0.0, id="a number"),
        pytest.param("", 0.0, id="empty"),
    ],
)
def test_the_share_of_chinese(text: str, share: float) -> None:
    """Each Chinese character and each Latin word counts one."""
    assert han_share(text) == share
    assert has_han(text) == (share > 0)
