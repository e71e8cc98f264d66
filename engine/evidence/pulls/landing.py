"""Writing what a pull came to: bytes first, then one revision for each check, with its schedule, its run and its items.

The same query, rows and answer in the same window are no revision. A query that changed begins another series of the
check: what passed under the old one supports no longer, what failed stays failed until the check passes.
"""

from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO

from engine.evidence.items import add_item, byte_columns
from engine.evidence.pulls.check_run import CheckAnswer
from engine.evidence.pulls.declarations import PullCheck, PullFile, window_of_day, window_span
from engine.evidence.pulls.pull import PullOutcome
from engine.evidence.pulls.run_files import RUN, rows_sha256, run_files
from engine.evidence.store import EvidenceBytes, EvidenceStore, measure
from engine.model.records import TestingScheduleRow, TestRunRow
from engine.store import Revision, Store
from engine.store.rows import Reader, many
from engine.store.schema.controls import schedule_controls, test_runs, testing_schedules
from engine.store.schema.organizations import organization_frameworks

ACTOR = "pull"


@dataclass(frozen=True)
class StoredPart:
    """Bytes of a run that are in the evidence store."""

    part: str
    name: str
    bytes: EvidenceBytes


@dataclass(frozen=True)
class Landing:
    """Where pulls are written, when, and on which day of the organization."""

    store: Store
    evidence: EvidenceStore
    org_id: str
    now: datetime
    today: date
    actor: str = ACTOR

    def write(self, file: PullFile, outcome: PullOutcome) -> str | None:
        """Write what came out of a check; the run's identifier, or None where nothing is new."""
        answer = outcome.answer
        if answer is None:
            self._note_unread(file, outcome)
            return None
        digest = rows_sha256(outcome, answer)
        if self._is_repeat(outcome, digest):
            return None
        files = run_files(outcome, answer, self.now)
        self.evidence.must_fit(self.org_id, [(one.name, measure(BytesIO(one.data))) for one in files])
        parts = [StoredPart(one.part, one.name, self.evidence.put(self.org_id, one.data, one.name)) for one in files]
        with self.store.revision(self.org_id, self.actor, now=self.now) as revision:
            schedule = self._schedule(revision, file, outcome.check)
            run_id = f"{schedule['id']}-r{revision.seq}"
            row = self._run_row(schedule, outcome, answer, parts=len(parts))
            own = {"id": run_id, "rows_sha256": digest, "sequence": revision.seq}
            revision.insert(test_runs, [{**row, **own}])
            for part in parts:
                self._add_part(revision, run_id, outcome, answer, part)
            if schedule["unread"] is not None:
                revision.update(testing_schedules, {"id": schedule["id"]}, {"unread": None, "unread_at": None})
            revision.record(
                "check.ran",
                object_type="test_run",
                object_id=run_id,
                details={"check": outcome.check.id, "outcome": answer.outcome, "rows_sha256": digest},
            )
        return run_id

    def _is_repeat(self, outcome: PullOutcome, digest: str) -> bool:
        """Whether the newest run of the window said the same of the same rows, and another would end no failure."""
        with self.store.reader() as connection:
            series = many(connection, testing_schedules, self.org_id, check_id=outcome.check.id)
            current = _current(series, outcome.check)
            if current is None or current["unread"] is not None or not _is_as_declared(current, outcome.check):
                return False
            runs = many(connection, test_runs, self.org_id, schedule_id=[row["id"] for row in series])
        window = window_of_day(outcome.check.cadence, current["starts_on"], outcome.span.until)
        of_window = [
            run for run in runs if run["schedule_id"] == current["id"] and run["window_open_on"] == window.since
        ]
        newest = max(of_window, key=_order, default=None)
        if newest is None or newest["rows_sha256"] != digest:
            return False
        since = _since(outcome)
        if since is None and newest["since_on"] is not None:
            return False
        standing = [run for run in runs if run["outcome"] == "failed" and not any(_ends(one, run) for one in runs)]
        return newest["outcome"] != "passed" or not any(
            _asks_as_much(outcome.span.until, since, run) for run in standing
        )

    def _schedule(self, revision: Revision, file: PullFile, check: PullCheck) -> TestingScheduleRow:
        """The schedule of the check as it is declared, made or changed where it has to be."""
        series = many(revision.records, testing_schedules, self.org_id, check_id=check.id)
        current = _current(series, check)
        declared = {
            "procedure": check.title,
            "cadence": check.cadence,
            "owner": check.owner,
            "pull_file": file.name,
            "ends_on": None,
        }
        if current is not None:
            if not _is_as_declared(current, check) or current["pull_file"] != file.name:
                revision.update(testing_schedules, {"id": current["id"]}, declared)
            return current
        for old in series:
            if old["superseded_on"] is None:
                ended = {"superseded_on": self.today, "ends_on": old["ends_on"] or self.today}
                revision.update(testing_schedules, {"id": old["id"]}, ended)
        identifier = f"check-{check.id}" + (f"-{len(series) + 1}" if series else "")
        scope = {
            row["framework"] for row in many(revision.records, organization_frameworks, self.org_id) if row["in_scope"]
        }
        framework, control_id = next((one for one in check.controls if one[0] in scope), check.controls[0])
        revision.insert(
            testing_schedules,
            [
                {
                    **declared,
                    "id": identifier,
                    "framework": framework,
                    "control_id": control_id,
                    "starts_on": self.today,
                    "check_id": check.id,
                    "query_sha256": check.query_sha256,
                }
            ],
        )
        controls = [{"schedule_id": identifier, "framework": one, "control_id": two} for one, two in check.controls]
        revision.insert(schedule_controls, controls)
        return many(revision.records, testing_schedules, self.org_id, id=identifier)[0]

    def _run_row(
        self, schedule: TestingScheduleRow, outcome: PullOutcome, answer: CheckAnswer, *, parts: int
    ) -> dict[str, object]:
        window = window_of_day(outcome.check.cadence, schedule["starts_on"], outcome.span.until)
        tested = answer.outcome != "not_tested"
        return {
            "schedule_id": schedule["id"],
            "window_open_on": window.since,
            "window_close_on": window.until,
            "performed_on": self.today if tested else None,
            "outcome": answer.outcome,
            "population": answer.population.rows,
            "tested": answer.population.rows if tested else 0,
            "deviations": answer.exceptions.rows if tested else None,
            "evidence_expected": parts,
            "evidence_received": parts,
            "reason": answer.reason or None,
            "ran_at": self.now,
            "since_on": _since(outcome),
            "until_on": outcome.span.until,
        }

    def _add_part(
        self, revision: Revision, run_id: str, outcome: PullOutcome, answer: CheckAnswer, part: StoredPart
    ) -> None:
        check = outcome.check
        what = "run" if part.part == RUN else part.part
        add_item(
            revision,
            {
                "id": f"{run_id}-{what}",
                "title": f"{check.title}: {what} ({answer.outcome.replace('_', ' ')})",
                "source": f"check {check.id}",
                "owner": check.owner,
                "captured_at": self.now,
                "run_id": run_id,
                "part": what,
                **byte_columns(part.bytes, part.name, self.now),
            },
            check.controls,
        )

    def _note_unread(self, file: PullFile, outcome: PullOutcome) -> None:
        """A check whose source could not be read is stale at once: its schedule says why, its runs stay."""
        with self.store.revision(self.org_id, self.actor, now=self.now) as revision:
            schedule = self._schedule(revision, file, outcome.check)
            if schedule["unread"] == outcome.unread:
                if not revision.touched:
                    return
            else:
                values = {"unread": outcome.unread, "unread_at": schedule["unread_at"] or self.now}
                revision.update(testing_schedules, {"id": schedule["id"]}, values)
            revision.record(
                "check.unread",
                object_type="testing_schedule",
                object_id=schedule["id"],
                outcome="failure",
                details={"check": outcome.check.id, "reason": outcome.unread},
            )

    def end_others(self, file: PullFile) -> list[str]:
        """End the schedules of checks that were in this file and are there no more; returns their checks."""
        with self.store.revision(self.org_id, self.actor, now=self.now) as revision:
            gone = absent_schedules(revision.records, self.org_id, file)
            for row in gone:
                revision.update(testing_schedules, {"id": row["id"]}, {"ends_on": self.today, "unread": None})
                revision.record(
                    "check.ended",
                    object_type="testing_schedule",
                    object_id=row["id"],
                    details={"check": row["check_id"], "file": file.name},
                )
        return sorted({str(row["check_id"]) for row in gone})


def absent_schedules(connection: Reader, org_id: str, file: PullFile) -> list[TestingScheduleRow]:
    """The schedules that go on of checks that a file of this name had and has no more."""
    names = {check.id for check in file.checks}
    series = many(connection, testing_schedules, org_id, pull_file=file.name)
    return [row for row in series if row["check_id"] not in names and row["ends_on"] is None]


def _current(series: list[TestingScheduleRow], check: PullCheck) -> TestingScheduleRow | None:
    """The schedule of the query that a check has now."""
    open_ones = [row for row in series if row["superseded_on"] is None and row["query_sha256"] == check.query_sha256]
    return open_ones[0] if open_ones else None


def _is_as_declared(row: TestingScheduleRow, check: PullCheck) -> bool:
    declared = check.title, check.cadence, check.owner, None
    return (row["procedure"], row["cadence"], row["owner"], row["ends_on"]) == declared


def _order(run: TestRunRow) -> int:
    return run["sequence"] or 0


def _since(outcome: PullOutcome) -> date | None:
    """The first day that a run asks about, where the window of its cadence begins earlier."""
    span = outcome.span
    return span.since if span.since > window_span(outcome.check.cadence, span.until).since else None


def _ends(run: TestRunRow, failed: TestRunRow) -> bool:
    """Whether a run is a pass that ends what failed before it."""
    until = run["until_on"] or run["window_close_on"]
    later = run["outcome"] == "passed" and _order(run) > _order(failed)
    return later and _asks_as_much(until, run["since_on"], failed)


def _asks_as_much(until: date, since: date | None, failed: TestRunRow) -> bool:
    """Whether days up to ``until`` are those of a failed run or more; all of its cadence where ``since`` is None."""
    return until >= (failed["until_on"] or failed["window_open_on"]) and (
        since is None or (failed["since_on"] is not None and since <= failed["since_on"])
    )
