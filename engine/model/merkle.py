"""Merkle trees after RFC 6962, section 2.1: SHA-256, leaves and nodes told apart by a first byte."""

from collections.abc import Sequence
from hashlib import sha256

LEAF, NODE = b"\x00", b"\x01"


def leaf_hash(data: bytes) -> bytes:
    """The hash of one entry."""
    return sha256(LEAF + data).digest()


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


def audit_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from a leaf to the root, nearest first (RFC 6962, 2.1.1). IndexError outside the tree."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"a tree of {len(leaves)} leaves has no leaf {index}")
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*audit_path(leaves[:split], index), root(leaves[split:])]
    return [*audit_path(leaves[split:], index - split), root(leaves[:split])]


def _split(size: int) -> int:
    """The largest power of two below ``size``."""
    return 1 << (size - 1).bit_length() - 1
