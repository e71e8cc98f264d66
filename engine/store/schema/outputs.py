"""What the console itself keeps: snapshots, bundles, deliveries, runs of jobs, credentials."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, PrimaryKeyConstraint, String, UniqueConstraint

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    control,
    day,
    flag,
    instant,
    json,
    key,
    metadata,
    number,
    person,
    person_key,
    reference,
    tenant_table,
    text,
    whole_number,
)
from engine.store.types import Instant

readiness_snapshots: TypedTable[records.ReadinessSnapshotRow] = tenant_table(
    "readiness_snapshots",
    "Readiness of a framework on a day, as computed then. Never recomputed with later rules.",
    day("taken_on", "day"),
    key("framework", "framework"),
    whole_number("effective", "controls effective", low=0),
    whole_number("partial", "controls partial", low=0),
    whole_number("stale", "controls stale", low=0),
    whole_number("ineffective", "controls ineffective", low=0),
    whole_number("no_data", "controls without data", low=0),
    whole_number("not_applicable", "controls not applicable", low=0),
    number("strict_pct", "strict readiness (F3)", null=True, high=100),
    number("weighted_pct", "weighted readiness (F3)", null=True, high=100),
    number("fresh_pct", "controls with fresh evidence", null=True, high=100),
    number("attested_pct", "attestations that are current", null=True, high=100),
    whole_number("gaps_open", "open gaps", null=True, low=0),
    whole_number("gaps_opened", "gaps opened since the snapshot before", null=True, low=0),
    whole_number("gaps_closed", "gaps closed since the snapshot before", null=True, low=0),
    json("formulas", "version of the formula of each figure that it was computed by; empty: before there were any"),
    primary=("framework", "taken_on"),
)

posture_snapshots: TypedTable[records.PostureSnapshotRow] = tenant_table(
    "posture_snapshots",
    "Posture score of a day with its components, as computed then.",
    day("taken_on", "day"),
    number("score", "posture score (F4)", null=True, high=100),
    json("components", "value of each component; absent ones are missing"),
    json("formulas", "version of the formula of each figure that it was computed by; empty: before there were any"),
    primary=("taken_on",),
)

control_state_changes: TypedTable[records.ControlStateChangeRow] = tenant_table(
    "control_state_changes",
    "The state of a control as first seen in a snapshot; a row only where it changed.",
    *control(),
    day("observed_on", "day of the snapshot"),
    choice("state", "state from then on", "ControlState"),
    choice("previous", "state before", "ControlState", null=True),
    text("trigger_event", "audit event that explains the change", null=True),
    primary=("framework", "control_id", "observed_on"),
)

obligation_snapshots: TypedTable[records.ObligationSnapshotRow] = tenant_table(
    "obligation_snapshots",
    "What a week held as planned at its start, and what became of it.",
    key("week", "ISO week such as 2026-W47"),
    whole_number("planned", "obligations planned at the start of the week", low=0),
    number("planned_hours", "their effort"),
    whole_number("completed", "completed in the week", null=True, low=0),
    whole_number("slipped", "not completed in the week", null=True, low=0),
    whole_number("forecast", "obligations forecast four weeks before", null=True, low=0),
    primary=("week",),
)

catalogue_snapshots: TypedTable[records.CatalogueSnapshotRow] = tenant_table(
    "catalogue_snapshots",
    "The catalogue and crosswalks as an organization last saw them.",
    day("taken_on", "day"),
    text("catalogue_version", "hash of the catalogue"),
    json("content", "requirements and edges", null=False, holds="dict[str, Json]"),
    primary=("taken_on",),
    importable=False,
)

bundles: TypedTable[records.BundleRow] = tenant_table(
    "bundles",
    "A sealed archive of evidence, chained to the one before.",
    key("id", "identifier"),
    text("requested_window", "window asked for, such as 30d"),
    day("window_start_on", "first day"),
    day("window_end_on", "last day"),
    person("created_by", "who sealed it"),
    instant("sealed_at", "when it was sealed"),
    whole_number("sealed_seq", "audit position that it was sealed at", low=0),
    text("manifest_sha256", "hash of the manifest", null=True),
    text("merkle_root", "RFC 6962 root over the files", null=True),
    text("previous_id", "bundle before", null=True),
    whole_number("size_bytes", "size of the archive", null=True, low=0),
    json("counts", "rows of each kind"),
    Column("first_seq", BigInteger, nullable=True, comment="first audit position in it", info={"internal": True}),
    text("sealed_hash", "hash of the chain at sealed_seq", null=True, internal=True),
    text("archive_sha256", "hash of the archive", null=True, internal=True),
    text("key_id", "fingerprint of the key that signed it", null=True, internal=True),
    text("head", "signed head that it carries: a tlog-checkpoint", null=True, internal=True),
    text(
        "before", "roots of the whole parts of the tree before its first event, largest first", null=True, internal=True
    ),
)

bundle_files: TypedTable[records.BundleFileRow] = tenant_table(
    "bundle_files",
    "The files of a bundle as its manifest lists them: the leaves of its Merkle tree.",
    reference("bundle_id", "bundle", "bundles"),
    whole_number("position", "place in the manifest, from 0", low=0),
    text("name", "file"),
    whole_number("size_bytes", "size", low=0),
    text("sha256", "hash of the content"),
    whole_number("rows", "records in it", null=True, low=0),
    primary=("bundle_id", "position"),
    importable=False,
)

BETWEEN_ATTEMPTS = "between attempts it moves without a revision"

deliveries: TypedTable[records.DeliveryRow] = tenant_table(
    "deliveries",
    "Outbox and ledger: one row for each digest, period, channel and recipient.",
    key("id", "identifier, the idempotency key of every attempt"),
    text("kind", "digest"),
    text("period", "period key such as 2026-W47"),
    choice("channel", "channel", "Channel"),
    person("recipient", "address, channel name or URL"),
    choice("status", "state", "DeliveryStatus", default="pending"),
    text("content_hash", "hash of the content; equal to that of the preview", null=True),
    json("payload", "what is sent", holds="dict[str, Json]"),
    flag("late", "sent after the day it was owed", default=False),
    whole_number("attempts", "attempts made", low=0, unlogged=BETWEEN_ATTEMPTS),
    instant("created_at", "when it was decided"),
    instant("next_attempt_at", "not before", null=True, unlogged=BETWEEN_ATTEMPTS),
    instant("sent_at", "when it was accepted by the other side", null=True),
    text("last_error", "what the last attempt met", null=True, unlogged=BETWEEN_ATTEMPTS),
    whole_number("head_seq", "audit position of the signed head that it carries", null=True, unlogged=BETWEEN_ATTEMPTS),
    text("head_hash", "hash of the chain there", null=True, unlogged=BETWEEN_ATTEMPTS),
    Index("ix_deliveries_ledger", "org_id", "kind", "period", "channel", "recipient", unique=True),
    Index("ix_deliveries_due", "status", "next_attempt_at"),
    importable=False,
)

delivery_contents: TypedTable[records.DeliveryContentRow] = tenant_table(
    "delivery_contents",
    "What a delivery says to people; pruned some time after it was sent.",
    key("delivery_id", "delivery"),
    text("subject", "subject line"),
    text("body_text", "plain text"),
    text("body_html", "HTML of the mail", null=True),
    json("blocks", "blocks of the chat message", holds="list[dict[str, Json]]"),
    primary=("delivery_id",),
    importable=False,
    replicated=False,
    unlogged="texts go when they are old; what was sent to whom stays in deliveries, with the hash of its content",
)

delivery_endpoints: TypedTable[records.DeliveryEndpointRow] = tenant_table(
    "delivery_endpoints",
    "Where an organization's chat messages and webhooks go.",
    choice("channel", "channel", "EndpointChannel"),
    text("address", "chat channel, or URL of the webhook"),
    json(
        "secrets",
        "secrets that webhooks are signed with, newest first",
        holds="list[str]",
        unlogged="a secret that is given up must not stay behind",
    ),
    instant("created_at", "when it was set"),
    instant("disabled_at", "when the other side said that it is gone", null=True),
    primary=("channel",),
    importable=False,
    replicated=False,
)

job_runs: TypedTable[records.JobRunRow] = tenant_table(
    "job_runs",
    "A run of a scheduled job.",
    key("id", "identifier"),
    text("job", "job"),
    instant("started_at", "start"),
    instant("finished_at", "end", null=True),
    choice("outcome", "how it ended", "JobOutcome", null=True),
    text("message", "what happened", null=True),
    Index("ix_job_runs_last", "job", "started_at"),
    importable=False,
    replicated=False,
    unlogged="runs are noted without a revision: no report reads them",
)

leases: TypedTable[records.LeaseRow] = TypedTable(
    "leases",
    metadata,
    Column("name", String(200), primary_key=True, comment="what is leased"),
    Column("holder", String(200), nullable=False, comment="process that holds it"),
    Column("until", Instant, nullable=False, comment="until when"),
    comment="Who may act alone for now, such as the one scheduler of several machines.",
    info={"importable": False, "replicated": False, "unlogged": "who may act for now is over with its lease"},
)

credentials: TypedTable[records.CredentialRow] = tenant_table(
    "credentials",
    "A key or token: only its hash is kept.",
    key("id", "identifier"),
    choice("kind", "what it opens", "CredentialKind"),
    text("label", "label"),
    person("owner", "e-mail address of who made it"),
    text("workspace_id", "workspace of an ingest token", null=True),
    text("engagement", "engagement of an assessor token", null=True),
    json("allowed", "exports that an assessor token opens", holds="list[str]"),
    flag("basic_auth", "an ingest token may come as the password of Authorization: Basic; empty: from before, and may"),
    text("prefix", "prefix"),
    text("last_four", "last four characters"),
    key("secret_sha256", "SHA-256 of the secret"),
    instant("created_at", "when"),
    instant("expires_at", "until when", null=True),
    instant("revoked_at", "when it was revoked", null=True),
    Index("ix_credentials_secret", "secret_sha256", unique=True),
    importable=False,
    replicated=False,
)

credential_uses: TypedTable[records.CredentialUseRow] = TypedTable(
    "credential_uses",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("credential_id", String(200), nullable=False, comment="credential"),
    Column("last_used_at", Instant, nullable=False, comment="last use"),
    Column("uses", BigInteger, nullable=False, comment="number of uses"),
    PrimaryKeyConstraint("org_id", "credential_id"),
    comment="Last use of each credential. Does not move the revision.",
    info={"importable": False, "replicated": False, "unlogged": "uses are noted without a revision"},
)

ended_sessions: TypedTable[records.EndedSessionRow] = tenant_table(
    "ended_sessions",
    "A session that was ended before its time, or all of a person's that had begun by then.",
    person_key("email", "whose"),
    key("session_id", "its `jti`, or the SHA-256 of what was signed; empty for all"),
    instant("ended_at", "when"),
    primary=("email", "session_id"),
    importable=False,
    replicated=False,
)

seen_events: TypedTable[records.SeenEventRow] = TypedTable(
    "seen_events",
    metadata,
    Column("source", String(60), nullable=False, comment="provider"),
    Column("event_id", String(200), nullable=False, comment="the provider's identifier or a hash of the body"),
    Column("seen_at", Instant, nullable=False, comment="when it was first seen"),
    UniqueConstraint("source", "event_id"),
    comment="Inbound events that were applied, so that a repeat changes nothing.",
    info={"importable": False, "replicated": False, "unlogged": "it tells repeated messages apart, for some days"},
)
