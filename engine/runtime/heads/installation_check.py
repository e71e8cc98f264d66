"""The check of the tree over the whole installation: every organization that was committed to is there.

Of heads those are looked at that are in the store, in the file beside, and in archives that somebody brings.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from engine.model import merkle
from engine.model.checkpoints import ORIGIN, WitnessKey, open_note, origin_of, read_checkpoint, signer
from engine.model.commitments import WHOLE
from engine.model.errors import Problem
from engine.model.records import InstallationCommitmentRow
from engine.runtime.heads.installation import commitment_of, tree_path
from engine.runtime.heads.signed_heads import file_lines, note_of_line
from engine.runtime.heads.witnesses import must_be_cosigned, trusted_witnesses
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.settings import Settings
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history import installation as queries
from engine.store.rows import Reader

MOST = 20  # problems that are named


@dataclass(frozen=True)
class InstallationCheck:
    """What a check of the tree found: ``problems`` is empty where all of it holds."""

    commitments: int
    heads: int
    problems: list[str]


class OutsideHead(NamedTuple):
    """A signed head that left the building, and in what: of an organization, or of the tree over all."""

    where: str
    note: str


def check_installation_tree(
    connection: Reader,
    settings: Settings,
    outside: Sequence[OutsideHead] = (),
    later: Callable[[], AbstractContextManager[Reader]] | None = None,
) -> InstallationCheck:
    """Hold the organizations that there are against every commitment that was signed: here, in the file beside, and
    in heads that were ``outside``.

    ``later`` reads the store as it is by then, where somebody writes meanwhile: a head of the file that was signed
    after what ``connection`` sees is for the next check.
    """
    rows, stored = queries.commitments(connection), queries.signed(connection)
    witnesses = trusted_witnesses(settings)
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
    whole = [one for one in outside if one.note.startswith(f"{origin_of(WHOLE)}\n")]
    claims += whole
    problems += _against_tree(rows, claims, keys, witnesses, later)
    problems += [text for one in outside if one not in whole for text in _against_own_tree(connection, one, keys)]
    problems += _against_chains(connection, rows)
    for org_id in queries.without_chain(connection):
        problems.append(f"the organization {org_id} has no event: it was added beside the console")
    for org_id in queries.without_organization(connection):
        problems.append(f"there is a chain of {org_id}, and no organization of that name: its row was taken away")
    return InstallationCheck(len(rows), len(claims) + len(outside) - len(whole), problems[:MOST])


def _keys(settings: Settings, problems: list[str]) -> Sequence[bytes]:
    if not settings.signing_key_path.exists():
        return ()
    try:
        return own_keys(settings.signing_key_path)
    except Problem as error:
        problems.append(error.message)
        return ()


def _against_tree(
    rows: Sequence[InstallationCommitmentRow],
    claims: Sequence[tuple[str, str]],
    keys: Sequence[bytes],
    witnesses: Sequence[WitnessKey],
    later: Callable[[], AbstractContextManager[Reader]] | None,
) -> list[str]:
    """Every head that was signed is that of the commitments that there are, or are by then."""
    found, leaves = [], []
    for place, row in enumerate(rows):
        if row["position"] != place:
            return [f"the commitment {place} is not there: the tree was cut"]
        leaves.append(commitment_of(row).leaf())
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
            must_be_cosigned(opened.text, opened.signatures, witnesses)
        except ValueError as error:
            found.append(f"{where} {error}")
    tree, before = merkle.LeafTree(), 0
    for size in sorted({head.size for _, head in heads if head.size <= len(leaves)}):
        tree.extend(leaves[before:size])
        roots[size], before = tree.root(), size
    newest = len(leaves)
    if later is not None and any(head.size > newest for _, head in heads):
        with later() as newer:
            newest = len(queries.commitments(newer))
    for where, head in heads:
        if len(leaves) < head.size <= newest:
            continue
        if head.size > len(leaves):
            found.append(
                f"{where} is of {head.size} commitments to organizations, and there are {len(leaves)}: the tree was cut"
            )
        elif roots[head.size] != head.root:
            found.append(f"{where} has another root than the first {head.size} commitments: they were changed")
    return found


def _against_own_tree(connection: Reader, outside: OutsideHead, keys: Sequence[bytes]) -> Iterator[str]:
    """The head of an organization that was outside is that of the events that there are."""
    opened = open_note(outside.note)
    head = read_checkpoint(opened.text)
    tree = EventTree(connection, head.origin.removeprefix(ORIGIN))
    if keys and signer(opened, head.origin, keys) is None:
        yield f"{outside.where} is signed with no key of ours"
    if tree.size < head.size:
        yield f"{outside.where} is of {head.size} events of {head.origin}, and its tree has {tree.size}: it was cut off"
    elif tree.root(head.size) != head.root:
        yield (
            f"{outside.where} has another root than the first {head.size} events of {head.origin}: they were rewritten"
        )


def _against_chains(connection: Reader, rows: Sequence[InstallationCommitmentRow]) -> list[str]:
    """Every organization that was committed to is there, and its chain goes through where it stood."""
    ends, chains = queries.chain_ends(connection), []
    for org_id, row in {row["org_id"]: row for row in rows}.items():
        if org_id not in ends:
            chains.append(f"the organization {org_id} is not there any more; it had {row['seq']} events")
        elif ends[org_id][0] < row["seq"]:
            chains.append(
                f"the chain of {org_id} ends at event {ends[org_id][0]}, and was signed with {row['seq']}: its tail "
                "was cut off"
            )
        elif _is_other(connection, org_id, row["seq"], row["hash"]):
            chains.append(f"event {row['seq']} of {org_id} is another than the one that was signed")
    return chains


def _is_other(connection: Reader, org_id: str, seq: int, digest: str) -> bool:
    """Whether an event has another hash; of one that retention took, whether its leaf does."""
    tree = EventTree(connection, org_id)
    there = tree.event_hash(seq)
    if there is not None:
        return there != digest
    return tree.size >= seq and tree.leaf(seq) != merkle.leaf_hash(bytes.fromhex(digest))
