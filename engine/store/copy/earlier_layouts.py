"""The tables as earlier migrations had them, as far back as stores of them are backed up by this version."""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from engine.model.errors import Conflict
from engine.store.chain.heads import RENAMED_HEAD
from engine.store.copy.table_copy import TableLayout, table_columns, table_shapes

# the migration that renamed columns, and by table their names before, by those of today
_RENAMED: Mapping[str, Mapping[str, Mapping[str, str]]] = {RENAMED_HEAD: {"heads": {"last_seq": "seq"}}}

# the migration that added columns, by table
_ADDED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "0034": {"control_profiles": frozenset({"sprs_partial"}), "findings": frozenset({"vendor_id"})},
    "0035": {
        "readiness_snapshots": frozenset({"formulas"}),
        "posture_snapshots": frozenset({"formulas"}),
        "credentials": frozenset({"basic_auth"}),
    },
    "0036": {
        "risks": frozenset({"accepted_by", "accepted_on"}),
        "remediations": frozenset({"compensating_approved_by", "compensating_approved_on"}),
        "vendor_documents": frozenset({"assessment", "assessed_by", "assessed_on"}),
    },
    "0037": {
        "remediations": frozenset(
            {"estimate_hours", "low_hours", "high_hours", "done_hours", "left_hours", "lead_days"}
        )
    },
    "0038": {
        "policies": frozenset({"separation"}),
        "executions": frozenset({"approval_id", "requester", "approver", "separation"}),
        "approvals": frozenset({"spent_by", "spent_at"}),
        "incidents": frozenset(
            {"opened_heard_at", "acknowledged_heard_at", "resolved_heard_at", "acknowledged_by", "closed_by"}
            | {"parent_id", "parent_state", "parent_reason"}
        ),
        "incident_timeline": frozenset({"heard_at", "payload"}),
        "early_events": frozenset({"messages"}),
    },
    "0039": {
        "evidence_items": frozenset(("file", "about", "held_sha256", "held_bytes", "media_type", "held_state"))
        | frozenset(("checked_at", "removed", "removed_at", "run_id", "part"))
    },
    "0040": {
        "testing_schedules": frozenset(("check_id", "pull_file", "query_sha256", "superseded_on", "unread"))
        | frozenset(("unread_at",)),
        "test_runs": frozenset(("reason", "rows_sha256", "ran_at", "sequence")),
    },
    "0041": {"organization_frameworks": frozenset({"in_posture"})},
    "0044": {"deploys": frozenset({"rolled_back_at"})},
    "0045": {"ingest_payloads": frozenset({"source", "noted_at"})},
    "0046": {"framework_inheritance": frozenset({"vendor_data"})},
    "0047": {"test_runs": frozenset({"since_on", "until_on"})},
    "0042": {"vendors": frozenset({"lead_days"})},
}

# the migration that made tables
_MADE: Mapping[str, frozenset[str]] = {
    "0035": frozenset({"installation_commitments", "installation_heads"}),
    "0039": frozenset({"organization_rules"}),
    "0040": frozenset({"schedule_controls", "check_proofs", "tool_rules"}),
    "0041": frozenset(
        {
            *("own_frameworks", "framework_controls", "framework_mappings", "framework_runbooks"),
            *("framework_inheritance", "framework_proposals"),
        }
    ),
    "0045": frozenset({"service_senders"}),
    "0043": frozenset({"on_call_shifts", "maintenance_windows"}),
    "0042": frozenset({"absences", "audit_windows"}),
}


def layouts_at(connection: Connection, schema: str) -> tuple[TableLayout, ...]:
    """Every table of a store at migration ``schema``. Conflict where this version does not know them any more."""
    layouts = table_shapes()
    for migration, tables in _RENAMED.items():
        if schema < migration:
            layouts = tuple(_with_names(layout, tables.get(layout.name, {})) for layout in layouts)
    for migration, added in _ADDED.items():
        if schema < migration:
            layouts = tuple(_without(layout, added.get(layout.name, frozenset())) for layout in layouts)
    for migration, names in _MADE.items():
        if schema < migration:
            layouts = tuple(layout for layout in layouts if layout.name not in names)
    known = {layout.name: {column.name for column in layout.columns} for layout in layouts}
    if known != table_columns(connection):
        raise Conflict(
            f"A store at migration {schema} is not backed up by this version: make a backup with the version that it "
            "belongs to, then run `hq migrate --no-backup`.",
            word="schema_outdated",
        )
    return layouts


def _with_names(layout: TableLayout, before: Mapping[str, str]) -> TableLayout:
    columns = (replace(column, name=before.get(column.name, column.name)) for column in layout.columns)
    return replace(layout, columns=tuple(columns), key=tuple(before.get(name, name) for name in layout.key))


def _without(layout: TableLayout, added: frozenset[str]) -> TableLayout:
    return replace(layout, columns=tuple(column for column in layout.columns if column.name not in added))
