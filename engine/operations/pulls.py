"""Pulls as the doors run them: one at a time, over what the settings and the machine let them reach, and written."""

import http.client
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import get
from engine.evidence.pulls.declarations import PullCheck, PullFile
from engine.evidence.pulls.landing import ACTOR, Landing
from engine.evidence.pulls.proofs import held_subjects, subject_of, write_proof
from engine.evidence.pulls.prove import CheckProof, ProofSubject, prove
from engine.evidence.pulls.pull import CheckOutcome, asked_span, chosen_checks, pull
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders
from engine.evidence.pulls.turns import turn
from engine.evidence.store import open_evidence
from engine.intake.imports.files.typed_files import open_workbook, read_worksheet
from engine.intake.imports.problems import Problems
from engine.model.days import local_day
from engine.model.errors import InvalidData, Problem
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.accounts.organizations import time_zone

_OK = 200


@dataclass(frozen=True)
class WrittenOutcome:
    """What came out of a check, and the run that it was written as: None where nothing was new, or in a dry run."""

    outcome: CheckOutcome
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
    for check in checks:
        asked_span(check, today, since, until)
    readers = source_readers(services.settings)
    if not write:
        for one in pull(file, checks, readers, today, since, until):
            yield one if isinstance(one, str) else WrittenOutcome(one, None)
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
                yield WrittenOutcome(one.unwritable(problem.message), None)
        if len(checks) == len(file.checks):
            for name in landing.end_others(file):
                yield f"The check {name} is no longer in {file.path.name}; its schedule ends."


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
        if write:
            write_proof(services.store, org_id, proof, actor=ACTOR, now=now)
        yield proof


def _subjects(
    services: Services, org_id: str, file: PullFile | None, check_id: str | None, now: datetime
) -> Iterator[ProofSubject | str]:
    if file is None:
        yield from held_subjects(services.store, open_evidence(services.settings), org_id, check_id)
        return
    with services.store.reader() as connection:
        today = local_day(now, time_zone(connection, org_id))
    for one in pull(file, chosen_checks(file, check_id), source_readers(services.settings), today):
        if isinstance(one, CheckOutcome):
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
        workbook = open_workbook(path)
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
