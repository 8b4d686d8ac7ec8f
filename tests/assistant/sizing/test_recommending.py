"""What is recommended for a plan: ranked, with why, and why not the rest."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from assistant.sizing import PlanRefused, Sizer, TrainingPlan
from assistant.sizing.explaining import Explainer
from assistant.sizing.recommending import Recommendation, Recommender
from assistant.sizing.report import Reporter
from kg import KnowledgeGraph

LARGE = TrainingPlan(model="Llama 3 70B", method="full", tokens=1e9, deadline_days=7, budget=20_000)
SMALL = TrainingPlan(model="7B", method="lora", tokens=1e8)


@pytest.fixture(scope="module")
def recommender(shipped: KnowledgeGraph) -> Recommender:
    return Recommender(Sizer.of(shipped))


@pytest.fixture(scope="module")
def large(recommender: Recommender) -> Recommendation:
    return recommender.recommend(LARGE)


def reasons(found: Recommendation) -> dict[str, str]:
    return {r.device: r.reason for r in found.rejected}


def test_options_are_within_the_wishes_and_the_cheapest_comes_first(large: Recommendation) -> None:
    assert len(large.options) >= 5
    costs = [o.cost.p50 for o in large.options]
    assert costs == sorted(costs)
    assert all(o.cost.p50 <= 20_000 and o.hours.p50 <= 7 * 24 for o in large.options)
    assert {o.currency for o in large.options} == {"USD"}
    assert all(o.date and o.source for o in large.options)


def test_every_accelerator_is_an_option_or_rejected(
    recommender: Recommender, large: Recommendation, shipped: KnowledgeGraph
) -> None:
    known = {d.name for d in Sizer.of(shipped).devices}
    assert {o.device for o in large.options} | set(reasons(large)) == known


def test_no_option_of_the_front_is_beaten(large: Recommendation) -> None:
    front = [o for o in large.chart if o.pareto]
    assert front
    for one in front:
        assert not any(
            o.cost.p50 < one.cost.p50 and o.hours.p50 < one.hours.p50 for o in large.chart
        )


def test_cards_in_many_machines_need_a_network_that_is_stated(large: Recommendation) -> None:
    assert reasons(large)["RTX 4090 24GB"] == "no-network"


def test_what_is_only_for_rent_is_not_recommended_for_a_site(recommender: Recommender) -> None:
    found = recommender.recommend(dataclasses.replace(SMALL, location="on-premises"))
    assert reasons(found)["TPU v4"] == "cloud-only"
    assert {o.kind for o in found.options} == {"bought"}


def test_chips_for_inference_are_not_recommended(large: Recommendation) -> None:
    assert reasons(large)["Inferentia2"] == "inference-only"


def test_a_tight_deadline_or_budget_rejects_by_how_much(recommender: Recommender) -> None:
    poor = recommender.recommend(dataclasses.replace(LARGE, budget=1_600.0))
    over = [r for r in poor.rejected if r.reason == "budget"]
    assert over
    assert all("USD" in r.given for r in over)
    assert len(poor.options) < 5


def test_a_vendor_restricts_the_choice(recommender: Recommender) -> None:
    found = recommender.recommend(dataclasses.replace(SMALL, vendor="amd"))
    assert {o.device.split()[0] for o in found.options} <= {"Instinct", "Radeon", "RX"}


def test_prices_of_different_currencies_are_not_ranked_together(recommender: Recommender) -> None:
    found = recommender.recommend(dataclasses.replace(SMALL, currency="CNY"))
    assert {o.currency for o in found.options} == {"CNY"}


def test_the_nearest_scenario_of_the_guide_is_cited(recommender: Recommender) -> None:
    found = recommender.recommend(dataclasses.replace(SMALL, accelerator="RTX 3090"))
    assert found.scenario == "small"
    assert "S51a" in found.statements


def test_buying_is_compared_with_dated_prices(large: Recommendation) -> None:
    assert large.owned is not None
    assert large.owned.against is not None
    assert large.owned.purchase.date
    assert large.owned.against.date
    assert (large.owned.break_even_utilisation or 0) > 0
    assert large.owned.purchase.currency == large.owned.against.currency


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "given",
    [
        {"model": "Llama 3 70B", "method": "full", "tokens": 1e9, "deadline_days": 7},
        {"model": "7B", "method": "lora", "location": "on-premises"},
        {"model": "7B", "method": "lora", "budget": 0.01},
        {"model": "7B", "method": "lora", "precision": "fp8-mixed", "vendor": "nvidia"},
        {"model": "Llama 2 7B", "method": "full", "tensor_parallel": 8, "global_batch": 1},
    ],
    ids=["large", "site", "poor", "fp8", "split"],
)
def test_a_recommendation_reads_in_both_languages_and_is_plain_data(
    recommender: Recommender, shipped: KnowledgeGraph, given: dict[str, Any], language: str
) -> None:
    reporter = Reporter(Explainer.of(shipped))
    found = recommender.recommend(TrainingPlan.of(given))
    data = json.loads(json.dumps(reporter.recommended_data(found, language)))
    assert data["text"]
    assert len(data["rejected"]) == len(found.rejected)


def test_a_wrong_plan_is_refused_as_for_an_estimate(recommender: Recommender) -> None:
    with pytest.raises(PlanRefused):
        recommender.recommend(TrainingPlan(model="Lama 9"))
