"""Order is judged by the sender's clock, whatever the order and the time of delivery."""

import itertools
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import ingest_alerts
from engine.intake.alerts import Alert
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.ingest import early_events
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.laws import examples

keys = itertools.count()
MINUTE = timedelta(minutes=1)


def event(state, minutes, key="disk", **given):
    """An event that its sender dates so many minutes after ``NOW``; None without a date."""
    at = None if minutes is None else NOW + timedelta(minutes=minutes)
    return Alert("pagerduty", key, state, "Disk full", occurred_at=at, **given)


def deliver(store, *events, at=NOW, **given):
    """Each in a write of its own; the outcomes."""
    found = []
    for one in events:
        change = partial(ingest_alerts, alerts=[one], receipt=Receipt(at, **given))
        found += [result["outcome"] for result in store.write("acme", "monitor", change, now=at)]
    return found


def stored_rows(store, table, **where):
    with store.reader() as connection:
        return many(connection, table, "acme", **where)


def states(store, key="disk"):
    return [row["status"] for row in stored_rows(store, incidents, dedupe_key=key, order=("opened_at",))]


def timeline_texts(store):
    return sorted(row["body"] for row in stored_rows(store, incident_timeline))


TRIGGER, RESOLVE, REOPEN = event("firing", -30), event("resolved", -20), event("firing", -10)


@pytest.mark.parametrize("order", list(itertools.permutations((TRIGGER, RESOLVE, REOPEN))))
def test_trigger_resolve_trigger_again_ends_open_in_any_order_of_delivery(store, order):
    deliver(store, *order)
    assert states(store) == ["open"]
    assert store.verify("acme").problem is None


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_sender_whose_clock_is_an_hour_off_loses_nothing(store, hours):
    shifted = [event(state, minutes + 60 * hours) for state, minutes in (("firing", 0), ("resolved", 5), ("firing", 9))]
    assert deliver(store, *shifted) == ["created", "resolved", "reopened"]
    assert states(store) == ["open"]


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(days=1130)])
def test_a_start_that_is_ahead_is_corrected_once(store, ahead):
    """The trouble began when it was heard, as the event that it comes with."""
    deliver(store, event("firing", ahead / MINUTE, started_at=NOW + ahead))
    (row,) = stored_rows(store, incidents)
    assert (row["started_at"], row["opened_at"]) == (NOW, NOW)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["firing", "resolved"]), st.integers(-90, 90)), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
@example([("resolved", 3), ("firing", 3)], None)
@example([("firing", 3), ("resolved", 3)], None)
def test_any_order_of_delivery_ends_in_the_state_of_the_senders_last_event(store, events, chance):
    key = f"key-{next(keys)}"
    if chance is not None:
        chance.shuffle(events)
    deliver(store, *(event(state, minutes, key) for state, minutes in events))
    last = max(minutes for _, minutes in events)
    ended = ("resolved", last) in events
    live = [state for state in states(store, key) if state != "resolved"]
    assert live == ([] if ended else ["open"])


def test_a_recovery_before_its_alert_is_remembered_and_the_alert_is_recorded_as_over(store):
    assert deliver(store, RESOLVE) == ["no_open_incident"]
    (early,) = stored_rows(store, early_events)
    assert (early["dedupe_key"], early["recovered_at"]) == ("disk", RESOLVE.occurred_at)
    assert deliver(store, TRIGGER, event("firing", -20)) == ["out_of_order", "out_of_order"]
    (incident,) = stored_rows(store, incidents)
    assert (incident["status"], incident["resolved_at"], incident["sender_at"]) == (
        "resolved",
        RESOLVE.occurred_at,
        RESOLVE.occurred_at,
    )
    assert (incident["opened_at"], incident["opened_heard_at"]) == (TRIGGER.occurred_at, NOW)
    assert timeline_texts(store) == [
        "An alert of 2026-11-20 08:10:00 UTC came after its recovery; it opens nothing",
        "Opened by pagerduty: Disk full",
        "Resolved: its recovery of 2026-11-20 08:10 UTC came first",
    ]
    assert deliver(store, REOPEN) == ["reopened"]


def test_a_recovery_without_an_alert_is_recorded_once(store):
    deliver(store, RESOLVE, RESOLVE, event("resolved", -40), event("resolved", None))
    actions = [(row["action"], row["details"]) for row in stored_rows(store, audit_log)][1:]
    assert actions == [("alert.ingested", {"outcome": "no_open_incident"})] * 2, "once for each time that it names"


def test_a_late_recovery_ends_nothing_and_is_told(store):
    assert deliver(store, REOPEN, RESOLVE) == ["created", "out_of_order"]
    assert timeline_texts(store)[:1] == [
        "A recovery of 2026-11-20 08:10:00 UTC came after a later alert; it ends nothing"
    ]


def test_an_acknowledgement_before_its_alert_counts(store):
    taken = event("update", -5, acknowledged=True, note="incident.acknowledged by Ann")
    assert deliver(store, taken, TRIGGER) == ["no_open_incident", "created"]
    assert states(store) == ["acknowledged"]
    assert deliver(store, RESOLVE, REOPEN) == ["resolved", "reopened"]
    assert states(store) == ["acknowledged"], "it was dated after the second alert"


def test_an_acknowledgement_of_an_earlier_alert_is_only_noted(store):
    deliver(store, REOPEN, event("update", -15, acknowledged=True, note="by Ann"))
    assert states(store) == ["open"]
    assert timeline_texts(store)[1:] == ["by Ann"]


def test_events_without_a_time_count_in_the_order_in_which_they_come(store):
    untimed = [event(state, None) for state in ("firing", "resolved", "firing", "resolved")]
    assert deliver(store, *untimed) == ["created", "resolved", "reopened", "resolved"]


def test_flapping_is_one_line_that_counts(store):
    """Two reopenings have a line each; from the third on one line says how often, and where it stands."""
    begins = [event("firing", minutes) for minutes in range(-60, -40, 2)]
    ends = [event("resolved", minutes) for minutes in range(-59, -39, 2)]
    deliver(store, *(one for pair in zip(begins, ends, strict=True) for one in pair))
    flaps = [text for text in timeline_texts(store) if text.startswith("Flapping")]
    since, end = "2026-11-20 07:32:00 UTC", "2026-11-20 07:49:00 UTC"
    assert flaps == [f"Flapping: opened again 9 times since {since}, now resolved at {end}"]
    assert [text for text in timeline_texts(store) if text not in flaps] == [
        "Opened by pagerduty: Disk full",
        *["Reopened: the alert fires again"] * 2,
        *["Resolved by pagerduty"] * 3,
    ]
    assert deliver(store, event("firing", -38)) == ["reopened"]
    assert f"Flapping: opened again 10 times since {since}, now open" in timeline_texts(store)
    assert (store.verify("acme").ok, store.verify_rows("acme").ok) == (True, True)


def test_flapping_that_is_heard_backwards_is_one_line_too(store):
    begins = [event("firing", minutes) for minutes in range(-60, -40, 2)]
    ends = [event("resolved", minutes) for minutes in range(-59, -39, 2)]
    deliver(store, *reversed(ends), *reversed(begins))
    flaps = [text for text in timeline_texts(store) if text.startswith("Flapping")]
    assert flaps == [
        "Flapping: opened again 9 times since 2026-11-20 07:32:00 UTC, now resolved at 2026-11-20 07:49:00 UTC"
    ]
    assert len(timeline_texts(store)) == 5


def test_a_time_ahead_of_ours_is_noted_as_clock_skew(store):
    deliver(store, event("firing", 5), event("resolved", 59))
    assert timeline_texts(store) == [
        "Clock skew: the sender dates this 2026-11-20 09:29:00 UTC, 59 min after it came; corrected by that",
        "Opened by pagerduty: Disk full",
        "Resolved by pagerduty",
    ]


def test_what_is_applied_later_than_it_came_takes_its_own_place(store):
    """A dead letter that is read again does not undo what was heard since."""
    earlier = NOW - timedelta(days=1)
    assert deliver(store, event("firing", None), event("resolved", None)) == ["created", "resolved"]
    assert deliver(store, event("firing", None), at=earlier, replayed=True) == ["out_of_order"]
    assert deliver(store, event("firing", None, "cpu"), at=earlier, replayed=True) == ["created"]
    (incident,) = stored_rows(store, incidents, dedupe_key="cpu")
    assert (incident["opened_at"], incident["last_seen_at"]) == (earlier, earlier)


# -- senders that date an alert by its beginning ------------------------------------------------------------------------


def episode(state, began, ended=None, key="disk"):
    """What Alertmanager says of a problem: each time with the date of its beginning."""
    times = [None if minutes is None else NOW + timedelta(minutes=minutes) for minutes in (began, ended)]
    at = times[1] if state == "resolved" else times[0]
    return Alert("alertmanager", key, state, "Disk full", started_at=times[0], occurred_at=at, dated_by_start=True)


FIRES, ENDS = episode("firing", -50), episode("resolved", -50, -40)
FIRES_LATER, ENDS_LATER = episode("firing", -30), episode("resolved", -30, -20)


def test_an_alert_that_fires_after_its_recovery_under_its_old_date_is_open_again(store):
    """Nothing was heard of it for a while, so that the monitor called it resolved; then it was heard of again."""
    assert deliver(store, FIRES, ENDS, FIRES) == ["created", "resolved", "out_of_order"], "a repeated delivery"
    assert deliver(store, FIRES, FIRES, at=NOW + timedelta(minutes=5)) == ["reopened", "deduplicated"]
    assert states(store) == ["open"]
    assert deliver(store, episode("resolved", -50, 6), at=NOW + timedelta(minutes=6)) == ["resolved"]
    assert deliver(store, FIRES, at=NOW + timedelta(hours=4)) == ["created"]
    assert states(store) == ["resolved", "open"]


def test_so_is_the_second_episode_of_an_incident(store):
    deliver(store, FIRES, ENDS, FIRES_LATER, ENDS_LATER)
    assert deliver(store, FIRES_LATER, at=NOW + timedelta(minutes=8)) == ["reopened"]


@pytest.mark.parametrize("order", list(itertools.permutations((FIRES, ENDS, FIRES_LATER))))
def test_episodes_in_any_order_of_delivery_end_open_where_the_last_one_does(store, order):
    deliver(store, *order)
    assert states(store) == ["open"]


@pytest.mark.parametrize("order", list(itertools.permutations((FIRES, ENDS, FIRES_LATER, ENDS_LATER))))
def test_episodes_in_any_order_of_delivery_end_as_over_where_all_of_them_are(store, order):
    deliver(store, *order)
    assert set(states(store)) == {"resolved"}
    assert store.verify("acme").problem is None


def test_an_alert_that_came_after_its_recovery_is_late_once(store):
    assert deliver(store, FIRES, ENDS_LATER, FIRES_LATER) == ["created", "resolved", "out_of_order"]
    assert deliver(store, FIRES_LATER, at=NOW + timedelta(minutes=8)) == ["reopened"]


def test_a_dead_letter_from_before_the_recovery_opens_nothing(store):
    deliver(store, FIRES, ENDS)
    assert deliver(store, FIRES, at=NOW - timedelta(minutes=45), replayed=True) == ["out_of_order"]


def test_a_time_ahead_of_the_senders_own_time_of_sending_is_corrected(store):
    sent = NOW - timedelta(hours=5)
    deliver(store, event("firing", -200, sent_at=sent))
    (incident,) = stored_rows(store, incidents)
    assert incident["opened_at"] == sent
    assert timeline_texts(store)[0] == (
        "Clock skew: the sender dates this 2026-11-20 05:10:00 UTC, 100 min ahead by its own time of sending; "
        "corrected by that"
    )


@pytest.mark.parametrize(
    ("minutes", "sent", "began"),
    [
        (20, 60, -40),  # its clock is an hour ahead, and so is what it dates
        (-10, 60, -70),
        (60, 60, 0),
        (70, 60, 0),  # ten minutes ahead of its own clock as well
        (62, 60, 0),  # within the skew that is allowed
        (4, 4, 0),
        (-10, 4, -10),
        (-10, -5, -10),
    ],
)
def test_a_message_that_is_sent_ahead_of_our_time_says_by_how_much_its_clock_is(store, minutes, sent, began):
    deliver(store, event("firing", minutes, sent_at=NOW + sent * MINUTE))
    (incident,) = stored_rows(store, incidents)
    assert incident["opened_at"] == NOW + began * MINUTE
    named = [text for text in timeline_texts(store) if text.startswith("Clock skew: ")]
    assert len(named) == (sent == 60)


def test_an_update_that_raises_the_severity_says_so(store):
    deliver(store, TRIGGER, event("update", -5, severity="critical", severity_given=True, note="priority: P1"))
    assert [row["severity"] for row in stored_rows(store, incidents)] == ["critical"]
    assert timeline_texts(store)[-2:] == ["Severity rose from medium to critical", "priority: P1"]
