"""The plan of each framework with a target day: a page of its own, and the line about it on the front page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.declarations.plan_parameters import DEFAULT_TARGET, PLANNED_FRAMEWORK, TARGET
from engine.model.documents.document import Document, Edition
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.planning.question import MOST_DAYS
from engine.planning.verdict.likelihood import odds_of, promise_of
from engine.reporting.site.mentions import ReportPage
from engine.reporting.site.named_answers import short_day
from engine.reporting.snapshot.snapshot import Snapshot

ASKED = "gap-remediations"  # which answers for any framework
NO_PLAN = "No framework in scope has a target date: record one (target on)."


@dataclass(frozen=True)
class PlanPage:
    """``name`` is the framework with its day, ``verdict`` what the plan says of it in a line."""

    framework: str
    name: str
    verdict: str
    told: ReportPage


def plan_editions(snapshot: Snapshot) -> Iterator[tuple[str, Edition]]:
    """Of each framework with a day within the year to come the plan for all of it, the first day first."""
    day = pl.coalesce("target_on", "audit_until")
    near = snapshot.fact("framework_targets").filter(
        day.is_between(snapshot.as_of, snapshot.as_of + timedelta(days=MOST_DAYS))
    )
    for framework in near.sort(day, "framework")["framework"]:
        query = {PLANNED_FRAMEWORK.name: framework, TARGET.name: str(DEFAULT_TARGET)}
        edition = snapshot.edition(ASKED, query)
        name = snapshot.framework_name(framework)
        title = f"{edition.title}: {name}, {spelled_day(edition.document.summary['by'])}"
        yield framework, replace(edition, title=title)


def plan_page(framework: str, report_page: ReportPage) -> PlanPage:
    """The page of a plan as the front page leads to it."""
    document = report_page.edition.document
    name = {**FRAMEWORK_NAMES, **report_page.edition.own_frameworks}.get(framework, framework)
    return PlanPage(framework, f"{name}, {short_day(document.summary['by'])}", verdict(document), report_page)


def work_on(document: Document, control_id: str) -> list[str]:
    """What the plan of a framework has for one of its controls, and by when; why it leaves it open, where it does."""
    day = spelled_day(document.summary["by"])
    work = document.table("actions").frame.filter(pl.col("control_id") == control_id)
    left = document.table("open").frame.filter(pl.col("control_id") == control_id)
    steps = [
        f"In the plan for {day}: {step['action'][:1].lower()}{step['action'][1:]} by {spelled_day(step['done_by'])}, "
        f"{step['owner']}"
        for step in work.iter_rows(named=True)
    ]
    return steps or [f"The plan for {day} leaves it open: {why}" for why in left["why"]]


def verdict(document: Document) -> str:
    """What the plan comes to, what is short if nothing is done, and how likely it is."""
    summary, goal = document.summary, document.table("goals").frame.row(0, named=True)
    if not summary["not_effective"]:
        return "all controls effective"
    needed = quarters(summary["needed_hours"])
    short = f"{summary['not_effective']:,} short if nothing is done, {needed} h of work by then"
    if not summary["reached"]:
        return f"no; {short}; the plan comes to {goal['planned_strict_pct']:.1f} %"
    late = goal["likely_on"] is not None and goal["likely_on"] > goal["by_on"]
    odds = goal["likely_pct"] / 100
    then = f"; 90 % on {spelled_day(goal['likely_on'])}" if late else ""
    return f"{promise_of(odds)}; {short}; {odds_of(odds)}{then}"
