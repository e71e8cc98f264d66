"""What was sent before, and the catalogue as it was last seen."""

from datetime import date

import msgspec

from engine.catalogue import catalogue
from engine.catalogue.snapshot import content
from tests.factories import moment


def delivery(identifier, payload, **more):
    return {
        "id": identifier,
        "kind": "sla-reminders",
        "period": "2026-11-18",
        "channel": "email",
        "recipient": "ann",
        "status": "sent",
        "payload": msgspec.json.encode(payload).decode(),
        "attempts": 1,
        "created_at": "2026-11-18 09:00",
        **more,
    }


def test_a_delivery_reminded_of_every_row_of_its_lists(facts_with):
    lists = {"overdue": [{"reminder_id": "a", "days_late": 3}], "due_soon": [{"reminder_id": "b"}], "settings": [1]}
    renewals = {"renewals": [{"reminder_id": "c"}, {"name": "without"}]}
    deliveries = [
        delivery("d1", lists),
        delivery("d2", renewals, kind="attestation-renewal", status="pending", recipient="bob"),
        delivery("d3", lists, kind="mapping-digest", recipient="eve"),
        delivery("d4", {"overdue": [{"reminder_id": "z"}]}, status="failed", recipient="joe"),
        {**delivery("d5", {}, recipient="kim"), "payload": None},
    ]
    rows = facts_with(deliveries=deliveries)["reminders"]
    assert rows.select("reminder_id", "kind", "recipient", "created_on").rows() == [
        ("a", "sla-reminders", "ann", date(2026, 11, 18)),
        ("b", "sla-reminders", "ann", date(2026, 11, 18)),
        ("c", "attestation-renewal", "bob", date(2026, 11, 18)),
    ]
    assert rows["created_at"][0] == moment("2026-11-18 09:00")


def test_a_row_that_was_not_owed_reminded_nobody(facts_with):
    rows = [{"reminder_id": "a", "owed": True}, {"reminder_id": "b", "owed": False}, {"reminder_id": "c"}]
    reminders = facts_with(deliveries=[delivery("d1", {"renewals": rows}, channel="webhook")])["reminders"]
    assert reminders["reminder_id"].to_list() == ["a", "c"]


def test_the_last_day_of_each_kind_of_digest_whatever_became_of_it(facts_with):
    deliveries = [
        delivery("d1", {}, created_at="2026-11-02 09:00"),
        delivery("d2", {}, created_at="2026-11-09 23:30", status="failed", recipient="bob"),
        delivery("d3", {}, created_at="2026-11-16 09:00", status="skipped", recipient="eve"),
        delivery("d4", {}, kind="mapping-digest", created_at="2026-11-10 09:00"),
    ]
    assert facts_with(deliveries=deliveries)["digest_days"].drop("org_id").rows() == [
        ("mapping-digest", date(2026, 11, 10)),
        ("sla-reminders", date(2026, 11, 9)),
    ]


def test_a_week_that_fell_below_its_limit_unseen_is_known(facts_with):
    event = {
        "seq": 9,
        "event_id": "hq:9",
        "occurred_at": "2026-11-18 09:00",
        "recorded_at": "2026-11-18 09:00",
        "actor": "scheduler",
        "action": "density.cleared",
        "outcome": "success",
        "object_id": "2026-W49",
    }
    alert = {"breaches": [{"alert_id": "x", "week": "2026-W49", "level": "critical"}]}
    density_alerts = facts_with(
        deliveries=[delivery("d1", alert, kind="obligation-density-alerts", created_at="2026-11-16 09:00")],
        audit_log=[event],
    )["density_alerts"]
    assert density_alerts.select("week", "level", "channel", "created_on").rows() == [
        ("2026-W49", "critical", "email", date(2026, 11, 16)),
        ("2026-W49", "ok", None, date(2026, 11, 18)),
    ]


def snapshot(day, **given):
    whole = {"requirements": [], "edges": [], **given}
    return {"taken_on": day, "catalogue_version": f"v-{day}", "content": msgspec.json.encode(whole).decode()}


def test_the_last_snapshot_by_the_day_counts(facts_with):
    one = {"framework": "soc2", "control_id": "CC1.1", "title": "Integrity", "assessable": True}
    edge = {
        "source_framework": "soc2",
        "source_id": "CC1.1",
        "target_framework": "iso27001",
        "target_id": "A.5.1",
        "relation": "superset",
        "strength": 0.9,
    }
    facts = facts_with(
        catalogue_snapshots=[
            snapshot("2026-10-01"),
            snapshot("2026-11-01", requirements=[one], edges=[edge]),
            snapshot("2026-12-01"),
        ]
    )
    assert facts["catalogue_seen"].rows() == [("acme", date(2026, 11, 1), "v-2026-11-01")]
    assert facts["requirements_seen"].rows() == [("acme", "soc2", "CC1.1", "Integrity", True)]
    assert facts["edges_seen"].rows() == [("acme", *edge.values())]


def test_without_a_snapshot_nothing_was_seen(facts_with):
    facts = facts_with()
    assert [facts[name].height for name in ("catalogue_seen", "requirements_seen", "edges_seen", "reminders")] == [
        0
    ] * 4


def test_what_is_stored_of_the_catalogue_is_read_back(facts_with):
    stored = content(catalogue())
    facts = facts_with(catalogue_snapshots=[snapshot("2026-11-01", **stored)])
    assert facts["requirements_seen"].drop("org_id").to_dicts() == stored["requirements"]
    assert facts["edges_seen"].drop("org_id").to_dicts() == stored["edges"]
    assert facts["catalogue_entries"].height == len(stored["requirements"])
