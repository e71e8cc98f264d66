"""Roots are those of RFC 6962, and a path proves membership of its leaf alone."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.merkle import (
    audit_path,
    leaf_hash,
    root,
)
from tests.merkle_paths import root_from_path


def tree(*entries):
    return root([leaf_hash(entry) for entry in entries]).hex()


def test_known_roots():
    assert tree() == sha256(b"").hexdigest()
    assert leaf_hash(b"").hex().startswith("6e340b9c")
    assert tree(b"a").startswith("022a6979")
    assert tree(b"a", b"b").startswith("b137985f")
    assert tree(b"a", b"b", b"c") == "36642e73c2540ab121e3a6bf9545b0a24982cd830eb13d3cd19de3ce6c021ec1"


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
    assert root_from_path(leaf_hash(b"a"), 1, 1, []) is None
