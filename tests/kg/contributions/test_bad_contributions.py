"""Whatever is wrong with a contribution is told in both languages, and nothing is saved."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from assistant.normalisation import has_han
from kg.contributions import ContributionRefused, Contributions, Draft, Fault
from kg.contributions.reading import LARGEST

FOLDER = Path(__file__).parents[2] / "data" / "bad_contributions"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def contributions(tmp_path_factory: pytest.TempPathFactory) -> Contributions:
    return Contributions.open(tmp_path_factory.mktemp("home"))


def refused(contributions: Contributions, draft: Draft) -> set[str]:
    """Return what is wrong with a draft, once it is sure that it is not saved."""
    assert draft.errors
    with pytest.raises(ContributionRefused) as caught:
        contributions.save(draft, "Li Wei", confirmed=True)
    assert contributions.folder.files() == []
    for finding in draft.errors:
        en, zh = finding.text("en"), finding.text("zh")
        assert has_han(zh)
        assert en in caught.value.text("en")
        assert "finding-" not in en
    return {finding.key for finding in draft.errors}


def test_the_cases_are_read() -> None:
    assert len(CASES) >= 100
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.filterwarnings("ignore")
def test_each_is_refused_with_the_right_message(
    contributions: Contributions, case: dict[str, Any]
) -> None:
    if case["form"] == "table":
        draft = contributions.check_pasted(case["text"], case["name"])
    else:
        draft = contributions.check_text(case["text"], "bad", case["form"])
    assert set(case["keys"]) <= refused(contributions, draft)


def test_what_was_given_and_what_is_allowed_is_named(contributions: Contributions) -> None:
    case = next(c for c in CASES if c["id"] == "sparse throughput unmarked")
    draft = contributions.check_text(case["text"], "bad")
    (text,) = [f.text("en") for f in draft.errors]
    for part in ("Example B9", "peak throughput", "sparsity", "900 TFLOPS", "tw:Dense"):
        assert part in text
    (text,) = [f.text("zh") for f in draft.errors]
    for part in ("示例 B9", "峰值算力", "稀疏性", "900 TFLOPS", "tw:Dense"):
        assert part in text


def test_turtle_of_100_mb_is_refused_unread(contributions: Contributions, tmp_path: Path) -> None:
    path = tmp_path / "huge.ttl"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    draft = contributions.check_file(path)
    assert refused(contributions, draft) == {"too-large"}
    assert f"{LARGEST // 1024 // 1024} MB" in draft.errors[0].text("en")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
@pytest.mark.parametrize("ending", ["ttl", "csv"])
def test_other_encodings_are_refused(
    contributions: Contributions, tmp_path: Path, encoding: str, ending: str
) -> None:
    path = tmp_path / f"mine.{ending}"
    path.write_bytes('<urn:x> <urn:p> "显存" .'.encode(encoding))
    assert refused(contributions, contributions.check_file(path)) == {"file-encoding"}


def test_a_folder_a_missing_file_and_an_unknown_kind_are_refused(
    contributions: Contributions, tmp_path: Path
) -> None:
    (tmp_path / "x.ttl").mkdir()
    assert refused(contributions, contributions.check_file(tmp_path / "x.ttl")) == {
        "file-unreadable"
    }
    assert refused(contributions, contributions.check_file(tmp_path / "y.ttl")) == {
        "file-unreadable"
    }
    (tmp_path / "x.owl").write_text("<rdf/>")
    assert refused(contributions, contributions.check_file(tmp_path / "x.owl")) == {"unknown-form"}


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"<!DOCTYPE r [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><r>&b;</r>", "entities"),
        (b"<workbook/>", "xlsx"),
    ],
    ids=["entity-bomb", "no-workbook"],
)
def test_a_workbook_with_entities_or_without_sheets_is_refused(
    contributions: Contributions, tmp_path: Path, content: bytes, key: str
) -> None:
    path = tmp_path / "mine.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", content)
    assert refused(contributions, contributions.check_file(path)) == {key}


def test_a_workbook_that_unpacks_to_too_much_is_refused(
    contributions: Contributions, tmp_path: Path
) -> None:
    path = tmp_path / "mine.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sheet.xml", b"0" * 210_000_000)
    assert refused(contributions, contributions.check_file(path)) == {"unpacks-too-large"}


@pytest.mark.parametrize("author", ["", "  ", "a\x00b", "<b>", "x" * 81])
def test_an_author_is_needed(contributions: Contributions, author: str) -> None:
    draft = contributions.check_text("", "x")
    with pytest.raises(ContributionRefused) as caught:
        contributions.save(draft, author)
    (finding,) = caught.value.findings
    assert isinstance(finding, Fault)
    assert finding.key == "author"
