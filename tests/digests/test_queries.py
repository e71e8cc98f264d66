"""What digests ask the store, on each engine."""

from datetime import timedelta

import pytest

from engine.digests import deliver
from engine.store.queries.sending import digests as queries
from engine.store.schema.organizations import memberships, organization_frameworks, organization_settings, users
from engine.store.schema.outputs import deliveries
from tests.conftest import NOW
from tests.digests.conftest import House, action, evidence_requests, request, staffing_actions
from tests.digests.registry import DIGEST

ROW = {
    "kind": "sla-reminders",
    "period": "2026-11-20",
    "channel": "email",
    "status": "pending",
    "payload": {},
    "attempts": 0,
    "created_at": NOW,
    "next_attempt_at": NOW,
    "content_hash": "c",
}


def test_the_ledger_of_a_period_leaves_out_what_was_dropped(any_store):
    with any_store.revision("acme", "t", now=NOW) as revision:
        revision.insert(
            deliveries,
            [
                {**ROW, "id": "d1", "recipient": "b@acme.example"},
                {**ROW, "id": "d2", "recipient": "a@acme.example", "status": "sent"},
                {**ROW, "id": "d3", "recipient": "c@acme.example", "status": "skipped"},
                {**ROW, "id": "d4", "recipient": "a@acme.example", "period": "2026-11-21"},
            ],
        )
        queries.hold_until(revision, ["d1"], NOW + timedelta(hours=3))
        revision.record("deliveries.prepared")
    with any_store.reader() as connection:
        records = queries.ledger(connection, "acme", "sla-reminders", "2026-11-20")
        assert [(row["id"], row["status"], row["content_hash"]) for row in records] == [
            ("d2", "sent", "c"),
            ("d1", "pending", "c"),
        ]
        assert queries.ledger(connection, "other", "sla-reminders", "2026-11-20") == []


def test_runs_are_noted_without_moving_the_revision(any_store):
    head = any_store.head("acme")
    first = queries.record_run(
        any_store, "acme", "digest:x", started_at=NOW, finished_at=None, outcome=None, message="[]"
    )
    later = NOW + timedelta(hours=1)
    queries.record_run(
        any_store,
        "acme",
        "digest:x",
        started_at=later,
        finished_at=later,
        outcome="skipped",
        message="empty",
        run_id="r2",
    )
    queries.change_run(any_store, first, finished_at=later, outcome="succeeded", message="done")
    with any_store.reader() as connection:
        spans = ((NOW, later), (NOW, later + timedelta(1)), (later, later + timedelta(1)), (later + timedelta(1),) * 2)
        job_run_rows = [queries.runs_within(connection, "acme", "digest:x", *span) for span in spans]
        assert queries.runs_within(connection, "other", "digest:x", NOW, later) == []
    assert [[(row["id"], row["outcome"]) for row in rows] for rows in job_run_rows] == [
        [(first, "succeeded")],
        [("r2", "skipped"), (first, "succeeded")],
        [("r2", "skipped")],
        [],
    ]
    assert any_store.head("acme") == head


def test_the_clock_and_the_people_of_an_organization(any_store):
    with any_store.revision("acme", "t", now=NOW) as revision:
        revision.insert(organization_settings, [{"name": "digest_hour", "value": 6}])
        revision.insert(
            memberships,
            [
                {"email": "a@acme.example", "role": "owner"},
                {"email": "b@acme.example", "role": "admin", "status": "removed"},
                {"email": "c@acme.example", "role": "admin"},
            ],
        )
        revision.insert(users, [{"email": "c@acme.example", "active": False, "preferences": {"x": True}}])
        revision.record("organization.prepared")
    with any_store.reader() as connection:
        clock, people = queries.clock(connection, "acme"), queries.people(connection, "acme")
    assert (clock.zone.key, clock.settings["digest_hour"], clock.settings["digest_weekday"]) == ("UTC", 6, 1)
    assert people == queries.People(
        {"a@acme.example": "owner"}, {"c@acme.example": {"x": True}}, frozenset({"b@acme.example", "c@acme.example"})
    )


@pytest.mark.real
def test_a_digest_is_delivered_once_on_each_engine(any_store, tmp_path):
    house = House(any_store, tmp_path)
    house.write(
        (memberships, [{"email": "owner@acme.example", "role": "owner"}]),
        (organization_frameworks, [{"framework": "soc2"}]),
        (evidence_requests, [request(1)]),
        (staffing_actions, [action(1)]),
    )
    for name, expected in (("evidence-request-sla", 2), ("compliance-digest", 1), ("staffing-action-reminders", 1)):
        options = {"now": NOW, "send_empty": True}
        outcomes = [deliver(house.services, DIGEST[name], "acme", "t", **options) for _ in range(2)]
        assert [run.outcome for run in outcomes] == ["delivered", "already_delivered"]
        assert len(house.rows(kind=name)) == len(outcomes[1].deliveries) == expected
    assert any_store.verify("acme").ok
    house.close()
