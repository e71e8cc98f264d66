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

    ``known`` are those of the same scans, as long as these say what they said: each scan's, and those of several.
    """
    sources: dict[str, tuple[pl.DataFrame, ...]] = {scan: (fact(scan),) for scan in sorted(title_scans(facts))}
    if "attestations_rows" in sources:
        sources["attestations_rows"] += (fact("own_frameworks"),)

    def make() -> Mapping[str, str]:
        found = {} if _PLAYED.isdisjoint(sources) else dict(playbook_titles())
        for scan, frames in sources.items():
            found |= known.get_or_make(scan, frames, lambda: dict(_titles(scan, *frames)))  # noqa: B023 - called at once
        return found

    return known.get_or_make(tuple(sources), tuple(frame for frames in sources.values() for frame in frames), make)


def _titles(scan: str, rows: pl.DataFrame, own_frameworks: pl.DataFrame | None = None) -> Iterator[tuple[str, str]]:
    """What the records of one scan are called."""
    if scan in TITLE_COLUMNS:
        cells = rows.select(*TITLE_COLUMNS[scan]).iter_rows()
        yield from ((key, title) for key, title in cells if title and title != key)
    elif scan == "attestations_rows" and own_frameworks is not None:
        names = FRAMEWORK_NAMES | dict(own_frameworks.select("framework", "name").iter_rows())
        for key, framework, control in rows.select("id", "framework", "control_id").iter_rows():
            yield key, f"Attestation of {names.get(framework, framework)} {control}"
    elif scan == "event_ids_rows":
        words = {action: label(action.replace(".", "_")) for action in rows["action"].unique()}
        for key, action in rows.select("event_id", "action").iter_rows():
            yield key, words[action]
    elif scan == "sealed_bundles_rows":
        for key, end in rows.select("id", "window_end_on").iter_rows():
            yield key, f"Bundle up to {spelled_day(end)}"


def person_names(fact: Fact) -> dict[str, str]:
    """By address; ``fact`` gives any fact of the subject."""
    people = fact("people")
    gone = set(people.filter(~people["active"].fill_null(value=True)).get_column("email"))
    return {email: f"{name} (has left)" if email in gone else name for _, email, name in fact("names").iter_rows()}
