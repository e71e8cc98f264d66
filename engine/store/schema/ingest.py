"""What monitors and scanners sent, and what was heard of an alert before the alert.

What came is kept beside the chain: no report reads it, and a sender of rubbish must not make every report cold. What
it changes is in rows of incidents and findings, which name it, under the chain as everything else.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, PrimaryKeyConstraint, String

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    blob,
    choice,
    instant,
    json,
    key,
    metadata,
    tenant_table,
    text,
    whole_number,
)

ingest_payloads: TypedTable[records.IngestPayloadRow] = TypedTable(
    "ingest_payloads",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    key("id", "identifier"),
    choice("route", "door that it came to", "IngestRoute"),
    choice("state", "what became of it; partial and unread are dead letters", "PayloadState"),
    instant("received_at", "when it came first"),
    text("actor", "token that it came with"),
    text("workspace_id", "workspace of that token", null=True),
    text("content_type", "its type as the sender named it", null=True),
    text("vendor", "whose findings these are, as the sender named it", null=True),
    text("source", "monitors or scanners that it is of, joined by '; '", null=True),
    whole_number("size_bytes", "its size as it came", low=0),
    Column("sha256", String(64), nullable=False, comment="hash of what came"),
    blob("body", "what came, secrets replaced, compressed (zlib)"),
    whole_number("records", "alerts or findings in it; 0 where it could not be read", low=0),
    whole_number("applied", "how many of them are applied", low=0),
    whole_number("times", "how often it came while it could not be read", low=1),
    text("reason", "why it could not be read", null=True),
    instant("noted_at", "when an event of the audit log said that it came", null=True),
    PrimaryKeyConstraint("org_id", "id"),
    Index(None, "org_id", "state", "received_at"),
    Index(None, "org_id", "sha256"),
    comment="What monitors and scanners sent, kept for a time. Does not move the revision.",
    info={
        "primary": ("id",),
        "importable": False,
        "replicated": False,
        "unlogged": "what came is kept beside the chain and goes when it is old",
    },
)

early_events: TypedTable[records.EarlyEventRow] = tenant_table(
    "early_events",
    "What was heard of an alert before the alert itself.",
    key("dedupe_key", "key of the alert"),
    instant("recovered_at", "the sender's time of a recovery that came before its alert", null=True),
    instant("acknowledged_at", "the sender's time of an acknowledgement that came before its alert", null=True),
    instant("seen_at", "when the last of them came"),
    json("messages", "what was heard of the key: state, the sender's time, ours", holds="list[Json]"),
    primary=("dedupe_key",),
    importable=False,
    replicated=False,
    unlogged="what came early is forgotten without a revision",
)
