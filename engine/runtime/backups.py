"""The backups that were made of an installation, and the erasures of people: a line of JSON for each, in two files.

A line of ``SVC_DATA_DIR/backups.log`` names a file, the time, and where the chain of each organization stood; a line of
``erasures.log`` the organization, the pseudonym, the time and the place in the chain. None names a person. They lie
beside the store, not in it, so that a store that was restored from an older backup still knows of both.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.model.documents.document import Position
from engine.model.file_errors import file_problem
from engine.runtime.keys.private_files import append_line
from engine.store.types import instant_text

FILE = "backups.log"
ERASURES = "erasures.log"


class BackupNote(NamedTuple):
    """A backup: where it was written to, when, and the head of each organization in it."""

    file: str
    made_at: datetime
    heads: Mapping[str, Position]


class ErasureNote(NamedTuple):
    """An erasure: where it ended in the chain of its organization, and what stands for the person from then on."""

    org_id: str
    said: str
    made_at: datetime
    position: Position


class _Line(msgspec.Struct):
    file: str
    made_at: datetime
    heads: dict[str, tuple[int, str]]


_read = msgspec.json.Decoder(_Line).decode
_read_erasure = msgspec.json.Decoder(ErasureNote).decode
_write = msgspec.json.Encoder(order="sorted").encode


def record_backup(data_dir: Path, backup: BackupNote) -> None:
    """Note that a backup was made. Unavailable where the file cannot be written."""
    heads = {org_id: [head.seq, head.hash] for org_id, head in backup.heads.items()}
    line = _write({"file": backup.file, "made_at": instant_text(backup.made_at), "heads": heads})
    try:
        append_line(data_dir / FILE, line)
    except OSError as error:
        raise file_problem("The list of backups cannot be written", error) from error


def backups_before(data_dir: Path, org_id: str, seq: int) -> list[BackupNote]:
    """The backups that hold the organization as it was before event ``seq``, oldest first.

    A line that is none is passed over. Unavailable where the file cannot be read.
    """
    backup_notes = (_backup(line) for line in _lines(data_dir / FILE))
    return [each for each in backup_notes if each is not None and org_id in each.heads and each.heads[org_id].seq < seq]


def record_erasure(data_dir: Path, note: ErasureNote) -> None:
    """Note that a person was erased. Unavailable where the file cannot be written."""
    try:
        append_line(data_dir / ERASURES, _write(note))
    except OSError as error:
        raise file_problem("The list of erasures cannot be written", error) from error


def erasures(data_dir: Path, org_id: str) -> list[ErasureNote]:
    """The erasures of an organization, oldest first, those that a restored store knows nothing of included."""
    erasure_notes = []
    for line in _lines(data_dir / ERASURES):
        try:
            note = _read_erasure(line)
        except msgspec.DecodeError:
            continue
        erasure_notes += [note] if note.org_id == org_id else []
    return erasure_notes


def _backup(line: bytes) -> BackupNote | None:
    try:
        read = _read(line)
    except msgspec.DecodeError:
        return None
    return BackupNote(read.file, read.made_at, {org_id: Position(*head) for org_id, head in read.heads.items()})


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise file_problem("The list cannot be read", error) from error
