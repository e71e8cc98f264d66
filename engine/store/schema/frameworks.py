"""Frameworks that an organization brought along: what they ask for, how they correspond, what evidences them."""

from __future__ import annotations

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    day,
    flag,
    json,
    key,
    number,
    person,
    tenant_table,
    text,
    whole_number,
)

own_frameworks: TypedTable[records.OwnFrameworkRow] = tenant_table(
    "own_frameworks",
    "A framework of the organization's own beside those of the program.",
    key("id", "identifier, as in reports and parameters"),
    text("title", "what it is called"),
    text("version", "version", null=True),
    text("publisher", "who publishes it", null=True),
    text("source", "where it comes from: address or document", null=True),
    text("assessable_levels", "levels, baselines or groups that can be assessed, joined by '; '", null=True),
    json("details", "what the file said beyond the columns"),
    importable=False,
)

framework_controls: TypedTable[records.FrameworkControlRow] = tenant_table(
    "framework_controls",
    "A control or a group of controls of a framework of one's own.",
    key("framework", "framework"),
    key("id", "identifier in that framework"),
    text("parent", "the row that it belongs to", null=True),
    choice("kind", "group: a heading; control: what is asked for", "FrameworkRowKind", default="control"),
    text("title", "title"),
    text("text", "what is asked for, in full", null=True),
    whole_number("weight", "criticality from 1 to 5; empty where it is not assessable", null=True, low=1, high=5),
    choice("cadence", "how often evidence is expected", "Cadence", null=True),
    text("evidence_kinds", "kinds of evidence that must be there, joined by ';'", null=True),
    json("parameters", "parameters of the control"),
    flag("assessable", "whether it has a state of its own", default=True),
    text("replaces", "identifier that it had in an earlier version", null=True),
    text("group_id", "family under which it is reported", null=True),
    text("group_title", "name of the family", null=True),
    whole_number("position", "place in the framework, from 0", low=0),
    json("details", "what the file said beyond the columns"),
    primary=("framework", "id"),
    importable=False,
)

framework_mappings: TypedTable[records.FrameworkMappingRow] = tenant_table(
    "framework_mappings",
    "A pair of controls of two frameworks, at least one of which is the organization's own.",
    key("source_framework", "framework that the pair leads from"),
    key("source_id", "control that it leads from"),
    key("target_framework", "framework that it leads to"),
    key("target_id", "control that it leads to"),
    choice("relation", "what the first is to the second", "Relation"),
    number("strength", "how much of the one the other covers, from 0 to 1", high=1),
    text("rationale", "why", null=True),
    text("source", "where the pair was published", null=True),
    whole_number("source_count", "sources that have the pair", null=True, low=0),
    person("reviewer", "who signed the pair off; without, it is proposed and counts for nothing", null=True),
    day("reviewed_on", "when", null=True),
    primary=("source_framework", "source_id", "target_framework", "target_id"),
    importable=False,
)

framework_runbooks: TypedTable[records.FrameworkRunbookRow] = tenant_table(
    "framework_runbooks",
    "The runbook that closes gaps of controls of a framework of one's own.",
    key("framework", "framework"),
    key("control_pattern", "control, or the beginning of several and *"),
    text("runbook", "name of the runbook"),
    text("title", "title; that of the program's runbook of the name where empty", null=True),
    text("playbook", "playbook that does it", null=True),
    number("effort_hours", "hours that it takes", null=True),
    text("steps", "steps, joined by ';'", null=True),
    primary=("framework", "control_pattern"),
    importable=False,
)

framework_inheritance: TypedTable[records.FrameworkInheritanceRow] = tenant_table(
    "framework_inheritance",
    "A control of a framework of one's own that vendors of a tier and category answer for.",
    key("tier", "tier of the vendor; * for any"),
    key("category", "category of the vendor"),
    key("framework", "framework"),
    key("control_id", "control"),
    text("rule_version", "version of the rule"),
    text("reason", "why the vendor answers for it"),
    text("expected_evidence", "kind of document that shows it"),
    choice("model", "carve-out or inclusive", "InheritanceModel"),
    text("customer_side", "what remains with the organization"),
    choice("vendor_data", "data that the vendor must handle; empty for any vendor", "VendorData", null=True),
    primary=("tier", "category", "framework", "control_id"),
    importable=False,
)

framework_proposals: TypedTable[records.FrameworkProposalRow] = tenant_table(
    "framework_proposals",
    "A new version of a framework that waits to be accepted.",
    key("framework", "framework"),
    text("version", "version", null=True),
    day("proposed_on", "when it was read"),
    text("sha256", "SHA-256 of what is proposed"),
    json("content", "rows by table", null=False),
    primary=("framework",),
    importable=False,
)
