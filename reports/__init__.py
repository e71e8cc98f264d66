"""The catalogue: every report, in the order in which people look for them."""

from engine.report import Report
from reports.evidence import attestations, evidence_freshness
from reports.frameworks import iso_assessment, pci_dss
from reports.mapping import crosswalk
from reports.obligations import calendar, obligation_ics
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
    # vendors
    third_party_vendors.REPORT,
    # frameworks
    iso_assessment.REPORT,
    pci_dss.REPORT,
)

CATALOGUE = {report.name: report for report in REPORTS}
