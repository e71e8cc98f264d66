"""What records are called: titles by identifier, of those records alone that a report looks at.

A title that came from anywhere else would leave a page as it was when the title is written anew.
"""

from collections.abc import Iterable, Mapping

from engine.model.days import spelled_day
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.snapshot.filter_names import Fact
from engine.reporting.snapshot.record_parts import behind

TITLE_COLUMNS: Mapping[str, tuple[str, str]] = {
    "committees_rows": ("id", "name"),
    "evidence_requests_rows": ("id", "title"),
    "findings_rows": ("id", "title"),
    "incidents_rows": ("id", "title"),
    "linked_items_rows": ("id", "title"),
    "policies_rows": ("id", "title"),
    "remediations_rows": ("id", "title"),
    "risks_rows": ("id", "title"),
    "service_facts_rows": ("id", "name"),
    "services_rows": ("id", "name"),
    "systems_rows": ("id", "name"),
    "testing_schedules_rows": ("id", "procedure"),
    "unlinked_items_rows": ("id", "title"),
    "vendors_rows": ("id", "name"),
}
"""The scans of records that have a title of their own, with the columns of identifier and title."""


_SPELLED = {"attestations_rows", "sealed_bundles_rows"}  # titles that are made of other columns


def title_scans(facts: Iterable[str]) -> frozenset[str]:
    """The scans that have the titles of what these facts are made from."""
    return behind(facts) & (TITLE_COLUMNS.keys() | _SPELLED)


def record_titles(facts: Iterable[str], fact: Fact) -> dict[str, str]:
    """Titles by identifier of what these facts are made from; ``fact`` gives any fact or scan."""
    scans = title_scans(facts)
    titles: dict[str, str] = {}
    for scan in sorted(scans & TITLE_COLUMNS.keys()):
        columns = TITLE_COLUMNS[scan]
        titles |= {key: title for key, title in fact(scan).select(*columns).iter_rows() if title and title != key}
    if "attestations_rows" in scans:
        duties = fact("attestations_rows").select("id", "framework", "control_id").iter_rows()
        titles |= {key: f"Attestation of {FRAMEWORK_NAMES.get(pack, pack)} {control}" for key, pack, control in duties}
    if "sealed_bundles_rows" in scans:
        bundles = fact("sealed_bundles_rows").select("id", "window_end_on").iter_rows()
        titles |= {key: f"Bundle up to {spelled_day(end)}" for key, end in bundles}
    return titles
