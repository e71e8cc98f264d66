"""The command that erases a person."""

from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import Usage
from engine.store import PLATFORM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.accounts.erasure import NotedErasure, PersonErasure
    from engine.runtime.backups import BackupNote


@click.command(epilog="Example: hq erase --org northwind --person ann@northwind.example --dry-run")
@org_option
@click.option("--person", metavar="EMAIL", help="Whom to erase.")
@click.option("--dry-run", is_flag=True, help="Print what would be changed, and change nothing.")
@click.option("--list", "listing", is_flag=True, help="Print the erasures that were made, and backups of before.")
def erase(org: str | None, person: str | None, dry_run: bool, listing: bool) -> None:
    """Erase a person from an organization: members, leads and enquiries (--org platform) alike.

    `erased:<random>` stands for the person in rows and their history from then on. What remains, and why, is printed.
    """
    from engine.accounts.erasure import erase as run
    from engine.accounts.erasure import noted_erasures

    if (person is None) != listing:
        raise Usage("Name the person with --person, or ask for the erasures that were made with --list.")
    with open_console_services() as services:
        name = PLATFORM if org == PLATFORM else organization(services, org)
        if person is None:
            lines = [line for noted in noted_erasures(services, name) for line in _note_lines(noted)]
        else:
            lines = list(_result_lines(run(services, name, person, now=now(), dry_run=dry_run)))
    for line in lines:
        click.echo(line)


def _result_lines(erasure: "PersonErasure") -> "Iterator[str]":
    done, remains = erasure.done, erasure.remains
    for table, count in sorted(done.rows.items()):
        yield f"{table}: {_count(count, 'row')}"
    for file in erasure.evidence:
        verb = "would be removed" if erasure.rehearsed else "removed"
        yield f"{verb}: the bytes of evidence item {file.item_id}, {file.sha256}, which {file.why}: {file.title}"
    if done.versions:
        yield f"history: {_count(done.versions, 'earlier version')} of rows"
    if done.is_empty:
        yield f"There is nothing left to erase in the rows of {erasure.org_id} and their history."
    elif erasure.rehearsed:
        yield "Nothing was changed: this is what would be."
    else:
        yield f"{erasure.said} stands for the person in {erasure.org_id} now."
    for table, count in sorted(done.held.items()):
        yield f"stays: {_count(count, 'row')} of {table}, under a legal hold"
    if remains.events:
        yield f"stays: {_count(remains.events, 'audit event')} that name the person, until their retention: a chain"
    if remains.bundles:
        yield f"stays: what {_count(remains.bundles, 'sealed bundle')} of {erasure.org_id} and archives that left hold"
    for name in remains.shared_names:
        yield f"stays: the name {name!r} in texts: somebody else bears it, too"
    if remains.elsewhere:
        yield f"stays: what {', '.join(remains.elsewhere)} has of the person: erase there, too"
    yield from _backups(remains.backups)
    yield from erasure.files


def _note_lines(noted: "NotedErasure") -> "Iterator[str]":
    note = noted.note
    yield f"{note.said}\t{note.made_at:%Y-%m-%d %H:%M:%S} UTC\trevision {note.position.seq}"
    if not noted.applied:
        yield "  this store does not have it: it was restored from a backup of before. Erase the person again."
    for line in _backups(noted.backups):
        yield f"  {line}"


def _backups(backups: "Sequence[BackupNote]") -> "Iterator[str]":
    for backup in backups:
        yield (
            f"backup {backup.file} of {backup.made_at:%Y-%m-%d %H:%M:%S} UTC still holds the person: destroy it, or "
            "erase again after it is restored."
        )


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
