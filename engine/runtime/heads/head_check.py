"""Whether every head that left the building lies on the chain: finds what was cut off, rewritten or removed since.

One pass over the leaves of the tree, the root computed along the way; the chain itself is checked by ``Store.verify``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from engine.model import merkle
from engine.model.checkpoints import WitnessKey, open_note, origin_of, read_checkpoint, signer
from engine.model.errors import Conflict, Usage
from engine.model.records import SignedHeadRow
from engine.runtime.heads.signed_heads import file_lines, heads_path, note_of_line
from engine.runtime.heads.witnesses import must_hold_beside, trusted_witnesses
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.settings import Settings
from engine.store.chain.chain import GENESIS
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history import signed_heads as queries
from engine.store.queries.history.audit import position
from engine.store.rows import Reader

MOST = 20  # problems that are told
STRETCH = 8_192  # events that are held against the tree at a time


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


def check_heads(
    connection: Reader,
    settings: Settings,
    org_id: str,
    later: Callable[[], AbstractContextManager[Reader]] | None = None,
) -> HeadsCheck:
    """Check every head of the organization that was signed, sealed, delivered or downloaded.

    ``later`` reads the store as it is by then, where somebody writes meanwhile: a head that was signed after what
    ``connection`` sees is for the next check.
    """
    check = HeadsCheck(org_id)
    key_path = settings.signing_key_path
    witnesses = trusted_witnesses(settings)
    lines = file_lines(heads_path(settings, org_id))
    rows = queries.every(connection, org_id)
    keys = _keys(key_path, check) if key_path.exists() else ()  # after what they signed: one may be new since
    check.signatures = bool(keys)
    claims = [
        *_from_file(lines, org_id, keys, check),
        *_from_rows(rows, org_id, keys, witnesses, check),
        *_departures(connection, org_id, check),
    ]
    check.heads = len(claims)
    by_then = later or (lambda: nullcontext(connection))
    with by_then() as newer:
        newest, _ = position(newer, org_id)
    _on_chain(connection, org_id, claims, check, newest)
    _seals(settings, connection, org_id, check, by_then)
    del check.problems[MOST:]
    return check


def _keys(path: Path, check: HeadsCheck) -> Sequence[bytes]:
    """The keys that heads may be signed with; a file that holds none is a problem of its own."""
    try:
        return own_keys(path)
    except (Usage, Conflict) as error:
        check.problems.append(str(error))
        return ()


# -- what was told -----------------------------------------------------------------------------------------------------


def _from_file(lines: Sequence[str], org_id: str, keys: Sequence[bytes], check: HeadsCheck) -> Iterator[HeadClaim]:
    for number, line in enumerate(lines, 1):
        where = f"line {number} of heads/{org_id}.log"
        try:
            yield _signed_claim(where, note_of_line(line), org_id, keys)
        except ValueError as error:
            check.problems.append(f"{where} {error}")


def _from_rows(
    rows: Sequence[SignedHeadRow],
    org_id: str,
    keys: Sequence[bytes],
    witnesses: Sequence[WitnessKey],
    check: HeadsCheck,
) -> Iterator[HeadClaim]:
    for row in rows:
        where = f"the signed head of {row['seq']} events"
        try:
            claim = _signed_claim(where, row["note"], org_id, keys)
            if (claim.seq, claim.hash, claim.root) != (row["seq"], row["hash"], _bytes_of(row["root"])):
                raise ValueError("is stored beside another position than the one that was signed")
            yield claim
            must_hold_beside(row, witnesses)
        except ValueError as error:
            check.problems.append(f"{where} {error}")


def _departures(connection: Reader, org_id: str, check: HeadsCheck) -> Iterator[HeadClaim]:
    last = 0
    for departure in queries.departures(connection, org_id):
        if departure.seq < 0 or (departure.seq == 0 and departure.hash != GENESIS):
            check.problems.append(f"{departure.where} is of event {departure.seq}, and there is no such event")
            continue
        yield HeadClaim(departure.where, departure.seq, departure.hash, None)
        if departure.where.startswith("the bundle"):
            if departure.seq < last:
                check.problems.append(f"{departure.where} was sealed at event {departure.seq}, after one at {last}")
            last = max(last, departure.seq)


def _signed_claim(where: str, note: str, org_id: str, keys: Sequence[bytes]) -> HeadClaim:
    opened = open_note(note)
    head = read_checkpoint(opened.text)
    if head.origin != origin_of(org_id):
        raise ValueError(f"is a head of {head.origin}")
    if keys and signer(opened, head.origin, keys) is None:
        raise ValueError("is signed with no key of ours")
    return HeadClaim(where, head.size, head.chain, head.root)


# -- what there is -----------------------------------------------------------------------------------------------------


def _on_chain(connection: Reader, org_id: str, claims: Sequence[HeadClaim], check: HeadsCheck, newest: int) -> None:
    """Go through the leaves once and hold every claim against the place that it speaks of.

    The chain ends at ``newest`` by now.
    """
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
    frontier = merkle.LeafTree()
    _judge(wanted.get(0, ()), merkle.leaf_hash(bytes(32)), frontier, check)
    told = False
    for stretch in _stretches(connection, tree, org_id, last, sorted(wanted)):
        if stretch.rewritten is not None and not told:
            told = True
            check.problems.append(f"event {stretch.rewritten} is not the one that the tree holds: it was rewritten")
        frontier.extend(stretch.leaves)
        _judge(wanted.get(stretch.last, ()), stretch.leaves[-1], frontier, check)
    for claim in claims:
        if claim.seq > max(last, newest):
            check.problems.append(
                f"{claim.where} is of event {claim.seq}, and the chain ends at {last}: its tail was cut off"
            )


class Stretch(NamedTuple):
    """The leaves of some events one after another: those of the events that are there, of others the tree's."""

    last: int
    leaves: list[bytes]
    rewritten: int | None  # the first event of which the tree holds another leaf


def _stretches(connection: Reader, tree: EventTree, org_id: str, last: int, ends: Sequence[int]) -> Iterator[Stretch]:
    """All places up to ``last``, at most ``STRETCH`` at a time; each of ``ends`` ends a stretch."""
    stored, before = tree.leaves(), 0
    for end in sorted({*range(STRETCH, last, STRETCH), *(end for end in ends if 0 < end < last), last} - {0}):
        held = list(islice(stored, end - before))
        events = queries.event_hashes(connection, org_id, before + 1, end)
        own = [sha256(merkle.LEAF + bytes.fromhex(digest)).digest() for _, digest in events]
        if own == held and len(own) == end - before:
            yield Stretch(end, own, None)
        else:
            yield _differing(before + 1, end, held, dict(zip((seq for seq, _ in events), own, strict=True)))
        before = end


def _differing(first: int, last: int, held: Sequence[bytes], own: Mapping[int, bytes]) -> Stretch:
    leaves, rewritten = [], None
    for seq, kept in zip_longest(range(first, last + 1), held):
        content = own.get(seq)
        if rewritten is None and content is not None and kept not in (None, content):
            rewritten = seq
        leaves.append(content or kept or bytes(32))
    return Stretch(last, leaves, rewritten)


def _judge(claims: Sequence[HeadClaim], leaf: bytes, frontier: merkle.LeafTree, check: HeadsCheck) -> None:
    for claim in claims:
        if claim.hash is not None and claim.seq and _leaf_of(claim.hash) != leaf:
            check.problems.append(f"{claim.where} names another event {claim.seq} than the chain has")
        elif claim.root is not None and claim.root != frontier.root():
            check.problems.append(f"{claim.where} has another root than the first {claim.seq} events of the chain")


def _leaf_of(digest: str) -> bytes | None:
    content = _bytes_of(digest)
    return None if content is None else merkle.leaf_hash(content)


def _bytes_of(digest: str) -> bytes | None:
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return None


def _seals(
    settings: Settings,
    connection: Reader,
    org_id: str,
    check: HeadsCheck,
    later: Callable[[], AbstractContextManager[Reader]],
) -> None:
    """No seal is missing: neither from the records that its event speaks of, nor from those of its file."""
    for seq, bundle_id in queries.seals_without_bundle(connection, org_id):
        check.problems.append(f"the bundle {bundle_id} that event {seq} sealed is not on record")
    known = queries.bundle_ids(connection, org_id)
    paths = sorted((settings.bundle_folder / org_id).glob("*.zip"))
    strange = [path for path in paths if path.stem not in known]
    if not strange:
        return
    sealing = [path for path in strange if any(path.parent.glob(f".{path.stem}.*"))]
    with later() as newer:  # a seal that came since: its record is newer than what ``connection`` sees
        known = queries.bundle_ids(newer, org_id)
    for path in strange:
        if path not in sealing and path.stem not in known and path.exists():
            check.problems.append(f"the bundle {path.stem} is in the bundle folder and not on record")
