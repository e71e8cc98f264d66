"""Emptying the outbox: once, by however many processes, and again after every bad day."""

import smtplib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.delivery import attempt, mail, outbox
from engine.delivery.outbox import LEASE
from engine.store import Store
from engine.store.queries.sending.claims import ATTEMPTS, claim
from engine.store.queries.sending.deliveries import resend
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from tests.conftest import NOW
from tests.delivery.conftest import House, message

MINUTE = timedelta(minutes=1)


def events(house, action):
    with house.store.reader() as connection:
        rows = many(connection, audit_log, "acme", action=action, order=("seq",))
    return [(row["object_id"], row["outcome"], row["details"]) for row in rows]


def people(count):
    return [message(recipient=f"p{number:03}@acme.example") for number in range(count)]


def test_each_delivery_is_an_audit_row_without_an_address(any_house, mailbox):
    any_house.mail(mailbox.port)
    (answer,) = any_house.queue(message())
    assert any_house.drain().sent == 1
    details = {"kind": "mapping-digest", "period": "2026-W47", "channel": "email", "attempts": 1}
    assert events(any_house, "digest.delivered") == [(answer["id"], "success", details)]
    assert any_house.store.verify("acme").ok


def test_with_nothing_due_nothing_happens(any_house, mailbox):
    any_house.mail(mailbox.port)
    head = any_house.store.head("acme")
    assert str(any_house.drain()) == "0 sent, 0 retried, 0 failed, 0 skipped, 0 waiting"
    assert any_house.store.head("acme") == head


def test_nothing_configured_means_that_nothing_leaves_and_nothing_is_counted(house):
    house.queue(message(), message(channel="chat"))
    assert str(house.drain()) == "0 sent, 0 retried, 0 failed, 0 skipped, 2 waiting"
    assert house.ledger("status", "attempts", "next_attempt_at") == [("pending", 0, NOW)] * 2


@pytest.mark.real
def test_several_processes_send_each_delivery_once(any_house, mailbox, tmp_path, authority, monkeypatch):
    monkeypatch.setattr(mail, "TIMEOUT_SECONDS", 600.0)  # a machine that stands still for a while proves nothing
    monkeypatch.setattr(outbox, "BUDGET_SECONDS", 600)
    any_house.mail(mailbox.port)
    any_house.queue(*people(40))
    houses = [House(Store(any_house.store.url), tmp_path, authority) for _ in range(3)]
    for other in houses:
        other.outside = any_house.outside
        other.environment = any_house.environment
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda other: other.drain(), houses))
    for other in houses:
        other.store.close()
    assert [sum(result.sent for result in results), sum(result.attempts for result in results)] == [40, 40]
    assert sorted(recipients[0] for _, recipients, _ in mailbox.mails) == [f"p{n:03}@acme.example" for n in range(40)]
    assert set(any_house.ledger("status", "attempts")) == {("sent", 1)}
    assert any_house.store.verify("acme").ok


def test_a_mail_whose_answer_came_too_late_waits_and_is_sent_again_under_the_same_id(house, mailbox, monkeypatch):
    house.mail(mailbox.port)
    (answer,) = house.queue(message())
    taken = smtplib.SMTP.send_message

    def late(session, mail):
        taken(session, mail)
        raise TimeoutError("timed out")

    with monkeypatch.context() as patched:
        patched.setattr(smtplib.SMTP, "send_message", late)
        assert house.drain().retried == 1
    error = "The mail server could not be reached (TimeoutError)."
    assert house.ledger("status", "attempts", "last_error") == [("pending", 1, error)]
    assert house.drain(NOW + 2 * MINUTE).sent == 1
    assert [mail["Message-ID"] for _, _, mail in mailbox.mails] == [f"<{answer['id']}@acme.example>"] * 2
    assert house.ledger("status", "attempts", "last_error") == [("sent", 2, None)]


def test_a_claim_is_one_processs_until_its_lease_ends(any_house):
    any_house.queue(message())
    store, until = any_house.store, NOW + LEASE
    first = claim(store, now=NOW, until=until)
    assert (first.recipient, first.attempt) == ("ann@acme.example", 1)
    assert claim(store, now=NOW, until=until) is None
    assert claim(store, now=until - MINUTE, until=until) is None
    assert claim(store, now=until, until=until + LEASE).attempt == 2


def test_killed_between_commit_and_send_it_is_sent_by_the_next(any_house, mailbox):
    any_house.mail(mailbox.port)
    any_house.queue(message())
    claim(any_house.store, now=NOW, until=NOW + LEASE)  # and here the process dies
    assert any_house.drain(NOW + MINUTE).attempts == 0
    assert any_house.drain(NOW + LEASE + MINUTE).sent == 1
    assert (len(mailbox.mails), any_house.ledger("status", "attempts")) == (1, [("sent", 2)])


def test_killed_between_send_and_commit_it_is_sent_again_under_the_same_id(house, mailbox, monkeypatch):
    house.mail(mailbox.port)
    (answer,) = house.queue(message())

    class KilledError(Exception):
        pass

    def die(*args, **values):
        raise KilledError

    with monkeypatch.context() as patched, pytest.raises(KilledError):
        patched.setattr(outbox._Drain, "_settle", die)
        house.drain()
    assert house.ledger("status", "attempts", "sent_at") == [("pending", 1, None)]
    assert house.drain(NOW + LEASE + MINUTE).sent == 1
    assert [mail["Message-ID"] for _, _, mail in mailbox.mails] == [f"<{answer['id']}@acme.example>"] * 2
    assert house.ledger("status", "attempts") == [("sent", 2)]
    assert len(events(house, "digest.delivered")) == 1


def test_who_lost_its_claim_cannot_give_a_delivery_up(house, mailbox, monkeypatch):
    """A process that slept through its lease comes back with a refusal after another has sent."""
    house.mail(mailbox.port)
    house.queue(message())
    send = attempt.send

    def slow(*args, **values):
        monkeypatch.setattr(outbox, "send", send)
        mailbox.refuse["ann@acme.example"] = "550 no"
        outcome = send(*args, **values)
        mailbox.refuse.clear()
        assert house.drain(NOW + LEASE + MINUTE).sent == 1
        return outcome

    monkeypatch.setattr(outbox, "send", slow)
    assert str(house.drain()) == "0 sent, 0 retried, 0 failed, 0 skipped, 0 waiting"
    assert (len(mailbox.mails), house.ledger("status", "attempts", "last_error")) == (1, [("sent", 2, None)])


def test_after_its_last_attempt_a_delivery_has_failed_and_says_why(house, mailbox):
    house.mail(mailbox.port)
    mailbox.refuse["ann@acme.example"] = "450 ann@acme.example is busy"
    (answer,) = house.queue(message())
    now, waits = NOW, []
    for number in range(1, ATTEMPTS + 1):
        result = house.drain(now)
        assert (result.retried, result.failed) == ((1, 0) if number < ATTEMPTS else (0, 1))
        ((at,),) = house.ledger("next_attempt_at")
        if at is not None:
            assert house.drain(at - timedelta(seconds=1)).attempts == 0
            waits.append((at - now) / MINUTE)
            now = at
    assert all(
        0.74 < wait / usual < 1.3 for wait, usual in zip(waits, [1, 4, 16, 64, 256, 1024, 1440, 1440], strict=True)
    )
    error = "The mail server answered 450 to the recipient."
    assert house.ledger("status", "attempts", "last_error") == [("failed", ATTEMPTS, error)]
    ((found, outcome, details),) = events(house, "delivery.failed")
    assert (found, outcome, details["attempts"], details["error"]) == (answer["id"], "failure", ATTEMPTS, error)
    assert house.drain(now + timedelta(days=30)).attempts == 0


def test_a_delivery_that_kills_its_sender_is_given_up_in_the_end(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message())
    for number in range(ATTEMPTS):
        claim(house.store, now=NOW + number * LEASE, until=NOW + (number + 1) * LEASE)
    assert house.drain(NOW + ATTEMPTS * LEASE + MINUTE).failed == 1
    assert (mailbox.mails, house.ledger("status", "last_error")) == (
        [],
        [("failed", "The last attempt was interrupted.")],
    )


def test_a_failed_delivery_can_be_sent_again_by_hand_and_only_such(house, mailbox):
    house.mail(mailbox.port)
    mailbox.refuse["ann@acme.example"] = "550 no"
    (answer,) = house.queue(message())
    house.drain()
    mailbox.refuse.clear()
    assert house.queue(message())[0]["result"] == "already_failed"
    again = [house.store.write("acme", "ann", lambda r: resend(r, answer["id"]), now=NOW) for _ in range(2)]
    assert again == ["failed", "pending"]
    assert house.drain().sent == 1
    assert house.store.write("acme", "ann", lambda r: resend(r, answer["id"]), now=NOW) == "sent"
    assert house.queue(message())[0]["result"] == "already_delivered"
    assert (len(mailbox.mails), len(events(house, "delivery.resent"))) == (1, 1)


def test_the_clock_jumps_over_a_week_and_each_is_sent_once(house, mailbox):
    house.mail(mailbox.port)
    mailbox.refuse["p001@acme.example"] = "450 later"
    house.queue(*people(3))
    house.drain()
    mailbox.refuse.clear()
    assert house.drain(NOW + timedelta(days=7)).sent == 1
    assert house.drain(NOW + timedelta(days=7)).attempts == 0
    assert house.drain(NOW).attempts == 0  # and back again
    assert len(mailbox.mails) == 3


def test_one_channel_that_is_down_does_not_hold_up_the_others(house, mailbox, chat, hooks):
    house.mail(mailbox.port)
    house.chat(chat)
    house.webhook(hooks)
    house.queue(message(), message(channel="chat"), message(channel="webhook"))
    chat.close()
    assert str(house.drain()) == "2 sent, 1 retried, 0 failed, 0 skipped, 0 waiting"
    assert (len(mailbox.mails), len(hooks.requests)) == (1, 1)


def test_a_drain_deals_with_so_many_and_says_what_is_left(house, mailbox):
    house.mail(mailbox.port)
    house.queue(*people(10))
    assert str(house.drain(limit=4)) == "4 sent, 0 retried, 0 failed, 0 skipped, 6 waiting"


def test_no_attempt_begins_after_the_time_of_a_drain_is_over(house, mailbox, monkeypatch):
    monkeypatch.setattr(outbox, "BUDGET_SECONDS", -1)
    house.mail(mailbox.port)
    house.queue(*people(3))
    assert house.drain().waiting == 3


def test_the_log_names_no_recipient(house, mailbox, hooks, caplog):
    caplog.set_level("DEBUG")
    house.mail(mailbox.port)
    house.webhook(hooks)
    hooks.answers = [(500, {}, b"ann@acme.example")]
    mailbox.refuse["ann@acme.example"] = "550 <ann@acme.example> unknown"
    house.queue(message(), message(channel="webhook"))
    house.drain()
    text = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("hq"))
    assert text.count("delivery dlv_") == 2
    assert "ann@" not in text
    assert "hooks.example" not in text


def test_an_outside_that_fails_in_an_unknown_way_is_not_hidden(house, mailbox):
    def resolve(host, port):
        raise RuntimeError("a fault of ours")

    house.webhook(mailbox, resolve=resolve)
    house.outside = replace(house.outside, resolve=resolve)
    house.queue(message(channel="webhook"))
    with pytest.raises(RuntimeError, match="a fault of ours"):
        house.drain()
    assert house.ledger("status", "attempts") == [("pending", 1)]
