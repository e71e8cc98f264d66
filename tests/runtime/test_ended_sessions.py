"""What is noted of sessions that were ended goes when they would be over anyway."""

from datetime import timedelta

import pytest

import scheduler
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.accounts.sessions import ALL, end_sessions, session_ends
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.web.admission.sessions import LIFE
from tests.conftest import NOW

KEPT = timedelta(days=scheduler.ENDED_DAYS)


@pytest.fixture
def prune(any_store, tmp_path):
    """Prunes at a moment; what is known then of the sessions of ann."""

    def run(now, **names):
        settings = Settings.of({"SVC_DATA_DIR": str(tmp_path), **names})
        pruning = scheduler.pruning(Services(settings, any_store, None, now), now)
        with any_store.reader() as connection:
            return pruning, session_ends(connection, "acme", "ann@acme.example")

    return run


@pytest.fixture
def store_with_ends(any_store):
    """One session of ann was ended, and a day later all of them."""
    for day, session_id in enumerate(("s1", ALL)):
        with any_store.revision("acme", "console", now=NOW + timedelta(days=day)) as revision:
            end_sessions(revision, "ann@acme.example", session_id)


def prune_line(count):
    return f"texts of 0 deliveries, 0 runs, {count} ended sessions and 0 unfinished seals removed"


def test_they_go_long_after_the_sessions_are_over(any_store, prune, store_with_ends):
    assert KEPT > 2 * LIFE
    day = timedelta(days=1)
    assert prune(NOW + KEPT) == (prune_line(0), (frozenset({"s1"}), NOW + day))
    assert prune(NOW + KEPT + timedelta(seconds=1)) == (prune_line(1), (frozenset(), NOW + day))
    assert prune(NOW + KEPT + 2 * day) == (prune_line(1), (frozenset(), None))
    assert prune(NOW + KEPT + 3 * day) == (prune_line(0), (frozenset(), None))
    with any_store.reader() as connection:
        events = many(connection, audit_log, "acme", action="session.pruned")
    assert [(event["actor"], event["details"]) for event in events] == [("pruning", {"removed": 1})] * 2


@pytest.mark.parametrize(
    "names", [{"SVC_SESSION_JWKS_FILE": "keys.json"}, {"SVC_SESSION_SECRET": "a secret that others have as well, so"}]
)
def test_those_of_sessions_that_others_sign_stay(names, prune, store_with_ends):
    assert prune(NOW + 99 * KEPT, **names) == (prune_line(0), (frozenset({"s1"}), NOW + timedelta(days=1)))
