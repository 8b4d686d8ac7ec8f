"""Ask held-out questions about the catalogue and print the share that is answered right.

Each question says which entries must be found (all and no others), which numbers must be in
the text or the table, and which kind of answer is right. They were written from the tables
by people who had not seen the code or each other's questions.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from assistant import Answer, Assistant

QUESTIONS = Path(__file__).parent.parent / "tests" / "questions" / "catalogue_held_out.json"
TOLERANCE = 0.011
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")


def reasons(item: dict[str, Any], answer: Answer) -> list[str]:
    """Return why an answer fails; nothing if it passes."""
    if answer.kind != item["kind"]:
        return [f"kind {answer.kind}"]
    if item["kind"] != "answer":
        return []
    found = []
    selected = [
        s.detail["entries"] for s in answer.steps if s.step == "select" if "entries" in s.detail
    ]
    entries = {e.removeprefix("twd:") for e in selected[0]} if selected else set()
    if item.get("entries") is not None and entries != set(item["entries"]):
        missing, extra = set(item["entries"]) - entries, entries - set(item["entries"])
        found.append(f"lacks {sorted(missing)[:5]}, has besides {sorted(extra)[:5]}")
    text = answer.text + json.dumps(answer.table.rows if answer.table else [], ensure_ascii=False)
    numbers = [float(n.replace(",", "")) for n in _NUMBER.findall(text)]
    for value in item.get("numbers", []):
        if not any(abs(n - value) <= max(1e-6, TOLERANCE * abs(value)) for n in numbers):
            found.append(f"lacks {value:g}")
    if not answer.citations and item.get("numbers"):
        found.append("cites nothing")
    return found


def main() -> None:
    """Print the share that passes: all, by language, by family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="list each failure")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments = parser.parse_args()
    assistant = Assistant.load()
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item in json.loads(arguments.questions.read_text(encoding="utf-8")):
        for language in ("zh", "en"):
            context = item["context"][language] if item["context"] else None
            why = reasons(item, assistant.ask(item["question"][language], context))
            for key in ("all", f"language {language}", f"family {item['family']}"):
                tally[key][0] += not why
                tally[key][1] += 1
            if why and arguments.failures:
                print(item["id"], language, item["question"][language], "; ".join(why), sep="\t")
    for key in sorted(tally, key=lambda k: (k != "all", k)):
        passed, total = tally[key]
        print(f"{key:28s} {passed:4d}/{total:<4d} {passed / total:6.1%}")


if __name__ == "__main__":
    main()
