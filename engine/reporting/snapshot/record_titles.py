"""What records are called: titles by identifier, of those records alone that a report looks at.

A title that came from anywhere else would leave a page as it was when the title is written anew.
"""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from engine.catalogue.playbook_titles import playbook_titles
from engine.facts.memory import FactCache
from engine.model.days import spelled_day
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render.words import label
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
    "scenarios": ("scenario", "title"),
    "service_facts_rows": ("id", "name"),
    "services_rows": ("id", "name"),
    "systems_rows": ("id", "name"),
    "testing_schedules_rows": ("id", "procedure"),
    "unlinked_items_rows": ("id", "title"),
    "vendors_rows": ("id", "name"),
}
"""The scans of records that have a title of their own, with the columns of identifier and title."""


_SPELLED = {"attestations_rows", "event_ids_rows", "sealed_bundles_rows"}  # titles that are made of other columns
_PLAYED = {"policy_blocks_rows", "automation_runs_rows", "rehearsals_rows"}  # name playbooks of the program


def title_scans(facts: Iterable[str]) -> frozenset[str]:
    """The scans that have the titles of what these facts are made from."""
    return behind(facts) & (TITLE_COLUMNS.keys() | _SPELLED | _PLAYED)


def record_titles(facts: Iterable[str], fact: Fact, known: FactCache[Mapping[str, str]]) -> Mapping[str, str]:
    """Titles by identifier of what these facts are made from; ``fact`` gives any fact or scan.

    ``known`` are those of the same scans, as long as these say what they said.
    """
    scans = sorted(title_scans(facts))
    frames = {scan: fact(scan) for scan in scans}
    if "attestations_rows" in frames:
        frames["own_frameworks"] = fact("own_frameworks")
    return known.get_or_make(tuple(frames), tuple(frames.values()), lambda: dict(_titles(frames)))


def _titles(frames: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, str]]:
    if not _PLAYED.isdisjoint(frames):
        yield from playbook_titles().items()
    for scan, frame in frames.items():
        if scan in TITLE_COLUMNS:
            rows = frame.select(*TITLE_COLUMNS[scan]).iter_rows()
            yield from ((key, title) for key, title in rows if title and title != key)
    if (duties := frames.get("attestations_rows")) is not None:
        names = FRAMEWORK_NAMES | dict(frames["own_frameworks"].select("framework", "name").iter_rows())
        for key, framework, control in duties.select("id", "framework", "control_id").iter_rows():
            yield key, f"Attestation of {names.get(framework, framework)} {control}"
    if (events := frames.get("event_ids_rows")) is not None:
        for key, action in events.select("event_id", "action").iter_rows():
            yield key, label(action.replace(".", "_"))
    if (bundles := frames.get("sealed_bundles_rows")) is not None:
        for key, end in bundles.select("id", "window_end_on").iter_rows():
            yield key, f"Bundle up to {spelled_day(end)}"


def person_names(fact: Fact) -> dict[str, str]:
    """By address; ``fact`` gives any fact of the subject."""
    people = fact("people")
    gone = set(people.filter(~people["active"].fill_null(value=True)).get_column("email"))
    return {email: f"{name} (has left)" if email in gone else name for _, email, name in fact("names").iter_rows()}
