"""The catalogue: every report by section, in the order in which people look for them."""

from collections.abc import Mapping
from itertools import chain

from engine.facts import check_names
from engine.model.declarations.report import Report
from reports.capacity import committee_capacity_budget, committee_digest, obligation_load_balancing
from reports.deployment import legal_holds, policy_blocks, profile, retention
from reports.evidence import (
    attestation_renewal,
    attestations,
    evidence_freshness,
    evidence_request_sla,
    evidence_requests,
    sla_reminders,
)
from reports.frameworks.cis import cis_v8
from reports.frameworks.cmmc import cmmc_l2
from reports.frameworks.gdpr import gdpr_art32
from reports.frameworks.hipaa import hipaa
from reports.frameworks.iso27001 import iso_assessment
from reports.frameworks.nist import nist_csf
from reports.frameworks.pci import pci_dss
from reports.frameworks.poam import fedramp_poam
from reports.frameworks.soc2 import type_ii
from reports.mapping import crosswalk, mapping_digest
from reports.obligations.calendar import calendar, obligation_ics
from reports.obligations.crossover import obligation_consolidation, obligation_crossover
from reports.obligations.density import obligation_density_alerts, obligation_density_trend_history
from reports.obligations.forecast import obligation_forecast
from reports.obligations.rollup import obligation_heatmap, obligation_rollup
from reports.obligations.whatif import obligation_whatif
from reports.ownership import control_ownership, exception_register, scope_boundary
from reports.programme.activity import summary
from reports.programme.board import executive_summary, program
from reports.programme.graph import control_graph
from reports.programme.health import control_health_scorecard
from reports.programme.packs import baseline_comparison, benchmarking
from reports.programme.plans import readiness_plan
from reports.programme.posture import posture_score
from reports.programme.regulation import regulatory_impact
from reports.programme.risk import gap_remediations, risk_heatmap
from reports.programme.trends import kpi_trends, policy_drift
from reports.staffing import (
    cross_staffing_committee_escalation,
    peak_week_staffing_digest,
    staffing_action_reminders,
    staffing_actions,
    staffing_completion_rollup,
    staffing_sla_breach_digest,
)
from reports.testing import evidence_lineage, testing_evidence_linker, testing_schedules
from reports.vendors import inherited_control_gaps, third_party_vendors

SECTIONS: Mapping[str, tuple[Report, ...]] = {
    "The programme as a whole": (
        summary.REPORT,
        program.REPORT,
        posture_score.REPORT,
        executive_summary.REPORT,
        risk_heatmap.REPORT,
        gap_remediations.REPORT,
        control_health_scorecard.REPORT,
        baseline_comparison.REPORT,
        kpi_trends.REPORT,
        policy_drift.REPORT,
        control_graph.REPORT,
        regulatory_impact.REPORT,
        benchmarking.REPORT,
    ),
    "Evidence and tests": (
        evidence_freshness.REPORT,
        attestations.REPORT,
        testing_schedules.REPORT,
        testing_evidence_linker.REPORT,
        evidence_lineage.REPORT,
        attestation_renewal.REPORT,
        evidence_requests.REPORT,
        evidence_request_sla.REPORT,
        sla_reminders.REPORT,
    ),
    "Ownership, exceptions and scope": (control_ownership.REPORT, exception_register.REPORT, scope_boundary.REPORT),
    "Mappings": (crosswalk.REPORT, mapping_digest.REPORT),
    "Obligations": (
        calendar.REPORT,
        obligation_ics.REPORT,
        obligation_rollup.REPORT,
        obligation_heatmap.REPORT,
        obligation_forecast.REPORT,
        obligation_whatif.REPORT,
        obligation_crossover.REPORT,
        obligation_consolidation.REPORT,
        obligation_density_alerts.REPORT,
        obligation_density_trend_history.REPORT,
    ),
    "Capacity and staffing": (
        committee_capacity_budget.REPORT,
        obligation_load_balancing.REPORT,
        peak_week_staffing_digest.REPORT,
        staffing_actions.REPORT,
        staffing_action_reminders.REPORT,
        staffing_completion_rollup.REPORT,
        staffing_sla_breach_digest.REPORT,
        cross_staffing_committee_escalation.REPORT,
        committee_digest.REPORT,
    ),
    "Vendors": (third_party_vendors.REPORT, inherited_control_gaps.REPORT),
    "Frameworks": (
        type_ii.REPORT,
        iso_assessment.REPORT,
        pci_dss.REPORT,
        hipaa.REPORT,
        nist_csf.REPORT,
        cis_v8.REPORT,
        cmmc_l2.REPORT,
        gdpr_art32.REPORT,
        fedramp_poam.REPORT,
    ),
    "Deployment and records": (profile.REPORT, retention.REPORT, legal_holds.REPORT, policy_blocks.REPORT),
}

REPORTS: tuple[Report, ...] = tuple(chain.from_iterable(SECTIONS.values()))

check_names({report.name: report.build for report in (*REPORTS, readiness_plan.REPORT)})
CATALOGUE = {report.name: report for report in REPORTS}
