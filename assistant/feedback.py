"""What readers think of answers: a line of JSON for each thumb, on this machine only."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock
from platformdirs import user_data_path

from assistant.answer import Kind, Language

Rating = Literal["up", "down"]


@dataclass(frozen=True)
class Feedback:
    """One thumb on one answer.

    A reader may change their mind: of the lines with one `turn`, the last counts,
    and a `rating` of None takes the thumb back. `time` is ISO 8601 in UTC.
    """

    turn: str
    time: str
    rating: Rating | None
    question: str
    context: str | None
    language: Language
    kind: Kind
    template: str | None


class FeedbackFile:
    """A file of JSON lines that several processes may append to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def at_home(cls) -> FeedbackFile:
        """Return the file in `TRAINWRIGHT_HOME`, or in the platform's user data folder."""
        named = os.environ.get("TRAINWRIGHT_HOME")
        home = Path(named).expanduser() if named else user_data_path("trainwright", False)
        return cls(home / "feedback.jsonl")

    def add(self, feedback: Feedback) -> None:
        """Append a line, and make the file if this is the first.

        Raises:
            OSError: If the file cannot be written.
        """
        line = json.dumps(asdict(feedback), ensure_ascii=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with (
            FileLock(self.path.with_suffix(".lock")),
            self.path.open("a", encoding="utf-8") as file,
        ):
            file.write(line + "\n")
