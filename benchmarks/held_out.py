"""Scores the assistant on questions that nobody saw while the examples were written.

A question passes if the kind of answer fits, every expected statement is cited, not
many others are, a wrong premise is pointed out, and the text is no dump. Run with
`python -m benchmarks.held_out [--failures]`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from assistant import Answer, Assistant

QUESTIONS = Path(__file__).parent.parent / "tests" / "questions" / "held_out.json"
MOST_CHARACTERS = 1_200


def reasons(item: dict[str, Any], answer: Answer) -> list[str]:
    """Return why an answer fails; nothing if it passes."""
    cited = {c.statement for c in answer.citations if c.statement}
    expected = set(item["statements"])
    found = []
    if item["kind"] == "answer" and answer.kind != "answer":
        found.append(f"kind {answer.kind}")
    if item["kind"] == "wrong_premise" and answer.premise is None:
        found.append("premise not pointed out")
    # What the guide does not say, the catalogue may, with sources of its own.
    beyond = answer.kind == "answer" and any(not c.statement for c in answer.citations)
    open_kinds = ("unknown", "needs_input")
    if item["kind"] == "not_stated" and not beyond and answer.kind not in open_kinds:
        found.append(f"kind {answer.kind}")
    if item["kind"] == "out_of_scope" and answer.kind not in ("out_of_scope", "unknown"):
        found.append(f"kind {answer.kind}")
    if item["kind"] in ("answer", "wrong_premise") and expected:
        missing = expected - cited
        # Of a wrong premise one statement shows what is right.
        if missing and (item["kind"] == "answer" or missing == expected):
            found.append(f"cites {sorted(cited)}, lacks {sorted(missing)}")
        if len(cited) > max(6, 3 * len(expected)):
            found.append(f"cites {len(cited)} statements")
    if len(answer.text) > MOST_CHARACTERS:
        found.append(f"{len(answer.text)} characters")
    return found


def main() -> None:
    """Print the share that passes: all, by language, by kind, by style."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="list each failure")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments = parser.parse_args()
    assistant = Assistant.load()
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item in json.loads(arguments.questions.read_text(encoding="utf-8")):
        why = reasons(item, assistant.ask(item["question"], item["context"]))
        for key in ("all", *(f"{k} {item[k]}" for k in ("language", "kind", "style"))):
            tally[key][0] += not why
            tally[key][1] += 1
        if why and arguments.failures:
            print(item["id"], item["context"] or "", item["question"], "; ".join(why), sep="\t")
    for key in sorted(tally, key=lambda k: (k != "all", k)):
        passed, total = tally[key]
        print(f"{key:28s} {passed:4d}/{total:<4d} {passed / total:6.1%}")


if __name__ == "__main__":
    main()
