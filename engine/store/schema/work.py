"""Committees, capacity, staffing actions and consolidation plays."""

from __future__ import annotations

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    day,
    json,
    key,
    number,
    person,
    person_key,
    reference,
    tenant_table,
    text,
)

owner_capacity: TypedTable[records.OwnerCapacityRow] = tenant_table(
    "owner_capacity",
    "Compliance hours of an owner in an ISO week.",
    person_key("email", "e-mail address"),
    key("week", "ISO week such as 2026-W47; 'default' for every week without a row"),
    number("hours", "contracted compliance hours", high=100),
    number("absence_hours", "planned absence", null=True, high=100),
    primary=("email", "week"),
)

absences: TypedTable[records.AbsenceRow] = tenant_table(
    "absences",
    "Days on which somebody, or everybody, is not there: holidays, leave, part-time.",
    key("id", "identifier"),
    person("email", "e-mail address; everybody, as on a public holiday, when empty", null=True),
    day("starts_on", "first day"),
    day("ends_on", "last day; the first one when empty", null=True),
    number(
        "share_pct", "share of the hours of each of those days, in percent; all of them when empty", null=True, high=100
    ),
    text("repeats", "how it comes again, as iCalendar writes it: FREQ=WEEKLY;BYDAY=FR", null=True),
    text("title", "what it is, such as the name of the holiday", null=True),
)

audit_windows: TypedTable[records.AuditWindowRow] = tenant_table(
    "audit_windows",
    "A period that auditors examine, and their weeks with us.",
    key("id", "identifier"),
    key("framework", "framework that is audited"),
    day("starts_on", "first day of the period that is examined"),
    day("ends_on", "last day of the period that is examined; the first one where a day is looked at"),
    day("fieldwork_from", "first day on which people work with the auditors", null=True),
    day("fieldwork_until", "last day on which they do; the first one when empty", null=True),
    person("people", "e-mail addresses of who works with the auditors, joined by '; '", null=True),
    number("weekly_hours", "hours a week that each of them gives", null=True, high=100),
    text("note", "remark, such as the auditor", null=True),
)

committees: TypedTable[records.CommitteeRow] = tenant_table(
    "committees",
    "A body that decides on compliance.",
    key("id", "identifier"),
    text("name", "name"),
    person("chair", "e-mail address", null=True),
    person("members", "e-mail addresses joined by '; '", null=True),
    choice("cadence", "how often it meets", "Cadence"),
    day("first_meeting_on", "first meeting; later ones follow the cadence"),
    number("effort_hours", "hours of preparation for each meeting", null=True),
    natural=("name",),
)

committee_meetings: TypedTable[records.CommitteeMeetingRow] = tenant_table(
    "committee_meetings",
    "A meeting that was held or moved.",
    key("id", "identifier"),
    reference("committee_id", "committee", "committees"),
    day("held_on", "date"),
    choice("status", "state", "MeetingStatus", default="planned"),
    json("decisions", "decisions: list of {decision, owner, due_on, status}"),
    due="held_on",
)

staffing_actions: TypedTable[records.StaffingActionRow] = tenant_table(
    "staffing_actions",
    "A proposal to relieve a peak week, tracked to its completion.",
    key("id", "hash of organization, week, kind and owner"),
    key("week", "peak week, such as 2026-W47"),
    choice("kind", "what is done", "StaffingKind"),
    person("owner", "e-mail address of who is relieved"),
    person("assignee", "e-mail address of who helps", null=True),
    text("obligation_id", "obligation concerned", null=True),
    number("relief_hours", "planned relief"),
    number("relief_actual_hours", "relief that came", null=True),
    choice("status", "state", "StaffingStatus", default="proposed"),
    day("proposed_on", "proposed"),
    day("tracked_on", "taken up", null=True),
    day("completed_on", "completed", null=True),
    text("blocked_reason", "why it does not move", null=True),
    text("evidence", "reference to proof of completion", null=True),
)

plays: TypedTable[records.PlayRow] = tenant_table(
    "plays",
    "Work on a cluster of obligations that share evidence.",
    key("id", "cluster identifier"),
    choice("status", "state", "PlayStatus", default="proposed"),
    person("owner", "e-mail address", null=True),
    json("steps", "six steps: list of {step, status, by, at, evidence}"),
    number("hours_saved", "hours actually saved", null=True),
    day("started_on", "started", null=True),
    day("closed_on", "closed", null=True),
)
