"""Claims in any order of events: however processes die, sleep and are put off, one holds a delivery, and none is left."""

import random
from collections import Counter
from datetime import timedelta

import pytest

from engine.delivery.backoff import MOST_SECONDS
from engine.delivery.outbox import LEASE
from engine.store.queries.sending.claims import claim, postpone, settle
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from tests.conftest import NOW
from tests.delivery.conftest import message

LONGEST = timedelta(seconds=MOST_SECONDS)
STEPS = ("claim", "claim", "claim", "sent", "failed", "retry", "throttled", "died")
PAUSES = [timedelta(minutes=minutes) for minutes in (0, 0, 1, 6, 90)]


def finish(house, held, status, action, now):
    return house.store.write("acme", "t", lambda revision: settle(revision, held, status, action, None), now=now)


@pytest.mark.parametrize("seed", range(6))
def test_a_delivery_is_held_by_one_ends_once_and_is_never_left_behind(any_house, seed):
    chance, now, held = random.Random(seed), NOW, []
    any_house.queue(*(message(channel="chat", period=f"2026-W{week}") for week in range(10, 18)))
    for _ in range(60):
        now += chance.choice(PAUSES)
        step = chance.choice(STEPS)
        if step == "claim":
            found = claim(any_house.store, now=now, until=now + LEASE)
            if found is not None:
                assert [one for one in held if one.id == found.id and one.until > now] == []
                held.append(found)
        elif held:
            one = held.pop(chance.randrange(len(held)))
            if step in ("sent", "failed"):
                finish(any_house, one, step, "digest.delivered" if step == "sent" else "delivery.failed", now)
            elif step != "died":
                wait = timedelta(minutes=chance.choice([1, 4, 60, 1440]))
                postpone(any_house.store, one, now + wait, "busy", also=step == "throttled")
        for status, at in any_house.ledger("status", "next_attempt_at"):
            assert (at is None) if status != "pending" else at <= now + LONGEST
    now += LONGEST
    while (found := claim(any_house.store, now=now, until=now + LEASE)) is not None:
        assert finish(any_house, found, "sent", "digest.delivered", now)
    ledger = dict(any_house.ledger("id", "status"))
    assert set(ledger.values()) <= {"sent", "failed"}
    with any_house.store.reader() as connection:
        rows = [row for row in many(connection, audit_log, "acme") if row["object_type"] == "delivery"]
    ends = {"digest.delivered": "sent", "delivery.failed": "failed"}
    counts = Counter((row["object_id"], ends[row["action"]]) for row in rows if row["action"] in ends)
    assert counts == Counter(ledger.items())
    assert any_house.store.verify("acme").ok
