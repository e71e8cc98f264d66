"""Columns about attestations, evidence requests and recurring tests."""

from collections.abc import Mapping

from engine.model.columns.column import Column

ATTESTATIONS: Mapping[str, Column] = {
    "accepted": Column("Accepted", "count", "Requests whose answer the auditor accepted in the period."),
    "accepted_first_pass": Column(
        "Accepted first pass", "count", "Requests accepted in the period that were never sent back."
    ),
    "age": Column("Age (days)", "text", "Range of the age of open requests, in days."),
    "answered": Column(
        "Answered", "flag", "Whether management responded to every deviation, or its repair is planned."
    ),
    "attestation_id": Column("Attestation ID", "text", "Identifier of the attestation."),
    "attestation_pct": Column(
        "Attestation closure (%)", "percent", "Attestations due in the week that were signed or rejected by its end."
    ),
    "attestations": Column("Attestations", "count", "Attestations of the row."),
    "attestations_closed": Column(
        "Attestations closed", "count", "Attestations due in the week that were signed or rejected by its end."
    ),
    "attestations_due": Column("Attestations due", "count", "Attestations that fell due in the week."),
    "attested": Column(
        "Attested",
        "",
        "Whether the newest decision on the control is a signature; in totals, how many are.",
        cells="flag",
    ),
    "attested_at": Column("Decided (UTC)", "instant", "Moment of the decision on the attestation, signed or rejected."),
    "attested_now": Column("Attested now", "count", "Duties that decide and are signed now."),
    "attested_on": Column("Attested", "date", "Day on which the control was last signed."),
    "attestor": Column("Attestor", "text", "Who signs or has signed."),
    "auditor_status": Column("Auditor status", "word", "What the auditor says of the request."),
    "cause": Column("Cause", "", "Why the test found deviations.", cells="text"),
    "current": Column("Current", "", "Whether the attestation decides; in totals, how many are signed.", cells="flag"),
    "deciding": Column("Deciding", "count", "Attestation duties that decide whether a control is attested."),
    "delegated_to": Column("Delegated to", "text", "Who signs in place of the owner."),
    "deviation_rate_pct": Column("Deviation rate (%)", "percent", "Deviations as a share of what was tested."),
    "deviations": Column("Deviations", "count", "Tested items in which the control did not work."),
    "due": Column("Due in 30 days", "count", "Attestations due within 30 days."),
    "due_30": Column("Later in 30 days", "count", "Attestations due within 30 days that are not due soon."),
    "escalated": Column(
        "Escalated", "", "Whether who is accountable is asked now; in totals, how many items are escalated."
    ),
    "failed": Column("Failed", "count", "Tests that failed."),
    "first_pass_pct": Column(
        "First pass (%)", "percent", "Accepted in the period without a return, as a share of those closed."
    ),
    "gap_from": Column("Gap from", "date", "First day of the longest time without evidence."),
    "gap_in_operation": Column(
        "Gap in operation", "flag", "Whether the longest time without evidence is longer than the window allows."
    ),
    "gap_to": Column("Gap to", "date", "Last day of the longest time without evidence."),
    "in_15_to_30_days": Column("15 to 30 days", "count", "Renewals due in 15 to 30 days."),
    "in_31_to_60_days": Column("31 to 60 days", "count", "Renewals due in 31 to 60 days."),
    "in_61_to_90_days": Column("61 to 90 days", "count", "Renewals due in 61 to 90 days."),
    "independent": Column(
        "Performer is not the owner",
        "flag",
        "Whether it is on record that somebody else than the owner performs the test.",
    ),
    "last": Column("Last", "word", "Standing of the last window of the test."),
    "last_nudged_on": Column("Last nudge", "date", "Day on which somebody was last asked for the signature."),
    "late_12m": Column("Late", "count", "Test windows of the past 12 months that were performed late."),
    "longest_gap_days": Column(
        "Longest without evidence (days)", "days", "Longest time without evidence of operation, in days."
    ),
    "missed": Column(
        "Missed", "count", "Windows that ended without a test, or duties whose control has such a window."
    ),
    "missed_12m": Column("Missed", "count", "Test windows of the past 12 months that ended without a test."),
    "next": Column("Next", "word", "Standing of the next window of the test."),
    "next_close_on": Column("Next window closes", "date", "Last day of the next window of the test."),
    "next_open_on": Column("Next window opens", "date", "First day of the next window of the test."),
    "not_due": Column("Not due", "count", "Attestations that are not due within 30 days."),
    "nudges": Column("Nudges", "count", "How often somebody was asked for the signature."),
    "open_age_p50": Column("Open age p50 (days)", "days", "Median age of the requests that are still open, in days."),
    "open_age_p90": Column("Open age p90 (days)", "days", "90th percentile of the age of open requests, in days."),
    "open_age_p95": Column("Open age p95 (days)", "days", "95th percentile of the age of open requests, in days."),
    "outcome": Column("Outcome", "word", "What came of it: passed, failed, blocked or the like."),
    "p1": Column("P1", "count", "Open requests of priority P1."),
    "p2": Column("P2", "count", "Open requests of priority P2."),
    "p3": Column("P3", "count", "Open requests of priority P3."),
    "p4": Column("P4", "count", "Open requests of priority P4."),
    "paused": Column(
        "Paused", "", "Whether the duty's clock stands; in totals, how many requests wait so.", cells="flag"
    ),
    "paused_minutes": Column(
        "Waiting on requester", "minutes", "Time for which we waited on the requester.", cells="whole"
    ),
    "performer": Column("Performer", "text", "Who performs the test."),
    "planned_on": Column("Last window closed", "date", "Last day of the test's last window."),
    "procedure": Column("Procedure", "text", "What is done in the test."),
    "renewal_hours": Column("Renewal hours", "hours", "Hours of the renewals in the week."),
    "renewals": Column("Renewals", "count", "Renewals of the row: of signatures, or of an exception."),
    "requester": Column("Requester", "text", "Who asks for the evidence."),
    "requests": Column("Requests", "count", "Evidence requests of the row."),
    "response": Column("Management response", "", "What management says to the deviations.", cells="text"),
    "returns": Column("Returns", "count", "How often the auditor sent the answer back."),
    "check_id": Column("Check", "text", "Identifier of the check in its file of pulls."),
    "counts": Column("Counts", "flag", "Whether a passed test still supports: its query is asked as it was."),
    "superseded_on": Column("Superseded", "date", "Day from which another query of the check took its place."),
    "noted_at": Column("Since (UTC)", "instant", "From when it is so."),
    "tried": Column("Tried", "count", "Rows that were broken, one at a time."),
    "sight": Column("Proof", "word", "Whether breaking the rows of a check changes what it answers."),
    "noticed": Column("Breaks noticed", "count", "Broken rows that changed the exceptions of the check."),
    "noticed_pct": Column("Noticed", "percent", "Share of the broken rows that changed the exceptions of the check."),
    "failures": Column("Failures caused", "count", "Broken rows that made a check fail that had passed."),
    "unseen": Column("Columns not looked at", "text", "Columns whose breaks changed no exception."),
    "proved_at": Column("Proved", "instant", "When the rows of the check were broken."),
    "run_id": Column("Run ID", "text", "Identifier of the performed test."),
    "sample_size": Column("Sample size", "count", "Days to re-perform in a sample of the usual size."),
    "sampled_on": Column("Sampled", "date", "Day that was drawn for the sample."),
    "schedule_id": Column("Schedule", "text", "Identifier of the recurring test."),
    "sla_days": Column("SLA (business days)", "days", "Business days that the priority allows."),
    "statement": Column("Statement", "text", "What is attested."),
    "submitted_on": Column("Submitted", "date", "Day on which the answer was given to the auditor."),
    "to_send": Column("To send", "count", "Renewals for which a message is to be sent."),
    "turnaround_p50": Column(
        "Turnaround p50 (days)", "days", "Median days from opening to closing, less days spent waiting."
    ),
    "turnaround_p90": Column(
        "Turnaround p90 (days)", "days", "90th percentile of the days from opening to closing, less days spent waiting."
    ),
    "turnaround_p95": Column(
        "Turnaround p95 (days)", "days", "95th percentile of the days from opening to closing, less days spent waiting."
    ),
    "unanswered": Column("Unanswered", "count", "Deviations without a response."),
    "unsupported": Column(
        "Unsupported",
        "",
        "Whether it was signed while the evidence was stale or missing; in totals, how many were.",
        cells="flag",
    ),
    "upcoming": Column("Upcoming", "count", "Duties whose test window is not open yet."),
    "wave": Column("Wave", "text", "Group of renewals by days until they are due."),
    "windows_12m": Column("Windows in 12 months", "count", "Test windows of the past 12 months."),
    "within_14_days": Column("Within 14 days", "count", "Renewals due within 14 days."),
}
