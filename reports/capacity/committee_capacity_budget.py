"""Hours that each owner has in each coming week against the hours of work in it, for committees to decide on."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.capacity import workload
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import count, hours, percent

LABELS = {
    "week_start_on": "From",
    "budget_hours": "Budget h",
    "absence_hours": "Absence h",
    "available_hours": "Available h",
    "demand_hours": "Demand h",
    "shortfall_hours": "Shortfall h",
    "spare_hours": "Spare h",
    "shift_hours": "To shift h",
    "borrow_hours": "To borrow h",
    "unowned_hours": "Unowned h",
    "owners_short": "Owners short",
    "weeks_short": "Weeks short",
    "next_on": "Next meeting",
    "kinds": "Demand by kind",
    "peak_week": "Worst week",
}
DEFINITIONS = {
    "Budget": "Contracted compliance hours of the week; the organization's weekly_hours without a record.",
    "Available": "Budget less planned absence, times the focus factor.",
    "Demand": "Hours of duties that an owner is responsible for, and a quarter of those that the owner is accountable "
    "for. Overdue work falls into this week.",
    "Shortfall": "Demand above what is available, owner by owner: somebody else's spare hours do not reduce it.",
    "To shift": "The part of the shortfall that owners with spare hours in the same week could take over.",
    "To borrow": "The rest: hours that nobody has.",
    "Flag": "Green below 70 %, amber to 85 %, red above, shortfall above 100 % of what is available. A week is a "
    "shortfall when hours must be borrowed, and at least amber when somebody is short.",
    "Unowned": "Work that nobody owns is a row of its own with an empty owner and no hours.",
}


def build(owner_weeks: pl.DataFrame, load: pl.DataFrame, committees: pl.DataFrame, ask: Ask) -> Document:
    grid = workload.in_horizon(owner_weeks, ask)
    weeks = workload.by_week(grid).with_columns(flag=workload.week_flag(ask.settings))
    detail = _detail(grid, load)
    short = weeks.filter(pl.col("shortfall_hours") > 0)
    return Document(
        headline=_headline(weeks),
        summary={
            "weeks": weeks.height,
            "owners": grid["owner"].drop_nulls().n_unique(),
            "available_hours": round(float(weeks["available_hours"].sum()), 2),
            "demand_hours": round(float(weeks["demand_hours"].sum()), 2),
            "weeks_with_shortfall": short.height,
            "shortfall_hours": round(float(weeks["shortfall_hours"].sum()), 2),
            "shift_hours": round(float(weeks["shift_hours"].sum()), 2),
            "borrow_hours": round(float(weeks["borrow_hours"].sum()), 2),
            "unowned_hours": round(float(weeks["unowned_hours"].sum()), 2),
        },
        tables=(
            Table(
                "weeks", "All owners by week", weeks.select(
                    "week", "week_start_on", "budget_hours", "absence_hours", "available_hours", "demand_hours",
                    "utilisation_pct", "shortfall_hours", "owners_short", "unowned_hours", "shift_hours",
                    "borrow_hours", "flag",
                ), labels=LABELS, state=("flag",), hidden=("budget_hours", "absence_hours"),
            ),
            *_matrix(grid, ask),
            Table(
                "committees", "Members of each committee over the horizon", _committees(grid, load, committees),
                note="Who sits in several committees is counted in each.", labels=LABELS, hidden=("committee_id",),
            ),
            Table(
                "owner_weeks", "Owner by owner", detail, note="An empty owner is nobody.", labels=LABELS,
                state=("flag",), hidden=("week_start_on", *(f"{kind}_hours" for kind in ledger.KINDS)),
            ),
        ),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=_warnings(weeks),
    )  # fmt: skip


def _matrix(grid: pl.DataFrame, ask: Ask) -> list[Table]:
    names = ledger.horizon(ask)["week"].to_list()
    slots = [f"week_{number:02d}_pct" for number in range(1, len(names) + 1)]
    cells = [
        pl.col("utilisation_pct").filter(pl.col("week") == name).first().alias(slot)
        for name, slot in zip(names, slots, strict=True)
    ]
    frame = grid.filter(pl.col("owner").is_not_null()).group_by("owner").agg(*cells).sort("owner")
    return [
        Table(
            "utilisation",
            "Utilisation of each owner (%)",
            frame,
            note="A dash: no hours in that week, for instance because of absence.",
            labels={slot: name.partition("-")[2] for name, slot in zip(names, slots, strict=True)},
            heat=slots,
        )
    ]


def _detail(grid: pl.DataFrame, load: pl.DataFrame) -> pl.DataFrame:
    """Owner and week with the demand of each kind, in a column each and as a text for people."""
    key = ["owner", "week"]
    kinds = load.group_by(*key, "kind").agg(pl.col("hours").sort().sum().round(3))
    texts = (
        kinds.sort(*key, "hours", rank("kind", ledger.KINDS), descending=[False, False, True, False])
        .group_by(key, maintain_order=True)
        .agg(kinds=pl.format("{} {}", ledger.kind_name(), "hours"))
    )
    columns = kinds.group_by(key).agg(
        pl.col("hours").filter(pl.col("kind") == kind).sum().alias(f"{kind}_hours") for kind in ledger.KINDS
    )
    return (
        grid.join(texts, on=key, how="left", nulls_equal=True, maintain_order="left")
        .join(columns, on=key, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("kinds").fill_null([]), *(pl.col(f"{kind}_hours").fill_null(0.0) for kind in ledger.KINDS))
        .select(
            *("week", "week_start_on", "owner", "budget_hours", "absence_hours", "available_hours", "demand_hours"),
            *("kinds", "utilisation_pct", "shortfall_hours", "flag"),
            *(f"{kind}_hours" for kind in ledger.KINDS),
        )
    )


def _committees(grid: pl.DataFrame, load: pl.DataFrame, committees: pl.DataFrame) -> pl.DataFrame:
    meetings = (
        load.filter(pl.col("kind") == "committee", pl.col("role") == "R", pl.col("state") == "open")
        .group_by(name=pl.col("title").str.strip_suffix(" meets"))
        .agg(next_on=pl.col("due_on").min())
    )
    work = (
        committees.select("committee_id", owner="members")
        .explode("owner", empty_as_null=False)
        .join(grid, on="owner")
        .sort("shortfall_hours", "week_start_on", descending=[True, False])
        .group_by("committee_id", maintain_order=True)
        .agg(
            *(pl.col(name).sum().round(3) for name in ("available_hours", "demand_hours", "shortfall_hours")),
            weeks_short=pl.col("week").filter(pl.col("shortfall_hours") > 0).n_unique().cast(pl.Int64),
            peak_week=pl.col("week").filter(pl.col("shortfall_hours") > 0).first(),
        )
    )
    return (
        committees.join(meetings, on="name", how="left")
        .join(work, on="committee_id", how="left")
        .with_columns(pl.col("^.*_hours$").fill_null(0.0), pl.col("weeks_short").fill_null(0))
        .select(
            *("committee_id", "name", "chair", "next_on", pl.col("members").list.len().cast(pl.Int64)),
            *("available_hours", "demand_hours", "shortfall_hours", "weeks_short", "peak_week"),
        )
        .sort("name", "committee_id")
    )


def _headline(weeks: pl.DataFrame) -> str:
    if not weeks["demand_hours"].sum():
        return "No work falls into the coming weeks, so no hours are needed: check that duties are recorded."
    short = weeks.filter(pl.col("shortfall_hours") > 0)
    if short.is_empty():
        top = weeks.sort("utilisation_pct", "week_start_on", descending=[True, False]).row(0, named=True)
        span = count(weeks.height, "week")
        full = percent(top["utilisation_pct"])
        return f"Everybody has the hours for the next {span}; {top['week']} is fullest at {full}."
    worst = short.sort("shortfall_hours", "week_start_on", descending=[True, False]).row(0, named=True)
    return (
        f"{hours(round(float(short['shortfall_hours'].sum()), 1))} are missing in {short.height} of the next "
        f"{count(weeks.height, 'week')}, most in {worst['week']} ({hours(round(worst['shortfall_hours'], 1))}): "
        f"there, shift {hours(round(worst['shift_hours'], 1))} to owners with room and borrow "
        f"{hours(round(worst['borrow_hours'], 1))}."
    )


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if not weeks["demand_hours"].sum():
        return []
    lines = weeks.select("week", demand="demand_hours", available="available_hours", shortfall="shortfall_hours")
    frame = lines.unpivot(index="week", variable_name="line", value_name="hours")
    alt = "Hours of work, hours available, and the hours that single owners are short of, by week."
    return [Chart("lines", "Hours by week", frame, "week", "hours", alt, series="line")]


def _warnings(weeks: pl.DataFrame) -> list[str]:
    nobody = round(float(weeks["unowned_hours"].sum()), 2)
    return [f"{hours(nobody)} of work {'has' if nobody == 1 else 'have'} no owner."] if nobody else []


REPORT = Report(
    name="committee-capacity-budget",
    title="Committee capacity budget",
    description="Weekly hours of each owner against the work in them, with shortfalls and what to shift or borrow.",
    build=build,
    parameters=(ledger.WEEKS,),
)
