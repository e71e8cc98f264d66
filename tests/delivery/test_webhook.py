"""Webhooks, as a real HTTPS receiver behind a public name gets them, and what it may do to us."""

import base64
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from engine.delivery import post
from engine.delivery.endpoint_changes import rotate_secret, set_webhook
from engine.delivery.webhook import new_secret, signatures
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import set_endpoint
from tests.conftest import NOW
from tests.delivery.conftest import PAYLOAD, message
from tests.delivery.world import HOST, PUBLIC, URL, Receiver, certificate


def hook(**values):
    return message(channel="webhook", **values)


def outcome(house):
    return house.ledger("status", "attempts", "last_error")


def test_the_public_library_verifies_what_arrives(house, hooks):
    secret = house.webhook(hooks)
    now = datetime.now(UTC)  # the library compares with the clock
    (answer,) = house.queue(hook(), now=now)
    assert house.drain(now).sent == 1
    ((path, headers, body),) = hooks.requests
    assert Webhook(secret).verify(body, headers) == PAYLOAD
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body + b" ", headers)
    assert (path, headers["host"], headers["content-type"]) == ("/in?tenant=acme", HOST, "application/json")
    assert headers["webhook-id"] == answer["id"]
    assert int(now.timestamp()) <= int(headers["webhook-timestamp"]) <= datetime.now(UTC).timestamp()
    assert house.connected == [(PUBLIC, 443)]
    assert outcome(house) == [("sent", 1, None)]


def test_while_a_secret_is_rotated_both_verify(house, hooks):
    before = house.webhook(hooks)
    after = house.store.write("acme", "t", lambda revision: rotate_secret(revision, house.outside.keys), now=NOW)
    now = datetime.now(UTC)
    house.queue(hook(), now=now)
    house.drain(now)
    ((_, headers, body),) = hooks.requests
    assert Webhook(before).verify(body, headers) == Webhook(after).verify(body, headers) == PAYLOAD


def test_a_signature_of_the_standard():
    """The example of the specification's reference libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    made = signatures([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_secrets_are_those_of_the_standard():
    prefix, _, key = new_secret().partition("_")
    assert (prefix, len(base64.b64decode(key, validate=True))) == ("whsec", 32)  # 24 to 64 bytes are allowed
    assert new_secret() != new_secret()


def test_an_attempt_after_a_failure_has_the_same_id_and_its_own_time(house, hooks):
    house.webhook(hooks)
    hooks.answers = [(500, {}, b"")]
    house.queue(hook())
    house.drain()
    assert outcome(house) == [("pending", 1, "The webhook answered 500.")]
    house.drain(NOW + timedelta(minutes=5))
    ids, times = zip(
        *((headers["webhook-id"], int(headers["webhook-timestamp"])) for _, headers, _ in hooks.requests), strict=True
    )
    assert (len(set(ids)), times[1] - times[0]) == (1, 300)
    assert outcome(house) == [("sent", 2, None)]


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["::1"], ["127.0.0.1"], ["169.254.169.254"], ["::ffff:10.0.0.1"], [PUBLIC, "10.0.0.1"], []],
)
def test_a_name_that_leads_inside_is_not_called(house, hooks, addresses):
    house.webhook(hooks, resolve=lambda host, port: addresses)
    house.queue(hook())
    house.drain()
    assert (hooks.requests, house.connected) == ([], [])
    ((status, attempts, error),) = outcome(house)
    assert (status, attempts, error.startswith("The webhook was not called: its name ")) == ("pending", 1, True)


def test_a_name_that_changes_between_two_resolutions_is_resolved_once_for_each_attempt(house, hooks):
    asked = []

    def resolve(host, port):
        asked.append((host, port))
        return [PUBLIC] if len(asked) == 1 else ["10.0.0.1"]

    house.webhook(hooks, resolve=resolve)
    hooks.answers = [(503, {}, b"")]
    house.queue(hook())
    house.drain()
    assert (asked, house.connected) == ([(HOST, 443)], [(PUBLIC, 443)])
    house.drain(NOW + timedelta(minutes=5))
    assert (len(asked), house.connected, len(hooks.requests)) == (2, [(PUBLIC, 443)], 1)


def test_a_certificate_for_another_name_gets_nothing(house, hooks):
    url = "https://other.example.com/in"
    house.webhook(hooks, url)
    house.queue(hook(recipient=url))
    house.drain()
    assert hooks.requests == []
    assert outcome(house) == [("pending", 1, "The webhook's certificate is not valid for its name.")]


def test_a_certificate_of_an_unknown_authority_gets_nothing(house, tmp_path):
    (tmp_path / "other").mkdir()
    stranger = Receiver(certificate(tmp_path / "other")[1])
    house.webhook(stranger)
    house.queue(hook())
    house.drain()
    stranger.close()
    assert (stranger.requests, outcome(house)[0][2]) == ([], "The webhook's certificate is not valid for its name.")


def test_a_receiver_without_tls_gets_nothing(house, chat):
    house.webhook(chat)
    house.queue(hook())
    house.drain()
    assert chat.requests == []
    assert outcome(house) == [("pending", 1, "The webhook could not be reached (SSLError).")]


def test_a_redirect_is_not_followed(house, hooks):
    house.webhook(hooks)
    hooks.answers = [(307, {"Location": f"https://{HOST}/elsewhere"}, b"")]
    house.queue(hook())
    house.drain()
    assert len(hooks.requests) == 1
    assert outcome(house) == [("pending", 1, "The webhook answered 307: redirects are not followed.")]


@pytest.mark.parametrize("drip", [60, 0.01], ids=["silence", "a byte at a time"])
def test_an_answer_that_takes_too_long_is_no_answer(house, hooks, monkeypatch, drip):
    monkeypatch.setattr(post, "DEADLINE_SECONDS", 0.3)
    house.webhook(hooks)
    hooks.drip = drip
    house.queue(hook())
    began = time.monotonic()
    house.drain()
    assert time.monotonic() - began < 20  # the whole answer would take a minute
    assert outcome(house) == [("pending", 1, "The webhook did not answer in time.")]


def test_of_an_endless_answer_little_is_read(house, hooks):
    house.webhook(hooks)
    hooks.answers = [(200, {"Content-Length": str(10**12)}, b"x" * 5_000_000)]
    house.queue(hook())
    assert house.drain().sent == 1


def test_retry_after_is_honoured(house, hooks):
    house.webhook(hooks)
    hooks.answers = [(429, {"Retry-After": "Fri, 20 Nov 2026 09:30:00 GMT"}, b"")]
    house.queue(hook())
    house.drain()
    ((at,),) = house.ledger("next_attempt_at")
    assert timedelta(hours=1) <= at - NOW <= timedelta(minutes=67)


def test_a_receiver_that_is_gone_is_switched_off_and_what_waits_is_dropped(house, hooks):
    house.webhook(hooks)
    hooks.answers = [(410, {}, b"")]
    house.queue(hook())
    house.drain()
    house.queue(hook(period="2026-W48"))
    assert house.drain().skipped == 1
    assert len(hooks.requests) == 1
    assert outcome(house) == [
        ("failed", 1, "The webhook answered 410: it is gone and was switched off."),
        ("skipped", 1, "The organization's webhook is switched off."),
    ]


def test_what_was_meant_for_an_earlier_url_is_dropped(house, hooks):
    house.webhook(hooks)
    house.queue(hook())
    house.store.write(
        "acme", "t", lambda revision: set_webhook(revision, house.outside.keys, "https://new.example.com/"), now=NOW
    )
    assert (house.drain().skipped, hooks.requests) == (1, [])


def test_a_webhook_is_never_that_of_another_organization(house, hooks):
    house.webhook(hooks)
    with house.store.revision("other", "t", now=NOW, create={"name": "Other"}) as revision:
        revision.record("organization.created")
    house.queue(hook(), org="other")
    assert (house.drain().skipped, hooks.requests) == (1, [])


def test_several_addresses_are_tried_in_turn(house, hooks):
    house.webhook(hooks, resolve=lambda host, port: ["93.184.216.1", PUBLIC])
    inner = house.outside.connect

    def connect(address, port):
        if address != PUBLIC:
            raise ConnectionRefusedError
        return inner(address, port)

    house.outside = replace(house.outside, connect=connect)
    house.queue(hook())
    assert house.drain().sent == 1


def test_the_body_is_the_payload_as_canonical_json(house, hooks):
    house.webhook(hooks)
    house.queue(hook(payload={"b": [1.5, None], "a": "ü<>"}))
    house.drain()
    ((_, _, body),) = hooks.requests
    assert body.decode() == '{"a":"ü<>","b":[1.5,null]}'
    assert json.loads(body) == {"a": "ü<>", "b": [1.5, None]}


def test_an_endpoint_without_a_secret_is_not_called(house, hooks):
    house.webhook(hooks)
    house.store.write("acme", "t", lambda revision: set_endpoint(revision, "webhook", URL, []), now=NOW)
    house.queue(hook())
    assert (house.drain().skipped, hooks.requests) == (1, [])


def test_a_webhook_whose_key_is_lost_is_not_called_and_says_what_to_do(house, hooks):
    keys = house.outside.keys
    house.webhook(hooks, secrets=[keys.seal(URL, new_secret())])
    path = Settings.of(house.environment).webhook_key_path
    path.unlink()
    house.queue(hook())
    house.drain()
    ((status, _, said),) = outcome(house)
    assert (status, hooks.requests) == ("pending", [])
    assert f"is not in {path}: restore that file from a backup" in said
    after = house.store.write("acme", "t", lambda revision: rotate_secret(revision, keys), now=NOW)
    now = datetime.now(UTC)
    house.drain(now)
    ((_, headers, body),) = hooks.requests
    assert Webhook(after).verify(body, headers) == PAYLOAD
