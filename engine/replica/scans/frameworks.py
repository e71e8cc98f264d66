"""What is read from the replica about frameworks of an organization's own."""

from collections.abc import Mapping

# ruff: noqa: S608 -- every name below is a literal of this module


def _rows(name: str, *columns: str) -> str:
    return (
        f"SELECT t.org_id, {', '.join(f't.{column}' for column in columns)} FROM {name} t JOIN asked q USING (org_id)"
    )


SCANS: Mapping[str, str] = {
    "own_frameworks_rows": _rows("own_frameworks", "id", "title", "version", "publisher"),
    "framework_controls_rows": _rows(
        "framework_controls",
        *("framework", "id", "parent", "kind", "title", "assessable", "weight", "cadence", "evidence_kinds"),
        *("group_id", "group_title", "position"),
    ),
    "framework_texts_rows": _rows("framework_controls", "framework", "id", "text", "parameters"),
    "framework_mappings_rows": _rows(
        "framework_mappings",
        *("source_framework", "source_id", "target_framework", "target_id", "relation", "strength"),
        *("rationale", "source", "reviewer", "reviewed_on"),
    ),
    "framework_runbooks_rows": _rows(
        "framework_runbooks", *("framework", "control_pattern", "runbook", "title", "playbook", "effort_hours", "steps")
    ),
    "framework_inheritance_rows": _rows(
        "framework_inheritance",
        *("rule_version", "tier", "category", "framework", "control_id", "reason", "expected_evidence"),
        *("model", "customer_side", "vendor_data"),
    ),
    "framework_proposals_rows": _rows("framework_proposals", "framework", "version", "proposed_on", "content"),
}
