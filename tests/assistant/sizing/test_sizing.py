"""From a plan to what it needs, and what is said of a plan that cannot be."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from assistant.messages import Messages
from assistant.sizing import PlanRefused, Sizer, TrainingPlan
from assistant.sizing.explaining import Explainer
from assistant.sizing.models import parameters_of
from assistant.sizing.plan import CHOICES, RANGES
from assistant.sizing.problems import WORDING
from assistant.sizing.report import Reporter
from kg import KnowledgeGraph

GIB = 2.0**30


@pytest.fixture(scope="module")
def sizer(shipped: KnowledgeGraph) -> Sizer:
    return Sizer.of(shipped)


@pytest.fixture(scope="module")
def reporter(shipped: KnowledgeGraph) -> Reporter:
    return Reporter(Explainer.of(shipped))


def refused(sizer: Sizer, **given: Any) -> set[tuple[str, str]]:
    with pytest.raises(PlanRefused) as caught:
        sizer.size(TrainingPlan.of(given))
    return {(p.key, p.input) for p in caught.value.problems}


def test_the_papers_own_example_of_zero(sizer: Sizer) -> None:
    """7.5 billion weights on 64 devices: 120, 31.4, 16.6 and 1.88 GB (ZeRO, Fig. 1)."""
    for sharding, expected in (("none", 120), ("zero-1", 31.4), ("zero-2", 16.6), ("zero-3", 1.88)):
        plan = TrainingPlan(
            parameters=7.5e9,
            method="full",
            sharding=sharding,
            accelerators=64,
            accelerator="A100 SXM4 80GB",
            tensor_parallel=1,
        )
        assert sizer.size(plan).memory.states / 1e9 == pytest.approx(expected, rel=0.003)


def test_the_worked_times_of_narayanan(sizer: Sizer) -> None:
    """175B weights and 300B tokens on 1,024 devices at 140 TFLOPS with recompute: 34 days."""
    from assistant.sizing.training_time import training_time

    assert training_time(8 * 175e9 * 300e9, 1_024, 140e12, 1.0) / 86_400 == pytest.approx(
        33.9, 0.01
    )


def test_adapter_weights_are_those_that_litgpt_prints(sizer: Sizer) -> None:
    plan = TrainingPlan(model="Llama 2 7B", method="lora", lora_rank=8, lora_targets="query-value")
    sized = sizer.size(plan)
    trained = sized.memory.gradients / 2
    assert trained == 4_194_304


def test_four_small_cards_are_not_one_large_card(sizer: Sizer) -> None:
    """Without sharding, each of four 24 GB cards must hold everything."""
    plan = TrainingPlan(
        model="Llama 3 8B", method="full", accelerator="RTX 4090", accelerators=4, sharding="ddp"
    )
    assert {f.verdict for f in sizer.size(plan).fits} == {"too-small"}


def test_a_deadline_can_bind(sizer: Sizer) -> None:
    plan = TrainingPlan(model="Llama 3 8B", method="pretrain", accelerator="H100 SXM", tokens=15e12)
    slow = sizer.size(plan)
    fast = sizer.size(dataclasses.replace(plan, deadline_days=60))
    assert slow.devices is not None
    assert fast.devices is not None
    assert (slow.devices.binding, fast.devices.binding) == ("memory", "time")
    assert fast.devices.count > slow.devices.count
    assert fast.time is not None
    assert fast.time.hours.p50 <= 60 * 24


def test_offloading_moves_states_to_the_host(sizer: Sizer) -> None:
    """7 billion weights: 112 to 126 GB move off one card (DeepSpeed #3606 asks)."""
    plan = TrainingPlan(model="7B", method="full", accelerator="A100 40GB", accelerators=1)
    moved = sizer.size(dataclasses.replace(plan, offload="parameters"))
    assert moved.host.moved_bytes == pytest.approx(7e9 * 16)
    assert moved.host.comfortable_bytes == pytest.approx(7e9 * 16 * 1.5)


def test_more_tokens_take_longer_and_cost_more(sizer: Sizer) -> None:
    plan = TrainingPlan(model="Llama 2 7B", method="full", accelerator="H100 SXM", tokens=1e9)
    once, twice = sizer.size(plan), sizer.size(dataclasses.replace(plan, epochs=2))
    assert once.time is not None
    assert twice.time is not None
    assert twice.time.hours.p50 == pytest.approx(2 * once.time.hours.p50)
    assert twice.cloud[0].cost.p50 == pytest.approx(2 * once.cloud[0].cost.p50)
    assert twice.storage.data_bytes == once.storage.data_bytes


def test_every_offer_states_its_currency_and_amounts_are_not_converted(sizer: Sizer) -> None:
    sized = sizer.size(TrainingPlan(model="7B", method="lora", accelerator="A100 80GB"))
    currencies = [x.offer.currency for x in sized.cloud]
    assert set(currencies) >= {"USD"}
    assert currencies == sorted(currencies)
    only = sizer.size(
        TrainingPlan(model="7B", method="lora", accelerator="A100 80GB", currency="USD")
    )
    assert {x.offer.currency for x in only.cloud} == {"USD"}


def test_defaults_are_stated_and_what_is_given_is_not(sizer: Sizer) -> None:
    sized = sizer.size(TrainingPlan(model="Llama 2 7B", sequence_length=512))
    stated = {a.input for a in sized.assumptions}
    assert {"method", "precision", "optimizer", "tokens"} <= stated
    assert "sequence_length" not in stated
    assert sized.asks == ("method", "tokens")


def test_a_card_without_bf16_gets_fp16_unless_the_plan_says_otherwise(sizer: Sizer) -> None:
    sized = sizer.size(TrainingPlan(model="7B", method="lora", accelerator="V100 32GB"))
    assert sized.recipe.precision == "fp16-mixed"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"model": "Lama 9"}, ("unknown-model", "model")),
        ({"model": "7B", "accelerator": "H1000"}, ("unknown-accelerator", "accelerator")),
        ({}, ("model-missing", "model")),
        ({"model": "7B", "accelerators": 0}, ("not-positive", "accelerators")),
        ({"model": "7B", "epochs": -1}, ("not-positive", "epochs")),
        ({"model": "7B", "sequence_length": 10**9}, ("out-of-range", "sequence_length")),
        ({"parameters": "9e30"}, ("out-of-range", "parameters")),
        ({"model": "7B", "method": "magic"}, ("no-choice", "method")),
        ({"model": "7B", "tokens": "ten"}, ("not-number", "tokens")),
        ({"model": "7B", "tokens": "10 GB"}, ("not-number", "tokens")),
        ({"model": "7B", "tokens": float("nan")}, ("not-number", "tokens")),
        ({"model": "7B", "accelerators": 1.5}, ("not-whole-number", "accelerators")),
        ({"model": ["7B"]}, ("not-text", "model")),
        ({"model": "7B", "fused_loss": "perhaps"}, ("not-yes-or-no", "fused_loss")),
        ({"model": "7B", "gpu": "H100"}, ("unknown-input", "gpu")),
        ({"model": "7B", "parameters": 7e9}, ("either-or", "model, parameters")),
        ({"model": "7B", "tokens": 1e9, "samples": 5}, ("either-or", "tokens, samples")),
        (
            {"parameters": 7e9, "active_parameters": 8e9},
            ("more-than-all", "active_parameters"),
        ),
        ({"model": "7B", "method": "full", "lora_rank": 8}, ("only-with", "lora_rank")),
        (
            {"model": "Llama 2 7B", "accelerator": "T4", "accelerators": 6, "tensor_parallel": 3},
            ("not-divisible", "tensor_parallel"),
        ),
        (
            {"model": "Llama 2 7B", "accelerator": "T4", "accelerators": 6, "tensor_parallel": 4},
            ("not-divisible", "accelerators"),
        ),
        (
            {"model": "7B", "accelerator": "T4", "tokens": "9000T", "deadline_days": 0.1},
            ("deadline-impossible", "deadline_days"),
        ),
        (
            {"model": "Llama 2 7B", "accelerator": "T4", "accelerators": 8, "global_batch": 4},
            ("batch-too-small", "global_batch"),
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_bad_input_is_named(sizer: Sizer, given: dict[str, Any], expected: tuple[str, str]) -> None:
    assert expected in refused(sizer, **given)


def test_all_that_is_wrong_is_named_at_once(sizer: Sizer) -> None:
    found = refused(sizer, model="Lama 9", accelerator="H1000", epochs=0)
    assert len(found) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_problem_is_told_in_both_languages(sizer: Sizer, language: str) -> None:
    messages = Messages.load(WORDING)
    with pytest.raises(PlanRefused) as caught:
        sizer.size(TrainingPlan.of({"model": "Lama 9", "accelerator": "H1000", "epochs": 0}))
    for problem in caught.value.problems:
        text = problem.text(messages, language)
        assert problem.given in text
        assert problem.allowed in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "given",
    [
        {"model": "Llama 2 7B", "method": "lora", "accelerator": "RTX 4090"},
        {"model": "DeepSeek-V3", "method": "full", "accelerator": "H800"},
        {"model": "70B", "method": "qlora"},
        {"model": "7B", "method": "full", "accelerator": "T4", "budget": 100, "deadline_days": 3},
        {"model": "405B", "method": "pretrain", "accelerator": "TPU v4", "tokens": "1T"},
        {"model": "72B", "method": "full", "accelerator": "A100 80GB", "accelerators": 8,
         "offload": "optimizer", "sequence_length": "8k"},
    ],
    ids=lambda given: given["model"],
)  # fmt: skip
def test_a_report_reads_in_both_languages_and_is_plain_data(
    sizer: Sizer, reporter: Reporter, given: dict[str, Any], language: str
) -> None:
    sized = sizer.size(TrainingPlan.of(given))
    text = reporter.text(sized, language)
    assert sized.model.name in text
    data = json.loads(json.dumps(reporter.data(sized, language)))
    assert data["memory"]["total"] == pytest.approx(sized.memory.total)
    assert all(f["sources"] for f in data["formulas"])


def test_the_same_plan_gives_the_same_estimate(sizer: Sizer) -> None:
    plan = TrainingPlan(model="Llama 3 70B", method="qlora", accelerator="A100 80GB")
    assert sizer.size(plan) == sizer.size(plan)


def test_sizes_are_read_in_both_languages() -> None:
    assert parameters_of("7B") == parameters_of("70亿") == 7e9
    assert parameters_of("1.5 t") == 1.5e12
    assert parameters_of("Llama") is None


def test_every_number_has_a_range_and_every_choice_is_an_input() -> None:
    names = {f.name for f in dataclasses.fields(TrainingPlan)}
    assert set(RANGES) | set(CHOICES) <= names


def test_slow_links_lengthen_a_run(sizer: Sizer) -> None:
    """Sharding over ports of 10 Gbit/s is bound by them, over 3,200 Gbit/s it is not."""
    plan = TrainingPlan(
        model="Llama 3 70B", method="full", accelerator="H100 SXM", accelerators=32, tokens=1e9
    )
    slow = sizer.size(dataclasses.replace(plan, node_network_gbit=10)).time
    fast = sizer.size(dataclasses.replace(plan, node_network_gbit=3_200)).time
    assert slow is not None
    assert fast is not None
    assert fast.slowdown == 1
    assert slow.slowdown > 10
    assert slow.mover == "links"
    assert slow.hours.p50 == pytest.approx(fast.hours.p50 * slow.slowdown)


def test_choices_may_be_written_as_people_do() -> None:
    plan = TrainingPlan.of(
        {"model": "7B", "method": "QLoRA", "sharding": "ZeRO 3", "precision": "BF16_mixed"}
    )
    assert (plan.method, plan.sharding, plan.precision) == ("qlora", "zero-3", "bf16-mixed")
    assert TrainingPlan.of({"method": "pre-train"}).method == "pretrain"


@pytest.mark.parametrize(
    ("name", "found"),
    [("A100-40GB", 2), ("RTX3090-24GB", 1), ("TPUv4", 1), ("A6000-48GB", 1), ("V100", 6)],
)
def test_accelerators_may_be_written_as_people_do(sizer: Sizer, name: str, found: int) -> None:
    assert len(sizer.devices.named(name)) == found


def test_where_several_cards_are_needed_one_alone_is_judged(sizer: Sizer) -> None:
    """7B with adapters is tight on one card of 24 GB, so two are named, and that is said."""
    sized = sizer.size(TrainingPlan(model="7B", method="lora", accelerator="RTX 3090"))
    assert sized.devices is not None
    assert sized.devices.count == 2
    assert sized.alone is not None
    assert sized.alone.verdict == "tight"


def test_the_worked_example_of_buying_and_renting() -> None:
    """35,000 for each, 4 years, 10 % support, 1.275 kW at PUE 1.3 and 0.10 per kWh."""
    from assistant.sizing.cost import break_even_utilisation, owned_rate

    running = 3_500 + 1.275 * 1.3 * 0.10 * 8_760
    assert owned_rate(35_000, 4, running, 1, 1.0) == pytest.approx(1.56, abs=0.005)
    assert break_even_utilisation(35_000, 4, running, 1, 2.5) == pytest.approx(0.62, abs=0.01)


@pytest.mark.parametrize(
    "name",
    ["Llama 2 7B", "Llama 2 70B", "Llama 3 8B", "Llama 3.1 405B", "Yi 34B", "Qwen2.5 32B"],
)
def test_dimensions_give_the_number_of_weights(sizer: Sizer, name: str) -> None:
    from assistant.sizing.models import swiglu_parameters

    m = sizer.models.named(name)
    given = swiglu_parameters(
        2, m.vocabulary, m.hidden, m.layers, m.kv_heads, m.heads, m.feed_forward
    )
    assert given == pytest.approx(m.parameters, rel=2e-5)


def test_each_variant_of_a_line_is_judged(sizer: Sizer, reporter: Reporter) -> None:
    """A100 is figured with one variant, which is said, and the others are not passed over."""
    sized = sizer.size(TrainingPlan(model="7B", method="full", accelerator="A100"))
    assert {f.device for f in sized.fits} >= {"A100 PCIe 40GB", "A100 SXM4 80GB"}
    assert "A100 PCIe 40GB" in reporter.text(sized, "en")
