"""The way from events to the signed head of the bundle that they are in (RFC 6962)."""

from collections.abc import Iterable, Iterator, Sequence

from engine.model import merkle

Block = tuple[int, int]  # a whole part of a tree: 2^height leaves, and how many such parts are before it


def event_paths(
    before: tuple[int, Sequence[bytes]], events: Iterable[bytes], size: int, positions: Iterable[int]
) -> tuple[bytes, dict[int, list[bytes]]] | None:
    """The root of the tree of ``size`` events and the audit path of the event at each position (its number, from 1).

    ``before``: how many events there are before ``events``, and the roots of the whole parts of their tree, largest
    first; ``events``: hashes of the chain. None where these do not make a tree of that size.
    """
    wanted = [*positions]
    needed: set[Block] = set(_blocks(0, size))

    def need(start: int, end: int) -> bytes:
        needed.update(_blocks(start, end))
        return b""

    for position in wanted:
        merkle.inclusion_path(position - 1, size, need)
    known: dict[Block, bytes] = {}
    count = _grow(before, events, needed, known)
    if count != size:
        return None

    def root_of(start: int, end: int) -> bytes:
        *rest, found = [known[block] for block in _blocks(start, end)] or [merkle.root([])]
        for left in reversed(rest):
            found = merkle.node_hash(left, found)
        return found

    return root_of(0, size), {place: merkle.inclusion_path(place - 1, size, root_of) for place in wanted}


def _grow(
    before: tuple[int, Sequence[bytes]], events: Iterable[bytes], needed: set[Block], known: dict[Block, bytes]
) -> int:
    """Put the hashes of the blocks that are needed into ``known``; how many leaves there are in the end."""
    size, parts = before
    stack: list[bytes] = []
    for (height, place), part in zip(_blocks(0, size), parts, strict=True):
        stack.append(part)
        known[height, place] = part
    for event in events:
        found, height, place = merkle.leaf_hash(event), 0, size
        while True:
            if (height, place) in needed:
                known[height, place] = found
            if not place & 1:
                break
            found, height, place = merkle.node_hash(stack.pop(), found), height + 1, place >> 1
        stack.append(found)
        size += 1
    return size


def _blocks(start: int, end: int) -> Iterator[Block]:
    """The whole parts of the leaves from ``start`` up to ``end``; a start as RFC 6962 splits trees."""
    while start < end:
        height = (end - start).bit_length() - 1
        yield height, start >> height
        start += 1 << height
