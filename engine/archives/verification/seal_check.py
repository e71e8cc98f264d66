"""Whether the archive of every seal is the one that was sealed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from engine.archives.sealing.bundles import archive_path
from engine.archives.verification.archive_check import check_archive
from engine.model.records import BundleRow
from engine.runtime.settings import Settings
from engine.store.queries.history import bundles as queries
from engine.store.rows import Reader, pick

_COMMITTED = ("manifest_sha256", "merkle_root", "previous_id", "key_id")


@dataclass(frozen=True)
class SealsCheck:
    """What a check of an organization's archives found. ``problem`` is None when all of them are as sealed."""

    org_id: str
    seals: int
    problem: str | None

    @property
    def ok(self) -> bool:
        return self.problem is None


def check_seals(
    connection: Reader, settings: Settings, org_id: str, progress: Callable[[int, int], None]
) -> SealsCheck:
    """Each bundle that was sealed here against its event and its file, up to the first that is another one or none.

    That the records of the seals are as written, and none is missing, is what the change log and the heads say.
    """
    seals = len(queries.every_seal(connection, org_id))
    return SealsCheck(org_id, seals, next(seal_problems(connection, settings, org_id, progress), None))


def seal_problems(
    connection: Reader, settings: Settings, org_id: str, progress: Callable[[int, int], None]
) -> Iterator[str]:
    """What is wrong with each archive. Memory stays flat; every archive is read once."""
    rows = queries.every_seal(connection, org_id)
    for done, row in enumerate(rows, 1):
        logged = next(log_problems(connection, row), None)
        if logged is not None:
            yield f"the record of the bundle {row['id']} is not that of its seal: {logged}"
        elif (problem := _of_archive(archive_path(settings, org_id, row["id"]), row)) is not None:
            yield problem
        else:
            progress(done, len(rows))


def log_problems(connection: Reader, row: BundleRow) -> Iterator[str]:
    """Where the audit log says other things of a seal and its revision; what retention removed says nothing."""
    event = queries.sealing_event(connection, row["org_id"], row["id"])
    if event is not None and isinstance(details := event["details"], dict):
        told = {**pick(row, ("requested_window", "sealed_seq", *_COMMITTED)), "sealed_at": row["sealed_at"]}
        for name, expected in told.items():
            found = event["occurred_at"] if name == "sealed_at" else details.get(name, expected)
            if found != expected:
                yield f"event {event['event_id']} names another {name}: {found}"
    at = queries.hash_at(connection, row["org_id"], row["sealed_seq"])
    if at is not None and at != row["sealed_hash"]:
        yield f"event {row['sealed_seq']} has another hash than the revision of the bundle"


def _of_archive(path: Path, row: BundleRow) -> str | None:
    """What is wrong with the archive of a bundle."""
    try:
        found = _sum(path)
    except OSError as error:
        return f"the archive of the bundle {row['id']} cannot be read: {error.strerror}: {path}"
    if found == row["archive_sha256"]:
        return None
    check = check_archive(path)
    what = f"was changed: {check.problem}"
    if check.statement is not None and check.ok:
        about = check.statement.predicate
        what = f"was replaced by another one, a {about.kind} of {about.organization.id} at event {about.revision.seq}"
    return (
        f"the archive of the bundle {row['id']} is not the file that was sealed, it {what}; expected SHA-256 "
        f"{row['archive_sha256']}, found {found}: {path}"
    )


def _sum(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
