"""What an organization says about each control: scope, owners, attestations, evidence, tests."""

from __future__ import annotations

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    control,
    day,
    flag,
    instant,
    json,
    key,
    number,
    person,
    person_key,
    reference,
    tenant_table,
    text,
    whole_number,
)

control_profiles: TypedTable[records.ControlProfileRow] = tenant_table(
    "control_profiles",
    "Scope, cadence and implementation of a control where they differ from the catalogue.",
    *control(),
    flag("applicable", "false: not applicable, which needs justification, approver and date", default=True),
    text("justification", "why it applies or does not", null=True),
    person("approved_by", "who approved the scope", null=True),
    day("approved_on", "when", null=True),
    choice("cadence", "evidence cadence in place of the catalogue's", "Cadence", null=True),
    text("implementation", "reference to how it is implemented", null=True),
    choice("method", "how it is met (PCI DSS)", "ControlMethod", null=True),
    flag("tested", "false: excluded from testing (PCI DSS: Not Tested)"),
    choice("decision", "decision on an addressable specification (HIPAA)", "AddressableDecision", null=True),
    text("rationale", "documented rationale of the decision", null=True),
    day("decided_on", "date of the decision", null=True),
    choice("target", "wanted state (NIST CSF profile)", "TargetState", null=True),
    whole_number("target_pct", "wanted implementation in percent", null=True, low=0, high=100),
    whole_number("policy_pct", "policy defined, percent (CIS)", null=True, low=0, high=100),
    whole_number("implemented_pct", "implemented, percent (CIS)", null=True, low=0, high=100),
    whole_number("automated_pct", "automated, percent (CIS)", null=True, low=0, high=100),
    whole_number("reported_pct", "reported, percent (CIS)", null=True, low=0, high=100),
    flag("sprs_partial", "true: MFA for remote and privileged users only (3.5.3), encryption without FIPS (3.13.11)"),
    text("risk_ref", "risk or risk analysis that it answers", null=True),
    text("systems", "systems concerned, joined by '; '", null=True),
    text("note", "internal note, never exported to assessors", null=True),
    day("changed_on", "when the control text, system or implementation last changed", null=True),
    primary=("framework", "control_id"),
)

control_owners: TypedTable[records.ControlOwnerRow] = tenant_table(
    "control_owners",
    "Who is responsible, accountable, consulted or informed for a control.",
    *control(),
    person_key("email", "e-mail address"),
    choice("raci", "R, A, C or I", "Raci"),
    primary=("framework", "control_id", "email", "raci"),
)

attestations: TypedTable[records.AttestationRow] = tenant_table(
    "attestations",
    "A statement by a named person that a control operates, due on a date.",
    key("id", "identifier"),
    *control(),
    person("owner", "e-mail address of the control's owner"),
    person("attestor", "e-mail address of who signs", null=True),
    text("statement", "what is attested", null=True),
    day("due_on", "due, inclusive"),
    choice("outcome", "decision; empty while open", "AttestationOutcome", null=True),
    instant("attested_at", "when it was decided", null=True),
    person("delegated_to", "who signs in place of the owner", null=True),
    day("withdrawn_on", "when the duty was dropped", null=True),
    natural=("framework", "control_id", "due_on"),
    due="due_on",
)

evidence_items: TypedTable[records.EvidenceItemRow] = tenant_table(
    "evidence_items",
    "A document or record that supports controls: its bytes are held here, or it is kept elsewhere.",
    key("id", "identifier"),
    text("title", "title"),
    text("source", "system that it comes from", null=True),
    person("owner", "e-mail address", null=True),
    instant("captured_at", "when it was captured"),
    text("location", "where it is kept", null=True),
    text("sha256", "SHA-256 of its content", null=True),
    text("request_id", "evidence request that it answers", null=True),
    text("file", "name of its file; in an import a path inside the imported folder, whose bytes are held", null=True),
    person("about", "e-mail address of whom it is about; the owner when empty", null=True),
    text("held_sha256", "SHA-256 of the bytes that were put into the evidence store", null=True, internal=True),
    whole_number("held_bytes", "how many bytes they are", null=True, low=0, internal=True),
    text("media_type", "what kind of file it is, by its name", null=True, internal=True),
    choice("held_state", "what the last check found of them", "EvidenceState", null=True, internal=True),
    instant("checked_at", "when a check first found that", null=True, internal=True),
    choice("removed", "why the bytes are here no more", "EvidenceRemoval", null=True, internal=True),
    instant("removed_at", "when they were removed", null=True, internal=True),
    text("run_id", "test run whose rows it has", null=True, internal=True),
    text("part", "what of that run it is", null=True, internal=True),
)

evidence_links: TypedTable[records.EvidenceLinkRow] = tenant_table(
    "evidence_links",
    "An evidence item supports a control.",
    reference("evidence_id", "evidence item", "evidence_items"),
    *control(),
    primary=("evidence_id", "framework", "control_id"),
)

organization_rules: TypedTable[records.OrganizationRuleRow] = tenant_table(
    "organization_rules",
    "Rules of one's own: what an action of the audit log says about a control. They win over those that come along.",
    key("pattern", "action in dotted words, or the beginning of one followed by *"),
    choice("outcome", "outcome of the events that are meant; any when empty", "RuleOutcome", default="any"),
    *control(),
    choice(
        "effect", "supports, contradicts, or records: that the event is there is the control at work", "ActionEffect"
    ),
    text(
        "family",
        "a contradiction lasts until a supporting event of the same family; the action's when empty",
        null=True,
    ),
    text("note", "why the rule is there", null=True),
    primary=("pattern", "outcome", "framework", "control_id"),
)

evidence_requests: TypedTable[records.EvidenceRequestRow] = tenant_table(
    "evidence_requests",
    "Something an auditor asked for. Identifiers are never used again.",
    key("id", "identifier"),
    *control(null=True),
    text("title", "the auditor's words"),
    person("requester", "who asked"),
    person("owner", "e-mail address of who answers", null=True),
    person("backup", "e-mail address of the deputy", null=True),
    choice("priority", "priority", "RequestPriority", default="P3"),
    day("opened_on", "opened"),
    day("due_on", "due; from the priority when empty", null=True),
    choice("status", "our state", "RequestStatus", default="open"),
    choice("auditor_status", "the auditor's state", "AuditorStatus", default="open"),
    day("submitted_on", "first submitted", null=True),
    day("accepted_on", "accepted by the auditor", null=True),
    day("closed_on", "closed", null=True),
    whole_number("returns", "times returned", null=True, low=0),
    whole_number("paused_minutes", "minutes spent waiting on the requester", null=True, low=0),
    due="due_on",
)

testing_schedules: TypedTable[records.TestingScheduleRow] = tenant_table(
    "testing_schedules",
    "A recurring test of a control.",
    key("id", "identifier"),
    *control(),
    text("procedure", "what is tested and how"),
    choice("cadence", "how often", "Cadence"),
    person("owner", "e-mail address of the control's owner", null=True),
    person("performer", "e-mail address of who tests", null=True),
    whole_number("window_days", "days that a window stays open", low=1, null=True),
    day("starts_on", "first window opens"),
    day("ends_on", "no windows after this", null=True),
    text("check_id", "check of a file of pulls that tests it; empty where people do", null=True, internal=True),
    text("pull_file", "name of that file", null=True, internal=True),
    text("query_sha256", "SHA-256 of all that decides what the check answers", null=True, internal=True),
    day("superseded_on", "day from which another query of the check took its place", null=True, internal=True),
    text("unread", "why the check could not be run the last time; empty when it could", null=True, internal=True),
    instant("unread_at", "when that was first so", null=True, internal=True),
)

schedule_controls: TypedTable[records.ScheduleControlRow] = tenant_table(
    "schedule_controls",
    "The controls that a recurring test is about, where it is about more than one: all move alike.",
    reference("schedule_id", "schedule", "testing_schedules"),
    *control(),
    primary=("schedule_id", "framework", "control_id"),
)

test_runs: TypedTable[records.TestRunRow] = tenant_table(
    "test_runs",
    "One window of a recurring test: planned and actual.",
    key("id", "identifier"),
    reference("schedule_id", "schedule", "testing_schedules"),
    day("window_open_on", "window opens"),
    day("window_close_on", "window closes, inclusive"),
    day("performed_on", "when it was performed", null=True),
    choice("outcome", "result", "TestRunOutcome", null=True),
    person("performer", "e-mail address of who tested", null=True),
    whole_number("population", "items in the population", null=True, low=0),
    whole_number("tested", "items tested", null=True, low=0),
    whole_number("deviations", "deviations found", null=True, low=0),
    whole_number("evidence_expected", "pieces of evidence expected", null=True, low=0),
    whole_number("evidence_received", "pieces received", null=True, low=0),
    text("cause", "cause of deviations", null=True),
    text("response", "management response", null=True),
    text("reason", "why it is not tested", null=True),
    text("rows_sha256", "SHA-256 of the query, the rows that it saw and what it answered", null=True, internal=True),
    instant("ran_at", "when the check ran", null=True, internal=True),
    whole_number("sequence", "revision in which the run was written", null=True, internal=True),
    day("since_on", "first day asked about, where its cadence asks about more", null=True, internal=True),
    day("until_on", "last day asked about", null=True, internal=True),
)

check_proofs: TypedTable[records.CheckProofRow] = tenant_table(
    "check_proofs",
    "What a check notices: its rows broken in a known way, a column at a time, and what became of its answer.",
    key("check_id", "check of a file of pulls"),
    key("source", "table whose rows were broken"),
    key("field", "column that was broken; * for whole rows"),
    key("change", "how: emptied, turned, moved, dropped, doubled, rekeyed, exchanged"),
    text("query_sha256", "SHA-256 of all that decides what the check answers, as it was proved"),
    whole_number("tried", "rows that were broken, one at a time", low=0),
    whole_number("exceptions_changed", "breaks that changed the exceptions", low=0),
    whole_number("outcomes_changed", "breaks that changed the outcome", low=0),
    whole_number("failures", "breaks that made a check fail that had passed, an empty population aside", low=0),
    flag("looked_at", "whether a query of the check names the column", default=False),
    instant("proved_at", "when it was tried"),
    primary=("check_id", "source", "field", "change"),
    importable=False,
)

tool_rules: TypedTable[records.ToolRuleRow] = tenant_table(
    "tool_rules",
    "Which controls a rule of a scanner tests: what passed is a test of them as much as what failed.",
    key("tool", "scanner, in small letters"),
    key("rule", "its identifier of the rule"),
    *control(),
    text("source", "where it says so", null=True),
    primary=("tool", "rule", "framework", "control_id"),
)

remediations: TypedTable[records.RemediationRow] = tenant_table(
    "remediations",
    "Work on the gap of a control: who, how much, by when.",
    key("id", "identifier"),
    *control(),
    text("title", "what will be done", null=True),
    person("owner", "e-mail address", null=True),
    text("runbook", "runbook in place of the catalogue's", null=True),
    choice("severity", "severity of the gap in place of the computed one", "GapSeverity", null=True),
    day("opened_on", "when the gap was found"),
    day("due_on", "due", null=True),
    day("closed_on", "closed", null=True),
    choice("status", "state", "RemediationStatus", default="open"),
    text("blocked_by", "what it waits for", null=True),
    text("compensating", "compensating control meanwhile", null=True),
    number("estimate_hours", "hours that it takes, by whoever knows it", null=True, high=10_000),
    number("low_hours", "hours that it takes at least", null=True, high=10_000),
    number("high_hours", "hours that it takes at most", null=True, high=10_000),
    number("done_hours", "hours that were worked on it", null=True, high=10_000),
    number("left_hours", "hours that are still to be worked on it", null=True, high=10_000),
    whole_number(
        "lead_days", "days of others, such as a vendor, between the work and its evidence", null=True, low=0, high=365
    ),
    json("details", "further facts"),
    person("compensating_approved_by", "who approved the compensating control", null=True),
    day("compensating_approved_on", "when", null=True),
)
