"""Pulls as the doors run them: one at a time, over what the settings and the machine let them reach, and written."""

import http.client
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import get
from engine.evidence.pulls.declarations import PullCheck, PullFile, window_of_day
from engine.evidence.pulls.landing import ACTOR, Landing, absent_schedules
from engine.evidence.pulls.proofs import stored_subjects, subject_of, write_proof
from engine.evidence.pulls.prove import CheckProof, ProofSubject, prove
from engine.evidence.pulls.pull import PullOutcome, check_request, chosen_checks, pull
from engine.evidence.pulls.pull_file import read_pull_file
from engine.evidence.pulls.sources.paths import MOST_BYTES
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders
from engine.evidence.pulls.turns import turn
from engine.evidence.store import open_evidence
from engine.intake.imports.files.size_limits import SizeBounds
from engine.intake.imports.files.typed_files import open_workbook, read_worksheet
from engine.intake.imports.problems import Problems
from engine.model.days import local_day
from engine.model.errors import InvalidData, Problem, Usage
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.accounts.organizations import time_zone
from engine.store.queries.own_frameworks import own_assessable
from engine.store.rows import many
from engine.store.schema.controls import test_runs, testing_schedules

_OK = 200
_WORKBOOK = SizeBounds(MOST_BYTES, "ask for fewer rows or columns, or for CSV")


@dataclass(frozen=True)
class WrittenOutcome:
    """What came out of a check, and the run that it was written as: None where nothing was new, or in a dry run."""

    outcome: PullOutcome
    run_id: str | None


def run_pull(
    services: Services,
    org_id: str,
    file: PullFile,
    checks: Sequence[PullCheck],
    *,
    now: datetime,
    since: date | None = None,
    until: date | None = None,
    write: bool = True,
) -> Iterator[WrittenOutcome | str]:
    """Run checks of a file and write what came out, a revision each; texts are to be said aloud.

    Conflict where another pull of the organization runs for half a minute. When all checks of the file are run, those
    that were in it and are there no more end.
    """
    with services.store.reader() as connection:
        today = local_day(now, time_zone(connection, org_id))
    check_request(file, checks, today, since, until)
    readers = source_readers(services.settings)
    if not write:
        for one in pull(file, checks, readers, today, since, until):
            yield one if isinstance(one, str) else WrittenOutcome(one, None)
        if len(checks) == len(file.checks):
            with services.store.reader() as connection:
                gone = {str(row["check_id"]) for row in absent_schedules(connection, org_id, file)}
            for name in sorted(gone):
                yield f"The check {name} is not in {file.name}; its schedule would end."
        return
    services.store.must_be_writable()
    with turn(services.settings.data_dir / "pulls", org_id):
        landing = Landing(services.store, open_evidence(services.settings), org_id, now, today)
        for one in pull(file, checks, readers, today, since, until):
            if isinstance(one, str):
                yield one
                continue
            try:
                yield WrittenOutcome(one, landing.write(file, one))
            except Problem as problem:  # its bytes are too many, or there is no room: the others are written
                failed = one.unwritable(problem.message)
                with suppress(Problem):  # the store may take nothing at all
                    landing.write(file, failed)
                yield WrittenOutcome(failed, None)
        if len(checks) == len(file.checks):
            for name in landing.end_others(file):
                yield (
                    f"The check {name} is no longer in {file.name}; its schedule ends. A second file of that name "
                    'needs a line name = "…" of its own.'
                )


def scheduled_files(settings: Settings) -> list[tuple[str | None, Path]]:
    """The files of SVC_PULLS, each with the organization that it names; None where there is to be one only."""
    files: list[tuple[str | None, Path]] = []
    for entry in settings.pulls:
        org_id, equals, path = entry.partition("=")
        files.append((org_id, Path(path)) if equals else (None, Path(entry)))
    return files


def read_pulls(services: Services, org_id: str, path: Path) -> PullFile:
    """A file of pulls of an organization, whose checks may name controls of its own frameworks."""
    with services.store.reader() as connection:
        own = own_assessable(connection, org_id)
    return read_pull_file(path, frozenset(own))


def run_scheduled(services: Services, org_id: str | None, path: str, now: datetime) -> str:
    """Run the checks of a file that are owed by their cadence: those without a run in the window of the day.

    A Problem when a source or a check could not run; what else was owed is written all the same.
    """
    there = [one for one, _ in services.store.organizations()]
    if org_id is None and len(there) != 1:
        raise Usage(f"SVC_PULLS must name the organization of {path} as ORG={path}; there is {', '.join(there)}.")
    chosen = org_id or there[0]
    file = read_pulls(services, chosen, Path(path))
    owed = owed_checks(services, chosen, file, now)
    failures, written = [], 0
    for one in run_pull(services, chosen, file, owed, now=now) if owed else ():
        if isinstance(one, WrittenOutcome):
            written += one.run_id is not None
            if not one.outcome.could_run:
                answer = one.outcome.answer
                failures.append(f"{one.outcome.check.id}: {answer.reason if answer else one.outcome.unread}")
    text = f"{chosen}: {len(owed)} of {len(file.checks)} checks were owed, {written} runs written"
    if failures:
        raise Problem(f"{text}; {' '.join(failures)}")
    return text


def owed_checks(services: Services, org_id: str, file: PullFile, now: datetime) -> list[PullCheck]:
    """The checks of a file without an answer in the window that the day falls in, under the query that they ask."""
    with services.store.reader() as connection:
        today = local_day(now, time_zone(connection, org_id))
        schedules = {
            (row["check_id"], row["query_sha256"]): row
            for row in many(connection, testing_schedules, org_id, pull_file=file.name)
            if row["superseded_on"] is None and row["ends_on"] is None
        }
        owed = []
        for check in file.checks:
            row = schedules.get((check.id, check.query_sha256))
            if row is None or row["unread"] is not None:
                owed.append(check)
                continue
            window = window_of_day(check.cadence, row["starts_on"], today)
            # a run about fewer days than its cadence asks for performs no window
            runs = many(
                connection, test_runs, org_id, schedule_id=row["id"], window_open_on=window.since, since_on=None
            )
            newest = max(runs, key=lambda run: run["sequence"] or 0, default=None)
            if newest is None or newest["outcome"] == "not_tested":
                owed.append(check)
    return owed


def prove_checks(
    services: Services, org_id: str, file: PullFile | None, check_id: str | None, *, now: datetime, write: bool = True
) -> Iterator[CheckProof | str]:
    """Break the rows of checks: those that a file reads now, else those held of their newest runs; texts are why not.

    What each notices is written in a revision, unless ``write`` is false.
    """
    for subject in _subjects(services, org_id, file, check_id, now):
        if isinstance(subject, str):
            yield subject
            continue
        proof = prove(subject)
        if not proof.before.could_run:
            yield f"{subject.check_id} cannot be proved: {proof.before.reason}."
            continue
        if not any(one.tried for one in proof.counts):
            yield f"{subject.check_id} cannot be proved: its sources have no rows that could be broken."
            continue
        if write:
            write_proof(services.store, org_id, proof, actor=ACTOR, now=now)
        yield proof


def _subjects(
    services: Services, org_id: str, file: PullFile | None, check_id: str | None, now: datetime
) -> Iterator[ProofSubject | str]:
    if file is None:
        yield from stored_subjects(services.store, open_evidence(services.settings), org_id, check_id)
        return
    with services.store.reader() as connection:
        today = local_day(now, time_zone(connection, org_id))
    checks = chosen_checks(file, check_id)
    check_request(file, checks, today)
    for one in pull(file, checks, source_readers(services.settings), today):
        if isinstance(one, PullOutcome):
            reason = one.unread if one.answer is None else one.answer.reason
            yield subject_of(one) if one.could_run else f"{one.check.id} cannot be proved: {reason}"


def source_readers(settings: Settings, environment: Mapping[str, str] | None = None) -> SourceReaders:
    """What sources may reach. ``environment`` is that of the process unless a test says."""
    outside = Outside.of(settings)

    def fetch(url: str, token: str, seconds: int, most: int) -> bytes:
        return _fetch(outside, settings.pull_hosts, url, token, seconds, most)

    return SourceReaders(os.environ if environment is None else environment, settings.pull_commands, _worksheet, fetch)


def _worksheet(path: Path, sheet: str) -> Sequence[Sequence[str | None]]:
    """The rows of a sheet, the first one without a name, as texts: the header first."""
    try:
        workbook = open_workbook(path, _WORKBOOK)
        name = sheet or workbook.sheet_names[0]
        if name not in workbook.sheet_names:
            raise SourceProblem(f"The workbook has no sheet {name!r}; it has {', '.join(workbook.sheet_names)}.")
        batches = list(read_worksheet(workbook, name, frozenset(), Problems()))
    except InvalidData as error:
        raise SourceProblem(error.message) from error
    rows: list[Sequence[str | None]] = [batches[0].header]
    for batch in batches:
        rows += list(zip(*(column.to_list() for column in batch.columns), strict=True))
    return rows


def _fetch(outside: Outside, hosts: Sequence[str], url: str, token: str, seconds: int, most: int) -> bytes:
    """What an address answers. An internal host must be one of ``hosts``; either way its name is resolved once."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    place = url.partition("?")[0]
    try:
        target = WebhookTarget.any(url)
        internal = target.host in hosts or f"{target.host}:{target.port}" in hosts
        if not internal:
            target = WebhookTarget.of(url)
        answer = get(outside, target, headers, public=not internal, seconds=seconds, most=most + 1)
    except AddressRefusal as refusal:
        raise SourceProblem(f"{place} is not asked: {refusal} SVC_PULL_HOSTS names internal hosts.") from refusal
    except (OSError, http.client.HTTPException) as error:
        raise SourceProblem(f"{place} does not answer: {str(error)[:200] or type(error).__name__}.") from error
    if answer.status != _OK:
        raise SourceProblem(f"{place} answers {answer.status}; expected {_OK}. Redirects are not followed.")
    if len(answer.body) > most:
        raise SourceProblem(f"{place} answers more than {most:,} bytes.")
    return answer.body
