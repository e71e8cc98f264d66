"""The audit chain, what retention took from it, and who read what."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, PrimaryKeyConstraint, String, UniqueConstraint

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    blob,
    choice,
    day,
    instant,
    json,
    key,
    metadata,
    person,
    tenant_table,
    text,
    whole_number,
)

audit_log: TypedTable[records.AuditLogRow] = TypedTable(
    "audit_log",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("seq", BigInteger, nullable=False, comment="position in the chain, from 1, without gaps"),
    Column("event_id", String(200), nullable=False, comment="identifier of the event, unique in the organization"),
    Column("revision", BigInteger, nullable=False, comment="sequence number of the event that opened this write"),
    instant("occurred_at", "when it happened, by the source's clock"),
    instant("recorded_at", "when it was recorded here"),
    person("actor", "e-mail address or system that acted"),
    text("action", "what was done, in dotted words such as access.review.completed"),
    text("object_type", "kind of the thing acted on", null=True),
    text("object_id", "identifier of the thing acted on", null=True),
    choice("outcome", "how it ended", "Outcome", default="success"),
    text("workspace_id", "workspace, where one is concerned", null=True),
    text("controls", "controls that the source itself names, as framework:control joined by '; '", null=True),
    json("details", "further facts"),
    Column(
        "changes",
        String(64),
        nullable=True,
        comment="root over all rows that the write changed, with its last event; part of the hash where it is there",
        info={"internal": True},
    ),
    Column("hash", String(64), nullable=False, comment="SHA-256 over the previous hash and this row"),
    PrimaryKeyConstraint("org_id", "seq"),
    UniqueConstraint("org_id", "event_id"),
    comment="Everything that was done, as a hash chain for each organization. Appended to, never changed.",
    sqlite_with_rowid=False,
    info={
        "primary": ("event_id",),
        "natural": (),
        "importable": True,
        "replicated": True,
        "unlogged": "events are committed by their own chain",
    },
)

change_log: TypedTable[records.ChangeLogRow] = TypedTable(
    "change_log",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("revision", BigInteger, nullable=False, comment="the write: sequence number of its first event"),
    Column("part", BigInteger, nullable=False, comment="place within the write, from 0: a large one has several"),
    whole_number("rows", "rows in this part", low=0),
    blob("body", "a line for each row: salt, table, key, and the whole row as it became; compressed (zlib)"),
    PrimaryKeyConstraint("org_id", "revision", "part"),
    comment="Every version of every row, by the write that made it; its last event holds the root over them.",
    sqlite_with_rowid=False,
    info={
        "primary": ("revision", "part"),
        "importable": False,
        "replicated": False,
        "unlogged": "it is the log itself",
    },
)

table_heads: TypedTable[records.TableHeadRow] = TypedTable(
    "table_heads",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    key("part", "a table, or audit_log:<action> for the events of one action"),
    Column("revision", BigInteger, nullable=False, comment="last event of the newest write that changed the part"),
    Column("hash", String(64), nullable=False, comment="hash of that event"),
    PrimaryKeyConstraint("org_id", "part"),
    comment="Which write last changed each part of the records: a report is as new as the newest part that it looks at.",
    sqlite_with_rowid=False,
    info={"primary": ("part",), "importable": False, "replicated": True, "unlogged": "it follows from the log"},
)

chain_cuts: TypedTable[records.ChainCutRow] = tenant_table(
    "chain_cuts",
    "Where retention cut an organization's chain: verification starts from the recorded hash.",
    whole_number("seq", "last sequence number that was removed"),
    key("hash", "hash of that event"),
    instant("cut_at", "when it was cut"),
    primary=("seq",),
    importable=False,
)

event_tiles: TypedTable[records.EventTileRow] = TypedTable(
    "event_tiles",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("level", BigInteger, nullable=False, comment="0 for leaves; above, a hash over each full tile below"),
    Column("tile", BigInteger, nullable=False, comment="place within the level, from 0"),
    blob("hashes", "up to 256 hashes of 32 bytes, one after the other"),
    PrimaryKeyConstraint("org_id", "level", "tile"),
    comment="The Merkle tree over an organization's events (RFC 6962). Leaves stay when retention takes their events.",
    sqlite_with_rowid=False,
    info={"importable": False, "replicated": False, "unlogged": "it follows from the chain"},
)

signed_heads: TypedTable[records.SignedHeadRow] = TypedTable(
    "signed_heads",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("seq", BigInteger, nullable=False, comment="sequence number of the last event under it"),
    Column("hash", String(64), nullable=False, comment="hash of that event"),
    Column("root", String(64), nullable=False, comment="RFC 6962 root over the events up to it"),
    instant("signed_at", "when it was signed"),
    text("note", "the head as it was signed: a tlog-checkpoint"),
    text("cosignatures", "signature lines of witnesses", null=True),
    text("time_stamp", "RFC 3161 token over the note, in base64", null=True),
    PrimaryKeyConstraint("org_id", "seq"),
    comment="Heads that were signed, to leave the building.",
    info={"importable": False, "replicated": False, "unlogged": "it follows from the chain; signing moves no revision"},
)

archive_heads: TypedTable[records.ArchiveHeadRow] = TypedTable(
    "archive_heads",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    Column("seq", BigInteger, nullable=False, comment="sequence number of the last event under it"),
    Column("root", String(64), nullable=False, comment="RFC 6962 root over the events up to it"),
    PrimaryKeyConstraint("org_id", "seq"),
    comment="Heads that workbooks and meeting packs carry: later archives prove that they continue them.",
    info={
        "importable": False,
        "replicated": False,
        "unlogged": "it follows from the chain; a download moves no revision",
    },
)

installation_commitments: TypedTable[records.InstallationCommitmentRow] = TypedTable(
    "installation_commitments",
    metadata,
    Column("position", BigInteger, nullable=False, autoincrement=False, comment="place in the tree, from 0"),
    key("org_id", "organization that it commits to; nobody refers to it, so that one that went is missed"),
    Column("seq", BigInteger, nullable=False, comment="sequence number of its last event then"),
    Column("hash", String(64), nullable=False, comment="hash of that event"),
    Column("salt", String(32), nullable=False, comment="16 secret random bytes, so that a leaf tells nobody a name"),
    PrimaryKeyConstraint("position"),
    comment="The leaves of the installation's tree: salted commitments to organizations and where their chains stood.",
    info={"importable": False, "replicated": False, "unlogged": "it follows from the chains"},
)

installation_heads: TypedTable[records.InstallationHeadRow] = TypedTable(
    "installation_heads",
    metadata,
    Column("size", BigInteger, nullable=False, autoincrement=False, comment="leaves under it"),
    Column("root", String(64), nullable=False, comment="RFC 6962 root over them"),
    instant("signed_at", "when it was signed"),
    text("note", "the head as it was signed: a tlog-checkpoint of the origin hq/*"),
    PrimaryKeyConstraint("size"),
    comment="Signed heads of the installation's tree.",
    info={"importable": False, "replicated": False, "unlogged": "it follows from the chains"},
)

record_starts: TypedTable[records.RecordStartRow] = tenant_table(
    "record_starts",
    "From which day on there were records of a framework, kept when retention removes the events that say so.",
    key("framework", "framework; * is the organization as a whole"),
    day("since_on", "business date of the earliest event about it"),
    primary=("framework",),
    importable=False,
)

access_log: TypedTable[records.AccessLogRow] = TypedTable(
    "access_log",
    metadata,
    Column("id", String(200), nullable=False, comment="identifier"),
    Column("org_id", String(200), ForeignKey("organizations.id"), nullable=False, comment="organization"),
    instant("accessed_at", "when"),
    person("actor", "who: e-mail address or the label of a token"),
    text("resource", "route that was read"),
    text("format", "format asked for", null=True),
    whole_number("status", "HTTP status of the answer"),
    text("credential_id", "token that was used", null=True),
    text("address", "client address", null=True),
    whole_number("head_seq", "where the audit chain stood as it left", null=True, low=0),
    text("head_hash", "hash of the chain there", null=True),
    PrimaryKeyConstraint("org_id", "id"),
    Index(None, "org_id", "accessed_at"),
    comment="Exports and downloads, refused ones too. Does not move the revision: reading must not invalidate.",
    info={"importable": False, "replicated": False, "unlogged": "reading moves no revision"},
)

legal_holds: TypedTable[records.LegalHoldRow] = tenant_table(
    "legal_holds",
    "A matter for which records must be kept whatever retention says.",
    key("id", "identifier"),
    text("matter", "legal matter"),
    text("incident_id", "incident whose records are held", null=True),
    text("reason", "why"),
    person("placed_by", "who placed it"),
    instant("placed_at", "when it was placed"),
    person("custodian", "who keeps the records", null=True),
    text("scope", "what is held: 'incident', 'all', or an action prefix", null=True),
    instant("released_at", "when it was released", null=True),
    person("released_by", "who released it", null=True),
    whole_number("purges_blocked", "purges that it prevented since it was placed", low=0, null=True),
)

retention_overrides: TypedTable[records.RetentionOverrideRow] = tenant_table(
    "retention_overrides",
    "An organization's own retention in place of its tier's default.",
    choice("record_class", "what is kept", "RecordClass"),
    whole_number("days", "days to keep", low=1, high=36500),
    text("reason", "why", null=True),
    person("approved_by", "who approved it", null=True),
    day("approved_on", "when", null=True),
    primary=("record_class",),
)
