"""Each call on the socket of a delivery fails once: what is owed is sent on the next drain, and its ledger is whole."""

import errno
import os
from collections import Counter
from datetime import timedelta

import pytest

from tests.conftest import NOW
from tests.delivery.conftest import message
from tests.delivery.test_drain import events
from tests.faults.layer import failing_sends

MOST = 60  # calls of one delivery
LATER = timedelta(days=1)
ERRORS = (errno.ECONNRESET, errno.EPIPE, errno.ENOBUFS, errno.EHOSTUNREACH)


def each_call(house, channel, port):
    """How a delivery ended of which the n-th call failed, for each n until there is none."""
    ends = Counter()
    for number in range(1, MOST):
        house.queue(message(channel, period=f"n{number:03}"))
        code = ERRORS[number % len(ERRORS)]
        with failing_sends(number, OSError(code, os.strerror(code)), port=port) as calls:
            went = house.drain(NOW)
        ends["sent" if went.sent else "retried"] += 1
        assert went.failed == 0
        house.drain(NOW + LATER)
        if not calls.met:
            return number - 1, ends
    raise AssertionError(f"more than {MOST} calls")


@pytest.mark.parametrize("channel", ["email", "webhook", "chat"])
def test_whatever_call_of_a_delivery_fails_it_is_sent_in_the_end(house, mailbox, hooks, chat, channel):
    if channel == "email":
        house.mail(mailbox.port)
        port = mailbox.port
    elif channel == "webhook":
        house.webhook(hooks)
        port = hooks.port
    else:
        house.chat(chat)
        port = chat.port
    count, ends = each_call(house, channel, port)
    assert count > 2
    assert ends["sent"] + ends["retried"] == count + 1
    assert ends["retried"] > 0
    assert house.ledger("status") == [("sent",)] * (count + 1)
    assert len(events(house, "digest.delivered")) == count + 1
    assert house.store.verify("acme").ok


def test_a_webhook_whose_answer_was_lost_comes_again_under_the_same_identifier(house, hooks):
    house.webhook(hooks)
    each_call(house, "webhook", hooks.port)
    whole = [  # the receiver notes what was cut off, too
        (headers["webhook-id"], body)
        for _, headers, body in hooks.requests
        if len(body) == int(headers["content-length"])
    ]
    counts = Counter(identifier for identifier, _ in whole)
    assert set(counts) == {identifier for (identifier,) in house.ledger("id")}
    assert set(counts.values()) == {1, 2}
    assert len(set(whole)) == len(counts)
