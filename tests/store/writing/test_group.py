"""Writes that share a transaction are revisions of their own."""

import threading

import pytest
from sqlalchemy import select

from engine.model.errors import Conflict, NotFound
from engine.store import EventRow, Write
from engine.store.rows import first, many, one
from engine.store.schema.organizations import workspaces
from tests.conftest import NOW


def add(identifier):
    def change(revision):
        revision.insert(workspaces, [{"id": identifier, "name": identifier}])
        revision.record("workspace.created", object_id=identifier)
        return revision.seq

    return change


def ids(store):
    with store.reader() as connection:
        return connection.execute(select(workspaces.c.id).order_by(workspaces.c.id)).scalars().all()


def test_a_write_returns_what_its_function_returns(any_store):
    assert any_store.write("acme", "ann", add("a"), now=NOW) == 2
    assert ids(any_store) == ["a"]


def test_a_write_to_nobody_is_not_found(any_store):
    with pytest.raises(NotFound):
        any_store.write("nobody", "ann", add("a"), now=NOW)


def test_one_failure_among_many_is_undone_alone(any_store):
    """Sixty-four threads write at once; every eighth fails after it wrote."""
    answers, failures = [], []

    def work(number):
        def change(revision):
            value = add(f"w{number:02d}")(revision)
            if number % 8 == 0:
                raise Conflict("no")
            return value

        try:
            answers.append(any_store.write("acme", "ann", change, now=NOW))
        except Conflict:
            failures.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(failures) == list(range(0, 64, 8))
    assert ids(any_store) == [f"w{n:02d}" for n in range(64) if n % 8]
    assert sorted(answers) == list(range(2, 58)), "each write is its own revision, without a gap"
    check = any_store.verify("acme")
    assert (check.problem, check.head_seq) == (None, 57)


def test_an_event_that_cannot_be_stored_fails_its_own_write_alone(any_store):
    """Events of a group are stored together; one that clashes must not take the others with it."""
    failures = []

    def work(number):
        def change(revision):
            add(f"w{number}")(revision)
            if number == 3:
                revision.append_events([EventRow("hq:1", NOW, "ann", "clash", None, None, "success", None, None, None)])

        try:
            any_store.write("acme", "ann", change, now=NOW)
        except Exception as error:  # the driver's own on PostgreSQL, where events are copied
            failures.append((number, "unique" in str(error).lower()))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (failures, ids(any_store)) == ([(3, True)], sorted(f"w{n}" for n in range(16) if n != 3))
    assert any_store.verify("acme").problem is None


def test_a_write_that_touches_nothing_moves_nothing(any_store):
    head = any_store.head("acme")
    assert any_store.write("acme", "ann", lambda revision: "seen", now=NOW) == "seen"
    assert any_store.head("acme") == head


def test_rows_are_read_within_the_organization_only(any_store):
    any_store.write("acme", "ann", add("a"), now=NOW)
    with any_store.revision("other", "x", now=NOW, create={}) as revision:
        add("b")(revision)
    with any_store.reader() as connection:
        assert one(connection, workspaces, "acme", id="a")["name"] == "a"
        assert first(connection, workspaces, "acme", id="b") is None
        assert [row["id"] for row in many(connection, workspaces, "acme", id=["a", "b"], order=["-name"])] == ["a"]
        with pytest.raises(NotFound, match="no such workspace: b"):
            one(connection, workspaces, "acme", id="b")


def test_writes_of_one_thread_share_a_transaction_and_fail_apart(any_store):
    def refuse(revision):
        revision.record("workspace.created", object_id="x")
        raise Conflict("no")

    writes = [Write("acme", "ann", change, NOW) for change in (add("a"), refuse, add("b"))]
    writes.append(Write("nobody", "ann", add("c"), NOW))
    first_of_all, failed, last, unknown = any_store.write_all(writes)
    assert (first_of_all.get(), last.get()) == (2, 3)
    for result, error in ((failed, Conflict), (unknown, NotFound)):
        with pytest.raises(error):
            result.get()
    assert ids(any_store) == ["a", "b"]


def test_nothing_to_write_writes_nothing(any_store):
    head = any_store.head("acme")
    assert any_store.write_all([]) == []
    assert any_store.head("acme") == head
