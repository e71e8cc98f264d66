"""The state in which a file of a replica was left: told by any write to it, and by another run of the machine."""

import os

import duckdb
import pytest

from engine.replica import replica_file, stamps
from engine.replica.replica import Replica
from engine.replica.replica_file import lock
from engine.replica.stamps import has_stamp, put_stamp
from tests.replica.test_replica import rows_of


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "analytics.duckdb"
    path.write_bytes(b"rows" * 1_000)
    return path


def test_a_file_is_as_it_was_left_until_anything_is_done_to_it(file):
    log = file.with_name("analytics.duckdb.wal")
    acts = {
        "bytes": lambda: file.write_bytes(b"more" * 1_000),
        "length": lambda: os.truncate(file, 10),
        "times": lambda: os.utime(file, ns=(1, 1)),
        "a log": lambda: log.write_bytes(b"log"),
        "a longer log": lambda: log.write_bytes(b"longer log"),
        "another file": lambda: (file.with_name("new").write_bytes(b"rows"), file.with_name("new").replace(file)),
        "nothing there": file.unlink,
    }
    with lock(file) as held:
        assert not has_stamp(file, held)
        for name, act in acts.items():
            put_stamp(file, held)
            assert has_stamp(file, held), name
            act()
            assert not has_stamp(file, held), name


def test_after_another_start_of_the_machine_and_where_none_can_be_told_a_file_is_read_through(file, monkeypatch):
    with lock(file) as held:
        for boot in ("another", ""):
            put_stamp(file, held)
            monkeypatch.setattr(stamps, "_boot", lambda boot=boot: boot)
            assert not has_stamp(file, held)


def test_a_shorter_stamp_leaves_nothing_of_a_longer_one(file, monkeypatch):
    with lock(file) as held:
        monkeypatch.setattr(stamps, "_boot", lambda: "b" * 500)
        put_stamp(file, held)
        monkeypatch.setattr(stamps, "_boot", lambda: "b")
        put_stamp(file, held)
        assert has_stamp(file, held)


@pytest.fixture
def looks(monkeypatch):
    """How often a file was read through."""
    found = []
    real = replica_file.strange_rows
    monkeypatch.setattr(replica_file, "strange_rows", lambda cursor: found.append(1) or real(cursor))
    return found


@pytest.mark.real
def test_a_file_that_was_closed_is_not_read_through_and_one_that_was_changed_is(store, tmp_path, looks):
    path = tmp_path / "data" / "analytics.duckdb"
    for _ in range(2):
        replica = Replica(store.url, path)
        right = replica.read(["acme"], rows_of)
        replica.close()
    assert looks == []
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE organizations SET name = 'Other'")
    replica = Replica(store.url, path)
    assert (replica.read(["acme"], rows_of), looks) == (right, [1])
    replica.close()


def test_what_somebody_did_to_an_open_file_is_not_taken_for_our_own(store, tmp_path):
    path = tmp_path / "data" / "analytics.duckdb"
    replica = Replica(store.url, path)
    replica.sync(["acme"])
    os.utime(path, ns=(1, 1))
    replica.close()
    with lock(path) as held:
        assert not has_stamp(path, held)
