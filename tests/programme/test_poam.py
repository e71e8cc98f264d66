"""Numbers of the POA&M: the next one for each weakness without, never one that was used."""

from datetime import date

from sqlalchemy import select

from engine.programme.poam import Weakness, number
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.risk import poam_items
from tests.conftest import NOW

DETECTED, DUE = date(2026, 11, 1), date(2026, 12, 1)


def weak(*keys):
    return [Weakness(key, DETECTED, DUE) for key in keys]


def give(store, *keys):
    return store.write("acme", "iris@acme.example", lambda revision: number(revision, weak(*keys), NOW.date()), now=NOW)


def ledger(store, *columns):
    with store.reader() as connection:
        rows = many(connection, poam_items, "acme", order=["id"])
    return [tuple(row[column] for column in columns) for row in rows]


def keep(store, *items):
    with store.revision("acme", "import", now=NOW) as revision:
        revision.insert(poam_items, [{"detected_on": DETECTED, "due_on": DUE, **item} for item in items])
        revision.record("poam.imported")


def test_each_weakness_gets_the_next_number(any_store):
    assert give(any_store, "gap-b", "gap-a") == {"gap-b": "V-1", "gap-a": "V-2"}
    assert ledger(any_store, "id", "weakness_key", "detected_on", "due_on", "status", "listed_on") == [
        ("V-1", "gap-b", DETECTED, DUE, "open", NOW.date()),
        ("V-2", "gap-a", DETECTED, DUE, "open", NOW.date()),
    ]
    with any_store.reader() as connection:
        events = connection.execute(
            select(audit_log.c.action, audit_log.c.actor, audit_log.c.object_id, audit_log.c.details)
            .where(audit_log.c.action == "poam.numbered")
            .order_by(audit_log.c.seq)
        ).all()
    assert [tuple(event) for event in events] == [
        ("poam.numbered", "iris@acme.example", "V-1", {"due_on": "2026-12-01", "weakness_key": "gap-b"}),
        ("poam.numbered", "iris@acme.example", "V-2", {"due_on": "2026-12-01", "weakness_key": "gap-a"}),
    ]


def test_the_same_again_changes_nothing(any_store):
    give(any_store, "gap-a")
    head = any_store.head("acme")
    assert give(any_store, "gap-a") == {}
    assert give(any_store) == {}
    assert any_store.head("acme") == head


def test_a_number_is_never_used_again(any_store):
    """The highest counts on whatever its form and state; a weakness that comes back gets a new one."""
    keep(
        any_store,
        {"id": "V-7", "weakness_key": "gap-a", "status": "completed", "closed_on": DUE},
        {"id": "ACME-2026-0012", "weakness_key": "gap-b", "status": "false_positive", "closed_on": DUE},
        {"id": "V-3", "weakness_key": "gap-c", "status": "accepted"},
        {"id": "legacy", "weakness_key": "gap-d", "status": "open"},
    )
    assert give(any_store, "gap-a", "gap-b", "gap-c", "gap-d") == {"gap-a": "V-13", "gap-b": "V-14"}


def test_the_numbers_of_another_organization_do_not_count(any_store):
    with any_store.revision("other", "setup", now=NOW, create={}) as revision:
        number(revision, weak("gap-a", "gap-b"), NOW.date())
    assert give(any_store, "gap-a") == {"gap-a": "V-1"}
