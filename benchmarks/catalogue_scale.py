"""Times the catalogue's answers with 80,000 devices beside those with the shipped ones.

Run with `python -m benchmarks.catalogue_scale [--devices 80000]`. The devices are copies of
the shipped ones (`benchmarks/copied_devices.py`) in a temporary folder. Each question is
asked in turn of both catalogues, again and again, and its median counts; what is timed is
reading, query and wording, without the guide's encoder, which knows nothing of devices.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from assistant.answer import Answer
from assistant.catalogue import Catalogue
from benchmarks.copied_devices import CopiedDevices, Series
from kg import KnowledgeGraph
from kg.graph import ONTOLOGY

MOST_RATIO = 2.0
MOST_MILLISECONDS = 400.0
# Of so many series, spread over all, names are asked for.
SERIES = 4

# Names that are the same in Chinese and English, with a quantity in both.
NAMED = (
    ("H100 SXM5 80GB", "显存", "memory"),
    ("A100 SXM4 80GB", "显存带宽", "memory bandwidth"),
    ("Instinct MI300X", "功耗", "power draw"),
    ("RTX 4090 24GB", "FP16 算力", "FP16 throughput"),
    ("TPU v4", "发布年份", "release year"),
)
PAIRS = (
    ("H100 SXM5 80GB", "A100 SXM4 80GB"),
    ("Instinct MI300X", "H100 SXM5 80GB"),
    ("RTX 4090 24GB", "A100 SXM4 80GB"),
)
MISSPELT = (
    "Instnict MI300X 的显存多大？",
    "昇腾910B的显存带款是多少",
    "H1OO SXM5 80GB 的功耗",
    "memory of the Insinct MI300X",
    "memory bandwith of the H100 SXM5 80GB",
    "power draw of the Geforce RTX 4090",
)
FILTERS = (
    "显存不少于 80GB 的卡有哪些？",
    "哪些显卡显存不少于 80GB 而且功耗低于 400W？",
    "BF16 算力超过 1000 TFLOPS 的卡",
    "支持 FP8 的加速卡有哪些？",
    "Ampere 架构但不是数据中心定位的卡",
    "显存比 H100 SXM 大、功耗又低于 700W 的卡",
    "一共有多少块 NPU？",
    "cards with at least 80 GB of memory",
    "cards with more than 2 TB/s memory bandwidth under 700 W",
    "GPUs with BF16 above 1 PFLOPS",
    "which cards support FP8?",
    "AMD GPUs with at least 100 GB of memory",
    "anything with more memory than an H100 SXM under 700 W?",
    "how many accelerators have at least 80 GB of memory?",
)
SUPERLATIVES = (
    "哪款 GPU 显存带宽最高？",
    "功耗最低的 5 款加速卡",
    "哪款服务器最大功耗最低？",
    "which GPU has the most memory?",
    "five accelerators with the highest TDP",
    "which NPU has the highest FP16 throughput?",
)
# What is asked of the whole catalogue has other answers where there are more devices.
WHOLE = {*FILTERS, *SUPERLATIVES}


@dataclass(frozen=True)
class Item:
    """What is asked of the large catalogue, and of the shipped one; it must tell of `named`."""

    large: str
    shipped: str
    named: tuple[str, ...] = ()


def look_ups(series: Series | None, wrong: bool = False) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return look-ups of named devices, or of their copies in a series, and the names asked for."""
    for original, zh, en in NAMED:
        for language in ("zh", "en"):
            name = original if series is None else series.name(original, language)
            asked = name
            if series is not None and wrong:
                asked = f"{original} {series.latin[:3]}{series.latin[4:]}"
            told = () if series is None else (series.name(original, language),)
            yield (f"{asked} 的{zh}是多少？" if language == "zh" else f"{en} of the {asked}"), told


def comparisons(series: Series | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return comparisons of two devices, or of their copies in a series."""
    for pair in PAIRS:
        for language in ("zh", "en"):
            names = [p if series is None else series.name(p, language) for p in pair]
            asked = (
                "{} 和 {} 哪个显存大？" if language == "zh" else "which has more memory, {} or {}?"
            )
            yield asked.format(*names), () if series is None else tuple(names)


def families(series: list[Series]) -> dict[str, list[Item]]:
    """Return what is asked, by kind of question."""
    some = series[:: max(1, len(series) // SERIES)][:SERIES]
    shipped = [q for q, _ in look_ups(None)]
    pairs = [q for q, _ in comparisons(None)]

    def beside(own: Iterator[tuple[str, tuple[str, ...]]], others: list[str]) -> list[Item]:
        return [Item(q, o, told) for (q, told), o in zip(own, others, strict=True)]

    misspelt = [q for one in some for q in look_ups(one, wrong=True)]
    return {
        "look-ups, shipped": [Item(q, q) for q in shipped],
        "comparisons, shipped": [Item(q, q) for q in pairs],
        "misspelt, shipped": [Item(q, q) for q in MISSPELT],
        "look-ups, new names": [i for s in some for i in beside(look_ups(s), shipped)],
        "comparisons, new names": [i for s in some for i in beside(comparisons(s), pairs)],
        "misspelt, new names": [
            Item(q, MISSPELT[n % len(MISSPELT)], told) for n, (q, told) in enumerate(misspelt)
        ],
        "filters": [Item(q, q) for q in FILTERS],
        "superlatives": [Item(q, q) for q in SUPERLATIVES],
    }


def timed(catalogue: Catalogue, question: str) -> tuple[float, Answer]:
    """Return the milliseconds that an answer takes, and the answer."""
    started = time.perf_counter()
    answer = catalogue.answer(catalogue.read(question))
    return (time.perf_counter() - started) * 1000, answer


def percentiles(times: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    return statistics.median(times), statistics.quantiles(times, n=20, method="inclusive")[-1]


def megabytes() -> int:
    """Return the resident memory of this process."""
    return int(psutil.Process().memory_info().rss // 1_000_000)


def loaded(devices: int) -> tuple[Catalogue, list[Series]]:
    """Return the catalogue with so many devices more; print what that takes."""
    with tempfile.TemporaryDirectory() as folder:
        copies = CopiedDevices(KnowledgeGraph.load(ONTOLOGY), devices)
        copies.write(Path(folder))
        before, started = megabytes(), time.perf_counter()
        graph = KnowledgeGraph.load(ONTOLOGY, Path(folder))
        seconds = time.perf_counter() - started
    print(
        f"{devices} devices made of the shipped ones: {copies.triples} triples, "
        f"loaded in {seconds:.1f} s, {megabytes() - before} MB"
    )
    before, started = megabytes(), time.perf_counter()
    catalogue = Catalogue.of(graph)
    seconds, names = time.perf_counter() - started, len(catalogue.vocabulary.meanings)
    print(
        f"{names} names read in {seconds:.1f} s, {megabytes() - before} MB; "
        f"{megabytes()} MB resident in all"
    )
    return catalogue, copies.series


@dataclass(frozen=True)
class Measured:
    """What asking one question took, and whether it was answered as it must be."""

    shipped: float
    large: float
    right: bool


def measured(shipped: Catalogue, large: Catalogue, item: Item, repeats: int) -> Measured:
    """Return the medians of asking both catalogues in turn, after asking them once."""
    same = item.large == item.shipped and item.named == () and item.large not in WHOLE
    own, others = timed(shipped, item.shipped)[1], timed(large, item.large)[1]
    right = others.kind == "answer" and all(name in others.text for name in item.named)
    times = [(timed(shipped, item.shipped)[0], timed(large, item.large)[0]) for _ in range(repeats)]
    return Measured(
        statistics.median(t for t, _ in times),
        statistics.median(t for _, t in times),
        right and (not same or own == others),
    )


def main() -> None:
    """Print median and 95th percentile of both catalogues by kind of question, and the bars."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--devices", type=int, default=80_000)
    parser.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    started = time.perf_counter()
    shipped = Catalogue.of(KnowledgeGraph.load(ONTOLOGY))
    print(f"shipped catalogue: loaded and read in {time.perf_counter() - started:.1f} s")
    large, series = loaded(chosen.devices)
    print(
        f"milliseconds, warm, medians of {chosen.repeats}; load average {os.getloadavg()[0]:.1f} "
        f"on {os.cpu_count()} cores"
    )
    print(f"{'':22s}  n   shipped: p50     p95   large: p50     p95   p95 ratio")
    for name, items in families(series).items():
        found = [measured(shipped, large, item, chosen.repeats) for item in items]
        low, high = percentiles([m.shipped for m in found])
        large_low, large_high = percentiles([m.large for m in found])
        if items[0].large in WHOLE:
            held, bar = large_high < MOST_MILLISECONDS, f"< {MOST_MILLISECONDS:g} ms"
        else:
            held, bar = large_high <= MOST_RATIO * high, f"<= {MOST_RATIO:g} x"
        wrong = [i.large for i, m in zip(items, found, strict=True) if not m.right]
        print(
            f"{name:22s} {len(items):2d} {low:14.1f} {high:7.1f} {large_low:12.1f} "
            f"{large_high:7.1f} {large_high / high:11.1f}  {bar} {'held' if held else 'MISSED'}"
            + (f"; {len(wrong)} answered wrongly, such as {wrong[0]}" if wrong else "")
        )


if __name__ == "__main__":
    main()
