"""The way from events to the root of a tree of which only the end is there."""

import random
from hashlib import sha256

import pytest

from engine.facts.assurance.event_paths import event_paths
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
            wanted = [*range(before + 1, size + 1)]
            root, paths = event_paths((before, parts(before)), EVENTS[before:size], size, wanted)
            assert (root, [*paths]) == (merkle.root(LEAVES[:size]), wanted)
            for position, path in paths.items():
                assert path == merkle.audit_path(LEAVES[:size], position - 1)
                assert root_from_path(LEAVES[position - 1], position - 1, size, path) == root


@pytest.mark.parametrize("events", [EVENTS[8:11], EVENTS[8:13], []])
def test_events_that_are_not_all_of_them_make_no_tree(events):
    assert event_paths((8, parts(8)), events, 12, [9]) is None
