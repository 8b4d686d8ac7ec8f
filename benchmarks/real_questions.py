"""Ask questions of a CSV (id, question, needs) and print what comes back, one row a question.

The judgements in `real_questions.md` are a reader's; this prints what was judged.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from assistant import Assistant

SHOWN = 160


def main() -> None:
    """Print kind, template and the beginning of each answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--needs", nargs="*", default=["hardware-specs", "price"])
    arguments = parser.parse_args()
    assistant = Assistant.load()
    with arguments.questions.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["needs"] in arguments.needs:
                answer = assistant.ask(row["question"])
                text = " ".join(answer.text.split())[:SHOWN]
                print(row["id"], row["needs"], answer.kind, answer.template or "-", text, sep="\t")


if __name__ == "__main__":
    main()
