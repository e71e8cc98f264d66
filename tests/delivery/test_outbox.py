"""What gets into the outbox, once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.delivery import content_hash, enqueue
from engine.model.errors import BadRequest
from engine.replica.replica import Replica
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.outputs import deliveries, delivery_contents
from tests.conftest import NOW
from tests.delivery.conftest import PAYLOAD, message


def test_a_message_is_queued_whole_and_audited(any_house):
    (answer,) = any_house.queue(message(subject="Digest", blocks=[{"type": "divider"}]))
    assert answer == {
        "id": answer["id"],
        "kind": "mapping-digest",
        "period": "2026-W47",
        "channel": "email",
        "recipient": "ann@acme.example",
        "status": "pending",
        "result": "queued",
    }
    with any_house.store.reader() as connection:
        (row,) = many(connection, deliveries, "acme")
        (contents,) = many(connection, delivery_contents, "acme")
        (event,) = many(connection, audit_log, "acme", action="delivery.queued")
    assert (row["payload"], row["content_hash"], row["late"]) == (PAYLOAD, content_hash(PAYLOAD), False)
    assert (row["attempts"], row["created_at"], row["next_attempt_at"], row["sent_at"]) == (0, NOW, NOW, None)
    assert contents == {
        "org_id": "acme",
        "delivery_id": answer["id"],
        "subject": "Digest",
        "body_text": "Three mappings changed.",
        "body_html": "<p>Three mappings changed.</p>",
        "blocks": [{"type": "divider"}],
        "revision": row["revision"],
    }
    assert (event["object_type"], event["object_id"]) == ("delivery", answer["id"])
    assert event["details"] == {"kind": "mapping-digest", "period": "2026-W47", "channel": "email", "late": False}


def test_the_same_key_is_queued_once_whoever_asks(any_house):
    (first,) = any_house.queue(message())
    with any_house.store.revision("acme", "cron", now=NOW) as revision:
        again = enqueue(revision, [message(subject="Other"), message(recipient="bob@acme.example")], late=True)
        twice = enqueue(revision, [message(period="2026-W48"), message(period="2026-W48")])
    assert [(one["id"] == first["id"], one["result"]) for one in again] == [(True, "already_queued"), (False, "queued")]
    assert [one["result"] for one in twice] == ["queued", "already_queued"]
    assert twice[0]["id"] == twice[1]["id"]
    assert any_house.ledger("period", "recipient", "late") == [
        ("2026-W47", "ann@acme.example", False),
        ("2026-W47", "bob@acme.example", True),
        ("2026-W48", "ann@acme.example", False),
    ]


def test_route_cron_and_scheduler_at_once_queue_one(any_house):
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: any_house.queue(message(), message(channel="chat")), range(8)))
    assert sorted(one["result"] for answer in answers for one in answer) == ["already_queued"] * 14 + ["queued"] * 2
    assert len(any_house.ledger("id")) == 2


def test_each_part_of_the_key_counts(house):
    answers = house.queue(
        message(),
        message(kind="digest"),
        message(period="2026-W48"),
        message(channel="chat"),
        message(recipient="bob@acme.example"),
    )
    assert [one["result"] for one in answers] == ["queued"] * 5
    with house.store.revision("other", "t", now=NOW, create={"name": "Other"}) as revision:
        assert [one["result"] for one in enqueue(revision, [message()])] == ["queued"]


def test_what_was_asked_again_and_is_known_records_nothing(house):
    house.queue(message())
    before = house.store.head("acme")
    with house.store.revision("acme", "cron", now=NOW) as revision:
        enqueue(revision, [message()])
    assert house.store.head("acme") == before


def test_no_messages_are_no_write(house):
    with house.store.revision("acme", "t", now=NOW) as revision:
        assert enqueue(revision, []) == []
        assert not revision.touched


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"recipient": "ann@acme.example\r\nBcc: eve@evil.example"}, "recipient must be printable"),
        ({"recipient": "ann@acme.example, eve@evil.example"}, "one e-mail address"),
        ({"recipient": "Ann <ann@acme.example>"}, "one e-mail address"),
        ({"recipient": "ann"}, "one e-mail address"),
        ({"channel": "pigeon", "recipient": "x"}, "email, chat, webhook"),
        ({"kind": ""}, "needs a kind"),
        ({"text": " "}, "needs a text"),
        ({"html": "x" * 1_000_001}, "1,000,000 bytes"),
        ({"payload": {"rows": "x" * 1_000_000}}, "1,000,000 bytes"),
    ],
)
def test_a_message_that_cannot_be_sent_is_refused_and_nothing_is_queued(house, values, problem):
    with pytest.raises(BadRequest, match=problem) as caught:
        house.queue(message(), message(**values))
    assert "evil" not in caught.value.message
    assert house.ledger("id") == []


def test_facts_read_the_payload_back(house):
    payload = {"report": "sla-reminders", "overdue": [{"reminder_id": "r1", "days_late": 3}]}
    house.queue(message(kind="sla-reminders", payload=payload))
    replica = Replica(house.store.url, None)
    replica.sync(["acme"])
    with replica.view() as view:
        (text,) = view.frame("SELECT payload FROM deliveries")["payload"].to_list()
    replica.close()
    assert text == '{"overdue":[{"days_late":3,"reminder_id":"r1"}],"report":"sla-reminders"}'
