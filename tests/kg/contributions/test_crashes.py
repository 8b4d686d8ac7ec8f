"""Nothing is lost or half there: processes killed, disk full, folder read-only, many at once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kg.contributions import ContributionFolder, NotSaved
from kg.contributions import whole_files as whole

ROOT = Path(__file__).parents[3]
SAVING = Path(__file__).parent / "saving.py"
TEXT = "<urn:x> <urn:p> 1 .\n"
ID = "20261130T120000-0000000"


def saving(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(SAVING), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def output(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return said


def test_killed_at_random_moments(tmp_path: Path) -> None:
    assert int(output(saving("moments", tmp_path, 40))) >= 3


@pytest.mark.slow
def test_killed_at_each_line_of_saving_undoing_and_redoing(tmp_path: Path) -> None:
    """At least 200 kills; after each every contribution is whole and none is gone."""
    assert int(output(saving("lines", tmp_path))) >= 200


@pytest.mark.slow
def test_killed_200_times_at_random_moments(tmp_path: Path) -> None:
    assert int(output(saving("moments", tmp_path, 200))) >= 3


@pytest.mark.parametrize(
    ("processes", "each"),
    [(3, 10), pytest.param(20, 50, marks=pytest.mark.slow)],
    ids=["3x10", "20x50"],
)
def test_many_writers_at_once_lose_nothing(tmp_path: Path, processes: int, each: int) -> None:
    writers = [saving("writer", tmp_path, f"w{i}", each) for i in range(processes)]
    for process in writers:
        output(process)
    files = ContributionFolder(tmp_path).files()
    assert len(files) == processes * each
    texts = {file.path.read_text(encoding="utf-8") for file in files}
    assert len(texts) == processes * each
    assert all("urn:end" in text for text in texts)


def save(folder: ContributionFolder, number: int, texts: int = 1) -> list[str]:
    with folder.writing():
        return folder.add(f"{ID}{number}", [TEXT] * texts)


@pytest.mark.parametrize("texts", [1, 3], ids=["one", "import"])
@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_a_full_disk_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: int, call: int
) -> None:
    """The disk is full at the first, second … time that something is brought to it."""
    folder = ContributionFolder(tmp_path)
    before = save(folder, 1)
    count, real = 0, os.fsync

    def full(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count == call:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(whole.os, "fsync", full)
    saved: list[str] = []
    with suppress(NotSaved):
        saved = save(folder, 2, texts)
    monkeypatch.undo()
    ids = [file.id for file in folder.files()]
    # All of an import or nothing; what was renamed is there although its folder was not synced.
    assert ids[:1] == before
    assert len(ids) in (1, 1 + texts)
    assert set(saved) <= set(ids)
    assert save(folder, 3)[0] in [file.id for file in folder.files()]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where the folder should be: as root may write anywhere, modes would not do."""
    home = tmp_path / "home"
    home.write_text("")
    with pytest.raises(NotSaved) as caught:
        save(ContributionFolder(home), 1)
    assert str(home) in caught.value.text("en")
    assert "无法写入" in caught.value.text("zh")
    assert ContributionFolder(home).files() == []


def test_what_a_crash_left_unfinished_goes_with_the_next_change(tmp_path: Path) -> None:
    folder = ContributionFolder(tmp_path)
    save(folder, 1)
    (tmp_path / "unfinished" / "left.ttl").write_text("<urn:half")
    (tmp_path / "unfinished" / "import").mkdir()
    save(folder, 2)
    assert list((tmp_path / "unfinished").iterdir()) == []
    assert len(folder.files()) == 2
