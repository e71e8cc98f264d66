"""The way from events to the root of a tree of which only the end is there."""

import random
from hashlib import sha256

import pytest

from engine.facts.assurance.event_paths import audit_path, leaf_count, root_of, tree_levels
from engine.model import merkle
from tests.merkle_paths import root_from_path

EVENTS = [sha256(b"%d" % number).digest() for number in range(40)]
LEAVES = [merkle.leaf_hash(event) for event in EVENTS]


def parts(size):
    """The roots of the whole parts of the first leaves."""
    found, start = [], 0
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            found.append(merkle.root(LEAVES[start : start + (1 << height)]))
            start += 1 << height
    return found


def test_every_event_of_every_window_of_every_tree():
    drawn = random.Random(7)
    for size in range(len(EVENTS) + 1):
        for before in drawn.sample(range(size + 1), min(6, size + 1)):
            levels = tree_levels(before, parts(before), EVENTS[before:size])
            root = root_of(levels, 0, size)
            assert (leaf_count(levels), root) == (size, merkle.root(LEAVES[:size]))
            for position in range(before + 1, size + 1):
                path = audit_path(levels, position)
                assert path == merkle.audit_path(LEAVES[:size], position - 1)
                assert root_from_path(LEAVES[position - 1], position - 1, size, path) == root


@pytest.mark.parametrize(("events", "count"), [(EVENTS[8:11], 11), (EVENTS[8:13], 13), ([], 8)])
def test_events_that_are_not_all_of_them_make_another_tree(events, count):
    assert leaf_count(tree_levels(8, parts(8), events)) == count


def test_an_event_before_those_that_are_there_has_no_way():
    with pytest.raises(KeyError):
        root_of(tree_levels(8, parts(8), EVENTS[8:12]), 6, 7)
