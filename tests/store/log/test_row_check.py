"""Every row is in the chain: what is changed by hand is found, and named."""

import json
from contextlib import closing
from datetime import date, timedelta

import pytest
from sqlalchemy import create_engine, select, text, update

from engine.store import EventRow, Store
from engine.store.log.history import begin_history
from engine.store.log.log_lines import Erasure, logged_rows, logged_texts, pack, read_part, row_deletions
from engine.store.removal.retention import purge_audit_log, purge_incidents
from engine.store.schema import LOGGED, metadata
from engine.store.schema.audit import change_log
from engine.store.schema.controls import attestations
from engine.store.schema.outputs import posture_snapshots
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.databases import raw_transaction

ROW = {"framework": "soc2", "control_id": "CC6.1", "owner": "ada@acme.example", "due_on": date(2026, 12, 1)}


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


def log_bodies(store):
    """What the log says, in its order."""
    with store.reader() as connection:
        bodies = connection.execute(select(change_log.c.revision, change_log.c.body).order_by(change_log.c.revision))
        lines = [
            (revision, json.loads(line.text)) for revision, body in bodies for line in read_part(body) if line.text
        ]
        return [(revision, table, tuple(key), values) for revision, (table, key, values, *_) in lines]


@pytest.fixture
def attested_store(any_store):
    attest(any_store, "a")
    attest(any_store, "b")
    attest(any_store, "a", outcome="attested")
    return any_store


def test_the_log_has_every_version_of_a_row_whole(attested_store):
    values = {
        "control_id": "CC6.1",
        "due_on": "2026-12-01",
        "framework": "soc2",
        "moves": 0,
        "owner": "ada@acme.example",
    }
    assert log_bodies(attested_store)[1:] == [
        (2, "attestations", ("a",), values),
        (3, "attestations", ("b",), values),
        (4, "attestations", ("a",), {**values, "outcome": "attested"}),
    ]
    assert attested_store.verify("acme").problem is None
    verify_rows = attested_store.verify_rows("acme")
    assert (verify_rows.rows, verify_rows.revisions, verify_rows.problem) == (3, 4, None)


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
        ("UPDATE change_log SET part = 7 WHERE revision = 3", "of what revision 3 changed, part 0 is missing: found 7"),
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
        ("UPDATE change_log SET revision = 9 WHERE revision = 4", "the change log misses what revision 4 changed"),
    ],
)
def test_what_is_changed_by_hand_is_named(attested_store, statement, problem):
    by_hand(attested_store, statement)
    verify_rows = attested_store.verify_rows("acme")
    assert verify_rows.problem == problem
    assert attested_store.verify("acme").problem is None  # the chain alone does not see it


def test_a_record_that_is_written_anew_does_not_fit_its_event(attested_store):
    by_hand(
        attested_store,
        "UPDATE change_log SET body = (SELECT body FROM change_log WHERE revision = 3) WHERE revision = 2",
    )
    problem = attested_store.verify_rows("acme").problem
    assert problem.startswith("what the change log has of revision 2 is not what its event commits to: expected ")


@pytest.mark.parametrize(
    ("column", "given", "logged"),
    [
        ("attested_at", "abc", None),
        ("due_on", "abc", "2026-12-01"),
        ("due_on", "2026-W49-2", "2026-12-01"),
        ("moves", "abc", 0),
    ],
)
def test_a_value_that_is_none_of_its_column_is_named(store, column, given, logged):
    attest(store, "a")
    by_hand(store, f"UPDATE attestations SET {column} = '{given}'")
    assert store.verify_rows("acme").problem == (
        f'attestations ["a"] differs in {column}: logged {logged!r}, found {given!r}; revision 2 wrote it last'
    )


def test_a_text_is_no_json_text(store):
    with store.revision("acme", "me", now=NOW) as revision:
        revision.insert(posture_snapshots, [{"taken_on": NOW.date(), "score": 1.0, "components": "abc"}])
        revision.record("x")
    assert store.verify_rows("acme").ok
    by_hand(store, "UPDATE posture_snapshots SET components = 'abc'")
    assert "has in components what is no JSON in its one form: found 'abc'" in store.verify_rows("acme").problem


def test_json_cannot_stand_for_a_column_beside_it(store):
    """The text of the row would be as it was logged: what is in one column is one value, or it is another text."""
    row = {"taken_on": NOW.date(), "score": 1.0, "components": {"score": 1}}
    with store.revision("acme", "me", now=NOW) as revision:
        revision.insert(posture_snapshots, [row])
        revision.record("x")
    names = sorted(set(posture_snapshots.columns.keys()) - {"org_id", "taken_on", "revision"})
    after = names[names.index("components") + 1]
    by_hand(
        store,
        "PRAGMA ignore_check_constraints = ON",
        f"UPDATE posture_snapshots SET components = components || ',\"{after}\"\\:9'",
    )
    assert "has in components what is no JSON in its one form" in store.verify_rows("acme").problem


FORGED = b"0" * 32 + b' ["workspaces",["w"],{"name":"W"}]'


def body(lines, store):
    """Lines of the log as a literal of the engine's."""
    packed = pack(lines).hex()
    return f"X'{packed}'" if store.url.startswith("sqlite") else f"'\\x{packed}'"


def test_a_row_with_a_log_from_before_all_events_is_found(attested_store):
    by_hand(
        attested_store,
        "INSERT INTO workspaces (org_id, id, name, revision) VALUES ('acme', 'w', 'W', 0)",
        "INSERT INTO change_log (org_id, revision, part, rows, body) VALUES "
        f"('acme', 0, 0, 1, {body([FORGED], attested_store)})",
    )
    assert attested_store.verify_rows("acme").problem == "the change log has a revision 0 that no event commits to"


@pytest.mark.parametrize(
    "line",
    [
        "5",
        "null",
        '["t",5,{}]',
        '["t",[1],{},2,3]',
        "[{},[1],{}]",
        '["t",[1],5]',
        '["change_log",5,[1]]',
        "[[",
        '["change_log",[1,2],5]',
        '["change_log",["a",{}],[0]]',
        '["change_log",[1,0],[99999999999999999999]]',
    ],
)
def test_a_line_that_is_no_row_is_told(attested_store, line):
    by_hand(
        attested_store,
        f"UPDATE change_log SET body = {body([b'0' * 32 + b' ' + line.encode()], attested_store)} WHERE revision = 3",
    )
    assert attested_store.verify_rows("acme").problem.startswith(
        "what the change log has of revision 3 cannot be read: "
    )


def test_a_line_has_one_form(attested_store):
    with attested_store.reader() as connection:
        stored = connection.execute(select(change_log.c.body).where(change_log.c.revision == 3)).scalar_one()
    (line,) = read_part(stored)
    by_hand(
        attested_store,
        f"UPDATE change_log SET body = {body([b'AB' + line.stored[2:]], attested_store)} WHERE revision = 3",
    )
    assert "cannot be read: expected 32 hex digits, found b'AB" in attested_store.verify_rows("acme").problem


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE change_log SET part = 1 WHERE revision = 3", "of what revision 3 changed, part 0 is missing: found 1"),
        (
            "INSERT INTO table_heads (org_id, part, revision, hash) VALUES ('acme', 'risks', 9, 'x')",
            "table_heads has risks at 9, and no write changed it",
        ),
        (
            "INSERT INTO table_heads (org_id, part, revision, hash) VALUES ('acme', 'audit_log:x.done', 2, 'x')",
            "table_heads has audit_log:x.done at 2, and no write changed it",
        ),
    ],
)
def test_what_is_added_by_hand_is_named(attested_store, statement, problem):
    by_hand(attested_store, statement)
    assert attested_store.verify_rows("acme").problem == problem


@pytest.mark.parametrize("given", ['{"score":9,"score":1}', ' {"score":1}', '{"score":1.0}', '{"sc\\u006fre":1}', "{"])
def test_json_that_another_reader_takes_for_something_else_is_named(any_store, given):
    with any_store.revision("acme", "me", now=NOW) as revision:
        revision.insert(posture_snapshots, [{"taken_on": NOW.date(), "score": 1.0, "components": {"score": 1}}])
        revision.record("x")
    assert any_store.verify_rows("acme").ok
    by_hand(any_store, f"UPDATE posture_snapshots SET components = '{given.replace(':', chr(92) + ':')}'")
    problem = any_store.verify_rows("acme").problem
    if given == '{"score":1.0}':  # one form of another value
        assert problem == (
            "posture_snapshots [\"2026-11-20\"] differs in components: logged {'score': 1}, found {'score': 1.0}; "
            "revision 2 wrote it last"
        )
    else:
        assert problem == (
            f'posture_snapshots ["2026-11-20"] has in components what is no JSON in its one form: found {given!r}; '
            "revision 2 wrote it last"
        )


def test_a_text_in_place_of_the_log_is_told(store):
    attest(store, "a")
    by_hand(store, "UPDATE change_log SET body = 'abc' WHERE revision = 2")
    assert store.verify_rows("acme").problem.startswith("what the change log has of revision 2 cannot be read: ")


def test_an_event_cannot_commit_to_something_else(attested_store):
    by_hand(attested_store, "UPDATE audit_log SET changes = NULL WHERE seq = 3")
    assert "event 3 (hq:3) does not match its hash" in attested_store.verify("acme").problem


def test_bytes_behind_the_log_are_told(attested_store):
    with attested_store.reader() as connection:
        (body,) = connection.execute(select(change_log.c.body).where(change_log.c.revision == 4)).scalars()
    for wrong, problem in ((body + b"ada", "3 bytes come after its end"), (body[:-1], "it breaks off")):
        with raw_transaction(attested_store) as connection:
            connection.execute(update(change_log).where(change_log.c.revision == 4).values(body=wrong))
        told = attested_store.verify_rows("acme").problem
        assert told == f"what the change log has of revision 4 cannot be read: {problem}"


@pytest.mark.parametrize("read", [read_part, logged_rows, logged_texts, row_deletions])
def test_a_damaged_part_is_a_value_error_whoever_reads_it(read):
    body = pack([])
    for damaged, problem in ((body[:-1], "it breaks off"), (body + b"ada", "3 bytes"), (b"ada", "incorrect header")):
        with pytest.raises(ValueError, match=problem):
            list(read(damaged))


def test_a_row_that_is_there_twice_is_told(postgresql_url):
    with closing(Store(postgresql_url)) as store:
        with store.revision("acme", "me", now=NOW, create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        attest(store, "a")
        by_hand(
            store,
            "ALTER TABLE attestations DROP CONSTRAINT pk_attestations CASCADE",
            "INSERT INTO attestations SELECT * FROM attestations",
        )
        assert store.verify_rows("acme").problem == "attestations has one row twice: its primary key is gone"


def test_a_row_that_goes_is_logged_and_one_that_comes_again(attested_store):
    for _ in range(2):
        with attested_store.revision("acme", "me", now=NOW) as revision:
            assert revision.delete(attestations, attestations.c.id == "a") == [("a",)]
            assert revision.delete(attestations, attestations.c.id == "none") == []
            revision.record("attestation.dropped", object_id="a")
        assert log_bodies(attested_store)[-1][1:] == ("attestations", ("a",), None)
        assert attested_store.verify_rows("acme").problem is None
        attest(attested_store, "a")
    assert attested_store.verify_rows("acme").rows == 3


def test_a_store_from_before_the_log_begins_with_what_it_has(sqlite_url, attested_store):
    by_hand(attested_store, "DELETE FROM change_log", "UPDATE audit_log SET changes = NULL")
    engine = create_engine(attested_store.url)
    with engine.begin() as connection:
        assert begin_history(connection, NOW) == ["acme"]
        assert begin_history(connection, NOW) == []
    engine.dispose()
    verify_rows = attested_store.verify_rows("acme")
    assert (verify_rows.rows, verify_rows.revisions, verify_rows.problem) == (3, 1, None)
    with attested_store.reader() as connection:
        assert connection.execute(text("SELECT action FROM audit_log WHERE seq = 5")).scalar() == "history.began"


def test_what_retention_removes_leaves_its_leaves_alone(attested_store):
    long_ago = NOW - timedelta(days=4000)
    row = {"id": "i", "title": "A secret of Ann", "severity": "low", "status": "open", "opened_at": long_ago}
    with attested_store.revision("acme", "me", now=NOW) as revision:
        revision.insert(incidents, [row])
        revision.insert(
            incident_timeline,
            [{"id": "t", "incident_id": "i", "happened_at": NOW, "kind": "note", "actor": "me", "body": "Ann said so"}],
        )
        revision.record("incident.opened", object_id="i")
    with attested_store.revision("acme", "me", now=NOW) as revision:
        revision.update(incidents, {"id": "i"}, {"status": "closed", "closed_at": long_ago})
        revision.record("incident.closed", object_id="i")
    assert "Ann" in repr(log_bodies(attested_store))
    with attested_store.revision("acme", "retention", now=NOW) as revision:
        assert purge_incidents(revision, NOW).rows == 1
    assert "Ann" not in repr(log_bodies(attested_store))
    assert [line[1:3] for line in log_bodies(attested_store) if line[1] in ("incidents", "incident_timeline")] == [
        ("incident_timeline", ("t",)),
        ("incidents", ("i",)),
    ]
    assert [line[2:] for line in log_bodies(attested_store) if line[1] == "change_log"] == [
        ((5, 0), [0, 1]),
        ((6, 0), [0]),
    ]
    assert (attested_store.verify("acme").problem, attested_store.verify_rows("acme").problem) == (None, None)


@pytest.mark.parametrize("revision", [3, 4])
def test_a_line_that_is_hidden_behind_its_leaf_is_named(attested_store, revision):
    """The row is as the line before had it: the last version hidden, or all of them."""
    with attested_store.reader() as connection:
        stored = connection.execute(select(change_log.c.body).where(change_log.c.revision == revision)).scalar_one()
    hidden = [line.leaf.hex().encode() for line in read_part(stored)]
    by_hand(
        attested_store,
        f"UPDATE change_log SET body = {body(hidden, attested_store)} WHERE revision = {revision}",
        "UPDATE attestations SET outcome = NULL" if revision == 4 else "DELETE FROM attestations WHERE id = 'b'",
    )
    assert attested_store.verify_rows("acme").problem == (
        f"line 1 of part 0 of what revision {revision} changed is gone from the change log, and no revision says that "
        "it was erased"
    )


def test_rows_hold_over_a_cut_of_the_chain_wherever_it_falls(attested_store):
    with attested_store.revision("acme", "me", now=NOW) as revision:
        revision.update(attestations, {"id": "b"}, {"statement": "x"})
        revision.append_events(EventRow(f"e{age}", NOW - timedelta(days=age), "me", "x") for age in (900, -2))
    later = NOW + timedelta(days=300)
    with attested_store.revision("acme", "retention", now=later) as revision:
        assert purge_audit_log(revision, later - timedelta(days=299)).rows == 5
    assert attested_store.verify("acme").first_seq == 6
    assert (attested_store.verify("acme").problem, attested_store.verify_rows("acme").problem) == (None, None)
    by_hand(attested_store, "UPDATE attestations SET outcome = 'attested' WHERE id = 'b'")
    assert 'attestations ["b"] differs in outcome' in attested_store.verify_rows("acme").problem


def test_below_a_cut_the_log_is_held_by_what_the_purge_noted(attested_store):
    for age in (900, 890, 2):
        with attested_store.revision("acme", "me", now=NOW) as revision:
            revision.append_events([EventRow(f"e{age}", NOW - timedelta(days=age), "me", "x")])
            revision.update(attestations, {"id": "b"}, {"statement": f"said {age}"})
    later = NOW + timedelta(days=300)
    for until in (later - timedelta(days=1100), later - timedelta(days=299)):
        with attested_store.revision("acme", "retention", now=later) as revision:
            purge_audit_log(revision, until)
            revision.record("retention.ran")
    assert attested_store.verify("acme").first_seq > 4
    assert attested_store.verify_rows("acme").problem is None
    with attested_store.reader() as connection:
        body = connection.execute(select(change_log.c.body).where(change_log.c.revision == 3)).scalar_one()
    engine = create_engine(attested_store.url)
    with engine.begin() as connection:
        forged = [line.stored.replace(b'"owner":"ada', b'"owner":"eve') for line in read_part(body)]
        assert forged != [line.stored for line in read_part(body)]
        connection.execute(change_log.update().where(change_log.c.revision == 3).values(body=pack(forged)))
    engine.dispose()
    assert attested_store.verify_rows("acme").problem == (
        "what the change log has of the writes whose events retention removed is not what they had committed to"
    )


def test_what_was_erased_does_not_come_back(attested_store):
    """The line fits its leaf, and a later write says that it is gone."""
    with attested_store.revision("acme", "me", now=NOW) as revision:
        revision.log_erasure(Erasure(3, 0, [0]))
        revision.record("x")
    assert attested_store.verify_rows("acme").problem == (
        "line 1 of part 0 of what revision 3 changed is in the change log, and a revision says that it was erased"
    )


@pytest.mark.parametrize("details", [None, '{"cut_roots":"x","cut_writes":"abc"}', '{"cut_roots":"x","cut_writes":1}'])
def test_an_imported_event_says_nothing_of_cuts(attested_store, details):
    """Whoever may import events cannot take the log below a cut out of the check, nor break the check."""
    foreign = EventRow("e", NOW, "me", "retention.purged", "retention", "audit_log", details=details)
    with attested_store.revision("acme", "me", now=NOW) as revision:
        revision.append_events([foreign])
    assert attested_store.verify_rows("acme").problem is None
    later = NOW + timedelta(days=300)
    with attested_store.revision("acme", "me", now=later) as revision:
        revision.append_events([foreign._replace(event_id="f", occurred_at=later)])
    with attested_store.revision("acme", "retention", now=later) as revision:
        assert purge_audit_log(revision, later - timedelta(days=1)).rows == 5
    with attested_store.revision("acme", "me", now=later) as revision:
        revision.append_events([foreign._replace(event_id="g", occurred_at=later)])
    assert attested_store.verify_rows("acme").problem is None
    by_hand(attested_store, f"UPDATE change_log SET body = {body([FORGED], attested_store)} WHERE revision = 3")
    assert attested_store.verify_rows("acme").problem == (
        "what the change log has of the writes whose events retention removed is not what they had committed to"
    )


def test_every_table_is_logged_or_says_why_not():
    silent = {name for name, table in metadata.tables.items() if "unlogged" not in table.info}
    assert silent == set()
    assert {name for name, table in LOGGED.items() if "revision" not in table.c} == set()
