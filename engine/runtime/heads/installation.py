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
from engine.model.checkpoints import Checkpoint, open_note, origin_of, read_checkpoint
from engine.model.commitments import WHOLE, Commitment, proof_text
from engine.model.errors import Conflict
from engine.model.records import InstallationCommitmentRow, InstallationHeadRow
from engine.runtime.heads.signed_heads import append_note, last_line, sign
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.history import installation as queries
from engine.store.rows import Reader

EVERY = timedelta(days=1)  # after which an organization in which something happened is committed to anew
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
    leaves = [commitment_of(row).leaf() for row in before]
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


def commitment_of(row: InstallationCommitmentRow) -> Commitment:
    """What a row commits to."""
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
    leaves = [commitment_of(row).leaf() for row in under]
    path = merkle.audit_path(leaves, mine[-1]["position"])
    return proof_text(commitment_of(mine[-1]), mine[-1]["position"], path, head["note"])


def consistency_path(connection: Reader, old: int, new: int) -> list[bytes]:
    """The hashes that show that the tree of ``new`` commitments begins with that of ``old``. Conflict where so many
    are not there."""
    leaves = [commitment_of(row).leaf() for row in queries.commitments(connection)[:new]]
    if len(leaves) < new:
        raise Conflict(
            f"There are {len(leaves)} commitments under a signed head of {new}: the installation's tree was cut. Run "
            "`hq verify --all`.",
            word="history_broken",
        )
    return merkle.consistency_path(old, new, lambda start, end: merkle.root(leaves[start:end]))
