"""How many duties and hours each coming week holds: those known, those to be expected, and the committee meetings."""

from typing import Any

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.obligations import density, weeks
from reports.obligations import expectations as expected
from reports.shared import ledger
from reports.shared.wording import (
    all_of,
    count,
    hours,
    percent,
)

LABELS = {
    "week_start_on": "From",
    "known": "Known",
    "known_hours": "Known hours",
    "expected_unplanned": "Expected",
    "expected_p50": "Expected p50",
    "expected_p80": "Expected p80",
    "demand_hours": "Demand hours",
    "available_hours": "Available hours",
    "cumulative": "Known so far",
    "committees": "Committee meetings",
    "held_on": "On",
    "error_pct": "Error (%)",
    "planned": "Was planned",
}
DEFINITIONS = {
    **ledger.DEFINITIONS,
    "Expected": "Evidence requests that nobody has made yet: the mean of the weeks behind with their median (p50) and "
    "80th percentile (p80). From next week on, and never added to what is known.",
    "Demand": "Hours of those responsible, and a quarter for those accountable. This week's demand includes the work "
    "on everything overdue.",
    "Utilisation": "Demand in percent of the hours of all owners after absence and focus factor.",
    "Density": "Critical or warning by the number of known duties or by utilisation, at the limits of the alerts.",
    "Back-test": "Mean absolute percentage error of the last 8 forecasts, made four weeks before; "
    "insufficient_history below 8 weeks.",
}


def build(
    obligations: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    requests: pl.DataFrame,
    obligation_weeks: pl.DataFrame,
    ask: Ask,
) -> Document:
    duties = ledger.pending(obligations, ask)
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    arrivals = expected.unplanned_load(requests, obligations, ask)
    forecast = _forecast(weeks.with_levels(weeks.demand(duties, owner_weeks, ask), bounds), duties, arrivals)
    checked, compared = expected.backtest(obligation_weeks), expected.forecast_errors(obligation_weeks)
    return Document(
        headline=_headline(forecast, duties),
        summary={
            **ledger.totals(duties),
            "horizon_weeks": forecast.height,
            "expected_unplanned_week": arrivals.mean,
            "expected_p50": arrivals.p50,
            "expected_p80": arrivals.p80,
            "expected_hours_week": arrivals.hours,
            "history": "sufficient" if arrivals.mean is not None else expected.INSUFFICIENT,
            "backtest": expected.INSUFFICIENT if checked.mape_pct is None else "sufficient",
            "backtest_weeks": checked.weeks,
            "mape_pct": checked.mape_pct,
        },
        tables=(
            Table(
                "weeks",
                "Week by week",
                forecast,
                labels=LABELS,
                state=("level",),
                hidden=("expected_p50", "expected_p80", "expected_hours", "shortfall_hours"),
            ),
            Table("committee_milestones", "Committee meetings", _meetings(duties), labels=LABELS),
            Table("backtest", "Earlier forecasts against what was planned", compared, labels=LABELS),
        ),
        charts=_charts(forecast),
        definitions=DEFINITIONS,
        warnings=_warnings(duties, arrivals, checked),
        footnotes=("Known + overdue + beyond are the pending duties of the obligation rollup and of the heatmap.",),
    )


def _forecast(frame: pl.DataFrame, duties: pl.DataFrame, arrivals: expected.UnplannedLoad) -> pl.DataFrame:
    later = pl.int_range(pl.len()) > 0
    meetings = _meetings(duties).group_by("week").agg(committees=pl.col("committee").sort())
    return (
        frame.join(meetings, on="week", how="left", maintain_order="left")
        .with_columns(
            cumulative=pl.col("known").cum_sum(),
            committees=pl.col("committees").fill_null([]),
            expected_unplanned=pl.when(later).then(pl.lit(arrivals.mean, dtype=pl.Float64)),
            expected_p50=pl.when(later).then(pl.lit(arrivals.p50, dtype=pl.Float64)),
            expected_p80=pl.when(later).then(pl.lit(arrivals.p80, dtype=pl.Float64)),
            expected_hours=pl.when(later).then(pl.lit(arrivals.hours, dtype=pl.Float64)),
        )
        .select(
            *("week", "week_start_on", "known", "known_hours", "expected_unplanned", "expected_p50", "expected_p80"),
            *("expected_hours", "demand_hours", "available_hours", "utilisation_pct", "shortfall_hours", "level"),
            *("cumulative", "committees"),
        )
    )


def _meetings(duties: pl.DataFrame) -> pl.DataFrame:
    return (
        duties.filter(pl.col("place") == "known", pl.col("kind") == "committee")
        .sort("due_on", "obligation_id")
        .select(
            "week", held_on="due_on", committee=pl.col("title").str.strip_suffix(" meets"), chair="owner",
            preparation_hours="effort_hours",
        )
    )  # fmt: skip


def _headline(forecast: pl.DataFrame, duties: pl.DataFrame) -> str:
    held = ledger.totals(duties)
    span = f"the next {forecast.height} weeks" if forecast.height > 1 else "this week"
    if not held["known"]:
        late = f" {held['overdue']:,} overdue ones weigh on this week." if held["overdue"] else ""
        later = f" {held['beyond']:,} {_fall(held['beyond'])} due later." if held["beyond"] else ""
        return f"No duty is known to fall due in {span}: check that duties are recorded.{late}{later}"
    peak = forecast.sort("known", "week_start_on", descending=[True, False]).row(0, named=True)
    over = forecast.filter((pl.col("utilisation_pct") > 100) | pl.col("utilisation_pct").is_null()).height
    text = (
        f"{count(held['known'], 'duty', 'duties')} ({hours(held['known_hours'])}) {_fall(held['known'])} due in {span}"
    )
    busiest = f"most in {peak['week']}: {peak['known']:,}"
    if peak["utilisation_pct"] is not None:
        busiest += f" at {percent(peak['utilisation_pct'])} of capacity"
    late = f"; {held['overdue']:,} overdue ones weigh on this week" if held["overdue"] else ""
    first = _advice(peak, forecast)
    some = f"; {count(over, 'week')} {'asks' if over == 1 else 'ask'} for more hours than there are" if over else ""
    return f"{text}, {busiest}{late}{some}: {first}."


def _fall(number: int) -> str:
    return "falls" if number == 1 else "fall"


def _advice(peak: dict[str, Any], forecast: pl.DataFrame) -> str:
    if peak["level"] != "ok":
        this = peak["week"] == forecast["week"][0]
        return f"move what can wait out of {'this week' if this else peak['week']}"
    full = forecast.filter(pl.col("level") != "ok")["week"].to_list()
    return f"relieve {all_of(full)}" if full else "no week is over its limit"


def _charts(forecast: pl.DataFrame) -> list[Chart]:
    if not forecast["demand_hours"].sum():
        return []
    frame = forecast.select("week", demand="demand_hours", available="available_hours").unpivot(
        index="week", variable_name="hours", value_name="total"
    )
    alt = "Hours of work that fall into each week, and hours that the owners have; the first week has the overdue work."
    return [Chart("lines", "Work and capacity", frame, "week", "total", alt, series="hours")]


def _warnings(duties: pl.DataFrame, arrivals: expected.UnplannedLoad, checked: expected.Backtest) -> list[str]:
    warnings = []
    if arrivals.mean is None:
        warnings.append(f"Only {count(arrivals.weeks, 'week')} of requests lie behind: what to expect is not known.")
    if checked.mape_pct is None:
        warnings.append(f"Only {count(checked.weeks, 'earlier forecast')} can be checked: its error is not known yet.")
    nobody = duties.filter(pl.col("owner").is_null(), pl.col("place") != "beyond").height
    if nobody:
        warnings.append(
            f"{count(nobody, 'duty', 'duties')} up to the horizon without owner: nobody has hours for them."
        )
    return warnings


REPORT = Report(
    name="obligation-forecast",
    title="Obligation forecast",
    description="Known and expected duties, hours and utilisation of each coming week, with committee meetings.",
    build=build,
    parameters=(ledger.WEEKS,),
)
