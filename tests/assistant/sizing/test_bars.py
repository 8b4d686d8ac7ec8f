"""The bars of the benchmark hold on the cases that the coefficients were fitted on."""

from __future__ import annotations

import pytest

from assistant.sizing import Sizer
from benchmarks import sizing
from kg import KnowledgeGraph


@pytest.fixture(scope="module")
def sizer(shipped: KnowledgeGraph) -> Sizer:
    return Sizer.of(shipped)


def test_every_bar_is_held(sizer: Sizer) -> None:
    assert [bar for bar in sizing.bars(sizer) if not bar.held] == []


def test_there_are_cases(sizer: Sizer) -> None:
    assert len(sizing.states(sizer)) >= 22
    assert len(sizing.peaks(sizer)) >= 43
    assert len(sizing.out_of_memory(sizer)) >= 10
    assert len(sizing.hours(sizing.runs(sizer))) >= 27
    assert len(sizing.peers(sizer)) >= 20


def test_fine_tuning_rates_are_of_the_right_size(sizer: Sizer) -> None:
    errors = sorted(case.error for case in sizing.rates(sizer))
    assert errors[len(errors) // 2] < 0.4
