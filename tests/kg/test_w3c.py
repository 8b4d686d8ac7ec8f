"""The W3C tests pass through guard and executor as they pass in the bare engine.

They are not part of the repository: `W3C_TESTS` names their folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.w3c import cases, run, run_protocol

FOLDER = os.environ.get("W3C_TESTS", "")
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="W3C_TESTS does not name the folder of the W3C tests"
)

# What is refused by design: a graph that is not here, another server, and updates.
REFUSED = {
    "sparql10/syntax-sparql2/syntax-dataset-01": "FROM names a graph outside this one",
    "sparql10/syntax-sparql2/syntax-dataset-02": "FROM names a graph outside this one",
    "sparql10/syntax-sparql2/syntax-dataset-03": "FROM names a graph outside this one",
    "sparql10/syntax-sparql2/syntax-dataset-04": "FROM names a graph outside this one",
    "sparql11/syntax-query/test_42": "FROM names a graph outside this one",
    "sparql11/syntax-fed/test_2": "SERVICE would send the query to another server",
    "sparql11/syntax-fed/test_3": "SERVICE would send the query to another server",
}
UPDATES = {
    "update_base_uri",
    "update_dataset_default_graph",
    "update_dataset_default_graphs",
    "update_dataset_full",
    "update_dataset_named_graphs",
    "update_post_direct",
    "update_post_form",
}


def test_no_fewer_pass_than_in_the_bare_engine() -> None:
    """Every test that the engine passes alone is passed here, but those refused by design."""
    found = cases(Path(FOLDER).resolve())
    report = run(found)
    print("\n".join(report.lines()))
    assert len(report.ours) == len(found) >= 800
    assert {name: report.refused.get(name) for name in report.lost()} == REFUSED
    assert sum(report.bare.values()) >= 790


def test_the_protocol_is_kept() -> None:
    """A server passes each test of the protocol but those that need an update to be done."""
    results = run_protocol(Path(FOLDER).resolve())
    print(results)
    assert len(results) >= 30
    assert {name for name, (passes, _) in results.items() if not passes} == UPDATES
    assert all(results[name][1].startswith("403") for name in UPDATES)
