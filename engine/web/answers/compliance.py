"""Answers of the chapter Governance and compliance: links, the evidence export, vendors."""

from datetime import date, datetime

from engine.model.records import TestLinkRow, VendorRow
from engine.model.vocabulary import LinkOutcome, Outcome, VendorTier
from engine.web.answers.shape import Hash, RevisionAnswer, Shape, mirror_row


@mirror_row(TestLinkRow, "test_id framework control_id bundle_id outcome link_id supplement")
class LinkResult(Shape):
    outcome: LinkOutcome
    link_id: str | None
    reason: str | None
    message: str | None


class LinkReceipt(Shape):
    created: int
    duplicate: int
    refused: int
    links: list[LinkResult]


class EvidenceParameters(Shape):
    window: str
    framework: str | None


class EvidenceRow(Shape):
    """An audit event or an accepted policy, with the controls that it is evidence for."""

    event_id: str | None
    at: datetime
    actor: str | None
    action: str
    object: str | None
    control_tags: list[str]
    framework: list[str]
    evidence_id: str
    hash: Hash | None
    prev_hash: str | None
    policy_version: int | None
    outcome: Outcome | None
    seq: int | None


class AbsentFile(Shape):
    """A file of evidence whose bytes the console holds, and this answer does not carry."""

    item: str
    title: str
    name: str | None
    captured_at: datetime
    control_tags: list[str]
    sha256: Hash
    bytes: int | None


class EvidenceManifest(Shape):
    """``files_left_out`` are the held files of the window: JSON carries none, a bundle does."""

    rows: int
    policies: int
    events: int
    rows_with_tags: int
    first_seq: int | None
    last_seq: int | None
    prev_hash_of_first: str | None
    hash_of_last: str | None
    since: datetime | None
    frameworks: list[str]
    catalogue_version: str
    columns: list[str]
    rows_sha256: Hash
    files_left_out: list[AbsentFile]
    files_note: str


class EvidenceExport(Shape):
    """An answer without ``manifest`` was cut off."""

    report: str
    schema_version: int
    organization: str
    as_of: date
    revision: RevisionAnswer
    parameters: EvidenceParameters
    evidence: list[EvidenceRow]
    manifest: EvidenceManifest


@mirror_row(
    VendorRow,
    """
    id name service owner category tier data_classes stores_customer_data privileged_access outage_stops_service
    likelihood impact status region handles_phi onboarded_on next_review_on
    """,
)
class VendorAnswer(Shape):
    status: str


class VendorDerivation(Shape):
    tier: VendorTier
    tier_reasons: list[str]
    tier_rule: int | None
    review_every_months: int
    first_review_on: date
    documents_to_ask_for: list[str]
    inherited_controls: int


class InheritedControlAnswer(Shape):
    framework: str
    control_id: str
    title: str
    reason: str
    expected_evidence: str
    model: str
    customer_side: str
    rule_version: str


class VendorReceipt(Shape):
    """The vendor, what followed from its tier and category, and the controls that it inherits."""

    vendor: VendorAnswer
    derived: VendorDerivation
    inherited: list[InheritedControlAnswer]
    note: str
