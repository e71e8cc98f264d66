"""A whole installation in one file, made while it runs.

The tables are those of one moment. What they name is on the disk before it is named, so files are taken afterwards:
archives and bytes of evidence that the tables name, heads up to where their chains stand, and of keys those that were
there at any time in between.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import msgspec

from engine.evidence.store import open_evidence
from engine.model.checkpoints import open_note, read_checkpoint
from engine.model.documents.document import Position
from engine.model.errors import Conflict, Unavailable, Usage
from engine.model.file_errors import file_problem
from engine.operations.age import EncryptingWriter, Sink
from engine.operations.backup_file import CHUNK, FORMAT, VERSION, BackupManifest, BackupOrganization, BackupWriter
from engine.operations.data_folder import (
    INSTALLATION_TREE,
    WEBHOOK_KEY,
    archive_member,
    evidence_member,
    heads_member,
    key_files,
    table_member,
)
from engine.reporting.artifacts.durable_files import new_file, sweep_abandoned
from engine.runtime.backups import BackupNote, record_backup
from engine.runtime.heads.installation import tree_path
from engine.runtime.heads.signed_heads import file_lines, heads_path, note_of_line
from engine.runtime.settings import Settings
from engine.store.copy.earlier_layouts import layouts_at
from engine.store.copy.table_copy import TableLayout, read_table, store_snapshot
from engine.store.database.epoch import EPOCH
from engine.store.queries.accounts.installation import (
    ArchiveRecord,
    EvidenceRecord,
    archives,
    evidence_files,
    positions,
)
from engine.store.queries.history import installation
from engine.store.rows import Reader
from engine.store.schema.audit import installation_commitments
from engine.store.types import instant_text

log = logging.getLogger(__name__)
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Backup:
    """What was backed up. ``lacking`` says of each archive and file of evidence that was lost or changed before what is
    wrong with it."""

    heads: Mapping[str, Position]
    rows: int
    archives: int
    keys: int
    lacking: Mapping[str, str]
    evidence: int = 0


def write_backup(
    settings: Settings,
    path: Path,
    *,
    now: datetime,
    passphrase: bytes | None,
    with_keys: bool,
    progress: Progress,
    schema: str = EPOCH,
) -> Backup:
    """Back the installation up into a new file that only its owner may read. Usage where there is a file already,
    Unavailable where the disk keeps us from it: then there is no file. ``schema``: the migration of the store."""
    try:
        if path.exists() or path.is_symlink():
            raise Usage(f"{path} is there already: name a file that is not.")
        if not path.absolute().parent.is_dir():
            raise Usage(f"The folder {path.absolute().parent} is not there: make it first.")
        sweep_abandoned(path)
        with new_file(path) as file:
            sink = file if passphrase is None else EncryptingWriter(file, passphrase)
            backup = _write(settings, sink, now, with_keys, progress, schema)
            if isinstance(sink, EncryptingWriter):
                sink.finish()
    except FileExistsError as error:
        raise Usage(f"{path} is there already: name a file that is not.") from error
    except OSError as error:
        raise file_problem("The backup cannot be written", error) from error
    try:
        record_backup(settings.data_dir, BackupNote(str(path.absolute()), now, backup.heads))
    except Unavailable as problem:  # of a copy that can only be read
        log.warning("%s, so `hq erase` will not name this one.", problem.message.rstrip("."))
    return backup


def _write(settings: Settings, sink: Sink, now: datetime, with_keys: bool, progress: Progress, schema: str) -> Backup:
    early = _keys(settings) if with_keys else {}
    with BackupWriter(sink) as writer:
        with store_snapshot(settings.store_url, schema) as connection:
            layouts = layouts_at(connection, schema)
            engine, where, named = connection.dialect.name, positions(connection, schema), archives(connection)
            held = evidence_files(connection, schema)
            rows = _write_tables(writer, connection, layouts, progress)
            has_tree = any(layout.name == installation_commitments.name for layout in layouts)
            committed = installation.size(connection) if has_tree else 0
        lacking = _write_archives(writer, settings, named, progress)
        damaged = _write_evidence(writer, settings, held, progress)
        for position in where:
            _write_heads(writer, heads_path(settings, position.org_id), heads_member(position.org_id), position.seq)
        _write_heads(writer, tree_path(settings), INSTALLATION_TREE, committed)
        keys = _keys(settings) if with_keys else {}
        for name, data in keys.items():
            with writer.member(name) as member:
                member.write(_union(data, early.get(name, b"")) if name == WEBHOOK_KEY else data)
        writer.finish(
            BackupManifest(
                FORMAT,
                VERSION,
                version("hq-console"),
                schema,
                engine,
                instant_text(now),
                bool(keys),
                tuple(BackupOrganization(*position) for position in where),
                {name: value for name, value, _ in settings.listing()},
                {**lacking, **damaged},
                tuple(writer.members()),
            )
        )
    heads = {one.org_id: Position(one.seq, one.hash) for one in where}
    files = len(held) - len(damaged)
    return Backup(heads, rows, len(named) - len(lacking), len(keys), {**lacking, **damaged}, files)


def _write_tables(writer: BackupWriter, connection: Reader, layouts: Sequence[TableLayout], progress: Progress) -> int:
    encoder, done = msgspec.json.Encoder(), 0
    for shape in layouts:
        with writer.member(table_member(shape.name), columns=shape.columns, key=shape.key) as member:
            for batch in read_table(connection, shape):
                member.write(encoder.encode_lines(batch))
                member.rows += len(batch)
                progress("rows", done + member.rows)
        done += member.rows
    return done


def _write_archives(
    writer: BackupWriter, settings: Settings, named: list[ArchiveRecord], progress: Progress
) -> dict[str, str]:
    """The archives as they are; what is wrong with those that are not as they were sealed."""
    lacking = {}
    for done, record in enumerate(named, 1):
        name = archive_member(record.org_id, record.bundle_id)
        path = settings.bundle_folder / record.org_id / f"{record.bundle_id}.zip"
        try:
            file = path.open("rb")
        except OSError as error:
            lacking[name] = f"the archive of the bundle {record.bundle_id} cannot be read: {error.strerror}: {path}"
            continue
        digest = sha256()
        with file, writer.member(name) as member:
            while piece := file.read(CHUNK):
                digest.update(piece)
                member.write(piece)
        if digest.hexdigest() != record.sha256:
            lacking[name] = (
                f"the archive of the bundle {record.bundle_id} is not the file that was sealed; expected SHA-256 "
                f"{record.sha256}, found {digest.hexdigest()}: {path}"
            )
        progress("archives", done)
    return lacking


def _write_evidence(
    writer: BackupWriter, settings: Settings, held: Sequence[EvidenceRecord], progress: Progress
) -> dict[str, str]:
    """The bytes of evidence, each checked first; what is wrong with those that are not what was taken."""
    evidence, damaged = open_evidence(settings), {}
    for done, record in enumerate(held, 1):
        name = evidence_member(record.org_id, record.sha256)
        try:
            with evidence.open(record.org_id, record.sha256) as file, writer.member(name) as member:
                while piece := file.read(CHUNK):
                    member.write(piece)
        except Conflict as problem:
            damaged[name] = f"of {record.org_id}, {problem.message[0].lower()}{problem.message[1:].removesuffix('.')}"
        progress("files of evidence", done)
    return damaged


def _write_heads(writer: BackupWriter, path: Path, name: str, size: int) -> None:
    """The signed heads that lie within the tree as it is backed up. A line that is none is kept as it is."""
    lines = [line for line in file_lines(path) if not _is_beyond(line, size)]
    if lines:
        with writer.member(name) as member:
            member.write("".join(f"{line}\n" for line in lines).encode())


def _is_beyond(line: str, seq: int) -> bool:
    try:
        return read_checkpoint(open_note(note_of_line(line)).text).size > seq
    except ValueError:
        return False


def _keys(settings: Settings) -> dict[str, bytes]:
    """The files of keys that there are. Of the signing key the list of its rotations comes last: it leads to any that
    was read before."""
    found = {}
    for name, path in key_files(settings).items():
        try:
            found[name] = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise file_problem(f"The key {path.name} cannot be read", error) from error
    return found


def _union(late: bytes, early: bytes) -> bytes:
    """The keys of webhooks of two moments: what was encrypted between them needs one of these."""
    lines = late.splitlines()
    return b"".join(line + b"\n" for line in [*lines, *(line for line in early.splitlines() if line not in lines)])
