"""The RFC 6962 tree over the events of an organization: leaf ``n`` is ``SHA-256(0x00 || chain hash of event n)``.

It lies in tiles of 256 hashes, after C2SP ``tlog-tiles``: level 0 has the leaves, each level above a hash over every
full tile below. It grows when a head is signed, so that a write costs nothing more. What a tile holds follows from the
chain alone: of two that grow it at once, both write the same, and the longer tile stays.

Events that retention took before there was a tree have a leaf over 64 zeros: of them nothing is claimed.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from engine.model import merkle
from engine.model.errors import Conflict
from engine.store.chain.chain import GENESIS
from engine.store.database.dialects import upsert_insert
from engine.store.schema.audit import audit_log, chain_cuts, event_tiles

TILE, HASH = 256, 32
_FULL = TILE * HASH
_BITS = 8  # of a position that name a hash within its tile
MOST = 65_536  # leaves that are added at once


class Tile(NamedTuple):
    """A tile as it is stored."""

    level: int
    number: int
    hashes: bytes


class EventTree:
    """The tree as ``connection`` sees it. Asked for more leaves than it has, it raises Conflict."""

    def __init__(self, connection: Connection, org_id: str) -> None:
        self._connection = connection
        self._org_id = org_id
        self._tiles: dict[tuple[int, int], bytes] = {}

    @cached_property
    def size(self) -> int:
        """How many leaves there are."""
        mine = event_tiles.c.org_id == self._org_id, event_tiles.c.level == 0
        last = select(event_tiles.c.tile, event_tiles.c.hashes).where(*mine).order_by(event_tiles.c.tile.desc())
        row = self._connection.execute(last.limit(1)).first()
        return 0 if row is None else row.tile * TILE + len(row.hashes) // HASH

    def leaf(self, seq: int) -> bytes:
        """The leaf of an event by its sequence number, from 1."""
        return self._node(0, seq - 1)

    def event_hash(self, seq: int) -> str | None:
        """The chain's hash of an event itself; None once retention took it."""
        query = select(audit_log.c.hash).where(audit_log.c.org_id == self._org_id, audit_log.c.seq == seq)
        found: str | None = self._connection.execute(query).scalar()
        return found

    def root(self, size: int) -> bytes:
        """The root over the first ``size`` events."""
        return self._range(0, size)

    def parts(self, size: int) -> list[bytes]:
        """The roots of the whole parts of the first ``size`` events, largest first: all that the next root needs."""
        found, start = [], 0
        for height in reversed(range(size.bit_length())):
            if size >> height & 1:
                found.append(self._node(height, start >> height))
                start += 1 << height
        return found

    def inclusion(self, seq: int, size: int) -> list[bytes]:
        """The audit path of an event in the tree of ``size`` events, nearest first."""
        return merkle.inclusion_path(seq - 1, size, self._range)

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The path that shows that the tree of ``new`` events begins with that of ``old``."""
        return merkle.consistency_path(old, new, self._range)

    def leaves(self) -> Iterator[bytes]:
        """All leaves in their order."""
        for _, hashes in self._level(0):
            yield from _hashes_of(hashes)

    def unsound(self) -> str | None:
        """What does not follow from the leaves; None where all of it does. Memory: a 256th of the leaves."""
        below: Iterable[tuple[int, bytes]] = self._level(0)
        level = 0
        while True:
            above, end = bytearray(), 0
            for expected, (number, hashes) in enumerate(below):
                if number != expected or end != number * _FULL or len(hashes) % HASH or not 0 < len(hashes) <= _FULL:
                    return f"tile {expected} of level {level} is missing or of another size"
                end += len(hashes)
                if len(hashes) == _FULL:
                    above += merkle.root(_hashes_of(hashes))
            level += 1
            stored = b"".join(hashes for _, hashes in self._level(level))
            if stored != above:
                return f"level {level} is not what the hashes below lead to"
            if not above:
                return self._stray(level)
            below = enumerate([bytes(above[at : at + _FULL]) for at in range(0, len(above), _FULL)])

    def _stray(self, levels: int) -> str | None:
        """A tile of no level: once the tree is so high, it would stand in the way."""
        level = event_tiles.c.level
        query = select(level).where(event_tiles.c.org_id == self._org_id, (level < 0) | (level >= levels))
        found = self._connection.execute(query.order_by(level).limit(1)).scalar()
        return None if found is None else f"there is a tile of level {found}, and the tree has {levels} levels"

    def _range(self, start: int, end: int) -> bytes:
        """The root over the leaves from ``start`` up to ``end``; a start as RFC 6962 splits trees."""
        pieces = []
        while start < end:
            height = (end - start).bit_length() - 1
            pieces.append(self._node(height, start >> height))
            start += 1 << height
        if not pieces:
            return merkle.root([])
        node_hash = pieces.pop()
        while pieces:
            node_hash = merkle.node_hash(pieces.pop(), node_hash)
        return node_hash

    def _node(self, height: int, index: int) -> bytes:
        level, rest = divmod(height, _BITS)
        first = index << rest
        number, offset = divmod(first, TILE)
        hashes = self._tile(level, number)[offset * HASH : (offset + (1 << rest)) * HASH]
        if len(hashes) != HASH << rest:
            raise _damage(self._org_id, f"hash {first} of level {level} is missing")
        return merkle.root(_hashes_of(hashes))

    def _tile(self, level: int, number: int) -> bytes:
        if (level, number) not in self._tiles:
            at = event_tiles.c.org_id == self._org_id, event_tiles.c.level == level, event_tiles.c.tile == number
            content: bytes | None = self._connection.execute(select(event_tiles.c.hashes).where(*at)).scalar()
            self._tiles[level, number] = content or b""
        return self._tiles[level, number]

    def _level(self, level: int) -> Iterator[tuple[int, bytes]]:
        query = select(event_tiles.c.tile, event_tiles.c.hashes).where(
            event_tiles.c.org_id == self._org_id, event_tiles.c.level == level
        )
        with self._connection.execute(query.order_by(event_tiles.c.tile).execution_options(yield_per=64)) as tiles:
            yield from tiles


# -- growth ------------------------------------------------------------------------------------------------------------


def grow(connection: Connection, org_id: str) -> int:
    """Add every event that ``connection`` sees to the tree, in its transaction; how many leaves there are then."""
    while tiles := new_tiles(connection, org_id):
        keep_tiles(connection, org_id, tiles)
    return EventTree(connection, org_id).size


def new_tiles(connection: Connection, org_id: str) -> list[Tile]:
    """The tiles that the next events change, at most 65,536 of them; none where the tree has all. Nothing is written.

    Conflict where the tree or the chain has a gap.
    """
    tree = EventTree(connection, org_id)
    first, fresh, level = tree.size, _next_leaves(connection, org_id, tree.size), 0
    tiles: list[Tile] = []
    while fresh:
        number, offset = divmod(first, TILE)
        known = tree._tile(level, number)[: offset * HASH] if offset else b""
        if len(known) != offset * HASH:
            raise _damage(org_id, f"tile {number} of level {level} is too short")
        hashes, above = known + b"".join(fresh), []
        for start in range(0, len(hashes), _FULL):
            part = hashes[start : start + _FULL]
            tiles.append(Tile(level, number + start // _FULL, part))
            if len(part) == _FULL:
                above.append(merkle.root(_hashes_of(part)))
        first, fresh, level = number, above, level + 1
    return tiles


def keep_tiles(connection: Connection, org_id: str, tiles: list[Tile]) -> None:
    """Store tiles, but none over one that has grown further meanwhile."""
    statement = upsert_insert(connection.dialect.name, event_tiles)
    longer = func.length(statement.excluded.hashes) > func.length(event_tiles.c.hashes)
    statement = statement.on_conflict_do_update(
        index_elements=["org_id", "level", "tile"], set_={"hashes": statement.excluded.hashes}, where=longer
    )
    rows = [{"org_id": org_id, "level": one.level, "tile": one.number, "hashes": one.hashes} for one in tiles]
    connection.execute(statement, rows)


def _next_leaves(connection: Connection, org_id: str, size: int) -> list[bytes]:
    query = select(audit_log.c.seq, audit_log.c.hash).where(audit_log.c.org_id == org_id, audit_log.c.seq > size)
    rows = connection.execute(query.order_by(audit_log.c.seq).limit(MOST)).all()
    if not rows:
        return []
    gap = range(size + 1, rows[0].seq)
    if gap:  # retention cut before there was a tree
        cut = select(chain_cuts.c.hash).where(chain_cuts.c.org_id == org_id, chain_cuts.c.seq == gap[-1])
        at_cut: str | None = connection.execute(cut).scalar()
        if at_cut is None or size:
            raise _gap(org_id, gap[0])
        unknown = merkle.leaf_hash(bytes.fromhex(GENESIS))
        return [*[unknown] * (len(gap) - 1), merkle.leaf_hash(bytes.fromhex(at_cut))]
    if rows[-1].seq - size != len(rows):
        raise _gap(org_id, size + 1)
    return [merkle.leaf_hash(bytes.fromhex(row.hash)) for row in rows]


def _hashes_of(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + HASH] for start in range(0, len(hashes), HASH)]


def _damage(org_id: str, what: str) -> Conflict:
    return Conflict(
        f"The tree over the events of {org_id} is damaged: {what}. Run `hq verify --org {org_id}`.", word="tree_damaged"
    )


def _gap(org_id: str, seq: int) -> Conflict:
    return Conflict(
        f"The chain of {org_id} has a gap from event {seq} on. Run `hq verify --org {org_id}`.", word="chain_broken"
    )
