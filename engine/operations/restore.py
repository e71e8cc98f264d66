"""A backup put into an empty place: built beside it, checked whole, and only then given its name.

In PostgreSQL the tables come in one transaction, which ends once the folder is in its place: of a restore that is
refused, or killed, nothing is left that a console would start with.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from engine.evidence.store import evidence_path, open_evidence
from engine.model.errors import Conflict, Usage
from engine.model.file_errors import file_problem
from engine.operations.backup_file import BackupReader, refusal
from engine.operations.data_folder import INSTALLATION_TREE, archive_member, evidence_member, heads_member, key_files
from engine.operations.exclusions import exclusions
from engine.operations.install import Journal, Placement, clear_abandoned, journal, must_be_free
from engine.operations.restored_tables import Progress, load_tables, must_hold
from engine.runtime.settings import Settings
from engine.store.copy.table_copy import new_store
from engine.store.queries.accounts.installation import EvidenceRecord, archives, evidence_files, positions
from engine.store.rows import Reader


@dataclass(frozen=True)
class Restoration:
    """What a restore brought back. ``missing`` says in a sentence each what is not as it was, and what to do."""

    organizations: int
    rows: int
    archives: int
    made_at: str
    missing: Sequence[str]
    evidence: int = 0


def restore_backup(
    settings: Settings, path: Path, *, now: datetime, passphrase: bytes | None, check_only: bool, progress: Progress
) -> Restoration:
    """Put the backup into SVC_DATA_DIR, and into SVC_DATABASE_URL where that is set; both have to be empty.

    InvalidData says what does not hold, Conflict what is in the way: then all is as it was. With ``check_only`` it is
    put into a folder that is gone afterwards, and nothing has to be empty.
    """
    try:
        with path.open("rb") as file:
            backup = BackupReader(file, passphrase)
            if check_only:
                settings = replace(settings, database_url="")
            else:
                clear_abandoned(settings)
                must_be_free(settings, backup)
            with _workplace(settings.data_dir) as (work, placed):
                return _restore(settings, backup, work, placed, now, check_only, progress)
    except FileNotFoundError as error:
        if error.filename == str(path):
            raise Usage(f"There is no file {path}.") from error
        raise file_problem("The backup cannot be restored", error) from error
    except OSError as error:
        raise file_problem("The backup cannot be restored", error) from error


def _restore(
    settings: Settings,
    backup: BackupReader,
    work: Path,
    placed: Journal,
    now: datetime,
    check_only: bool,
    progress: Progress,
) -> Restoration:
    """Build it in ``work`` as in a data folder of its own, check it, and move it."""
    _must_have_room(backup, work)
    remote = settings.database_url.startswith("postgresql")
    stage = replace(
        settings,
        data_dir=work,
        database_url=settings.database_url if remote else "",
        bundle_dir=None,
        evidence_url="",
        signing_key_file=None if backup.has("keys/signing.key") else settings.signing_key_file,
    )
    placement = Placement(settings, backup, work, placed)
    try:
        with new_store(stage.store_url) as connection:
            rows = load_tables(connection, backup, now=now, progress=progress)
            count, held = _extract(connection, backup, stage)
            must_hold(connection, stage, progress)
            missing = exclusions(connection, backup.manifest, settings, stage)
            if settings.evidence_bucket and not check_only:
                _send_evidence(settings, stage, held)
            if remote and not check_only:
                placement.move()
        if not remote and not check_only:
            placement.move()
    except BaseException:
        placement.undo()
        raise
    organizations = len(backup.manifest.organizations)
    return Restoration(organizations, rows, count, backup.manifest.made_at, missing, len(held))


def _send_evidence(settings: Settings, stage: Settings, held: Sequence[EvidenceRecord]) -> None:
    """Bytes of evidence into the bucket that holds them: under their own sums, so that nothing there is overwritten by
    anything else. Unavailable where it does not take them."""
    evidence = open_evidence(settings)
    for record in held:
        evidence.put(record.org_id, stage.evidence_folder / evidence_path(record.org_id, record.sha256))
    shutil.rmtree(stage.evidence_folder, ignore_errors=True)


def _extract(connection: Reader, backup: BackupReader, stage: Settings) -> tuple[int, list[EvidenceRecord]]:
    """The files that the tables speak of, and no others; returns how many archives there are, and what evidence."""
    places = dict(key_files(replace(stage, signing_key_file=None)))
    places[INSTALLATION_TREE] = stage.data_dir / INSTALLATION_TREE
    places |= {heads_member(one.org_id): stage.data_dir / heads_member(one.org_id) for one in positions(connection)}
    count, lacking = 0, backup.manifest.lacking
    members = {member.name: member for member in backup.manifest.members}
    for record in archives(connection):
        name = archive_member(record.org_id, record.bundle_id)
        if name in members and (members[name].sha256 == record.sha256 or name in lacking):
            places[name] = stage.data_dir / name
            count += 1
        elif name not in lacking:
            what = "other bytes than were sealed in" if name in members else "no"
            raise refusal(f"has {what} {name}, the archive of a bundle on record")
    held = []
    for file in evidence_files(connection):
        name = evidence_member(file.org_id, file.sha256)
        if name in members and members[name].sha256 == file.sha256:
            places[name] = stage.evidence_folder / evidence_path(file.org_id, file.sha256)
            held.append(file)
        elif name not in lacking:
            what = "other bytes than were taken in" if name in members else "no"
            raise refusal(f"has {what} {name}, the bytes of evidence on record")
    for name, member in members.items():
        if member.columns is None:
            if name not in places:
                raise refusal(f"has a file {name} that nothing in it speaks of")
            _write(places[name], backup.pieces(name))
    return count, held


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _must_have_room(backup: BackupReader, work: Path) -> None:
    needed = sum(member.size for member in backup.manifest.members)
    free = shutil.disk_usage(work).free
    if needed > free:
        raise Conflict(
            f"The backup unpacks to {needed:,} bytes, and the disk of SVC_DATA_DIR has {free:,} free: free some space; "
            "nothing was restored.",
            word="no_room",
        )


@contextmanager
def _workplace(target: Path) -> Iterator[tuple[Path, Journal]]:
    """A folder on the disk of ``target`` that only we read, and its journal; both are gone in the end unless the folder
    was moved.

    It is beside the target, or inside where that is a disk of its own or we may write nothing beside it. Folders above
    the target that were made for it are gone as well unless something is in them.
    """
    place = target.resolve()
    inside = place.is_mount() or (place.is_dir() and not os.access(place.parent, os.W_OK | os.X_OK))
    work = (place if inside else place.parent) / f".{place.name}.restoring.{os.urandom(4).hex()}"
    made = [folder for folder in work.parents if not folder.exists()]  # the nearest first
    try:
        work.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with journal(work) as placed:
            try:
                work.mkdir(mode=0o700)
                yield work, placed
            finally:
                shutil.rmtree(work, ignore_errors=True)
    finally:
        with suppress(OSError):
            for folder in made:
                folder.rmdir()
