"""Everything that can be wrong with an installation: a table of checks, each of which says what it finds.

What is not configured is no finding. Nothing is changed, and nothing is made.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from engine.model.errors import Problem
from engine.operations import evidence_checks, file_checks, pull_checks, service_checks, store_checks
from engine.operations.schema.schema_check import is_unreadable, structure_faults
from engine.runtime.heads.second_history import must_not_begin_again
from engine.runtime.settings import Settings
from engine.store.copy.table_copy import store_snapshot
from engine.store.rows import Reader

Progress: TypeAlias = Callable[[str, int, int], None]


class InstallationFinding(NamedTuple):
    """What is wrong, in a sentence, and the check that found it."""

    check: str
    sentence: str


@dataclass(frozen=True)
class Check:
    """A check: of the installation from outside, or of one state of its store."""

    name: str
    of_installation: Callable[[Settings, datetime], Iterable[str]] | None = None
    of_store: Callable[[Reader, Settings, datetime, Progress], Iterable[str]] | None = None


CHECKS = (
    Check("database", of_store=store_checks.database),
    Check("schema", of_store=store_checks.schema),
    Check("clock", of_store=store_checks.clock),
    Check("organizations", of_store=store_checks.organizations),
    Check("installation", of_store=store_checks.installation),
    Check("witness", of_store=store_checks.witness),
    Check("archives", of_store=store_checks.sealed_archives),
    Check("evidence", of_store=evidence_checks.byte_problems),
    Check("analytics", of_store=store_checks.analytics),
    Check("keys", of_store=store_checks.keys),
    Check("pulls", of_store=pull_checks.checks),
    Check("pull files", of_store=pull_checks.files),
    Check("permissions", of_installation=file_checks.permissions),
    Check("leftovers", of_installation=file_checks.leftovers),
    Check("session secret", of_installation=file_checks.session_secret),
    Check("space", of_installation=file_checks.space),
    Check("rate limits", of_installation=service_checks.rate_limits),
    Check("artifacts", of_installation=service_checks.artifacts),
    Check("mail", of_installation=service_checks.mail),
)


def check_installation(settings: Settings, *, now: datetime, progress: Progress) -> list[InstallationFinding]:
    """All that is found, in the order of the checks."""
    findings: list[InstallationFinding] = []
    try:
        must_not_begin_again(settings)
        _look_at_store(settings, now, progress, findings)
    except Problem as problem:  # the store does not answer: the rest is looked at all the same
        findings.append(InstallationFinding("database", problem.message))
    for check in CHECKS:
        if check.of_installation is not None:
            findings += [InstallationFinding(check.name, sentence) for sentence in check.of_installation(settings, now)]
    return findings


def _look_at_store(settings: Settings, now: datetime, progress: Progress, findings: list[InstallationFinding]) -> None:
    """Every check of the store. One that reads what is not there any more says so, and the next one looks anew."""
    waiting = [(check.name, check.of_store) for check in CHECKS if check.of_store is not None]
    while waiting:
        try:
            with structure_faults(), store_snapshot(settings.store_url) as connection:
                while waiting:
                    name, look = waiting.pop(0)
                    for sentence in look(connection, settings, now, progress):
                        findings.append(InstallationFinding(name, sentence))
        except Problem:
            if not is_unreadable([one.sentence for one in findings if one.check == "schema"]):
                raise
            findings.append(
                InstallationFinding(name, "This was not looked at: it reads what the schema does not have any more.")
            )
