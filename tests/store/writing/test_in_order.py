"""Revisions one after the other in one transaction, each at its own time: all of them, or none."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from engine.model.errors import Conflict, NotFound, Problem
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import heads, organizations, workspaces
from tests.conftest import NOW

DAY = timedelta(days=1)


def add(identifier):
    def change(revision):
        revision.insert(workspaces, [{"id": identifier, "name": identifier}])
        revision.record("workspace.created", object_id=identifier)

    return change


def rename(identifier, name):
    def change(revision):
        revision.update(workspaces, {"id": identifier}, {"name": name})
        revision.record("workspace.changed", object_id=identifier)

    return change


def fail(revision):
    add("never")(revision)
    raise Conflict("no")


def event_order(store, org_id):
    """Position, revision and time of each event."""
    columns = audit_log.c.seq, audit_log.c.revision, audit_log.c.recorded_at
    query = select(*columns).where(audit_log.c.org_id == org_id).order_by(audit_log.c.seq)
    with store.reader() as connection:
        return [tuple(row) for row in connection.execute(query)]


def spaces(store, org_id):
    with store.reader() as connection:
        return [(row["id"], row["name"], row["revision"]) for row in many(connection, workspaces, org_id)]


def test_each_is_a_revision_at_its_own_time_and_logs_its_own_version(any_store):
    changes = [(NOW + DAY, add("w")), (NOW + 2 * DAY, lambda revision: None), (NOW + 3 * DAY, rename("w", "W"))]
    any_store.write_in_order("acme", "ann", changes)
    assert event_order(any_store, "acme")[1:] == [(2, 2, NOW + DAY), (3, 3, NOW + 3 * DAY)]
    assert spaces(any_store, "acme") == [("w", "W", 3)]
    with any_store.reader() as connection:
        assert connection.execute(select(heads.c.moved_at).where(heads.c.org_id == "acme")).scalar() == NOW + 3 * DAY
    assert any_store.verify("acme").ok
    checked = any_store.verify_rows("acme")
    assert (checked.ok, checked.revisions) == (True, 3)


def test_none_is_written_when_one_fails(any_store):
    before = any_store.head("acme")
    with pytest.raises(Conflict):
        any_store.write_in_order("acme", "ann", [(NOW, add("w")), (NOW, fail)])
    assert (any_store.head("acme"), spaces(any_store, "acme")) == (before, [])


def test_nothing_to_write_moves_nothing(any_store):
    before = any_store.head("acme")
    any_store.write_in_order("acme", "ann", [])
    any_store.write_in_order("acme", "ann", [(NOW, lambda revision: None)])
    assert any_store.head("acme") == before


@pytest.mark.real
def test_an_organization_is_made_by_the_first(any_store):
    any_store.write_in_order("beta", "ann", [(NOW, add("w")), (NOW + DAY, add("x"))], create={"name": "Beta"})
    assert event_order(any_store, "beta") == [(1, 1, NOW), (2, 2, NOW + DAY)]
    with any_store.reader() as connection:
        made = connection.execute(select(organizations).where(organizations.c.id == "beta")).mappings().one()
    assert (made["name"], made["created_at"], made["revision"]) == ("Beta", NOW, 1)
    assert any_store.verify_rows("beta").ok


def test_an_organization_is_not_made_without_a_record_of_it_nor_found_where_there_is_none(any_store):
    with pytest.raises(Problem, match="recorded nothing"):
        any_store.write_in_order("beta", "ann", [(NOW, lambda revision: None)], create={"name": "Beta"})
    with pytest.raises(NotFound):
        any_store.write_in_order("beta", "ann", [(NOW, add("w"))])
    assert any_store.head("beta") is None
