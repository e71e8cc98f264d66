"""The backups that were made of an installation: a line of JSON for each in ``SVC_DATA_DIR/backups.log``.

A line names the file, the time, and where the chain of each organization stood: no person. It lies beside the store,
not in it, so that a store that was restored from an older backup still knows of the later ones.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.model.document import Position
from engine.model.file_errors import file_problem
from engine.runtime.private_files import append_line
from engine.store.types import instant_text

FILE = "backups.log"


class Backup(NamedTuple):
    """A backup: where it was written to, when, and the head of each organization in it."""

    file: str
    made_at: datetime
    heads: Mapping[str, Position]


class _Line(msgspec.Struct):
    file: str
    made_at: datetime
    heads: dict[str, tuple[int, str]]


_read = msgspec.json.Decoder(_Line).decode
_write = msgspec.json.Encoder(order="sorted").encode


def record_backup(data_dir: Path, backup: Backup) -> None:
    """Note that a backup was made. Unavailable where the file cannot be written."""
    heads = {org_id: [head.seq, head.hash] for org_id, head in backup.heads.items()}
    line = _write({"file": backup.file, "made_at": instant_text(backup.made_at), "heads": heads})
    try:
        append_line(data_dir / FILE, line)
    except OSError as error:
        raise file_problem("The list of backups cannot be written", error) from error


def backups_before(data_dir: Path, org_id: str, seq: int) -> list[Backup]:
    """The backups that hold the organization as it was before event ``seq``, oldest first.

    A line that is none is passed over. Unavailable where the file cannot be read.
    """
    found = (_backup(line) for line in _lines(data_dir / FILE))
    return [each for each in found if each is not None and org_id in each.heads and each.heads[org_id].seq < seq]


def _backup(line: bytes) -> Backup | None:
    try:
        read = _read(line)
    except msgspec.DecodeError:
        return None
    return Backup(read.file, read.made_at, {org_id: Position(*head) for org_id, head in read.heads.items()})


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise file_problem("The list of backups cannot be read", error) from error
