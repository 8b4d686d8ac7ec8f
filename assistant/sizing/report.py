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
from assistant.sizing.problems import WORDING, Problem
from assistant.sizing.recommendation import Option, Recommendation
from assistant.sizing.telling import (
    DAYS_FROM_HOURS,
    GB,
    SLOW,
    budget_line,
    device_lines,
    headline,
    need_lines,
    time_lines,
)
from assistant.sizing.wording import assumed, input_name, number, spread

STATEMENT = re.compile(r"[CIS]\d+[a-z]?")
MOST_OFFERS = 3
MOST_OPTIONS = 6
MOST_REJECTED = 3


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
        lines += list(headline(checked.sizing, say))
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
            lines += [assumed(a, say) for a in found.assumptions]
        if found.asks:
            names = say("list-separator").join(input_name(n, say) for n in found.asks)
            lines.append(say("asks", inputs=names))
        return "\n".join(lines)

    def recommended_data(self, found: Recommendation, language: str) -> dict[str, Any]:
        """Return a recommendation as plain data with its text."""
        return found.as_dict() | {"language": language, "text": self.recommended(found, language)}

    def _option(self, option: Option, say: Say, language: str) -> str:
        long = option.hours.p50 > DAYS_FROM_HOURS
        by = 24 if long else 1
        hours = {k: number(v / by) for k, v in option.hours.__dict__.items()}
        spoken = {k: say("days" if long else "hours", value=v) for k, v in hours.items()}
        merits = [say(f"merit-{m}") for m in option.merits]
        merits += [say("merit-pareto")] if option.pareto else []
        merits += [say("caveat-network")] if option.unstated else []
        if option.slowdown > SLOW:
            merits.append(say("caveat-links", times=number(option.slowdown)))
        return say(
            f"option-{option.kind}",
            count=option.count,
            device=option.device,
            time=spoken["p50"],
            slow=spoken["p90"],
            cost=number(option.cost.p50),
            high=number(option.cost.p90),
            currency=option.currency,
            offer=option.priced_by,
            date=option.date,
            region=option.region or say("unknown"),
            source=self._explain.title(option.source, language),
            needed=number(option.needed / GB),
            usable=number(option.usable / GB),
            merits=say("list-separator").join(merits) or say("none"),
        )

    def _flip(self, found: Recommendation, say: Say) -> str:
        owned = found.owned
        assert owned is not None
        assert owned.against is not None
        return say(
            "recommend-buy",
            device=found.owned_device or "",
            price=number(owned.purchase.amount),
            currency=owned.purchase.currency,
            date=owned.purchase.date,
            offer=owned.against.instance,
            rent=number(owned.against.per_accelerator),
            rent_date=owned.against.date or say("unknown"),
            months=number(owned.break_even_months or 0),
            share=f"{owned.break_even_utilisation or 0:.0%}",
            rate=number(owned.hourly_at_full_use),
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
        yield from headline(sizing, say)
        yield say("memory-title")
        for name, value in sizing.memory.items().items():
            yield say("memory-line", item=say(f"item-{name}"), value=number(value / GB))
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
        yield from device_lines(sizing, say)
        yield from time_lines(sizing, say)
        yield from need_lines(sizing, say)
        yield from self._money(sizing, say, language)
        if sizing.assumptions:
            yield say("assumed-title")
            yield from (assumed(a, say) for a in sizing.assumptions)
        if sizing.asks:
            names = [input_name(n, say) for n in sizing.asks]
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
                    **spread(cost.cost),
                    currency=o.currency,
                    instances=cost.instances,
                    instance=o.instance,
                    price=number(o.price),
                    kind=o.kind,
                    region=o.region or say("unknown"),
                    date=o.date or say("unknown"),
                    source=self._explain.title(o.source, language),
                )
        if sizing.cost_mover:
            yield say("cost-mover", mover=say(f"mover-{sizing.cost_mover}"))
        if sizing.plan.budget and sizing.cloud:
            yield budget_line(sizing, say)
        if sizing.owned:
            yield from self._owned(sizing, say, language)

    def _owned(self, sizing: Sizing, say: Say, language: str) -> Iterator[str]:
        owned, devices = sizing.owned, sizing.devices
        assert owned is not None
        assert devices is not None
        p = owned.purchase
        yield say(
            "owned",
            amount=number(owned.accelerators),
            currency=p.currency,
            count=devices.count,
            price=number(p.amount),
            date=p.date,
            source=self._explain.title(p.source, language),
            rate=number(owned.hourly_at_full_use),
            years=number(sizing.plan.years or 4),
        )
        if owned.against and owned.break_even_utilisation and owned.break_even_months:
            yield say(
                "break-even",
                offer=owned.against.instance,
                price=number(owned.against.per_accelerator),
                currency=p.currency,
                date=owned.against.date or say("unknown"),
                share=f"{owned.break_even_utilisation:.0%}",
                months=number(owned.break_even_months),
            )
