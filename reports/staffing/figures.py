"""Figures of staffing: actions from proposal to completion, reminders, breaches of the SLA, escalations, proposals."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Distinct, Maximum, Percentile, Ratio, Share, Sum
from engine.model.figures.figure import Figure
from engine.model.vocabulary import OPEN_STAFFING, Better
from reports.capacity import proposals
from reports.staffing import breaches, reminders, wording

NEWS_DAYS = 7
STATUS, STANDING = pl.col("status"), pl.col("standing")
TAKEN_UP, COMPLETED, ON_TIME = STATUS != "proposed", STATUS == "completed", STANDING == "done_on_time"
JUDGED = STANDING.is_in(["done_on_time", "done_late", "done_undated", "breached"])
RECORDED = COMPLETED & pl.col("relief_actual_hours").is_not_null()
TOOK = (pl.col("completed_on") - pl.coalesce("tracked_on", "proposed_on")).dt.total_days()
_STANDS = "{status}, {standing}"
_RELIEF = "{relief_actual_hours} of {relief_hours} hours came"
_LATE = "due by {sla_due_on}, {breach_days} business days over"


def _lately(ask: Ask) -> pl.Expr:
    return COMPLETED & (pl.lit(ask.as_of) - pl.col("completed_on") < pl.duration(days=NEWS_DAYS))


STATUSES: Mapping[str, tuple[Better, str]] = {
    "tracked": ("neither", "that were taken up and whose peak week has not begun"),
    "open": ("neither", "that were taken up, whose peak week has begun, and that are not completed"),
    "completed": ("more", "that are completed"),
}
ACTIONS = (
    Figure(
        "staffing_actions_recorded",
        "Staffing actions recorded",
        "count",
        "neither",
        "Staffing actions of any status, one for each peak week, kind and relieved owner.",
        "staffing_actions",
        Count(),
        reason=_STANDS,
    ),
    Figure(
        "staffing_actions_proposed",
        "Staffing actions not taken up",
        "count",
        "neither",
        "Staffing actions that are proposed and that nobody has taken up, those included whose peak week is over.",
        "staffing_actions",
        Count(),
        STATUS == "proposed",
        _STANDS,
    ),
    Figure(
        "staffing_actions_awaiting",
        "Staffing actions to take up",
        "count",
        "neither",
        "Staffing actions that are proposed and whose peak week is not over.",
        "staffing_actions",
        Count(),
        STANDING == "proposed",
        _STANDS,
    ),
    Figure(
        "staffing_awaiting_hours",
        "Relief of staffing actions to take up",
        "hours",
        "neither",
        "Hours by which the actions to take up would relieve their owners.",
        "staffing_actions",
        Sum("relief_hours"),
        STANDING == "proposed",
        _STANDS,
    ),
    Figure(
        "staffing_actions_lapsed",
        "Staffing actions lapsed",
        "count",
        "less",
        "Staffing actions that nobody took up before their peak week was over.",
        "staffing_actions",
        Count(),
        STANDING == "lapsed",
        "proposed on {proposed_on}, week ended {week_end_on}",
    ),
    Figure(
        "staffing_actions_taken_up",
        "Staffing actions taken up",
        "count",
        "neither",
        "Staffing actions that are tracked, open or completed.",
        "staffing_actions",
        Count(),
        TAKEN_UP,
        _STANDS,
    ),
    *(
        Figure(
            f"staffing_actions_{status}",
            f"Staffing actions {status}",
            "count",
            better,
            f"Staffing actions {meaning}.",
            "staffing_actions",
            Count(),
            pl.col("status") == status,
            _STANDS,
        )
        for status, (better, meaning) in STATUSES.items()
    ),
    Figure(
        "staffing_actions_unfinished",
        "Staffing actions unfinished",
        "count",
        "less",
        "Staffing actions that were taken up and are not completed.",
        "staffing_actions",
        Count(),
        STATUS.is_in(OPEN_STAFFING),
        _STANDS,
    ),
    Figure(
        "staffing_completion_pct",
        "Completion of staffing actions",
        "percent",
        "more",
        "Completed staffing actions as a share of those that were taken up.",
        "staffing_actions",
        Share(COMPLETED),
        TAKEN_UP,
        _STANDS,
    ),
    Figure(
        "staffing_actions_on_time",
        "Staffing actions completed on time",
        "count",
        "more",
        "Staffing actions completed at most {staffing_sla_days} business days after their peak week.",
        "staffing_actions",
        Count(),
        ON_TIME,
        "due by {sla_due_on}, completed on {completed_on}",
    ),
    Figure(
        "staffing_actions_breached",
        "Staffing actions past the SLA",
        "count",
        "less",
        "Staffing actions that were taken up and are not completed more than {staffing_sla_days} business days "
        "after their peak week.",
        "staffing_actions",
        Count(),
        STANDING == "breached",
        _LATE,
    ),
    Figure(
        "staffing_actions_judged",
        "Staffing actions judged by the SLA",
        "count",
        "neither",
        "Staffing actions that were completed or are past the SLA; one completed on no recorded day is not on time.",
        "staffing_actions",
        Count(),
        JUDGED,
        _STANDS,
    ),
    Figure(
        "staffing_on_time_pct",
        "Punctuality of staffing actions",
        "percent",
        "more",
        "Staffing actions completed on time, as a share of those completed and those past the SLA; completed on no "
        "recorded day is not on time.",
        "staffing_actions",
        Share(ON_TIME),
        JUDGED,
        _STANDS,
    ),
    Figure(
        "staffing_actions_past_peak",
        "Staffing actions due next by the SLA",
        "count",
        "neither",
        "Unfinished staffing actions whose peak week is over and that are still within the SLA.",
        "staffing_actions",
        Count(),
        STANDING == "past_peak",
        "due by {sla_due_on}",
    ),
    Figure(
        "staffing_relief_planned_hours",
        "Relief planned",
        "hours",
        "neither",
        "Hours of relief planned of the completed staffing actions whose relief is recorded.",
        "staffing_actions",
        Sum("relief_hours"),
        RECORDED,
        _RELIEF,
    ),
    Figure(
        "staffing_relief_actual_hours",
        "Relief that came",
        "hours",
        "more",
        "Hours of relief that came of the completed staffing actions whose relief is recorded.",
        "staffing_actions",
        Sum("relief_actual_hours"),
        RECORDED,
        _RELIEF,
    ),
    Figure(
        "staffing_relief_realised_pct",
        "Relief realised",
        "percent",
        "more",
        "Hours of relief that came as a share of those planned, of completed actions whose relief is recorded.",
        "staffing_actions",
        Ratio("relief_actual_hours", "relief_hours"),
        RECORDED,
        _RELIEF,
    ),
    Figure(
        "staffing_completion_median_days",
        "Days to complete a staffing action, median",
        "days",
        "less",
        "Days from taking up (else proposing) an action to its completion: the median by nearest rank.",
        "staffing_actions",
        Percentile(TOOK),
        COMPLETED,
        "taken up {tracked_on}, completed {completed_on}",
    ),
    Figure(
        "staffing_actions_completed_lately",
        "Staffing actions completed in the last week",
        "count",
        "more",
        f"Staffing actions completed within the {NEWS_DAYS} days up to {{as_of}}.",
        "staffing_actions",
        Count(),
        _lately,
        "completed on {completed_on}",
    ),
    Figure(
        "staffing_last_rollup_on",
        "Last staffing rollup",
        "date",
        "neither",
        "The day of the last rollup mail that named an action which is still recorded.",
        "staffing_actions",
        Maximum("last_rollup_on"),
        reason="named on {last_rollup_on}",
    ),
    Figure(
        "staffing_relief_unrecorded",
        "Staffing actions completed without record of relief",
        "count",
        "less",
        "Completed staffing actions whose relief nobody recorded.",
        "staffing_actions",
        Count(),
        COMPLETED & pl.col("relief_actual_hours").is_null(),
        "completed on {completed_on}",
    ),
    Figure(
        "staffing_actions_undated",
        "Staffing actions completed on an unknown day",
        "count",
        "less",
        "Completed staffing actions without a day of completion: neither on time nor late.",
        "staffing_actions",
        Count(),
        STANDING == "done_undated",
        _STANDS,
    ),
    Figure(
        "staffing_actions_unproven",
        "Staffing actions completed without evidence",
        "count",
        "less",
        "Completed staffing actions for which no evidence is recorded.",
        "staffing_actions",
        Count(),
        COMPLETED & pl.col("evidence").is_null(),
        "completed on {completed_on}",
    ),
)

_PAST = "week ended {week_end_on}, {days_past} days past"
OWED = pl.col("owed")
REMINDERS = (
    Figure(
        "staffing_actions_after_peak",
        "Staffing actions unfinished after their peak week",
        "count",
        "less",
        "Staffing actions that were taken up, are not completed, and whose peak week is over.",
        reminders.after_peak,
        Count(),
        reason=_PAST,
    ),
    Figure(
        "staffing_reminders_owed",
        "Staffing reminders owed",
        "count",
        "less",
        "Actions unfinished after their peak week of which a reminder is owed now.",
        reminders.after_peak,
        Count(),
        OWED,
        "reminder {step} owed on {owed_on}",
    ),
    Figure(
        "staffing_reminders_late",
        "Staffing reminders owed late",
        "count",
        "less",
        "Reminders owed now whose day has passed.",
        reminders.after_peak,
        Count(),
        OWED & pl.col("late"),
        "reminder {step} owed on {owed_on}",
    ),
    Figure(
        "staffing_reminders_to_accountable",
        "Staffing reminders to who is accountable",
        "count",
        "less",
        f"Reminders owed now that are number {reminders.LAST}, so that who is accountable is told too.",
        reminders.after_peak,
        Count(),
        OWED & (pl.col("step") == reminders.LAST),
        "reminder {step}; accountable: {accountable}, chair: {chair}",
    ),
    Figure(
        "staffing_reminders_unanswered",
        "Staffing reminders with nobody accountable",
        "count",
        "less",
        f"Reminders owed now that are number {reminders.LAST}, of actions with neither somebody accountable nor a "
        "chair.",
        reminders.after_peak,
        Count(),
        OWED & (pl.col("step") == reminders.LAST) & wording.accountable().is_null(),
        "reminder {step}",
    ),
    Figure(
        "staffing_reminders_not_owed",
        "Staffing actions past their week without a reminder owed",
        "count",
        "neither",
        "Actions unfinished after their peak week of which no reminder is owed now.",
        reminders.after_peak,
        Count(),
        ~OWED,
        "last reminder {last_reminder_on}, next {next_on}",
    ),
    Figure(
        "staffing_reminder_recipients",
        "People owed a staffing reminder",
        "count",
        "neither",
        "People to whom a reminder is owed now; nobody is not counted.",
        reminders.recipients,
        Distinct("recipient"),
        reason="reminder {step} about {what}",
    ),
)

_ESCALATE = pl.col("escalate")
_TOLD = "named in the rollup of {breach_told_on}, {breach_days} business days over"
BREACHES = (
    *(
        Figure(
            f"staffing_breaches_{severity}",
            f"Staffing actions past the SLA, {severity}",
            "count",
            "less",
            f"Staffing actions past the SLA by {span} business days.",
            breaches.breaches,
            Count(),
            pl.col("severity") == severity,
            _LATE,
        )
        for severity, span in breaches.SPANS.items()
    ),
    Figure(
        "staffing_breaches_blocked",
        "Staffing actions past the SLA and blocked",
        "count",
        "less",
        "Staffing actions past the SLA of which somebody said what blocks them.",
        breaches.breaches,
        Count(),
        pl.col("blocked_reason").is_not_null(),
        "blocked: {blocked_reason}",
    ),
    Figure(
        "staffing_relief_outstanding_hours",
        "Relief outstanding past the SLA",
        "hours",
        "less",
        "Hours of relief planned of the staffing actions past the SLA.",
        breaches.breaches,
        Sum("relief_hours"),
        reason=_LATE,
    ),
    Figure(
        "staffing_breaches_unanswered",
        "Staffing actions past the SLA with nobody accountable",
        "count",
        "less",
        "Staffing actions past the SLA for which nobody is accountable.",
        breaches.breaches,
        Count(),
        pl.col("accountable").is_null(),
        _LATE,
    ),
    Figure(
        "staffing_breaches_owner_left",
        "Staffing actions past the SLA whose owner has left",
        "count",
        "less",
        "Staffing actions past the SLA whose owner is no longer there.",
        breaches.breaches,
        Count(),
        pl.col("owner_left"),
        "{owner} has left",
    ),
)
ESCALATIONS = (
    Figure(
        "staffing_escalations",
        "Staffing actions escalated to a committee",
        "count",
        "less",
        "Staffing actions still past the SLA {escalation_delay_days} business days or more after the first rollup "
        "mail that named them as such.",
        breaches.escalation_clock,
        Count(),
        _ESCALATE,
        _TOLD,
    ),
    *(
        Figure(
            f"staffing_escalations_{severity}",
            f"Staffing actions escalated, {severity}",
            "count",
            "less",
            f"Escalated staffing actions that are past the SLA by {span} business days.",
            breaches.escalation_clock,
            Count(),
            _ESCALATE & (pl.col("severity") == severity),
            _TOLD,
        )
        for severity, span in breaches.SPANS.items()
    ),
    Figure(
        "staffing_escalation_chairs",
        "Chairs asked to decide on staffing",
        "count",
        "neither",
        "Chairs of committees with whom escalated staffing actions are.",
        breaches.escalation_clock,
        Distinct("chair"),
        _ESCALATE,
        "{chair} of {committee}",
    ),
    Figure(
        "staffing_escalations_without_chair",
        "Staffing escalations without a chair",
        "count",
        "less",
        "Escalated staffing actions for which no committee has a chair who could decide.",
        breaches.escalation_clock,
        Count(),
        _ESCALATE & pl.col("chair").is_null(),
        _TOLD,
    ),
    Figure(
        "staffing_breaches_not_escalated",
        "Staffing actions past the SLA and not escalated",
        "count",
        "less",
        "Staffing actions past the SLA that are not with a committee yet.",
        breaches.escalation_clock,
        Count(),
        ~_ESCALATE,
        "named on {breach_told_on}, escalates on {escalates_on}",
    ),
    Figure(
        "staffing_breaches_never_mailed",
        "Staffing actions past the SLA that no mail named",
        "count",
        "less",
        "Staffing actions past the SLA that no rollup mail has named, so that their clock has not begun.",
        breaches.escalation_clock,
        Count(),
        pl.col("breach_told_on").is_null(),
        _LATE,
    ),
)

_PEAK = "{shortfall_hours} hours short, {relief_hours} relieved"
_PROPOSAL = "{what}: {relief_hours} hours, {status}"
PROPOSALS = (
    Figure(
        "peak_shortfall_hours",
        "Shortfall of peak weeks",
        "hours",
        "less",
        "Hours that owners lack in peak weeks of the horizon, owner by owner.",
        proposals.peaks,
        Sum("shortfall_hours"),
        reason=_PEAK,
    ),
    Figure(
        "peak_relief_hours",
        "Relief proposed for peak weeks",
        "hours",
        "neither",
        "Hours by which the shortfall of peak weeks falls when all duties that can move do.",
        proposals.peaks,
        Sum("relief_hours"),
        reason=_PEAK,
    ),
    Figure(
        "peak_remaining_hours",
        "Hours of peak weeks to borrow",
        "hours",
        "less",
        "Hours that owners lack in peak weeks after all duties that can move did.",
        proposals.peaks,
        Sum("remaining_hours"),
        reason=_PEAK,
    ),
    Figure(
        "staffing_proposals",
        "Staffing proposals",
        "count",
        "neither",
        "Actions that would relieve the peak weeks of the horizon, one for each week, kind and owner, recorded "
        "before or not.",
        proposals.proposal_rows,
        Count(),
        reason=_PROPOSAL,
    ),
    Figure(
        "staffing_proposals_new",
        "Staffing proposals that are new",
        "count",
        "neither",
        "Staffing proposals that are not recorded yet.",
        proposals.proposal_rows,
        Count(),
        STATUS == proposals.NEW,
        _PROPOSAL,
    ),
    *(
        Figure(
            f"staffing_proposals_{kind}",
            f"Staffing proposals: {wording.KIND_NAMES[kind].lower()}",
            "count",
            "neither",
            f"Staffing proposals of this kind: {wording.KIND_NAMES[kind].lower()}.",
            proposals.proposal_rows,
            Count(),
            pl.col("kind") == kind,
            _PROPOSAL,
        )
        for kind in proposals.PROPOSED_KINDS
    ),
)

FIGURES = (*ACTIONS, *REMINDERS, *BREACHES, *ESCALATIONS, *PROPOSALS)
