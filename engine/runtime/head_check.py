"""Whether every head that left the building lies on the chain: finds what was cut off, rewritten or removed since.

One pass over the leaves of the tree, the root computed along the way; the chain itself is checked by ``Store.verify``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.model import merkle
from engine.model.checkpoints import open_note, origin_of, read_checkpoint, signer
from engine.runtime.key_rotations import own_keys
from engine.runtime.settings import Settings
from engine.runtime.signed_heads import file_lines, heads_path, note_of_line
from engine.store.event_tree import EventTree
from engine.store.queries import signed_heads as queries
from engine.store.queries.audit import position
from engine.store.rows import Reader

MOST = 20  # problems that are told


class HeadClaim(NamedTuple):
    """What somebody was told: after so many events the last one had this hash, and their tree this root."""

    where: str
    seq: int
    hash: str | None
    root: bytes | None


@dataclass
class HeadsCheck:
    """What a check of an organization's heads found: ``problems`` is empty when all of them hold."""

    org_id: str
    heads: int = 0
    signatures: bool = True  # False where there is no key to check them with, as beside a copy of the store
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


def check_heads(connection: Reader, settings: Settings, org_id: str) -> HeadsCheck:
    """Check every head of the organization that was signed, sealed, delivered or downloaded."""
    check = HeadsCheck(org_id)
    key_path = settings.signing_key_path
    keys = own_keys(key_path) if key_path.exists() else ()
    check.signatures = bool(keys)
    claims = [*_from_file(settings, org_id, keys, check), *_from_store(connection, org_id, keys, check)]
    check.heads = len(claims)
    _on_chain(connection, org_id, claims, check)
    _seals(settings, connection, org_id, check)
    del check.problems[MOST:]
    return check


# -- what was told -----------------------------------------------------------------------------------------------------


def _from_file(settings: Settings, org_id: str, keys: Sequence[bytes], check: HeadsCheck) -> Iterator[HeadClaim]:
    path = heads_path(settings, org_id)
    for number, line in enumerate(file_lines(path), 1):
        where = f"line {number} of heads/{path.name}"
        try:
            yield _signed(where, note_of_line(line), org_id, keys)
        except ValueError as error:
            check.problems.append(f"{where} {error}")


def _from_store(connection: Reader, org_id: str, keys: Sequence[bytes], check: HeadsCheck) -> Iterator[HeadClaim]:
    for row in queries.every(connection, org_id):
        where = f"the signed head of {row['seq']} events"
        try:
            claim = _signed(where, row["note"], org_id, keys)
            if (claim.seq, claim.hash, claim.root) != (row["seq"], row["hash"], bytes.fromhex(row["root"])):
                raise ValueError("is stored beside another position than the one that was signed")
            yield claim
        except ValueError as error:
            check.problems.append(f"{where} {error}")
    last = 0
    for departure in queries.departures(connection, org_id):
        yield HeadClaim(departure.where, departure.seq, departure.hash, None)
        if departure.where.startswith("the bundle"):
            if departure.seq < last:
                check.problems.append(f"{departure.where} was sealed at event {departure.seq}, after one at {last}")
            last = max(last, departure.seq)


def _signed(where: str, note: str, org_id: str, keys: Sequence[bytes]) -> HeadClaim:
    opened = open_note(note)
    head = read_checkpoint(opened.text)
    if head.origin != origin_of(org_id):
        raise ValueError(f"is a head of {head.origin}")
    if keys and signer(opened, head.origin, keys) is None:
        raise ValueError("is signed with no key of ours")
    return HeadClaim(where, head.size, head.chain, head.root)


# -- what there is -----------------------------------------------------------------------------------------------------


class _Frontier:
    """The roots of the whole subtrees to the left: all that the next root needs."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        height, found = 0, leaf
        while self._parts and self._parts[-1][0] == height:
            found = merkle.node_hash(self._parts.pop()[1], found)
            height += 1
        self._parts.append((height, found))

    def root(self) -> bytes:
        parts = [found for _, found in self._parts]
        if not parts:
            return merkle.root([])
        found = parts.pop()
        while parts:
            found = merkle.node_hash(parts.pop(), found)
        return found


def _on_chain(connection: Reader, org_id: str, claims: Sequence[HeadClaim], check: HeadsCheck) -> None:
    """Go through the leaves once and hold every claim against the place that it speaks of."""
    wanted: Mapping[int, list[HeadClaim]] = defaultdict(list)
    for claim in claims:
        wanted[claim.seq].append(claim)
    tree = EventTree(connection, org_id)
    unsound = tree.unsound()
    if unsound:
        check.problems.append(f"the tree over the events does not hold: {unsound}")
    last, _ = position(connection, org_id)
    if tree.size > last:
        check.problems.append(f"the tree holds {tree.size} events, and the chain ends at {last}: its tail was cut off")
    frontier, rewritten = _Frontier(), False
    _judge(wanted.get(0, ()), merkle.leaf_hash(bytes(32)), frontier, check)
    for seq, leaf, other in _leaves(connection, tree, org_id, last):
        if other and not rewritten:
            rewritten = True
            check.problems.append(f"event {seq} is not the one that the tree holds: it was rewritten")
        frontier.add(leaf)
        _judge(wanted.get(seq, ()), leaf, frontier, check)
    for claim in claims:
        if claim.seq > last:
            check.problems.append(f"{claim.where} is of event {claim.seq}, and the chain ends at {last}: its tail was "
                                  "cut off")  # fmt: skip


def _leaves(connection: Reader, tree: EventTree, org_id: str, last: int) -> Iterator[tuple[int, bytes, bool]]:
    """Each place up to the head with its leaf, and whether the tree holds another: of events that are gone the tree's,
    else that of the event itself."""
    stored = tree.leaves()
    events = queries.event_hashes(connection, org_id)
    event = next(events, None)
    for seq in range(1, last + 1):
        held = next(stored, None)
        if event is not None and event[0] == seq:
            own = merkle.leaf_hash(bytes.fromhex(event[1]))
            event = next(events, None)
            yield seq, own, held not in (None, own)
        else:
            yield seq, held or bytes(32), False


def _judge(claims: Sequence[HeadClaim], leaf: bytes, frontier: _Frontier, check: HeadsCheck) -> None:
    for claim in claims:
        if claim.hash is not None and claim.seq and _leaf_of(claim.hash) != leaf:
            check.problems.append(f"{claim.where} names another event {claim.seq} than the chain has")
        elif claim.root is not None and claim.root != frontier.root():
            check.problems.append(f"{claim.where} has another root than the first {claim.seq} events of the chain")


def _leaf_of(digest: str) -> bytes | None:
    try:
        return merkle.leaf_hash(bytes.fromhex(digest))
    except ValueError:
        return None


def _seals(settings: Settings, connection: Reader, org_id: str, check: HeadsCheck) -> None:
    """No seal is missing: neither from the records that its event speaks of, nor from those of its file."""
    for seq, bundle_id in queries.seals_without_bundle(connection, org_id):
        check.problems.append(f"the bundle {bundle_id} that event {seq} sealed is not on record")
    known = queries.bundle_ids(connection, org_id)
    for path in sorted((settings.bundle_folder / org_id).glob("*.zip")):
        being_sealed = any(path.parent.glob(f".{path.stem}.*"))
        if path.stem not in known and not being_sealed:
            check.problems.append(f"the bundle {path.stem} is in the bundle folder and not on record")
