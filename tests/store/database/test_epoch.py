"""Whoever writes to a store of another schema than its own is shut out, on both engines."""

from contextlib import closing

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from engine.store import Store
from engine.store.database.epoch import EPOCH, SchemaChanged
from engine.store.schema.outputs import leases
from engine.store.writing.group import Write
from tests.conftest import NOW
from tests.databases import raw_transaction

# what versions before migration 0033 send to write to an organization, as SQLAlchemy made it of their tables
OLD_STATEMENTS = (
    "SELECT heads.seq, heads.hash FROM heads WHERE heads.org_id = :org",
    "UPDATE heads SET seq=:seq, hash=:hash, moved_at=:at WHERE heads.org_id = :org AND heads.seq = :before",
    "INSERT INTO heads (org_id, seq, hash, moved_at) VALUES (:org, :seq, :hash, :at)",
)


def state(store):
    """All that a write may leave: the head, how many events, leases and uses of credentials there are."""
    counts = "SELECT (SELECT COUNT(*) FROM audit_log), (SELECT COUNT(*) FROM leases), "
    with store.reader() as connection:
        rows = connection.execute(text(counts + "(SELECT COUNT(*) FROM credential_uses)")).one()
        heads = connection.execute(text("SELECT org_id, last_seq, hash FROM heads ORDER BY org_id")).all()
    return tuple(rows), [tuple(head) for head in heads]


def set_epoch(store, number):
    with raw_transaction(store) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": number})


@pytest.mark.parametrize("statement", OLD_STATEMENTS)
def test_what_versions_before_the_epoch_write_fails_in_the_database(any_store, statement):
    before = state(any_store)
    values = {"org": "acme", "seq": 2, "hash": "0" * 64, "at": NOW.isoformat(), "before": 1}
    engine = create_engine(any_store.url)
    with pytest.raises(DBAPIError, match="seq"), engine.begin() as connection:
        connection.execute(text(statement), {name: values[name] for name in values if f":{name}" in statement})
    engine.dispose()
    assert state(any_store) == before


def a_revision(store):
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.record("anything")


def a_new_organization(store):
    with store.revision("globex", "ann", now=NOW, create={"name": "Globex"}) as revision:
        revision.record("organization.created")


def changes_in_order(store):
    store.write_in_order("acme", "ann", [(NOW, lambda revision: revision.record("anything"))])


def a_small_write(store):
    store.write("acme", "ann", lambda revision: revision.record("anything"), now=NOW)


def an_unversioned_write(store):
    with store.unversioned_transaction() as connection:
        connection.execute(leases.delete())


def a_use_of_a_credential(store):
    store.uses.note("acme", "key", NOW)


WRITES = (a_revision, a_new_organization, changes_in_order, a_small_write, an_unversioned_write, a_use_of_a_credential)


@pytest.mark.parametrize("number", ["0032", "0099"])
@pytest.mark.parametrize("write", WRITES)
def test_a_process_of_another_epoch_writes_nothing_and_knows_it(any_store, write, number):
    before = state(any_store)
    set_epoch(any_store, number)
    assert not any_store.outdated.is_set()
    with pytest.raises(SchemaChanged) as caught:
        write(any_store)
    problem = caught.value
    assert (problem.status, problem.word) == (503, "schema_changed")
    assert problem.message == (
        f"The store is at migration {number}, this process expected {EPOCH}: nothing was changed. The process ends; "
        "start the version that the store belongs to."
    )
    assert problem.details == [{"found": number, "expected": EPOCH}]
    assert any_store.outdated.is_set()
    assert state(any_store) == before
    set_epoch(any_store, EPOCH)
    a_small_write(any_store)
    assert any_store.verify("acme").ok
    assert any_store.verify_rows("acme").ok


def test_of_writes_that_share_a_transaction_none_is_done(any_store):
    before = state(any_store)
    set_epoch(any_store, "0099")
    writes = [Write("acme", "ann", lambda revision: revision.record("anything"), NOW) for _ in range(3)]
    assert [type(result.error) for result in any_store.write_all(writes)] == [SchemaChanged] * 3
    assert state(any_store) == before


def test_uses_that_wait_do_not_keep_an_outdated_store_from_closing(sqlite_url):
    with closing(Store(sqlite_url)) as store:
        set_epoch(store, "0099")
        with pytest.raises(SchemaChanged):
            store.uses.note("acme", "key", NOW)
        store.uses.note("acme", "key", NOW)  # within the minute: it waits
    assert store.outdated.is_set()
