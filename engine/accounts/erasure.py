"""A person is erased from an organization: rows, history, kept reports and copies; and what remains, and why."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import rmtree

from engine.accounts.bucket_erasure import clear_bucket
from engine.accounts.evidence_erasure import PersonalFile, erased_hashes, files_about, mark_erased, remove_bytes
from engine.accounts.tokens import API_KEY, revoke
from engine.evidence.store import open_evidence
from engine.model.documents.document import Position
from engine.model.errors import Conflict, Unavailable, Usage
from engine.model.records.pseudonyms import Pseudonym
from engine.replica.replica_file import remove_unused
from engine.runtime.backups import BackupNote, ErasureNote, backups_before, erasures, record_erasure
from engine.runtime.heads.signed_heads import signed_head
from engine.runtime.services import Services
from engine.runtime.settings import STORE_FILE
from engine.store import Reader, Revision
from engine.store.log.parts import PERSON_ERASED, part_of
from engine.store.queries.accounts.people import erasures_of, is_last_owner, names_of, organizations_of
from engine.store.queries.history.positions import was_position
from engine.store.removal.person_erasure import ErasedRows, erase_person, events_naming
from engine.store.removal.retention import active_holds
from engine.store.rows import many
from engine.store.schema.outputs import bundles, credentials

ACTOR = "console"
PREFIX = "erased:"
FAR = 1 << 62  # beyond every chain


@dataclass(frozen=True)
class Remains:
    """Where the person is named after an erasure, or before one was made."""

    events: int  # of the audit chain
    bundles: int  # sealed archives of the organization, which may name the person
    elsewhere: Sequence[str]  # organizations
    shared_names: Sequence[str]  # that others bear, too, and that therefore stay in texts
    backups: Sequence[BackupNote]


@dataclass(frozen=True)
class PersonErasure:
    """What an erasure did, or with ``rehearsed`` what it would do. ``files`` says what is still to be done for them;
    ``evidence`` whose bytes were removed."""

    org_id: str
    said: str
    done: ErasedRows
    remains: Remains
    files: Sequence[str] = ()
    rehearsed: bool = False
    evidence: Sequence[PersonalFile] = ()


class _Rehearsal(Exception):
    """Everything is undone."""

    def __init__(self, done: ErasedRows) -> None:
        self.done = done


def erase(services: Services, org_id: str, email: str, *, now: datetime, dry_run: bool = False) -> PersonErasure:
    """Erase a person from an organization; ``dry_run`` changes nothing and says what there is to do.

    Usage for what is no address. Conflict for somebody whom the organization does not know, for its last owner, under a
    legal hold on everything, and where no head can be signed: then nothing is changed.
    """
    email = email.strip().lower()
    if "@" not in email.strip("@"):
        raise Usage(f"A person is named by an e-mail address; got {email!r}.")
    store, data_dir = services.store, services.settings.data_dir
    text = PREFIX + os.urandom(8).hex()
    with store.reader() as connection:
        _must_be_free(connection, org_id, email, now)
        names, shared = names_of(connection, org_id, email)
        person = Pseudonym(email, names, text)
        events = events_naming(connection, org_id, person)
        sealed = len(many(connection, bundles, org_id))
        elsewhere = [other for other in organizations_of(connection, email) if other != org_id]
    evidence = open_evidence(services.settings)
    personal = files_about(store, evidence, org_id, email)
    if not dry_run:
        store.must_be_writable()
        signed_head(services, org_id, now=now)
    try:
        with store.revision(org_id, ACTOR, now=now) as revision:
            personal = mark_erased(revision, personal, now)
            done = _erase(revision, person, len(personal))
            if dry_run:
                raise _Rehearsal(done)
    except _Rehearsal as rehearsal:
        done = rehearsal.done
    newest = store.part_heads(org_id).get(part_of(PERSON_ERASED), Position(0, ""))
    if done.is_empty and not events and not done.held:
        left = []
        if newest.seq and not dry_run:  # files of before may be here: of another machine, in use then, or after a kill
            remove_bytes(store, evidence, org_id, erased_hashes(store, org_id))
            left = _finish(services, org_id, now)
        nobody = f"Nobody in {org_id} has the address {email}: there is nothing to erase."
        raise Conflict(" ".join([nobody, *left]), word="nobody")
    if not dry_run:
        remove_bytes(store, evidence, org_id, [file.sha256 for file in personal])
    files = [] if dry_run else _finish(services, org_id, now)
    until = FAR if dry_run and not done.is_empty else newest.seq
    remains = Remains(events, sealed, elsewhere, shared, backups_before(data_dir, org_id, until))
    return PersonErasure(org_id, text, done, remains, files, dry_run, personal)


def _must_be_free(connection: Reader, org_id: str, email: str, now: datetime) -> None:
    for hold in active_holds(connection, org_id, now):
        if hold.everything:
            raise Conflict(
                f"The legal hold {hold.id} keeps everything of {org_id}: nobody is erased before it is released.",
                word="legal_hold",
            )
    if is_last_owner(connection, org_id, email):
        raise Conflict(f"{email} is the last owner of {org_id}: make somebody else an owner first.", word="last_owner")


def _erase(revision: Revision, person: Pseudonym, files: int) -> ErasedRows:
    """Keys that the person made open nothing any more; those of machines, which all may manage, go on."""
    for key in many(revision.connection, credentials, revision.org_id, kind=API_KEY.name):
        if person.is_address(key["owner"]):
            revoke(revision, API_KEY, key["id"], any_owner=True)
    return erase_person(revision, person, files)


def _finish(services: Services, org_id: str, now: datetime) -> list[str]:
    """What follows the write, also that of a command that was killed: a note, a signed head, and files."""
    missing = _not_noted(services, org_id)
    for note in missing:
        record_erasure(services.settings.data_dir, note)
    if missing:
        signed_head(services, org_id, now=now)
    return _clean(services, org_id)


def _not_noted(services: Services, org_id: str) -> list[ErasureNote]:
    """The erasures of the chain that are not noted here, as after a restore into another folder."""
    noted = {note.said for note in erasures(services.settings.data_dir, org_id)}
    with services.store.reader() as connection:
        return [ErasureNote(org_id, *each) for each in erasures_of(connection, org_id) if each.said not in noted]


def _clean(services: Services, org_id: str) -> list[str]:
    """Take the person out of files; what is still to be done, and by whom."""
    left = []
    data_dir = services.settings.data_dir
    services.artifacts.space.clear(org_id)
    left += clear_bucket(services, org_id)
    site = data_dir / "site" / org_id
    try:
        rmtree(site)
    except FileNotFoundError:
        pass
    except OSError as error:
        left.append(f"{site} has reports of before and cannot be removed ({error.strerror}): remove it.")
    held: Sequence[Path] = remove_unused(data_dir)
    if held:
        names = ", ".join(path.name for path in held)
        left.append(f"{names} is in use: who uses it removes it when next asked about {org_id}, or start it anew.")
    if services.store.dialect == "postgresql":
        left.append("PostgreSQL keeps rows of before until VACUUM, and its write-ahead log and base backups longer.")
        before = data_dir / STORE_FILE
        if before.exists():
            left.append(f"{before}, a store of before the move to PostgreSQL, is not changed: remove it.")
        return left
    try:
        if not services.store.rewrite_file():
            left.append(
                "The store's log is read by another process and could not be emptied: run the same command once more."
            )
    except Unavailable as problem:
        left.append(
            f"The store's file still has bytes of rows of before ({problem.message}): run the same command once more."
        )
    return left


@dataclass(frozen=True)
class NotedErasure:
    """An erasure. ``applied`` is False in a store that was restored from a backup of before."""

    note: ErasureNote
    applied: bool
    backups: Sequence[BackupNote]


def noted_erasures(services: Services, org_id: str) -> list[NotedErasure]:
    """The erasures of an organization, with the backups of before."""
    data_dir = services.settings.data_dir
    notes = [*erasures(data_dir, org_id), *_not_noted(services, org_id)]
    with services.store.reader() as connection:
        there: Mapping[str, bool] = {n.said: was_position(connection, org_id, n.position) for n in notes}
    return [NotedErasure(n, there[n.said], backups_before(data_dir, org_id, n.position.seq)) for n in notes]
