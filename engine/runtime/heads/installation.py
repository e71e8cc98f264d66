"""The tree over the whole installation, signed: who takes an organization away with all that is of it is found by it.

It grows by a job and with each seal, never on the way of a write. What was signed is noted in
``SVC_DATA_DIR/heads/installation.tree``, a line of base64 for each head, and leaves with archives and backups. None is
signed that does not continue the one before.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from engine.model import merkle
from engine.model.checkpoints import Checkpoint, open_note, origin_of, read_checkpoint, signer
from engine.model.commitments import WHOLE, Commitment, proof_text
from engine.model.errors import Conflict, Problem
from engine.runtime.heads.signed_heads import append_note, file_lines, last_line, note_of_line, sign
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history import installation as queries
from engine.store.rows import Reader
from engine.store.schema.records import InstallationCommitmentRow, InstallationHeadRow

EVERY = timedelta(days=1)  # after which an organization in which something happened is committed to anew
MOST = 20  # problems that are named
SALT = 16


@dataclass(frozen=True)
class InstallationHead:
    """A signed head of the tree; ``new``: it was signed now."""

    size: int
    note: str
    new: bool


def tree_path(settings: Settings) -> Path:
    """The file of the signed heads of the tree."""
    return settings.data_dir / "heads" / "installation.tree"


def sign_installation(
    services: Services, *, now: datetime, org_id: str | None = None, every: timedelta = timedelta(0)
) -> InstallationHead | None:
    """Commit to the organizations, or to one, as they stand, and sign the tree; None where there is no event yet.

    Without ``org_id``, to those that moved, where the last head is older than ``every``; to a new one at once.
    Conflict where the commitments are not those of the last signed head: nothing is signed then.
    """
    key = signing_key(services.settings.signing_key_path)
    path = tree_path(services.settings)
    last = last_line(path)
    with services.store.unversioned_transaction() as connection:  # of several that sign at once, one after the other
        before, newest = queries.commitments(connection), queries.newest(connection)
        tree = _signed_tree(before, newest, last)
        made = _due(queries.chain_ends(connection), before, newest, now, org_id, every)
        if made:
            rows, leaves = _rows(made, len(before))
            tree.extend(leaves)
            size, root = len(before) + len(made), tree.root()
            note = sign(Checkpoint(origin_of(WHOLE), size, root, leaves[-1].hex()), key)
            head: InstallationHeadRow = {"size": size, "root": root.hex(), "signed_at": now, "note": note}
            queries.keep(connection, rows, head)
            newest = head
    if newest is None:
        return None
    if last != newest["note"]:
        append_note(path, newest["note"])
    return InstallationHead(newest["size"], newest["note"], bool(made))


def _due(
    ends: Mapping[str, tuple[int, str]],
    before: Sequence[InstallationCommitmentRow],
    newest: InstallationHeadRow | None,
    now: datetime,
    org_id: str | None,
    every: timedelta,
) -> list[Commitment]:
    """What is to be committed to: where chains stand otherwise than they did."""
    known = {row["org_id"]: (row["seq"], row["hash"]) for row in before}
    moved = {name: end for name, end in ends.items() if known.get(name) != end and org_id in (None, name)}
    if org_id is None and newest is not None and now - newest["signed_at"] < every:
        moved = {name: end for name, end in moved.items() if name not in known}
    return [Commitment(name, seq, digest, secrets.token_hex(SALT)) for name, (seq, digest) in moved.items()]


def _rows(made: Sequence[Commitment], first: int) -> tuple[list[InstallationCommitmentRow], list[bytes]]:
    rows: list[InstallationCommitmentRow] = [
        {"position": place, "org_id": one.org_id, "seq": one.seq, "hash": one.digest, "salt": one.salt}
        for place, one in enumerate(made, first)
    ]
    return rows, [one.leaf() for one in made]


def _signed_tree(
    before: Sequence[InstallationCommitmentRow], newest: InstallationHeadRow | None, last: str | None
) -> merkle.LeafTree:
    """The tree as it was signed last; Conflict where it is another one."""
    leaves = [_commitment(row).leaf() for row in before]
    told = [("the store", read_checkpoint(open_note(newest["note"]).text))] if newest is not None else []
    if last is not None:
        told.append(("heads/installation.tree", read_checkpoint(open_note(last).text)))
    for where, head in told:
        if head.size > len(leaves) or merkle.root(leaves[: head.size]) != head.root:
            raise Conflict(
                f"No head of the installation is signed: {where} has a signed head of {head.size} commitments, and "
                "those that there are are others. Run `hq verify --all`.",
                word="history_broken",
            )
    tree = merkle.LeafTree()
    tree.extend(leaves)
    return tree


def _commitment(row: InstallationCommitmentRow) -> Commitment:
    return Commitment(row["org_id"], row["seq"], row["hash"], row["salt"])


# -- proofs ------------------------------------------------------------------------------------------------------------


def own_proof(connection: Reader, org_id: str, upto: int | None = None) -> str | None:
    """The proof that an organization's newest commitment is under the newest signed head; None without one.

    ``upto``: of its events, those that whoever gets the proof knows of.
    """
    head, rows = queries.newest(connection), queries.commitments(connection)
    if head is None:
        return None
    under = rows[: head["size"]]
    mine = [row for row in under if row["org_id"] == org_id and (upto is None or row["seq"] <= upto)]
    if not mine:
        return None
    leaves = [_commitment(row).leaf() for row in under]
    path = merkle.audit_path(leaves, mine[-1]["position"])
    return proof_text(_commitment(mine[-1]), mine[-1]["position"], path, head["note"])


# -- the check ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InstallationCheck:
    """What a check of the tree found: ``problems`` is empty where all of it holds."""

    commitments: int
    heads: int
    problems: list[str]


def check_installation_tree(connection: Reader, settings: Settings) -> InstallationCheck:
    """Hold the organizations that there are against every commitment that was signed, here and in the file beside."""
    rows, stored = queries.commitments(connection), queries.signed(connection)
    lines = file_lines(tree_path(settings))
    problems: list[str] = []
    keys = _keys(settings, problems)
    claims = [(f"the signed head of {row['size']} commitments", row["note"]) for row in stored]
    for number, line in enumerate(lines, 1):
        where = f"line {number} of heads/installation.tree"
        try:
            claims.append((where, note_of_line(line)))
        except ValueError as error:
            problems.append(f"{where} {error}")
    problems += _against_tree(rows, claims, keys)
    problems += _against_chains(connection, rows)
    for org_id in queries.without_chain(connection):
        problems.append(f"the organization {org_id} has no event: it was added beside the console")
    for org_id in queries.without_organization(connection):
        problems.append(f"there is a chain of {org_id}, and no organization of that name: its row was taken away")
    return InstallationCheck(len(rows), len(claims), problems[:MOST])


def _keys(settings: Settings, problems: list[str]) -> Sequence[bytes]:
    if not settings.signing_key_path.exists():
        return ()
    try:
        return own_keys(settings.signing_key_path)
    except Problem as error:
        problems.append(error.message)
        return ()


def _against_tree(
    rows: Sequence[InstallationCommitmentRow], claims: Sequence[tuple[str, str]], keys: Sequence[bytes]
) -> list[str]:
    """Every head that was signed is that of the commitments that there are."""
    found, leaves = [], []
    for place, row in enumerate(rows):
        if row["position"] != place:
            return [f"the commitment {place} is not there: the tree was cut"]
        leaves.append(_commitment(row).leaf())
    roots = {0: merkle.root([])}
    heads = []
    for where, note in claims:
        try:
            opened = open_note(note)
            head = read_checkpoint(opened.text)
            if head.origin != origin_of(WHOLE):
                raise ValueError(f"is a head of {head.origin}")
            if keys and signer(opened, head.origin, keys) is None:
                raise ValueError("is signed with no key of ours")
            heads.append((where, head))
        except ValueError as error:
            found.append(f"{where} {error}")
    tree, before = merkle.LeafTree(), 0
    for size in sorted({head.size for _, head in heads if head.size <= len(leaves)}):
        tree.extend(leaves[before:size])
        roots[size], before = tree.root(), size
    for where, head in heads:
        if head.size > len(leaves):
            found.append(
                f"{where} is of {head.size} commitments to organizations, and there are {len(leaves)}: the tree was cut"
            )
        elif roots[head.size] != head.root:
            found.append(f"{where} has another root than the first {head.size} commitments: they were changed")
    return found


def _against_chains(connection: Reader, rows: Sequence[InstallationCommitmentRow]) -> list[str]:
    """Every organization that was committed to is there, and its chain goes through where it stood."""
    ends, found = queries.chain_ends(connection), []
    for org_id, row in {row["org_id"]: row for row in rows}.items():
        if org_id not in ends:
            found.append(f"the organization {org_id} is not there any more; it had {row['seq']} events")
        elif ends[org_id][0] < row["seq"]:
            found.append(
                f"the chain of {org_id} ends at event {ends[org_id][0]}, and was signed with {row['seq']}: its tail "
                "was cut off"
            )
        elif _is_other(connection, org_id, row["seq"], row["hash"]):
            found.append(f"event {row['seq']} of {org_id} is another than the one that was signed")
    return found


def _is_other(connection: Reader, org_id: str, seq: int, digest: str) -> bool:
    """Whether an event has another hash; of one that retention took, whether its leaf does."""
    tree = EventTree(connection, org_id)
    there = tree.event_hash(seq)
    if there is not None:
        return there != digest
    return tree.size >= seq and tree.leaf(seq) != merkle.leaf_hash(bytes.fromhex(digest))
