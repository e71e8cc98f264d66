"""Facts: what many reports look at, computed once.

A fact function takes and returns frames with an ``org_id`` column, so one organization on demand and all of them in
the nightly batch run through the same code. ``FACTS`` says what each is made from: other facts, ``asked`` (who, which
day, which thresholds), or ``stored:…`` (a scan of the replica). Columns are declared in ``schemas``.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from engine.reporting.facts import (
    assurance_scans,
    attestations,
    boundary,
    digests,
    duties,
    evidence,
    forecasting,
    frameworks,
    gaps,
    governance,
    graph,
    lineage,
    obligations,
    operations,
    ownership,
    programme,
    readiness,
    risk,
    scope,
    staffing,
    status,
    testing,
    workload,
)
from engine.reporting.facts import vendors as vendor_register
from engine.reporting.facts.question import BOUNDS, FactQuestion, asked_frame
from engine.reporting.facts.scans import SCANS
from engine.reporting.facts.schemas import SCHEMAS
from engine.reporting.replica import View


@dataclass(frozen=True)
class Fact:
    """How a frame is made: ``build`` takes the frames named by ``takes``, in that order."""

    build: Callable[..., pl.DataFrame]
    takes: tuple[str, ...] = ()


FACTS: Mapping[str, Fact] = {
    # the organization and its controls
    "organization": Fact(scope.organization, ("stored:organizations", "stored:organization_frameworks")),
    "controls": Fact(scope.controls, ("organization", "stored:control_profiles")),
    "requirements": Fact(scope.requirements, ("organization",)),
    "control_profiles": Fact(scope.profiles, ("stored:control_profiles",)),
    "crosswalk": Fact(scope.crosswalk),
    "people": Fact(scope.people, ("stored:users",)),
    "policies": Fact(scope.policies, ("stored:policies", "stored:policy_controls", "asked")),
    "unlocked": Fact(gaps.leverage, ("controls", "crosswalk")),
    # evidence
    "tagged_events": Fact(evidence.tagged_events, ("stored:audit_by_action", "stored:audit_by_tag", "controls")),
    "contradictions": Fact(evidence.contradictions, ("tagged_events",)),
    "wanted_event_ids": Fact(evidence.wanted_event_ids, ("stored:audit_by_action", "tagged_events")),
    "record_days": Fact(
        evidence.record_days, ("stored:evidence_items", "test_windows", "stored:test_links", "asked")
    ),
    "evidence_counts": Fact(evidence.evidence_counts, ("stored:evidence_items",)),
    "control_evidence": Fact(
        evidence.control_evidence,
        ("tagged_events", "contradictions", "event_ids", "stored:evidence_items", "test_windows", "stored:test_links",
         "policies", "attestations", "controls", "asked"),
    ),
    "audit_actions": Fact(evidence.audit_actions, ("stored:audit_by_action", "event_ids", "controls")),
    "attestations": Fact(
        attestations.attestations,
        ("stored:attestations", "stored:attestation_days", "evidence_counts", "stored:audit_days",
         "stored:named_when_signed", "record_days", "controls", "asked"),
    ),
    "test_windows": Fact(duties.test_windows, ("stored:testing_schedules", "stored:test_runs", "asked")),
    # state, gaps, readiness
    "control_status": Fact(
        status.control_status,
        ("controls", "stored:control_profiles", "control_evidence", "tagged_events", "attestations", "policies",
         "test_windows", "stored:control_owners", "stored:users", "exceptions", "stored:control_state_changes",
         "unlocked", "stored:evidence_items", "asked"),
    ),
    "remediations": Fact(gaps.remediations, ("stored:remediations", "asked")),
    "open_work": Fact(gaps.open_work, ("remediations", "stored:remediations")),
    "gaps": Fact(
        gaps.gaps, ("control_status", "unlocked", "open_work", "stored:dry_runs", "asked")
    ),
    "readiness": Fact(readiness.readiness, ("control_status", "stored:readiness_snapshots", "asked")),
    "readiness_weeks": Fact(readiness.readiness_weeks, ("stored:readiness_snapshots",)),
    "readiness_days": Fact(readiness.readiness_days, ("stored:readiness_snapshots",)),
    "posture": Fact(
        readiness.posture,
        ("control_status", "vendors", "remediations", "service_health", "stored:posture_snapshots", "asked"),
    ),
    # vendors and risk
    "vendor_documents": Fact(vendor_register.documents, ("stored:vendor_documents", "asked")),
    "vendor_controls": Fact(
        vendor_register.vendor_controls,
        ("stored:vendors", "vendor_documents", "organization", "controls", "unlocked", "asked"),
    ),
    "vendors": Fact(vendor_register.vendors, ("stored:vendors", "vendor_documents", "vendor_controls", "asked")),
    "risks": Fact(risk.risks, ("stored:risks", "asked")),
    "exceptions": Fact(risk.exceptions, ("stored:exceptions", "controls", "asked")),
    # operations
    "incidents": Fact(operations.incidents, ("stored:incidents", "asked")),
    "service_health": Fact(operations.service_health, ("stored:services", "stored:slo_profiles", "stored:slo_sums")),
    "bundles": Fact(operations.bundles, ("stored:bundles",)),
    # duties and capacity
    "requests": Fact(duties.requests, ("stored:evidence_requests", "stored:request_evidence", "asked")),
    "meetings": Fact(duties.meetings, ("stored:committees", "stored:committee_meetings", "asked")),
    "obligations": Fact(
        obligations.obligations,
        ("stored:attestations", "stored:attestation_days", "stored:vendors", "vendors", "stored:bundles",
         "test_windows", "stored:testing_schedules", "requests", "stored:evidence_requests", "stored:policies",
         "stored:policy_controls", "stored:poam_items", "stored:exceptions", "stored:organization_frameworks",
         "meetings", "stored:control_owners", "controls", "stored:revision_days", "asked"),
    ),
    "owner_weeks": Fact(workload.owner_weeks, ("obligations", "stored:owner_capacity", "stored:users", "asked")),
    "load": Fact(forecasting.load, ("obligations", "asked")),
    "obligation_weeks": Fact(forecasting.obligation_weeks, ("stored:obligation_snapshots", "asked")),
    "plays": Fact(forecasting.plays, ("stored:plays",)),
    "density_alerts": Fact(forecasting.density_alerts, ("stored:deliveries", "stored:density_cleared")),
    "linked_evidence": Fact(forecasting.linked_evidence, ("stored:linked_evidence", "controls")),
    "committees": Fact(forecasting.committees, ("stored:committee_members",)),
    "members": Fact(staffing.members, ("stored:memberships",)),
    "staffing_notices": Fact(staffing.staffing_notices, ("stored:deliveries",)),
    "staffing_actions": Fact(
        staffing.staffing_actions,
        ("stored:staffing_actions", "staffing_notices", "obligations", "committees", "meetings", "people", "asked"),
    ),
    # digests: what was sent before, the catalogue as it was last seen
    "reminders": Fact(digests.reminders, ("stored:deliveries",)),
    "digest_days": Fact(digests.digest_days, ("stored:deliveries",)),
    "catalogue_rows": Fact(digests.catalogue_rows),
    "catalogue_seen": Fact(digests.catalogue_seen, ("stored:catalogue_snapshots",)),
    "requirements_seen": Fact(digests.requirements_seen, ("stored:catalogue_snapshots",)),
    "edges_seen": Fact(digests.edges_seen, ("stored:catalogue_snapshots",)),
    # deployment, retention, refusals
    "deployment": Fact(governance.deployment, ("stored:deployment", "asked")),
    "destinations": Fact(governance.destinations, ("stored:connections", "stored:recipients", "asked")),
    "legal_holds": Fact(governance.legal_holds, ("stored:legal_holds", "asked")),
    "retention": Fact(governance.retention, ("stored:audit_retention", "stored:incident_retention", "asked")),
    "policy_blocks": Fact(governance.policy_blocks, ("stored:policy_blocks", "asked")),
    "automation_runs": Fact(governance.automation_runs, ("stored:automation_runs", "asked")),
    # framework packs
    "criteria_days": Fact(
        frameworks.criteria_days, ("stored:audit_days", "stored:criteria_tag_days", "record_days", "controls", "asked")
    ),
    "criteria_events": Fact(frameworks.criteria_events, ("tagged_events",)),
    "state_changes": Fact(frameworks.state_changes, ("stored:control_state_changes",)),
    "agreements": Fact(frameworks.agreements, ("vendor_documents",)),
    "findings": Fact(frameworks.findings, ("stored:findings", "stored:services", "asked")),
    "poam": Fact(frameworks.poam, ("stored:poam_ledger", "asked")),
    # ownership, scope, tests, lineage
    "raci": Fact(ownership.raci, ("stored:control_owners", "stored:users", "controls")),
    "systems": Fact(
        boundary.systems, ("stored:systems", "stored:profile_systems", "stored:service_facts", "organization")
    ),
    "data_flows": Fact(boundary.data_flows, ("stored:data_flows", "systems", "stored:vendors")),
    "observed": Fact(
        boundary.observations,
        ("stored:sightings", "stored:strange_alerts", "stored:service_facts", "systems", "asked"),
    ),
    "tests": Fact(testing.tests, ("stored:rehearsals", "test_windows", "asked")),
    "test_matches": Fact(testing.test_matches, ("tests", "controls", "stored:policy_controls", "asked")),
    "test_links": Fact(testing.test_links, ("stored:linked_tests", "tests", "controls", "asked")),
    "sought": Fact(lineage.claim_evidence, ("control_evidence",)),
    "bundle_proofs": Fact(lineage.bundle_proofs, ("stored:bundle_files",)),
    "claims": Fact(
        lineage.claims, ("control_evidence", "control_status", "proofs", "stored:sealed_bundles", "bundle_proofs")
    ),
    "orphan_evidence": Fact(lineage.orphan_evidence, ("stored:unlinked_items", "policies", "asked")),
    # scenarios, benchmarks, guardrails, the graph of controls
    "scenarios": Fact(programme.scenarios),
    "scenario_requirements": Fact(programme.scenario_requirements),
    "scenario_answers": Fact(programme.scenario_answers),
    "benchmark_members": Fact(programme.benchmark_members),
    "benchmark_studies": Fact(programme.benchmark_studies),
    "guardrails": Fact(
        programme.guardrails, ("policies", "stored:policies", "controls", "unlocked", "organization", "asked")
    ),
    "graph_edges": Fact(
        graph.graph_edges,
        ("control_status", "unlocked", "tagged_events", "stored:evidence_stores", "test_windows", "policies",
         "vendor_controls", "systems", "stored:profile_systems", "stored:service_links"),
    ),
    "graph_nodes": Fact(
        graph.graph_nodes,
        ("control_status", "requirements", "policies", "vendors", "systems", "stored:services", "test_windows",
         "graph_edges"),
    ),
}  # fmt: skip

_EVENT_IDS = """
    SELECT a.org_id, a.seq, a.event_id
    FROM audit_log a WHERE a.rowid IN (SELECT b.rowid FROM audit_log b JOIN wanted w USING (org_id, seq))
"""


class Facts:
    """The facts of some organizations in one view of the replica, each computed when it is first asked for."""

    def __init__(self, view: View, questions: Sequence[FactQuestion]) -> None:
        self._view = view
        self._lock = threading.RLock()
        self._frames: dict[str, pl.DataFrame] = {"asked": asked_frame(questions)}
        view.offer("asked", self._frames["asked"].select(BOUNDS))

    def __getitem__(self, name: str) -> pl.DataFrame:
        with self._lock:
            if name not in self._frames:
                self._frames[name] = self._make(name)
            return self._frames[name]

    def of(self, org_id: str, name: str) -> pl.DataFrame:
        """The rows of one organization; facts of the catalogue have no organization and come whole."""
        frame = self[name]
        return frame.filter(pl.col("org_id") == org_id) if "org_id" in frame.columns else frame

    def _make(self, name: str) -> pl.DataFrame:
        if name.startswith("stored:"):
            return self._view.frame(SCANS[name.removeprefix("stored:")])
        if name == "event_ids":
            self._view.offer("wanted", self["wanted_event_ids"])
            return self._view.frame(_EVENT_IDS)
        if name == "proofs":
            self._view.offer("sought", self["sought"])
            return self._view.frame(assurance_scans.PROOFS)
        fact = FACTS[name]
        return fact.build(*(self[part] for part in fact.takes))


__all__ = ["FACTS", "SCHEMAS", "Fact", "Facts", "FactQuestion"]
