"""Key figures of the programme by ISO week: how fast gaps close, whether attestations keep up, where readiness goes."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Parameter, Report
from reports.programme import kpi_weeks
from reports.programme.kpi_weeks import AVERAGED, by_framework, weekly
from reports.shared.packs import pack_name
from reports.shared.wording import count, percent

WEEKS = Parameter("weeks", kpi_weeks.WEEKS, "ISO weeks up to that of the report's day, the present one included", 1, 53)
LABELS = {
    "week_start_on": "From",
    "median_days": "Median days to close",
    "p90_days": "P90 days to close",
    "closed_average": "Closed, 4-week average",
    "attestations_due": "Attestations due",
    "attestations_closed": "Attestations closed",
    "attestation_pct": "Attestation closure (%)",
    "strict_pct": "Strict (%)",
    "weighted_pct": "Weighted (%)",
    "weighted_average": "Weighted, 4-week average (%)",
    "fresh_pct": "Evidence fresh (%)",
    "name": "Framework",
    "gaps_open": "Open gaps",
}
DEFINITIONS = {
    "Opened, closed, net": "Tracked remediations by the day they were opened or closed; net is opened less closed. "
    "Empty before the first one on record.",
    "Still open": "Remediations opened and not closed by the end of the week.",
    "Days to close": "Of the remediations closed in the week: median and 90th percentile by nearest rank. Empty in a "
    "week in which none was closed.",
    "Attestation closure": "Attestations due in the week, up to the report's day, that were signed or rejected by its "
    "end. Empty in a week in which none was due.",
    "Readiness and freshness": "As recorded in the last snapshot of the week, never computed again with today's rules: "
    "the mean over the frameworks recorded in that week, each counting the same. Empty without a snapshot.",
    "4-week average": f"Mean of the week and the {AVERAGED - 1} before it; empty where one of them is missing. "
    "The present week is not over, so closures of it have no average yet.",
    "Weeks to clear": "Remediations still open, divided by the mean number closed in a whole week; growing where at "
    "least as many are opened.",
}


def build(
    remediations: pl.DataFrame,
    obligations: pl.DataFrame,
    readiness_weeks: pl.DataFrame,
    organization: pl.DataFrame,
    ask: Ask,
) -> Document:
    frame = weekly(remediations, obligations, readiness_weeks, ask)
    frameworks = by_framework(readiness_weeks, organization, ask)
    known = frame.filter(pl.col("weighted_pct").is_not_null())
    flow = _flow(frame)
    moved = _moved(known)
    return Document(
        headline=_headline(frame, known, flow, moved),
        summary={
            "weeks": frame.height,
            "weeks_with_snapshot": known.height,
            **flow,
            "strict_pct": None if known.is_empty() else known["strict_pct"][-1],
            "weighted_pct": None if known.is_empty() else known["weighted_pct"][-1],
            "weighted_change": moved,
            "fresh_pct": None if known.is_empty() else known["fresh_pct"][-1],
            "attestation_pct": _closure(frame),
        },
        tables=(
            Table("weeks", "By week", frame, labels=LABELS, hidden=("frameworks", "complete")),
            Table(
                "frameworks",
                "Readiness of each framework by week, as recorded",
                frameworks.select(
                    *("framework", pack_name().alias("name"), "week", "taken_on", "strict_pct", "weighted_pct"),
                    *("fresh_pct", "gaps_open"),
                ),
                labels=LABELS,
                hidden=("framework",),
            ),
        ),
        coverage=Coverage(known.height, frame.height),
        charts=_charts(frame, known),
        definitions=DEFINITIONS,
        warnings=_warnings(frame, known),
    )


def _flow(frame: pl.DataFrame) -> dict[str, Any]:
    """Sums over the weeks on record, and how long the backlog takes at the mean pace of whole weeks."""
    recorded = frame.filter(pl.col("opened").is_not_null())
    if recorded.is_empty():
        return {"opened": None, "closed": None, "net": None, "still_open": None, "weeks_to_clear": None}
    opened, closed = int(recorded["opened"].sum()), int(recorded["closed"].sum())
    whole = recorded.filter("complete")
    backlog = int(recorded["still_open"][-1])
    return {
        "opened": opened,
        "closed": closed,
        "net": opened - closed,
        "still_open": backlog,
        "weeks_to_clear": _weeks_to_clear(backlog, whole),
    }


def _weeks_to_clear(backlog: int, whole: pl.DataFrame) -> float | str | None:
    if whole.is_empty():
        return None
    opened, closed = int(whole["opened"].sum()), int(whole["closed"].sum())
    if backlog == 0:
        return 0.0
    return "growing" if closed <= opened else round(backlog * whole.height / closed, 1)


def _moved(known: pl.DataFrame) -> float | None:
    if known.height < 2:
        return None
    return round(float(known["weighted_pct"][-1]) - float(known["weighted_pct"][0]), 1)


def _closure(frame: pl.DataFrame) -> float | None:
    return Coverage(int(frame["attestations_closed"].sum()), int(frame["attestations_due"].sum())).pct


def _headline(frame: pl.DataFrame, known: pl.DataFrame, flow: Mapping[str, Any], moved: float | None) -> str:
    weeks = f"In the {count(frame.height, 'week')} to {frame['week'][-1]}"
    parts = []
    if known.is_empty():
        parts.append("no snapshot of readiness was recorded")
    elif moved is None:
        parts.append(f"weighted readiness was recorded once, at {percent(known['weighted_pct'][-1])}")
    else:
        way = "stayed" if moved == 0 else "rose" if moved > 0 else "fell"
        how = "" if moved == 0 else f" by {abs(moved):.1f} {'point' if abs(moved) == 1 else 'points'} to"
        parts.append(f"weighted readiness {way}{how or ' at'} {percent(known['weighted_pct'][-1])}")
    if flow["opened"] is None:
        parts.append("no remediation is on record")
    else:
        parts.append(f"{flow['opened']:,} gaps were opened and {flow['closed']:,} closed")
        if flow["net"] > 0:
            more = flow["net"] / frame.filter(pl.col("opened").is_not_null()).height
            parts.append(f"close {more:.1f} more a week to keep the backlog of {flow['still_open']:,} from growing")
    return f"{weeks} {'; '.join(parts)}."


def _charts(frame: pl.DataFrame, known: pl.DataFrame) -> list[Chart]:
    charts = []
    if known.height > 1:
        lines = known.select("week", strict="strict_pct", weighted="weighted_pct", fresh="fresh_pct").unpivot(
            index="week", variable_name="figure", value_name="pct"
        )
        alt = "Strict and weighted readiness and freshness of evidence by week, as recorded."
        charts.append(Chart("lines", "Readiness by week", lines, "week", "pct", alt, series="figure", percent=True))
    recorded = frame.filter(pl.col("opened").is_not_null())
    if int(recorded["opened"].sum()) + int(recorded["closed"].sum()) > 0:
        lines = recorded.select("week", "opened", "closed").unpivot(
            index="week", variable_name="gaps", value_name="number"
        )
        alt = "Gaps opened and closed by week."
        charts.append(Chart("lines", "Gaps opened and closed", lines, "week", "number", alt, series="gaps"))
    return charts


def _warnings(frame: pl.DataFrame, known: pl.DataFrame) -> list[str]:
    warnings = []
    missing = frame.height - known.height
    if missing:
        warnings.append(f"{count(missing, 'week has', 'weeks have')} no snapshot of readiness; these cells are empty.")
    breaks = known.filter(pl.col("frameworks") != pl.col("frameworks").shift(1))["week"].to_list()
    if breaks:
        warnings.append(
            f"Other frameworks were recorded from {', '.join(breaks)} on: the means before and after differ."
        )
    return warnings


REPORT = Report(
    name="kpi-trends",
    title="KPI trends",
    description="Remediation velocity, attestation closure and recorded readiness by ISO week.",
    build=build,
    parameters=(WEEKS,),
)
