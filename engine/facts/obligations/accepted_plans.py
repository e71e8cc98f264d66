"""Plans that were accepted: the work that each asked for, how it stands, and the hours that it still takes by week."""

from datetime import date

import msgspec
import polars as pl

from engine.facts.expressions import shape
from engine.facts.schemas import SCHEMAS

PLAN = "plan"  # in the details of a remediation: what the plan that it was accepted with asked for
WORK_KIND = "planned_work"
WORKING_DAYS = 5


class PlannedWork(msgspec.Struct, frozen=True):
    """What a plan asked for of one remediation. ``strict_pct`` is the readiness that it saw for ``due_on``.

    ``work_hours`` are the hours but for those of signatures, which ``duties`` on record count; ``weeks`` has them by
    ISO week. ``way`` says which of the ways of the work was chosen, ``part`` is the number of the work among what the
    control needs. ``away`` has the days of these weeks on which the plan knew that the owner is not there, by share.
    """

    id: str
    framework: str
    by: str
    made_on: str
    target: int
    owner: str
    due_on: str
    ready_on: str
    hours: float
    kinds: list[str]
    closes: list[str]
    strict_pct: float | None = None
    part: int = 0
    work_hours: float | None = None
    weeks: dict[str, float] = {}
    away: dict[str, float] = {}
    duties: list[str] = []
    way: str = ""


def planned_work(details: str | None) -> PlannedWork | None:
    """What the details of a remediation say of a plan; None where they say nothing, or it is not ours to read."""
    try:
        document = msgspec.json.decode(details or "null")
        return msgspec.convert(document[PLAN], PlannedWork) if isinstance(document, dict) and PLAN in document else None
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None


def accepted_plans(
    remediations: pl.DataFrame,
    remediations_rows: pl.DataFrame,
    remediation_details_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every remediation that is of a plan: done, late, changed since by somebody, or as planned."""
    noted = [(*key, planned_work(details)) for *key, details in remediation_details_rows.iter_rows()]
    texts = dict.fromkeys(
        ("org_id", "id", "plan_id", "plan_framework", "by_on", "made_on", "planned_owner", "planned_due_on", "way"),
        pl.String,
    )
    lists = dict.fromkeys(("planned_kinds", "duty_ids", "planned_weeks", "planned_away"), pl.List(pl.String))
    schema: dict[str, pl.DataType | type[pl.DataType]] = {**texts, "target_pct": pl.Int64, "part": pl.Int64, **lists}
    schema |= dict.fromkeys(("effort_hours", "work_hours", "planned_strict_pct"), pl.Float64)
    rows = [
        {
            "org_id": org_id,
            "id": id,
            "plan_id": one.id,
            "plan_framework": one.framework,
            "by_on": one.by,
            "made_on": one.made_on,
            "planned_owner": one.owner,
            "planned_due_on": one.due_on,
            "target_pct": one.target,
            "part": one.part,
            "way": one.way,
            "planned_kinds": one.kinds,
            "duty_ids": one.duties,
            "planned_weeks": [f"{week}={hours}" for week, hours in sorted(one.weeks.items())],
            "planned_away": [f"{day}={share}" for day, share in sorted(one.away.items())],
            "effort_hours": one.hours,
            "work_hours": one.hours if one.work_hours is None else one.work_hours,
            "planned_strict_pct": one.strict_pct,
        }
        for org_id, id, one in noted
        if one is not None
    ]
    planned = pl.DataFrame(rows, schema=schema).with_columns(
        pl.col("by_on", "made_on", "planned_due_on").str.to_date(strict=False)
    )
    done, late = pl.col("status") == "closed", pl.col("planned_due_on") < pl.col("as_of")
    moved = (pl.col("due_on") > pl.col("planned_due_on")) | (pl.col("owner") != pl.col("planned_owner"))
    more = pl.col("left_hours") + pl.col("done_hours").fill_null(0.0) > pl.col("work_hours") + 1e-6
    frame = (
        remediations.join(planned, on=["org_id", "id"])
        .join(remediations_rows.select("org_id", "id", "done_hours", "left_hours"), on=["org_id", "id"], how="left")
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(
            standing=pl.when(done)
            .then(pl.lit("done"))
            .when(late)
            .then(pl.lit("late"))
            .when(moved.fill_null(True) | more.fill_null(False))
            .then(pl.lit("changed"))
            .otherwise(pl.lit("as_planned"))
        )
    )
    return shape("accepted_plans", frame).sort("org_id", "plan_id", "planned_due_on", "id")


def planned_load(accepted_plans: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The hours that accepted work still takes, by week; what is late is in no week, as other overdue work.

    Where nobody recorded hours, what was planned until today is taken to be done.
    """
    days: dict[str, date] = dict(asked.select("org_id", "as_of").iter_rows())
    rows = []
    for one in accepted_plans.filter(pl.col("standing") != "done").iter_rows(named=True):
        as_of = days[one["org_id"]]
        late = is_late(one, as_of)
        for monday, hours in sorted(hours_to_come(one, as_of, late).items(), key=lambda item: item[0] or date.min):
            rows.append(
                {
                    "org_id": one["org_id"],
                    "obligation_id": f"{WORK_KIND}:{one['id']}",
                    "kind": WORK_KIND,
                    "title": one["title"],
                    "frameworks": [one["framework"]],
                    "owner": one["owner"],
                    "accountable": None,
                    "role": "R",
                    "due_on": one["due_on"],
                    "week": None if monday is None else f"{monday:%G-W%V}",
                    "week_start_on": monday,
                    "hours": hours,
                    "hard": True,
                    "state": "overdue" if monday is None else "open",
                }
            )
    return pl.DataFrame(rows, schema=SCHEMAS["load"]).sort("org_id", "week_start_on", "obligation_id")


def is_late(one: dict[str, object], as_of: date) -> bool:
    """Whether accepted work should have been done: the day that the plan or somebody since put it on is over."""
    days = [day for day in (one["due_on"], one["planned_due_on"]) if isinstance(day, date)]
    return max(days, default=as_of) < as_of


def hours_to_come(one: dict[str, object], as_of: date, late: bool) -> dict[date | None, float]:
    """Hours of accepted work from this week on, by Monday; under None what is late."""
    whole, done, left = (_number(one[name]) for name in ("work_hours", "done_hours", "left_hours"))
    if left is None and done is not None:
        left = max((whole or 0.0) - done, 0.0)
    if late:
        rest = whole if left is None else left
        return {None: round(rest, 6)} if rest else {}
    monday = date.fromordinal(as_of.toordinal() - as_of.weekday())
    ahead = _ahead(one, as_of, monday)
    if left is not None:
        expected = sum(ahead.values())
        if left <= expected:
            ahead = {week: hours * left / expected for week, hours in ahead.items()} if expected else {}
        else:
            ahead[monday] = ahead.get(monday, 0.0) + left - expected
    return {week: hours for week, hours in ahead.items() if hours > 1e-9}


def _ahead(one: dict[str, object], as_of: date, monday: date) -> dict[date | None, float]:
    """What was planned from today on: of this week the part that its days ahead have."""
    planned, made_on, due_on = one["planned_weeks"], one["made_on"], one["planned_due_on"]
    weeks: dict[date, float] = {}
    for text in planned if isinstance(planned, list) else []:
        week, _, hours = str(text).partition("=")
        weeks[date.fromisocalendar(int(week[:4]), int(week[6:]), 1)] = float(hours)
    if not weeks and isinstance(due_on, date):
        weeks[date.fromordinal(due_on.toordinal() - due_on.weekday())] = _number(one["work_hours"]) or 0.0
    found: dict[date | None, float] = {week: hours for week, hours in weeks.items() if week >= monday}
    if monday in found:
        begun = made_on if isinstance(made_on, date) and made_on >= monday else monday
        whole = _days_there(one, monday, begun)
        found[monday] *= min(_days_there(one, monday, as_of) / whole, 1.0) if whole else 1.0
    return found


def _days_there(one: dict[str, object], monday: date, first: date) -> float:
    """The working days of a week from a day on, less those on which the plan knew that the owner is away."""
    shares = one["planned_away"]
    away = dict(str(text).split("=") for text in (shares if isinstance(shares, list) else []))
    days = (date.fromordinal(monday.toordinal() + number) for number in range(WORKING_DAYS))
    return sum(1.0 - float(away.get(day.isoformat(), 0.0)) for day in days if day >= first)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
