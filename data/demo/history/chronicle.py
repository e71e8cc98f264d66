"""How rows came to be what they are: the day on which each was noted, and what it said until something happened.

The dates that a row bears tell that by themselves; chapters tell the rest with ``since`` and ``amend``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zlib import crc32

from engine.model.days import local_day

Row = dict[str, Any]
Moment = date | datetime | None
When = str | Callable[[Row], Moment]
"""A column with a day or a moment, or what tells it from the row; None: it has not happened."""
SCANS, SCAN_DAYS = 14, 28
PLAY_STEPS = 6


@dataclass(frozen=True)
class Shift:
    """When a row began to say what it says now; ``before`` is what it said until then, as a value or told from it."""

    on: When
    before: Mapping[str, object]


@dataclass(frozen=True)
class Life:
    """When a row was noted (None: with the first rows of all), and its turns in the order in which they happen."""

    noted: When | None = None
    turns: tuple[Shift, ...] = field(default=())


def noted_on(table: str, row: Row, time_zone: str) -> date | None:
    """The business day on which the row was noted, as far as it tells that itself."""
    life = LIVES.get(table)
    return None if life is None or life.noted is None else _day(row, life.noted, time_zone)


def turns(table: str, row: Row, time_zone: str) -> Iterator[tuple[date, Row]]:
    """The business days on which a row changed, with what some of its columns said before."""
    for turn in LIVES[table].turns if table in LIVES else ():
        on = _day(row, turn.on, time_zone)
        if on is not None:
            yield on, {name: value(row) if callable(value) else value for name, value in turn.before.items()}


def some(most: int, *parts: object) -> int:
    """A number from 0 to ``most`` that belongs to these words."""
    return crc32("|".join(map(str, parts)).encode()) % (most + 1)


def _day(row: Row, when: When, time_zone: str) -> date | None:
    moment = when(row) if callable(when) else row.get(when)
    return local_day(moment, time_zone) if isinstance(moment, datetime) else moment


def _no_columns(*columns: str, **others: object) -> dict[str, object]:
    return {**dict.fromkeys(columns), **others}


def _column_value(column: str) -> Callable[[Row], object]:
    return lambda row: row.get(column)


def _days_after(column: str, days: int) -> Callable[[Row], Any]:
    """So many days after the date in that column; None where there is none."""
    return lambda row: None if row.get(column) is None else row[column] + timedelta(days)


def _review_before(row: Row) -> object:
    """The day of the review before the last; None where the risk was not known yet."""
    before = row["reviewed_on"] - timedelta(182)
    return None if before < row["identified_on"] else before


def _as(status: str, when: Callable[[Row], Moment]) -> Callable[[Row], Moment]:
    """The moment of what only rows of one status have behind them."""
    return lambda row: when(row) if row["status"] == status else None


def _scan(number: int) -> Callable[[Row], Moment]:
    """The scans that saw a weakness between the first and the last."""

    def moment(row: Row) -> Moment:
        at: datetime = row["first_seen_at"] + timedelta(SCAN_DAYS * number)
        return at if at < row["last_seen_at"] else None

    return moment


def _renewal(row: Row) -> Moment:
    """Guardrails are accepted again each year; other policies come in versions."""
    moment: Moment = row.get("accepted_at") if row.get("kind") == "automation" else None
    return moment


def _start_moment(row: Row) -> Moment:
    opened: date = row["opened_on"] + timedelta(1)
    return min(opened, row["submitted_on"] or opened)


def _rating(part: str) -> Callable[[Row], object]:
    """What remained of a risk before its last review."""
    return lambda row: None if row[f"residual_{part}"] is None else row[f"previous_{part}"]


def _decision(row: Row) -> Moment:
    moment: Moment = row["first_seen_at"] + timedelta(12) if row["status"] in ("accepted", "false_positive") else None
    return moment


def _undone(row: Row) -> object:
    return row["decisions"] and [decision | {"status": "open"} for decision in row["decisions"]]


def _plan_moment(row: Row) -> Moment:
    moment: Moment = row["held_on"] - timedelta(60)
    return moment


def _met(row: Row) -> Moment:
    moment: Moment = None if row["status"] == "planned" else row["held_on"]
    return moment


def _step(number: int) -> Callable[[Row], Moment]:
    def moment(row: Row) -> Moment:
        at = row["steps"][number]["at"]
        return None if at is None else date.fromisoformat(at)

    return moment


def _steps_until(number: int) -> Callable[[Row], object]:
    """The steps of a play before that one was done."""

    def step_values(row: Row) -> object:
        todo = {"status": "todo", "by": None, "at": None}
        return [step if at < number else step | todo for at, step in enumerate(row["steps"])]

    return step_values


def _absence_entry(row: Row) -> Moment:
    """Absences are entered a month ahead or more."""
    if row["week"] == "default":
        return None
    return _monday(row) - timedelta(30 + some(20, row["email"], row["week"]))


def _monday(row: Row) -> date:
    year, week = row["week"].split("-W")
    return date.fromisocalendar(int(year), int(week), 1)


LIVES: Mapping[str, Life] = {
    "organization_frameworks": Life("adopted_on"),
    "deploys": Life("deployed_at"),
    "incidents": Life(
        "opened_at",
        (
            Shift("acknowledged_at", _no_columns("acknowledged_at", "acknowledged_by", "owner", status="open")),
            Shift(
                "mitigated_at",
                _no_columns("mitigated_at", status="acknowledged", last_seen_at=_column_value("opened_at")),
            ),
            Shift("resolved_at", _no_columns("resolved_at", "root_cause", status="mitigated")),
            Shift("closed_at", _no_columns("closed_at", status="resolved")),
        ),
    ),
    "incident_timeline": Life("happened_at"),
    "incident_actions": Life(None, (Shift("closed_on", _no_columns("closed_on", status="open")),)),
    "findings": Life(
        "first_seen_at",
        (
            Shift(_decision, {"status": "open"}),
            *(
                Shift(_scan(number), {"last_seen_at": _days_after("first_seen_at", SCAN_DAYS * (number - 1))})
                for number in range(1, SCANS)
            ),
            Shift("fixed_at", _no_columns("fixed_at", status="open")),
        ),
    ),
    "legal_holds": Life("placed_at", (Shift("released_at", _no_columns("released_at", "released_by")),)),
    "retention_overrides": Life("approved_on"),
    "policies": Life(
        None,
        (
            Shift(
                _renewal,
                {"accepted_at": _days_after("accepted_at", -365), "review_due_on": _days_after("review_due_on", -365)},
            ),
        ),
    ),
    "dry_runs": Life("ran_at"),
    "executions": Life("executed_at"),
    "approvals": Life(
        "requested_at", (Shift("decided_at", _no_columns("decided_at", "decided_by", "note", status="pending")),)
    ),
    "policy_blocks": Life("blocked_at"),
    "test_links": Life("linked_at"),
    "control_profiles": Life(
        None,
        (
            Shift("changed_on", _no_columns("changed_on")),
            Shift("approved_on", _no_columns("approved_by", "approved_on")),
            Shift("decided_on", _no_columns("decision", "rationale", "decided_on")),
        ),
    ),
    "testing_schedules": Life("starts_on"),
    "evidence_requests": Life(
        "opened_on",
        (
            Shift(_start_moment, {"status": "open", "auditor_status": "open", "paused_minutes": 0}),
            Shift("submitted_on", _no_columns("submitted_on", status="in_progress", auditor_status="in_progress")),
            Shift(
                "closed_on",
                _no_columns("accepted_on", "closed_on", status="submitted", auditor_status="submitted", returns=0),
            ),
        ),
    ),
    "risks": Life(
        "identified_on",
        (
            Shift(
                "reviewed_on",
                {
                    "reviewed_on": _review_before,
                    "residual_likelihood": _rating("likelihood"),
                    "residual_impact": _rating("impact"),
                    "status": "open",
                },
            ),
        ),
    ),
    "exceptions": Life(
        _days_after("approved_on", -9),
        (
            Shift(
                "compensating_evidence_on", {"compensating_evidence_on": _days_after("compensating_evidence_on", -90)}
            ),
            Shift("approved_on", _no_columns("approver", "approved_on", status="in_review")),
            Shift(_as("resolved", _days_after("approved_on", 17)), {"status": "approved"}),
        ),
    ),
    "systems": Life(None, (Shift("last_reviewed_on", {"last_reviewed_on": _days_after("last_reviewed_on", -365)}),)),
    "owner_capacity": Life(_absence_entry),
    "committee_meetings": Life(
        _plan_moment,
        (
            Shift(_met, _no_columns("decisions", status="planned")),
            Shift(_days_after("held_on", 40), {"decisions": _undone}),
        ),
    ),
    "staffing_actions": Life(
        "proposed_on",
        (
            Shift("tracked_on", _no_columns("tracked_on", "blocked_reason", status="proposed")),
            Shift("completed_on", _no_columns("completed_on", "relief_actual_hours", "evidence", status="tracked")),
        ),
    ),
    "plays": Life(
        _days_after("started_on", -7),
        (
            Shift("started_on", _no_columns("started_on", status="proposed")),
            *(Shift(_step(number), {"steps": _steps_until(number)}) for number in range(PLAY_STEPS)),
            Shift("closed_on", _no_columns("closed_on", "hours_saved", status="active")),
        ),
    ),
    "obligation_snapshots": Life(lambda row: _monday(row) + timedelta(7)),
    "control_state_changes": Life("observed_on"),
    "readiness_snapshots": Life("taken_on"),
    "posture_snapshots": Life("taken_on"),
}
"""By table. Tables that are not here have no dates of their own."""
