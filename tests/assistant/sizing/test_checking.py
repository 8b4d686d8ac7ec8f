"""What is found in configurations: each kind of slip once, with the change that mends it."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.sizing import PlanRefused
from assistant.sizing.checking import Checked, Checker
from assistant.sizing.explaining import Explainer
from assistant.sizing.machine import configuration
from assistant.sizing.report import Reporter
from kg import KnowledgeGraph


@pytest.fixture(scope="module")
def checker(shipped: KnowledgeGraph) -> Checker:
    return Checker.of(shipped)


@pytest.fixture(scope="module")
def reporter(shipped: KnowledgeGraph) -> Reporter:
    return Reporter(Explainer.of(shipped))


def checked(checker: Checker, **given: Any) -> Checked:
    return checker.check(*configuration(given))


LORA = {"model": "7B", "method": "lora", "accelerator": "A100 80GB"}
LARGE = {"model": "Llama 3 70B", "method": "full", "accelerator": "H100 SXM", "accelerators": 32}
SMALL = {"model": "Llama 3 8B", "method": "full", "accelerator": "4090", "accelerators": 4}
CASES: list[tuple[dict[str, Any], str, str]] = [
    (SMALL | {"pooled": True}, "must", "pooled-memory"),
    (SMALL | {"sharding": "ddp", "accelerators": 8}, "must", "pooled-memory"),
    (SMALL | {"accelerators": 1}, "must", "memory"),
    (
        {"model": "7B", "method": "full", "accelerator": "A100 40GB", "offload": "optimizer",
         "host_memory_gb": 50},
        "must",
        "host-memory-offload",
    ),
    (
        {"model": "7B", "method": "full", "accelerator": "A100 40GB", "offload": "optimizer",
         "host_memory_gb": 128},
        "should",
        "host-memory-buffer",
    ),
    (LORA | {"host_memory_gb": 8}, "must", "host-memory-loading"),
    (LORA | {"host_memory_gb": 64}, "must", "guide-host-memory-gb"),
    (LORA | {"nic_count": 0}, "must", "guide-nic-count"),
    (LORA | {"nic_gbit": 1}, "must", "guide-nic-gbit"),
    (LORA | {"cpu_cores": 2}, "should", "cores"),
    (LORA | {"accelerators": 8, "psu_watts": 2000}, "must", "psu"),
    (LORA | {"accelerators": 8, "psu_watts": 5000}, "should", "psu"),
    (LORA | {"accelerators": 8, "circuit_watts": 3600}, "must", "breaker"),
    (
        {"model": "7B", "method": "lora", "accelerator": "GB300", "accelerators": 72,
         "accelerators_per_node": 72, "cooling": "air", "chassis": "rack"},
        "must",
        "cooling",
    ),
    (LORA | {"accelerator": "4090", "accelerators": 8, "pcie_lanes": 64}, "should", "pcie-lanes"),
    (LORA | {"accelerator": "4090", "accelerators": 8, "pcie_lanes": 32}, "must", "pcie-lanes"),
    (LORA | {"accelerator": "4090", "accelerators": 4, "pcie_slots": 2}, "must", "pcie-slots"),
    (LORA | {"accelerator": "4090", "interconnect": "nvlink"}, "must", "no-nvlink"),
    (
        LORA | {"accelerator": "4090", "accelerators": 4, "tensor_parallel": 4},
        "should",
        "tensor-over-pcie",
    ),
    (LARGE | {"nic_count": 0}, "must", "no-network"),
    (LARGE | {"nic_gbit": 100, "nic_count": 1}, "should", "network-slow"),
    (LARGE | {"storage_gb": 2000}, "must", "storage-small"),
    (LARGE | {"storage_write_gb_s": 1}, "should", "storage-slow"),
    (LORA | {"accelerator": "V100 32GB", "precision": "bf16-mixed"}, "must", "precision"),
    (LORA | {"precision": "fp8-mixed"}, "must", "precision"),
    (LORA | {"accelerator": "TPU v4", "location": "on-premises"}, "must", "cloud-only"),
    (LORA | {"accelerators": 12, "chassis": "workstation"}, "must", "too-many-cards"),
    (LORA | {"accelerators": 12, "chassis": "server"}, "should", "too-many-cards"),
    (
        {"parameters": "125M", "method": "pretrain", "tokens": "300B", "hours": 24,
         "accelerator": "A100 SXM4 80GB", "accelerators": 8, "sequence_length": 2048},
        "must",
        "implausible-time",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "level", "key"), CASES, ids=[f"{k}-{x}" for _, x, k in CASES])
def test_a_slip_is_found(checker: Checker, given: dict[str, Any], level: str, key: str) -> None:
    found = {(f.level, f.key) for f in checked(checker, **given).findings}
    assert (level, key) in found


def test_a_sound_configuration_passes(checker: Checker) -> None:
    result = checked(
        checker, **LORA, host_memory_gb=256, nic_count=1, nic_gbit=25, psu_watts=1200,
        cpu_cores=32, chassis="workstation", storage_gb=2000,
    )  # fmt: skip
    assert result.findings == ()
    assert result.passes


def test_the_smallest_change_that_is_named_does_pass(checker: Checker) -> None:
    for given in (
        SMALL | {"accelerators": 1},
        SMALL | {"pooled": True},
        LORA | {"accelerator": "T4"},
    ):
        finding = checked(checker, **given).findings[0]
        assert finding.change is not None
        mended = given | {finding.change: finding.value, "recompute": "full"}
        after = {f.key for f in checked(checker, **mended).findings if f.level == "must"}
        assert not after & {"memory", "pooled-memory"}


def test_what_the_guide_asks_is_cited(checker: Checker) -> None:
    found = {f.key: f.basis for f in checked(checker, **LORA, host_memory_gb=64).findings}
    assert found["guide-host-memory-gb"] == ("S412a",)


def test_large_models_must_have_what_the_guide_asks_of_them(checker: Checker) -> None:
    """256 GB are asked for very large models only."""
    small = checked(checker, **LORA, host_memory_gb=200)
    large = checked(checker, **LARGE, host_memory_gb=200)
    assert [f.basis for f in small.findings if f.key.startswith("guide")] == []
    assert [f.basis for f in large.findings if f.key.startswith("guide")] == [("S412b",)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_finding_has_words(checker: Checker, reporter: Reporter, language: str) -> None:
    for given, _, _ in CASES:
        result = checked(checker, **given)
        data = reporter.checked_data(result, language)
        assert all(f["text"] for f in data["findings"])
        assert all(f.given in reporter.finding(f, language) for f in result.findings)


def test_a_machine_that_cannot_be_is_refused() -> None:
    with pytest.raises(PlanRefused) as caught:
        configuration({"cooling": "ice", "psu_watts": -3, "host_memory_gb": "much", "gpus": 3})
    assert {p.input for p in caught.value.problems} == {
        "cooling", "psu_watts", "host_memory_gb", "gpus"
    }  # fmt: skip
