"""Episodes of a key are derived from all that was heard of it: no order and no delay changes how long anything took."""

import itertools
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.incidents.alerts import episodes
from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import ingest_alerts
from engine.incidents.alerts.episodes import KeyMessage, derive_episodes, shorten, write_messages
from engine.store.schema.audit import audit_log
from engine.store.schema.ingest import early_events
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.incidents.alerts.test_sender_clock import MINUTE, deliver, event, keys, stored_rows
from tests.laws import examples


def spans(store, key):
    """Of each incident when it began and ended by the sender's clock, and whether it is live."""
    rows = stored_rows(store, incidents, dedupe_key=key)
    return sorted(
        (row["opened_at"], row["acknowledged_at"], row["resolved_at"] or NOW, row["status"])
        for row in rows
        if row["parent_state"] is None
    )


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["firing", "firing", "resolved", "update"]), st.integers(-400, -1)), max_size=8),
    st.randoms(use_true_random=False),
)
@example([("firing", -400), ("resolved", -290), ("firing", -200), ("resolved", -90)], None)
@example([("firing", -484), ("update", -470), ("resolved", -351), ("firing", -137)], Random(3))
def test_episodes_are_the_same_in_any_order_and_with_any_delay(store, events, chance):
    ordered, shuffled = f"key-{next(keys)}", f"key-{next(keys)}"
    events = sorted(set(events), key=lambda one: one[1])
    for state, minutes in events:
        deliver(store, event(state, minutes, ordered, acknowledged=state == "update"), at=NOW + minutes * MINUTE)
    mixed = [*events, *events[:2]]
    if chance is not None:
        chance.shuffle(mixed)
    deliver(store, *(event(state, minutes, shuffled, acknowledged=state == "update") for state, minutes in mixed))
    assert spans(store, shuffled) == spans(store, ordered)


def test_a_recovery_heard_late_never_shortens_an_incident(store):
    deliver(store, event("firing", -400), event("resolved", -40))
    (incident,) = stored_rows(store, incidents)
    assert incident["resolved_at"] - incident["opened_at"] == timedelta(hours=6)
    assert incident["opened_heard_at"] == incident["resolved_heard_at"] == NOW


def test_a_recovery_that_comes_late_splits_what_was_counted_as_one(store):
    deliver(store, event("firing", -400), event("firing", -200), event("resolved", -90))
    assert len(stored_rows(store, incidents)) == 1
    assert deliver(store, event("resolved", -290)) == ["out_of_order"]
    first, second = stored_rows(store, incidents, order=("opened_at",))
    assert (first["resolved_at"], second["opened_at"]) == (NOW - 290 * MINUTE, NOW - 200 * MINUTE)
    assert second["related_to"] == first["id"]
    assert store.verify_rows("acme").ok
    assert store.verify("acme").ok


TWO_EPISODES = (event("firing", -400), event("resolved", -300), event("firing", -200), event("resolved", -90))


@pytest.mark.parametrize("order", list(itertools.permutations(TWO_EPISODES)))
def test_two_late_episodes_are_two_in_any_order_and_the_later_names_the_earlier(store, order):
    deliver(store, *order)
    first, second = stored_rows(store, incidents, order=("opened_at",))
    minutes = [(row["resolved_at"] - row["opened_at"]) // MINUTE for row in (first, second)]
    assert (minutes, first["related_to"], second["related_to"]) == ([100, 110], None, first["id"])


def test_an_acknowledgement_that_comes_late_is_that_of_the_earlier_incident(store):
    deliver(store, *TWO_EPISODES[:3])
    ann = "ann@acme.example"
    taken = event("update", -390, acknowledged=True, acknowledged_by=ann, note="incident.acknowledged by Ann")
    assert deliver(store, taken) == ["updated"]
    first, second = stored_rows(store, incidents, order=("opened_at",))
    assert (first["acknowledged_at"], first["acknowledged_heard_at"]) == (NOW - 390 * MINUTE, NOW)
    assert (first["acknowledged_by"], second["acknowledged_at"], second["status"]) == (ann, None, "open")
    (line,) = stored_rows(store, incident_timeline, body="incident.acknowledged by Ann")
    assert (line["incident_id"], line["happened_at"]) == (first["id"], NOW - 390 * MINUTE)
    acknowledged = stored_rows(store, audit_log, action="incident.acknowledged")
    assert [one["object_id"] for one in acknowledged] == [first["id"]]


def test_what_splits_off_says_what_it_was_a_part_of(store):
    deliver(store, *TWO_EPISODES[::2], TWO_EPISODES[3], TWO_EPISODES[1])
    first, second = stored_rows(store, incidents, order=("opened_at",))
    texts = [line["body"] for line in stored_rows(store, incident_timeline, incident_id=second["id"])]
    assert texts == [f"Split off {first['id']}: a recovery between them came late"]


def test_of_a_key_that_flaps_for_long_there_is_one_incident(store):
    """More messages than are kept of a key."""
    pairs = [(event("firing", minutes), event("resolved", minutes + 1)) for minutes in range(-900, -300, 2)]
    told = [one for pair in pairs for one in pair]
    change = partial(ingest_alerts, alerts=told, receipt=Receipt(NOW))
    store.write("acme", "monitor", change, now=NOW)
    assert deliver(store, event("firing", -299)) == ["reopened"]
    assert deliver(store, event("resolved", -290)) == ["resolved"]
    (incident,) = stored_rows(store, incidents)
    assert (incident["opened_at"], incident["resolved_at"]) == (NOW - 900 * MINUTE, NOW - 290 * MINUTE)
    assert store.verify_rows("acme").ok


drawn_messages = st.lists(
    st.tuples(st.sampled_from(["firing", "resolved", "acknowledged", "close", "reopen"]), st.integers(-400, -1)),
    max_size=20,
    unique_by=lambda one: one[1],
)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn_messages)
def test_what_is_kept_of_old_messages_makes_the_same_episodes(monkeypatch, drawn):
    """Begin, acknowledgement, end and state of each, whatever was forgotten between."""
    monkeypatch.setattr(episodes, "MOST_MESSAGES", 3)
    within = timedelta(hours=1)
    kept, every = [], []
    for number, (kind, minutes) in enumerate(sorted(drawn, key=lambda one: one[1])):
        at = NOW + minutes * MINUTE
        by = None if kind in ("firing", "resolved") else "ann@acme.example"
        one = KeyMessage(kind, at, at, at, incident_id=f"inc-{number}" if kind == "firing" else None, by=by)
        if kind == "firing" and (derive_episodes([*every, one], within)[-1].begin is not one):
            one = one._replace(incident_id=None)
        every, kept = [*every, one], shorten([*kept, one], within)
    whole, part = (derive_episodes(found, within) for found in (every, kept))
    assert [(one.columns(), one.ids) for one in part] == [(one.columns(), one.ids) for one in whole]


def test_a_message_between_two_makes_one_of_them_and_no_identifier_goes(store):
    deliver(store, event("firing", -200), event("resolved", -190), event("firing", -100), event("resolved", -90))
    assert deliver(store, event("firing", -140)) == ["out_of_order"]
    first, second = stored_rows(store, incidents, order=("opened_at",))
    assert (first["resolved_at"], second["resolved_at"], second["parent_id"]) == (NOW - 90 * MINUTE, None, first["id"])
    assert deliver(store, event("resolved", -135)) == ["no_open_incident"]
    assert store.verify_rows("acme").ok


def test_messages_of_a_key_of_which_an_incident_was_forgotten_are_read(store):
    """As an earlier version kept them: an alert that opened an incident again, without the one that opened it."""
    deliver(store, event("firing", -300), event("resolved", -290), event("firing", -280))
    (known,) = stored_rows(store, incidents)
    at = NOW - 280 * MINUTE
    with store.revision("acme", "setup", now=NOW) as revision:
        messages = write_messages([KeyMessage("firing", at, at, at)])
        revision.side_tables.execute(early_events.update().values(messages=messages))
        revision.record("import.completed")
    deliver(store, event("resolved", -270))
    _, other = stored_rows(store, incidents, order=("opened_at",))
    (line,) = stored_rows(store, incident_timeline, incident_id=other["id"])
    assert line["body"] == f"Split off {known['id']}: a recovery between them came late"
    assert other["status"] == "resolved"
    assert store.verify_rows("acme").ok
