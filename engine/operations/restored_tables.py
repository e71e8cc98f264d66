"""The tables of a backup in an empty store, and whether all that they say of themselves holds."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import msgspec

from engine.model.errors import InvalidData
from engine.operations.backup_file import BackupMember, BackupReader, refusal
from engine.operations.data_folder import table_member
from engine.operations.store_checks import history_problems
from engine.runtime.heads.installation_check import check_installation_tree
from engine.runtime.settings import Settings
from engine.store.copy.table_copy import Row, TableLayout, rows_in, table_columns, table_shapes, write_table
from engine.store.database.migrations import latest, upgrade
from engine.store.database.store_epoch import current
from engine.store.log.history import begin_history
from engine.store.queries.accounts.installation import positions
from engine.store.rows import Reader
from engine.store.writing.batches import in_batches

OLDEST = "0030"  # the migration at which the first backups were made
Progress = Callable[[str, int, int], None]


def load_tables(connection: Reader, backup: BackupReader, *, now: datetime, progress: Progress) -> int:
    """Migrate an empty store to where the backup was made, fill it, and bring it to the newest schema; returns how many
    rows there are. InvalidData where the backup does not hold, or the store is not empty.

    All of it in the transaction of ``connection``.
    """
    schema = backup.manifest.schema
    if not OLDEST <= schema <= latest():
        raise refusal(
            f"was made at migration {schema[:20]} by version {backup.manifest.product[:40]}, and this version restores "
            f"from {OLDEST} to {latest()}: use the version that made it"
        )
    _must_be_empty(connection, schema)
    upgrade(connection, schema)
    members = [member for member in backup.manifest.members if member.columns is not None]
    shapes = [_shape(member) for member in members]
    _must_fit(connection, shapes, schema)
    total, done = sum(member.rows or 0 for member in members), 0
    for member, shape in zip(members, shapes, strict=True):
        count = 0
        for batch in in_batches(_rows(backup, shape), shape.batch):
            try:
                count += write_table(connection, shape, [batch])
            except InvalidData as error:
                raise refusal(f"does not hold: {error.message.removesuffix('.')}") from error
            progress("rows", done + count, total)
        if count != member.rows:
            raise refusal(f"has {count} rows of {shape.name}, and its manifest speaks of {member.rows}")
        done += count
    where = [(one.org_id, one.seq, one.hash, one.signed_head) for one in positions(connection, schema)]
    if where != [(one.id, one.seq, one.hash, one.signed_head) for one in backup.manifest.organizations]:
        raise refusal("has organizations whose heads are not those of its manifest")
    if schema != latest():
        upgrade(connection, "head")
        begin_history(connection, now)
    return done


def must_hold(connection: Reader, settings: Settings, progress: Progress) -> None:
    """Every chain, every row and every head that left, as ``hq verify --org`` looks at them. InvalidData names what
    does not hold first. ``settings`` say where keys, heads and archives are."""
    where = positions(connection)
    for done, one in enumerate(where):
        progress("organizations", done, len(where))
        problem = next(history_problems(connection, settings, one.org_id), None)
        if problem is not None:
            raise refusal(f"does not hold: {problem.removesuffix('.')}")
    progress("organizations", len(where), len(where))
    broken = next(iter(check_installation_tree(connection, settings).problems), None)
    if broken is not None:
        raise refusal(f"does not hold: {broken}")


def _must_be_empty(connection: Reader, schema: str) -> None:
    there = rows_in(connection)
    if there is not None:
        raise refusal(f"belongs into an empty database, and SVC_DATABASE_URL names one with rows in {there}")
    at = current(connection)
    if at not in (None, schema):
        raise refusal(
            f"belongs into an empty database, and SVC_DATABASE_URL names one that is migrated to {at}: make "
            f"a new one, without tables"
        )


def _shape(member: BackupMember) -> TableLayout:
    name = member.name.removeprefix("tables/").removesuffix(".jsonl")
    if table_member(name) != member.name:
        raise refusal(f"has rows in {member.name}, where no table is")
    return TableLayout(name, member.columns or (), member.key or ())


def _must_fit(connection: Reader, shapes: Sequence[TableLayout], schema: str) -> None:
    """The tables of the backup are those of its schema, with the same columns."""
    if schema == latest():
        fits = tuple(shapes) == table_shapes()
    else:
        there = table_columns(connection)
        fits = {shape.name: {column.name for column in shape.columns} for shape in shapes} == there
    if not fits:
        raise refusal(f"has other tables than its migration {schema}")


def _rows(backup: BackupReader, shape: TableLayout) -> Iterator[Row]:
    decode = msgspec.json.Decoder(shape.row_type).decode
    for line in backup.lines(table_member(shape.name)):
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise refusal(f"has a row of {shape.name} that is none: {error}") from error
