"""Heads of an organization's events, signed to leave the building.

A head is signed once for each number of events, noted in ``SVC_DATA_DIR/heads/<org>.log`` and then in the store: the
file is what a store that was cut or rewritten is found by. None is signed that does not continue the one before.
"""

import base64
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.model import merkle
from engine.model.checkpoints import (
    ED25519,
    Checkpoint,
    NoteSignature,
    SignedNote,
    decode_base64,
    note_key_id,
    open_note,
    origin_of,
    read_checkpoint,
)
from engine.model.errors import Conflict, NotFound
from engine.model.file_errors import file_problem
from engine.model.records import SignedHeadRow
from engine.runtime.keys.private_files import append_line
from engine.runtime.keys.signing_keys import SigningKey, signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.chain.chain import GENESIS
from engine.store.chain.event_tree import EventTree, keep_tiles, new_tiles
from engine.store.queries.history import signed_heads as queries
from engine.store.queries.history.audit import position

HEADER = "X-Svc-Signed-Head"
LONGEST = 16_384  # bytes of a line in the file of heads


@dataclass(frozen=True)
class SignedHead:
    """A signed head: ``note`` is the tlog-checkpoint as it is passed on, with the cosignatures of witnesses."""

    org_id: str
    size: int
    root: bytes
    chain: str
    note: str
    time_stamp: bytes | None = None  # RFC 3161: the answer of the authority over the note without cosignatures

    @property
    def line(self) -> str:
        """The note in one line: base64 of its UTF-8."""
        return one_line_note(self.note)


def one_line_note(note: str) -> str:
    """A note for a header or a line of a file: base64 of its UTF-8."""
    return base64.b64encode(note.encode()).decode()


def signed_head(services: Services, org_id: str, *, now: datetime) -> SignedHead:
    """The head of the organization as it stands, signed now where it was not.

    NotFound for an unknown organization; Conflict where the events do not continue the last signed head.
    """
    path = heads_path(services.settings, org_id)
    last = last_line(path)
    store = services.store
    head = store.head(org_id)
    if head is None:
        raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
    grow_tree(services, org_id, head.seq)
    with store.reader() as connection:
        seq, digest = position(connection, org_id)
        known = queries.newest(connection, org_id)
        tree = EventTree(connection, org_id)
        if tree.size < seq:  # somebody wrote since it grew: the head is that of before
            seq, digest = tree.size, tree.event_hash(tree.size) or GENESIS
        _must_continue(tree, known, last, org_id, seq)
        if seq and tree.leaf(seq) != merkle.leaf_hash(bytes.fromhex(digest)):
            raise _broken(org_id, f"event {seq} is not the one that its tree holds")
        if known is not None and known["seq"] == seq:
            if last != known["note"]:
                append_note(path, known["note"])
            return of_row(known)
        made = Checkpoint(origin_of(org_id), seq, tree.root(seq), digest)
    note = sign(made, signing_key(services.settings.signing_key_path))
    append_note(path, note)
    row: SignedHeadRow = {
        "org_id": org_id,
        "seq": seq,
        "hash": digest,
        "root": made.root.hex(),
        "signed_at": now,
        "note": note,
        "cosignatures": None,
        "time_stamp": None,
    }
    with store.unversioned_transaction() as connection:
        queries.keep(connection, row)
    return of_row(row)


def newest_signed_head(services: Services, org_id: str) -> SignedHead | None:
    """The last head that was signed; None without one. Nothing is signed and nothing checked."""
    row = services.store.signed_head(org_id)
    return None if row is None else of_row(row)


def consistency_proof(services: Services, org_id: str, old: int, new: int) -> list[bytes]:
    """The hashes that show that the head of ``new`` events continues that of ``old``. Both were signed before."""
    with services.store.reader() as connection:
        return EventTree(connection, org_id).consistency(old, new)


def grow_tree(services: Services, org_id: str, size: int) -> None:
    """Add events to the tree until it has ``size`` of them: computed on a reading connection, so that writers wait for
    little. Who writes on meanwhile is not waited for."""
    while True:
        with services.store.reader() as connection:
            tiles = [] if EventTree(connection, org_id).size >= size else new_tiles(connection, org_id)
        if not tiles:
            return
        with services.store.unversioned_transaction() as connection:
            keep_tiles(connection, org_id, tiles)


def sign(head: Checkpoint, key: SigningKey) -> str:
    """The head as a note under the organization's name: the same bytes for the same head and key."""
    text = head.text()
    made = NoteSignature(head.origin, note_key_id(head.origin, ED25519, key.public_bytes), key.sign(text.encode()))
    return str(SignedNote(text, (made,)))


def of_row(row: SignedHeadRow) -> SignedHead:
    """A signed head as it is stored. Conflict for what is none."""
    note = row["note"] + (row["cosignatures"] or "")
    try:
        open_note(note)
        token = None if row["time_stamp"] is None else decode_base64(row["time_stamp"])
        return SignedHead(row["org_id"], row["seq"], bytes.fromhex(row["root"]), row["hash"], note, token)
    except ValueError as error:
        raise Conflict(
            f"What is stored of the signed head of {row['seq']} events of {row['org_id']} does not hold: it {error}. "
            f"Run `hq verify --org {row['org_id']}`.",
            word="heads_broken",
        ) from error


# -- the file ----------------------------------------------------------------------------------------------------------


def heads_path(settings: Settings, org_id: str) -> Path:
    """The file of an organization's signed heads: a line of base64 for each, in the order in which they were signed."""
    return settings.data_dir / "heads" / f"{org_id}.log"


def last_line(path: Path) -> str | None:
    """The note on the last whole line of the file; None where there is none. Conflict where it cannot be read."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - 2 * LONGEST))
            lines = file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise file_problem("The file of signed heads cannot be read", error) from error
    if not lines:
        return None
    try:
        note = note_of_line(lines[-1].decode())
        read_checkpoint(open_note(note).text)
    except ValueError as error:
        raise Conflict(f"The last line of {path} is no signed head: it {error}.", word="heads_broken") from error
    return note


def file_lines(path: Path) -> list[str]:
    """The whole lines of the file, oldest first; none where there is none."""
    try:
        return path.read_text(encoding="ascii", errors="replace").split("\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise file_problem("The file of signed heads cannot be read", error) from error


def note_of_line(line: str) -> str:
    """The note of a line of the file; ValueError."""
    return decode_base64(line).decode()


def append_note(path: Path, note: str) -> None:
    """Add a line that is on the disk afterwards."""
    try:
        append_line(path, one_line_note(note).encode())
    except OSError as error:
        raise file_problem("The file of signed heads cannot be written", error) from error


# -- what must hold ----------------------------------------------------------------------------------------------------


def _must_continue(tree: EventTree, known: SignedHeadRow | None, last: str | None, org_id: str, seq: int) -> None:
    """No head is signed that does not continue what was signed before: here, and on the disk."""
    if known is not None:
        before = Checkpoint(origin_of(org_id), known["seq"], bytes.fromhex(known["root"]), known["hash"])
        _continue_one(tree, before, org_id, seq, "the store")
    if last is not None and (known is None or last != known["note"]):
        _continue_one(tree, read_checkpoint(open_note(last).text), org_id, seq, f"heads/{org_id}.log")


def _continue_one(tree: EventTree, before: Checkpoint, org_id: str, seq: int, where: str) -> None:
    if before.origin != origin_of(org_id):
        raise _broken(org_id, f"{where} has a head of {before.origin}")
    if before.size > seq:
        raise _broken(org_id, f"{where} has a signed head of {before.size} events, and there are {seq}")
    there = tree.event_hash(before.size)
    if there is not None and there != before.chain:
        raise _broken(org_id, f"event {before.size} is another than that of the signed head in {where}")
    if tree.size < before.size or tree.root(before.size) != before.root:
        raise _broken(org_id, f"the first {before.size} events are others than those of the signed head in {where}")
    now = (seq, tree.root(seq))
    if not merkle.continues((before.size, before.root), now, tree.consistency(before.size, seq)):
        raise _broken(org_id, f"its tree of {seq} events does not continue the signed head in {where}")


def _broken(org_id: str, what: str) -> Conflict:
    return Conflict(f"No head of {org_id} is signed: {what}. Run `hq verify --org {org_id}`.", word="history_broken")
