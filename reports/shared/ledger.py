"""The duties that are not done yet, each in exactly one place of the horizon: all obligation views count these rows."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask, Parameter
from engine.model.documents.document import Alarm, FrameRow
from engine.model.figures.formulas import iso_week
from reports.shared.ordering import rank
from reports.shared.packs import PACKS
from reports.shared.wording import SHOWN_HOURS, all_of, count, inside, with_whom

Columns = Mapping[str, pl.DataType | type[pl.DataType]]

PENDING = ("open", "overdue")
PLACES = ("overdue", "known", "beyond")
KINDS = (
    "attestation",
    "vendor_review",
    "bundle",
    "test_window",
    "evidence_request",
    "policy_review",
    "poam_milestone",
    "exception_expiry",
    "audit_checkpoint",
    "committee",
    "incident_notice",
)
KIND_NAMES = {
    **{kind: kind.replace("_", " ").capitalize() for kind in KINDS},
    "poam_milestone": "POA&M milestone",
    "committee": "Committee meeting",
    "incident_notice": "Notification of an incident",
}
SEVERAL, NONE = "several", "none"
WEEK_DAYS, WORKING_DAYS = 7, 5
NAMED = 2  # of the people who are to name owners: what a line has room for
FRAMEWORK_ROWS = (*PACKS, SEVERAL, NONE)
LABELS = {"known": "Within the horizon", "beyond": "Later"}
WEEKS = Parameter(
    "weeks", None, "weeks of the horizon, Monday to Sunday; else the organization's forecast_weeks", 1, 53
)
GRAVEST_FIRST = "Overdue: what law or contract fixes first, then the oldest"
HANDED_IN = "What was handed in and waits for a decision comes last."
FIXED = "A legal or contractual deadline, after which nothing may be planned."
NUMBERED = (
    "A weakness with a number on the FedRAMP plan of action is a duty. One without a number has a day there as "
    "well, and can be late on that page, but is no duty until it has one."
)
DEFINITIONS = {
    "Within the horizon, later": "Pending duties due up to the end of the horizon, and after it; with the overdue ones "
    "they are all.",
    "Horizon": "Weeks from Monday to Sunday, the present one first.",
    "Hours": "Effort of whoever does the duty, without the time of those who are accountable for it.",
    "POA&M": NUMBERED,
    **SHOWN_HOURS,
}


def mondays(ask: Ask) -> list[date]:
    """The first days of the weeks of the horizon, the present week first."""
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    return [monday + timedelta(weeks=number) for number in range(ask.horizon_weeks)]


def horizon(ask: Ask) -> pl.DataFrame:
    """The weeks of the horizon in order: ``week``, ``week_start_on``."""
    days = mondays(ask)
    return pl.DataFrame(
        {"week": [iso_week(day) for day in days], "week_start_on": days},
        schema={"week": pl.String, "week_start_on": pl.Date},
    )


def is_over(ask: Ask) -> pl.Expr:
    """Whether the working days of a week are over, by ``week_start_on``: what is due in it is due today or late."""
    return pl.col("week_start_on") + pl.duration(days=WORKING_DAYS) <= pl.lit(ask.as_of)


def week_label(week: str) -> str:
    """The Monday of an ISO week where weeks are columns: ``30 Nov`` for 2026-W49."""
    return spelled_day(monday(week)).rpartition(" ")[0]


def monday(week: str) -> date:
    """The first day of an ISO week such as 2026-W49."""
    year, _, number = week.partition("-W")
    return date.fromisocalendar(int(year), int(number), 1)


def pending(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Pending duties in order of their dates, with their ``place`` (overdue, known, beyond) and ``framework``.

    ``framework`` is the one that the duty names, ``several`` or ``none``: a duty is in one row of every table. The week
    of one that is paused past its date is the present one: it may go on any day.
    """
    end = mondays(ask)[-1] + timedelta(days=7)
    count = pl.col("named").list.len()
    start = on_week(pl.col("due_on"), pl.col("state"), ask)
    return (
        obligations.filter(pl.col("state").is_in(PENDING))
        .with_columns(named=pl.col("frameworks").list.drop_nulls().list.unique())
        .with_columns(
            pl.col("effort_hours").fill_null(0.0),
            place=pl.when(pl.col("state") == "overdue")
            .then(pl.lit("overdue"))
            .when(pl.col("due_on") < end)
            .then(pl.lit("known"))
            .otherwise(pl.lit("beyond")),
            framework=pl.when(count == 1)
            .then(pl.col("named").list.first())
            .when(count > 1)
            .then(pl.lit(SEVERAL))
            .otherwise(pl.lit(NONE)),
            week_start_on=start,
            week=start.dt.strftime("%G-W%V"),
        )
        .drop("named")
        .sort("due_on", "obligation_id")
    )


Pending: TypeAlias = Annotated[pl.DataFrame, pending]


def on_week(due_on: pl.Expr, state: pl.Expr, ask: Ask) -> pl.Expr:
    """The Monday of the week in which a duty stands; one that is open never stands in a week that is over."""
    standing = pl.when(state == "open").then(pl.max_horizontal(due_on, pl.lit(ask.as_of))).otherwise(due_on)
    return standing.dt.truncate("1w")


def gravest_first(overdue: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Overdue duties in the order in which to begin with them: those whose deadline is fixed, then the oldest.

    ``requests`` says what was handed in and waits for others: it comes last, as something to ask a decision on, and is
    ``handed_in``.
    """
    handed = requests.filter(pl.col("status") == "submitted").select(handed=pl.format("evidence_requests/{}", "id"))
    return overdue.with_columns(handed_in=pl.col("source_ref").is_in(handed["handed"].to_list()).fill_null(False)).sort(
        "handed_in", ~pl.col("hard"), "due_on", "obligation_id"
    )


def first_overdue(duties: pl.DataFrame, requests: pl.DataFrame, ask: Ask) -> str:
    """The overdue duty to begin with, whose it is and since when."""
    late = gravest_first(duties.filter(pl.col("state") == "overdue"), requests)
    if late.is_empty():
        return ""
    row = late.row(0, named=True)
    days = count((ask.as_of - row["due_on"]).days, "day")
    return f"{act(row, ask)} ({with_whom(row['owner'], row['due_on'])}, {days} late)"


def week_turns(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Duties that came to be overdue in a week, as 1, and those overdue before that were done in it, as -1 (``turn``).

    What is overdue today less what was a week ago, as today's records tell of both days.
    """
    before = ask.as_of - timedelta(days=WEEK_DAYS)
    became = (pl.col("state") == "overdue") & (pl.col("due_on") >= before)
    settled = (pl.col("state") == "late") & (pl.col("due_on") < before) & (pl.col("done_on") > before)
    return (
        obligations.filter(became | settled)
        .with_columns(turn=pl.when(became).then(1).otherwise(-1).cast(pl.Int64))
        .sort("due_on", "obligation_id")
    )


def act(duty: FrameRow, ask: Ask) -> str:
    """A duty as what somebody does, inside a sentence: ``renew or close exception EXC-001 on PCI DSS 3.5.1``."""
    if duty["kind"] == "exception_expiry":
        names = "".join(f"{ask.framework_name(name)} " for name in (duty["frameworks"] or ())[:1])
        return f"renew or close {inside(duty['title']).removesuffix(' ends').replace(' on ', f' on {names}', 1)}"
    if duty["kind"] == "committee":
        return f"hold the meeting of {duty['title'].removesuffix(' meets')}"
    return inside(duty["title"])


def whose(duty: FrameRow) -> str:
    """``with ann@acme.example, due 2 Nov 2026``."""
    return with_whom(duty["owner"], duty["due_on"])


def most_with(duties: pl.DataFrame) -> tuple[str, int] | None:
    """Who has most of the duties, and how many; None where nobody owns any."""
    owned = duties.drop_nulls("owner").group_by("owner").len().sort("len", "owner", descending=[True, False])
    return None if owned.is_empty() else (owned["owner"][0], owned["len"][0])


def without_owner(duties: pl.DataFrame) -> list[Alarm]:
    """That duties have no owner, and who is to name one: whoever is accountable for most of them first."""
    alone = duties.filter(pl.col("owner").is_null())
    if alone.is_empty():
        return []
    said = f"{count(alone.height, 'pending duty has', 'pending duties have')} no owner, so nobody is reminded"
    return [Alarm(f"{said}: {who_names(alone)}.")]


def who_names(alone: pl.DataFrame) -> str:
    """Who is to name owners: ``ann@acme.example (12) and bob@acme.example (3), accountable, name one for each``."""
    known = (
        alone.filter(pl.col("accountable").is_not_null())
        .group_by("accountable")
        .len()
        .sort("len", "accountable", descending=[True, False])
    )
    if known.is_empty():
        return "an administrator names one"
    people = [f"{who} ({number:,})" for who, number in known.head(NAMED).iter_rows()]
    rest = known.height - NAMED
    more = [count(rest, "other")] if rest > 0 else []
    name = "names one" if known.height == 1 else "name one for each"
    return f"{all_of([*people, *more])}, accountable for them, {name}"


def near(duties: Pending) -> pl.DataFrame:
    """Pending duties that are overdue or due up to the end of the horizon."""
    return duties.filter(pl.col("place") != "beyond")


def by_framework(duties: Pending) -> pl.DataFrame:
    """Pending duties once for each framework that they name."""
    named = pl.col("frameworks").list.drop_nulls().list.unique(maintain_order=True)
    return duties.with_columns(framework=named).explode("framework", empty_as_null=False)


def hours(duties: pl.DataFrame) -> float:
    """Hours of work, to a hundredth."""
    return round(float(duties["effort_hours"].sum()), 3)


def framework_rank(column: str = "framework") -> pl.Expr:
    """The order of frameworks in tables: catalogue order, then several, then none."""
    return rank(column, FRAMEWORK_ROWS)


def framework_name(ask: Ask, column: str = "framework") -> pl.Expr:
    """What frameworks are called, and what stands for several and for none."""
    return pl.col(column).replace({**ask.framework_names, SEVERAL: "Several frameworks", NONE: "No framework"})


def group_measures() -> dict[str, pl.Expr]:
    """Aggregates of a group of pending duties: how many, their hours, the share that is overdue."""
    late = (pl.col("place") == "overdue").sum()
    return {
        "obligations": pl.len().cast(pl.Int64),
        "hours": pl.col("effort_hours").sum().round(3),
        "overdue_pct": (100 * late / pl.len()).round(1),
    }


@cache
def kind_name(column: str = "kind") -> pl.Expr:
    return pl.col(column).replace(KIND_NAMES)
