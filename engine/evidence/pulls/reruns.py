"""Running a check again from what is held of a run, and from nothing else."""

from engine.evidence.pulls.run_files import EXCEPTIONS, RUN, Rerun, rerun_files
from engine.evidence.store import EvidenceStore
from engine.model.errors import Conflict, NotFound
from engine.store import Store
from engine.store.rows import first, many
from engine.store.schema.controls import evidence_items, test_runs


def rerun(store: Store, evidence: EvidenceStore, org_id: str, identifier: str) -> tuple[str, Rerun]:
    """The run of that identifier, or of that evidence item, done again; its identifier comes first.

    NotFound where there is none; Conflict where its bytes are erased, missing or changed.
    """
    with store.reader() as connection:
        item = first(connection, evidence_items, org_id, id=identifier)
    run_id = item["run_id"] if item is not None and item["run_id"] is not None else identifier
    parts = run_parts(store, evidence, org_id, run_id)
    tables = {name: data for name, data in parts.items() if name not in (RUN, EXCEPTIONS)}
    return run_id, rerun_files(parts[RUN], tables)


def run_parts(store: Store, evidence: EvidenceStore, org_id: str, run_id: str) -> dict[str, bytes]:
    """The bytes of a run by what they are; what it asked is among them. NotFound and Conflict as of ``rerun``."""
    with store.reader() as connection:
        run = first(connection, test_runs, org_id, id=run_id)
        items = many(connection, evidence_items, org_id, run_id=run_id)
    if run is None or not items:
        raise NotFound(f"There is no run {run_id!r} whose rows are held; `hq evidence list` has the items of runs.")
    erased = [one["id"] for one in items if one["removed"] is not None]
    if erased:
        raise Conflict(f"The rows of the run {run_id} are erased ({', '.join(erased)}): it cannot be run again.")
    parts = {str(one["part"]): evidence.read(org_id, one["held_sha256"] or "") for one in items}
    if RUN not in parts:
        raise Conflict(f"The run {run_id} has no file that says what it asked.")
    return parts
