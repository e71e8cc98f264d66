"""Merkle trees after RFC 6962, section 2.1: SHA-256, leaves and nodes told apart by a first byte."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

LEAF, NODE = b"\x00", b"\x01"
RangeRoot: TypeAlias = Callable[[int, int], bytes]
"""The root over the leaves from the first position up to, without it, the second."""


def leaf_hash(data: bytes) -> bytes:
    """The hash of one entry."""
    return sha256(LEAF + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash over two subtrees."""
    return sha256(NODE + left + right).digest()


def file_line(name: str, sha256_hex: str) -> str:
    """A file as ``sha256sum`` writes it."""
    return f"{sha256_hex}  {name}"


def file_leaf(name: str, sha256_hex: str) -> bytes:
    """The hash of a file's entry: of its line as ``sha256sum`` writes it."""
    return leaf_hash(file_line(name, sha256_hex).encode())


def root(leaves: Sequence[bytes]) -> bytes:
    """The Merkle tree hash of leaf hashes in their order; that of nothing for none."""
    if not leaves:
        return sha256(b"").digest()
    level = list(leaves)
    while len(level) > 1:
        pairs = [sha256(NODE + left + right).digest() for left, right in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


class LeafTree:
    """A tree that grows leaf by leaf: the roots of its whole subtrees to the left are all that the next root needs."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        """One more leaf."""
        height, content = 0, leaf
        while self._parts and self._parts[-1][0] == height:
            content = node_hash(self._parts.pop()[1], content)
            height += 1
        self._parts.append((height, content))

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Many leaves at once, level by level."""
        nodes, height, odd = list(leaves), 0, []
        while nodes:
            if self._parts and self._parts[-1][0] == height:
                nodes.insert(0, self._parts.pop()[1])
            if len(nodes) % 2:
                odd.append((height, nodes.pop()))
            pairs = zip(nodes[::2], nodes[1::2], strict=True)
            nodes = [sha256(NODE + left + right).digest() for left, right in pairs]
            height += 1
        self._parts += reversed(odd)

    def root(self) -> bytes:
        """What ``root`` gives for the leaves so far."""
        parts = [data for _, data in self._parts]
        if not parts:
            return root([])
        content = parts.pop()
        while parts:
            content = node_hash(parts.pop(), content)
        return content


def audit_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from a leaf to the root, nearest first (RFC 6962, 2.1.1). IndexError outside the tree."""
    return inclusion_path(index, len(leaves), lambda start, end: root(leaves[start:end]))


def inclusion_path(index: int, size: int, root_of: RangeRoot) -> list[bytes]:
    """The same where the leaves lie elsewhere."""
    if not 0 <= index < size:
        raise IndexError(f"a tree of {size} leaves has no leaf {index}")
    start, end, path = 0, size, []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(root_of(middle, end))
            end = middle
        else:
            path.append(root_of(start, middle))
            start = middle
    return path[::-1]


def consistency_path(old: int, new: int, root_of: RangeRoot) -> list[bytes]:
    """The hashes that show that a tree of ``new`` leaves continues one of ``old`` (RFC 6962, 2.1.2): none for equal
    sizes, and none after the empty tree. IndexError where the old tree is larger."""
    if not 0 <= old <= new:
        raise IndexError(f"a tree of {new} leaves continues none of {old}")
    if old in (0, new):
        return []
    start, end, path, whole = 0, new, [], True  # whole: the old tree is all that lies before
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(root_of(middle, end))
            end = middle
        else:
            path.append(root_of(start, middle))
            start, whole = middle, False
    return [*([] if whole else [root_of(start, end)]), *reversed(path)]


def path_root(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a leaf and its audit path lead to; None where the path fits no leaf of such a tree (RFC 9162,
    2.1.3.2)."""
    if not 0 <= index < size:
        return None
    place, last, content = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            content = node_hash(step, content)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            content = node_hash(content, step)
        place, last = place >> 1, last >> 1
    return content if last == 0 else None


def continues(old: tuple[int, bytes], new: tuple[int, bytes], path: Sequence[bytes]) -> bool:
    """Whether ``path`` shows that the tree of the size and root ``new`` begins with that of ``old`` (RFC 9162,
    2.1.4.2)."""
    (old_size, old_root), (new_size, new_root) = old, new
    if not 0 <= old_size <= new_size:
        return False
    if old_size in (0, new_size):
        return not path and old_root == (root([]) if old_size == 0 else new_root)
    place, last, steps = old_size - 1, new_size - 1, list(path)
    while place & 1:
        place, last = place >> 1, last >> 1
    if place:
        if not steps:
            return False
        seed = steps.pop(0)
    else:  # the old tree is a whole one: its root begins the path
        seed = old_root
    of_old = of_new = seed
    for step in steps:
        if last == 0:
            return False
        if place & 1 or place == last:
            of_old, of_new = node_hash(step, of_old), node_hash(step, of_new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            of_new = node_hash(of_new, step)
        place, last = place >> 1, last >> 1
    return last == 0 and (of_old, of_new) == (old_root, new_root)


def _split(size: int) -> int:
    """The largest power of two below ``size``."""
    return 1 << (size - 1).bit_length() - 1
