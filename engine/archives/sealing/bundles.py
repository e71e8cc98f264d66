"""Sealed bundles: one snapshot in one revision, chained to the bundle before, never changed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.archives.contents.about import About
from engine.archives.contents.windows import Days
from engine.archives.errors import disk
from engine.archives.sealing.announcement import ROUTE, announcement
from engine.archives.sealing.manifest import Previous
from engine.archives.sealing.proofs import SealedHistory, add_history, must_continue
from engine.archives.sealing.spool import ArchiveSpool
from engine.archives.sealing.sweep import mark, sweep, temporary
from engine.delivery import QueueAnswer, channels_of, endpoints, enqueue
from engine.model.days import local_day, midnight
from engine.model.errors import Conflict, NotFound, Unavailable
from engine.model.records import BundleRow
from engine.model.vocabulary import Json
from engine.reporting.artifacts.durable_files import flush_folder, link_new
from engine.runtime.keys.signing_keys import SigningKey, signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Revision
from engine.store.ids import new_id
from engine.store.queries.history import bundles as queries
from engine.store.rows import first, pick
from engine.store.schema.outputs import bundle_files, bundles

if TYPE_CHECKING:
    from engine.archives.sealing.archive import SealedArchive

CRON = "cron:bundles"
SCHEDULES = (CRON, "scheduler")
TRIES = 5


@dataclass(frozen=True)
class NewBundle:
    """A bundle that was just sealed, and what was queued about it."""

    row: BundleRow
    delivery: list[QueueAnswer]
    again: bool = False  # it was there already


class _Overtaken(Exception):
    """Another bundle was sealed since we looked, or this one was taken for unfinished."""


class _OutdatedGather(Exception):
    """What was gathered lies below a bundle that was sealed since."""


def create_scheduled(services: Services, org_id: str, actor: str, window: Days, *, now: datetime) -> NewBundle:
    """The bundle of that window that a schedule sealed on the organization's present day; sealed now without one."""
    zone = services.store.time_zone(org_id)
    since = midnight(local_day(now, zone), zone)

    def sealed_meanwhile() -> BundleRow | None:
        with services.store.reader() as connection:
            return queries.sealed_since(connection, org_id, SCHEDULES, window.requested, since)

    bundle_row = sealed_meanwhile()
    if bundle_row is not None:
        return NewBundle(bundle_row, [], again=True)
    return create(services, org_id, actor, window, now=now, known=sealed_meanwhile)


def create(
    services: Services,
    org_id: str,
    actor: str,
    window: Days,
    *,
    now: datetime,
    known: Callable[[], BundleRow | None] | None = None,
) -> NewBundle:
    """Seal a bundle of the organization as it stands and queue word of it. Conflict: its audit chain does not
    hold, or does not continue an earlier seal.

    ``sealed_meanwhile`` may find one that was sealed meanwhile and will do.
    """
    from engine.archives.contents.contents import gather

    folder = archive_path(services.settings, org_id, "x").parent
    sweep(services.store, folder, org_id, now=now)
    with services.store.reader() as connection:
        must_continue(connection, org_id)
    for _ in range(TRIES):
        with gather(services, org_id, "bundle", window, now=now) as (spool, about, counts):
            try:
                return _create(services, spool, about, counts, actor, folder, now, known)
            except _OutdatedGather:
                continue
    raise Conflict("Other bundles were sealed at the same time, again and again: try again.", word="bundle_overtaken")


def _create(
    services: Services,
    spool: ArchiveSpool,
    about: About,
    counts: dict[str, int],
    actor: str,
    folder: Path,
    now: datetime,
    known: Callable[[], BundleRow | None] | None,
) -> NewBundle:
    """Seal what was gathered over all bundles that there are, even those that were sealed meanwhile."""
    settings, org_id = services.settings, about.organization.id
    key = signing_key(settings.signing_key_path)
    for _ in range(TRIES):
        with services.store.reader() as connection:
            before = queries.newest(connection, org_id)
        bundle_row = known() if known else None
        if bundle_row is not None:
            return NewBundle(bundle_row, [], again=True)
        if before is not None and before["sealed_seq"] > about.revision.seq:
            raise _OutdatedGather
        bundle_id = new_id("bnd")
        history = add_history(services, spool, about, now=now)
        with _seal_in_folder(spool, replace(about, previous=_previous(before)), key, folder, bundle_id) as sealed:
            final = archive_path(settings, org_id, bundle_id)
            try:
                with _install(sealed.path, final), services.store.revision(org_id, actor, now=now) as revision:
                    if queries.newest(revision.connection, org_id) != before or not final.is_file():
                        raise _Overtaken
                    row = _row(revision, bundle_id, about, sealed, counts, before, history)
                    return NewBundle(row, _write(revision, row, sealed, settings))
            except _Overtaken:
                continue
    raise _OutdatedGather


def archive_path(settings: Settings, org_id: str, bundle_id: str) -> Path:
    """Where the archive of a bundle is kept."""
    return settings.bundle_folder / org_id / f"{bundle_id}.zip"


def list_bundles(services: Services, org_id: str) -> list[dict[str, object]]:
    """Metadata of every bundle, newest first."""
    with services.store.reader() as connection:
        rows = queries.every(connection, org_id)
    by_id = {row["id"]: row for row in rows}
    return [metadata(row, by_id.get(row["previous_id"] or "")) for row in rows]


def any_of(services: Services, org_id: str) -> bool:
    """Whether the organization seals bundles."""
    with services.store.reader() as connection:
        return queries.newest(connection, org_id) is not None


def one(services: Services, org_id: str, bundle_id: str) -> tuple[BundleRow, BundleRow | None]:
    """The row of a bundle and of the one before; NotFound."""
    with services.store.reader() as connection:
        row = first(connection, bundles, org_id, id=bundle_id)
        if row is None:
            raise NotFound(f"There is no such bundle: {bundle_id[:200]}.")
        before = first(connection, bundles, org_id, id=row["previous_id"]) if row["previous_id"] else None
    return row, before


def archive(services: Services, row: BundleRow) -> Path:
    """The file of a bundle; NotFound for one that was sealed elsewhere, Unavailable when the file is gone."""
    if row["archive_sha256"] is None:
        raise NotFound(f"The bundle {row['id']} was sealed elsewhere; only its record is here.", word="no_archive")
    path = archive_path(services.settings, row["org_id"], row["id"])
    if not path.is_file():
        raise Unavailable(
            f"The archive of the bundle {row['id']} is not in the bundle folder: restore it from a backup, or check "
            "SVC_BUNDLE_DIR.",
            word="archive_missing",
        )
    return path


def metadata(row: BundleRow, before: BundleRow | None) -> dict[str, object]:
    """The metadata of a bundle as clients see it."""
    previous = None
    if row["previous_id"] is not None:
        previous = {
            "id": row["previous_id"],
            "manifest_sha256": before["manifest_sha256"] if before else None,
            "merkle_root": before["merkle_root"] if before else None,
        }
    return {
        "id": row["id"],
        "organization": row["org_id"],
        "state": "sealed",
        "window": {
            "requested": row["requested_window"],
            "start_on": row["window_start_on"],
            "end_on": row["window_end_on"],
        },
        "created_by": row["created_by"],
        "sealed_at": row["sealed_at"],
        "revision": {"seq": row["sealed_seq"], "hash": row["sealed_hash"]},
        "counts": row["counts"] or {},
        "merkle_root": row["merkle_root"],
        "manifest_sha256": row["manifest_sha256"],
        "previous": previous,
        "key_id": row["key_id"],
        "size_bytes": row["size_bytes"],
        "archive_sha256": row["archive_sha256"],
        "download": f"{ROUTE}/{row['id']}/download" if row["archive_sha256"] else None,
    }


@contextmanager
def _seal_in_folder(
    spool: ArchiveSpool, about: About, key: SigningKey, folder: Path, bundle_id: str
) -> "Iterator[SealedArchive]":
    """The archive under a name of its own, which is gone in the end."""
    from engine.archives.sealing.archive import seal

    path = temporary(folder, bundle_id)
    with mark(folder, bundle_id):
        try:
            yield seal(spool, about, key, path)
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def _install(made: Path, final: Path) -> Iterator[None]:
    """The archive where it belongs, never over another one; gone again when the block raises."""
    with disk("The bundle"):
        made.chmod(0o400)
        link_new(made, final)
    try:
        with disk("The bundle"):
            flush_folder(final.parent)
        yield
    except BaseException:
        final.unlink(missing_ok=True)
        raise


def _previous(before: BundleRow | None) -> Previous | None:
    if before is None:
        return None
    return Previous(before["id"], before["manifest_sha256"], before["merkle_root"])


def _row(
    revision: Revision,
    bundle_id: str,
    about: About,
    sealed: "SealedArchive",
    counts: dict[str, int],
    before: BundleRow | None,
    history: SealedHistory,
) -> BundleRow:
    return {
        "org_id": revision.org_id,
        "revision": revision.seq,
        "id": bundle_id,
        "created_by": revision.actor,
        "sealed_at": revision.now,
        "requested_window": about.window.requested,
        "window_start_on": about.window.start_on,
        "window_end_on": about.window.end_on,
        "sealed_seq": about.revision.seq,
        "sealed_hash": about.revision.hash,
        "first_seq": about.events.first_seq if about.events else None,
        "manifest_sha256": sealed.manifest_sha256,
        "merkle_root": sealed.merkle_root,
        "previous_id": before["id"] if before else None,
        "size_bytes": sealed.size,
        "archive_sha256": sealed.sha256,
        "key_id": sealed.key_id,
        "head": history.head,
        "before": history.before,
        "counts": dict[str, Json](counts),
    }


def _write(revision: Revision, row: BundleRow, sealed: "SealedArchive", settings: Settings) -> list[QueueAnswer]:
    """The rows, the audit event and the outbox, all in one revision."""
    revision.insert(bundles, [row])
    files = [
        {
            "bundle_id": row["id"],
            "position": position,
            "name": part.name,
            "size_bytes": part.size,
            "sha256": part.sha256,
            "rows": part.rows,
        }
        for position, part in enumerate(sealed.parts)
    ]
    revision.insert(bundle_files, files)
    told = ("requested_window", "sealed_seq", "manifest_sha256", "merkle_root", "previous_id", "key_id")
    revision.record("bundle.sealed", object_type="bundle", object_id=row["id"], details=pick(row, told))
    channels = channels_of(settings, endpoints(revision.connection, revision.org_id))
    return enqueue(revision, [announcement(row, url, settings) for url in channels.webhook.recipients])
