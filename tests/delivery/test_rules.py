"""The rules of the outbox, one by one, on each engine: who may have a delivery, who may say how it ended, and when."""

from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from engine.delivery import enqueue, mail, outbox, post
from engine.store.queries.sending.claims import claim, postpone, settle
from engine.store.queries.sending.deliveries import insert, resend
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.outputs import deliveries
from tests.conftest import NOW
from tests.delivery.conftest import message

MINUTE = timedelta(minutes=1)
LEASE = 5 * MINUTE
ACTIONS = {"sent": "digest.delivered", "failed": "delivery.failed", "skipped": "delivery.skipped"}


def take(house, now=NOW, until=None, **options):
    return claim(house.store, now=now, until=until or now + LEASE, **options)


def end(house, held, status, error=None, now=NOW):
    def change(revision):
        return settle(revision, held, status, ACTIONS[status], error)

    return house.store.write("acme", "t", change, now=now)


def row(house):
    with house.store.reader() as connection:
        (delivery_row,) = many(connection, deliveries, "acme")
    return delivery_row


def events(house):
    """(action, outcome, details) of what became of deliveries."""
    with house.store.reader() as connection:
        audit_log_rows = [row for row in many(connection, audit_log, "acme") if row["action"] in ACTIONS.values()]
    return [(row["action"], row["outcome"], row["details"]) for row in audit_log_rows]


@pytest.fixture
def orphan_delivery(any_house):
    """A delivery whose first claim ended before its sender was heard of, and is another's now: both claims."""
    any_house.queue(message())
    first = take(any_house)
    second = take(any_house, NOW + LEASE)
    return any_house, first, second


# -- claims ------------------------------------------------------------------------------------------------------------


def test_what_is_due_longest_is_taken_first_and_nothing_before_it_is_due(any_house):
    any_house.queue(message(period="2026-W48"), now=NOW + MINUTE)
    any_house.queue(message(period="2026-W47"))
    assert take(any_house, NOW - MINUTE) is None
    taken = [take(any_house, NOW + MINUTE), take(any_house, NOW + MINUTE), take(any_house, NOW + MINUTE)]
    known = dict(any_house.ledger("period", "id"))
    assert [one and one.id for one in taken] == [known["2026-W47"], known["2026-W48"], None]


def test_a_claim_is_counted_as_it_is_made_and_holds_until_it_ends(any_house):
    any_house.queue(message())
    first = take(any_house)
    assert (first.attempt, first.until, row(any_house)["attempts"]) == (1, NOW + LEASE, 1)
    assert take(any_house, NOW + LEASE - MINUTE) is None
    assert take(any_house, NOW + LEASE).attempt == 2


def test_a_claim_outlasts_any_attempt():
    """A mail waits for its server at most twelve times, from the connection to the goodbye."""
    assert outbox.LEASE.total_seconds() > max(12 * mail.TIMEOUT_SECONDS, post.DEADLINE_SECONDS)


def test_channels_that_are_left_alone_are_not_taken(any_house):
    any_house.queue(message(), message(channel="chat"))
    assert [take(any_house, without={"email"}).channel, take(any_house, without={"email"})] == ["chat", None]


def test_of_two_that_read_the_same_delivery_one_takes_it(any_house, monkeypatch):
    """The other claims between the look and the update of the first."""
    any_house.queue(message())
    plain, others = any_house.store.unversioned_transaction, []

    def on_the_side():
        monkeypatch.setattr(any_house.store, "unversioned_transaction", plain)
        others.append(take(any_house, until=NOW + 2 * LEASE))
        return plain()

    monkeypatch.setattr(any_house.store, "unversioned_transaction", on_the_side)
    assert take(any_house) is None
    assert [one.attempt for one in others] == [1]
    assert (row(any_house)["attempts"], row(any_house)["next_attempt_at"]) == (1, NOW + 2 * LEASE)


@pytest.mark.parametrize("status", ACTIONS)
def test_what_has_ended_is_never_taken_again(any_house, status):
    any_house.queue(message())
    assert end(any_house, take(any_house), status)
    assert take(any_house, NOW + timedelta(days=400)) is None
    assert (row(any_house)["status"], row(any_house)["next_attempt_at"]) == (status, None)


# -- how it ended ------------------------------------------------------------------------------------------------------


def test_what_was_sent_is_sent_although_another_holds_it_now(orphan_delivery):
    house, first, second = orphan_delivery
    assert end(house, first, "sent", now=NOW + LEASE + MINUTE)
    assert (row(house)["status"], row(house)["sent_at"]) == ("sent", NOW + LEASE + MINUTE)
    for status in ACTIONS:
        assert not end(house, second, status, "too late", now=NOW + LEASE + 2 * MINUTE)
    postpone(house.store, second, NOW + 2 * LEASE, "busy", also=True)
    found = row(house)
    assert (found["status"], found["sent_at"], found["next_attempt_at"], found["last_error"]) == (
        "sent",
        NOW + LEASE + MINUTE,
        None,
        None,
    )
    assert [action for action, _, _ in events(house)] == ["digest.delivered"]


def test_a_claim_that_was_lost_cannot_overwrite_sent(orphan_delivery):
    house, first, second = orphan_delivery
    assert end(house, second, "sent", now=NOW + LEASE + MINUTE)
    for status in ACTIONS:
        assert not end(house, first, status, "too late", now=NOW + LEASE + 2 * MINUTE)
    postpone(house.store, first, NOW + 2 * LEASE, "busy", also=True)
    found = row(house)
    assert (found["status"], found["sent_at"], found["next_attempt_at"], found["last_error"]) == (
        "sent",
        NOW + LEASE + MINUTE,
        None,
        None,
    )
    assert [action for action, _, _ in events(house)] == ["digest.delivered"]


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_giving_up_and_putting_off_are_for_whoever_holds_the_claim(orphan_delivery, status):
    house, first, second = orphan_delivery
    assert not end(house, first, status, "refused")
    postpone(house.store, first, NOW + 9 * LEASE, "busy")
    found = row(house)
    assert (found["status"], found["next_attempt_at"], found["last_error"], events(house)) == (
        "pending",
        second.until,
        None,
        [],
    )
    assert end(house, second, status, "refused")
    assert row(house)["status"] == status


def test_a_claim_is_known_by_its_attempt_where_both_end_at_once(any_house):
    any_house.queue(message())
    first = take(any_house)
    second = take(any_house, NOW + LEASE, until=NOW + LEASE)
    postpone(any_house.store, first, NOW + 9 * LEASE, "busy")
    assert (first.until, end(any_house, first, "failed")) == (second.until, False)
    assert row(any_house)["next_attempt_at"] == second.until


def test_a_claim_is_known_by_its_end_where_attempts_were_counted_anew(any_house):
    any_house.queue(message())
    first = take(any_house)
    assert end(any_house, first, "failed")
    any_house.store.write("acme", "t", lambda revision: resend(revision, first.id), now=NOW + MINUTE)
    second = take(any_house, NOW + MINUTE)
    postpone(any_house.store, first, NOW + 9 * LEASE, "busy")
    assert (first.attempt, end(any_house, first, "failed")) == (second.attempt, False)
    assert (row(any_house)["status"], row(any_house)["next_attempt_at"]) == ("pending", second.until)


@pytest.mark.parametrize(("status", "outcome"), [("sent", "success"), ("failed", "failure"), ("skipped", "failure")])
def test_an_end_is_one_event_with_attempts_and_reason_and_only_what_was_sent_has_a_time(any_house, status, outcome):
    any_house.queue(message())
    assert end(any_house, take(any_house), status, None if status == "sent" else "refused", now=NOW + MINUTE)
    details = {"kind": "mapping-digest", "period": "2026-W47", "channel": "email", "attempts": 1}
    if status != "sent":
        details["error"] = "refused"
    assert events(any_house) == [(ACTIONS[status], outcome, details)]
    assert row(any_house)["sent_at"] == (NOW + MINUTE if status == "sent" else None)
    assert row(any_house)["last_error"] == (None if status == "sent" else "refused")


# -- later -------------------------------------------------------------------------------------------------------------


def test_what_is_put_off_is_due_then_with_its_reason_and_its_attempts(any_house):
    any_house.queue(message())
    postpone(any_house.store, take(any_house), NOW + LEASE + MINUTE, "busy")
    found = row(any_house)
    assert (found["status"], found["attempts"], found["last_error"]) == ("pending", 1, "busy")
    assert [take(any_house, NOW + LEASE), take(any_house, NOW + LEASE + MINUTE).attempt] == [None, 2]


def test_a_place_that_asks_for_patience_has_it_of_all_that_wait_for_it_and_of_nobody_else(any_house):
    later = NOW + 9 * LEASE
    with any_house.store.revision("other", "t", now=NOW, create={"name": "Other"}) as revision:
        enqueue(revision, [message(period="2026-W50")])
    any_house.queue(
        message(period="2026-W47"),
        message(period="2026-W48"),
        message(period="2026-W49", recipient="bob@acme.example"),
        message(period="2026-W51", channel="chat", recipient="ann@acme.example"),
        now=NOW,
    )
    any_house.queue(message(period="2026-W52"), now=later + MINUTE)
    with any_house.store.revision("acme", "t", now=NOW - MINUTE) as revision:
        enqueue(revision, [message(period="2026-W46")])
    held = take(any_house)
    postpone(any_house.store, held, later, "slow down", also=True)
    assert any_house.ledger("period", "next_attempt_at", "attempts") == [
        ("2026-W46", later, 1),
        ("2026-W47", later, 0),
        ("2026-W48", later, 0),
        ("2026-W49", NOW, 0),
        ("2026-W51", NOW, 0),
        ("2026-W52", later + MINUTE, 0),
    ]
    assert any_house.ledger("next_attempt_at", org="other") == [(NOW,)]


# -- the ledger --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "result"), [("sent", "already_delivered"), ("failed", "already_failed"), ("skipped", "already_skipped")]
)
def test_what_the_ledger_has_is_not_queued_again_however_it_ended(any_house, status, result):
    (first,) = any_house.queue(message())
    end(any_house, take(any_house), status)
    (again,) = any_house.queue(message(), now=NOW + timedelta(days=30))
    assert again == {**first, "status": status, "result": result}
    assert (row(any_house)["status"], take(any_house, NOW + timedelta(days=31))) == (status, None)


def test_the_store_itself_refuses_a_second_row_under_a_key(any_house):
    any_house.queue(message())
    known = row(any_house)
    fresh = {name: value for name, value in known.items() if name not in ("org_id", "revision")} | {"id": "dlv_other"}
    contents = {"delivery_id": "dlv_other", "subject": None, "body_text": "x", "body_html": None, "blocks": None}

    def add(revision):
        insert(revision, [(fresh, contents)])
        revision.record("delivery.queued")

    with pytest.raises(IntegrityError):
        any_house.store.write("acme", "t", add, now=NOW)
    assert any_house.ledger("id") == [(known["id"],)]
    any_house.store.write("acme", "t", lambda revision: resend(revision, known["id"]), now=NOW)
    assert row(any_house)["status"] == "pending"


@pytest.mark.parametrize("status", ACTIONS)
def test_only_what_was_given_up_is_sent_again_by_hand(any_house, status):
    any_house.queue(message())
    held = take(any_house)
    end(any_house, held, status, "refused")
    at = NOW + timedelta(days=1)
    assert any_house.store.write("acme", "ann", lambda revision: resend(revision, held.id), now=at) == status
    found = row(any_house)
    again = (found["status"], found["attempts"], found["next_attempt_at"], found["last_error"])
    assert again == (("sent", 1, None, "refused") if status == "sent" else ("pending", 0, at, None))
