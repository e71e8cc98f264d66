"""Figures of activity, of packs side by side, of weeks and of reference programmes: what moves, and beside what."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Expression, First, Maximum, Ratio, Share, Sum, WeightedMean
from engine.model.figures.figure import Figure
from reports.programme.activity.activity import control_activity
from reports.programme.packs.pack_rows import frameworks_in_scope, pack_rows
from reports.programme.trends import kpi_weeks

_COVERED = pl.col("covered")
_OURS = pl.col("bookkeeping").fill_null(False)
_UNTAGGED = pl.col("events") - pl.col("tagged_events")
_SEEN = "{in_period} events in the period, accepted policy since {policy_since}"
ACTIVITY = (
    Figure(
        "activity_pct",
        "Controls with activity, share",
        "percent",
        "more",
        "Applicable controls of SOC 2 and ISO 27001 that an event of the audit log supports from {period_start} to "
        "{as_of}, or that an accepted policy is about, as a share of the applicable ones. A control with activity "
        "may still fail.",
        control_activity,
        Share("covered"),
        reason=_SEEN,
    ),
    Figure(
        "controls_active",
        "Controls with activity",
        "count",
        "more",
        "Applicable controls of SOC 2 and ISO 27001 with a supporting event of the audit log, a signature "
        "included, in the period, or with an accepted policy.",
        control_activity,
        Count(),
        _COVERED,
        _SEEN,
    ),
    Figure(
        "activity_controls",
        "Controls of SOC 2 and ISO 27001",
        "count",
        "neither",
        "Applicable controls of those of SOC 2 and ISO 27001 that are in scope.",
        control_activity,
        Count(),
        reason=_SEEN,
    ),
    Figure(
        "activity_change",
        "Change of controls with activity",
        "points",
        "neither",
        "Percentage points that the share of controls with activity moved against the period of the same length "
        "before; not known where the records of a framework begin later.",
        control_activity,
        WeightedMean(100 * (_COVERED.cast(pl.Int64) - pl.col("covered_before").cast(pl.Int64))),
        pl.col("records_reach_back").all(),
        "activity now: {covered}, in the period before: {covered_before}",
        comparison=True,
    ),
    Figure(
        "controls_inactive",
        "Controls without activity",
        "count",
        "less",
        "Applicable controls of SOC 2 and ISO 27001 without a supporting event of the audit log in the period and "
        "without an accepted policy.",
        control_activity,
        Count(),
        ~_COVERED,
        "last evidence on {last_evidence_on}",
    ),
    Figure(
        "activity_newest_at",
        "Newest event of a control",
        "instant",
        "neither",
        "When the newest event of the audit log that supports a control of SOC 2 or ISO 27001 happened.",
        control_activity,
        Maximum("newest_event_at"),
    ),
    Figure(
        "audit_events_in_period",
        "Events of the audit log",
        "count",
        "neither",
        "Events of the audit log from {period_start} to {as_of}.",
        "audit_actions",
        Sum("events"),
        pl.col("events") > 0,
        "{events} times {action}",
    ),
    Figure(
        "audit_events_attributable",
        "Events of the audit log, without bookkeeping",
        "count",
        "neither",
        "Events of the audit log in the period, without the product's own bookkeeping, such as exports and deliveries: "
        "those of which a share maps to no control.",
        "audit_actions",
        Sum("events"),
        (pl.col("events") > 0) & ~_OURS,
        "{events} times {action}",
    ),
    Figure(
        "audit_events_untagged",
        "Events without a control",
        "count",
        "less",
        "Events of the audit log in the period whose action maps to no control in scope, without the product's own "
        "bookkeeping, such as exports and deliveries.",
        "audit_actions",
        Sum(_UNTAGGED),
        (_UNTAGGED > 0) & ~_OURS,
        "{action}: {tagged_events} of {events} events map to a control",
    ),
    Figure(
        "audit_events_untagged_pct",
        "Events without a control, share",
        "percent",
        "neither",
        "Events of the audit log in the period whose action maps to no control in scope, as a share of all of its "
        "events in the period; the product's own bookkeeping is in neither.",
        "audit_actions",
        Ratio(_UNTAGGED, "events"),
        (pl.col("events") > 0) & ~_OURS,
        "{action}: {tagged_events} of {events} events map to a control",
    ),
)

PACKS = (
    Figure(
        "packs_in_scope",
        "Frameworks in scope, the POA&M counted",
        "count",
        "neither",
        "Framework packs that the organization follows, the FedRAMP POA&M included.",
        frameworks_in_scope,
        Count(),
        reason="{name} is followed",
    ),
    Figure(
        "packs_improved",
        "Frameworks that improved",
        "count",
        "more",
        "Packs whose weighted readiness is higher than in the last snapshot before {period_start}; not known where "
        "none has such a snapshot.",
        pack_rows,
        Sum((pl.col("weighted_change") > 0).cast(pl.Int64), known_without_rows=False),
        pl.col("weighted_change").is_not_null(),
        "{name} at {weighted_pct} now, {prior_weighted_pct} on {prior_on}",
    ),
    Figure(
        "packs_declined",
        "Frameworks that declined",
        "count",
        "less",
        "Packs whose weighted readiness is lower than in the last snapshot before {period_start}; not known where "
        "none has such a snapshot.",
        pack_rows,
        Sum((pl.col("weighted_change") < 0).cast(pl.Int64), known_without_rows=False),
        pl.col("weighted_change").is_not_null(),
        "{name} at {weighted_pct} now, {prior_weighted_pct} on {prior_on}",
    ),
)

_PACE = "{still_open} open; {closed_whole} closed and {opened_whole} opened in {whole_weeks} whole weeks"
_AS_RECORDED = "{framework} in the snapshot of {taken_on}"


def _in_weeks(column: str) -> Expression:
    return lambda ask: pl.col(column).is_between(kpi_weeks.first_on(ask), ask.as_of)


def _still_open(ask: Ask) -> pl.Expr:
    return (pl.col("opened_on") <= ask.as_of) & ~(pl.col("closed_on") <= ask.as_of).fill_null(False)


WEEKS = (
    Figure(
        "trend_weeks",
        "Weeks shown",
        "count",
        "neither",
        "Weeks from Monday to Sunday up to that of the report's day, the present one included.",
        kpi_weeks.weekly,
        Count(),
        reason="{week}, from {week_start_on}",
    ),
    Figure(
        "trend_weeks_recorded",
        "Weeks with a snapshot",
        "count",
        "more",
        "Weeks shown in which a snapshot of readiness was recorded.",
        kpi_weeks.weekly,
        Count(),
        pl.col("weighted_pct").is_not_null(),
        "{week} has a snapshot",
    ),
    Figure(
        "remediations_opened_in_weeks",
        "Remediations opened in the weeks shown",
        "count",
        "less",
        "Tracked remediations that were opened in the weeks shown, up to {as_of}.",
        "remediations",
        Count(),
        _in_weeks("opened_on"),
    ),
    Figure(
        "remediations_closed_in_weeks",
        "Remediations closed in the weeks shown",
        "count",
        "more",
        "Tracked remediations that were closed in the weeks shown, up to {as_of}.",
        "remediations",
        Count(),
        _in_weeks("closed_on"),
    ),
    Figure(
        "remediations_net_in_weeks",
        "Growth of the backlog of remediations, this week included",
        "count",
        "less",
        "Remediations opened less those closed in the weeks shown.",
        kpi_weeks.weekly,
        Sum("net"),
        pl.col("net").is_not_null(),
        "{week}: {opened} opened, {closed} closed",
    ),
    Figure(
        "remediations_net_weekly",
        "Growth of the backlog a week, over whole weeks",
        "ratio",
        "less",
        "Mean of remediations opened less those closed over the whole weeks shown, from the first on record; below 0 "
        "where the backlog shrinks.",
        kpi_weeks.weekly,
        WeightedMean("net"),
        pl.col("net").is_not_null() & pl.col("complete"),
        "{week}: {opened} opened, {closed} closed",
    ),
    Figure(
        "remediations_open",
        "Remediations open",
        "count",
        "less",
        "Tracked remediations that were opened up to {as_of} and not closed by then.",
        "remediations",
        Count(),
        _still_open,
        "open since {opened_on}",
    ),
    Figure(
        "remediations_backlog",
        "Course of the backlog over whole weeks",
        "word",
        "neither",
        "Whether more remediations were closed than opened in whole weeks (shrinking), as many (steady) or fewer "
        "(growing); clear where none is open.",
        kpi_weeks.backlog_pace,
        First("course"),
        reason=_PACE,
    ),
    Figure(
        "weeks_to_clear",
        "Weeks to clear the backlog",
        "weeks",
        "less",
        "Remediations still open, divided by how many more were closed than opened in a whole week on average; unknown "
        "where no more are closed than opened.",
        kpi_weeks.backlog_pace,
        First("weeks_to_clear"),
        reason=_PACE,
    ),
    Figure(
        "snapshot_strict_mean_pct",
        "Strict readiness last, mean of frameworks",
        "percent",
        "more",
        "Mean over the frameworks, each counting the same, of strict readiness in the last week with a snapshot.",
        kpi_weeks.newest_snapshots,
        WeightedMean("strict_pct"),
        reason=_AS_RECORDED,
    ),
    Figure(
        "snapshot_weighted_mean_pct",
        "Weighted readiness last, mean of frameworks",
        "percent",
        "more",
        "Mean over the frameworks, each counting the same, of weighted readiness in the last week with a snapshot.",
        kpi_weeks.newest_snapshots,
        WeightedMean("weighted_pct"),
        reason=_AS_RECORDED,
    ),
    Figure(
        "snapshot_weighted_mean_change",
        "Change of recorded weighted readiness, mean of frameworks",
        "points",
        "more",
        "Percentage points that the mean of weighted readiness over the frameworks moved from the first to "
        "the last week with a snapshot by today's formula.",
        kpi_weeks.readiness_course,
        First(pl.col("last_pct") - pl.col("first_pct")),
        reason="{first_pct} in {first_week}, {last_pct} in {week}",
        comparison=True,
    ),
    Figure(
        "snapshot_fresh_mean_pct",
        "Fresh evidence last, mean of frameworks",
        "percent",
        "more",
        "Mean over the frameworks, each counting the same, of the share of fresh evidence in the last week with a "
        "snapshot.",
        kpi_weeks.newest_snapshots,
        WeightedMean("fresh_pct"),
        reason=_AS_RECORDED,
    ),
    Figure(
        "attestations_decided_in_week_pct",
        "Attestations decided by the end of their week",
        "percent",
        "more",
        "Attestations due in the weeks shown, up to {as_of}, that were signed or rejected by the end of the week in "
        "which they were due, as a share of those due.",
        kpi_weeks.weekly,
        Ratio("attestations_closed", "attestations_due"),
        pl.col("attestations_due") > 0,
        "{week}: {attestations_closed} of {attestations_due} decided",
    ),
)

_RECORDED_STEPS = (("weighted", "weighted readiness"), ("strict", "strict readiness"), ("fresh", "fresh evidence"))
STEPS = (
    *(
        Figure(
            f"snapshot_{name}_mean_week_change",
            f"Change of recorded {title} in a week",
            "points",
            "more",
            f"Percentage points that the mean of {title} over the frameworks moved from the week before to the present "
            "one, where both have a snapshot of the same frameworks by today's formulas.",
            kpi_weeks.week_step,
            First(pl.col(f"{name}_pct") - pl.col(f"{name}_pct_before")),
            reason=f"{{{name}_pct_before}} in {{before_week}}, {{{name}_pct}} in {{week}}",
            comparison=True,
        )
        for name, title in _RECORDED_STEPS
    ),
    Figure(
        "remediations_open_week_change",
        "Change of open remediations in a week",
        "count",
        "less",
        "Remediations open at {as_of} less those open at the end of the week before.",
        kpi_weeks.week_step,
        First(pl.col("still_open") - pl.col("still_open_before")),
        reason="{still_open_before} at the end of {before_week}, {still_open} in {week}",
        comparison=True,
    ),
)

FIGURES = (*ACTIVITY, *PACKS, *WEEKS, *STEPS)
