"""The way from events to the signed head of the bundle that they are in (RFC 6962)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.model import merkle

HASH_BYTES = 32
Block = tuple[int, int]  # a whole part of a tree: 2^height leaves, and how many such parts are before it


@dataclass(frozen=True)
class TreeLevel:
    """Roots of whole parts of one height, side by side; ``first``: how many such parts are before them."""

    first: int
    nodes: bytes

    def node(self, place: int) -> bytes:
        """The root of a part. KeyError where it is not there."""
        start = HASH_BYTES * (place - self.first)
        if start < 0 or start >= len(self.nodes):
            raise KeyError(place)
        return self.nodes[start : start + HASH_BYTES]


def tree_levels(size: int, parts: Sequence[bytes], events: Iterable[bytes]) -> list[TreeLevel]:
    """The whole parts of a tree by height, of which ``events`` are hashes of the chain after the first ``size``.

    ``parts``: the roots of the whole parts of the tree of those before, largest first.
    """
    roots = {height: part for (height, _), part in zip(_blocks(0, size), parts, strict=True)}
    nodes, first, levels = [sha256(merkle.LEAF + event).digest() for event in events], size, list[TreeLevel]()
    while nodes or any(height >= len(levels) for height in roots):
        if len(levels) in roots:
            nodes.insert(0, roots[len(levels)])
            first -= 1
        levels.append(TreeLevel(first, b"".join(nodes)))
        pairs = zip(nodes[::2], nodes[1::2], strict=False)
        nodes = [sha256(merkle.NODE + left + right).digest() for left, right in pairs]
        first >>= 1
    return levels


def leaf_count(levels: Sequence[TreeLevel]) -> int:
    """How many leaves the tree has."""
    return 0 if not levels else levels[0].first + len(levels[0].nodes) // HASH_BYTES


def root_of(levels: Sequence[TreeLevel], start: int, end: int) -> bytes:
    """The root over leaves from a start as RFC 6962 splits trees. KeyError where a whole part of them is not there."""
    *rest, root = [levels[height].node(place) for height, place in _blocks(start, end)] or [merkle.root([])]
    for left in reversed(rest):
        root = merkle.node_hash(left, root)
    return root


def audit_path(levels: Sequence[TreeLevel], position: int) -> list[bytes]:
    """The way from the event at a position (its number, from 1) to the root, nearest first."""
    return merkle.inclusion_path(position - 1, leaf_count(levels), lambda start, end: root_of(levels, start, end))


def _blocks(start: int, end: int) -> Iterator[Block]:
    """The whole parts of the leaves from ``start`` up to ``end``; a start as RFC 6962 splits trees."""
    while start < end:
        height = (end - start).bit_length() - 1
        yield height, start >> height
        start += 1 << height
