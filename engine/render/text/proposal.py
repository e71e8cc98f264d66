"""A proposal as a page and as Markdown: the same facts in the same order as in its JSON."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from engine.model.days import spelled_day
from engine.render import CONTENT_SECURITY_POLICY
from engine.render.html.html import ENVIRONMENT
from engine.render.text.prose import heading, inline, paragraph

Facts = Mapping[str, Any]  # decoded JSON of a proposal


def html(facts: Facts) -> bytes:
    """One self-contained page, good on paper too."""
    page = ENVIRONMENT.get_template("proposal.html").render(
        facts=facts,
        policy=CONTENT_SECURITY_POLICY,
        when=when,
        money=money,
        long_date=long_date,
        draft=draft_note(facts),
        acceptance=acceptance(facts),
    )
    return page.encode()


def markdown(facts: Facts) -> bytes:
    """One Markdown file; what people wrote never becomes markup."""
    return ("\n\n".join(_blocks(facts)) + "\n").encode()


def long_date(day: str) -> str:
    """20 Nov 2026."""
    return spelled_day(date.fromisoformat(day))


def when(step: Facts) -> str:
    """The day of a step of the timeline, for a meeting with its time and length."""
    if step["on"] is None:
        return "to be agreed"
    if step["at"] is None:
        return long_date(step["on"])
    at = datetime.fromisoformat(step["at"])
    return f"{spelled_day(at)}, {at:%H:%M}\u00a0UTC, {step['minutes']}\u00a0minutes"


def money(cents: int, currency: str) -> str:
    """``EUR 12,400.00``, whatever the locale."""
    return f"{currency} {cents // 100:,}.{cents % 100:02d}"


def draft_note(facts: Facts) -> str | None:
    """What is still to be agreed, as a sentence; None once nothing is."""
    missing = facts["missing"]
    if not missing:
        return None
    listed = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
    return f"Draft. Still to be agreed: {listed}."


def _blocks(facts: Facts) -> Iterator[str]:
    customer, price = facts["customer"], facts["price"]
    yield heading(1, facts["title"])
    whom = ", ".join(filter(None, (customer["name"], customer["company"])))
    yield f"Proposal **{inline(facts['number'])}** of {inline(facts['provider'])} for {inline(whom)}"
    yield f"{long_date(facts['as_of'])}, valid until {long_date(facts['valid_until'])}"
    if draft := draft_note(facts):
        yield f"> **{inline(draft)}**"
    yield heading(2, "Goal")
    yield paragraph(facts["goal"])
    yield heading(2, "Scope")
    yield "Frameworks: " + (inline("; ".join(one["title"] for one in facts["frameworks"])) or "to be agreed")
    yield _bullets("Included", facts["included"])
    yield _bullets("Not included", facts["excluded"])
    yield heading(2, "Success criteria")
    yield "\n".join(f"{number}. {inline(text)}" for number, text in enumerate(facts["success_criteria"], 1))
    yield heading(2, "Timeline")
    rows = (f"| {inline(step['title'])} | {when(step)} | {inline(step['about'])} |" for step in facts["timeline"])
    yield "\n".join(["| Step | When | About |", "| --- | --- | --- |", *rows])
    yield heading(2, "Price")
    yield "\n".join(_price(price))
    yield f"{inline(price['tax_note'])} {inline(price['payment_note'])}"
    yield heading(2, "Assumptions")
    yield "\n".join(f"- {paragraph(text)}" for text in facts["assumptions"])
    yield heading(2, "Acceptance")
    yield paragraph(acceptance(facts))
    versions = f"Template {facts['template_version']}, price table {inline(price['table_version'])}"
    yield f"{versions}, inputs `{facts['inputs_sha256']}`"


def acceptance(facts: Facts) -> str:
    """How the customer says yes."""
    reply = f" Reply to {facts['contact']}." if facts["contact"] else ""
    return f"A reply that names {facts['number']} accepts this proposal until {long_date(facts['valid_until'])}.{reply}"


def _bullets(title: str, texts: list[str]) -> str:
    return "\n".join([f"**{title}**", "", *(f"- {paragraph(text)}" for text in texts)])


def _price(price: Facts) -> Iterator[str]:
    currency = price["currency"]
    yield "| Item | Quantity | Each | Amount |"
    yield "| --- | ---: | ---: | ---: |"
    for line in price["lines"]:
        unit, amount = money(line["unit_cents"], currency), money(line["cents"], currency)
        yield f"| {inline(line['title'])} | {line['quantity']} | {unit} | {amount} |"
    yield f"| **Total** | | | **{money(price['total_cents'], currency)}** |"
