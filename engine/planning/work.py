"""What has to be done for controls to be effective on a day, and who has the hours for it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import ceil
from typing import Any

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.facts.controls.horizons import state_on
from engine.facts.expressions import ANNUAL
from engine.facts.obligations.ledger import EFFORT_HOURS
from engine.planning.problem import PlanAction, WorkPart
from engine.planning.weeks import PlanWeeks

# days of operation until there is evidence of it; what comes less often is performed once
LEAD_DAYS = {"continuous": 1, "daily": 1, "weekly": 7, "monthly": 31, "quarterly": 92, "semi-annual": 0, "annual": 0}
# renewing evidence of a kind, where no gap says what its work takes
RENEWAL_HOURS = {
    "operation": 2.0,
    "test": EFFORT_HOURS["test_window"],
    "policy": EFFORT_HOURS["policy_review"],
    "attestation": EFFORT_HOURS["attestation"],
}
WEEK_DAYS = 7


@dataclass(frozen=True)
class ControlWork:
    """What one control needs to be effective on the day, and over the period where one is asked for.

    ``kinds`` of evidence are missing or will have lapsed. ``lead_days`` after the work there is evidence;
    ``is_renewal`` where it only keeps what is there. ``reason`` says why no work helps.
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
    is_renewal: bool = False
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
    horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    weeks: PlanWeeks,
    start: date | None,
    owners: "Owners",
    failed: Collection[str] = (),
) -> list[ControlWork]:
    """The work on every control of ``horizons`` that applies and would not be effective on the last day.

    With ``start`` it must be effective throughout from then on; ``failed`` names those that were not in the part of
    that period which is over. Sorted by framework and place in it.
    """
    known = {row["gap_id"]: row for row in gaps.iter_rows(named=True)}
    on = weeks.by if start is None else max(start, weeks.as_of)
    rows = horizons.with_columns(
        state=state_on(pl.lit(weeks.by)), state_then=state_on(pl.lit(on)), state_now=state_on(pl.lit(weeks.as_of))
    ).filter(pl.col("state") != "not_applicable")
    found = []
    for row in rows.iter_rows(named=True):
        name = f"{row['framework']}:{row['control_id']}"
        work = _of_control(row, known.get(name), weeks, start, owners)
        over = start is not None and start <= weeks.as_of and (name in failed or row["state_now"] != "effective")
        if over:
            none = _no_work(row, known.get(name), owners)
            work = replace(work or none, reason="did not operate in the period already: that cannot be cured")
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
    wanted = weeks.by if start is None else max(start, weeks.as_of)
    failing = row["state_then"] != "effective"
    kinds = tuple(kind for kind in row["kinds_required"] if _is_due(row, kind, wanted))
    never = row["opposed_by"] == "contradicting event" or ("operation" in kinds and row["operation_until"] is None)
    lead = LEAD_DAYS.get(row["cadence"], 0) if failing and never else 0
    parts: list[WorkPart] = []
    renewed_from = None
    if failing:
        hours = gap["effort_hours"] if gap is not None else sum(RENEWAL_HOURS[kind] for kind in kinds)
        again = {"failing test": ["test"], "contradicting event": ["operation"]}.get(row["opposed_by"], [])
        good_for = timedelta(days=lead + _window(row, [*kinds, *again]))  # evidence must not have lapsed by then
        first = weeks.first_week_from(wanted - good_for)
        parts.append(WorkPart(hours, first, weeks.last_week_by(wanted - timedelta(days=lead)), kinds))
        if first < len(weeks.mondays):
            renewed_from = weeks.end(first) + timedelta(days=lead)
    if start is not None:
        parts += _renewals(row, weeks, kinds if failing else (), renewed_from)
    if not parts:
        return None
    reason = ""
    if failing and parts[0].last < parts[0].first:
        reason = "evidence exists later than the day" if lead else "no working day is left"
    elif any(part.last < part.first for part in parts):
        reason = "its evidence lapses before anybody can renew it"
    return replace(
        _no_work(row, gap, owners),
        state=row["state_then"] if failing else row["state"],
        kinds=tuple(dict.fromkeys(kind for part in parts for kind in part.kinds)),
        opposed_by=row["opposed_by"] if failing else None,
        parts=tuple(parts),
        lead_days=lead,
        is_renewal=not failing,
        reason=reason,
    )


def _no_work(row: Mapping[str, Any], gap: Mapping[str, Any] | None, owners: "Owners") -> ControlWork:
    """A control of which nothing is asked."""
    return ControlWork(
        row["framework"],
        row["control_id"],
        row["title"],
        row["state"],
        (),
        None,
        owners.of(row, gap),
        (),
        0,
        tuple(gap["requirements"]) if gap is not None else (f"{row['framework']}:{row['control_id']}",),
        None if gap is None else gap["remediation_id"],
        None if gap is None else gap["blocked_by"],
    )


def _is_due(row: Mapping[str, Any], kind: str, day: date) -> bool:
    """Whether evidence of a kind is missing, or past its window on a day."""
    until = row[f"{kind}_until"]
    return until is None or (until < day and not row.get(f"{kind}_recurs"))


def _window(row: Mapping[str, Any], kinds: Iterable[str]) -> int:
    """The shortest time for which evidence of these kinds is good, in days."""
    return min(row["cadence_window"] if kind in ("operation", "test") else ANNUAL for kind in kinds)


def _renewals(
    row: Mapping[str, Any], weeks: PlanWeeks, renewed: Collection[str], renewed_from: date | None
) -> tuple[WorkPart, ...]:
    """Work that keeps evidence from lapsing until the last day: each time in the later half of what is left of its
    window. What is ``renewed`` before is good from ``renewed_from`` on, at the earliest.

    Of what has to come more often than weekly, a week's work keeps it.
    """
    parts = []
    for kind in (kind for kind in KINDS if kind in row["kinds_required"] and not row.get(f"{kind}_recurs")):
        window, good_until = _window(row, [kind]), row[f"{kind}_until"]
        if kind in renewed:
            good_until = None if renewed_from is None else renewed_from + timedelta(days=window)
        while good_until is not None and good_until < weeks.by:
            last = weeks.last_week_by(good_until)
            first = min(weeks.first_week_from(good_until - timedelta(days=window // 2)), max(last, 0))
            parts.append(WorkPart(RENEWAL_HOURS[kind], first, last, (kind,)))
            if last < 0:
                break
            good_until = (
                weeks.end(first) + timedelta(days=window) if window > WEEK_DAYS else good_until + timedelta(days=7)
            )
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
            for framework, group, owner in counted.unique(["framework", "group_id"], keep="first", maintain_order=True)
            .select("framework", "group_id", "owner")
            .iter_rows()
        }

    def of(self, row: Mapping[str, Any], gap: Mapping[str, Any] | None) -> tuple[str, ...]:
        """The people of whom one does the work, whose it is first; empty where nobody has hours on record."""
        named = [gap["owner"] if gap is not None else None, row["owner"], row["accountable"]]
        found = dict.fromkeys(name for name in named if name in self._capacity)
        return tuple(found) or tuple(filter(None, [self._of_group.get((row["framework"], row["group_id"]))]))


def capacity_by_week(owner_weeks: pl.DataFrame, weeks: PlanWeeks) -> dict[str, tuple[float, ...]]:
    """The hours of everybody with capacity, week by week, that the duties on record leave.

    A duty that an action stands for counts as well, so that whatever is done nobody's week holds too much.
    """
    left = owner_weeks.filter("staffed").with_columns(hours=pl.col("available_hours") - pl.col("demand_hours"))
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
