"""A SQLite store moves to PostgreSQL: all of it, or nothing."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import NullPool, create_engine, inspect, text

from engine.model.errors import Conflict, Problem, Unavailable, Usage
from engine.store import Store
from engine.store.copy.store_copy import copy_store
from engine.store.copy.table_copy import rows_in
from engine.store.database.database import open_engines
from tests.conftest import NOW
from tests.store.copy.test_table_copy import tables
from tests.store.log.test_row_check import attest, by_hand

pytestmark = pytest.mark.postgresql


@pytest.fixture
def empty_url(postgresql_url):
    """A database without any table."""
    engine = create_engine(postgresql_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
    return postgresql_url


def everything_in(url):
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return inspect(connection).get_table_names(), rows_in(connection)


def test_rows_heads_and_chains_come_over_and_writing_goes_on(store, empty_url):
    attest(store, "a")
    attest(store, "b", outcome="attested")
    said = []
    copied = copy_store(store.url, empty_url, lambda *step: said.append(step))
    assert tables(empty_url) == tables(store.url)
    assert (copied.heads, copied.rows["attestations"], copied.rows["users"]) == ({"acme": store.head("acme")}, 2, 0)
    assert ("attestations", 2, 2) in said
    assert said[-1] == ("organizations checked", 1, 1)
    moved = Store(empty_url)
    attest(moved, "a", outcome="attested")
    assert moved.head("acme").seq == store.head("acme").seq + 1
    assert (moved.verify("acme").problem, moved.verify_rows("acme").problem) == (None, None)
    moved.close()


def test_a_store_without_anything_moves_as_well(sqlite_url, postgresql_url):
    copied = copy_store(sqlite_url, postgresql_url)
    assert (copied.heads, set(copied.rows.values())) == ({}, {0})


def test_a_target_with_rows_or_with_tables_of_others_is_refused(store, postgresql_url, empty_url):
    engine = create_engine(empty_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE invoices (id integer)"))
    with pytest.raises(Conflict, match="The target holds a table invoices of something else"):
        copy_store(store.url, empty_url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE invoices"))
    copy_store(store.url, empty_url)
    with pytest.raises(Conflict, match="The target is not empty: organizations has rows"):
        copy_store(store.url, empty_url)


def test_of_a_store_that_does_not_hold_nothing_is_left_in_the_target(store, empty_url):
    attest(store, "a")
    by_hand(store, "UPDATE attestations SET outcome = 'attested'")
    with pytest.raises(Problem, match=r"acme does not hold: attestations \[\"a\"\] differs in outcome"):
        copy_store(store.url, empty_url)
    assert everything_in(empty_url) == ([], None)


def test_nobody_writes_meanwhile(store, empty_url):
    refused = []

    def progress(what, done, total):
        with closing(sqlite3.connect(store.url.removeprefix("sqlite:///"), timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                refused.append(str(error))

    copy_store(store.url, empty_url, progress)
    assert set(refused) == {"database is locked"}
    attest(store, "a")


@pytest.mark.parametrize(
    ("target", "error", "said"),
    [
        ("sqlite:////tmp/other.db", Usage, "--to must name a PostgreSQL database"),
        ("mysql://x/y", Usage, "--to must begin with"),
        ("no url", Usage, "--to must be a database URL"),
        ("postgresql+psycopg://u:secret@127.0.0.1:port/x", Usage, "--to must be a database URL"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1", Usage, "--to must name a database, as in"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/", Usage, "--to must name a database, as in"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/x", Unavailable, r"u:\*\*\*@127.0.0.1:1/x: The operational store"),
    ],
)
def test_a_target_that_is_none_is_named(store, target, error, said):
    with pytest.raises(error, match=said) as caught:
        copy_store(store.url, target)
    assert "secret" not in caught.value.message


def test_what_is_in_postgresql_is_not_moved(postgresql_url):
    with pytest.raises(Usage, match="The store is in PostgreSQL already"):
        copy_store(postgresql_url, postgresql_url)


def test_no_column_counts_by_itself(postgresql_url):
    """There is no sequence that a copy would have to continue."""
    reader, writer = open_engines(postgresql_url)
    with reader.connect() as connection:
        assert inspect(connection).get_sequence_names() == []
    reader.dispose()
    writer.dispose()


def test_a_move_of_now_is_read_as_of_now(store, empty_url):
    """Instants keep their microseconds."""
    store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW.replace(microsecond=123_456))
    copy_store(store.url, empty_url)
    assert tables(empty_url)["heads"] == tables(store.url)["heads"]
