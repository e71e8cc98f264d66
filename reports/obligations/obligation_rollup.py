"""All pending duties rolled up by kind, status, month, framework and owner, with the overdue list, for printing."""

from datetime import date, timedelta

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import PERIOD_DAYS, Ask, Report
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import count, hours

AHEAD = (30, 60, 90)
STATUSES = ("overdue", "open", "done", "late")
LABELS = {
    "name": "Framework",
    "obligations": "Duties",
    "days_late": "Days late",
    "effort_hours": "Hours",
    "due_on": "Due",
    "hard": "Fixed",
    "within_days": "Within days",
    "until_on": "Until",
    "done": "Done in period",
    "late": "Done late in period",
    "shared": "Also in others",
    "next_on": "Next due",
}


def build(obligations: pl.DataFrame, ask: Ask) -> Document:
    duties = ledger.pending(obligations, ask)
    finished = obligations.filter(pl.col("done_on").is_between(ask.period_start, ask.as_of)).with_columns(
        pl.col("effort_hours").fill_null(0.0)
    )
    overdue = _overdue(duties, ask.as_of)
    months = _months(duties, finished)
    return Document(
        headline=_headline(duties, overdue, ask),
        summary={
            **ledger.totals(duties),
            "violations": _violations(overdue).height,
            "without_owner": duties.filter(pl.col("owner").is_null()).height,
            "finished_in_period": finished.height,
            "finished_late_in_period": finished.filter(pl.col("state") == "late").height,
        },
        tables=(
            Table("kinds", "By kind", _kinds(duties, finished), labels=LABELS, hidden=("kind",)),
            Table("ahead", "Next 30, 60 and 90 days", _ahead(duties, ask.as_of), labels=LABELS),
            Table(
                "frameworks",
                "By framework",
                _frameworks(duties),
                note="A duty that names several frameworks is counted once, in a row of its own; "
                "'also in others' says how many of those name this framework too.",
                labels=LABELS,
                hidden=("framework",),
            ),
            Table("owners", "By owner", _owners(duties), note="An empty owner is nobody.", labels=LABELS),
            Table("overdue", "Overdue, oldest first", overdue, labels=LABELS, hidden=("obligation_id", "kind")),
            Table(
                "months",
                "By month, kind and status",
                months,
                note="Pending duties by the month in which they are due, and what was done in the period.",
                labels=LABELS,
                state=("status",),
                hidden=("kind",),
            ),
        ),
        charts=_charts(duties, ask.as_of),
        definitions={
            **ledger.DEFINITIONS,
            "Done in period": f"Finished from {ask.period_start} to {ask.as_of}, in time or late. Not pending.",
            "Fixed": ledger.FIXED,
            "Violation": "An overdue duty whose deadline is fixed.",
        },
        warnings=_warnings(duties, overdue),
        footnotes=("The forecast counts the same known duties week by week; the heatmap places all pending ones.",),
    )


def _counted() -> dict[str, pl.Expr]:
    places = {place: (pl.col("place") == place).sum().cast(pl.Int64) for place in ledger.PLACES}
    return {**places, "pending": pl.len().cast(pl.Int64), "hours": pl.col("effort_hours").sum().round(3)}


def _kinds(duties: pl.DataFrame, finished: pl.DataFrame) -> pl.DataFrame:
    pending = duties.group_by("kind").agg(**_counted())
    done = finished.group_by("kind").agg(
        (pl.col("state") == state).sum().cast(pl.Int64).alias(state) for state in ("done", "late")
    )
    return (
        pending.join(done, on="kind", how="full", coalesce=True)
        .with_columns(pl.col(pl.Int64, pl.Float64).fill_null(0))
        .sort(rank("kind", ledger.KINDS), "kind")
        .insert_column(1, ledger.kind_name().alias("duty"))
    )


def _ahead(duties: pl.DataFrame, as_of: date) -> pl.DataFrame:
    upcoming = duties.filter(pl.col("place") != "overdue")
    rows = []
    for days in AHEAD:
        until = as_of + timedelta(days=days)
        held = upcoming.filter(pl.col("due_on") <= until)
        rows.append((days, until, held.height, ledger.hours(held), held.filter("hard").height))
    schema = pl.Schema({
        "within_days": pl.Int64, "until_on": pl.Date, "obligations": pl.Int64, "hours": pl.Float64, "hard": pl.Int64,
    })  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _frameworks(duties: pl.DataFrame) -> pl.DataFrame:
    shared = (
        duties.filter(pl.col("framework") == ledger.SEVERAL)
        .explode("frameworks", empty_as_null=False)
        .group_by(framework="frameworks")
        .agg(shared=pl.col("obligation_id").n_unique().cast(pl.Int64))
    )
    return (
        duties.group_by("framework")
        .agg(**_counted())
        .join(shared, on="framework", how="full", coalesce=True)
        .with_columns(pl.col(pl.Int64, pl.Float64).fill_null(0))
        .sort(ledger.framework_rank(), "framework")
        .insert_column(1, ledger.framework_name().alias("name"))
    )


def _owners(duties: pl.DataFrame) -> pl.DataFrame:
    ahead = pl.col("due_on").filter(pl.col("place") != "overdue")
    return (
        duties.group_by("owner")
        .agg(**_counted(), next_on=ahead.min())
        .sort("overdue", "pending", "owner", descending=[True, True, False], nulls_last=True)
    )


def _overdue(duties: pl.DataFrame, as_of: date) -> pl.DataFrame:
    return (
        duties.filter(pl.col("place") == "overdue")
        .sort("due_on", "obligation_id")
        .select(
            "due_on", (as_of - pl.col("due_on")).dt.total_days().alias("days_late"), "title",
            "kind", ledger.kind_name().alias("duty"), "owner", "hard", "effort_hours", "obligation_id",
        )
    )  # fmt: skip


def _months(duties: pl.DataFrame, finished: pl.DataFrame) -> pl.DataFrame:
    columns = ("kind", "effort_hours", "due_on")
    dated = [duties.select(*columns, status="state"), finished.select(*columns[:2], due_on="done_on", status="state")]
    return (
        pl.concat(dated)
        .group_by("kind", "status", month=pl.col("due_on").dt.strftime("%Y-%m"))
        .agg(obligations=pl.len().cast(pl.Int64), hours=pl.col("effort_hours").sum().round(3))
        .sort("month", rank("kind", ledger.KINDS), "kind", rank("status", STATUSES))
        .select("month", "kind", ledger.kind_name().alias("duty"), "status", "obligations", "hours")
    )


def _headline(duties: pl.DataFrame, overdue: pl.DataFrame, ask: Ask) -> str:
    if duties.is_empty():
        return "No duty is pending: check that attestations, reviews, tests and audits are recorded."
    held = ledger.totals(duties)
    ahead = _ahead(duties, ask.as_of).row(0, named=True)
    are = "is" if held["pending"] == 1 else "are"
    text = f"{count(held['pending'], 'duty', 'duties')} {are} pending, {hours(held['pending_hours'])} of work"
    soon = f"{ahead['obligations'] or 'none'} {'falls' if ahead['obligations'] == 1 else 'fall'} due within 30 days"
    if overdue.is_empty():
        return f"{text}; none is overdue, {soon}."
    broken = _violations(overdue)
    first = (overdue if broken.is_empty() else broken).row(0, named=True)
    who = f" ({first['owner']})" if first["owner"] else ", which nobody owns"
    worst = f" ({broken.height:,} past a legal or contractual deadline)" if broken.height else ""
    start = f"Start with {first['title']}, due {first['due_on']}{who}."
    return f"{text}; {held['overdue']:,} overdue{worst} and {soon}. {start}"


def _charts(duties: pl.DataFrame, as_of: date) -> list[Chart]:
    """Overdue, the months of a year, later: three years of vendor reviews would not fit a page."""
    if duties.is_empty():
        return []
    month = pl.col("due_on").dt.strftime("%Y-%m")
    when = (
        pl.when(pl.col("place") == "overdue").then(pl.lit("overdue"))
        .when(pl.col("due_on") < as_of + timedelta(days=365)).then(month)
        .otherwise(pl.lit("later"))
    )  # fmt: skip
    frame = (
        duties.group_by(when=when)
        .agg(obligations=pl.len().cast(pl.Int64))
        .sort(rank("when", ["overdue"]), "when", descending=[False, False])
    )
    alt = "Pending duties: overdue, by the month in which they are due, and later than a year from now."
    return [Chart("bars", "Pending duties by month", frame, "when", "obligations", alt)]


def _violations(overdue: pl.DataFrame) -> pl.DataFrame:
    return overdue.filter("hard")


def _warnings(duties: pl.DataFrame, overdue: pl.DataFrame) -> list[str]:
    late, nobody = _violations(overdue).height, duties.filter(pl.col("owner").is_null()).height
    return [
        *([f"{count(late, 'legal or contractual deadline has', 'legal or contractual deadlines have')} passed: "
           "what was due is still not done."] if late else []),
        *([f"{count(nobody, 'pending duty has', 'pending duties have')} no owner."] if nobody else []),
    ]  # fmt: skip


REPORT = Report(
    name="obligation-rollup",
    title="Obligation rollup",
    description="All pending duties by kind, status, month, framework and owner, with the overdue list.",
    build=build,
    parameters=(PERIOD_DAYS, ledger.WEEKS),
)
