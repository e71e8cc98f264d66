"""Chat messages, as a Slack-compatible service gets and answers them."""

from datetime import timedelta

import pytest

from engine.store.queries.sending.deliveries import set_endpoint
from tests.conftest import NOW
from tests.delivery.conftest import message

BLOCKS = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Three* mappings changed"}}]


def chatting(**values):
    return message(channel="chat", blocks=BLOCKS, **values)


def outcome(house):
    return house.ledger("status", "attempts", "last_error")


def test_an_incoming_webhook_gets_blocks_and_a_text_that_calls_out_nobody(house, chat):
    house.chat(chat)
    (answer,) = house.queue(chatting(text="<!channel> A & B <@U1>"))
    assert house.drain().sent == 1
    ((path, headers, _),) = chat.requests
    assert chat.bodies == [{"text": "&lt;!channel&gt; A &amp; B &lt;@U1&gt;", "blocks": BLOCKS}]
    assert (path, headers["idempotency-key"]) == ("/services/T/B/x", answer["id"])
    assert outcome(house) == [("sent", 1, None)]


def test_a_bot_names_its_channel_and_shows_its_token(house, chat):
    house.chat(chat, token="xoxb-1")
    chat.answers = [(200, {}, b'{"ok": true, "ts": "1.2"}')]
    house.queue(message(channel="chat"))
    assert house.drain().sent == 1
    ((path, headers, _),) = chat.requests
    assert (path, headers["authorization"]) == ("/api/chat.postMessage", "Bearer xoxb-1")
    assert chat.bodies == [{"channel": "#compliance", "text": "Three mappings changed.", "unfurl_links": False}]


def test_429_waits_as_long_as_was_asked(house, chat):
    house.chat(chat)
    chat.answers = [(429, {"Retry-After": "120"}, b"rate_limited")]
    house.queue(chatting())
    house.drain()
    assert outcome(house) == [("pending", 1, "The chat service answered 429: too many messages.")]
    ((at,),) = house.ledger("next_attempt_at")
    assert timedelta(seconds=120) <= at - NOW <= timedelta(seconds=133)
    assert house.drain(NOW + timedelta(seconds=119)).attempts == 0
    assert house.drain(NOW + timedelta(seconds=134)).sent == 1
    assert [headers["idempotency-key"] for _, headers, _ in chat.requests] == [house.ledger("id")[0][0]] * 2


def test_what_waits_for_a_channel_that_is_throttled_is_held_back_uncounted(house, chat):
    house.chat(chat)
    house.queue(*(chatting(period=f"2026-W{week}") for week in range(10, 20)))
    chat.answers = [(429, {"Retry-After": "120"}, b"rate_limited")] * 4  # as many as send at once
    house.drain()
    assert house.ledger("status") == [("pending",)] * 10
    chat.answers.clear()
    asked = len(chat.requests)
    assert house.drain(NOW + timedelta(seconds=119)).attempts == 0
    assert (len(chat.requests), sum(attempts for (attempts,) in house.ledger("attempts"))) == (asked, asked)
    house.drain(NOW + timedelta(seconds=140))
    assert house.ledger("status") == [("sent",)] * 10


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ((400, {}, b"invalid_payload"), "failed", "400 invalid_payload"),
        ((404, {}, b"channel_not_found"), "pending", "404 channel_not_found"),
        ((500, {}, b"<html>ann@acme.example</html>"), "pending", "500"),
        ((301, {"Location": "https://elsewhere.example/"}, b""), "pending", "301"),
    ],
)
def test_refusals_of_an_incoming_webhook(house, chat, answer, status, said):
    house.chat(chat)
    chat.answers = [answer]
    house.queue(chatting())
    house.drain()
    assert (len(chat.requests), outcome(house)) == (1, [(status, 1, f"The chat service answered {said}.")])


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b'{"ok": false, "error": "channel_not_found"}', "pending", "200 channel_not_found"),
        (b'{"ok": false, "error": "invalid_blocks"}', "failed", "200 invalid_blocks"),
        (b'{"ok": false, "error": "ann@acme.example is gone"}', "pending", "200"),
        (b'{"ok": "true"}', "pending", "200"),
        (b'{"ok": tru', "pending", "200"),
    ],
)
def test_a_bot_is_refused_with_status_200(house, chat, body, status, said):
    house.chat(chat, token="xoxb-1")
    chat.answers = [(200, {}, body)]
    house.queue(chatting())
    house.drain()
    assert outcome(house) == [(status, 1, f"The chat service answered {said}.")]


def test_a_service_that_is_down_leaves_the_rest_alone(house, chat):
    house.chat(chat)
    chat.close()
    house.queue(*(chatting(period=f"2026-W{week}") for week in range(10, 30)))
    result = house.drain()
    assert (result.sent, 1 <= result.retried <= 4, result.retried + result.waiting) == (0, True, 20)


def test_what_was_meant_for_an_earlier_channel_is_dropped(house, chat):
    house.chat(chat)
    house.queue(chatting())
    house.store.write("acme", "t", lambda revision: set_endpoint(revision, "chat", "#other", []), now=NOW)
    assert house.drain().skipped == 1
    assert (chat.requests, outcome(house)) == (
        [],
        [("skipped", 1, "The organization has named another chat channel since.")],
    )
