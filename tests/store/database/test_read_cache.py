"""What threads remember of the store, and when they may not read it."""

import threading

import pytest

from engine.store import Store
from engine.store.database.patience import NotInMemory, no_patience, request_patience, wait_allowed
from engine.store.database.read_cache import ReadCache
from tests.conftest import NOW
from tests.store.writing.test_group import add


def in_thread(function):
    """What a function returns in a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def answers_of(store):
    return ReadCache(store.url.removeprefix("sqlite:///"))


def test_what_another_thread_read_later_is_known(store):
    answers = answers_of(store)
    mine = answers.current()
    theirs = in_thread(answers.current)
    assert mine is not theirs
    assert answers.current() is theirs


def test_a_commit_ends_what_all_threads_know(store):
    answers = answers_of(store)
    before = answers.current()
    before.heads["acme"] = None
    store.write("acme", "ann", add("a"), now=NOW)
    assert answers.current().heads == {}
    store.write("acme", "ann", add("b"), now=NOW)
    in_thread(answers.current).heads["acme"] = "as of b"
    store.write("acme", "ann", add("c"), now=NOW)
    assert answers.current().heads == {}


def test_from_memory_is_as_of_its_beginning(store):
    head = store.head("acme")
    with store.from_memory():
        in_thread(lambda: store.write("acme", "ann", add("a"), now=NOW))
        assert store.head("acme") == head
    assert store.head("acme").seq == head.seq + 1


def test_a_few_rows_by_their_keys_are_at_hand_and_of_one_moment(store):
    before = store.head("acme")
    store.write("acme", "ann", add("a"), now=NOW)
    with store.from_memory():
        assert max(head.seq for head in store.part_heads("acme").values()) == before.seq + 1
        in_thread(lambda: store.write("acme", "ann", add("b"), now=NOW))
        assert store.head("acme").seq == before.seq + 1
        assert (store.time_zone("acme"), store.role("acme", "nobody@acme.example")) == ("UTC", None)
    with store.from_memory():
        assert store.head("acme").seq == before.seq + 2


def test_what_was_written_between_the_look_and_the_first_row_is_left_to_whoever_may_wait(store):
    with store.from_memory():
        in_thread(lambda: store.write("acme", "ann", add("a"), now=NOW))
        with pytest.raises(NotInMemory):
            store.head("acme")
    assert store.head("acme").seq == 2


def test_what_is_not_at_hand_is_left_to_whoever_may_wait(store):
    with store.from_memory():
        for read in (
            store.organizations,
            lambda: store.write("acme", "ann", add("a"), now=NOW),
            lambda: store.record_access([]),
        ):
            with pytest.raises(NotInMemory):
                read()
    assert store.head("acme").seq == 1


@pytest.mark.postgresql
def test_a_server_is_not_asked_by_who_waits_for_nothing(postgresql_url):
    store = Store(postgresql_url)
    with store.from_memory(), pytest.raises(NotInMemory):
        store.head("acme")
    assert store.head("acme") is None
    store.close()


def test_a_thread_that_waits_for_nothing_does_not_begin_to_as_a_request():
    with no_patience(), request_patience(), pytest.raises(NotInMemory):
        wait_allowed()
    with request_patience():
        wait_allowed()
