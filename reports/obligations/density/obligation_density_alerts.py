"""Which coming weeks hold more than the organization's limits, why, and what could move out of them."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.capacity.workload import most_short
from reports.figures import select
from reports.obligations.density.breaches import breaches, rated_weeks
from reports.shared import ledger, setup
from reports.shared.ordering import rank
from reports.shared.wording import SHOWN_HOURS, count, inside, percent

TONES: dict[str, Tone] = {"due": "main", "warns": "watch", "is critical": "bad"}
LABELS = {
    **{"known": "Duties", "known_hours": "Hours", "causes": "Over the limit by", "suggestion": "What would help"},
    **{"demand_hours": "Work (h)", "available_hours": "Hours there are"},
}
DEFINITIONS = {
    "Duties": "Known duties that fall due in the week. Overdue ones are not counted again, and no week has the "
    "work on them.",
    "Limits": "By count: the larger of the setting and the 75th (warning) or 90th (critical) percentile of the weeks "
    "behind. By utilisation: percent of all owners' available hours. Either one is a breach.",
    "Hysteresis": "A breach that was sent holds until the week is below this part of its limit.",
    "Since last alert": "New and worsened breaches are sent; unchanged, eased and cleared ones are not.",
    "Can move": "Duties of the week without a legal or contractual deadline.",
    **SHOWN_HOURS,
}


def _settings(ask: Ask) -> str:
    warn, critical, part = (
        percent(given)
        for given in (
            ask.settings["utilisation_warn_pct"],
            ask.settings["utilisation_critical_pct"],
            100 * ask.settings["hysteresis_fraction"],
        )
    )
    weeks = int(ask.settings["history_weeks"])
    return (
        f"A week warns at a utilisation of {warn} and is critical at {critical}; a breach clears below {part} of its "
        f"limit; limits look back over {weeks:,} weeks."
    )


def build(owner_weeks: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rated = figures.rows(rated_weeks)
    return Document(
        *_opening(owner_weeks, figures, ask),
        tables=(
            Table(
                "breaches",
                "Weeks over a limit",
                note=f"By the number of duties or by utilisation: a week with hours left may hold too many duties. "
                f"It warns from {figures['density_warning_from']:g} duties and is critical from "
                f"{figures['density_critical_from']:g}.",
                frame=figures.rows(breaches),
                labels=LABELS,
                state=("level", "news", "previous_level"),
                hidden=(
                    *("alert_id", "week_start_on", "known_hours", "kinds", "frameworks", "movable", "previous_level"),
                    *("news", "send"),
                ),
                part_of=("weeks",),
            ),
            Table(
                "weeks",
                "Every week of the horizon",
                _weeks(rated, figures),
                labels=LABELS,
                state=("level",),
                hidden=("week_start_on", "known_hours", "warn_at", "critical_at"),
            ),
        ),
        charts=_charts(rated, figures),
        definitions={**DEFINITIONS, "Settings": _settings(ask)},
        warnings=_warnings(figures),
    )


def _weeks(rated: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    return rated.select(
        *("week", "week_start_on", "known", "known_hours", "demand_hours", "available_hours", "utilisation_pct"),
        warn_at=pl.lit(figures["density_warning_from"], dtype=pl.Float64),
        critical_at=pl.lit(figures["density_critical_from"], dtype=pl.Float64),
        level="level",
    )


def _opening(owner_weeks: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if not figures["obligations_pending"]:
        return Opening("No duty is pending, so no week can hold too much.", setup.DUTIES)
    over, critical = figures["density_breaches"], figures["density_breaches_critical"]
    if not over:
        return Opening(f"No week of the next {ask.horizon_weeks} holds more than its limit.")
    worst = (
        figures.counted_rows("density_breaches")
        .sort(rank("level", ("critical", "warning")), "known", "week_start_on", descending=[False, True, False])
        .row(0, named=True)
    )
    used = "" if worst["utilisation_pct"] is None else f" at {percent(worst['utilisation_pct'])} of capacity"
    return Opening(
        f"{over} of the next {count(ask.horizon_weeks, 'week')} {'is' if over == 1 else 'are'} over a limit, "
        f"{critical or 'none'} critical; most is in {worst['week']}: "
        f"{count(worst['known'], 'duty', 'duties')}{used}.",
        f"In {worst['week']}, {inside(worst['suggestion'])}{most_short(owner_weeks, worst['week'])}.",
    )


def _charts(rated: pl.DataFrame, figures: Figures) -> list[Chart]:
    if not rated["known"].sum():
        return []
    wide = rated.select(
        "week",
        due=pl.col("known").cast(pl.Float64),
        warns=pl.lit(figures["density_warning_from"], dtype=pl.Float64),
        **{"is critical": pl.lit(figures["density_critical_from"], dtype=pl.Float64)},
    )
    frame = wide.unpivot(index="week", variable_name="line", value_name="duties")
    alt = "Duties that fall due in each week against the counts at which a week warns and is critical."
    return [Chart("lines", "Duties by week and the limits", frame, "week", "duties", alt, series="line", tones=TONES)]


def _warnings(figures: Figures) -> list[str]:
    warnings = []
    if not figures["obligations_due_in_history"]:
        warnings.append("No duty fell due in the weeks behind: the limits are the settings alone.")
    idle = figures["density_weeks_without_hours"]
    if idle:
        warnings.append(f"In {count(idle, 'week')} there is work but nobody with hours: treated as critical.")
    return warnings


REPORT = Report(
    name="obligation-density-alerts",
    title="Obligation density alerts",
    description="Weeks that hold more duties or work than the limits, with drivers and a shift that would help.",
    build=build,
    figures=select(
        *("density_breaches", "density_breaches_warning", "density_breaches_critical", "density_alerts_to_send"),
        *("density_weeks_without_hours", "density_warning_from", "density_warning_source", "density_critical_from"),
        *("density_critical_source", "obligations_due_in_history", "obligations_pending", "obligations_known"),
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
