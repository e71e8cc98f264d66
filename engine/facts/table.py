"""The table of facts: by name, the function that computes each from those that its parameters name."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import polars as pl

from engine.facts import approvals
from engine.facts.assurance import attestations, audit_counts, lineage, testing
from engine.facts.assurance import vendors as vendor_register
from engine.facts.controls import (
    beginnings,
    evidence,
    evidence_lists,
    frameworks,
    gaps,
    graph,
    horizons,
    movements,
    own,
    own_proposals,
    own_rules,
    ownership,
    readiness,
    scope,
    states,
    status,
)
from engine.facts.governance import boundary, digests, governance, operations, programme, risk, senders
from engine.facts.obligations import accepted_plans, duties, forecasting, milestones, obligations, staffing, workload
from engine.facts.obligations import days_away as away
from engine.facts.question import OF_PERIOD
from engine.model.figures.figure import ASK, FIGURES, facts_of
from engine.replica.scans.assurance import OVER
from engine.replica.scans.registry import SCANS

FactFunction = Callable[..., pl.DataFrame]
ASKED = "asked"  # reserved, as ask and figures are: the frame of those that facts are asked about
SCAN_SUFFIX = "_rows"

FACTS: Mapping[str, FactFunction] = {
    # the organization and its controls
    "organization": scope.organization,
    "frameworks": own.frameworks,
    "own_controls": own.own_controls,
    "own_texts": own.own_texts,
    "own_frameworks": own.own_frameworks,
    "own_runbooks": own.own_runbooks,
    "own_pairs": own.own_pairs,
    "own_version": own.own_version,
    "framework_proposals": own_proposals.framework_proposals,
    "framework_targets": scope.framework_targets,
    "controls": scope.controls,
    "requirements": scope.requirements,
    "control_profiles": scope.profiles,
    "crosswalk": scope.crosswalk,
    "nist_pairs": scope.nist_pairs,
    "people": scope.people,
    "names": scope.names,
    "approvers": approvals.approvers,
    "active_policies": scope.active_policies,
    "policies": scope.policies,
    "unaccepted_policies": scope.unaccepted_policies,
    "policy_terms": scope.policy_terms,
    "leverage": gaps.leverage,
    # evidence
    "audit_by_action": audit_counts.audit_by_action,
    "audit_by_tag": audit_counts.audit_by_tag,
    "outcome_counts": own_rules.outcome_counts,
    "recorded_outcomes": own_rules.recorded_outcomes,
    "own_rules": own_rules.own_rules,
    "tagged_events": evidence.tagged_events,
    "open_families": evidence.open_families,
    "contradicting_actions": evidence.contradicting_actions,
    "wanted_contradictions": evidence.wanted_contradictions,
    "contradictions": evidence.contradictions,
    "wanted_event_ids": evidence_lists.wanted_event_ids,
    "record_days": evidence.record_days,
    "evidence_counts": evidence_lists.evidence_counts,
    "evidence_files": evidence_lists.evidence_files,
    "event_starts": beginnings.event_starts,
    "records_since": beginnings.records_since,
    "known_since": beginnings.known_since,
    "control_records": evidence.control_records,
    "control_evidence": evidence.control_evidence,
    "audit_actions": evidence_lists.audit_actions,
    "attestation_duties": attestations.attestation_duties,
    "signature_duties": attestations.signature_duties,
    "days_until_signed": attestations.days_until_signed,
    "signed_freshness": attestations.signed_freshness,
    "attestations": attestations.attestations,
    "test_windows": duties.test_windows,
    "control_tests": duties.control_tests,
    "idle_checks": duties.idle_checks,
    "check_sights": duties.check_sights,
    # state, gaps, readiness
    "control_terms": status.control_terms,
    "control_assessments": status.control_assessments,
    "control_status": status.control_status,
    "control_states": states.control_states,
    "recurring_actions": horizons.recurring_actions,
    "control_horizons": horizons.control_horizons,
    "evidence_endings": horizons.evidence_endings,
    "remediations": gaps.remediations,
    "open_work": gaps.open_work,
    "worked_hours": gaps.worked_hours,
    "vendor_days": gaps.vendor_days,
    "awaited_work": gaps.awaited_work,
    "accepted_plans": accepted_plans.accepted_plans,
    "planned_load": accepted_plans.planned_load,
    "gaps": gaps.gaps,
    "readiness": readiness.readiness,
    "readiness_weeks": readiness.readiness_weeks,
    "readiness_days": readiness.readiness_days,
    "posture": readiness.posture,
    "posture_days": readiness.posture_days,
    "movements": movements.movements,
    # vendors and risk
    "vendor_documents": vendor_register.documents,
    "vendor_controls": vendor_register.vendor_controls,
    "vendors": vendor_register.vendors,
    "risks": risk.risks,
    "exceptions": risk.exceptions,
    # operations
    "incidents": operations.incidents,
    "service_health": operations.service_health,
    "bundles": operations.bundles,
    "senders": senders.senders,
    "service_watch": senders.service_watch,
    "dead_letters": senders.dead_letters,
    # duties and capacity
    "requests": duties.requests,
    "meetings": duties.meetings,
    "committee_decisions": duties.committee_decisions,
    "obligations": obligations.obligations,
    "days_away": away.days_away,
    "owner_weeks": workload.owner_weeks,
    "load": workload.load,
    "obligation_weeks": forecasting.obligation_weeks,
    "plays": forecasting.plays,
    "density_alerts": forecasting.density_alerts,
    "linked_evidence": forecasting.linked_evidence,
    "committees": forecasting.committees,
    "members": staffing.members,
    "staffing_notices": staffing.staffing_notices,
    "staffing_actions": staffing.staffing_actions,
    # digests: what was sent before, the catalogue as it was last seen
    "reminders": digests.reminders,
    "digest_days": digests.digest_days,
    "catalogue_entries": digests.catalogue_entries,
    "catalogue_seen": digests.catalogue_seen,
    "requirements_seen": digests.requirements_seen,
    "edges_seen": digests.edges_seen,
    # deployment, retention, refusals
    "deployment": governance.deployment,
    "destinations": governance.destinations,
    "legal_holds": governance.legal_holds,
    "retention": governance.retention,
    "policy_blocks": governance.policy_blocks,
    "automation_runs": governance.automation_runs,
    # framework packs
    "action_days": frameworks.action_days,
    "criteria_tag_days": frameworks.criteria_tag_days,
    "criteria_days": frameworks.criteria_days,
    "criteria_events": frameworks.criteria_events,
    "state_changes": frameworks.state_changes,
    "agreements": frameworks.agreements,
    "findings": frameworks.findings,
    "poam": milestones.poam,
    # ownership, scope, tests, lineage
    "raci": ownership.raci,
    "systems": boundary.systems,
    "data_flows": boundary.data_flows,
    "observations": boundary.observations,
    "tests": testing.tests,
    "test_matches": testing.test_matches,
    "test_links": testing.test_links,
    "claim_evidence": lineage.claim_evidence,
    "bundled_events": lineage.bundled_events,
    "bundle_trees": lineage.bundle_trees,
    "bundle_proofs": lineage.bundle_proofs,
    "claims": lineage.claims,
    "orphan_evidence": lineage.orphan_evidence,
    # scenarios, benchmarks, guardrails, the graph of controls
    "scenarios": programme.scenarios,
    "scenario_requirements": programme.scenario_requirements,
    "scenario_answers": programme.scenario_answers,
    "benchmark_members": programme.benchmark_members,
    "benchmark_studies": programme.benchmark_studies,
    "guardrails": programme.guardrails,
    "graph_edges": graph.graph_edges,
    "graph_nodes": graph.graph_nodes,
}


OVER_PERIOD = frozenset({"control_records", "control_terms", "movements", "posture", "readiness"})
"""Facts that look at the period that is asked about, beside those that are made from these or from scans that do."""
_READS_PERIOD = re.compile(rf"\bq\.(?:{'|'.join(OF_PERIOD)})\b")
OF_EVERYBODY = frozenset({"crosswalk", "nist_pairs", "catalogue_entries"})
"""Facts with rows of the program beside those of organizations; these have no ``org_id``."""


def inputs(function: Callable[..., object]) -> tuple[str, ...]:
    """The facts and scans that a function takes: the names of its parameters, but for ``ask`` and ``figures``."""
    return facts_of(function)


def sources_of(name: str) -> tuple[str, ...]:
    """The facts and scans that a fact is computed from, and those that a scan reads as tables."""
    return OVER.get(name, ()) if name in SCANS else inputs(FACTS[name])


@cache
def has_period(name: str) -> bool:
    """Whether a fact or a scan may differ from one period to another that ends on the same day."""
    if name == ASKED:
        return True
    mine = _READS_PERIOD.search(SCANS[name]) is not None if name in SCANS else name in OVER_PERIOD
    return mine or any(has_period(part) for part in sources_of(name) if part != ASKED)


def check_names(functions: Mapping[str, Callable[..., object]]) -> None:
    """TypeError names the first parameter of a function that is neither a fact nor a scan."""
    check_facts({name: inputs(function) for name, function in functions.items()})


def check_facts(taken: Mapping[str, Sequence[str]]) -> None:
    """TypeError names the first of the facts that something takes which is neither a fact nor a scan."""
    for name, parts in taken.items():
        for part in parts:
            if part not in FACTS and part not in SCANS and part != ASKED:
                raise TypeError(
                    f"{name} takes {part!r}, which is no fact and no scan; facts are in FACTS of "
                    "engine/facts, scans are named <name>_rows."
                )


def _check_groups() -> None:
    """TypeError for a name in two groups, or for a scan that is not named as one."""
    for name in (ASK, FIGURES, ASKED):
        if name in FACTS or name in SCANS:
            raise TypeError(f"{name!r} is reserved and can be neither a fact nor a scan.")
    for name in SCANS:
        if name in FACTS or not name.endswith(SCAN_SUFFIX):
            raise TypeError(f"The scan {name!r} must be named <name>{SCAN_SUFFIX}, and no fact may bear its name.")
    for name in FACTS:
        if name.endswith(SCAN_SUFFIX):
            raise TypeError(f"The fact {name!r} is named as if it were a scan.")


_check_groups()
check_names(FACTS)
