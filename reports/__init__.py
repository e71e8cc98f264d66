"""The catalogue: every report, in the order in which people look for them."""

from engine.report import Report
from reports.deployment import legal_holds, policy_blocks, profile, retention
from reports.evidence import attestations, evidence_freshness
from reports.frameworks import iso_assessment, pci_dss
from reports.mapping import crosswalk
from reports.obligations import (
    calendar,
    obligation_consolidation,
    obligation_crossover,
    obligation_density_alerts,
    obligation_density_trend_history,
    obligation_forecast,
    obligation_heatmap,
    obligation_ics,
    obligation_rollup,
    obligation_whatif,
)
from reports.programme import (
    baseline_comparison,
    control_health_scorecard,
    executive_summary,
    gap_remediations,
    posture_score,
    program,
    risk_heatmap,
    summary,
)
from reports.vendors import third_party_vendors

REPORTS: tuple[Report, ...] = (
    # the programme as a whole
    summary.REPORT,
    program.REPORT,
    posture_score.REPORT,
    executive_summary.REPORT,
    risk_heatmap.REPORT,
    gap_remediations.REPORT,
    control_health_scorecard.REPORT,
    baseline_comparison.REPORT,
    # evidence
    evidence_freshness.REPORT,
    attestations.REPORT,
    # mapping
    crosswalk.REPORT,
    # obligations
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
    # vendors
    third_party_vendors.REPORT,
    # frameworks
    iso_assessment.REPORT,
    pci_dss.REPORT,
    # deployment and records
    profile.REPORT,
    retention.REPORT,
    legal_holds.REPORT,
    policy_blocks.REPORT,
)

CATALOGUE = {report.name: report for report in REPORTS}
