"""Figures of evidence: attestations and their renewal, freshness, requests of auditors, reminders."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Distinct, Maximum, Percentile, Share, Sum
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better
from reports.evidence import attestation_board, control_ages, reminder_lists, renewals, request_items, steps

_NEEDED = pl.col("applicable") & pl.col("kinds_required").list.contains("attestation")
ATTESTATIONS = (
    Figure(
        "attestations_on_board",
        "Attestations on the board",
        "count",
        "neither",
        "For each control the attestation that decides whether it is attested today, and every open one.",
        "attestations",
        Count(),
        attestation_board.ON_BOARD,
        "{status}, due {due_on}",
    ),
    Figure(
        "attestations_deciding",
        "Attestations that decide today",
        "count",
        "neither",
        "The attestations that decide whether their controls are attested today, one for each control that has any.",
        "attestations",
        Count(),
        pl.col("current"),
        "{status}, due {due_on}",
    ),
    Figure(
        "attestations_unsupported",
        "Attestations without support",
        "count",
        "less",
        "Signed attestations that decide today and were signed while the evidence of the control was stale or "
        "missing: an assessor may reject them.",
        "attestations",
        Count(),
        pl.col("current") & pl.col("unsupported"),
        "signed on {attested_on} on {evidence_freshness} evidence",
    ),
    Figure(
        "attestations_delegated",
        "Attestations delegated",
        "count",
        "neither",
        "Attestations on the board that somebody signs in place of the owner, who stays answerable.",
        "attestations",
        Count(),
        attestation_board.ON_BOARD & pl.col("delegated_to").is_not_null(),
        "delegated to {delegated_to}, due {due_on}",
    ),
    Figure(
        "controls_to_attest",
        "Controls that need an attestation",
        "count",
        "neither",
        "Applicable controls whose mandatory evidence includes an attestation.",
        "control_status",
        Count(),
        _NEEDED,
        "needs {kinds_required}",
    ),
    Figure(
        "controls_unattested",
        "Controls without an attestation in force",
        "count",
        "less",
        "Applicable controls that need an attestation and have no signature in force.",
        "control_status",
        Count(),
        _NEEDED & ~pl.col("attested"),
        "needs {kinds_required}; none is in force",
    ),
    Figure(
        "controls_without_attestation_duty",
        "Controls without an attestation duty",
        "count",
        "less",
        "Applicable controls for which no attestation was ever asked for, so that nobody is to sign.",
        attestation_board.without_duty,
        Count(),
        reason="{state}, no attestation duty",
    ),
)

_APPLICABLE, _TRUSTED = pl.col("applicable"), ~pl.col("future_dated")
_AGE = "{age_days} days old, window of {window_days} days"
_FRESHNESS: Mapping[str, tuple[Better, str, str]] = {
    "fresh": ("more", "is at most four fifths of its window old", _AGE),
    "due_soon": ("neither", "is more than four fifths of its window old and not past it", _AGE),
    "stale": ("neither", "is past its window, or older than a change of the control's text, system or policy", _AGE),
    "missing": (
        "less",
        "was never given: none of the kind that tells the freshness, operation, else test, else "
        "policy, else a signature; other evidence may exist",
        "{evidence_note}; state {state}",
    ),
}
_TITLES = {"due_soon": "in the last fifth of its window"}  # not what ends within so many days
FRESHNESS = (
    Figure(
        "controls_of_frameworks",
        "Controls of the frameworks in scope",
        "count",
        "neither",
        "Controls of the frameworks in scope, those that do not apply included.",
        "control_status",
        Count(),
        reason="applicable: {applicable}",
    ),
    Figure(
        "controls_not_applicable",
        "Controls that do not apply",
        "count",
        "neither",
        "Controls of the frameworks in scope that are excluded with justification, approver and date.",
        "control_status",
        Count(),
        ~_APPLICABLE,
        "excluded by {approved_by} on {approved_on}",
    ),
    *(
        Figure(
            f"evidence_{state}",
            f"Controls whose governing evidence is {_TITLES.get(state, state)}",
            "count",
            better,
            f"Applicable controls whose governing evidence {meaning}.",
            "control_status",
            Count(),
            _APPLICABLE & _TRUSTED & (pl.col("freshness") == state),
            reason,
        )
        for state, (better, meaning, reason) in _FRESHNESS.items()
    ),
    Figure(
        "evidence_future_dated",
        "Controls with evidence dated in the future",
        "count",
        "less",
        "Applicable controls of which some evidence is dated after the day of the report: until that is corrected, "
        "their evidence counts as neither fresh nor stale.",
        "control_status",
        Count(),
        _APPLICABLE & ~_TRUSTED,
        "some evidence is dated after the day of the report",
    ),
    Figure(
        "controls_changed_since_evidence",
        "Controls changed since their evidence",
        "count",
        "less",
        "Applicable controls whose text, system or policy changed after their governing evidence was captured.",
        "control_status",
        Count(),
        _APPLICABLE & pl.col("change_invalidated"),
        "changed after the evidence of {last_evidence_on}",
    ),
    Figure(
        "evidence_ends_in_30_days",
        "Controls of which evidence ends within 30 days",
        "count",
        "neither",
        "Applicable controls of which evidence of any kind that they need ends from {as_of} to 30 days later, if "
        "nothing is done; what renews itself is among them.",
        "evidence_endings",
        Count(),
        reason="{kinds_ending} until {ends_on}",
    ),
    Figure(
        "evidence_to_renew_in_30_days",
        "Controls of which evidence is to be renewed within 30 days",
        "count",
        "neither",
        "Applicable controls of which evidence that they need ends within 30 days and does not renew itself.",
        "evidence_endings",
        Count(),
        pl.col("by_hand_on").is_not_null(),
        "{kinds_ending}, to be renewed until {by_hand_on}",
    ),
    Figure(
        "freshness_debt_days",
        "Freshness debt",
        "days",
        "less",
        "Days by which governing evidence is older than its window, summed over the applicable controls; a policy that "
        "nobody accepted adds the days since its review fell due, at least one; a control without such evidence has no "
        "age and adds none.",
        "control_status",
        Sum(control_ages.DAYS_OVER),
        _APPLICABLE & (control_ages.DAYS_OVER > 0),
        "days: age {age_days}, window {window_days}, since the review of an unaccepted policy {unaccepted_days}",
    ),
)

_DUE = pl.col("wave").is_not_null()
_WHEN = "due {due_on}, {days_left} days left"
RENEWALS = (
    Figure(
        "renewals_in_90_days",
        "Attestations to sign within 90 days",
        "count",
        "neither",
        "Attestations of the ledger that are not signed and overdue or due within 90 days.",
        renewals.pending,
        Count(),
        _DUE,
        _WHEN,
    ),
    *(
        Figure(
            f"renewals_{wave}",
            f"Attestations to sign {text}",
            "count",
            "neither",
            f"Attestations of the ledger that are not signed and due {text}.",
            renewals.pending,
            Count(),
            pl.col("wave") == wave,
            _WHEN,
        )
        for wave, text in {
            "within_14_days": "today or within 14 days",
            "in_15_to_30_days": "in 15 to 30 days",
            "in_31_to_60_days": "in 31 to 60 days",
            "in_61_to_90_days": "in 61 to 90 days",
        }.items()
    ),
    Figure(
        "renewals_after_90_days",
        "Attestations to sign after 90 days",
        "count",
        "neither",
        "Attestations of the ledger that are not signed and due in more than 90 days.",
        renewals.pending,
        Count(),
        ~_DUE,
        _WHEN,
    ),
    Figure(
        "renewals_hours",
        "Hours to sign within 90 days",
        "hours",
        "neither",
        "Effort of the attestations of the ledger that are not signed and overdue or due within 90 days.",
        renewals.pending,
        Sum("effort_hours"),
        _DUE,
        _WHEN,
    ),
    Figure(
        "renewals_to_send",
        "Attestations to ask for now",
        "count",
        "neither",
        "Attestations overdue or due within {nudge_ahead_days} days that nobody was reminded of within the "
        "last {nudge_pause_days} days.",
        renewals.pending,
        Count(),
        pl.col("owed"),
        "due {due_on}; asked for {nudges} times before",
    ),
    Figure(
        "renewal_recipients",
        "People asked for attestations now",
        "count",
        "neither",
        "People who are asked now for attestations that are overdue or due within {nudge_ahead_days} days.",
        renewals.pending,
        Distinct("recipient"),
        pl.col("owed"),
        "{recipient}",
    ),
    Figure(
        "renewals_escalated",
        "Attestations asked for above their owner",
        "count",
        "less",
        f"Attestations within 90 days that were asked for {renewals.UNANSWERED} times without an answer, so that "
        "who is accountable is asked.",
        renewals.pending,
        Count(),
        _DUE & pl.col("escalated"),
        "asked for {nudges} times, last on {last_nudged_on}",
    ),
    Figure(
        "renewals_without_recipient",
        "Attestations with nobody to ask",
        "count",
        "less",
        "Attestations to sign within 90 days with neither an owner nor somebody accountable who is there.",
        renewals.pending,
        Count(),
        _DUE & pl.col("recipient").is_null(),
        _WHEN,
    ),
    Figure(
        "renewals_on_weak_evidence",
        "Attestations to sign on weak evidence",
        "count",
        "less",
        "Attestations to sign within 90 days whose control's evidence is stale or missing today.",
        renewals.pending,
        Count(),
        _DUE & pl.col("evidence_freshness").is_in(["stale", "missing"]),
        "evidence {evidence_freshness}, due {due_on}",
    ),
    Figure(
        "renewal_collision_weeks",
        "Weeks in which attestations collide",
        "count",
        "less",
        f"Weeks in which somebody has {renewals.CROWDED} attestations or more of several frameworks to sign, or "
        "any while all duties together use more than {utilisation_warn_pct} % of the hours available.",
        renewals.collisions,
        Distinct("week"),
        reason="{owner}: {why}",
    ),
)

_CLOSED = pl.col("clock").is_in(["closed_on_time", "closed_late"])
_EARLY = pl.col("clock") == "closed_on_time"
_STANDING = "{clock}, due {due_on}"
_MEASURED = "opened {opened_on}, closed {finished_on}, {paused_minutes} minutes paused"
_RANK = {50: "median", 90: "90th percentile", 95: "95th percentile"}


def _in_period(ask: Ask) -> pl.Expr:
    return pl.col("finished_on").is_between(ask.period_start, ask.as_of)


def _is_accepted(ask: Ask) -> pl.Expr:
    return _in_period(ask) & request_items.is_accepted()


def _is_first_pass(ask: Ask) -> pl.Expr:
    """Accepted without a return on a day of the period: of the closing, else of the acceptance."""
    on = pl.coalesce("closed_on", "accepted_on")
    return request_items.is_first_pass() & on.is_between(ask.period_start, ask.as_of).fill_null(False)


REQUESTS = (
    Figure(
        "requests_recorded",
        "Evidence requests recorded",
        "count",
        "neither",
        "Evidence requests that auditors ever made, closed ones included.",
        "requests",
        Count(),
        reason=_STANDING,
    ),
    Figure(
        "requests_awaiting_auditor",
        "Evidence requests with the auditor",
        "count",
        "neither",
        "Open evidence requests that were submitted and that the auditor has not decided on.",
        "requests",
        Count(),
        ~_CLOSED & (pl.col("status") == "submitted"),
        "submitted; auditor: {auditor_status}",
    ),
    Figure(
        "requests_without_owner",
        "Evidence requests without owner",
        "count",
        "less",
        "Open evidence requests that nobody owns who is there: no owner is named, or the owner has left or is no user "
        "or member.",
        request_items.nobodys,
        Count(),
        ~_CLOSED,
        _STANDING,
    ),
    Figure(
        "requests_owner_left",
        "Evidence requests whose owner has left",
        "count",
        "neither",
        "Open evidence requests whose owner is no longer active, a part of those without owner.",
        request_items.with_recipients,
        Count(),
        ~_CLOSED & pl.col("owner_left"),
        "{owner} has left",
    ),
    Figure(
        "requests_without_control",
        "Evidence requests without control",
        "count",
        "less",
        "Open evidence requests that name no control.",
        "requests",
        Count(),
        ~_CLOSED & pl.col("control_id").is_null(),
        _STANDING,
    ),
    Figure(
        "requests_without_evidence",
        "Evidence requests without evidence",
        "count",
        "less",
        "Open evidence requests for which no evidence is recorded yet.",
        "requests",
        Count(),
        ~_CLOSED & (pl.col("evidence_ids").list.len() == 0),
        _STANDING,
    ),
    Figure(
        "requests_closed_on_time_in_period",
        "Evidence requests closed in time",
        "count",
        "more",
        "Evidence requests that were finished from {period_start} to {as_of}, by their due date.",
        "requests",
        Count(),
        lambda ask: _in_period(ask) & _EARLY,
        "finished {finished_on}, due {due_on}",
    ),
    Figure(
        "requests_closed_late_in_period",
        "Evidence requests closed late",
        "count",
        "neither",
        "Evidence requests that were finished from {period_start} to {as_of}, after their due date or on no recorded "
        "day.",
        "requests",
        Count(),
        lambda ask: _in_period(ask) & ~_EARLY,
        "finished {finished_on}, due {due_on}",
    ),
    Figure(
        "requests_on_time_pct",
        "Evidence requests answered in time",
        "percent",
        "more",
        "Evidence requests finished by their due date, as a share of those finished from {period_start} to {as_of} "
        "and those that are overdue; closed on no recorded day is not in time.",
        "requests",
        Share(_EARLY),
        lambda ask: _in_period(ask) | (pl.col("clock") == "overdue"),
        _STANDING,
    ),
    Figure(
        "requests_accepted_in_period",
        "Evidence requests accepted",
        "count",
        "neither",
        "Evidence requests that were finished from {period_start} to {as_of} and that the auditor accepted.",
        "requests",
        Count(),
        _is_accepted,
        "accepted {accepted_on}; returns: {returns}",
    ),
    Figure(
        "requests_accepted_first_pass_in_period",
        "Evidence requests accepted at once",
        "count",
        "neither",
        "Evidence requests that were finished from {period_start} to {as_of} and that the auditor accepted without "
        "a return; where nobody recorded how often it came back, it is not one of them.",
        "requests",
        Count(),
        lambda ask: _in_period(ask) & request_items.is_first_pass(),
        "accepted {accepted_on}; returns: {returns}",
    ),
    Figure(
        "requests_first_pass_pct",
        "First-pass acceptance",
        "percent",
        "more",
        "Evidence requests accepted without a return, as a share of those finished from {period_start} to {as_of}; "
        "unknown returns, days and acceptances are no first pass.",
        "requests",
        Share(_is_first_pass),
        _in_period,
        "accepted {accepted_on}; returns: {returns}",
    ),
    *(
        Figure(
            f"request_turnaround_p{pct}_days",
            f"Turnaround of evidence requests, {text}",
            "days",
            "less",
            "Days from opening to closing of the evidence requests finished from {period_start} to {as_of}, less "
            f"whole days that they waited on the requester: {text} by nearest rank.",
            "requests",
            Percentile(request_items.turnaround_days(), pct),
            _in_period,
            _MEASURED,
        )
        for pct, text in _RANK.items()
    ),
    *(
        Figure(
            f"request_open_age_p{pct}_days",
            f"Age of open evidence requests, {text}",
            "days",
            "less",
            f"Days since the opening of the evidence requests that are not closed: {text} by nearest rank.",
            "requests",
            Percentile("age_days", pct),
            ~_CLOSED,
            "open since {opened_on}",
        )
        for pct, text in _RANK.items()
    ),
    Figure(
        "requests_open_paused_minutes",
        "Time that open requests waited on the requester",
        "minutes",
        "neither",
        "Minutes during which the clocks of open evidence requests stood because they waited on the requester.",
        "requests",
        Sum("paused_minutes"),
        ~_CLOSED,
        "{clock}, {paused_minutes} minutes paused",
    ),
    Figure(
        "request_recipients",
        "People with open evidence requests",
        "count",
        "neither",
        "People who own open evidence requests, the backup where the owner has left; nobody is not counted.",
        request_items.with_recipients,
        Distinct("recipient"),
        ~_CLOSED,
        "{recipient}",
    ),
)

_TO_SEND = "{list}: {line}"
REMINDERS = (
    Figure(
        "reminder_items_due_soon",
        "Duties and remediations to remind of, due soon",
        "count",
        "neither",
        "Pending duties and open remediations due within {due_soon_days} days, attestations within "
        f"{max(steps.ATTESTATION_STEPS)}, whether or not a reminder is owed now.",
        reminder_lists.due_soon,
        Count(),
        reason="{item}: {duty} due {due_on}",
    ),
    Figure(
        "reminder_items_overdue",
        "Duties and remediations overdue",
        "count",
        "less",
        "Overdue duties and open remediations past their due date, whether or not a reminder is owed now.",
        reminder_lists.overdue,
        Count(),
        reason="{item}: {duty} due {due_on}",
    ),
    Figure(
        "controls_regressed",
        "Controls that got worse since the last snapshot",
        "count",
        "less",
        "Applicable controls in a worse state than the last snapshot found them in, or that it found worse than the "
        "one before.",
        reminder_lists.regressions,
        Count(),
        reason="{item}: {previous_state}, now {state}",
    ),
    Figure(
        "reminder_items_to_send",
        "Duties, remediations and controls to remind of now",
        "count",
        "less",
        "Overdue items, items due soon and controls that got worse of which a reminder is owed now.",
        reminder_lists.to_send,
        Count(),
        pl.col("list") != "escalated",
        _TO_SEND,
    ),
    Figure(
        "reminders_to_send",
        "Reminders to send now",
        "count",
        "less",
        "Reminders that are owed now: one for each item, and one more where it is escalated.",
        reminder_lists.to_send,
        Count(),
        reason=_TO_SEND,
    ),
    Figure(
        "reminder_recipients",
        "People to remind now",
        "count",
        "neither",
        "People to whom reminders are owed now.",
        reminder_lists.to_send,
        Distinct("recipient"),
        reason="{recipient}",
    ),
    Figure(
        "reminders_escalated",
        "Reminders escalated",
        "count",
        "less",
        "Reminders owed now to who is accountable, because their item is {reminder_third_days} days late or more.",
        reminder_lists.to_send,
        Count(),
        pl.col("list") == "escalated",
        _TO_SEND,
    ),
    Figure(
        "reminders_without_recipient",
        "Reminders for nobody",
        "count",
        "less",
        "Reminders owed now of items with neither an owner nor somebody accountable who is there.",
        reminder_lists.to_send,
        Count(),
        pl.col("recipient").is_null(),
        _TO_SEND,
    ),
    Figure(
        "last_snapshot_on",
        "Last snapshot of the controls",
        "date",
        "neither",
        "The day of the last snapshot that regressions are told from.",
        "readiness_weeks",
        Maximum("taken_on"),
        reason="snapshot of {taken_on}",
    ),
)

FIGURES = (*ATTESTATIONS, *FRESHNESS, *RENEWALS, *REQUESTS, *REMINDERS)
