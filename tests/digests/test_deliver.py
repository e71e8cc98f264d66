"""A digest is built once and queued once for each period, whoever asks."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.delivery import drain
from engine.delivery.webhook import new_secret
from engine.digests import deliver, run_name
from engine.model.errors import BadRequest, NotFound
from engine.store.queries.sending.claims import GATHERING
from engine.store.queries.sending.deliveries import set_endpoint
from engine.store.queries.sending.digests import runs_within
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organization_settings, users
from engine.store.schema.outputs import deliveries, delivery_contents
from tests.digests.conftest import HOOK, NOW, TODAY, action, evidence_requests, request, staffing_actions
from tests.digests.registry import DIGEST

SLA = DIGEST["evidence-request-sla"]
REMINDERS = DIGEST["staffing-action-reminders"]


def run(house, digest=SLA, now=NOW, org="acme", **options):
    return deliver(house.services, digest, org, "admin@acme.example", now=now, **options)


@pytest.fixture
def house_with_requests(house):
    house.endpoints("chat", "webhook")
    house.write((evidence_requests, [request(1), request(2, "bob@acme.example"), request(3, "bob@acme.example")]))
    return house


def test_each_person_gets_one_mail_and_the_webhook_the_preview(house_with_requests):
    preview = house_with_requests.content(SLA)
    process = run(house_with_requests)
    assert (process.outcome, process.period, process.content_hash) == ("delivered", "2026-W47", preview.hash)
    rows = {(row["channel"], row["recipient"]): row for row in house_with_requests.rows()}
    assert sorted(rows) == [
        *(("email", f"{name}@acme.example") for name in ("admin", "ann", "bob", "owner")),
        ("webhook", HOOK),
    ]
    assert {row["content_hash"] for row in rows.values()} == {preview.hash}
    assert rows["webhook", HOOK]["payload"] == preview.payload
    assert [row["id"] for row in rows["email", "bob@acme.example"]["payload"]["overdue"]] == ["R2", "R3"]
    assert len(rows["email", "owner@acme.example"]["payload"]["overdue"]) == 3


def test_a_personal_mail_names_the_own_items_alone(house_with_requests):
    run(house_with_requests)
    mails = house_with_requests.mails(SLA.name)
    assert "For you: 1 overdue. Begin with R1 (P1, 7 days late)." in mails["ann@acme.example"]
    assert ("Sample 1" in mails["ann@acme.example"], "Sample 2" in mails["ann@acme.example"]) == (True, False)
    assert "ann@acme.example" not in mails["bob@acme.example"]
    assert all(f"Sample {number}" in mails["owner@acme.example"] for number in (1, 2, 3))


def test_the_same_period_again_answers_already_delivered(house_with_requests):
    first = run(house_with_requests)
    head = house_with_requests.store.head("acme")
    again = run(house_with_requests, now=NOW + timedelta(hours=5))
    assert (again.outcome, again.content_hash, len(again.deliveries)) == ("already_delivered", first.content_hash, 5)
    assert house_with_requests.store.head("acme") == head
    assert run(house_with_requests, now=NOW + timedelta(days=3)).period == "2026-W48"


def test_an_empty_digest_is_not_sent_but_its_run_is_recorded(house):
    house.endpoints("webhook")
    head = house.store.head("acme")
    assert run(house).outcome == "empty"
    assert (house.rows(), house.store.head("acme")) == ([], head)
    with house.store.reader() as connection:
        (recorded,) = runs_within(connection, "acme", run_name(SLA.name), NOW, NOW + timedelta(1))
    assert (recorded["outcome"], recorded["message"]) == ("skipped", "empty 2026-W47: 0 queued")
    assert run(house, send_empty=True).outcome == "delivered"
    assert {row["channel"] for row in house.rows()} == {"email", "webhook"}


def test_nothing_configured_means_that_nothing_leaves(house):
    house.environment |= {"SVC_SMTP_URL": "", "SVC_CHAT_WEBHOOK_URL": ""}
    house.write((evidence_requests, [request(1)]))
    process = run(house)
    assert (process.outcome, house.rows()) == ("not_configured", [])
    assert [(way["name"], way["leaves"]) for way in process.channels] == [("email", False), ("webhook", False)]


def test_whoever_switched_it_off_or_left_gets_no_mail(house_with_requests):
    house_with_requests.write(
        (
            users,
            [
                {"email": "bob@acme.example", "preferences": {"evidence_request_sla_email": False}},
                {"email": "ann@acme.example", "active": False},
            ],
        )
    )
    run(house_with_requests)
    assert sorted(house_with_requests.mails(SLA.name)) == ["admin@acme.example", "owner@acme.example"]


def test_what_reaches_nobody_goes_to_owners_and_admins(house):
    house.write((staffing_actions, [action(1), action(2, owner="the security team")]))
    run(house, REMINDERS)
    mails = house.mails(REMINDERS.name)
    assert sorted(mails) == ["admin@acme.example", "ann@acme.example", "owner@acme.example"]
    told = {row["recipient"]: [item["action_id"] for item in row["payload"]["actions"]] for row in house.rows()}
    assert told == {"admin@acme.example": ["a2"], "ann@acme.example": ["a1"], "owner@acme.example": ["a2"]}


def test_mails_wait_out_the_quiet_hours_and_webhooks_do_not(house_with_requests):
    night = datetime(2026, 11, 20, 22, 15, tzinfo=UTC)
    process = run(house_with_requests, now=night)
    morning = datetime(2026, 11, 21, 7, tzinfo=UTC)
    assert process.held_until == morning
    assert {(row["channel"], row["next_attempt_at"]) for row in house_with_requests.rows()} == {
        ("email", morning),
        ("webhook", night),
    }
    assert drain(house_with_requests.services, now=night + timedelta(hours=1), limit=0).waiting == 1
    assert drain(house_with_requests.services, now=morning, limit=0).waiting == 5


def test_what_was_owed_on_monday_is_late_on_friday(house_with_requests):
    assert run(house_with_requests, scheduled=True).late
    assert all(row["late"] for row in house_with_requests.rows())
    assert "This comes late" in house_with_requests.mails(SLA.name)["ann@acme.example"]


def test_by_hand_nothing_is_late(house_with_requests):
    assert not run(house_with_requests).late
    assert "(late)" not in "".join(row["subject"] for row in house_with_requests.rows(delivery_contents))
    assert "This comes late" not in house_with_requests.mails(SLA.name)["ann@acme.example"]


def test_mails_of_the_calendar_wait_for_one_another_and_nothing_else_does(house_with_requests):
    run(house_with_requests, scheduled=True)
    assert {(row["channel"], row["next_attempt_at"]) for row in house_with_requests.rows()} == {
        ("email", NOW + GATHERING),
        ("webhook", NOW),
    }
    assert run(house_with_requests, REMINDERS).outcome in ("delivered", "empty")


def test_quiet_hours_say_when_it_leaves(house_with_requests):
    process = run(house_with_requests, now=datetime(2026, 11, 20, 22, 15, tzinfo=UTC))
    reasons = {way["name"]: way["reason"] for way in process.channels}
    assert reasons["email"].endswith("Quiet hours: it leaves on 2026-11-21 at 07:00 (UTC).")
    assert "Quiet" not in reasons["webhook"]


def test_a_channel_that_is_added_is_told_what_the_others_were_and_they_are_not_told_again(house):
    house.endpoints("webhook")
    house.write((evidence_requests, [request(1)]))
    first = run(house)
    before = house.rows()
    house.write((evidence_requests, [request(2)]))  # is not in what was delivered
    house.store.write(
        "acme", "t", lambda revision: set_endpoint(revision, "webhook", f"{HOOK}/2", [new_secret()]), now=NOW
    )
    again = run(house, now=NOW + timedelta(hours=1))
    assert (again.outcome, again.content_hash) == ("delivered", first.content_hash)
    (added,) = [row for row in house.rows() if row not in before]
    assert (added["channel"], added["recipient"], added["content_hash"]) == ("webhook", f"{HOOK}/2", first.content_hash)
    assert [row["id"] for row in added["payload"]["overdue"]] == ["R1"]
    assert run(house, now=NOW + timedelta(hours=2)).outcome == "already_delivered"


def test_an_organization_may_have_its_digests_on_another_day(house_with_requests):
    house_with_requests.write(
        (organization_settings, [{"name": "digest_weekday", "value": 5}, {"name": "digest_hour", "value": 6}])
    )
    assert not run(house_with_requests).late


@pytest.mark.real
def test_a_recipient_gets_one_mail_for_each_digest_and_day(house):
    reminders = DIGEST["sla-reminders"]
    house.write((evidence_requests, [request(1)]))
    assert run(house, reminders).outcome == "delivered"
    house.write((evidence_requests, [request(2)]))
    assert run(house, reminders).outcome == "already_delivered"
    tomorrow = run(house, reminders, now=NOW + timedelta(days=1))
    assert (tomorrow.outcome, tomorrow.period) == ("delivered", "2026-11-21")
    (row,) = house.rows(period="2026-11-21", channel="email")
    assert [item["item"] for item in row["payload"]["overdue"]] == ["evidence_request:R2"]


@pytest.mark.real
def test_an_item_is_reminded_of_once_for_each_step_and_late_rather_than_never(house):
    """Overdue since 14 November: the step of 3 days was missed; on the 20th only that newest one goes out, late."""
    reminders = DIGEST["sla-reminders"]
    house.write((evidence_requests, [request(1, due_on=TODAY - timedelta(days=6))]))
    seen = []
    for day in range(5):
        process = run(house, reminders, now=NOW + timedelta(days=day))
        rows = house.rows(kind=reminders.name, period=process.period)
        items = [item for row in rows for item in row["payload"]["overdue"]]
        seen.append((process.outcome, [(item["step"], item["late"]) for item in items]))
    assert seen == [
        ("delivered", [(3, True)]),
        ("delivered", [(7, False)]),
        ("empty", []),
        ("empty", []),
        ("empty", []),
    ]


@pytest.mark.real
def test_a_failed_delivery_reminded_nobody(house):
    reminders = DIGEST["sla-reminders"]
    house.write((evidence_requests, [request(1)]))
    run(house, reminders)
    with house.store.revision("acme", "t", now=NOW) as revision:
        for row in house.rows():
            revision.update(deliveries, {"id": row["id"]}, {"status": "failed"})
        revision.record("delivery.failed")
    assert run(house, reminders, now=NOW + timedelta(days=1)).outcome == "delivered"


def test_nothing_is_written_for_a_wrong_question(house_with_requests):
    head = house_with_requests.store.head("acme")
    with pytest.raises(NotFound, match="There is no organization 'nobody'"):
        run(house_with_requests, org="nobody")
    with pytest.raises(BadRequest, match="periodDays"):
        run(house_with_requests, query={"periodDays": "0"})
    with pytest.raises(BadRequest, match="periodDays"):
        run(house_with_requests, REMINDERS, query={"periodDays": "7"})
    assert (house_with_requests.store.head("acme"), house_with_requests.rows()) == (head, [])


def test_every_run_is_an_event_and_the_chain_holds(house_with_requests):
    run(house_with_requests)
    assert house_with_requests.store.verify("acme").ok
    with house_with_requests.store.reader() as connection:
        actions = [row["action"] for row in many(connection, audit_log, "acme")]
    assert (actions.count("delivery.queued"), actions.count("digest.run")) == (5, 1)
