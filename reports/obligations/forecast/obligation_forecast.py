"""How many duties and hours each coming week holds: those known, those to be expected, and the committee meetings."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, FrameRow, Opening, Table, at_most
from engine.model.documents.pictures import TrendLine, TrendPicture
from engine.model.figures.figure import Figures
from reports.capacity import relief, workload
from reports.figures import select
from reports.obligations.density import density
from reports.obligations.forecast import expectations as expected
from reports.obligations.forecast import weeks
from reports.shared import ledger, setup
from reports.shared.duty_figures import TOTALS
from reports.shared.wording import SHOWN_HOURS, count, hours, percent, sentence, some_of

FOREMOST = (
    *("obligations_known", "demand_hours", "obligations_known_hours", "busiest_week"),
    *("obligations_overdue", "obligations_without_owner"),
)
LIKELY = "80 % of cases"
LABELS = {
    **{"committees": "Committee meetings", "held_on": "On", "known": "Duties", "expected_unplanned": "More expected"},
    **{"demand_hours": "Work in all (h)", "available_hours": "Hours there are", "causes": "Over the limit by"},
}
EXPECTED = {
    "expected_unplanned": "expected_unplanned_week",
    "expected_p50": "expected_unplanned_p50",
    "expected_p80": "expected_unplanned_p80",
    "expected_hours": "expected_unplanned_hours",
}
DEFINITIONS = {
    **ledger.DEFINITIONS,
    **SHOWN_HOURS,
    "Expected": "Evidence requests that nobody has made yet: from next week on, and never added to what is known.",
    "Demand": "Hours of those responsible, and a quarter for those accountable. Overdue work is in no week, and this "
    "week offers the working days that are left.",
    "Utilisation": "Demand in percent of the hours of all owners after absence and focus factor.",
    "Density": "Critical or warning by the number of known duties or by utilisation, at the limits of the alerts.",
}


def build(
    obligations: pl.DataFrame, owner_weeks: pl.DataFrame, requests: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    duties = figures.rows(ledger.pending)
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    rated = weeks.with_levels(weeks.demand(duties, owner_weeks, ask), bounds)
    forecast = _forecast(rated, duties, figures, bounds)
    return Document(
        *_opening(forecast, duties, ledger.first_overdue(duties, requests, ask), figures),
        tables=(
            Table(
                "weeks",
                "Week by week",
                forecast,
                labels=LABELS,
                note=f"A week warns from {density.limit_words(bounds)}, whichever comes first: many small duties fill "
                "a week that still has hours. Work in all is that of who does the duties and a quarter of it for who "
                "answers for them.",
                state=("level",),
                hidden=(
                    *("week_start_on", "known_hours", "expected_unplanned", "expected_p50", "expected_p80"),
                    *("expected_hours", "shortfall_hours", "cumulative", "committees"),
                ),
            ),
            Table("committee_milestones", "Committee meetings", _meetings(duties), labels=LABELS),
            Table("backtest", "Earlier forecasts against what was planned", figures.rows(expected.forecast_errors)),
        ),
        pictures=_pictures(forecast),
        definitions=DEFINITIONS,
        warnings=_warnings(duties, figures),
        foremost=[name for name in FOREMOST if figures[name] is not None],
        footnotes=("Known + overdue + beyond are the pending duties of the obligation rollup and of the heatmap.",),
    )


def _forecast(frame: pl.DataFrame, duties: pl.DataFrame, figures: Figures, bounds: density.Limits) -> pl.DataFrame:
    later = pl.int_range(pl.len()) > 0
    why = [
        density.causes(number, used, bounds) for number, used in frame.select("known", "utilisation_pct").iter_rows()
    ]
    meetings = _meetings(duties).group_by("week").agg(committees=pl.col("committee").sort())
    return (
        frame.join(meetings, on="week", how="left", maintain_order="left")
        .with_columns(
            cumulative=pl.col("known").cum_sum(),
            committees=pl.col("committees").fill_null([]),
            causes=pl.Series(why, dtype=pl.List(pl.String)),
            **{
                name: pl.when(later).then(pl.lit(figures[figure], dtype=pl.Float64))
                for name, figure in EXPECTED.items()
            },
        )
        .select(
            *("week", "week_start_on", "known", "utilisation_pct", "level", "causes", "demand_hours"),
            *("available_hours", "shortfall_hours", "known_hours", "expected_unplanned", "expected_p50"),
            *("expected_p80", "expected_hours", "cumulative", "committees"),
        )
    )


def _meetings(duties: pl.DataFrame) -> pl.DataFrame:
    return (
        duties.filter(pl.col("place") == "known", pl.col("kind") == "committee")
        .sort("due_on", "obligation_id")
        .select(
            "week",
            held_on="due_on",
            committee=pl.col("title").str.strip_suffix(" meets"),
            chair="owner",
            preparation_hours="effort_hours",
        )
    )


def _opening(forecast: pl.DataFrame, duties: pl.DataFrame, first_late: str, figures: Figures) -> Opening:
    known, overdue, beyond = (figures[f"obligations_{place}"] for place in ("known", "overdue", "beyond"))
    span = f"the next {forecast.height} weeks" if forecast.height > 1 else "this week"
    late = f"{overdue:,} {'is' if overdue == 1 else 'are'} overdue" if overdue else ""
    if not known:
        others = [late] if late else []
        others += [f"{beyond:,} {_fall(beyond)} due later"] if beyond else []
        rest = f"; {' and '.join(others)}" if others else ""
        step = f"{sentence(first_late)}." if late else "" if beyond else setup.DUTIES
        return Opening(f"No duty is known to fall due in {span}{rest}.", step)
    peak = forecast.row(by_predicate=pl.col("week") == figures["busiest_week"], named=True)
    used = "" if peak["utilisation_pct"] is None else f", {percent(peak['utilisation_pct'])} of capacity"
    text = f"{count(known, 'duty', 'duties')} ({_work(figures)}) {_fall(known)} due in {span}"
    busiest = f"most in {peak['week']} ({count(peak['known'], 'duty', 'duties')}{used})"
    short = relief.of_short(figures.rows(relief.by_week)).get(str(peak["week"]))
    lacking = workload.most_short(figures.rows("owner_weeks"), str(peak["week"]))
    advice = f"in {peak['week']} {short}{lacking}" if short else _advice(peak, forecast, duties)
    first = first_late if late else ""
    step = f"{first}, then {advice}" if first and advice else first or advice
    rest = f"; {late}" if late else ""
    whole = at_most(text, f", {busiest}{rest}")
    return Opening(f"{text + rest if whole == text else whole}.", sentence(f"{step}.") if step else "")


def _work(figures: Figures) -> str:
    """The hours of everybody, which the weeks add up to; those of whoever does the duties are among the figures."""
    return f"{hours(figures['demand_hours'])} of work in all"


def _fall(number: int) -> str:
    return "falls" if number == 1 else "fall"


def _advice(peak: FrameRow, forecast: pl.DataFrame, duties: pl.DataFrame) -> str:
    """Whom to ask to move what can wait out of the fullest week: whoever has most of it."""
    if peak["level"] != "ok":
        this = peak["week"] == forecast["week"][0]
        week = "this week" if this else str(peak["week"])
        loose = duties.filter(pl.col("place") == "known", ~pl.col("hard"), pl.col("week") == peak["week"])
        most = ledger.most_with(loose)
        whose = f", most of them with {most[0]} ({most[1]:,})" if most else ""
        can = count(loose.height, "duty", "duties")
        return f"move what can wait of {week}: {can} without a fixed deadline{whose}"
    full = forecast.filter(pl.col("level") != "ok")["week"].to_list()
    return f"relieve {some_of(full, 2)}" if full else ""


def _pictures(forecast: pl.DataFrame) -> list[TrendPicture]:
    """Work and hours by week, with a band for what nobody has asked for yet."""
    if not forecast["demand_hours"].sum():
        return []
    each = (pl.col("expected_hours") / pl.col("expected_unplanned")).fill_nan(None)
    likely = (pl.col("demand_hours") + (pl.col("expected_p80") * each).fill_null(0.0)).round(2)
    weeks = forecast.select("week_start_on", "demand_hours", "available_hours", likely=likely)
    is_known = bool((weeks["likely"] > weeks["demand_hours"]).any())
    lines = [
        TrendLine("work that is known", "main", weeks.select("week_start_on", "demand_hours").rows()),
        TrendLine("hours that there are", "third", weeks.select("week_start_on", "available_hours").rows()),
    ]
    alt = "Hours of work that fall into each week, and hours that the owners have; overdue work is in none."
    band = f" The band reaches up to what is likely to come with {LIKELY}." if is_known else ""
    return [
        TrendPicture(
            "Work and capacity",
            alt + band,
            lines,
            band=weeks.select("week_start_on", "demand_hours", "likely").rows() if is_known else (),
            band_name=f"likely to come ({LIKELY})",
        )
    ]


def _warnings(duties: pl.DataFrame, figures: Figures) -> list[str]:
    warnings: list[str] = []
    if figures["request_history"] == expected.INSUFFICIENT:
        lie = count(figures["request_history_weeks"], "week of requests lies", "weeks of requests lie")
        warnings.append(f"{_only(lie)} behind: what to expect is not known.")
    if figures["forecast_backtest"] == expected.INSUFFICIENT:
        checked = count(figures["forecast_weeks_checked"], "earlier forecast")
        warnings.append(f"{_only(checked)} can be checked: its error is not known yet.")
    return [*warnings, *ledger.without_owner(duties)]


def _only(counted: str) -> str:
    return sentence(counted) if counted.startswith("no ") else f"Only {counted}"


REPORT = Report(
    name="obligation-forecast",
    title="Obligation forecast",
    description="Known and expected duties, hours and utilisation of each coming week, with committee meetings.",
    build=build,
    figures=select(
        "horizon_weeks",
        "demand_hours",
        "weeks_short_after_moves",
        *TOTALS,
        *(
            "obligations_overdue_week_change",
            "obligations_without_owner",
            "busiest_week",
            "request_history",
            "request_history_weeks",
            *EXPECTED.values(),
        ),
        *("forecast_backtest", "forecast_weeks_checked", "forecast_mape_pct"),
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
