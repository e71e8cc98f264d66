"""Files of evidence that are about a person, or that contain their address: they go with the person."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO, NamedTuple

from engine.evidence.items import items_with_bytes, named_hashes
from engine.evidence.store import PIECE, EvidenceStore, evidence_path
from engine.model.records import EvidenceItemRow
from engine.store import Revision, Store
from engine.store.rows import many
from engine.store.schema.controls import evidence_items

REMOVED = "evidence.removed"
ABOUT, CONTAINS, SAME_BYTES = "is about the person", "contains the address", "has the same bytes"


class PersonalFile(NamedTuple):
    """An item whose bytes go, and why."""

    item_id: str
    title: str
    sha256: str
    why: str


def files_about(store: Store, evidence: EvidenceStore, org_id: str, email: str) -> list[PersonalFile]:
    """The items whose bytes are about the person, or contain the address, or are the same as such; by identifier.

    Whom an item is about says its column ``about``, and its owner where that is empty.
    """
    with store.reader() as connection:
        items = items_with_bytes(connection, org_id)
    reasons: dict[str, str] = {}
    for sha256 in sorted({row["held_sha256"] or "" for row in items}):
        same = [row for row in items if row["held_sha256"] == sha256]
        if any(_is_about(row, email) for row in same):
            reasons[sha256] = ABOUT
        elif contains(evidence, org_id, sha256, email):
            reasons[sha256] = CONTAINS
    return [
        PersonalFile(row["id"], row["title"], row["held_sha256"] or "", _why(row, email, reasons))
        for row in items
        if row["held_sha256"] in reasons
    ]


def _is_about(row: EvidenceItemRow, email: str) -> bool:
    people = (row["about"] or row["owner"] or "").lower().split("; ")
    return email in people


def _why(row: EvidenceItemRow, email: str, reasons: dict[str, str]) -> str:
    why = reasons[row["held_sha256"] or ""]
    return SAME_BYTES if why == ABOUT and not _is_about(row, email) else why


def contains(evidence: EvidenceStore, org_id: str, sha256: str, email: str) -> bool:
    """Whether bytes contain an address, in whatever case and not as a part of a longer one: as text, in the files of a
    ZIP archive such as XLSX, or in the cells of a Parquet file. Bytes that are not here contain none."""
    try:
        file = evidence.place.open(evidence_path(org_id, sha256))
    except FileNotFoundError:
        return False
    with file:
        pieces = iter(lambda: file.read(PIECE), b"")
        return _in_pieces(pieces, email) or _in_members(file, email) or _in_cells(file, email)


def _in_pieces(pieces: Iterator[bytes], email: str) -> bool:
    pattern, longest, rest = _pattern(email), 2 * len(email.encode()) + 4, b""
    for piece in pieces:
        text = rest + piece
        if pattern.search(text) or (b"\0" in text and pattern.search(text.replace(b"\0", b""))):  # UTF-16
            return True
        rest = text[-longest:]
    return False


def _pattern(email: str) -> re.Pattern[bytes]:
    address = re.escape(email.encode())
    return re.compile(rb"(?<![\w.+%-])" + address + rb"(?!-*\w|\.\w)", re.IGNORECASE)


def _in_members(file: BinaryIO, email: str) -> bool:
    file.seek(0)
    if file.read(4) != b"PK\x03\x04":
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as member:
                    if _in_pieces(iter(lambda: member.read(PIECE), b""), email):
                        return True
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):  # nothing that can be read
        return False
    return False


def _in_cells(file: BinaryIO, email: str) -> bool:
    import pyarrow as pa  # what answers holds none of what computes
    import pyarrow.parquet as pq

    file.seek(0)
    if file.read(4) != b"PAR1":
        return False
    pattern = _pattern(email)
    try:
        for batch in pq.ParquetFile(file).iter_batches(10_000):
            cells = (str(value).encode() for column in batch.columns for value in column.to_pylist())
            if any(pattern.search(cell) for cell in cells):
                return True
    except (pa.ArrowException, OSError):  # no Parquet file after all
        return False
    return False


def mark_erased(revision: Revision, files: Sequence[PersonalFile], now: datetime) -> list[PersonalFile]:
    """Say in the items that their bytes are erased; their SHA-256 stays. Returns those that still held them."""
    there = {row["id"]: row["held_sha256"] for row in items_with_bytes(revision.connection, revision.org_id)}
    going = [file for file in files if there.get(file.item_id) == file.sha256]
    for file in going:
        revision.update(evidence_items, {"id": file.item_id}, {"removed": "erased", "removed_at": now})
        revision.record(
            REMOVED,
            object_type="evidence_item",
            object_id=file.item_id,
            details={"sha256": file.sha256, "reason": "erased"},
        )
    return going


def erased_hashes(store: Store, org_id: str) -> list[str]:
    """The hashes of bytes that erasures took from their items."""
    with store.reader() as connection:
        rows = many(connection, evidence_items, org_id, removed="erased")
    return [row["held_sha256"] for row in rows if row["held_sha256"]]


def remove_bytes(store: Store, evidence: EvidenceStore, org_id: str, sums: Sequence[str]) -> int:
    """Take bytes away that no item holds any more; returns how many files. What a kill leaves is swept after a day."""
    with store.reader() as connection:
        named = named_hashes(connection, org_id)
    going = sorted(set(sums) - named)
    for sha256 in going:
        evidence.remove(org_id, sha256)
    return len(going)
