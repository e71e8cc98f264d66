"""Every row is in the chain: what is changed by hand is found, and named."""

import random
from datetime import date, timedelta

import pytest
from sqlalchemy import create_engine, select, text

from engine.store import EventRow
from engine.store.history import begin_history
from engine.store.retention import purge_audit_log, purge_incidents
from engine.store.row_log import pack, read_json, read_part
from engine.store.schema import LOGGED, metadata
from engine.store.schema.audit import change_log
from engine.store.schema.controls import attestations
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.store import random_rows

ROW = {"framework": "soc2", "control_id": "CC6.1", "owner": "ada@acme.example", "due_on": date(2026, 12, 1)}
CATALOGUE = {"chain_cuts", "bundles"}  # a cut or a bundle that nobody made would mean something to others


def attest(store, name, **values):
    with store.revision("acme", "me", now=NOW) as revision:
        revision.upsert(attestations, [{"id": name, **ROW, **values}])
        revision.record("attestation.made", object_id=name)


def by_hand(store, *statements):
    engine = create_engine(store.url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def logged(store):
    """What the log says, in its order."""
    with store.reader() as connection:
        bodies = connection.execute(select(change_log.c.revision, change_log.c.body).order_by(change_log.c.revision))
        return [
            (revision, *read_json(line.text)[:3]) for revision, body in bodies for line in read_part(body) if line.text
        ]


@pytest.fixture
def attested(any_store):
    attest(any_store, "a")
    attest(any_store, "b")
    attest(any_store, "a", outcome="attested")
    return any_store


def test_the_log_has_every_version_of_a_row_whole(attested):
    values = {
        "control_id": "CC6.1", "due_on": "2026-12-01", "framework": "soc2", "moves": 0, "owner": "ada@acme.example",
    }  # fmt: skip
    assert logged(attested)[1:] == [
        (2, "attestations", ("a",), values),
        (3, "attestations", ("b",), values),
        (4, "attestations", ("a",), {**values, "outcome": "attested"}),
    ]
    assert attested.verify("acme").problem is None
    found = attested.verify_rows("acme")
    assert (found.rows, found.revisions, found.problem) == (3, 4, None)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE attestations SET outcome = 'attested' WHERE id = 'b'",
            "attestations [\"b\"] differs in outcome: logged None, found 'attested'; revision 3 wrote it last",
        ),
        (
            "UPDATE attestations SET due_on = '2027-01-01' WHERE id = 'a'",
            "attestations [\"a\"] differs in due_on: logged '2026-12-01', found '2027-01-01'; revision 4 wrote it last",
        ),
        (
            "UPDATE attestations SET revision = 3 WHERE id = 'a'",
            'attestations ["a"] differs in revision: it is not that of its write; revision 4 wrote it last',
        ),
        (
            "UPDATE change_log SET rows = 2 WHERE revision = 3",
            "part 0 of what revision 3 changed is said to have 2 rows, and has 1",
        ),
        (
            "UPDATE table_heads SET revision = 3 WHERE part = 'attestations'",
            "table_heads has attestations at 3, and revision 4 changed it, which ended at 4",
        ),
        (
            "DELETE FROM table_heads WHERE part = 'audit_log:attestation.made'",
            "table_heads has audit_log:attestation.made nowhere, and revision 4 changed it, which ended at 4",
        ),
        ("DELETE FROM attestations WHERE id = 'a'", 'attestations ["a"] is missing; revision 4 wrote it last'),
        (
            "INSERT INTO workspaces (org_id, id, name, revision) VALUES ('acme', 'w', 'W', 4)",
            'workspaces ["w"] is there and the log has no such row; no revision wrote it',
        ),
        (
            "UPDATE organizations SET plan = 'enterprise'",
            "organizations [] differs in plan: logged 'free', found 'enterprise'; revision 1 wrote it last",
        ),
        ("DELETE FROM change_log WHERE revision = 3", "the change log misses what revision 3 changed"),
        ("DELETE FROM change_log WHERE revision = 4", "the change log misses what revision 4 changed"),
        (
            "UPDATE change_log SET revision = 9 WHERE revision = 4",
            "the change log misses what revision 4 changed",
        ),
    ],
)
def test_what_is_changed_by_hand_is_named(attested, statement, problem):
    by_hand(attested, statement)
    found = attested.verify_rows("acme")
    assert found.problem == problem
    assert attested.verify("acme").problem is None  # the chain alone does not see it


def test_a_record_that_is_written_anew_does_not_fit_its_event(attested):
    by_hand(
        attested, "UPDATE change_log SET body = (SELECT body FROM change_log WHERE revision = 3) WHERE revision = 2"
    )
    found = attested.verify_rows("acme").problem
    assert found.startswith("what the change log has of revision 2 is not what its event commits to: expected ")


@pytest.mark.parametrize(
    ("column", "said"),
    [("attested_at", "Invalid isoformat string: 'abc'"), ("due_on", "Invalid isoformat string: 'abc'")],
)
def test_a_value_that_is_none_of_its_column_is_told(store, column, said):
    attest(store, "a")
    by_hand(store, f"UPDATE attestations SET {column} = 'abc'")
    assert store.verify_rows("acme").problem == f"attestations has a value that is none of its column: {said}"


def test_a_text_in_place_of_the_log_is_told(store):
    attest(store, "a")
    by_hand(store, "UPDATE change_log SET body = 'abc' WHERE revision = 2")
    assert store.verify_rows("acme").problem.startswith("what the change log has of revision 2 cannot be read: ")


def test_an_event_cannot_commit_to_something_else(attested):
    by_hand(attested, "UPDATE audit_log SET changes = NULL WHERE seq = 3")
    assert "event 3 (hq:3) does not match its hash" in attested.verify("acme").problem


def test_a_row_that_goes_is_logged_and_one_that_comes_again(attested):
    for _ in range(2):
        with attested.revision("acme", "me", now=NOW) as revision:
            assert revision.delete(attestations, attestations.c.id == "a") == [("a",)]
            assert revision.delete(attestations, attestations.c.id == "none") == []
            revision.record("attestation.dropped", object_id="a")
        assert logged(attested)[-1][1:] == ("attestations", ("a",), None)
        assert attested.verify_rows("acme").problem is None
        attest(attested, "a")
    assert attested.verify_rows("acme").rows == 3


def test_a_store_from_before_the_log_begins_with_what_it_has(sqlite_url, attested):
    by_hand(attested, "DELETE FROM change_log", "UPDATE audit_log SET changes = NULL")
    engine = create_engine(attested.url)
    with engine.begin() as connection:
        assert begin_history(connection, NOW) == ["acme"]
        assert begin_history(connection, NOW) == []
    engine.dispose()
    found = attested.verify_rows("acme")
    assert (found.rows, found.revisions, found.problem) == (3, 1, None)
    with attested.reader() as connection:
        assert connection.execute(text("SELECT action FROM audit_log WHERE seq = 5")).scalar() == "history.began"


def test_what_retention_removes_leaves_its_leaves_alone(attested):
    long_ago = NOW - timedelta(days=4000)
    row = {"id": "i", "title": "A secret of Ann", "severity": "low", "status": "open", "opened_at": long_ago}
    with attested.revision("acme", "me", now=NOW) as revision:
        revision.insert(incidents, [row])
        revision.insert(incident_timeline, [{"id": "t", "incident_id": "i", "happened_at": NOW, "kind": "note",
                                             "actor": "me", "body": "Ann said so"}])  # fmt: skip
        revision.record("incident.opened", object_id="i")
    with attested.revision("acme", "me", now=NOW) as revision:
        revision.update(incidents, {"id": "i"}, {"status": "closed", "closed_at": long_ago})
        revision.record("incident.closed", object_id="i")
    assert "Ann" in repr(logged(attested))
    with attested.revision("acme", "retention", now=NOW) as revision:
        assert purge_incidents(revision, NOW).rows == 1
    assert "Ann" not in repr(logged(attested))
    assert [line[1:3] for line in logged(attested) if line[1] in ("incidents", "incident_timeline")] == [
        ("incident_timeline", ("t",)),
        ("incidents", ("i",)),
    ]
    assert [line[2:] for line in logged(attested) if line[1] == "change_log"] == [((5, 0), [0, 1]), ((6, 0), [0])]
    assert (attested.verify("acme").problem, attested.verify_rows("acme").problem) == (None, None)


@pytest.mark.parametrize("revision", [3, 4])
def test_a_line_that_is_hidden_behind_its_leaf_is_named(attested, revision):
    """The row is as the line before had it: the last version hidden, or all of them."""
    with attested.reader() as connection:
        body = connection.execute(select(change_log.c.body).where(change_log.c.revision == revision)).scalar_one()
    hidden = pack(line.leaf.hex().encode() for line in read_part(body)).hex()
    written = f"X'{hidden}'" if attested.url.startswith("sqlite") else f"'\\x{hidden}'"
    by_hand(
        attested,
        f"UPDATE change_log SET body = {written} WHERE revision = {revision}",
        "UPDATE attestations SET outcome = NULL" if revision == 4 else "DELETE FROM attestations WHERE id = 'b'",
    )
    assert attested.verify_rows("acme").problem == (
        f"line 1 of part 0 of what revision {revision} changed is gone from the change log, and no revision says that "
        "it was erased"
    )


def test_rows_hold_over_a_cut_of_the_chain_wherever_it_falls(attested):
    with attested.revision("acme", "me", now=NOW) as revision:
        revision.update(attestations, {"id": "b"}, {"statement": "x"})
        revision.append_events(EventRow(f"e{age}", NOW - timedelta(days=age), "me", "x") for age in (900, -2))
    later = NOW + timedelta(days=300)
    with attested.revision("acme", "retention", now=later) as revision:
        assert purge_audit_log(revision, later - timedelta(days=299)).rows == 5
    assert attested.verify("acme").first_seq == 6
    assert (attested.verify("acme").problem, attested.verify_rows("acme").problem) == (None, None)
    by_hand(attested, "UPDATE attestations SET outcome = 'attested' WHERE id = 'b'")
    assert 'attestations ["b"] differs in outcome' in attested.verify_rows("acme").problem


def test_below_a_cut_the_log_is_held_by_what_the_purge_noted(attested):
    for age in (900, 890, 2):
        with attested.revision("acme", "me", now=NOW) as revision:
            revision.append_events([EventRow(f"e{age}", NOW - timedelta(days=age), "me", "x")])
            revision.update(attestations, {"id": "b"}, {"statement": f"said {age}"})
    later = NOW + timedelta(days=300)
    for until in (later - timedelta(days=1100), later - timedelta(days=299)):
        with attested.revision("acme", "retention", now=later) as revision:
            purge_audit_log(revision, until)
            revision.record("retention.ran")
    assert attested.verify("acme").first_seq > 4
    assert attested.verify_rows("acme").problem is None
    with attested.reader() as connection:
        body = connection.execute(select(change_log.c.body).where(change_log.c.revision == 3)).scalar_one()
    engine = create_engine(attested.url)
    with engine.begin() as connection:
        forged = [line.stored.replace(b'"owner":"ada', b'"owner":"eve') for line in read_part(body)]
        assert forged != [line.stored for line in read_part(body)]
        connection.execute(change_log.update().where(change_log.c.revision == 3).values(body=pack(forged)))
    engine.dispose()
    assert attested.verify_rows("acme").problem == (
        "what the change log has of the writes whose events retention removed is not what they had committed to"
    )


def test_every_table_is_logged_or_says_why_not():
    silent = {name for name, table in metadata.tables.items() if "unlogged" not in table.info}
    assert silent == set()
    assert {name for name, table in LOGGED.items() if "revision" not in table.c} == set()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak), pytest.param(3, marks=pytest.mark.soak)])
def test_the_tables_are_what_the_log_rebuilds(any_store, seed):
    """Random writes to every logged table, alone and together, several of a row within one write."""
    draw = random.Random(seed)
    tables = [table for name, table in LOGGED.items() if name not in {"organizations", *CATALOGUE}]

    def change(revision):
        for table in draw.sample(tables, 3):
            kind = draw.random()
            if kind < 0.7:
                rows = {
                    tuple(row[name] for name in table.info["primary"]): row
                    for row in (random_rows.row(draw, table) for _ in range(draw.randrange(1, 4)))
                }
                revision.upsert(table, list(rows.values()))
            else:
                name = table.info["primary"][0]
                revision.delete(table, table.c[name] == random_rows.key(draw, table.c[name]))
        revision.record("drawn", object_id=str(draw.random()))

    for number in range(60):
        if number % 2:
            any_store.write("acme", "me", change, now=NOW)
        else:
            with any_store.revision("acme", "me", now=NOW) as revision:
                change(revision)
    assert any_store.verify("acme").problem is None
    found = any_store.verify_rows("acme")
    assert (found.problem, found.rows > 50) == (None, True)
