"""What identifiers in tables name: things that have a page of their own, and by which a table can be filtered.

A cell names one thing or, as a list, several. A control is named by its identifier beside the ``framework`` of the row,
or by both in one text (``soc2:CC6.1``); every other thing by its own identifier or, where the table has no other, by
what people call it.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

EntityKind: TypeAlias = Literal["control", "owner", "vendor", "framework", "service", "request", "incident"]

NAMING_COLUMNS: Mapping[EntityKind, tuple[str, ...]] = {
    "control": (
        *("control_id", "controls", "linked_controls", "suggested_controls", "gap_id", "source_id", "target_id"),
    ),
    "owner": (
        *("owner", "owners", "to_owner", "work_owner", "email", "assignee", "assignees", "accountable", "responsible"),
        *("attestor", "approver", "approved_by", "accepted_by", "actor", "backup", "chair", "lead", "performer"),
        *("placed_by", "released_by", "linked_by", "requester", "reviewer", "recipient", "escalate_to"),
    ),
    "vendor": ("vendor_id", "vendor"),
    "framework": ("framework", "frameworks", "source_framework", "target_framework"),
    "service": ("service_id", "service_name", "service"),
    "request": ("request_id",),
    "incident": ("incident_id",),
}
"""The columns whose cells name a thing of each kind, the surest first. A column of numbers counts and names nothing."""


def framework_column(name: str) -> str:
    """The column that says of which framework the controls of a column are."""
    stem, _, last = name.rpartition("_")
    return f"{stem}_framework" if last == "id" and stem in ("source", "target") else "framework"


FRAMEWORK_REPORTS: Mapping[str, str] = {
    "soc2": "type-ii",
    "iso27001": "iso-assessment",
    "pci-dss": "pci-dss",
    "hipaa": "hipaa",
    "nist-csf": "nist-csf",
    "cis-v8": "cis-v8",
    "cmmc-l2": "cmmc-l2",
    "gdpr-art32": "gdpr-art32",
    "fedramp-poam": "fedramp-poam",
}
"""The report that shows a framework control by control; a control without a framework beside it there is one of it."""

HASHED_COLUMNS = frozenset(
    (
        *("action_id", "alert_id", "cluster_id", "play_id", "reminder_id", "scenario_id", "ics_uid"),
        *("catalogue_version", "catalogue_version_before"),
        *("event_hash", "leaf_index", "merkle_leaf", "merkle_path", "merkle_root", "sha256"),
    )
)
"""Identifiers that are hashes, or lead to one: files for machines have them, pages do not."""
