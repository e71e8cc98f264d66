"""What a column of an importable table says, whatever figure it moves: for us, against us, by when, or about what.

A **claim** speaks for us: evidence, signatures, tests, approvals, documents, reviews, ratings, owners, acceptances and
closings. A **debt** speaks against us: a weakness, a failure, a demand. A **deadline** is a day, a rhythm or a limit that
we are held to. **Scope** says which thing a row is about, what it is called, and whether it counts. The key of a row has
the kind of the row as a whole. Nothing may look better because a claim is empty, old, dated ahead or not approved.
"""

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import Table

from engine.model.vocabulary import ColumnKind

NOT_IMPORTED = frozenset({"org_id", "revision"})


def _columns(*, claim: str = "", debt: str = "", deadline: str = "", scope: str = "") -> Mapping[str, ColumnKind]:
    groups: tuple[tuple[ColumnKind, str], ...] = (
        ("claim", claim),
        ("debt", debt),
        ("deadline", deadline),
        ("scope", scope),
    )
    return MappingProxyType({column: kind for kind, columns in groups for column in columns.split()})


# fmt: off
KINDS: Mapping[str, Mapping[str, ColumnKind]] = MappingProxyType({
    "absences": _columns(debt="id email starts_on ends_on share_pct repeats title"),
    "approvals": _columns(
        claim="status decided_by decided_at note spent_at spent_by",
        debt="id kind subject requested_by requested_at"),
    "attestations": _columns(
        claim="owner attestor statement outcome attested_at delegated_to",
        deadline="due_on withdrawn_on", scope="id framework control_id"),
    "audit_log": _columns(
        claim="event_id occurred_at actor action outcome controls details",
        scope="object_type object_id workspace_id"),
    "audit_windows": _columns(
        debt="id people weekly_hours", deadline="starts_on ends_on fieldwork_from fieldwork_until",
        scope="framework note"),
    "bundles": _columns(
        claim="id created_by sealed_at sealed_seq manifest_sha256 merkle_root previous_id size_bytes counts",
        scope="requested_window window_start_on window_end_on"),
    "committee_meetings": _columns(claim="id held_on status decisions", scope="committee_id"),
    "committees": _columns(
        claim="chair members", debt="effort_hours", deadline="cadence first_meeting_on", scope="id name"),
    "control_owners": _columns(claim="framework control_id email raci"),
    "control_profiles": _columns(
        claim="justification approved_by approved_on implementation method decision rationale decided_on "
              "policy_pct implemented_pct automated_pct reported_pct sprs_partial risk_ref",
        debt="changed_on", deadline="cadence target target_pct",
        scope="framework control_id applicable tested systems note"),
    "control_state_changes": _columns(
        claim="observed_on state trigger_event", debt="previous", scope="framework control_id"),
    "data_flows": _columns(
        claim="encrypted agreement_ref protocol", scope="id from_system to_system data_class vendor_id"),
    "deploys": _columns(
        debt="status rolled_back_at", scope="id service_id version environment deployed_at actor change_ref"),
    "dry_runs": _columns(
        claim="id outcome actor ran_at policy_id plan inputs inputs_hash", scope="playbook incident_id"),
    "evidence_items": _columns(
        claim="id source owner captured_at location sha256 file", scope="title request_id about"),
    "evidence_links": _columns(claim="evidence_id framework control_id"),
    "evidence_requests": _columns(
        claim="owner backup status auditor_status submitted_on accepted_on closed_on paused_minutes",
        debt="id title requester priority opened_on returns", deadline="due_on", scope="framework control_id"),
    "exceptions": _columns(
        claim="id reason compensating compensating_evidence_on residual approver approved_on status worksheet",
        debt="renewals", deadline="expires_on", scope="kind framework control_id"),
    "executions": _columns(
        claim="id dry_run_id status approval_note rollback_plan actor executed_at mode approval_id approver requester",
        scope="playbook incident_id separation"),
    "findings": _columns(
        claim="status fixed_at",
        debt="id source finding_key title severity port cve cvss epss known_exploited internet_reachable "
             "first_seen_at last_seen_at incident_id details",
        deadline="due_on", scope="service_id vendor_id asset"),
    "incident_actions": _columns(
        claim="owner status closed_on", debt="id title kind", deadline="due_on", scope="incident_id"),
    "incident_timeline": _columns(claim="id happened_at heard_at kind actor body payload", scope="incident_id"),
    "incidents": _columns(
        claim="status acknowledged_at acknowledged_by acknowledged_heard_at mitigated_at resolved_at resolved_heard_at "
              "closed_at closed_by owner root_cause parent_id parent_state parent_reason",
        debt="id title severity source dedupe_key alert_count started_at opened_at opened_heard_at last_seen_at impact_users "
             "related_to host labels annotations runbook_url links value image_url summary",
        scope="service_id workspace_id"),
    "legal_holds": _columns(
        claim="placed_by placed_at custodian reason",
        debt="id matter purges_blocked", scope="incident_id scope released_at released_by"),
    "maintenance_windows": _columns(claim="id reason created_by service_id matchers starts_at ends_at"),
    "memberships": _columns(claim="email role status since_on", scope="workspace_id display_name"),
    "obligation_snapshots": _columns(
        claim="completed", debt="planned planned_hours slipped forecast", scope="week"),
    "on_call_shifts": _columns(claim="id person service_id starts_at ends_at rota"),
    "organization_frameworks": _columns(
        deadline="adopted_on target_on", scope="framework in_scope note in_posture"),
    "organization_rules": _columns(scope="pattern outcome framework control_id effect family note"),
    "organization_settings": _columns(deadline="name value"),
    "organizations": _columns(
        claim="boundary key_custody auth_mode",
        scope="id name time_zone sector headcount deployment_tier plan data_region modules created_at"),
    "owner_capacity": _columns(claim="email hours", debt="absence_hours", scope="week"),
    "plays": _columns(claim="id status owner steps hours_saved started_on closed_on"),
    "poam_items": _columns(
        claim="status closed_on details", debt="id weakness_key detected_on listed_on", deadline="due_on"),
    "policies": _columns(
        claim="id state body rules owner accepted_by accepted_at",
        deadline="review_due_on", scope="policy version kind title playbook workspace_id separation"),
    "policy_blocks": _columns(
        debt="id reason message actor blocked_at overridden", scope="playbook policy_id"),
    "policy_controls": _columns(claim="policy_id framework control_id"),
    "posture_snapshots": _columns(claim="taken_on score components", scope="formulas"),
    "readiness_snapshots": _columns(
        claim="taken_on effective strict_pct weighted_pct fresh_pct attested_pct gaps_closed",
        debt="partial stale ineffective no_data gaps_open gaps_opened", scope="formulas framework not_applicable"),
    "remediations": _columns(
        claim="owner runbook closed_on status compensating compensating_approved_by compensating_approved_on done_hours",
        debt="id title severity opened_on blocked_by details estimate_hours low_hours high_hours left_hours lead_days", deadline="due_on", scope="framework control_id"),
    "retention_overrides": _columns(
        claim="reason approved_by approved_on", deadline="record_class days"),
    "risks": _columns(
        claim="owner likelihood impact residual_likelihood residual_impact treatment reviewed_on status controls "
              "accepted_by accepted_on",
        debt="id title previous_likelihood previous_impact loss_low loss_high identified_on",
        deadline="appetite", scope="category"),
    "service_dependencies": _columns(
        claim="segmented", debt="service_id depends_on_id kind", scope="vendor_id"),
    "service_senders": _columns(claim="service_id token source"),
    "services": _columns(
        claim="owner", scope="id name criticality environment internet_facing holds_customer_data"),
    "slo_buckets": _columns(claim="bucket_at total", debt="bad", scope="service_id"),
    "slo_profiles": _columns(deadline="objective_pct window_kind", scope="service_id indicator"),
    "staffing_actions": _columns(
        claim="assignee relief_hours relief_actual_hours status tracked_on completed_on evidence",
        debt="id kind owner blocked_reason proposed_on", deadline="week", scope="obligation_id"),
    "systems": _columns(
        claim="owner justification last_reviewed_on",
        scope="id name service_id data_classes region boundary environment frameworks pci_class"),
    "test_links": _columns(
        claim="id test_id bundle_id status supplement linked_by linked_at", scope="framework control_id"),
    "test_runs": _columns(
        claim="performed_on outcome performer population tested evidence_received cause response",
        debt="deviations evidence_expected", deadline="window_open_on window_close_on",
        scope="id schedule_id reason"),
    "schedule_controls": _columns(scope="schedule_id framework control_id"),
    "testing_schedules": _columns(
        claim="owner performer", deadline="cadence window_days starts_on ends_on",
        scope="id framework control_id procedure"),
    "tool_rules": _columns(scope="tool rule framework control_id source"),
    "users": _columns(
        claim="email name active", scope="title preferences deletion_requested_at"),
    "vendor_documents": _columns(
        claim="id kind issued_on period_start_on period_end_on opinion in_scope cuecs_mapped flows_down location "
              "assessment assessed_by assessed_on",
        deadline="expires_on", scope="vendor_id"),
    "vendors": _columns(
        claim="owner likelihood impact residual_likelihood residual_impact status last_review_on",
        debt="lead_days", deadline="onboarded_on next_review_on",
        scope="id name service category tier data_classes stores_customer_data privileged_access "
              "outage_stops_service region handles_phi offboarded_on"),
    "workspaces": _columns(scope="id name"),
})
# fmt: on

ASSIGNED = {"audit_log": frozenset({"seq", "recorded_at", "hash"})}
"""Columns beside ``NOT_IMPORTED`` that the console fills in itself."""


def column_kind(table: str, column: str) -> ColumnKind:
    """What an importable column says; KeyError for any other."""
    return KINDS[table][column]


def check_kinds(tables: Mapping[str, Table]) -> None:
    """TypeError names the first importable column without a kind, or the first kind without a column."""
    for name, table in tables.items():
        skipped = NOT_IMPORTED | ASSIGNED.get(name, frozenset())
        imported = {column.name for column in table.columns if not column.info.get("internal")} - skipped
        declared = KINDS.get(name, {})
        for column in sorted(imported ^ set(declared)):
            lack = "no kind" if column in imported else "a kind but is no importable column"
            raise TypeError(f"{name}.{column} has {lack}; engine/store/schema/kinds.py declares one for each.")
