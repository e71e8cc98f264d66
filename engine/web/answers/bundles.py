"""Answers about evidence bundles."""

from datetime import date, datetime

from engine.model.records import BundleRow
from engine.web.answers.digests import DeliveryAnswer
from engine.web.answers.shape import Hash, RevisionAnswer, Shape, mirror_row


class BundleWindow(Shape):
    requested: str
    start_on: date
    end_on: date


class PreviousBundle(Shape):
    id: str
    manifest_sha256: Hash
    merkle_root: Hash


@mirror_row(
    BundleRow,
    """
    id organization state window created_by sealed_at revision counts merkle_root manifest_sha256 previous key_id
    size_bytes archive_sha256
    """,
)
class BundleMetadata(Shape):
    organization: str
    state: str
    window: BundleWindow
    created_by: str | None
    revision: RevisionAnswer
    counts: dict[str, int]
    previous: PreviousBundle | None
    download: str | None


class Bundles(Shape):
    bundles: list[BundleMetadata]


class BundleReceipt(Shape):
    bundle: BundleMetadata
    delivery: list[DeliveryAnswer]


class BundleRun(BundleReceipt):
    org_id: str
    outcome: str


class BundleRuns(Shape):
    runs: list[BundleRun]


class VerifiedFile(Shape):
    """A file of the archive: what it should hash to, what it does, and its path to the Merkle root."""

    name: str
    status: str
    expected: str | None
    found: str | None
    merkle_leaf: str | None
    merkle_path: list[str] | None
    rows: int | None
    bytes: int | None


class VerificationProblem(Shape):
    where: str
    problem: str


class BundleCheck(Shape):
    """A word for each part; ``problem`` names the first broken thing."""

    ok: bool
    problem: str | None
    problems: list[VerificationProblem]
    verified_at: datetime
    verifier_version: str
    archive_ok: bool
    signature_ok: bool
    merkle_root_ok: bool
    sums_ok: bool
    audit_chain_ok: bool | None
    signed_head_ok: bool | None
    chain_link_ok: bool
    audit_log_ok: bool
    files: list[VerifiedFile]


class BundleDetail(Shape):
    """``manifest`` is the in-toto statement of the archive."""

    bundle: BundleMetadata
    manifest: dict[str, object] | None
    verification: BundleCheck
