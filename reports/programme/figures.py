"""Figures of the programme: posture, the queue of gaps, where risk gathers, control health, incidents."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Expression, First, Percentile, Score, Share, Sum, WeightedMean
from engine.model.figures.figure import Figure
from engine.model.vocabulary import SEVERITIES, Better
from reports.programme.activity.incident_days import incident_days, incidents_in_maintenance
from reports.programme.activity.incident_families import incident_families
from reports.programme.board.targets import ready_by
from reports.programme.health.health import families, health_parts, total
from reports.programme.posture.posture import components, overall
from reports.programme.posture.steps import closings, steps
from reports.programme.risk.heat import severity_by_framework

TOP = 10  # steps and gaps that are added up

QUEUE = (
    Figure(
        "quick_wins",
        "Quick wins",
        "count",
        "neither",
        "Open gaps that at most {quick_win_hours} hours of work close and that unlock at least {quick_win_leverage} "
        "requirements.",
        "gaps",
        Count(),
        pl.col("quick_win"),
        "{effort_hours} h unlock {leverage} requirements",
    ),
    Figure(
        "quick_wins_hours",
        "Hours to close the quick wins",
        "hours",
        "neither",
        "Hours of work to close the quick wins.",
        "gaps",
        Sum("effort_hours"),
        pl.col("quick_win"),
    ),
    Figure(
        "gaps_without_runbook",
        "Open gaps without runbook",
        "count",
        "less",
        "Open gaps that no runbook fits: they need one written.",
        "gaps",
        Count(),
        pl.col("runbook").is_null(),
        "{severity}, no runbook",
    ),
    Figure(
        "gaps_blocked",
        "Open gaps whose remediation is blocked",
        "count",
        "less",
        "Open gaps whose remediation waits for something else.",
        "gaps",
        Count(),
        pl.col("status") == "blocked",
        "blocked by {blocked_by}",
    ),
)

_GAPS = pl.col("total")
HEAT = (
    Figure(
        "gap_concentration_hhi",
        "Concentration of gaps",
        "ratio",
        "neither",
        "Herfindahl index: the sum of the squared shares of the frameworks in all open gaps, which is their mean "
        "share weighted by gaps. 1: all gaps are in one framework; spread evenly, it is 1 divided by their number.",
        severity_by_framework,
        WeightedMean(_GAPS / _GAPS.sum(), _GAPS),
        _GAPS > 0,
        "{share_pct} % of all gaps",
    ),
)

TARGETS = (
    Figure(
        "targets_that_do_not_hold",
        "Target dates that do not hold",
        "count",
        "less",
        "Frameworks with a target date within a year whose controls will not all be effective on that day if "
        "nothing is done until then.",
        ready_by,
        Count(),
        pl.col("not_effective") > 0,
        "{not_effective} controls will not be effective on {target_on}",
    ),
)

_BEFORE = "{score} now, {before_score} in the snapshot of {before_on}"
POSTURE = (
    Figure(
        "posture_score",
        "Posture score",
        "points",
        "more",
        "Weighted mean of readiness, freshness, attestations, vendors, remediations and operations, 0 to 100; the "
        "weight of a component without data is shared among the others.",
        "posture",
        Score(),
        reason="{title}: {explanation}",
    ),
    Figure(
        "posture_grade",
        "Grade of the posture",
        "word",
        "neither",
        "A from 90, B from 80, C from 70, D from 60, else F; insufficient data below {coverage_min_pct} % coverage.",
        overall,
        First("grade"),
        reason="{score} over {assessed} of {applicable} applicable controls with evidence",
    ),
    Figure(
        "posture_change",
        "Change of the posture score",
        "points",
        "more",
        "Points that the posture score moved since the last snapshot before {period_start}; not told where a component "
        "of then has no data now, which is a break of the series and no rise.",
        overall,
        First("change"),
        reason=_BEFORE,
        comparison=True,
    ),
    Figure(
        "posture_before_score",
        "Posture score before the period",
        "points",
        "more",
        "The posture score in the last snapshot before {period_start}, as it was computed then.",
        overall,
        First("before_score"),
        reason=_BEFORE,
        comparison=True,
    ),
    Figure(
        "posture_series_breaks",
        "Posture components that appeared or disappeared",
        "count",
        "neither",
        "Components of the posture score that have data either now or in the last snapshot before {period_start}, "
        "not both: with them, the change is not like for like.",
        components,
        Count(),
        pl.col("series_break"),
        "{title}: {explanation}",
    ),
)

_ALONE = "{action}: {points} points alone, {added} after those before it"
RAISES = (
    *(
        Figure(
            f"gaps_top_{word}_points",
            f"Points of the {word} gaps that add most",
            "points",
            "neither",
            f"Posture points gained when the {word} open gaps that add most are closed.",
            closings,
            Sum("added"),
            pl.col("rank") <= number,
            _ALONE,
        )
        for word, number in (("three", 3), ("ten", TOP))
    ),
    Figure(
        "gaps_all_points",
        "Points of all open gaps",
        "points",
        "neither",
        "Posture points gained when all open gaps are closed, with their signatures and by the dates of their "
        "remediations.",
        closings,
        Sum("added"),
        reason=_ALONE,
    ),
    Figure(
        "steps_top_ten_points",
        "Points of the ten best steps",
        "points",
        "neither",
        "Posture points gained when the ten steps are done that add most points per hour of effort, whatever "
        "component they raise.",
        steps,
        Sum("added"),
        pl.col("rank") <= TOP,
        "{action}",
    ),
    Figure(
        "steps_top_ten_hours",
        "Hours of the ten best steps",
        "hours",
        "neither",
        "Effort of the ten steps that add most posture points per hour, as far as it is known.",
        steps,
        Sum("effort_hours"),
        pl.col("rank") <= TOP,
        "{action}",
    ),
)

_FAMILY = "{framework_name} {group_title}: {health}, {coverage_pct} % with evidence"
_COLOURS: dict[str, tuple[str, Better, str]] = {
    "red": ("red", "less", "whose health is below {rag_amber}"),
    "amber": ("amber", "neither", "whose health is at least {rag_amber} and below {rag_green}"),
    "green": ("green", "more", "whose health is at least {rag_green}"),
    "insufficient_data": ("without rating", "less", "that have no rating"),
}
HEALTH = (
    Figure(
        "control_health",
        "Control health",
        "points",
        "more",
        "Of 0 to 100, over all applicable controls: 40 % state by weight of the control, 25 % evidence in its "
        "window, 15 % complete ownership, 10 % tests passed, 10 % no open exception; unknown without evidence.",
        health_parts,
        Score(),
        reason="{title}: {value} %",
    ),
    Figure(
        "control_health_rating",
        "Rating of the control health",
        "word",
        "neither",
        "Green from {rag_green}, amber from {rag_amber}, else red; insufficient data below {coverage_min_pct} % "
        "coverage.",
        total,
        First("rag"),
        reason="{health} over {controls} controls, {coverage_pct} % covered",
    ),
    Figure(
        "control_state_change",
        "Change of the state of controls known then",
        "points",
        "more",
        "Points that the state component of the control health moved since the last observation before "
        "{period_start}, over the controls known then; not told if under half are.",
        total,
        First("state_change"),
        reason="{controls} applicable controls",
        comparison=True,
    ),
    Figure(
        "control_families",
        "Control families",
        "count",
        "neither",
        "Families of the frameworks in scope that have an applicable control.",
        families,
        Count(),
        reason=_FAMILY,
    ),
    *(
        Figure(
            f"control_families_{colour}",
            f"Control families {title}",
            "count",
            better,
            f"Control families {meaning}; below {{coverage_min_pct}} % coverage a family has no rating.",
            families,
            Count(),
            pl.col("rag") == colour,
            _FAMILY,
        )
        for colour, (title, better, meaning) in _COLOURS.items()
    ),
)


def _opened_in_period(severity: str | None = None) -> Expression:
    bad = pl.lit(True) if severity is None else pl.col("severity") == severity
    return lambda ask: bad & pl.col("opened_on").is_between(ask.period_start, ask.as_of)


def _resolutions(ask: Ask) -> pl.Expr:
    return pl.col("resolved_on").is_between(ask.period_start, ask.as_of)


def _proposals_in_period(ask: Ask) -> pl.Expr:
    return (pl.col("parent_state") == "proposed") & pl.col("opened_on").is_between(ask.period_start, ask.as_of)


def _on_call_in_period(state: str | None = None) -> Expression:
    known = pl.col("on_call").is_not_null() if state is None else pl.col("on_call") == state
    return lambda ask: known & pl.col("opened_on").is_between(ask.period_start, ask.as_of)


def _maintenance_in_period(state: str) -> Expression:
    of_state = pl.col("maintenance_state") == state
    return lambda ask: of_state & pl.col("opened_on").is_between(ask.period_start, ask.as_of)


INCIDENTS = (
    Figure(
        "incidents_opened_in_period",
        "Incidents opened in the period",
        "count",
        "less",
        "Incidents that were opened from {period_start} to {as_of}, in the organization's days, whatever became of "
        "them.",
        incident_days,
        Count(),
        _opened_in_period(),
        "{severity}, opened on {opened_on}",
    ),
    *(
        Figure(
            f"incidents_{severity}_in_period",
            f"Incidents opened in the period, {severity}",
            "count",
            "less",
            f"Incidents of severity {severity} that were opened from {{period_start}} to {{as_of}}.",
            incident_days,
            Count(),
            _opened_in_period(severity),
            "{severity}, opened on {opened_on}",
        )
        for severity in SEVERITIES
    ),
    Figure(
        "incidents_resolved_in_period",
        "Incidents resolved in the period",
        "count",
        "neither",
        "Incidents that were resolved from {period_start} to {as_of}, whenever they were opened.",
        incident_days,
        Count(),
        _resolutions,
        "resolved on {resolved_on}",
    ),
    Figure(
        "incident_median_hours_to_restore",
        "Median time to restore",
        "hours",
        "less",
        "Median, by nearest rank, of the hours from opening to resolution of the incidents that were resolved from "
        "{period_start} to {as_of}.",
        incident_days,
        Percentile(pl.col("minutes_to_resolve") / 60),
        _resolutions,
        "opened on {opened_on}, resolved on {resolved_on}",
    ),
    Figure(
        "incident_families_opened_in_period",
        "Incident families opened in the period",
        "count",
        "less",
        "Families of incidents whose first incident was opened from {period_start} to {as_of}: incidents of one "
        "confirmed cause count once, an incident without relations is a family of one. Proposed families do not count.",
        incident_families,
        Count(),
        _opened_in_period(),
        "{members} incidents, opened on {opened_on}",
    ),
    Figure(
        "incident_family_median_hours_to_restore",
        "Median time to restore by family",
        "hours",
        "less",
        "Median, by nearest rank, of the hours from the earliest opening to the last resolution of the families of "
        "incidents whose last was resolved from {period_start} to {as_of}.",
        incident_families,
        Percentile(pl.col("minutes_to_resolve") / 60),
        _resolutions,
        "{members} incidents, opened on {opened_on}, resolved on {resolved_on}",
    ),
    Figure(
        "incidents_proposed_for_families",
        "Incidents proposed for a family",
        "count",
        "neither",
        "Incidents opened from {period_start} to {as_of} that are proposed as part of a family and that nobody "
        "confirmed yet; they count as incidents and as families of their own.",
        incident_days,
        Count(),
        _proposals_in_period,
        "proposed under {parent_id}, opened on {opened_on}",
    ),
    Figure(
        "incident_median_minutes_to_acknowledge",
        "Median time to acknowledge",
        "minutes",
        "less",
        "Median, by nearest rank, of the minutes from opening to acknowledgement of the incidents that were opened "
        "from {period_start} to {as_of} and acknowledged.",
        incident_days,
        Percentile("minutes_to_acknowledge"),
        _opened_in_period(),
        "acknowledged after {minutes_to_acknowledge} minutes, opened on {opened_on}",
    ),
    Figure(
        "acknowledged_on_call_pct",
        "Acknowledged by somebody on duty, in time",
        "percent",
        "more",
        "Share of the incidents opened from {period_start} to {as_of} that somebody who was on duty then acknowledged "
        "within {acknowledge_minutes} minutes. What nobody took, somebody else took or began with nobody on duty "
        "counts as not; not known without a shift on record.",
        incident_days,
        Share(pl.col("on_call") == "in_time"),
        _on_call_in_period(),
        "{on_call}, opened on {opened_on}",
    ),
    Figure(
        "acknowledged_on_call_recorded_late",
        "On duty by shifts recorded afterwards",
        "count",
        "neither",
        "Of the incidents opened from {period_start} to {as_of} that somebody on duty acknowledged in time those whose "
        "shifts were all recorded after that: that they were on duty is what was said later.",
        incident_days,
        Count(),
        lambda ask: pl.col("on_call_recorded_late") & pl.col("opened_on").is_between(ask.period_start, ask.as_of),
        "its shift was recorded afterwards, opened on {opened_on}",
    ),
    Figure(
        "incidents_with_nobody_on_duty",
        "Incidents with nobody on duty",
        "count",
        "less",
        "Incidents opened from {period_start} to {as_of} while nobody was on duty for their service by the shifts on "
        "record, and that nobody on duty took later.",
        incident_days,
        Count(),
        _on_call_in_period("nobody_on_duty"),
        "nobody on duty, opened on {opened_on}",
    ),
    Figure(
        "incidents_in_planned_maintenance",
        "Incidents in planned maintenance",
        "count",
        "neither",
        "Incidents opened from {period_start} to {as_of} in a window of maintenance that had been recorded before it "
        "began; they are in no other figure of incidents.",
        incidents_in_maintenance,
        Count(),
        _maintenance_in_period("planned"),
        "{maintenance_id}: {maintenance_reason}, opened on {opened_on}",
    ),
    Figure(
        "incidents_maintenance_declared_late",
        "Incidents whose maintenance was declared after the fact",
        "count",
        "less",
        "Incidents opened from {period_start} to {as_of} in a window of maintenance that was recorded, or made wider, "
        "after it began; they count like any other.",
        incidents_in_maintenance,
        Count(),
        _maintenance_in_period("declared_late"),
        "{maintenance_id}: {maintenance_reason}, opened on {opened_on}",
    ),
    Figure(
        "alert_transit_p95_minutes",
        "Transit of alerts, 95th percentile",
        "minutes",
        "less",
        "95th percentile, by nearest rank, of the minutes from the sender's trigger to when the console heard of it, "
        "over the incidents that were opened from {period_start} to {as_of} and whose hearing is recorded.",
        incident_days,
        Percentile("minutes_in_transit", 95),
        _opened_in_period(),
        "heard {minutes_in_transit} minutes after the trigger, opened on {opened_on}",
    ),
)

FIGURES = (*INCIDENTS, *HEALTH, *POSTURE, *RAISES, *QUEUE, *TARGETS, *HEAT)
