"""Proofs of checks: of the rows that are held of their newest runs, and as rows of the store."""

import json
from collections.abc import Iterator
from datetime import date, datetime

from engine.evidence.pulls.check_run import CheckQueries
from engine.evidence.pulls.declarations import DaySpan
from engine.evidence.pulls.prove import CheckProof, ProofSubject
from engine.evidence.pulls.pull import PullOutcome
from engine.evidence.pulls.reruns import run_parts
from engine.evidence.pulls.run_files import RUN, tables_of_run
from engine.evidence.store import EvidenceStore
from engine.model.errors import Conflict, NotFound
from engine.store import Store
from engine.store.rows import many
from engine.store.schema.controls import check_proofs, test_runs, testing_schedules

_COUNTED = ("tried", "exceptions_changed", "outcomes_changed", "failures", "looked_at")


def subject_of(outcome: PullOutcome) -> ProofSubject:
    """A check with the rows that a pull read."""
    check = outcome.check
    return ProofSubject(check.id, check.query_sha256, CheckQueries.of(check), outcome.tables, outcome.span)


def stored_subjects(
    store: Store, evidence: EvidenceStore, org_id: str, check_id: str | None
) -> Iterator[ProofSubject | str]:
    """The checks of an organization with the rows of their newest runs; a sentence for one whose rows are not here any
    more. NotFound where there is none of that id."""
    with store.reader() as connection:
        schedules = [
            row
            for row in many(connection, testing_schedules, org_id, order=("check_id",))
            if row["check_id"] is not None and row["ends_on"] is None and check_id in (None, row["check_id"])
        ]
        runs = {row["id"]: many(connection, test_runs, org_id, schedule_id=row["id"]) for row in schedules}
    if check_id is not None and not any(runs.values()):
        raise NotFound(f"There is no check {check_id!r} with a run; `hq pull FILE.toml` runs those of a file.")
    for row in schedules:
        newest = max(runs[row["id"]], key=lambda run: run["sequence"] or 0, default=None)
        if newest is not None:
            try:
                parts = run_parts(store, evidence, org_id, newest["id"])
            except Conflict as problem:
                yield f"{row['check_id']} cannot be proved: {problem.message}"
                continue
            asked = json.loads(parts[RUN])
            yield ProofSubject(
                str(row["check_id"]),
                str(row["query_sha256"]),
                CheckQueries(asked["population"], asked["exceptions"], asked["most"], asked["least_population"]),
                tables_of_run(asked, parts),
                DaySpan(date.fromisoformat(asked["since"]), date.fromisoformat(asked["until"])),
            )


def write_proof(store: Store, org_id: str, proof: CheckProof, *, actor: str, now: datetime) -> bool:
    """Put a proof in the place of the last one of the check, in one revision; False where it says the same."""
    key = {"check_id": proof.subject.check_id, "query_sha256": proof.subject.query_sha256}
    rows = [
        {
            **key,
            "source": one.source,
            "field": one.field,
            "change": one.change,
            **{name: getattr(one, name) for name in _COUNTED},
            "proved_at": now,
        }
        for one in proof.counts
    ]
    with store.revision(org_id, actor, now=now) as revision:
        before = [dict(row) for row in many(revision.records, check_proofs, org_id, check_id=key["check_id"])]
        if _content(before) == _content(rows):
            return False
        revision.delete(check_proofs, check_proofs.c.check_id == key["check_id"])
        revision.insert(check_proofs, rows)
        revision.record(
            "check.proved",
            object_type="check",
            object_id=key["check_id"],
            details={**key, "blind": proof.is_blind, "can_fail": proof.can_fail},
        )
    return True


def _content(rows: list[dict[str, object]]) -> set[tuple[object, ...]]:
    names = ("query_sha256", "source", "field", "change", *_COUNTED)
    return {tuple(row[name] for name in names) for row in rows}
