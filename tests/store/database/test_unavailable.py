"""What keeps a store from answering is told by the engines' codes: a word, a sentence that says what to do, no inside."""

import os
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, InternalError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.model.errors import Unavailable
from engine.store import Store
from engine.store.database.faults import store_faults
from engine.store.database.patience import request_patience
from tests.conftest import NOW

POSTGRESQL = "postgresql+psycopg://hq:hunter2@db.example/hq"


class ServerError(Exception):
    """What a driver of PostgreSQL raises."""

    def __init__(self, state, text="of the driver"):
        super().__init__(text)
        self.sqlstate = state


def sqlite_error(name):
    error = sqlite3.OperationalError("of the driver")
    error.sqlite_errorname, error.sqlite_errorcode = name, getattr(sqlite3, name)
    return error


def word(url, error):
    """What is told of an error; its headers say when to come back, and its message has nothing of the driver."""
    with pytest.raises(Unavailable) as caught, store_faults(url):
        raise error
    assert int(caught.value.headers["Retry-After"]) in (5, 30, 60)
    for inside in ("of the driver", "hunter2", "hq.db", "db.example"):
        assert inside not in caught.value.message
    return caught.value.word


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("SQLITE_BUSY", "store_busy"),
        ("SQLITE_BUSY_SNAPSHOT", "store_busy"),
        ("SQLITE_LOCKED", "store_busy"),
        ("SQLITE_FULL", "disk_full"),
        ("SQLITE_READONLY", "store_read_only"),
        ("SQLITE_READONLY_DIRECTORY", "store_read_only"),
        ("SQLITE_READONLY_DBMOVED", "store_missing"),
        ("SQLITE_PERM", "store_no_permission"),
        ("SQLITE_CORRUPT", "store_damaged"),
        ("SQLITE_CORRUPT_INDEX", "store_damaged"),
        ("SQLITE_NOTADB", "store_damaged"),
        ("SQLITE_IOERR_READ", "store_io_error"),
        ("SQLITE_IOERR_NOMEM", "out_of_memory"),
        ("SQLITE_NOMEM", "out_of_memory"),
        ("SQLITE_INTERRUPT", "store_unavailable"),
    ],
)
def test_codes_of_sqlite(code, expected, sqlite_url):
    assert word(sqlite_url, OperationalError("", None, sqlite_error(code))) == expected
    assert word(sqlite_url, sqlite_error(code)) == expected


@pytest.mark.parametrize(
    ("state", "wrapper", "expected"),
    [
        ("53300", OperationalError, "store_connections_exhausted"),
        ("53100", OperationalError, "disk_full"),
        ("53200", OperationalError, "out_of_memory"),
        ("57P01", OperationalError, "store_unavailable"),
        ("57P03", OperationalError, "store_unavailable"),
        ("08006", OperationalError, "store_unavailable"),
        ("25006", InternalError, "store_read_only"),
        ("42501", ProgrammingError, "store_no_permission"),
        ("55P03", OperationalError, "store_busy"),
        ("40001", OperationalError, "store_busy"),
        ("58030", OperationalError, "store_io_error"),
        ("XX001", InternalError, "store_damaged"),
        ("28P01", OperationalError, "store_no_permission"),
        (None, OperationalError, "store_unavailable"),
        (None, InterfaceError, "store_unavailable"),
    ],
)
def test_states_of_postgresql(state, wrapper, expected):
    assert word(POSTGRESQL, wrapper("", None, ServerError(state))) == expected


def test_a_refused_connection_has_no_state_and_is_told_by_what_the_server_said():
    refused = ServerError(None, "connection failed: FATAL: sorry, too many clients already")
    assert word(POSTGRESQL, OperationalError("", None, refused)) == "store_connections_exhausted"
    assert word(POSTGRESQL, PoolTimeout("QueuePool limit")) == "store_connections_exhausted"


@pytest.mark.parametrize(
    "error",
    [
        IntegrityError("", None, sqlite3.IntegrityError()),
        sqlite3.IntegrityError(),
        ProgrammingError("", None, ServerError("42P01")),
        DataError("", None, ServerError("22001")),
        KeyError(),
    ],
)
def test_what_is_wrong_with_a_statement_passes(error):
    with pytest.raises(type(error)) as caught, store_faults(POSTGRESQL):
        raise error
    assert caught.value is error


def test_the_log_has_the_drivers_words_and_the_place_and_no_password(sqlite_url, caplog):
    word(sqlite_url, sqlite_error("SQLITE_CORRUPT"))
    word(POSTGRESQL, OperationalError("", None, ServerError("57P01")))
    path = sqlite_url.removeprefix("sqlite:///")
    assert [record.message for record in caplog.records] == [
        f"store_damaged at {path}: SQLITE_CORRUPT: of the driver",
        "store_unavailable at db.example: 57P01: of the driver",
    ]


@pytest.fixture
def locked_store(store):
    """Another process writes."""
    with closing(sqlite3.connect(store.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield store


def note(revision):
    return revision.record("note.added")


def test_a_request_waits_for_a_locked_store_no_longer_than_its_patience(locked_store, monkeypatch):
    monkeypatch.setattr("engine.store.database.patience.REQUEST_SECONDS", 0.05)
    for write in (
        lambda: locked_store.write("acme", "ann", note, now=NOW),
        lambda: locked_store.revision("acme", "ann", now=NOW).__enter__(),
        lambda: locked_store.unversioned_transaction().__enter__(),
    ):
        with pytest.raises(Unavailable) as caught, request_patience():
            write()
        assert (caught.value.word, caught.value.headers) == ("store_busy", {"Retry-After": "5"})
    assert locked_store.head("acme").seq == 1


def test_a_request_waits_for_its_turn_no_longer_than_its_patience_and_nobody_twice(store, monkeypatch):
    monkeypatch.setattr("engine.store.database.patience.REQUEST_SECONDS", 0.05)
    with store._turn:
        for write in (
            lambda: store.write("acme", "ann", note, now=NOW),
            lambda: store.unversioned_transaction().__enter__(),
        ):
            with pytest.raises(Unavailable) as caught, request_patience():
                write()
            assert caught.value.word == "store_busy"
    store.write("acme", "ann", note, now=NOW)
    assert (store.head("acme").seq, store.verify("acme").ok) == (2, True)


def test_a_store_that_is_taken_away_is_missed_and_not_made_anew(store, tmp_path):
    for name in ("hq.db", "hq.db-wal", "hq.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    store._reader.dispose()
    with pytest.raises(Unavailable) as caught, store.reader():
        pass
    assert (caught.value.word, (tmp_path / "hq.db").exists()) == ("store_missing", False)


def test_a_damaged_page_is_told_and_nothing_else(store, tmp_path):
    store.write("acme", "ann", note, now=NOW)
    store.close()
    path = tmp_path / "hq.db"
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    damaged = Store(store.url)
    for look in (lambda: damaged.head("acme"), lambda: damaged.verify("acme"), lambda: damaged.credential("x")):
        with pytest.raises(Unavailable, match="restore a backup") as caught:
            look()
        assert caught.value.word == "store_damaged"
    damaged.close()
