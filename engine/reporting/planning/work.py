"""What has to be done for controls to be effective on a day, and who has the hours for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import ceil
from typing import Any

import polars as pl

from engine.reporting.facts.detection import KINDS
from engine.reporting.facts.expressions import ANNUAL
from engine.reporting.facts.horizons import state_on
from engine.reporting.facts.ledger import EFFORT_HOURS
from engine.reporting.planning.problem import PlanAction, WorkPart
from engine.reporting.planning.weeks import PlanWeeks

# days of operation until there is evidence of it; what comes less often is performed once
LEAD_DAYS = {"continuous": 1, "daily": 1, "weekly": 7, "monthly": 31, "quarterly": 92, "semi-annual": 0, "annual": 0}
# renewing evidence of a kind, where no gap says what its work takes
RENEWAL_HOURS = {
    "operation": 2.0,
    "test": EFFORT_HOURS["test_window"],
    "policy": EFFORT_HOURS["policy_review"],
    "attestation": EFFORT_HOURS["attestation"],
}
# duties in the ledger that the actions of a plan stand for
REPLACED_DUTIES = ("attestation", "test_window", "policy_review", "poam_milestone")


@dataclass(frozen=True)
class ControlWork:
    """What one control needs to be effective on the day, and over the period where one is asked for.

    ``kinds`` of evidence are missing or will have lapsed. ``lead_days`` after the work there is evidence. ``reason``
    says why no work helps.
    """

    framework: str
    control_id: str
    title: str
    state: str
    kinds: tuple[str, ...]
    opposed_by: str | None
    owners: tuple[str, ...]
    parts: tuple[WorkPart, ...]
    lead_days: int
    requirements: tuple[str, ...]
    remediation_id: str | None
    waits_for: str | None
    reason: str = ""

    @property
    def id(self) -> str:
        """``framework:control``."""
        return f"{self.framework}:{self.control_id}"

    @property
    def hours(self) -> float:
        """What it takes."""
        return sum(part.hours for part in self.parts)


def control_work(
    horizons: pl.DataFrame, gaps: pl.DataFrame, weeks: PlanWeeks, start: date | None, owners: "Owners"
) -> list[ControlWork]:
    """The work on every control of ``horizons`` that applies and would not be effective on the last day.

    With ``start`` it must be effective throughout from then on. Sorted by framework and place in it.
    """
    known = {row["gap_id"]: row for row in gaps.iter_rows(named=True)}
    on = weeks.by if start is None else max(start, weeks.as_of)
    rows = horizons.with_columns(
        state=state_on(pl.lit(weeks.by)), state_then=state_on(pl.lit(on)), state_now=state_on(pl.lit(weeks.as_of))
    ).filter(pl.col("state") != "not_applicable")
    found = []
    for row in rows.iter_rows(named=True):
        gap = known.get(f"{row['framework']}:{row['control_id']}")
        work = _of_control(row, gap, weeks, start, owners)
        if work is not None:
            found.append(work)
    return found


def _of_control(
    row: Mapping[str, Any],  # of a frame
    gap: Mapping[str, Any] | None,
    weeks: PlanWeeks,
    start: date | None,
    owners: "Owners",
) -> ControlWork | None:
    by = weeks.by
    renewals = () if start is None else _renewals(row, weeks, start)
    wanted = by if start is None else start
    failing = row["state_then"] != "effective"
    if not failing and not renewals and row["state"] == "effective":
        return None
    kinds = tuple(kind for kind in row["kinds_required"] if _is_due(row, kind, wanted))
    never = row["opposed_by"] == "contradicting event" or ("operation" in kinds and row["operation_until"] is None)
    lead = LEAD_DAYS.get(row["cadence"], 0) if failing and never else 0
    parts: list[WorkPart] = []
    if failing:
        hours = gap["effort_hours"] if gap is not None else sum(RENEWAL_HOURS[kind] for kind in kinds)
        again = {"failing test": ["test"], "contradicting event": ["operation"]}.get(row["opposed_by"], [])
        good_for = timedelta(days=lead + _window(row, [*kinds, *again]))  # evidence must not have lapsed by then
        first = weeks.first_done_from(wanted - good_for)
        parts.append(WorkPart(hours, first, weeks.last_done_by(wanted - timedelta(days=lead))))
    reason = ""
    if start is not None and start <= weeks.as_of and row["state_now"] != "effective":
        reason = "did not operate in the period already: that cannot be cured"
    elif failing and parts[0].last < parts[0].first:
        reason = "evidence exists later than the day" if lead else "no working day is left"
    parts += renewals
    return ControlWork(
        row["framework"], row["control_id"], row["title"], row["state_then"] if failing else row["state"], kinds,
        row["opposed_by"] if failing else None, owners.of(row, gap), tuple(parts), lead,
        tuple(gap["requirements"]) if gap is not None else (f"{row['framework']}:{row['control_id']}",),
        None if gap is None else gap["remediation_id"], None if gap is None else gap["blocked_by"], reason,
    )  # fmt: skip


def _is_due(row: Mapping[str, Any], kind: str, day: date) -> bool:
    """Whether evidence of a kind is missing, or past its window on a day."""
    until = row[f"{kind}_until"]
    return until is None or (until < day and not row.get(f"{kind}_recurs"))


def _window(row: Mapping[str, Any], kinds: Iterable[str]) -> int:
    """The shortest time for which evidence of these kinds is good, in days."""
    return min(row["cadence_window"] if kind in ("operation", "test") else ANNUAL for kind in kinds)


def _renewals(row: Mapping[str, Any], weeks: PlanWeeks, start: date) -> tuple[WorkPart, ...]:
    """Work that keeps evidence from lapsing between ``start`` and the last day: each time in the later half of what
    is left of its window."""
    parts = []
    for kind in (kind for kind in KINDS if kind in row["kinds_required"]):
        window = _window(row, [kind])
        until = row[f"{kind}_until"]
        good_until = start + timedelta(days=window) if until is None or until < start else until
        while good_until < weeks.by and not row.get(f"{kind}_recurs"):
            last = max(weeks.last_done_by(good_until), 0)
            first = min(weeks.first_done_from(good_until - timedelta(days=window // 2)), last)
            parts.append(WorkPart(RENEWAL_HOURS[kind], first, last))
            good_until = max(weeks.end(first) + timedelta(days=window), good_until + timedelta(days=7))
    return tuple(parts)


class Owners:
    """Who could do the work on a control: whose it is, who is accountable, else whoever has most of its group."""

    def __init__(self, horizons: pl.DataFrame, capacity: Mapping[str, Sequence[float]]) -> None:
        self._capacity = capacity
        counted = (
            horizons.filter(pl.col("owner").is_in(list(capacity)))
            .group_by("framework", "group_id", "owner")
            .len()
            .sort("framework", "group_id", "len", "owner", descending=[False, False, True, False])
        )
        self._of_group = {
            (framework, group): owner
            for framework, group, owner in counted.unique(
                ["framework", "group_id"], keep="first", maintain_order=True
            ).select("framework", "group_id", "owner").iter_rows()
        }  # fmt: skip

    def of(self, row: Mapping[str, Any], gap: Mapping[str, Any] | None) -> tuple[str, ...]:
        """The people of whom one does the work, whose it is first; empty where nobody has hours on record."""
        named = [gap["owner"] if gap is not None else None, row["owner"], row["accountable"]]
        found = dict.fromkeys(name for name in named if name in self._capacity)
        return tuple(found) or tuple(filter(None, [self._of_group.get((row["framework"], row["group_id"]))]))


def capacity_by_week(
    owner_weeks: pl.DataFrame, load: pl.DataFrame, obligations: pl.DataFrame, weeks: PlanWeeks, replaced: Iterable[str]
) -> dict[str, tuple[float, ...]]:
    """The hours of everybody with capacity, week by week, that other duties leave.

    Duties about the controls ``replaced`` are those that the plan's own actions stand for.
    """
    mine = obligations.filter(
        pl.col("kind").is_in(REPLACED_DUTIES), pl.col("controls").list.set_intersection(list(replaced)).list.len() > 0
    )
    others = (
        load.filter(pl.col("week_start_on").is_not_null())
        .join(mine.select("obligation_id"), on="obligation_id", how="anti")
        .group_by("owner", "week_start_on")
        .agg(other=pl.col("hours").sort().sum())
    )
    left = (
        owner_weeks.filter("staffed")
        .join(others, on=["owner", "week_start_on"], how="left")
        .with_columns(hours=pl.col("available_hours") - pl.col("other").fill_null(0.0))
    )
    return {
        owner: weeks.hours(rows)
        for (owner,), rows in sorted(left.partition_by("owner", as_dict=True).items())
        if isinstance(owner, str)
    }


def actions_for(work: Sequence[ControlWork], framework: str) -> list[PlanAction]:
    """The actions that could make controls of a framework effective; one may serve several controls (crosswalk).

    What is done for a control serves another if the crosswalk says that it supports that fully, if it yields every
    kind of evidence that the other lacks, and yields it when the other needs it.
    """
    mine = [one for one in work if one.framework == framework and not one.reason]
    known = {one.remediation_id: one.id for one in work if one.remediation_id} | {one.id: one.id for one in work}
    found = []
    for one in work:
        if one.reason or not one.owners:
            continue
        closes = {other.id for other in mine if other.id == one.id or _serves(one, other)}
        if closes:
            waits = known.get(one.waits_for or "")
            after = (waits,) if waits is not None and waits != one.id else ()
            found.append(PlanAction(one.id, one.owners, one.parts, frozenset(closes), after))
    return _without_circles(found)


def _serves(one: ControlWork, other: ControlWork) -> bool:
    if other.id not in one.requirements or other.opposed_by is not None or not set(other.kinds) <= set(one.kinds):
        return False
    if len(one.parts) != 1 or len(other.parts) != 1:
        return False
    (mine,), (wanted,) = one.parts, other.parts
    return mine.first >= wanted.first and mine.last <= wanted.last and one.lead_days <= other.lead_days


def _without_circles(actions: Sequence[PlanAction]) -> list[PlanAction]:
    """The actions; those that wait for each other in a circle wait for nothing."""
    waits = {action.id: action.after for action in actions}

    def circles(name: str) -> bool:
        seen, here = set[str](), name
        while waits.get(here) and here not in seen:
            seen.add(here)
            here = waits[here][0]
        return here == name and bool(seen)

    return [replace(action, after=()) if circles(action.id) else action for action in actions]


def wanted_count(target_pct: float, applicable: int) -> int:
    """How many controls must be effective for a strict readiness of so many percent."""
    return ceil(target_pct * applicable / 100 - 1e-9)
