"""Figures of the PCI DSS assessment."""

import polars as pl

from engine.model.figures.aggregates import Count, First, Share
from engine.model.figures.figure import Figure
from reports.frameworks.pci.pci_findings import (
    IN_PLACE,
    NOT_APPLICABLE,
    NOT_IN_PLACE,
    NOT_TESTED,
    findings,
    principals,
    verdict,
)

FINDING, METHOD = pl.col("finding"), pl.col("method")
TALLY = "{in_place} In Place, {not_applicable} Not Applicable, {not_tested} Not Tested, {not_in_place} Not in Place"

FIGURES = (
    Figure(
        "pci_overall",
        "PCI DSS overall",
        "word",
        "neither",
        "Compliant only if every PCI DSS requirement is In Place or Not Applicable; insufficient data where none "
        "was found In Place or Not in Place.",
        verdict,
        First("overall"),
        reason=TALLY,
    ),
    Figure(
        "pci_assessment",
        "Extent of the PCI DSS assessment",
        "word",
        "neither",
        "Partial where at least one PCI DSS requirement is Not Tested, else full.",
        verdict,
        First("assessment"),
        reason=TALLY,
    ),
    Figure(
        "pci_requirements",
        "PCI DSS requirements",
        "count",
        "neither",
        "Requirements of PCI DSS that are assessed, whatever the finding.",
        findings,
        Count(),
        reason="{finding}",
    ),
    Figure(
        "pci_requirements_in_place",
        "PCI DSS requirements In Place",
        "count",
        "more",
        "PCI DSS requirements that were tested and whose elements are all met by evidence in its window.",
        findings,
        Count(),
        FINDING == IN_PLACE,
        "{method} approach, {state}",
    ),
    Figure(
        "pci_requirements_not_applicable",
        "PCI DSS requirements Not Applicable",
        "count",
        "neither",
        "PCI DSS requirements that do not apply, with justification, approver and date on record.",
        findings,
        Count(),
        FINDING == NOT_APPLICABLE,
        "{justification}, approved {approved_on}",
    ),
    Figure(
        "pci_requirements_not_tested",
        "PCI DSS requirements Not Tested",
        "count",
        "less",
        "PCI DSS requirements that are excluded from the assessment, so that nothing is said about them.",
        findings,
        Count(),
        FINDING == NOT_TESTED,
        "{why}",
    ),
    Figure(
        "pci_requirements_not_in_place",
        "PCI DSS requirements Not in Place",
        "count",
        "less",
        "PCI DSS requirements that are not met, not proven, or still being put in place.",
        findings,
        Count(),
        FINDING == NOT_IN_PLACE,
        "{why}",
    ),
    Figure(
        "pci_in_place_pct",
        "PCI DSS requirements In Place, share",
        "percent",
        "more",
        "In Place as a share of the PCI DSS requirements that are not Not Applicable. It measures progress; there "
        "is no such thing as being compliant in part.",
        findings,
        Share(FINDING == IN_PLACE),
        FINDING != NOT_APPLICABLE,
        "{finding}",
    ),
    Figure(
        "pci_compensating",
        "PCI DSS requirements with a compensating control",
        "count",
        "neither",
        "PCI DSS requirements whose recorded method is a compensating control, proven or not.",
        findings,
        Count(),
        METHOD == "compensating",
        "{finding}, worksheet {compensating_control}",
    ),
    Figure(
        "pci_customised",
        "PCI DSS requirements by the customised approach",
        "count",
        "neither",
        "PCI DSS requirements whose recorded method is the customised approach, proven or not.",
        findings,
        Count(),
        METHOD == "customised",
        "{finding}, risk analysis {risk_ref}",
    ),
    Figure(
        "pci_principals_met",
        "PCI DSS principal requirements met",
        "count",
        "more",
        "Of the twelve principal requirements of PCI DSS, those under which every requirement is In Place or Not "
        "Applicable.",
        principals,
        Count(),
        FINDING.is_in([IN_PLACE, NOT_APPLICABLE]),
        "{requirement} {title}",
    ),
)
