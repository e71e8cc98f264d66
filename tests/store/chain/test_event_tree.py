"""The tree over events: what it says is what the chain's hashes say, however and whenever it grew."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from engine.model import merkle
from engine.model.errors import Conflict
from engine.store import EventRow
from engine.store.chain.event_tree import EventTree, grow, keep_tiles, new_tiles
from engine.store.schema.audit import audit_log, chain_cuts, event_tiles
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.laws import examples


def write(store, count, name="e"):
    with store.revision("acme", "test", now=NOW) as revision:
        start = revision.start[0]
        revision.append_events(EventRow(f"{name}-{start + n}", NOW, "ann", "login.done") for n in range(count))


def grow_tree(store):
    with raw_transaction(store) as connection:
        return grow(connection, "acme")


def leaves_of(store):
    query = select(audit_log.c.hash).where(audit_log.c.org_id == "acme").order_by(audit_log.c.seq)
    with store.reader() as connection:
        return [merkle.leaf_hash(bytes.fromhex(found)) for found in connection.execute(query).scalars()]


def tiles_of(store):
    with store.reader() as connection:
        query = select(event_tiles).order_by(event_tiles.c.level, event_tiles.c.tile)
        return [tuple(row) for row in connection.execute(query)]


def test_the_empty_tree(any_store):
    with any_store.reader() as connection:
        tree = EventTree(connection, "none")
        assert (tree.size, tree.root(0), list(tree.leaves()), tree.unsound()) == (0, merkle.root([]), [], None)
        with pytest.raises(Conflict, match="hash 0 of level 0 is missing"):
            tree.leaf(1)


def test_what_the_tree_says_is_what_the_leaves_say(any_store):
    for count in (0, 3, 250, 5, 700, 1):
        if count:
            write(any_store, count)
        leaves = leaves_of(any_store)
        assert grow_tree(any_store) == len(leaves)
    chance = Random(7)
    with any_store.reader() as connection:
        tree = EventTree(connection, "acme")
        assert (tree.size, list(tree.leaves()), tree.unsound()) == (960, leaves, None)
        for size in [*range(40), 255, 256, 257, 511, 512, 513, 768, 959, 960]:
            assert tree.root(size) == merkle.root(leaves[:size]), size
        for _ in range(100):
            size = chance.randint(1, 960)
            index = chance.randrange(size)
            assert tree.leaf(index + 1) == leaves[index]
            assert tree.inclusion(index + 1, size) == merkle.audit_path(leaves[:size], index)
            path = tree.consistency(index, size)
            assert merkle.continues((index, tree.root(index)), (size, tree.root(size)), path)


def test_growing_again_writes_nothing(any_store):
    write(any_store, 300)
    grow_tree(any_store)
    with any_store.reader() as connection:
        assert new_tiles(connection, "acme") == []


def test_a_tree_that_grew_at_once_is_the_same(sqlite_url, any_store):
    write(any_store, 600)
    grow_tree(any_store)
    at_once = tiles_of(any_store)
    with raw_transaction(any_store) as connection:
        connection.execute(delete(event_tiles))
    for _ in range(3):
        grow_tree(any_store)
    assert tiles_of(any_store) == at_once


def test_who_grows_it_late_takes_nothing_away(any_store):
    write(any_store, 300)
    with any_store.reader() as connection:
        late = new_tiles(connection, "acme")
    write(any_store, 300)
    grow_tree(any_store)
    there = tiles_of(any_store)
    with raw_transaction(any_store) as connection:
        keep_tiles(connection, "acme", late)
    assert tiles_of(any_store) == there


@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 300), min_size=1, max_size=5))
def test_however_it_grows_it_is_sound(store, counts):
    for count in counts:
        write(store, count)
        grow_tree(store)
    leaves = leaves_of(store)
    with store.reader() as connection:
        tree = EventTree(connection, "acme")
        assert (tree.root(len(leaves)), tree.unsound()) == (merkle.root(leaves), None)


def test_leaves_outlive_their_events(any_store):
    write(any_store, 300)
    leaves = leaves_of(any_store)
    grow_tree(any_store)
    with raw_transaction(any_store) as connection:
        connection.execute(delete(audit_log).where(audit_log.c.seq <= 200))
    write(any_store, 10)
    assert grow_tree(any_store) == 311
    with any_store.reader() as connection:
        tree = EventTree(connection, "acme")
        assert tree.root(301) == merkle.root(leaves)
        assert tree.inclusion(5, 301) == merkle.audit_path(leaves, 4)


def test_of_events_that_went_before_there_was_a_tree_nothing_is_claimed(any_store):
    write(any_store, 20)
    with raw_transaction(any_store) as connection:
        digest = connection.execute(select(audit_log.c.hash).where(audit_log.c.seq == 12)).scalar_one()
        cut = {"org_id": "acme", "revision": 1, "seq": 12, "hash": digest, "cut_at": NOW}
        connection.execute(chain_cuts.insert().values(cut))
        connection.execute(delete(audit_log).where(audit_log.c.seq <= 12))
    assert grow_tree(any_store) == 21
    with any_store.reader() as connection:
        tree = EventTree(connection, "acme")
        assert {tree.leaf(seq) for seq in range(1, 12)} == {merkle.leaf_hash(bytes(32))}
        assert tree.leaf(12) == merkle.leaf_hash(bytes.fromhex(digest))


def test_no_tree_grows_over_a_gap(any_store):
    write(any_store, 20)
    with raw_transaction(any_store) as connection:
        connection.execute(delete(audit_log).where(audit_log.c.seq == 12))
    with pytest.raises(Conflict, match="has a gap from event 1 on"):
        grow_tree(any_store)
    with raw_transaction(any_store) as connection:
        connection.execute(delete(audit_log).where(audit_log.c.seq < 12))
    with pytest.raises(Conflict, match="has a gap from event 1 on"):
        grow_tree(any_store)


def stray(level):
    return event_tiles.insert().values(org_id="acme", level=level, tile=0, hashes=b"x" * 32)


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (delete(event_tiles).where(event_tiles.c.level == 1), "level 1 is not what the hashes below lead to"),
        (
            delete(event_tiles).where(event_tiles.c.level == 0, event_tiles.c.tile == 1),
            "tile 1 of level 0 is missing or of another size",
        ),
        (
            update(event_tiles).where(event_tiles.c.level == 0, event_tiles.c.tile == 0).values(hashes=b"x" * 8192),
            "level 1 is not what the hashes below lead to",
        ),
        (
            update(event_tiles).where(event_tiles.c.level == 0, event_tiles.c.tile == 0).values(hashes=b"x" * 100),
            "tile 0 of level 0 is missing or of another size",
        ),
        (stray(3), "there is a tile of level 3, and the tree has 2 levels"),
        (stray(-1), "there is a tile of level -1, and the tree has 2 levels"),
    ],
)
def test_a_tile_that_was_changed_is_named(store, harm, found):
    write(store, 800)
    grow_tree(store)
    with raw_transaction(store) as connection:
        connection.execute(harm)
    with store.reader() as connection:
        assert EventTree(connection, "acme").unsound() == found
