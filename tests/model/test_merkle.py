"""Roots and paths are those of RFC 6962, and a path proves what it was made for alone."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.merkle import (
    LeafTree,
    audit_path,
    consistency_path,
    continues,
    inclusion_path,
    leaf_hash,
    path_root,
    root,
)
from tests.laws import examples
from tests.merkle_paths import root_from_path

# The vectors of certificate-transparency: entries, roots of 0 to 8 of them, audit paths, consistency paths
ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATHS = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): PATHS[0, 8],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
LEAVES = [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES]
MANY = [leaf_hash(bytes([number])) for number in range(41)]


def tree(*entries):
    return root([leaf_hash(entry) for entry in entries]).hex()


def over(leaves):
    return lambda start, end: root(leaves[start:end])


def test_known_roots():
    assert [root(LEAVES[:size]).hex() for size in range(9)] == ROOTS
    assert tree(b"a", b"b", b"c") == "36642e73c2540ab121e3a6bf9545b0a24982cd830eb13d3cd19de3ce6c021ec1"


@pytest.mark.parametrize(("index", "size"), PATHS)
def test_published_audit_paths(index, size):
    path = [bytes.fromhex(step) for step in PATHS[index, size]]
    assert inclusion_path(index, size, over(LEAVES)) == path
    assert path_root(LEAVES[index], index, size, path) == root(LEAVES[:size])


@pytest.mark.parametrize(("old", "new"), CONSISTENCY)
def test_published_consistency_paths(old, new):
    path = [bytes.fromhex(step) for step in CONSISTENCY[old, new]]
    assert consistency_path(old, new, over(LEAVES)) == path
    assert continues((old, root(LEAVES[:old])), (new, root(LEAVES[:new])), path)


def test_every_leaf_of_every_tree_has_its_path():
    for size in range(1, len(MANY)):
        for index in range(size):
            path = inclusion_path(index, size, over(MANY))
            assert path_root(MANY[index], index, size, path) == root(MANY[:size])
            assert root_from_path(MANY[index], index, size, path) == root(MANY[:size])
            assert path_root(MANY[index], index, size, [*path, MANY[0]]) is None
            if path:
                assert path_root(MANY[index], index, size, path[:-1]) != root(MANY[:size])


def test_every_tree_continues_every_smaller_one_and_no_other():
    for new in range(len(MANY)):
        for old in range(new + 1):
            path = consistency_path(old, new, over(MANY))
            before, after = (old, root(MANY[:old])), (new, root(MANY[:new]))
            assert continues(before, after, path)
            assert not continues(before, after, [*path, MANY[0]])
            assert not continues((old, root(MANY[1:][:old]) if old else MANY[0]), after, path)
            if 0 < old < new:
                assert not continues(before, (new, MANY[0]), path)
                assert not continues(before, after, path[:-1])
                assert not continues(after, before, path)


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_a_path_with_one_bit_changed_shows_nothing(data):
    new = data.draw(st.integers(2, 300))
    leaves = [leaf_hash(number.to_bytes(2, "big")) for number in range(new)]
    old = data.draw(st.integers(1, new - 1))
    path = consistency_path(old, new, over(leaves))
    before, after = (old, root(leaves[:old])), (new, root(leaves))
    assert continues(before, after, path)
    assert not continues(before, after, flip(data, path))
    steps = inclusion_path(old, new, over(leaves))
    assert path_root(leaves[old], old, new, steps) == root(leaves)
    assert path_root(leaves[old], old, new, flip(data, steps)) != root(leaves)


def flip(data, path):
    step, bit = data.draw(st.integers(0, len(path) - 1)), data.draw(st.integers(0, 255))
    other = (int.from_bytes(path[step], "big") ^ 1 << bit).to_bytes(32, "big")
    return [*path[:step], other, *path[step + 1 :]]


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_a_path_leads_from_its_leaf_to_the_root_and_no_other_leaf_does(entries, data):
    leaves = [leaf_hash(entry) for entry in entries]
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = audit_path(leaves, index)
    assert root_from_path(leaves[index], index, len(leaves), path) == root(leaves)
    assert root_from_path(leaf_hash(b"another entry, longer than any"), index, len(leaves), path) != root(leaves)
    assert root_from_path(leaves[index], index, len(leaves), [*path, b"x" * 32]) is None


def test_outside_the_tree_there_is_no_path():
    with pytest.raises(IndexError):
        audit_path([leaf_hash(b"a")], 1)
    with pytest.raises(IndexError):
        consistency_path(3, 2, over(LEAVES))
    assert root_from_path(leaf_hash(b"a"), 1, 1, []) is None
    assert path_root(leaf_hash(b"a"), 1, 1, []) is None
    assert sha256(b"").digest() == root([])


def test_a_tree_that_grows_leaf_by_leaf_has_the_same_roots():
    frontier, found = LeafTree(), []
    for entry in [*ENTRIES, None]:
        found.append(frontier.root().hex())
        if entry is not None:
            frontier.add(leaf_hash(bytes.fromhex(entry)))
    assert found == ROOTS


@given(st.lists(st.integers(0, 20), max_size=8))
def test_a_tree_that_grows_by_many_leaves_has_the_root_of_all_of_them(counts):
    grown, leaves = LeafTree(), []
    for count in counts:
        more = [leaf_hash(str(len(leaves) + number).encode()) for number in range(count)]
        grown.extend(more)
        leaves += more
    grown.add(leaf_hash(b"one more"))
    assert grown.root() == root([*leaves, leaf_hash(b"one more")])
