"""Tables out of one store and into another, whichever engines the two have."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import make_url

from engine.model.errors import Conflict, InvalidData
from engine.store import Store
from engine.store.copy.table_copy import read_table, rows_in, store_snapshot, table_shapes, write_table
from engine.store.database.database import open_engines
from engine.store.database.migrations import migrate
from engine.store.schema import metadata
from engine.store.schema.services import services
from tests.conftest import NOW

WORDS = "tab\tline\nreturn\rback\\slash \\N quote\" 'ä€😀 \\."


def tables(url):
    with store_snapshot(url) as connection:
        return {
            shape.name: [row for batch in read_table(connection, shape) for row in batch] for shape in table_shapes()
        }


def copy(source, target):
    reader, writer = open_engines(target)
    with store_snapshot(source) as connection, writer.begin() as into:
        counts = {shape.name: write_table(into, shape, read_table(connection, shape)) for shape in table_shapes()}
    reader.dispose()
    writer.dispose()
    return counts


def fill_store(url):
    opened = Store(url)
    with opened.revision("acme", "ann", now=NOW, create={"name": WORDS, "modules": {"b": [1, 2.5, None]}}) as revision:
        revision.insert(services, [{"id": name, "name": WORDS, "criticality": 1} for name in ("b", "B", "a", "ä")])
        revision.record("service.created", details={"said": WORDS})
    opened.close()


@pytest.mark.real
def test_what_was_copied_is_what_there_was(any_store, tmp_path):
    """From either engine to SQLite and back to the other: equal rows in equal order."""
    source = any_store.url
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(services, [{"id": name, "name": WORDS, "criticality": 1} for name in ("b", "B", "a", "ä")])
        revision.record("service.created", details={"said": WORDS, "numbers": [1, 2.5, None, True]})
    target = f"sqlite:///{tmp_path}/target/hq.db"
    migrate(target)
    counts = copy(source, target)
    assert counts == {name: len(rows) for name, rows in tables(source).items()}
    assert tables(target) == tables(source)
    copied = Store(target)
    assert copied.verify("acme").ok
    assert copied.verify_rows("acme").ok
    copied.close()


@pytest.mark.postgresql
def test_equal_stores_give_equal_rows_on_both_engines(sqlite_url, postgresql_url):
    fill_store(sqlite_url)
    copy(sqlite_url, postgresql_url)
    assert tables(postgresql_url) == tables(sqlite_url)
    copied = Store(postgresql_url)
    assert copied.verify("acme").ok
    assert copied.verify_rows("acme").ok
    copied.close()


def test_every_table_comes_behind_those_that_it_refers_to():
    names = [shape.name for shape in table_shapes()]
    assert sorted(names) == sorted(metadata.tables)
    for table in metadata.tables.values():
        assert all(names.index(key.column.table.name) < names.index(table.name) for key in table.foreign_keys)


def test_a_store_without_rows_is_empty(database_url):
    _, writer = open_engines(database_url)
    with writer.begin() as connection:
        assert rows_in(connection) is None
    assert all(rows == [] for rows in tables(database_url).values())
    writer.dispose()


def test_a_store_that_has_an_organization_is_not_empty(any_store):
    _, writer = open_engines(any_store.url)
    with writer.begin() as connection:
        assert rows_in(connection) == "organizations"
    writer.dispose()


def test_a_value_of_another_kind_is_not_copied(store):
    with closing(sqlite3.connect(make_url(store.url).database)) as connection, connection:
        connection.execute("UPDATE heads SET last_seq = 'many'")
    with pytest.raises(InvalidData, match="The table heads has a value that is none of its column"):
        tables(store.url)


def test_a_row_that_is_there_twice_is_not_taken(any_store):
    with store_snapshot(any_store.url) as connection:
        shape = next(shape for shape in table_shapes() if shape.name == "heads")
        rows = list(read_table(connection, shape))
    _, writer = open_engines(any_store.url)
    with pytest.raises(InvalidData, match="The store does not take what heads has"), writer.begin() as connection:
        write_table(connection, shape, rows)
    writer.dispose()


def test_a_store_of_another_migration_is_not_read(tmp_path):
    url = f"sqlite:///{tmp_path}/hq.db"
    migrate(url, "0029")
    with pytest.raises(Conflict, match="at migration 0029"), store_snapshot(url):
        pass


def test_a_reader_sees_one_state_while_others_write(any_store):
    with store_snapshot(any_store.url) as connection:
        with any_store.revision("acme", "ann", now=NOW) as revision:
            revision.record("service.created")
        shape = next(shape for shape in table_shapes() if shape.name == "audit_log")
        assert [len(batch) for batch in read_table(connection, shape)] == [1]
