"""A chain checked in pieces says what it says when it is checked whole."""

import pytest
from sqlalchemy import create_engine, text

from engine.model.errors import NotFound
from engine.runtime.heads.chains import verify_chain
from engine.store import EventRow
from engine.store.chain import chain_segments
from engine.store.removal.retention import purge_audit_log
from tests.conftest import NOW


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(chain_segments, "SEGMENT", 3)


@pytest.fixture
def chained_store(any_store):
    """Eleven events, the first of them that of the organization's making."""
    with any_store.revision("acme", "me", now=NOW) as revision:
        revision.append_events(
            EventRow(f"e{number}", NOW, "me", "noted", details='{"ö":"\\""}') for number in range(10)
        )
    return any_store


def by_hand(store, statement):
    engine = create_engine(store.url)
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


@pytest.mark.parametrize(
    ("statement", "problem", "at"),
    [
        ("SELECT 1", None, None),
        ("UPDATE audit_log SET actor = 'you' WHERE seq = 4", "event 4 (e2) does not match its hash", 4),
        ("UPDATE audit_log SET hash = replace(hash, 'a', 'b') WHERE seq = 6", "event 6 (e4) does not match", 6),
        ("DELETE FROM audit_log WHERE seq = 5", "event 5 is missing: after 4 comes 6", 5),
        ("DELETE FROM audit_log WHERE seq BETWEEN 4 AND 9", "event 4 is missing: after 3 comes 10", 4),
        ("DELETE FROM audit_log WHERE seq = 1", "event 1 is missing: after 0 comes 2", 1),
        ("DELETE FROM audit_log WHERE seq > 8", "the head says 11 ", 8),
        ("DELETE FROM audit_log", "the head says 11 ", 0),
        ("UPDATE heads SET last_seq = 10", "the head says 10 ", 10),
    ],
)
def test_every_break_is_named(chained_store, statement, problem, at):
    by_hand(chained_store, statement)
    found = chained_store.verify("acme")
    assert (found.problem or "")[: len(problem or "")] == (problem or "")
    assert (found.problem is None) == (problem is None)
    assert found.broken_seq == at
    assert verify_chain(chained_store, "acme", processes=1) == found


@pytest.mark.real
def test_processes_say_the_same_and_count_every_event(chained_store):
    said = []
    chain_check = verify_chain(chained_store, "acme", lambda done, total: said.append((done, total)), processes=2)
    assert chain_check == chained_store.verify("acme")
    assert (chain_check.problem, chain_check.events, said) == (None, 11, [(3, 11), (6, 11), (9, 11), (11, 11)])
    by_hand(chained_store, "UPDATE audit_log SET actor = 'you' WHERE seq = 8")
    chain_check = verify_chain(chained_store, "acme", processes=2)
    assert (chain_check.broken_seq, chain_check.events) == (8, 7)


def test_after_a_cut_it_is_checked_from_there(any_store):
    with any_store.revision("acme", "me", now=NOW) as revision:
        revision.append_events(EventRow(f"e{day}", NOW.replace(day=day), "me", "noted") for day in range(1, 8))
    with any_store.revision("acme", "retention", now=NOW.replace(month=12)) as revision:
        purge_audit_log(revision, NOW.replace(month=12))
    chain_check = verify_chain(any_store, "acme")
    assert (chain_check.problem, chain_check.first_seq, chain_check.events) == (None, 9, chain_check.head_seq - 8)
    by_hand(any_store, "UPDATE chain_cuts SET hash = replace(hash, 'a', 'b')")
    assert verify_chain(any_store, "acme").broken_seq == 9
    with pytest.raises(NotFound):
        verify_chain(any_store, "nobody")
