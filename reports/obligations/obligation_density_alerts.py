"""Which coming weeks hold more than the organization's limits, why, and what could move out of them."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.obligations import density, shifts, weeks
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import (
    all_of,
    count,
    inside,
    percent,
)

ALERT_ID_DIGITS = 16
LABELS = {
    "week_start_on": "From",
    "known": "Duties",
    "known_hours": "Hours",
    "warn_at": "Warns at",
    "critical_at": "Critical at",
    "news": "Since last alert",
    "previous_level": "Last alert",
    "movable": "Can move",
    "suggestion": "Suggested shift",
}
DEFINITIONS = {
    "Duties": "Known duties that fall due in the week. Overdue ones are not counted again; the work on them weighs on "
    "this week's utilisation.",
    "Limits": "By count: the larger of the setting and the 75th (warning) or 90th (critical) percentile of the weeks "
    "behind. By utilisation: percent of all owners' available hours. Either one is a breach.",
    "Hysteresis": "A breach that was sent holds until the week is below this part of its limit.",
    "Since last alert": "New and worsened breaches are sent; unchanged, eased and cleared ones are not.",
    "Can move": "Duties of the week without a legal or contractual deadline.",
}


def build(obligations: pl.DataFrame, owner_weeks: pl.DataFrame, density_alerts: pl.DataFrame, ask: Ask) -> Document:
    duties = ledger.pending(obligations, ask)
    behind = weeks.history(obligations, ask)
    bounds = density.limits(behind, ask.settings)
    rated = rate(duties, owner_weeks, bounds, last_sent(density_alerts), ask)
    breaches = _breaches(rated, str(duties["org_id"][0]) if duties.height else "")
    return Document(
        headline=_headline(breaches, rated, duties),
        summary={
            "breaches": breaches.filter(pl.col("level") != "ok").height,
            **{level: breaches.filter(pl.col("level") == level).height for level in density.ALERTING},
            "to_send": breaches.filter("send").height,
            "warning_from": bounds.warn_count,
            "warning_source": bounds.warn_source,
            "critical_from": bounds.critical_count,
            "critical_source": bounds.critical_source,
            "utilisation_warn_pct": bounds.warn_pct,
            "utilisation_critical_pct": bounds.critical_pct,
            "clears_below_pct": round(100 * bounds.clear, 1),
            "history_weeks": len(behind),
            "known": ledger.totals(duties)["known"],
        },
        tables=(
            Table(
                "breaches",
                "Weeks over a limit",
                breaches,
                labels=LABELS,
                state=("level", "news", "previous_level"),
                hidden=("alert_id", "known_hours", "movable", "previous_level", "send"),
            ),
            Table(
                "weeks",
                "Every week of the horizon",
                _weeks(rated, bounds),
                labels=LABELS,
                state=("level",),
            ),
        ),
        charts=_charts(rated, bounds),
        definitions=DEFINITIONS,
        warnings=_warnings(behind, rated),
    )


def rate(
    duties: pl.DataFrame, owner_weeks: pl.DataFrame, bounds: density.Limits, sent: Mapping[str, str], ask: Ask
) -> pl.DataFrame:
    """Every week of the horizon with its level, its drivers, and the shift that would relieve it."""
    frame = weeks.with_levels(weeks.demand(duties, owner_weeks, ask), bounds, sent)
    kinds = weeks.drivers(duties, "kinds", ledger.kind_name())
    frameworks = weeks.drivers(duties, "frameworks", ledger.framework_name())
    known = pl.Series([sent.get(week, "ok") for week in frame["week"]], dtype=pl.String)
    return (
        shifts.with_suggestions(frame.with_columns(previous_level=known), duties, bounds)
        .join(kinds, on="week", how="left", maintain_order="left")
        .join(frameworks, on="week", how="left", maintain_order="left")
        .with_columns(pl.col("kinds", "frameworks").fill_null([]))
    )


def last_sent(alerts: pl.DataFrame) -> dict[str, str]:
    """The level that was last sent for each week; failed and skipped deliveries told nobody."""
    told = alerts.filter(pl.col("status").is_in(["pending", "sent"])).sort("created_at", "delivery_id", "alert_id")
    return {week: level for week, level in told.select("week", "level").iter_rows() if level in density.LEVELS}


def alert_id(org_id: str, week: str, level: str) -> str:
    """The same breach has the same identifier in every preview and delivery."""
    return sha256(f"{org_id}|{week}|{level}".encode()).hexdigest()[:ALERT_ID_DIGITS]


def _breaches(rated: pl.DataFrame, org_id: str) -> pl.DataFrame:
    """Weeks over a limit, and those that were and no longer are, so that whoever was told hears of it."""
    bad = rated.filter((pl.col("level") != "ok") | (pl.col("previous_level") != "ok"))
    said, keys = [], []
    for week, now, before in bad.select("week", "level", "previous_level").iter_rows():
        said.append(density.news(now, before))
        keys.append(alert_id(org_id, week, now))
    return bad.with_columns(alert_id=pl.Series(keys, dtype=pl.String), news=pl.Series(said, dtype=pl.String)).select(
        *("alert_id", "week", "week_start_on", "level", "known", "known_hours", "utilisation_pct", "causes", "kinds"),
        *("frameworks", "movable", "suggestion", "previous_level", "news"),
        send=pl.col("news").is_in(density.TO_SEND),
    )


def _weeks(rated: pl.DataFrame, bounds: density.Limits) -> pl.DataFrame:
    return rated.select(
        *("week", "week_start_on", "known", "known_hours", "demand_hours", "available_hours", "utilisation_pct"),
        warn_at=pl.lit(bounds.warn_count, dtype=pl.Float64),
        critical_at=pl.lit(bounds.critical_count, dtype=pl.Float64),
        level="level",
    )


def _headline(breaches: pl.DataFrame, rated: pl.DataFrame, duties: pl.DataFrame) -> str:
    if duties.is_empty():
        return "No duty is pending, so no week can hold too much: check that duties are recorded."
    over = breaches.filter(pl.col("level") != "ok")
    if over.is_empty():
        return f"No week of the next {rated.height} holds more than its limit."
    bad = over.filter(pl.col("level") == "critical").height
    worst = over.sort(
        rank("level", ("critical", "warning")), "known", "week_start_on", descending=[False, True, False]
    ).row(0, named=True)
    used = "" if worst["utilisation_pct"] is None else f" at {percent(worst['utilisation_pct'])} of capacity"
    are = "is" if over.height == 1 else "are"
    drivers = all_of([inside(kind) for kind in worst["kinds"]]) or "overdue work"
    return (
        f"{over.height} of the next {count(rated.height, 'week')} {are} over a limit, {bad or 'none'} critical; most "
        f"is in {worst['week']}: {count(worst['known'], 'duty', 'duties')}{used}, mostly {drivers}. "
        f"{worst['suggestion']}."
    )


def _charts(rated: pl.DataFrame, bounds: density.Limits) -> list[Chart]:
    if not rated["known"].sum():
        return []
    wide = rated.select(
        "week",
        due=pl.col("known").cast(pl.Float64),
        warns=pl.lit(bounds.warn_count, dtype=pl.Float64),
        **{"is critical": pl.lit(bounds.critical_count, dtype=pl.Float64)},
    )
    frame = wide.unpivot(index="week", variable_name="line", value_name="duties")
    alt = "Duties that fall due in each week against the counts at which a week warns and is critical."
    return [Chart("lines", "Duties by week and the limits", frame, "week", "duties", alt, series="line")]


def _warnings(behind: Sequence[int], rated: pl.DataFrame) -> list[str]:
    warnings = []
    if not any(behind):
        warnings.append("No duty fell due in the weeks behind: the limits are the settings alone.")
    idle = rated.filter(pl.col("utilisation_pct").is_null()).height
    if idle:
        warnings.append(f"In {count(idle, 'week')} there is work but nobody with hours: treated as critical.")
    return warnings


REPORT = Report(
    name="obligation-density-alerts",
    title="Obligation density alerts",
    description="Weeks that hold more duties or work than the limits, with drivers and a shift that would help.",
    build=build,
    parameters=(ledger.WEEKS,),
)
