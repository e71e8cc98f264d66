"""Processes that write to one SQLite store take turns."""

import fcntl
import shutil
import threading

import pytest

from engine.store import Store
from engine.store.writing.locks import FileTurn
from tests.conftest import NOW


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hq.db-turn"


def waiting(turn):
    """A thread that waits for its turn; what is set once it has it, and what lets it go."""
    has, go = threading.Event(), threading.Event()

    def take():
        with turn:
            has.set()
            go.wait(10)

    thread = threading.Thread(target=take)
    thread.start()
    return has, go, thread


def test_another_process_waits_until_the_turn_is_over(path):
    first, second = FileTurn(path), FileTurn(path)
    with first:
        has, go, thread = waiting(second)
        assert not has.wait(0.2)
    assert has.wait(10)
    go.set()
    thread.join()
    first.close()
    second.close()


def test_where_the_file_cannot_be_had_the_turn_is_taken_all_the_same(path):
    turn = FileTurn(path / "missing")
    with turn:
        pass
    turn.close()


def test_writes_of_two_stores_all_arrive_and_only_shared_stores_have_the_file(acme_template, tmp_path):
    database = tmp_path / "hq.db"
    shutil.copy(acme_template, database)
    alone = Store(f"sqlite:///{database}")
    alone.write("acme", "test", lambda revision: revision.record("first"), now=NOW)
    assert not database.with_name("hq.db-turn").exists()
    stores = [Store(f"sqlite:///{database}", shared=True) for _ in range(2)]

    def write(store):
        for _ in range(20):
            store.write("acme", "test", lambda revision: revision.record("more"), now=NOW)

    threads = [threading.Thread(target=write, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check = alone.verify("acme")
    for store in (alone, *stores):
        store.close()
    assert (check.problem, check.events) == (None, 42)
    with database.with_name("hq.db-turn").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
