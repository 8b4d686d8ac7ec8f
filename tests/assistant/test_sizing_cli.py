"""`trainwright size` prints an estimate, or names what is wrong, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app

RUN = CliRunner()


def test_an_estimate_as_text() -> None:
    result = RUN.invoke(
        app,
        ["size", "--model", "Llama 2 7B", "--method", "lora", "--accelerator", "4090",
         "--language", "en"],
    )  # fmt: skip
    assert result.exit_code == 0
    assert "RTX 4090 24GB" in result.stdout


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_file_and_options_give_the_same_as_options_alone(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"plan.{suffix}"
    values = {"model": "7B", "method": "qlora", "sequence-length": 1024, "tokens": "5M"}
    text = json.dumps(values)
    file.write_text(text, encoding="utf-8")
    mixed = RUN.invoke(app, ["size", str(file), "--accelerator", "A100 80GB", "--json"])
    plain = RUN.invoke(
        app,
        ["size", "--model", "7B", "--method", "qlora", "--sequence-length", "1024", "--tokens",
         "5M", "--accelerator", "A100 80GB", "--json"],
    )  # fmt: skip
    assert mixed.exit_code == plain.exit_code == 0
    assert json.loads(mixed.stdout) == json.loads(plain.stdout)


@pytest.mark.parametrize(
    "content", ["- a\n- b\n", "model: [", "\x00", "a: &a [*a]", "7"], ids=str.strip
)
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(content, encoding="utf-8")
    result = RUN.invoke(app, ["size", str(file), "--language", "en"])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["size", str(tmp_path / "none.yaml")])
    assert result.exit_code == 2
    assert "none.yaml" in result.stderr


def test_problems_as_json_are_told_in_both_languages() -> None:
    result = RUN.invoke(app, ["size", "--model", "Lama 9", "--set", "epochs=0", "--json"])
    assert result.exit_code == 2
    problems = json.loads(result.stdout)["problems"]
    assert {p["problem"] for p in problems} == {"unknown-model", "not-positive"}
    assert all(set(p["text"]) == {"en", "zh"} for p in problems)


def test_a_check_that_fails_exits_with_one_and_says_what_would_do(tmp_path: Path) -> None:
    file = tmp_path / "machine.yaml"
    file.write_text(
        "model: Llama 3 8B\nmethod: full\naccelerator: 4090\naccelerators: 4\npooled: true\n",
        encoding="utf-8",
    )
    result = RUN.invoke(app, ["check", str(file), "--json"])
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert not found["passes"]
    assert found["findings"][0]["key"] == "pooled-memory"
    assert found["findings"][0]["change"]


def test_a_check_that_passes_exits_with_zero() -> None:
    sets = ["model=7B", "method=lora", "accelerator=A100 80GB", "host_memory_gb=256"]
    result = RUN.invoke(app, ["check", *(x for s in sets for x in ("--set", s))])
    assert result.exit_code == 0


def test_a_recommendation_names_prices_with_their_dates() -> None:
    result = RUN.invoke(
        app,
        ["recommend", "--model", "7B", "--method", "lora", "--vendor", "nvidia", "--json"],
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["options"]
    assert all(o["date"] for o in found["options"])
