"""What a reader of a proof computes: the other half of ``engine.model.merkle``, written after RFC 9162, 2.1.3.2."""

from collections.abc import Sequence
from hashlib import sha256

from engine.model.merkle import NODE


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a leaf and its audit path lead to; None when the path does not fit a tree of ``size`` leaves."""
    if not 0 <= index < size:
        return None
    place, last, digest = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if place % 2 or place == last:
            digest = sha256(NODE + sibling + digest).digest()
            while not place % 2 and place:
                place, last = place // 2, last // 2
        else:
            digest = sha256(NODE + digest + sibling).digest()
        place, last = place // 2, last // 2
    return digest if last == 0 else None
