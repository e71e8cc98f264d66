"""What an archive says of the history before it: ``head.txt`` and ``heads.json``.

``head.txt`` is the signed head of the archive's revision. ``heads.json`` is one line of canonical JSON: ``before`` has
the roots of the whole parts of the tree before the archive's own events (without a log: before the last event), largest
first, so that they and the events lead to the signed root; ``seals`` every earlier bundle with its signed head and the
proof that its tree is the beginning of this one (for one that was sealed without a head, the proof that its last event
lies under this one; null where retention took that event before there was a tree); ``heads`` the same for the last
workbooks and meeting packs.

``installation.txt`` is the proof that the organization, as it stood at or before the revision, is under the signed head
of the tree over the whole installation; of other organizations it has hashes alone.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from engine.archives.contents.about import About
from engine.archives.sealing.manifest import HEAD, HEADS, INSTALLATION, ROTATIONS
from engine.archives.sealing.spool import ArchiveSpool
from engine.model import merkle
from engine.model.checkpoints import Checkpoint, open_note, origin_of, read_checkpoint
from engine.model.errors import Conflict
from engine.model.records import ArchiveHeadRow, BundleRow, SignedHeadRow
from engine.runtime.heads.installation import own_proof, sign_installation
from engine.runtime.heads.signed_heads import sign, signed_head
from engine.runtime.keys.key_rotations import rotations_text
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.store.chain.chain import GENESIS
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history import bundles as queries
from engine.store.queries.history import signed_heads
from engine.store.queries.history.audit import position
from engine.store.rows import Reader
from engine.store.types import canonical_json

MOST_HEADS = 500
_UNKNOWN = merkle.leaf_hash(bytes.fromhex(GENESIS))  # the leaf of an event that was gone before there was a tree


class SealedHistory(NamedTuple):
    """The signed head of an archive, and the parts of the tree before its events as they are stored."""

    head: str
    before: str


def add_history(services: Services, spool: ArchiveSpool, about: About, *, now: datetime) -> SealedHistory:
    """Put both files into the archive; returns what is kept of them. Conflict where earlier heads do not continue.

    Into a bundle go all seals that there are, into other archives those that its revision knows.
    """
    org_id, revision = about.organization.id, about.revision
    note = _head(services, org_id, (revision.seq, revision.hash), now)
    if about.kind == "bundle":
        sign_installation(services, now=now, org_id=org_id)
    with services.store.reader() as connection:
        whole = own_proof(connection, org_id, revision.seq)
        tree = EventTree(connection, org_id)
        seals = [
            row
            for row in queries.every_seal(connection, org_id)
            if row["sealed_seq"] <= revision.seq and (about.kind == "bundle" or row["revision"] <= revision.seq)
        ]
        known = {row["sealed_seq"] for row in seals if row["head"] is not None}
        others = signed_heads.of_archives(connection, org_id, revision.seq, MOST_HEADS)
        before = max(0, revision.seq - 1) if about.events is None else about.events.first_seq - 1
        parts, root = _hex(tree.parts(before)), tree.root(revision.seq).hex()
        said = {
            "before": {"parts": parts, "size": before},
            "heads": [_pack(tree, row, revision.seq) for row in others if row["seq"] not in known],
            "seals": [_seal(tree, row, revision.seq) for row in seals],
        }
    spool.without(HEAD, HEADS, ROTATIONS, INSTALLATION)
    if whole is not None:
        spool.add(INSTALLATION, "proof that the organization is under the installation's signed head", whole.encode())
    if rotations := rotations_text(services.settings.signing_key_path):
        spool.add(ROTATIONS, "which key took the place of which, signed by both", rotations.encode())
    spool.add(HEAD, "signed head of the history at the revision (C2SP tlog-checkpoint)", note.encode())
    spool.add(HEADS, "proofs that the heads of earlier archives lie under it", f"{canonical_json(said)}\n".encode())
    if about.kind != "bundle":
        made: ArchiveHeadRow = {"org_id": org_id, "seq": revision.seq, "root": root}
        with services.store.unversioned_transaction() as connection:
            signed_heads.keep_of_archive(connection, made)
    return SealedHistory(note, " ".join(parts))


def _head(services: Services, org_id: str, end: tuple[int, str], now: datetime) -> str:
    """The signed head of a revision: the newest one, or where writes came since, one that it continues."""
    newest = signed_head(services, org_id, now=now)
    seq, digest = end
    with services.store.reader() as connection:
        known = signed_heads.at(connection, org_id, seq)
        if known is not None and known["hash"] == digest:
            return known["note"]
        tree = EventTree(connection, org_id)
        if known is not None or seq > newest.size or tree.leaf(seq) != merkle.leaf_hash(bytes.fromhex(digest)):
            raise Conflict(
                f"Event {seq} of {org_id} is not the one that the archive was made at: run `hq verify --org {org_id}`.",
                word="history_broken",
            )
        root = tree.root(seq)
    note = sign(Checkpoint(origin_of(org_id), seq, root, digest), signing_key(services.settings.signing_key_path))
    row: SignedHeadRow = {
        "org_id": org_id,
        "seq": seq,
        "hash": digest,
        "root": root.hex(),
        "signed_at": now,
        "note": note,
        "cosignatures": None,
        "time_stamp": None,
    }
    with services.store.unversioned_transaction() as connection:
        signed_heads.keep(connection, row)
    return note


def must_continue(connection: Reader, org_id: str) -> None:
    """Nothing is sealed below an earlier seal, or on a chain that an earlier seal is not on: Conflict names which."""
    lost = missing_seal(connection, org_id)
    if lost is not None:
        word, sentence = lost
        raise Conflict(f"T{sentence[1:]}. Nothing is sealed over that: run `hq verify --org {org_id}`.", word=word)


def missing_seal(connection: Reader, org_id: str) -> tuple[str, str] | None:
    """The first seal that is not on the chain: a word for it, and what became of it."""
    head, _ = position(connection, org_id)
    seals = queries.every_seal(connection, org_id)
    hashes = queries.hashes_at(connection, org_id, [row["sealed_seq"] for row in seals])
    tree = EventTree(connection, org_id)
    for row in seals:
        seq, expected = row["sealed_seq"], row["sealed_hash"]
        text = f"the bundle {row['id']} was sealed at event {seq}"
        if seq > head:
            return "below_earlier_seal", f"{text}, and the history ends at event {head}: events were removed"
        if not _is_there(tree, hashes.get(seq), seq, expected):
            return (
                "seal_not_on_chain",
                f"{text} with the hash {expected}, which is not on the chain: events were rewritten",
            )
    return None


def _is_there(tree: EventTree, found: str | None, seq: int, expected: str | None) -> bool:
    """Whether the event has that hash; of one that retention took, whether its leaf does or nothing is known of it."""
    if seq == 0 or expected is None:
        return True
    if found is not None:
        return found == expected
    return tree.size < seq or tree.leaf(seq) in (_UNKNOWN, merkle.leaf_hash(bytes.fromhex(expected)))


def _pack(tree: EventTree, row: ArchiveHeadRow, size: int) -> dict[str, object]:
    seq, root = row["seq"], row["root"]
    _must_be_root(tree, row["org_id"], seq, root, "a workbook or pack")
    return {"proof": _hex(tree.consistency(seq, size)), "root": root, "size": seq}


def _must_be_root(tree: EventTree, org_id: str, seq: int, root: str, what: str) -> None:
    if tree.root(seq).hex() != root:
        raise Conflict(
            f"The first {seq} events of {org_id} are others than those that {what} was made at: run "
            f"`hq verify --org {org_id}`.",
            word="history_broken",
        )


def _seal(tree: EventTree, row: BundleRow, size: int) -> dict[str, object]:
    seq = row["sealed_seq"]
    proof: list[bytes] | None
    if row["head"] is not None:
        root = read_checkpoint(open_note(row["head"]).text).root.hex()
        _must_be_root(tree, row["org_id"], seq, root, f"the bundle {row['id']}")
        proof = tree.consistency(seq, size)
    else:
        proof = None if tree.leaf(seq) == _UNKNOWN else tree.inclusion(seq, size)
    return {
        "bundle": row["id"],
        "head": row["head"],
        "manifest_sha256": row["manifest_sha256"],
        "proof": None if proof is None else _hex(proof),
        "revision": {"hash": row["sealed_hash"], "seq": seq},
    }


def _hex(hashes: Sequence[bytes]) -> list[str]:
    return [one.hex() for one in hashes]
