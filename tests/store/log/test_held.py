"""Rows and look-ups that revisions of one transaction share."""

from contextlib import suppress

import pytest
from sqlalchemy import select

from engine.model.errors import Conflict, Problem
from engine.store import Store
from engine.store.rows import many
from engine.store.schema.organizations import workspaces
from engine.store.schema.work import committee_meetings
from engine.store.writing.write_buffer import MOST_KNOWN
from tests.conftest import NOW
from tests.store.together import together


def names(connection, org_id, keys):
    """The look-up of these tests: names of workspaces by their id."""
    names.asked.append(sorted(keys))
    return {row["id"]: row["name"] for row in many(connection, workspaces, org_id, id=list(keys))}


@pytest.fixture(autouse=True)
def lookups():
    names.asked = []
    return names.asked


def add(identifier, name="new"):
    def change(revision):
        revision.buffer_insert(workspaces, {"id": identifier, "name": name})
        revision.cache_lookup(names, identifier, name)
        revision.record("workspace.created")

    return change


def rename(identifier, name):
    def change(revision):
        before = revision.look_up(names, [identifier])[identifier]
        revision.buffer_update(workspaces, {"id": identifier}, {"name": name})
        revision.cache_lookup(names, identifier, name)
        revision.record("workspace.renamed")
        return before

    return change


def see(*identifiers):
    return lambda revision: revision.look_up(names, identifiers)


def write(store, change, prefetch=()):
    return store.write("acme", "ann", change, now=NOW, prefetch=prefetch)


def stored_names(store):
    with store.reader() as connection:
        query = select(workspaces.c.id, workspaces.c.name, workspaces.c.revision).order_by(workspaces.c.id)
        return [tuple(row) for row in connection.execute(query)]


def test_rows_of_one_transaction_carry_the_revision_that_changed_them_last(any_store):
    answers = together(
        any_store,
        (add("a"), ()),
        (add("b"), ()),
        (rename("a", "second"), ()),
        (rename("a", "third"), ()),
        (lambda revision: stored_in(revision), ()),
        (rename("b", "other"), ()),
    )
    assert answers == [None, None, "new", "second", [("a", "third"), ("b", "new")], "new"]
    assert stored_names(any_store) == [("a", "third", 5), ("b", "other", 6)]
    assert any_store.verify("acme").problem is None


def stored_in(revision):
    query = select(workspaces.c.id, workspaces.c.name).order_by(workspaces.c.id)
    return [tuple(row) for row in revision.connection.execute(query)]


def test_one_that_fails_takes_its_rows_and_what_it_learned_with_it(any_store):
    def spoilt(revision):
        rename("a", "spoilt")(revision)
        raise Conflict("no")

    write(any_store, add("a", "first"))
    answers = together(any_store, (rename("a", "second"), ()), (spoilt, ()), (rename("a", "third"), ()))
    assert (answers[0], str(answers[1]), answers[2]) == ("first", "no", "second")
    assert stored_names(any_store) == [("a", "third", 4)]
    assert write(any_store, see("a")) == {"a": "third"}


def test_what_the_database_refuses_fails_alone(any_store):
    """The second row cannot be stored; that shows only when rows are stored together."""
    answers = together(any_store, (add("a"), ()), (add("b", None), ()), (add("c"), ()))
    assert (answers[0], answers[2]) == (None, None)
    assert "null" in str(answers[1]).lower()
    assert [row[0] for row in stored_names(any_store)] == ["a", "c"]


def test_look_ups_of_a_transaction_are_one_question(any_store, lookups):
    write(any_store, add("a", "first"))
    answers = together(any_store, *((see(key), ((names, [key]),)) for key in "abc"))
    assert answers == [{"a": "first"}, {"b": None}, {"c": None}]
    assert lookups == [["b", "c"]], "a is known since it was written"


def test_what_is_known_ends_with_any_write_of_somebody_else(any_store, lookups):
    """Another process, a revision of this one, and a write of this one that uses the connection."""
    write(any_store, add("a", "first"))
    assert write(any_store, see("a")) == {"a": "first"}
    assert lookups == [], "nobody wrote since"

    def by_hand(name):
        def change(revision):
            revision.update(workspaces, {"id": "a"}, {"name": name})
            revision.record("workspace.renamed")

        return change

    other = Store(any_store.url)
    other.write("acme", "bob", by_hand("second"), now=NOW)
    other.close()
    assert write(any_store, see("a")) == {"a": "second"}
    with any_store.revision("acme", "ann", now=NOW) as revision:
        by_hand("third")(revision)
    assert write(any_store, see("a")) == {"a": "third"}
    write(any_store, by_hand("fourth"))
    assert write(any_store, see("a")) == {"a": "fourth"}
    assert lookups == [["a"], ["a"], ["a"]]


def test_a_failed_commit_is_not_remembered(any_store, lookups):
    def change(revision):
        add("a")(revision)
        raise Conflict("no")

    with pytest.raises(Conflict):
        write(any_store, change)
    assert write(any_store, see("a")) == {"a": None}
    assert lookups == [["a"]]


def test_a_row_that_is_not_there_cannot_be_changed(any_store):
    def change(revision):
        revision.buffer_update(workspaces, {"id": "a"}, {"name": "x"})
        revision.record("workspace.renamed")

    with pytest.raises(Problem, match="A row of workspaces was gone"):
        write(any_store, change)
    assert stored_names(any_store) == []


def test_moves_of_a_due_date_are_not_lost(any_store):
    with pytest.raises(ValueError, match="counted by update"):
        write(
            any_store, lambda revision: revision.buffer_update(committee_meetings, {"id": "o"}, {"held_on": NOW.date()})
        )


def test_many_rows_fit_whatever_a_statement_takes(any_store):
    def change(revision):
        for number in range(9000):
            revision.buffer_insert(workspaces, {"id": f"w{number:05d}", "name": str(number)})
        revision.record("workspace.created")

    def again(revision):
        for number in range(9000):
            revision.buffer_update(workspaces, {"id": f"w{number:05d}"}, {"name": str(-number)})
        revision.record("workspace.renamed")

    write(any_store, change)
    assert [(len(stored_names(any_store)), stored_names(any_store)[-1])] == [(9000, ("w08999", "8999", 2))]
    write(any_store, again)
    assert [(len(stored_names(any_store)), stored_names(any_store)[-1])] == [(9000, ("w08999", "-8999", 3))]


def test_a_key_that_comes_twice_is_refused(any_store):
    answers = together(any_store, (add("a", "first"), ()), (add("a", "second"), ()))
    assert (answers[0], "unique" in str(answers[1]).lower()) == (None, True)
    assert stored_names(any_store) == [("a", "first", 2)]


def test_whoever_swallows_an_error_does_not_lose_the_rows_of_others(any_store):
    def swallowing(revision):
        with suppress(Exception):
            _ = revision.connection
        revision.record("workspace.seen")

    answers = together(any_store, (add("a", None), ()), (swallowing, ()), (add("c"), ()))
    assert ("null" in str(answers[0]).lower(), answers[1:]) == (True, [None, None])
    assert [row[0] for row in stored_names(any_store)] == ["c"]


def test_a_look_up_that_fails_is_one_writes_own(any_store):
    def picky(connection, org_id, keys):
        if "bad" in keys:
            raise Conflict("bad key")
        return {}

    def lookup_change(key):
        return (lambda revision: revision.look_up(picky, [key])), ((picky, [key]),)

    answers = together(any_store, lookup_change("good"), lookup_change("bad"), lookup_change("fine"))
    assert (answers[0], str(answers[1]), answers[2]) == ({"good": None}, "bad key", {"fine": None})


def test_more_keys_than_are_kept_are_looked_up_once(any_store, lookups):
    many = [f"k{number}" for number in range(MOST_KNOWN + 1)]

    def change(revision):
        return [revision.look_up(names, [key])[key] for key in many]

    assert write(any_store, change, ((names, many),)) == [None] * len(many)
    assert lookups == [sorted(many)]
    assert write(any_store, see("k0")) == {"k0": None}
    assert lookups[1:] == [["k0"]], "too many to keep"
