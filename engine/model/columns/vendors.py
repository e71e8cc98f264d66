"""Columns about vendors and what is inherited from them."""

from collections.abc import Mapping

from engine.model.columns.column import Column

VENDORS: Mapping[str, Column] = {
    "agreement": Column("Agreement", "text", "Whether the agreement that the law asks for is on file."),
    "assurance": Column(
        "Assurance", "word", "Whether valid evidence of the vendor is held: assured, expiring, lapsed, never assured."
    ),
    "assured": Column("Assured", "count", "Vendors with valid evidence that covers the service."),
    "assured_until": Column(
        "Assured until",
        "date",
        "Last day on which the best of the vendor's documents is good; none where it has no end.",
    ),
    "assured_by": Column("Assured by", "word", "Kind of the document that decides whether the vendor is assured."),
    "assured_dated_on": Column("Dated", "date", "Day of that document, or the end of the period that it covers."),
    "attention": Column("Attention", "texts", "Reasons to act on the vendor."),
    "baa_on": Column("BAA", "date", "Day of the business associate agreement."),
    "cuec_unmapped": Column("CUECs not mapped", "count", "Inherited controls whose part on our side is not mapped."),
    "customer_side": Column("What stays with us", "text", "The part of the inherited control that stays with us."),
    "document_id": Column("Document", "text", "Identifier of the vendor's document."),
    "dpa": Column("Agreement", "text", "Whether a data processing agreement is on file."),
    "dpa_on": Column("DPA", "date", "Day of the data processing agreement."),
    "evidenced": Column("Evidenced", "count", "Inherited controls for which valid evidence is held."),
    "evidenced_pct": Column(
        "Evidenced (%)", "percent", "Inherited controls for which valid evidence is held, as a share of all."
    ),
    "expected_evidence": Column("Expected evidence", "word", "Document of the vendor that would show the control."),
    "expiring": Column("Expiring", "count", "Vendors whose evidence ends soon."),
    "flows_down": Column(
        "Binds subcontractors", "flag", "Whether the agreement binds the vendor's own subcontractors."
    ),
    "gap": Column("Gap", "word", "What is missing: why the inherited control or the scope is not shown."),
    "handles_phi": Column("Health data", "flag", "Whether the vendor handles protected health information."),
    "held_id": Column("Held ID", "text", "Identifier of the document that is held."),
    "held_period_end_on": Column("Period end", "date", "Last day of the period that the held document covers."),
    "held_until": Column("Counts until", "date", "Last day on which the held document counts."),
    "inherent_level": Column("Inherent level", "word", "Level of the risk before any measure."),
    "inherited": Column("Inherited", "count", "Controls that vendors operate in part."),
    "inherited_evidenced": Column(
        "Evidenced", "count", "Inherited controls of the vendor for which valid evidence is held."
    ),
    "inherited_from": Column("Vendors inherited from", "count", "Vendors that the specification is inherited from."),
    "inherited_gaps": Column("Inherited gaps", "count", "Inherited controls of the vendor without valid evidence."),
    "inherited_open": Column("Of these not assured", "count", "Vendors inherited from whose evidence has a gap."),
    "inherits": Column("Inherited", "count", "Controls inherited from the business associate."),
    "inherits_open": Column(
        "Not assured", "count", "Controls inherited from the business associate without valid evidence."
    ),
    "iso_expires_on": Column("ISO expiry", "date", "Last day of the vendor's ISO 27001 certificate."),
    "lapsed": Column("Lapsed", "count", "Vendors whose evidence has ended."),
    "last_review_on": Column("Last review", "date", "Day of the vendor's last review."),
    "model": Column(
        "Method", "word", "Whether the vendor's own subcontractors are left out of its report or covered by it."
    ),
    "never_reviewed": Column("Never reviewed", "count", "Vendors that were never reviewed."),
    "next_review_on": Column("Next review", "date", "Day by which the vendor must be reviewed again."),
    "not_assessed": Column("Never assured", "count", "Vendors that no document ever assured."),
    "open_findings": Column("Open findings", "count", "Findings about the vendor that are open."),
    "our_state": Column("Our side", "word", "State of the same control by our own evidence."),
    "pci_aoc_on": Column("PCI AOC", "date", "Day of the vendor's PCI attestation of compliance."),
    "qualified_opinion": Column(
        "Qualified opinion", "count", "Inherited controls whose report has a qualified opinion, or none on record."
    ),
    "rating_unknown": Column(
        "Rating unknown", "flag", "Whether a rating of the vendor is unknown and counts as the worst."
    ),
    "residual_level": Column("Residual level", "word", "Level of the risk after measures."),
    "reused_evidence": Column(
        "Reused evidence", "count", "Inherited controls that a document shows beside the first one."
    ),
    "review": Column("Review", "word", "Whether the vendor's review is current, due soon, overdue or was never held."),
    "review_due_soon": Column("Review due soon", "count", "Vendors whose review falls due soon."),
    "review_overdue": Column("Review overdue", "count", "Vendors whose review is overdue."),
    "reviews_overdue": Column("Reviews overdue", "count", "Vendors whose review is overdue."),
    "deciding_document": Column(
        "Rests on", "text", "Document that gives the vendor's assurance, the last that did where that lapsed."
    ),
    "soc2_kind": Column("SOC 2 type", "word", "Type of the vendor's SOC 2 report."),
    "soc2_opinion": Column("SOC 2 opinion", "word", "Opinion of the auditor in the vendor's SOC 2 report."),
    "soc2_period_end_on": Column(
        "SOC 2 period end", "date", "Last day of the period that the vendor's SOC 2 report covers."
    ),
    "soc2_valid_until": Column("SOC 2 counts until", "date", "Last day on which the vendor's SOC 2 report counts."),
    "tier": Column("Tier", "word", "Tier of the vendor or of the deployment."),
    "unfit": Column("Does not count", "word", "Why a document in force does not assure the vendor."),
    "unfit_kind": Column("Kind", "word", "Kind of the document in force that does not assure the vendor."),
    "unfit_until": Column("In force until", "date", "Last day of the document that does not assure the vendor."),
    "unmapped": Column("Unmapped", "count", "Customer controls that are not mapped to one of ours."),
    "vendor": Column("Vendor", "text", "Name of the vendor."),
    "vendor_id": Column("Vendor ID", "", "Identifier of the vendor.", cells="text"),
    "vendor_tier": Column("Vendor tier", "word", "Tier of the vendor that the duty concerns."),
    "vendors": Column("Vendors", "count", "Vendors of the row."),
    "wrong_scope": Column(
        "Wrong scope", "count", "Inherited controls whose document does not cover the service that we use."
    ),
}
