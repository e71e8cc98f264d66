"""What the bulk read gives is what is stored, whatever stands in a cell."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.store import Store
from engine.store.log.changes import ChangeSource, changes
from engine.store.schema import metadata
from engine.store.schema.risk import vendors
from tests.conftest import NOW
from tests.laws import examples

VENDOR = {"id": "v1", "name": "Northwind", "category": "saas", "tier": "high"}
TEXTS = st.one_of(
    st.sampled_from(["", "NULL", "null", "'", "''", '"', ",", "\n", "\r\n", " x ", "\\", 'a\'b,"c"\nd', "\U0001f600"]),
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
)
REALS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=examples(40), deadline=None)
@given(names=st.lists(st.one_of(st.none(), TEXTS), max_size=5), hours=st.lists(REALS, max_size=5), number=WHOLE)
def test_every_cell_comes_as_it_is_stored(acme_template, tmp_path_factory, names, hours, number):
    """Texts with quotes, commas and line ends, an empty one beside none, reals and whole numbers to the last bit."""
    path = tmp_path_factory.mktemp("changes") / "hq.db"
    shutil.copy(acme_template, path)
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA ignore_check_constraints = ON")
        users = [("acme", f"{n}@acme.example", name, n % 2, abs(number) % 2**62 + 1) for n, name in enumerate(names)]
        capacity = [("acme", "ann", f"2026-W{n:02}", value, value, 1) for n, value in enumerate(hours)]
        plain.executemany("INSERT INTO users (org_id, email, name, active, revision) VALUES (?, ?, ?, ?, ?)", users)
        plain.executemany(
            "INSERT INTO owner_capacity (org_id, email, week, hours, absence_hours, revision) VALUES (?, ?, ?, ?, ?, ?)",
            capacity,
        )
        plain.commit()
    assert sorted(rows_of(path, "users")) == users
    assert sorted(rows_of(path, "owner_capacity"), key=lambda row: row[2]) == capacity


def rows_of(path, name):
    with changes(f"sqlite:///{path}", [("acme", 0)]) as change_readers:
        (change,) = change_readers
        batches = list(change.batches(metadata.tables[name]))
    wanted = {
        "users": ("org_id", "email", "name", "active", "revision"),
        "owner_capacity": ("org_id", "email", "week", "hours", "absence_hours", "revision"),
    }[name]
    return [tuple(row[column] for column in wanted) for batch in batches for row in batch.to_pylist()]


def test_after_a_revision_only_the_tables_that_writes_moved_are_read(any_store):
    """The heads of the tables say which; a copy made anew reads every table that has rows."""
    with any_store.revision("acme", "ann", now=NOW, create={"name": "acme"}) as revision:
        revision.insert(vendors, [VENDOR])
        revision.record("vendors.imported")
    since = any_store.head("acme").seq
    assert changed_tables(any_store, since) == {"audit_log", "table_heads"}
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.update(vendors, {"id": "v1"}, {"tier": "low"})
        revision.record("vendors.imported")
    assert changed_tables(any_store, since) == {"audit_log", "table_heads", "vendors"}
    assert changed_tables(any_store, 0) == {"audit_log", "table_heads", "vendors", "organizations"}


def changed_tables(store, since):
    with changes(store.url, [("acme", since)]) as change_readers:
        (change,) = change_readers
        return {table.name for table in change.tables()}


@pytest.mark.postgresql
def test_a_connection_that_is_kept_and_goes_is_made_anew(postgresql_url):
    """One connection serves one reading after the other, and what an error broke is not used again."""
    store = Store(postgresql_url)
    with store.revision("acme", "ann", now=NOW, create={"name": "acme"}) as revision:
        revision.record("noted")
    with closing(ChangeSource(postgresql_url)) as source:
        first = backend(source)
        assert backend(source) == first
        with store._writer.connect() as connection:
            connection.exec_driver_sql(f"SELECT pg_terminate_backend({first})")
        second = backend(source)
        assert second != first
        with pytest.raises(ZeroDivisionError), source.changes([("acme", 0)]):
            raise ZeroDivisionError
        assert backend(source) != second
    store.close()


def backend(source):
    """The server's process that answers, once the head was read through it."""
    with source.changes([("acme", 0)]) as found:
        (change,) = found
        assert change.head.seq > 0
        return change._source.rows("SELECT pg_backend_pid()", ())[0][0]
