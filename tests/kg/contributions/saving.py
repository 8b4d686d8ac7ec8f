"""Saves, undoes and redoes in processes that are killed, for `test_crashes.py`.

python -m saving lines HOME      kill a child at each line of each kind of change
python -m saving moments HOME N  kill N children at random moments
python -m saving writer HOME NAME COUNT
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

from kg.contributions.folder import ContributionFolder, new_identifier

TEXT = '<urn:x> <urn:p> "{}" .\n' + "# padding\n" * 300 + '<urn:end> <urn:p> "{}" .\n'


def change(folder: ContributionFolder, kind: str, name: str) -> None:
    with folder.writing():
        if kind == "save":
            folder.add(new_identifier(datetime.now()), [TEXT.format(name, name)])
        elif kind == "import":
            texts = [TEXT.format(f"{name}-{i}", f"{name}-{i}") for i in range(3)]
            folder.add(new_identifier(datetime.now()), texts)
        elif kind == "undo":
            folder.undo(folder.files()[-1].id.partition(".")[0])
        else:
            folder.redo(folder.undone_files()[-1].id.partition(".")[0])


def killed_at_line(folder: ContributionFolder, kind: str, name: str, line: int) -> bool:
    """Return whether the child was killed, rather than done before that line."""
    pid = os.fork()
    if pid == 0:
        count = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal count
            if "contributions" not in frame.f_code.co_filename:
                return None
            if event == "line":
                count += 1
                if count == line:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        change(folder, kind, name)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


def whole(folder: ContributionFolder) -> int:
    """Return how many contributions there are, each whole, and each import with all its parts."""
    files = [*folder.files(), *folder.undone_files()]
    for file in files:
        text = file.path.read_text(encoding="utf-8")
        assert text.count("urn:x") == text.count("urn:end") == 1, file
    ids = [file.id for file in files]
    assert len(set(ids)) == len(ids)
    for imported in {file.import_id for file in files} - {None}:
        assert sum(file.import_id == imported for file in files) == 3, imported
    return len(files)


def lines(home: Path) -> None:
    folder = ContributionFolder(home)
    change(folder, "save", "first")
    change(folder, "import", "first")
    kills = 0
    for kind in ("save", "import", "undo", "redo"):
        line, before = 1, whole(folder)
        while True:
            if kind == "undo" and not folder.files():
                change(folder, "redo", "")
            if kind == "redo" and not folder.undone_files():
                change(folder, "undo", "")
            if not killed_at_line(folder, kind, f"{kind}{line}", line):
                break
            kills += 1
            now = whole(folder)
            assert now >= before, (kind, line)
            if kind in ("undo", "redo"):
                assert now == before, (kind, line)
            before = now
            line += 1
    change(folder, "save", "after all")
    whole(folder)
    print(kills)


def moments(home: Path, number: int) -> None:
    folder, before = ContributionFolder(home), 0
    change(folder, "import", "first")
    for i in range(number):
        pid = os.fork()
        if pid == 0:
            while True:
                for kind in ("save", "import", "undo", "redo"):
                    change(folder, kind, str(i))
        time.sleep(random.uniform(0.002, 0.03))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        now = whole(folder)
        assert now >= before
        before = now
    print(before)


def writer(home: Path, name: str, count: int) -> None:
    for i in range(count):
        change(ContributionFolder(home), "save", f"{name}-{i}")


if __name__ == "__main__":
    what, home, *rest = sys.argv[1:]
    if what == "lines":
        lines(Path(home))
    elif what == "moments":
        moments(Path(home), int(rest[0]))
    else:
        writer(Path(home), rest[0], int(rest[1]))
