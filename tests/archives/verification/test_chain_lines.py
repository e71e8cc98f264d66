"""The tree over a log that is read in pieces of any size."""

from hashlib import sha256

import pytest

from engine.archives.verification.chain_lines import grow
from engine.archives.verification.verify import Frontier


@pytest.mark.parametrize("before", [0, 1, 255, 256, 300, 511, 768])
@pytest.mark.parametrize("added", [0, 1, 2, 255, 256, 257, 600, 1300])
def test_whole_subtrees_make_the_tree_that_single_leaves_make(before, added):
    entries = [sha256(str(place).encode()).digest() for place in range(before + added)]
    one, other = Frontier(), Frontier()
    for entry in entries[:before]:
        one.add(entry)
        other.add(entry)
    for entry in entries[before:]:
        one.add(entry)
    grow(other, entries[before:])
    assert (other.size, other.parts, other.root()) == (one.size, one.parts, one.root())
