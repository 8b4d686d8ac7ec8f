"""Reads plans from files: YAML or JSON, one mapping of inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assistant.sizing.problems import PlanRefused, Problem

MOST_BYTES = 100_000


def read_inputs(path: Path) -> dict[str, Any]:
    """Return the inputs that a file holds.

    Raises:
        PlanRefused: If the file cannot be read or is no mapping.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise _refused(path, f"> {MOST_BYTES:,} bytes")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _refused(path, f"not UTF-8: {error}") from error
    values = _parsed(path, text)
    if not isinstance(values, dict):
        raise _refused(path, type(values).__name__)
    return {str(k): v for k, v in values.items()}


def _parsed(path: Path, text: str) -> Any:
    if path.suffix.lower() == ".json":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _refused(path, str(error)) from error
    import yaml  # late: only files need it

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _refused(path, " ".join(str(error).split())) from error


def _refused(path: Path, given: str) -> PlanRefused:
    return PlanRefused([Problem("file", str(path), given, "YAML, JSON: {input: value}")])
