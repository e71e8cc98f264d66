"""Who is overloaded in which week, how unevenly work is spread, and which duties to hand over or do earlier."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.capacity import balancing, workload
from reports.capacity.proposals import action_id
from reports.shared import ledger
from reports.shared.wording import count, hours

ACTION = pl.Schema({
    "week": pl.String, "kind": pl.String, "owner": pl.String, "to_owner": pl.String, "to_week": pl.String,
    "title": pl.String, "obligation_id": pl.String, "duty": pl.String, "due_on": pl.Date, "hours": pl.Float64,
    "relief_hours": pl.Float64, "owner_before_pct": pl.Float64, "owner_after_pct": pl.Float64,
    "max_before_pct": pl.Float64, "max_after_pct": pl.Float64,
})  # fmt: skip
LABELS = {
    "week_start_on": "From",
    "due_on": "Due",
    "to_owner": "To",
    "to_week": "In week",
    "title": "Duty",
    "imbalance": "Max / mean",
    "state": "Spread",
    "demand_hours": "Demand h",
    "available_hours": "Available h",
    "shortfall_hours": "Shortfall h",
    "responsible_hours": "Responsible h",
    "accountable_hours": "Accountable h",
    "max_pct": "Highest (%)",
    "mean_pct": "Mean (%)",
    "max_after_pct": "Highest then (%)",
    "max_before_pct": "Highest now (%)",
    "owner_before_pct": "Owner now (%)",
    "owner_after_pct": "Owner then (%)",
    "after_pct": "Then (%)",
    "relief_hours": "Relief h",
}
DEFINITIONS = {
    "Peak week": "A week in which some owner has more work than hours.",
    "Responsible, accountable": "All hours of a duty for who is responsible, a quarter for who is accountable.",
    "Spread": "Largest over mean utilisation of the owners with any work: imbalanced from the organization's "
    "imbalance_ratio on, not meaningful for fewer than imbalance_min_owners. Gini: 0 is even, 1 is all on one.",
    "Reassign": "To somebody who does this kind of duty, is not accountable for it, and is below 70 %.",
    "Pull forward": "The same owner does it up to two weeks earlier. The due date does not move. Tests and bundles "
    "wait for their period.",
    "Relief": "Hours that the owner is freed of: of a duty that the owner stays accountable for, three quarters.",
    "Not suggested": "Duties with a legal or contractual deadline; meetings; anything that would push anybody over "
    "the warning.",
    "Highest": "Utilisation of the busiest owner; no figure where somebody has work and no hours at all.",
    "Then": "With all suggestions taken.",
}


def build(owner_weeks: pl.DataFrame, load: pl.DataFrame, people: pl.DataFrame, ask: Ask) -> Document:
    grid = workload.in_horizon(owner_weeks, ask)
    staffed = workload.staffed_rows(grid, people)
    names = ledger.horizon(ask)["week"].to_list()
    now, then = balancing.Load(staffed, load, names), balancing.Load(staffed, load, names)
    actions = _actions(list(balancing.suggestions(then, ask)), load)
    peaks, left = balancing.peak_weeks(now, ask), balancing.peak_weeks(then, ask)
    weeks = _weeks(grid, staffed, now, then, ask)
    moved = round(float(actions["hours"].sum()), 2)
    return Document(
        headline=_headline(weeks, actions, peaks, left, grid),
        summary={
            "weeks": len(names),
            "peak_weeks": len(peaks),
            "peak_weeks_then": len(left),
            "imbalanced_weeks": weeks.filter(pl.col("state") == "imbalanced").height,
            "suggestions": actions.height,
            **{kind: actions.filter(pl.col("kind") == kind).height for kind in ("reassign", "pull_forward")},
            "hours_moved": moved,
        },
        tables=(
            Table(
                "suggestions",
                "Suggestions, in the order in which they were found",
                actions,
                labels=LABELS,
                state=("kind",),
                hidden=("action_id", "obligation_id", "duty", "number", "hours", "owner_before_pct", "owner_after_pct"),
            ),
            Table("weeks", "How work is spread", weeks, labels=LABELS, state=("state",)),
            Table(
                "slices",
                "Who does what in peak weeks",
                _slices(grid, load, then, peaks),
                note="An empty owner is nobody, and who has left has no hours: first name another.",
                labels=LABELS,
                state=("flag",),
                hidden=("week_start_on",),
            ),
        ),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=_warnings(workload.ownerless_hours(grid, people), left),
        footnotes=("Nothing is changed by a suggestion; staffing actions track those that are taken up.",),
    )


def _actions(found: list[dict[str, object]], load: pl.DataFrame) -> pl.DataFrame:
    frame = pl.DataFrame(found, schema=ACTION, orient="row")
    org = load["org_id"][0] if load.height else ""
    keys = [action_id(org, *row) for row in frame.select("week", "kind", "owner").iter_rows()]
    return frame.with_columns(pl.Series("action_id", keys, dtype=pl.String)).with_row_index("number", 1).with_columns(
        pl.col("number").cast(pl.Int64)
    )  # fmt: skip


def _weeks(
    grid: pl.DataFrame, staffed: pl.DataFrame, now: balancing.Load, then: balancing.Load, ask: Ask
) -> pl.DataFrame:
    working = staffed.filter(pl.col("demand_hours") > 0)
    rows = []
    for week in now.weeks:
        used = working.filter(pl.col("week") == week)["utilisation_pct"].drop_nulls().to_list()
        spread = workload.spread(used, ask.settings)
        mean = round(sum(used) / len(used), 1) if used else None
        rows.append((week, spread.owners, mean, _finite(now.peak(week)), spread.ratio, spread.gini, spread.state,
                     _finite(then.peak(week))))  # fmt: skip
    schema = {
        "week": pl.String, "owners": pl.Int64, "mean_pct": pl.Float64, "max_pct": pl.Float64, "imbalance": pl.Float64,
        "gini": pl.Float64, "state": pl.String, "max_after_pct": pl.Float64,
    }  # fmt: skip
    totals = workload.by_week(grid).select("week", "demand_hours", "available_hours", "shortfall_hours")
    return ledger.horizon(ask).join(
        totals, on="week", how="left", maintain_order="left"
    ).with_columns(pl.col("^.*_hours$").fill_null(0.0)).join(
        pl.DataFrame(rows, schema=schema, orient="row"), on="week", how="left", maintain_order="left"
    )  # fmt: skip


def _slices(grid: pl.DataFrame, load: pl.DataFrame, then: balancing.Load, peaks: list[str]) -> pl.DataFrame:
    roles = load.group_by("owner", "week").agg(
        pl.col("hours").filter(pl.col("role") == role).sort().sum().round(3).alias(name)
        for role, name in (("R", "responsible_hours"), ("A", "accountable_hours"))
    )
    frame = (
        grid.filter(pl.col("week").is_in(peaks), pl.col("demand_hours") > 0)
        .join(roles, on=["owner", "week"], how="left", nulls_equal=True, maintain_order="left")
        .sort("week_start_on", "utilisation_pct", "owner", descending=[False, True, False], nulls_last=True)
    )
    after = [
        None if owner is None else _finite(then.used(owner, week))
        for owner, week in frame.select("owner", "week").iter_rows()
    ]
    return frame.select(
        *("week", "week_start_on", "owner", "obligations", "responsible_hours", "accountable_hours", "demand_hours"),
        *("available_hours", "utilisation_pct", "flag"),
    ).with_columns(pl.Series("after_pct", after, dtype=pl.Float64))


def _finite(value: float) -> float | None:
    return None if value == float("inf") else round(value, 1)


def _headline(weeks: pl.DataFrame, actions: pl.DataFrame, peaks: list[str], left: list[str], grid: pl.DataFrame) -> str:
    if not grid["demand_hours"].sum():
        return "No work falls into the coming weeks, so there is nothing to balance: check that duties are recorded."
    if not peaks:
        return f"Nobody has more work than hours in the next {count(weeks.height, 'week')}: nothing needs to move."
    over = f"Somebody has more work than hours in {count(len(peaks), 'week')} of the next {weeks.height}"
    if actions.is_empty():
        return f"{over}, and no flexible duty can be handed over or pulled forward: bring in hours."
    first = actions.row(0, named=True)
    step = (
        f"hand {first['title']} from {first['owner']} to {first['to_owner']}"
        if first["kind"] == "reassign"
        else f"let {first['owner']} do {first['title']} in {first['to_week']}"
    )
    moved = hours(round(float(actions["hours"].sum()), 2))
    rest = f", which leaves {count(len(left), 'such week')}" if left else ", which leaves none"
    return f"{over}; {count(actions.height, 'move')} would shift {moved}{rest}. Start in {first['week']}: {step}."


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if not weeks["demand_hours"].sum():
        return []
    lines = weeks.select("week", now="max_pct", then="max_after_pct")
    frame = lines.unpivot(index="week", variable_name="line", value_name="utilisation")
    alt = "Utilisation of the busiest owner of each week, now and with all suggestions taken."
    return [Chart("lines", "Busiest owner by week", frame, "week", "utilisation", alt, series="line", percent=True)]


def _warnings(unowned: float, left: list[str]) -> list[str]:
    warnings = []
    if unowned:
        warnings.append(f"{hours(unowned)} of work without owner, or whose owner has left: name owners first.")
    if left:
        stay = "stays" if len(left) == 1 else "stay"
        warnings.append(f"{count(len(left), 'week')} {stay} over capacity: hours are missing.")
    return warnings


REPORT = Report(
    name="obligation-load-balancing",
    title="Obligation load balancing",
    description="Owners with more work than hours, how work is spread, and duties to hand over or do earlier.",
    build=build,
    parameters=(ledger.WEEKS,),
)
