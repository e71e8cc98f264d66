"""What people come with: each question with the page that answers it, today's figure and how it went."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import polars as pl

from engine.facts.controls.horizons import ENDS_SOON
from engine.facts.controls.readiness import posture_formula_change
from engine.model.declarations.as_of import SINCE
from engine.reporting.site.document_answers import decisions, freed_hours, what_moved
from engine.reporting.site.named_answers import (
    Lines,
    first_gaps,
    lapses,
    late_requests,
    of_records,
    overload,
    weak_vendors,
)
from engine.reporting.snapshot.snapshot import Snapshot

WEEKS = 53
Series = Callable[[Snapshot], Sequence[float]]


@dataclass(frozen=True)
class SiteQuestion:
    """``figure`` is one of the report's summary; ``series`` its past, or the weeks ahead where that is the question.

    What ``is_of_plans`` is answered by the plan of each framework with a target day.
    """

    title: str
    report: str
    figure: str
    series: Series
    query: Mapping[str, str] = field(default_factory=dict)
    by_name: Lines | None = None
    is_of_plans: bool = False


def questions(snapshot: Snapshot) -> list[SiteQuestion]:
    """The ten questions, in the words of this organization."""
    dropped = _framework_to_drop(snapshot)
    return [
        SiteQuestion("What do I tell the board?", "executive-summary", "posture_score", _posture, by_name=decisions),
        SiteQuestion(
            "Which gaps first, and who?", "gap-remediations", "gaps_open", _open_gaps, by_name=of_records(first_gaps)
        ),
        SiteQuestion(
            "What goes stale in 30 days?",
            "evidence-freshness",
            "evidence_ends_in_30_days",
            _ends,
            by_name=of_records(lapses),
        ),
        SiteQuestion("Who is overloaded, when?", "obligation-load-balancing", "owners_short", _load, by_name=overload),
        SiteQuestion(
            "Which vendors block us?",
            "inherited-control-gaps",
            "vendors_with_inherited_gaps",
            _weak_vendors,
            by_name=weak_vendors,
        ),
        SiteQuestion(
            "What did auditors ask that is late?",
            "evidence-request-sla",
            "requests_overdue",
            _late_requests,
            by_name=late_requests,
        ),
        SiteQuestion(
            f"What if we drop {_short(dropped, snapshot)}?",
            "obligation-whatif",
            "obligations_pending_hours",
            _duties(dropped),
            {"descope": dropped} if dropped else {},
            by_name=freed_hours,
        ),
        SiteQuestion(
            "What changed since last month?", "executive-summary", "", _posture, _month_ago(snapshot), what_moved
        ),
        SiteQuestion("Are we ready on the day?", "program", "weighted_pct", _mean("weighted_pct"), is_of_plans=True),
    ]


def _month_ago(snapshot: Snapshot) -> dict[str, str]:
    """The parameter that compares with the day that the posture is held against, so that one change has one figure.

    Without a snapshot of a month ago it is thirty days ago; none where the records are younger.
    """
    prior = snapshot.fact("posture").get_column("prior_on").max()
    day = prior if isinstance(prior, date) else snapshot.as_of - timedelta(days=30)
    begin = snapshot.fact("revision_days_rows").get_column("changed_on").min()
    return {SINCE.name: day.isoformat()} if isinstance(begin, date) and begin <= day else {}


def _framework_to_drop(snapshot: Snapshot) -> str:
    """The framework that a question about leaving one is asked of: PCI DSS where it is in scope."""
    names: list[str] = snapshot.fact("readiness").get_column("framework").sort().to_list()
    return "pci-dss" if "pci-dss" in names else next(iter(names), "")


def _short(framework: str, snapshot: Snapshot) -> str:
    return "PCI" if framework == "pci-dss" else snapshot.framework_name(framework) or "a framework"


def _posture(snapshot: Snapshot) -> list[float]:
    days = snapshot.fact("posture_snapshots_rows").filter(posture_formula_change().is_null())
    return _numbers(days.sort("taken_on").get_column("score"))


def _weekly(snapshot: Snapshot) -> pl.DataFrame:
    """The snapshots of weeks by today's formulas."""
    return snapshot.fact("readiness_weeks").filter(pl.col("formula_change").is_null())


def _mean(column: str) -> Series:
    def series(snapshot: Snapshot) -> list[float]:
        weeks = _weekly(snapshot).group_by("week").agg(pl.col(column).mean())
        return _numbers(weeks.sort("week").get_column(column))

    return series


def _open_gaps(snapshot: Snapshot) -> list[float]:
    weeks = _weekly(snapshot).group_by("week").agg(pl.col("gaps_open").sum())
    return _numbers(weeks.sort("week").get_column("gaps_open"))


def _load(snapshot: Snapshot) -> list[float]:
    """The hours that are missing in each of the weeks ahead."""
    weeks = snapshot.fact("owner_weeks").group_by("week").agg(pl.col("shortfall_hours").sum())
    return _numbers(weeks.sort("week").get_column("shortfall_hours"))


def _ends(snapshot: Snapshot) -> list[float]:
    """Of how many controls evidence ends within thirty days has ended by the end of each of the weeks of them."""
    ending = snapshot.fact("evidence_endings")
    days = [min(day, ENDS_SOON) for day in range(0, ENDS_SOON + 7, 7)]
    over = [snapshot.as_of + timedelta(days=day) for day in days]
    return [float((ending["ends_on"] <= day).sum()) for day in over] if ending.height else []


def _weak_vendors(snapshot: Snapshot) -> list[float]:
    """How many vendors are without assurance in each of the weeks ahead, if nobody renews it."""
    ends = snapshot.fact("vendors").get_column("assured_until").to_list()
    return [float(sum(end is None or end < day for end in ends)) for day in _weeks(snapshot.as_of, 13)] if ends else []


def _late_requests(snapshot: Snapshot) -> list[float]:
    """How many requests of auditors were late at the end of each week."""
    rows = snapshot.fact("requests").select("due_on", "finished_on").rows()
    days = _weeks(snapshot.as_of - timedelta(weeks=WEEKS - 1), WEEKS)
    late = [sum(due < day and (done is None or done > day) for due, done in rows if due) for day in days]
    return [float(count) for count in late] if rows else []


def _duties(framework: str) -> Series:
    def series(snapshot: Snapshot) -> list[float]:
        mine = snapshot.fact("obligations").filter(pl.col("frameworks").list.contains(framework))
        ahead = mine.filter(pl.col("due_on") >= snapshot.as_of, pl.col("done_on").is_null())
        weeks = ahead.group_by("week").agg(pl.col("effort_hours").sum()).sort("week")
        return _numbers(weeks.head(WEEKS).get_column("effort_hours"))

    return series


def _weeks(first: date, count: int) -> list[date]:
    return [first + timedelta(weeks=number) for number in range(count)]


def _numbers(column: pl.Series) -> list[float]:
    return [float(value) for value in column.drop_nulls().to_list()][-WEEKS:]
