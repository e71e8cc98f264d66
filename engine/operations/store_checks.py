"""What can be wrong with a store and with what it speaks of. Each check gives a sentence for each thing it finds."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial

from engine.archives.verification.seal_check import seal_problems
from engine.delivery.outside import Outside
from engine.delivery.secret_keys import SecretKeys
from engine.delivery.witness import witness_problems
from engine.model.errors import Problem
from engine.operations.data_folder import heads_member
from engine.operations.exclusions import missing_signing_key, unreadable_secrets
from engine.operations.schema.schema_check import schema_problems
from engine.replica.replica_check import replica_findings
from engine.runtime.heads.head_check import check_heads
from engine.runtime.heads.installation_check import check_installation_tree
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.services import REPLICA
from engine.runtime.settings import Settings
from engine.store.chain.chain_segments import chain_check, chain_span, check_segment
from engine.store.copy.table_copy import store_snapshot
from engine.store.log.row_check import check_rows
from engine.store.queries.accounts.installation import (
    durability_problems,
    last_write,
    positions,
    structure_problems,
    unused_credentials,
)
from engine.store.queries.sending.deliveries import webhooks
from engine.store.rows import Reader

Progress = Callable[[str, int, int], None]
UNUSED = timedelta(days=90)
TOLERANCE = timedelta(minutes=1)  # by which the clocks of two machines may differ


def database(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """The database by its own lights."""
    for problem in structure_problems(connection):
        yield f"The database does not hold together: {problem}. Stop the console and restore a backup."
    for problem in durability_problems(connection):
        yield (
            f"The PostgreSQL server loses what was committed when it crashes: {problem}. Set it for the database or "
            "the server, and take a backup."
        )


def schema(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Tables, columns, indexes and views are those of the migration, and nothing acts by itself."""
    for problem in schema_problems(connection):
        yield (
            f"The schema is not that of its migration: {problem}. Find out who did that, take it away or restore a "
            "backup, then run `hq verify --all`."
        )


def installation(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """No organization vanished, and none came beside the console."""
    by_then = partial(store_snapshot, settings.store_url)
    for problem in check_installation_tree(connection, settings, later=by_then).problems:
        yield f"The installation is not what was signed: {problem}. Restore a backup, or compare with an archive."


def witness(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """The witness answers, and saw no more than there is: of the installation, and of every organization."""
    if not settings.witness_url:
        return
    if not settings.witness_keys:
        yield "SVC_WITNESS_URL is set and SVC_WITNESS_KEYS is not: what the witness signs is not taken."
    yield from witness_problems(connection, settings, Outside.of(settings))


def clock(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Nothing was written in the future."""
    newest = last_write(connection)
    if newest is not None and newest[1] > now + TOLERANCE:
        yield (
            f"The newest write, to {newest[0]}, is of {newest[1]:%Y-%m-%d %H:%M:%S} UTC, and the clock says "
            f"{now:%Y-%m-%d %H:%M:%S}: set the clock of this machine, or of the one that wrote it."
        )


def organizations(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Every chain, every row and every head that left, as ``hq verify --org`` looks at them."""
    where = positions(connection)
    for done, one in enumerate(where):
        progress("organizations", done, len(where))
        yield from history_problems(connection, settings, one.org_id, partial(store_snapshot, settings.store_url))
    progress("organizations", len(where), len(where))
    paths = sorted((settings.data_dir / "heads").glob("*.log"))
    known = {heads_member(org_id) for org_id in _organizations_by_now(settings)}
    for path in paths:
        if f"heads/{path.name}" not in known:
            yield f"{path} has signed heads of an organization that the store does not have."


def _organizations_by_now(settings: Settings) -> set[str]:
    """Those that the store has after files were listed: one may be new since ``connection`` looks."""
    with store_snapshot(settings.store_url) as newer:
        return {one.org_id for one in positions(newer)}


def history_problems(
    connection: Reader,
    settings: Settings,
    org_id: str,
    later: Callable[[], AbstractContextManager[Reader]] | None = None,
) -> Iterator[str]:
    """What of an organization's chain, rows and heads does not hold; ``later`` as for ``check_heads``."""
    span = chain_span(connection, org_id)
    checks = (
        check_segment(connection, org_id, first, last, span.start[1] if number == 0 else None)
        for number, (first, last) in enumerate(span.segments())
    )
    chain = chain_check(org_id, span, checks)
    if not chain.ok:
        yield f"The chain of {org_id} is broken at event {chain.broken_seq}: {chain.problem}."
        return
    rows = check_rows(connection, org_id)
    if not rows.ok:
        yield (
            f"The rows of {org_id} are not what its log says: {rows.problem}. Put it back by hand as the log says "
            f"(what no revision wrote is taken out), until `hq verify --org {org_id}` holds, or restore a backup."
        )
    try:
        for problem in check_heads(connection, settings, org_id, later).problems:
            yield f"The history of {org_id} is not what was signed: {problem}."
    except Problem as error:  # a key that cannot be read
        yield error.message


def sealed_archives(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Every archive is the file that was sealed, and none is there that nobody sealed."""
    where = positions(connection)
    for one in where:
        for problem in seal_problems(connection, settings, one.org_id, partial(progress, f"archives of {one.org_id}")):
            yield f"Of {one.org_id}, {problem}."
    paths = sorted(settings.bundle_folder.glob("*/[!.]*.zip"))
    known = _organizations_by_now(settings)
    for path in paths:
        if path.parent.name not in known:
            yield f"{path} is in the bundle folder, and the store has no organization {path.parent.name}."


def analytics(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """The copy that reports are computed from has the rows of the store."""
    org_ids = [one.org_id for one in positions(connection)]
    yield from replica_findings(settings.store_url, settings.data_dir / REPLICA, org_ids)


def keys(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """The keys that are needed can be read, and those that nobody uses are named."""
    if settings.signing_key_path.exists():
        try:
            own_keys(settings.signing_key_path)
        except Problem as error:
            yield error.message
    yield from missing_signing_key(connection, settings)
    found = list(_webhook_keys(connection, settings))
    if found:  # keys and secrets are written one after the other: what a second look does not bear out is none
        with store_snapshot(settings.store_url) as newer:
            still = set(_webhook_keys(newer, settings))
        yield from (sentence for sentence in found if sentence in still)
    for row in unused_credentials(connection, now, now - UNUSED):
        since = "never used" if row.last_used_at is None else f"last used on {row.last_used_at:%Y-%m-%d}"
        yield (
            f"The {row.kind.replace('_', ' ')} {row.label!r} ({row.prefix}…{row.last_four}) of {row.org_id}, made on "
            f"{row.created_at:%Y-%m-%d}, was {since}: revoke it if nobody needs it."
        )


def _webhook_keys(connection: Reader, settings: Settings) -> Iterator[str]:
    try:
        yield from unreadable_secrets(connection, settings)
        stored = [secret for endpoint in webhooks(connection).values() for secret in endpoint.secrets]
        idle = SecretKeys(settings.webhook_key_path).retired_keys(stored)
    except Problem as error:
        yield error.message
        return
    for name in idle:
        yield f"The key {name} in {settings.webhook_key_path} opens no webhook's secret: take its line away."
