"""What a check finds of the bytes that items hold, written down where it is other than before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.evidence.items import items_with_bytes, named_hashes
from engine.evidence.store import EvidenceStore, UnnamedFiles, open_evidence
from engine.model.every_organization import for_every_organization
from engine.model.records import EvidenceItemRow
from engine.model.vocabulary import EvidenceState
from engine.runtime.services import Services
from engine.store import Store
from engine.store.schema.controls import evidence_items

ACTOR = "evidence-check"
CHECKED = "evidence.checked"


@dataclass(frozen=True)
class EvidenceCheck:
    """What became of a check: items by what was found of their bytes, those that were found otherwise than before, and
    files that no item names: those that are there, and those that were swept."""

    items: Mapping[str, EvidenceItemRow]
    states: Mapping[str, EvidenceState]
    changes: int
    unnamed: UnnamedFiles
    swept: UnnamedFiles

    def not_whole(self) -> list[EvidenceItemRow]:
        """The items whose bytes are not what was put here, by identifier."""
        return [row for identifier, row in self.items.items() if self.states[identifier] != "whole"]


def check_items(store: Store, evidence: EvidenceStore, org_id: str, *, now: datetime) -> EvidenceCheck:
    """Read every byte that items of an organization hold, and note what was found where it changed, in one revision.

    What no item names and was put here a day ago is swept. Unavailable where the place does not answer: then nothing
    is noted.
    """
    with store.reader() as connection:
        items = items_with_bytes(connection, org_id)
    by_hash = {sha256: evidence.check(org_id, sha256) for sha256 in sorted({row["held_sha256"] or "" for row in items})}
    states = {row["id"]: by_hash[row["held_sha256"] or ""] for row in items}
    changed = {row["id"] for row in items if row["held_state"] != states[row["id"]]}
    if changed:
        _note(store, org_id, by_hash, changed, now)

    def names() -> set[str]:
        with store.reader() as connection:
            return named_hashes(connection, org_id)

    swept = evidence.sweep(org_id, names, now=now.timestamp())
    unnamed = evidence.unnamed_files(org_id, names())
    return EvidenceCheck({row["id"]: row for row in items}, states, len(changed), unnamed, swept)


def _note(store: Store, org_id: str, by_hash: Mapping[str, EvidenceState], changed: set[str], now: datetime) -> None:
    """Somebody may have written meanwhile: what no longer holds those bytes is left alone."""
    with store.revision(org_id, ACTOR, now=now) as revision:
        for row in items_with_bytes(revision.connection, org_id):
            state = by_hash.get(row["held_sha256"] or "")
            if row["id"] not in changed or state is None or state == row["held_state"]:
                continue
            revision.update(evidence_items, {"id": row["id"]}, {"held_state": state, "checked_at": now})
            revision.record(
                CHECKED,
                object_type="evidence_item",
                object_id=row["id"],
                outcome="success" if state == "whole" else "failure",
                details={"sha256": row["held_sha256"], "state": state, "before": row["held_state"]},
            )


def check_all(services: Services, now: datetime) -> str:
    """Check the held bytes of every organization and say what was found; Problem, in the end, where one failed."""
    evidence = open_evidence(services.settings)
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    went = for_every_organization(
        "evidence", org_ids, lambda org_id: check_items(services.store, evidence, org_id, now=now)
    )
    checks = list(went.results.values())
    items, damaged = sum(len(one.items) for one in checks), sum(len(one.not_whole()) for one in checks)
    swept = sum(one.swept.files for one in checks)
    return went.message(f"{items} items checked, {damaged} with bytes that are not whole; {swept} files swept")
