"""An estimate for reading: what it says first, then item by item, then where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from assistant.messages import Messages, Say
from assistant.sizing.estimate import Sizing
from assistant.sizing.explaining import Explainer
from assistant.sizing.findings import MUST, Checked, Finding
from assistant.sizing.fitting import FITS, Fit
from assistant.sizing.intervals import Interval
from assistant.sizing.problems import WORDING, Problem
from assistant.sizing.recommendation import Option, Recommendation
from assistant.sizing.settling import Assumption

GB, MB, KILO = 1e9, 1e6, 1e3
BITS = 8
STATEMENT = re.compile(r"[CIS]\d+[a-z]?")
MOST_OFFERS = 3
BUDGET_CURRENCY = "USD"
MOST_DEVICES = 5
MOST_OPTIONS = 6
MOST_REJECTED = 3
DAYS_FROM_HOURS = 72
SLOW = 1.05


class Reporter:
    """Words estimates and problems in the reader's language."""

    def __init__(self, explain: Explainer, messages: Messages | None = None) -> None:
        self._explain = explain
        self._messages = messages or Messages.load(WORDING)

    def text(self, sizing: Sizing, language: str) -> str:
        """Return an estimate as text."""
        return "\n".join(self._lines(sizing, language))

    def problems(self, problems: Any, language: str) -> str:
        """Return what is wrong with a plan, a line each."""
        return "\n".join(p.text(self._messages, language) for p in problems)

    def problem_data(self, problems: tuple[Problem, ...]) -> list[dict[str, Any]]:
        """Return what is wrong with a plan as plain data."""
        return [p.as_dict(self._messages) for p in problems]

    def data(self, sizing: Sizing, language: str) -> dict[str, Any]:
        """Return an estimate as plain data, with its text and the formulas behind it."""
        cited = [f.__dict__ for f in self._explain(sizing.formulas, language)]
        return sizing.as_dict() | {
            "language": language,
            "text": self.text(sizing, language),
            "formulas": cited,
        }

    def checked(self, checked: Checked, language: str) -> str:
        """Return what was found in a configuration as text."""
        say = self._messages.in_language(language)
        worst = sum(f.level == MUST for f in checked.findings)
        lines = [say("check-fails", count=worst) if worst else say("check-passes")]
        lines += [self.finding(f, language) for f in checked.findings]
        lines += list(_headline(checked.sizing, say))
        return "\n".join(lines)

    def finding(self, finding: Finding, language: str) -> str:
        """Return one finding as a sentence with the smallest change and what it rests on."""
        say = self._messages.in_language(language)
        text = say(f"finding-{finding.key}", given=finding.given, needed=finding.needed)
        change = ""
        if finding.change:
            name = say(f"input-{finding.change.replace('_', '-')}")
            change = say("change", input=name, value=finding.value)
        level = say(f"level-{finding.level}")
        named = [b for b in finding.basis if not STATEMENT.fullmatch(b)]
        basis = [f.label for f in self._explain(named, language)]
        basis += [say("statement", name=b) for b in finding.basis if STATEMENT.fullmatch(b)]
        if not basis:
            return say("finding-line-plain", level=level, text=text, change=change)
        joined = say("list-separator").join(basis)
        return say("finding-line", level=level, text=text, change=change, basis=joined)

    def checked_data(self, checked: Checked, language: str) -> dict[str, Any]:
        """Return what was found as plain data, with each finding's sentence."""
        data = checked.as_dict()
        for held, finding in zip(data["findings"], checked.findings, strict=True):
            held["text"] = self.finding(finding, language)
        return data | {"language": language, "text": self.checked(checked, language)}

    def recommended(self, found: Recommendation, language: str) -> str:
        """Return a recommendation as text: options, buying or renting, and what will not do."""
        say = self._messages.in_language(language)
        lines = []
        if not found.options:
            lines.append(say("recommend-none"))
        else:
            first = found.options[0]
            lines.append(say("recommend-first", device=first.device, count=first.count))
        lines += [self._option(o, say, language) for o in found.options[:MOST_OPTIONS]]
        if len(found.options) > MOST_OPTIONS:
            lines.append(say("recommend-more", count=len(found.options) - MOST_OPTIONS))
        if found.scenario:
            names = say("list-separator").join(found.statements)
            scenario = say(f"scenario-{found.scenario}")
            lines.append(say("recommend-scenario", scenario=scenario, statements=names))
        if found.owned and found.owned.against and found.owned.break_even_months:
            lines.append(self._flip(found, say))
        lines += self._rejected(found, say)
        if found.assumptions:
            lines.append(say("assumed-title"))
            lines += [_assumed(a, say) for a in found.assumptions]
        if found.asks:
            names = say("list-separator").join(_input(n, say) for n in found.asks)
            lines.append(say("asks", inputs=names))
        return "\n".join(lines)

    def recommended_data(self, found: Recommendation, language: str) -> dict[str, Any]:
        """Return a recommendation as plain data with its text."""
        return found.as_dict() | {"language": language, "text": self.recommended(found, language)}

    def _option(self, option: Option, say: Say, language: str) -> str:
        long = option.hours.p50 > DAYS_FROM_HOURS
        by = 24 if long else 1
        hours = {k: _number(v / by) for k, v in option.hours.__dict__.items()}
        spoken = {k: say("days" if long else "hours", value=v) for k, v in hours.items()}
        merits = [say(f"merit-{m}") for m in option.merits]
        merits += [say("merit-pareto")] if option.pareto else []
        merits += [say("caveat-network")] if option.unstated else []
        if option.slowdown > SLOW:
            merits.append(say("caveat-links", times=_number(option.slowdown)))
        return say(
            f"option-{option.kind}",
            count=option.count,
            device=option.device,
            time=spoken["p50"],
            slow=spoken["p90"],
            cost=_number(option.cost.p50),
            high=_number(option.cost.p90),
            currency=option.currency,
            offer=option.priced_by,
            date=option.date,
            region=option.region or say("unknown"),
            source=self._explain.title(option.source, language),
            needed=_number(option.needed / GB),
            usable=_number(option.usable / GB),
            merits=say("list-separator").join(merits) or say("none"),
        )

    def _flip(self, found: Recommendation, say: Say) -> str:
        owned = found.owned
        assert owned is not None
        assert owned.against is not None
        return say(
            "recommend-buy",
            device=found.owned_device or "",
            price=_number(owned.purchase.amount),
            currency=owned.purchase.currency,
            date=owned.purchase.date,
            offer=owned.against.instance,
            rent=_number(owned.against.per_accelerator),
            rent_date=owned.against.date or say("unknown"),
            months=_number(owned.break_even_months or 0),
            share=f"{owned.break_even_utilisation or 0:.0%}",
            rate=_number(owned.hourly_at_full_use),
        )

    def _rejected(self, found: Recommendation, say: Say) -> Iterator[str]:
        if found.rejected:
            yield say("rejected-title")
        for reason, held in groupby(found.rejected, key=lambda r: r.reason):
            items = list(held)
            named = say("list-separator").join(
                say(f"rejected-{reason}", device=r.device, given=r.given, needed=r.needed)
                for r in items[:MOST_REJECTED]
            )
            reason_text = say(f"reason-{reason}")
            yield say("rejected-line", reason=reason_text, count=len(items), devices=named)

    def _lines(self, sizing: Sizing, language: str) -> Iterator[str]:
        say = self._messages.in_language(language)
        yield from _headline(sizing, say)
        yield say("memory-title")
        for name, value in sizing.memory.items().items():
            yield say("memory-line", item=say(f"item-{name}"), value=_number(value / GB))
        layout = sizing.layout
        yield say(
            "layout",
            tensor=layout.tensor,
            pipeline=layout.pipeline,
            context=layout.context,
            data=layout.data,
            sharding=layout.sharding,
            recompute=sizing.recipe.recompute,
        )
        yield from _devices(sizing, say)
        yield from _time(sizing, say)
        yield from _needs(sizing, say)
        yield from self._money(sizing, say, language)
        if sizing.assumptions:
            yield say("assumed-title")
            yield from (_assumed(a, say) for a in sizing.assumptions)
        if sizing.asks:
            names = [_input(n, say) for n in sizing.asks]
            yield say("asks", inputs=say("list-separator").join(names))
        yield say("sources-title")
        for n, f in enumerate(self._explain(sizing.formulas, language), 1):
            source = say("list-separator").join(f.sources)
            if f.recalled:
                source += say("list-separator") + say("recalled")
            yield say("source-line", n=n, label=f.label, expression=f.expression, source=source)

    def _money(self, sizing: Sizing, say: Say, language: str) -> Iterator[str]:
        if sizing.devices is None or sizing.time is None:
            return
        device = sizing.devices.device
        if sizing.cloud:
            yield say("cloud-title")
        elif sizing.plan.location != "on-premises":
            yield say("cloud-none", device=device.name)
        for _, offers in groupby(sizing.cloud, key=lambda x: x.offer.currency):
            for cost in list(offers)[:MOST_OFFERS]:
                o = cost.offer
                yield say(
                    "cloud-line",
                    **_spread(cost.cost),
                    currency=o.currency,
                    instances=cost.instances,
                    instance=o.instance,
                    price=_number(o.price),
                    kind=o.kind,
                    region=o.region or say("unknown"),
                    date=o.date or say("unknown"),
                    source=self._explain.title(o.source, language),
                )
        if sizing.cost_mover:
            yield say("cost-mover", mover=say(f"mover-{sizing.cost_mover}"))
        if sizing.plan.budget and sizing.cloud:
            yield _budget(sizing, say)
        if sizing.owned:
            yield from self._owned(sizing, say, language)

    def _owned(self, sizing: Sizing, say: Say, language: str) -> Iterator[str]:
        owned, devices = sizing.owned, sizing.devices
        assert owned is not None
        assert devices is not None
        p = owned.purchase
        yield say(
            "owned",
            amount=_number(owned.accelerators),
            currency=p.currency,
            count=devices.count,
            price=_number(p.amount),
            date=p.date,
            source=self._explain.title(p.source, language),
            rate=_number(owned.hourly_at_full_use),
            years=_number(sizing.plan.years or 4),
        )
        if owned.against and owned.break_even_utilisation and owned.break_even_months:
            yield say(
                "break-even",
                offer=owned.against.instance,
                price=_number(owned.against.per_accelerator),
                currency=p.currency,
                date=owned.against.date or say("unknown"),
                share=f"{owned.break_even_utilisation:.0%}",
                months=_number(owned.break_even_months),
            )


def _input(name: str, say: Say) -> str:
    return say(f"input-{name.replace(', ', '-').replace('_', '-')}")


def _assumed(assumption: Assumption, say: Say) -> str:
    return say("assumed-line", input=_input(assumption.input, say), value=assumption.value)


def _headline(sizing: Sizing, say: Say) -> Iterator[str]:
    values = {
        "model": sizing.model.name,
        "method": say(f"method-{sizing.recipe.method}"),
        "total": _number(sizing.memory.total / GB),
        "high": _number(sizing.memory_high / GB),
    }
    if sizing.devices is None:
        yield say("headline-no-device", **values)
        names = list(dict.fromkeys(f.device for f in sizing.fits if f.verdict == FITS))
        listed = say("list-separator").join(names[:MOST_DEVICES])
        yield say("smallest-that-fit", devices=listed) if names else say("none-fits")
        return
    own = _own_fit(sizing)
    values |= {"device": own.device, "usable": _number(own.usable / GB)}
    if own.verdict == "too-small":
        yield say("headline-too-small", **values, short=_number(own.short / GB))
    elif own.because == "loading":
        yield say("headline-fits", **values)
        whole = sizing.memory.weights * sizing.layout.replicas
        yield say("loading", whole=_number(whole / GB))
    else:
        yield say(f"headline-{own.verdict}", **values)


def _own_fit(sizing: Sizing) -> Fit:
    assert sizing.devices is not None
    name = sizing.devices.device.name
    return next(f for f in sizing.fits if f.device == name)


def _devices(sizing: Sizing, say: Say) -> Iterator[str]:
    d = sizing.devices
    if d is None:
        return
    yield say(
        f"devices-{d.binding}",
        count=f"{d.count:,}",
        device=d.device.name,
        nodes=f"{d.nodes:,}",
        for_memory=say("unknown") if d.for_memory is None else f"{d.for_memory:,}",
        for_time=say("unknown") if d.for_time is None else f"{d.for_time:,}",
    )


def _time(sizing: Sizing, say: Say) -> Iterator[str]:
    time, devices = sizing.time, sizing.devices
    if time is None:
        if devices is not None:
            yield say("unknown-time", device=devices.device.name)
        return
    long = time.hours.p50 > DAYS_FROM_HOURS

    def spoken(hours: float) -> str:
        return (
            say("days", value=_number(hours / 24)) if long else say("hours", value=_number(hours))
        )

    yield say(
        "time",
        p10=spoken(time.hours.p10),
        p50=spoken(time.hours.p50),
        p90=spoken(time.hours.p90),
        tokens=_tokens(sizing.tokens),
        utilisation=f"{time.utilisation:.0%}",
        mover=say(f"mover-{time.mover}"),
    )
    if time.slowdown > SLOW:
        yield say("slow-links", times=_number(time.slowdown))
    days = sizing.plan.deadline_days
    if days:
        late = "missed" if time.hours.p50 > days * 24 else "kept"
        late = "risky" if late == "kept" and time.hours.p90 > days * 24 else late
        yield say(f"deadline-{late}", days=_number(days))


def _needs(sizing: Sizing, say: Say) -> Iterator[str]:
    if sizing.network is not None and sizing.layout.accelerators > 1:
        yield say(
            "network",
            within=_number(sizing.network.within_node_rate / GB),
            between=_number(sizing.network.node_bits_per_second / GB),
        )
    s = sizing.storage
    yield say(
        "storage",
        capacity=_number(s.capacity_bytes / GB),
        data=_number(s.data_bytes / GB),
        kept=s.kept_checkpoints,
        checkpoint=_number(s.checkpoint_bytes / GB),
        write=_number(s.write_rate / GB),
        read=_number(s.read_rate / MB),
    )
    h = sizing.host
    yield say(
        "host",
        needed=_number(h.needed_bytes / GB),
        comfortable=_number(h.comfortable_bytes / GB),
        cores=h.cores,
    )
    p = sizing.power
    if p is not None:
        yield say(
            "power",
            node=_number(p.node_watts / KILO),
            supply=_number(p.supply_watts / KILO),
            circuit=_number(p.circuit_watts / KILO),
            heat=_number(p.heat),
            **_spread(p.energy_kwh),
        )


def _budget(sizing: Sizing, say: Say) -> str:
    budget = sizing.plan.budget or 0.0
    currency = sizing.plan.currency or BUDGET_CURRENCY
    offers = [x for x in sizing.cloud if x.offer.currency == currency.upper()]
    if not offers:
        return say("budget-unknown", currency=currency)
    cost = min((x.cost for x in offers), key=lambda x: x.p50)
    verdict = "within" if cost.p90 <= budget else "risky" if cost.p50 <= budget else "beyond"
    amount = cost.p50 if verdict == "beyond" else cost.p90
    return say(f"budget-{verdict}", budget=_number(budget), cost=f"{_number(amount)} {currency}")


def _spread(interval: Interval) -> dict[str, str]:
    return {k: _number(getattr(interval, k)) for k in ("p10", "p50", "p90")}


def _tokens(count: float) -> str:
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if count >= size:
            return f"{count / size:,.4g}{letter}"
    return f"{count:,.0f}"


def _number(value: float) -> str:
    """Return a number with as many digits as an estimate deserves."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.3g}"
