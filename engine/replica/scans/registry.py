"""What is read from the replica: aggregates of the big tables, and the small tables as they are.

``asked`` is the frame of the organizations asked about; every scan is restricted to it and to what had happened by the
end of its day. ``local_day`` turns an instant into the organization's business date.
"""

from collections.abc import Mapping

from engine.replica.scans import arrivals, assurance, audit, frameworks, governance, programme
from engine.replica.scans.audit import PAST, local_day, midnight

# ruff: noqa: S608 -- every name below is a literal of this module


def _table(name: str, *columns: str, days: Mapping[str, str] | None = None, where: str = "") -> str:
    """The rows of a small table; ``days`` adds local days: new column → instant column."""
    chosen = [f"t.{column}" for column in columns]
    chosen += [f"{local_day(f't.{source}')} AS {name}" for name, source in (days or {}).items()]
    condition = f" WHERE {where}" if where else ""
    return f"SELECT t.org_id, {', '.join(chosen)} FROM {name} t JOIN asked q USING (org_id){condition}"


def _day_table(name: str, *columns: str, where: str = "") -> str:
    """A small table with the revision that last changed each row, for calendars."""
    return _table(name, *columns, "revision", where=where)


_DATED = (
    "attestations", "bundles", "committee_meetings", "committees", "evidence_requests", "exceptions",
    "incident_timeline", "organization_frameworks", "poam_items", "policies", "test_runs", "testing_schedules",
    "vendors",
)  # fmt: skip

SCANS: Mapping[str, str] = {
    "organizations_rows": """
        SELECT t.id AS org_id, t.name, t.time_zone, t.sector, t.headcount, t.plan, t.deployment_tier, t.data_region,
            t.created_at
        FROM organizations t JOIN asked q ON q.org_id = t.id
    """,
    "organization_frameworks_rows": _day_table(
        "organization_frameworks", "framework", "in_scope", "adopted_on", "target_on", "note", "in_posture", "moves"
    ),
    # the local day of each revision that a dated row was last changed in
    "revision_days_rows": f"""
        SELECT a.org_id, a.seq AS revision, {local_day("a.recorded_at")} AS changed_on
        FROM audit_log a JOIN asked q USING (org_id)
        WHERE (a.org_id, a.seq) IN ({" UNION ".join(f"SELECT org_id, revision FROM {name}" for name in _DATED)})
    """,
    "slo_sums_rows": """
        SELECT b.org_id, b.service_id,
            SUM(b.total) FILTER (b.bucket_at >= q.ends_at - INTERVAL 30 DAY) AS total_30d,
            SUM(b.bad) FILTER (b.bucket_at >= q.ends_at - INTERVAL 30 DAY) AS bad_30d,
            SUM(b.total) FILTER (b.bucket_at >= q.ends_at - INTERVAL 7 DAY) AS total_7d,
            SUM(b.bad) FILTER (b.bucket_at >= q.ends_at - INTERVAL 7 DAY) AS bad_7d,
            COUNT(*) FILTER (b.bucket_at >= q.ends_at - INTERVAL 30 DAY) AS buckets
        FROM slo_buckets b JOIN asked q USING (org_id) WHERE b.bucket_at < q.ends_at
        GROUP BY b.org_id, b.service_id
    """,
    "services_rows": _table("services", "id", "name", "owner", "criticality", "environment"),
    "slo_profiles_rows": _table("slo_profiles", "service_id", "objective_pct"),
    "incidents_rows": _table(
        "incidents",
        "id",
        "title",
        "severity",
        "status",
        "service_id",
        "owner",
        "opened_at",
        "acknowledged_at",
        "mitigated_at",
        "resolved_at",
        "acknowledged_by",
        "labels",
        "opened_heard_at",
        "parent_id",
        "parent_state",
        "source",
        "root_cause",
        where="t.opened_at < q.ends_at",
    ),
    "on_call_shifts_rows": _table("on_call_shifts", "person", "service_id", "starts_at", "ends_at", "recorded_at"),
    "maintenance_windows_rows": _table(
        *("maintenance_windows", "id", "reason", "service_id", "matchers", "starts_at", "ends_at", "recorded_at")
    ),
    "incident_steps_rows": _day_table(
        *("incident_timeline", "id", "incident_id", "kind", "happened_at", "payload"),
        where="t.kind IN ('assess', 'communication') AND t.payload IS NOT NULL AND t.happened_at < q.ends_at",
    ),
    "control_profiles_rows": _table(
        "control_profiles",
        "framework",
        "control_id",
        "applicable",
        "justification",
        "approved_by",
        "approved_on",
        "cadence",
        "implementation",
        "method",
        "tested",
        "decision",
        "rationale",
        "decided_on",
        "target",
        "target_pct",
        "policy_pct",
        "implemented_pct",
        "automated_pct",
        "reported_pct",
        "sprs_partial",
        "risk_ref",
        "systems",
        "note",
        "changed_on",
    ),
    "control_owners_rows": _table("control_owners", "framework", "control_id", "email", "raci"),
    "users_rows": _table("users", "email", "name", "active"),
    "attestations_rows": _day_table(
        "attestations",
        "id",
        "framework",
        "control_id",
        "owner",
        "attestor",
        "statement",
        "due_on",
        "outcome",
        "attested_at",
        "delegated_to",
        "withdrawn_on",
        "moves",
    ),
    # the day of each decision, and the midnight that ends it
    "attestation_days_rows": f"""
        SELECT t.org_id, t.id, {local_day("t.attested_at")} AS attested_on,
            {midnight(local_day("t.attested_at") + " + 1")} AS signed_until
        FROM attestations t JOIN asked q USING (org_id)
    """,
    "evidence_items_rows": """
        SELECT l.org_id, l.framework, l.control_id, i.id, i.captured_at,
            CASE WHEN i.held_sha256 IS NOT NULL AND i.removed IS NULL THEN 'held' ELSE 'told' END AS evidence_place
        FROM evidence_links l JOIN evidence_items i ON i.org_id = l.org_id AND i.id = l.evidence_id
        JOIN asked q ON q.org_id = l.org_id
        LEFT JOIN test_runs r ON r.org_id = i.org_id AND r.id = i.run_id
        LEFT JOIN testing_schedules s ON s.org_id = r.org_id AND s.id = r.schedule_id
        -- rows of a check count while it passed, by the query that it still asks
        WHERE (i.removed IS NOT NULL OR coalesce(i.held_state, 'whole') = 'whole') AND (i.run_id IS NULL
            OR (r.outcome = 'passed' AND (s.superseded_on IS NULL OR s.superseded_on > q.as_of)))
    """,
    "organization_rules_rows": _table(
        "organization_rules", "pattern", "outcome", "framework", "control_id", "effect", "family"
    ),
    # every item that is linked to a control, those that are no evidence any more included
    "linked_items_rows": """
        SELECT i.org_id, i.id, any_value(i.title) AS title, any_value(i.source) AS source,
            any_value(i.owner) AS owner, any_value(i.captured_at) AS captured_at, any_value(i.location) AS location,
            any_value(i.sha256) AS sha256, any_value(i.held_sha256) AS held_sha256,
            any_value(i.held_bytes) AS held_bytes, any_value(i.held_state) AS held_state,
            any_value(i.removed) AS removed, list_sort(list(l.framework || ':' || l.control_id)) AS controls
        FROM evidence_links l JOIN evidence_items i ON i.org_id = l.org_id AND i.id = l.evidence_id
        JOIN asked q ON q.org_id = l.org_id
        WHERE i.captured_at < q.ends_at GROUP BY i.org_id, i.id
    """,
    "request_evidence_rows": _table(
        "evidence_items", "id", "request_id", "held_sha256", "held_state", "removed", where="t.request_id IS NOT NULL"
    ),
    "evidence_requests_rows": _day_table(
        "evidence_requests",
        "id",
        "framework",
        "control_id",
        "title",
        "requester",
        "owner",
        "backup",
        "priority",
        "opened_on",
        "due_on",
        "status",
        "auditor_status",
        "submitted_on",
        "accepted_on",
        "closed_on",
        "returns",
        "paused_minutes",
        "moves",
        where="t.opened_on <= q.as_of",
    ),
    "policies_rows": f"""
        SELECT t.org_id, t.id, t.policy, t.version, t.kind, t.title, t.playbook, t.state, t.owner, t.accepted_by,
            t.accepted_at, t.review_due_on, t.moves, t.revision, {local_day("t.accepted_at")} AS accepted_on
        FROM policies t JOIN asked q USING (org_id)
    """,
    "policy_controls_rows": _table("policy_controls", "policy_id", "framework", "control_id"),
    "dry_runs_rows": _table("dry_runs", "id", "playbook", "outcome", "ran_at", where="t.ran_at < q.ends_at"),
    "test_links_rows": """
        SELECT t.org_id, t.id, t.test_id, t.framework, t.control_id, t.status, r.outcome, r.ran_at
        FROM test_links t JOIN asked q USING (org_id)
        LEFT JOIN dry_runs r ON r.org_id = t.org_id AND r.id = t.test_id
    """,
    "testing_schedules_rows": _day_table(
        "testing_schedules",
        "id",
        "framework",
        "control_id",
        "procedure",
        "cadence",
        "owner",
        "performer",
        "window_days",
        "starts_on",
        "ends_on",
        "check_id",
        "query_sha256",
        "superseded_on",
        "unread",
        "unread_at",
    ),
    "schedule_controls_rows": _table("schedule_controls", "schedule_id", "framework", "control_id"),
    "check_proofs_rows": _table(
        "check_proofs",
        "check_id",
        "source",
        "field",
        "change",
        "query_sha256",
        "tried",
        "exceptions_changed",
        "outcomes_changed",
        "failures",
        "looked_at",
        "proved_at",
        where="t.proved_at < q.ends_at",
    ),
    "test_runs_rows": _day_table(
        "test_runs",
        "id",
        "schedule_id",
        "window_open_on",
        "window_close_on",
        "performed_on",
        "outcome",
        "performer",
        "population",
        "tested",
        "deviations",
        "evidence_expected",
        "evidence_received",
        "cause",
        "response",
        "reason",
        "ran_at",
        "sequence",
        "since_on",
        "until_on",
        where="t.ran_at IS NULL OR t.ran_at < q.ends_at",
    ),
    "remediations_rows": _table(
        "remediations",
        "id",
        "framework",
        "control_id",
        "title",
        "owner",
        "runbook",
        "severity",
        "opened_on",
        "due_on",
        "closed_on",
        "status",
        "blocked_by",
        "compensating",
        "compensating_approved_by",
        "compensating_approved_on",
        "estimate_hours",
        "low_hours",
        "high_hours",
        "done_hours",
        "left_hours",
        "lead_days",
        where="t.opened_on <= q.as_of",
    ),
    "remediation_details_rows": _table(
        "remediations", "id", "details", where="t.details IS NOT NULL AND t.opened_on <= q.as_of"
    ),
    "vendors_rows": _day_table(
        "vendors",
        "id",
        "name",
        "service",
        "owner",
        "category",
        "tier",
        "data_classes",
        "likelihood",
        "impact",
        "residual_likelihood",
        "residual_impact",
        "status",
        "region",
        "handles_phi",
        "lead_days",
        "onboarded_on",
        "last_review_on",
        "next_review_on",
        "offboarded_on",
        "moves",
    ),
    "vendor_documents_rows": _table(
        "vendor_documents",
        "id",
        "vendor_id",
        "kind",
        "issued_on",
        "period_start_on",
        "period_end_on",
        "expires_on",
        "opinion",
        "in_scope",
        "cuecs_mapped",
        "flows_down",
        "assessment",
        "assessed_by",
        "assessed_on",
    ),
    "exceptions_rows": _day_table(
        "exceptions",
        "id",
        "kind",
        "framework",
        "control_id",
        "reason",
        "compensating",
        "compensating_evidence_on",
        "residual",
        "approver",
        "approved_on",
        "expires_on",
        "renewals",
        "status",
        "worksheet",
        "moves",
    ),
    "risks_rows": _table(
        "risks",
        "id",
        "title",
        "category",
        "owner",
        "likelihood",
        "impact",
        "residual_likelihood",
        "residual_impact",
        "previous_likelihood",
        "previous_impact",
        "treatment",
        "appetite",
        "loss_low",
        "loss_high",
        "reviewed_on",
        "status",
        "accepted_by",
        "accepted_on",
    ),
    "poam_items_rows": _day_table(
        "poam_items", "id", "weakness_key", "detected_on", "due_on", "status", "closed_on", "moves"
    ),
    "owner_capacity_rows": _table("owner_capacity", "email", "week", "hours", "absence_hours"),
    "absences_rows": _table("absences", "id", "email", "starts_on", "ends_on", "share_pct", "repeats"),
    "audit_windows_rows": _table(
        *("audit_windows", "id", "framework", "starts_on", "ends_on"),
        *("fieldwork_from", "fieldwork_until", "people", "weekly_hours"),
    ),
    "committees_rows": _day_table("committees", "id", "name", "chair", "cadence", "first_meeting_on", "effort_hours"),
    "committee_meetings_rows": _day_table("committee_meetings", "id", "committee_id", "held_on", "status", "moves"),
    "readiness_snapshots_rows": _table(
        "readiness_snapshots",
        "taken_on",
        "framework",
        "strict_pct",
        "weighted_pct",
        "fresh_pct",
        "attested_pct",
        "gaps_open",
        "gaps_opened",
        "gaps_closed",
        "formulas",
        where="t.taken_on <= q.as_of",
    ),
    "record_starts_rows": _table("record_starts", "framework", "since_on", where="t.since_on <= q.as_of"),
    "posture_snapshots_rows": _table(
        "posture_snapshots", "taken_on", "score", "components", "formulas", where="t.taken_on <= q.as_of"
    ),
    "control_state_changes_rows": _table(
        "control_state_changes",
        "framework",
        "control_id",
        "observed_on",
        "state",
        "previous",
        "trigger_event",
        where="t.observed_on <= q.as_of",
    ),
    # as they are stored, whatever is made up for weeks without a snapshot
    "stored_state_changes_rows": _table(
        "control_state_changes", "framework", "control_id", "observed_on", "state", where="t.observed_on <= q.as_of"
    ),
    "bundles_rows": _table(
        "bundles",
        "id",
        "requested_window",
        "window_start_on",
        "window_end_on",
        "created_by",
        "previous_id",
        "size_bytes",
        "revision",
        days={"sealed_on": "sealed_at"},
        where="t.sealed_at < q.ends_at",
    ),
    "obligation_snapshots_rows": _table(
        "obligation_snapshots", "week", "planned", "planned_hours", "completed", "slipped", "forecast"
    ),
    "plays_rows": _table("plays", "id", "status", "owner", "steps", "hours_saved", "started_on", "closed_on"),
    "deliveries_rows": _table(
        "deliveries",
        "id",
        "kind",
        "period",
        "channel",
        "recipient",
        "status",
        "payload",
        "created_at",
        days={"created_on": "created_at", "sent_on": "sent_at"},
        where="t.created_at < q.ends_at",
    ),
    "density_cleared_rows": f"""
        SELECT a.org_id, a.event_id AS delivery_id, a.object_id AS week, a.occurred_at AS created_at,
            {local_day("a.occurred_at")} AS created_on
        FROM audit_log a JOIN asked q USING (org_id) WHERE a.action = 'density.cleared' AND {PAST}
    """,
    "linked_evidence_rows": _table("evidence_links", "evidence_id", "framework", "control_id"),
    "staffing_actions_rows": _table(
        "staffing_actions",
        "id",
        "week",
        "kind",
        "owner",
        "assignee",
        "obligation_id",
        "relief_hours",
        "relief_actual_hours",
        "status",
        "proposed_on",
        "tracked_on",
        "completed_on",
        "blocked_reason",
        "evidence",
    ),
    "memberships_rows": _table("memberships", "email", "role", "status", "since_on"),
    "display_names_rows": _table("memberships", "email", "display_name"),
    "committee_members_rows": _table("committees", "id", "name", "chair", "members", "cadence"),
    "catalogue_snapshots_rows": _table(
        "catalogue_snapshots", "taken_on", "catalogue_version", "content", where="t.taken_on <= q.as_of"
    ),
    **audit.SCANS,
    **governance.SCANS,
    **assurance.SCANS,
    **programme.SCANS,
    **frameworks.SCANS,
    **arrivals.SCANS,
    "findings_rows": _table(
        "findings",
        "id",
        "source",
        "finding_key",
        "title",
        "severity",
        "status",
        "service_id",
        "vendor_id",
        "asset",
        "port",
        "cve",
        "cvss",
        "epss",
        "known_exploited",
        "internet_reachable",
        "first_seen_at",
        "last_seen_at",
        "fixed_at",
        "due_on",
        where="t.first_seen_at < q.ends_at",
    ),
    "poam_ledger_rows": _table(
        "poam_items", "id", "weakness_key", "detected_on", "due_on", "status", "closed_on", "details", "listed_on"
    ),
}
