"""Writes files that are there whole or not at all, also after a crash or on a full disk."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: bytes, unfinished: Path) -> None:
    """Write a file elsewhere in the same file system, to the disk, and rename it.

    Args:
        path: Where it goes.
        data: What it holds.
        unfinished: Where it is until then; an existing file is overwritten.

    Raises:
        OSError: If it cannot be written; then nothing is at `path` that was not there before.
    """
    try:
        write_through(unfinished, data)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_through(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the disk has a folder's list of files, where the system can tell."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
