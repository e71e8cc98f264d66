"""Organizations, their settings and their people."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, String

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    day,
    flag,
    instant,
    json,
    key,
    metadata,
    person_key,
    tenant_table,
    text,
    whole_number,
)

organizations: TypedTable[records.OrganizationRow] = TypedTable(
    "organizations",
    metadata,
    Column("id", String(200), primary_key=True, comment="short name used in URLs, files and sessions"),
    text("name", "legal or trading name"),
    text("time_zone", "IANA time zone of the business dates"),
    text("sector", "sector for benchmarks", null=True),
    whole_number("headcount", "people, for benchmarks", null=True, low=0),
    choice("deployment_tier", "how the console is deployed", "DeploymentTier", default="shared"),
    choice("plan", "paid plan", "Plan", default="free"),
    choice(
        "agreed_plan",
        "plan agreed on otherwise than by a subscription, noted by billing; `plan` returns to it",
        "Plan",
        null=True,
        internal=True,
    ),
    text("data_region", "region in which data is kept", null=True),
    text("boundary", "who operates what", null=True),
    text("key_custody", "who holds the encryption keys", null=True),
    text("auth_mode", "how people sign in", null=True),
    json("modules", "enabled modules"),
    instant("created_at", "when the organization was created"),
    whole_number("revision", "sequence number of the audit event that opened the last change"),
    comment="A customer, or the reserved platform organization.",
    info={"primary": (), "natural": (), "importable": True, "replicated": True, "unlogged": None},
)

heads: TypedTable[records.HeadRow] = TypedTable(
    "heads",
    metadata,
    Column("org_id", String(200), ForeignKey("organizations.id"), primary_key=True, comment="organization"),
    Column("last_seq", BigInteger, nullable=False, comment="sequence number of the last audit event"),
    Column("hash", String(64), nullable=False, comment="hash of the last audit event"),
    instant("moved_at", "when the head last moved"),
    comment="The head of each organization's audit chain: locked by every write.",
    info={"importable": False, "replicated": False, "unlogged": "the chain says where it ends"},
)

organization_settings: TypedTable[records.OrganizationSettingRow] = tenant_table(
    "organization_settings",
    "A threshold, weight or channel that an organization set for itself.",
    key("name", "name of the setting"),
    json("value", "its value", null=False),
    primary=("name",),
)

organization_frameworks: TypedTable[records.OrganizationFrameworkRow] = tenant_table(
    "organization_frameworks",
    "A framework pack that an organization follows.",
    key("framework", "framework or pack, fedramp-poam included"),
    flag("in_scope", "whether it is followed now", default=True),
    day("adopted_on", "since when", null=True),
    day("target_on", "date by which readiness is wanted", null=True),
    text("note", "remark, such as the auditor or the level", null=True),
    flag("in_posture", "whether a framework of one's own counts in the posture score; the program's own do"),
    primary=("framework",),
    due="target_on",
)

workspaces: TypedTable[records.WorkspaceRow] = tenant_table(
    "workspaces",
    "A team's part of an organization: ingest tokens and policies belong to one.",
    key("id", "identifier"),
    text("name", "name"),
    natural=("name",),
)

users: TypedTable[records.UserRow] = tenant_table(
    "users",
    "The profile of a person within an organization.",
    person_key("email", "e-mail address, lower case"),
    text("name", "name", null=True),
    text("title", "job title", null=True),
    flag("active", "false once the person has left", default=True),
    json("preferences", "notification flags"),
    instant("deletion_requested_at", "when the person asked for deletion", null=True),
    primary=("email",),
)

memberships: TypedTable[records.MembershipRow] = tenant_table(
    "memberships",
    "Who may act for an organization, in which role. Read at every request.",
    person_key("email", "e-mail address, lower case"),
    choice("role", "what the person may do", "Role"),
    choice("status", "removed members are out at once", "MembershipStatus", default="active"),
    text("workspace_id", "active workspace", null=True),
    day("since_on", "member since", null=True),
    text("display_name", "name that pages show; else that of the profile", null=True),
    primary=("email",),
)
