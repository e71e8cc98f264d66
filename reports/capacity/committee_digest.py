"""The quarter for the committees on one page: coming peaks, work to share, punctuality, staffing, decisions."""

from typing import Any

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.capacity import agenda
from reports.capacity.quarters import comparison, quarters
from reports.obligations import density, weeks
from reports.obligations.clusters import Cluster, clusters, hours_saved
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import (
    all_of,
    count,
    hours,
    inside,
    percent,
)
from reports.staffing import completion, wording
from reports.staffing.breaches import breaches

SHOWN = 5
CROSSOVER = {
    "cluster_id": pl.String, "what": pl.String, "duties": pl.Int64, "best_on": pl.Date, "hours_alone": pl.Float64,
    "hours_together": pl.Float64, "hours_saved": pl.Float64, "lead": pl.String,
}  # fmt: skip
LABELS = {
    **wording.LABELS,
    "what": "What",
    "reason": "Because",
    "owner": "With",
    "footnote": "Note",
    "week": "Week",
    "week_start_on": "From",
    "known": "Duties",
    "demand_hours": "Work h",
    "available_hours": "Hours there are",
    "shortfall_hours": "Shortfall h",
    "best_on": "Best date",
    "hours_alone": "Hours alone",
    "hours_together": "Together",
    "hours_saved": "Saved",
    "now": "This quarter",
    "now_of": "Of",
    "before": "Last quarter",
    "before_of": "Of (last)",
    "meets_on": "Next meeting",
    "recipient": "To",
    "decisions": "Decisions",
    "name": "Committee",
    "standing": "Stands at",
}


def build(
    obligations: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    linked_evidence: pl.DataFrame,
    crosswalk: pl.DataFrame,
    requests: pl.DataFrame,
    obligation_weeks: pl.DataFrame,
    staffing_actions: pl.DataFrame,
    committees: pl.DataFrame,
    risks: pl.DataFrame,
    exceptions: pl.DataFrame,
    ask: Ask,
) -> Document:
    duties = ledger.pending(obligations, ask)
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    forecast = weeks.with_levels(weeks.demand(duties, owner_weeks, ask), bounds)
    found = clusters(obligations, linked_evidence, crosswalk, ask)
    figures = comparison(requests, obligation_weeks, staffing_actions, ask.as_of)
    late = breaches(staffing_actions)
    asked = agenda.decisions_needed(obligations, risks, exceptions, owner_weeks, found, late, ask)
    running, last = quarters(ask.as_of)
    staffing = completion.figures(staffing_actions)
    return Document(
        headline=_headline(running.key, asked, forecast, found, duties),
        summary={
            "period": running.key,
            "period_before": last.key,
            "decisions": asked.height,
            "weeks_over_limit": forecast.filter(pl.col("level") != "ok").height,
            "hours_to_save": round(sum(hours_saved(cluster) for cluster in found), 2),
            **{f"staffing_{name}": staffing[name] for name in ("tracked", "open", "completed", "breached")},
        },
        tables=(
            Table("decisions", "Decisions needed", asked, labels=LABELS),
            Table("figures", f"{running.key} so far against {last.key}", figures, labels=LABELS, state=("better",)),
            Table("peaks", "Fullest coming weeks", _peaks(forecast), labels=LABELS, state=("level",),
                  hidden=("shortfall_hours",)),
            Table("crossovers", "Work that one collection of evidence would serve", _crossovers(found), labels=LABELS,
                  hidden=("cluster_id", "hours_alone", "hours_together")),
            Table("staffing", "Staffing actions", _staffing(staffing_actions), labels=LABELS, state=("standing",)),
            Table("meetings", "Meetings to come", _meetings(duties, committees), labels=LABELS,
                  hidden=("committee_id", "members")),
            Table("owners", "To each member of a committee", agenda.members(committees, asked),
                  note="All get the same page, and this line.", labels=LABELS),
        ),
        charts=_charts(forecast),
        definitions=_definitions(ask),
        warnings=_warnings(committees, figures),
        footnotes=tuple(f"{what} {agenda.MARKS[name]}: {route}" for name, (what, route) in agenda.SOURCES.items()),
    )  # fmt: skip


def _peaks(forecast: pl.DataFrame) -> pl.DataFrame:
    """The fullest weeks by level and utilisation; work without any hours is fullest of all."""
    return (
        forecast.filter((pl.col("demand_hours") > 0) | (pl.col("known") > 0))
        .sort(
            rank("level", ("critical", "warning", "ok")), pl.col("utilisation_pct").fill_null(float("inf")),
            "week_start_on", descending=[False, True, False],
        )
        .head(SHOWN)
        .select("week", "week_start_on", "known", pl.col("demand_hours", "available_hours", "shortfall_hours").round(1),
                "utilisation_pct", "level")
    )  # fmt: skip


def _crossovers(found: list[Cluster]) -> pl.DataFrame:
    rows = []
    for cluster in found[:SHOWN]:
        alone, together = cluster.hours
        first = f"{cluster.members[0].title} and {count(len(cluster.members) - 1, 'more', 'more')}"
        rows.append((cluster.id, f"{agenda.frameworks(cluster)}: {first}", len(cluster.members), cluster.window[1],
                     round(alone, 2), round(together, 2), hours_saved(cluster), cluster.lead))  # fmt: skip
    return pl.DataFrame(rows, schema=CROSSOVER, orient="row")


def _staffing(actions: pl.DataFrame) -> pl.DataFrame:
    return (
        actions.group_by("standing")
        .agg(actions=pl.len().cast(pl.Int64), relief_hours=pl.col("relief_hours").sort().sum().round(2))
        .sort(rank("standing", wording.STANDINGS))
    )


def _meetings(duties: pl.DataFrame, committees: pl.DataFrame) -> pl.DataFrame:
    meets = (
        duties.filter(pl.col("kind") == "committee", pl.col("state") == "open")
        .group_by(name=pl.col("title").str.strip_suffix(" meets"))
        .agg(meets_on=pl.col("due_on").min())
    )
    return committees.join(meets, on="name", how="left").select(
        "committee_id", "meets_on", "name", "chair", "members"
    ).sort("meets_on", "name", "committee_id", nulls_last=True)  # fmt: skip


def _headline(
    period: str, asked: pl.DataFrame, forecast: pl.DataFrame, found: list[Cluster], duties: pl.DataFrame
) -> str:
    if duties.is_empty() and asked.is_empty():
        return f"{period}: no duty is pending and nothing awaits a decision: check that duties are recorded."
    first = f", first: {inside(asked['decision'][0])}" if asked.height else ""
    parts = [f"{period}: {count(asked.height, 'decision')} needed{first}"]
    over = forecast.filter(pl.col("level") != "ok")
    if over.height:
        top = _peaks(forecast).row(0, named=True)
        used = "no hours for it" if top["utilisation_pct"] is None else f"{percent(top['utilisation_pct'])} of capacity"
        parts.append(f"{over.height} of the next {forecast.height} weeks over a limit, fullest {top['week']} ({used})")
    else:
        parts.append(f"none of the next {forecast.height} weeks over a limit")
    if found:
        total = round(sum(hours_saved(cluster) for cluster in found), 1)
        parts.append(f"{hours(total)} to save by collecting evidence once")
    return f"{'; '.join(parts)}."


def _charts(forecast: pl.DataFrame) -> list[Chart]:
    if not forecast["demand_hours"].sum():
        return []
    frame = forecast.select("week", work="demand_hours", **{"hours there are": "available_hours"}).unpivot(
        index="week", variable_name="hours", value_name="total"
    )
    alt = "Hours of work that fall into each coming week, and hours that owners have; overdue work is in the first."
    return [Chart("lines", "Work and hours", frame, "week", "total", alt, series="hours")]


def _definitions(ask: Ask) -> dict[str, Any]:
    return {
        "Answered in time": "By the due date, of the requests closed in the quarter and those overdue at its end.",
        "p90": "Nine in ten requests were answered within so many days, less whole days spent waiting on the "
        "requester; nearest rank. Closed requests alone flatter a backlog.",
        "Planned": "Duties as they stood at the start of each recorded week; a week is in the quarter of its Monday.",
        "Within the SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
        "Over a limit": "By the number of duties or by utilisation, as in the density alerts.",
        "Saved": "Hours of the duties alone, less the longest and a quarter of the others.",
        "Stands at": wording.DEFINITIONS["Standing"],
    }


def _warnings(committees: pl.DataFrame, figures: pl.DataFrame) -> list[str]:
    warnings = []
    if committees.is_empty():
        warnings.append("No committee is recorded: the digest reaches nobody.")
    unknown = figures.filter(pl.col("now").is_null())["figure"].to_list()
    if unknown:
        warnings.append(f"Not known this quarter: {all_of([inside(name) for name in unknown])}.")
    return warnings


REPORT = Report(
    name="committee-digest",
    title="Committee digest",
    description="The quarter for the committees: decisions, coming peaks, work to share, punctuality and staffing.",
    build=build,
    parameters=(ledger.WEEKS,),
)
