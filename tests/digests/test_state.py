"""What digests move besides telling people, in the same revision as their deliveries."""

from datetime import date, timedelta

import pytest

from engine.catalogue import catalogue
from engine.catalogue.snapshot import content as catalogue_content
from engine.digests import deliver
from engine.facts import Facts  # noqa: F401 - the facts read back what is stored here
from engine.programme import snapshots
from engine.programme.staffing import approval_id
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals
from engine.store.schema.controls import attestations, control_owners
from engine.store.schema.outputs import (
    catalogue_snapshots,
    control_state_changes,
    deliveries,
    delivery_contents,
    posture_snapshots,
    readiness_snapshots,
)
from tests.digests.conftest import CONTROLS, NOW, TODAY, action, renewals, staffing_actions
from tests.digests.registry import DIGEST
from tests.laws import WHOLE

EDGES = (0, 1, 6, 7, 8, 13, 14, 15, 20, 21, 22)  # days after the first, in the weekly job each of them


def run(house, name, now=NOW, **options):
    return deliver(house.services, DIGEST[name], "acme", "admin@acme.example", now=now, **options)


@pytest.mark.real
def test_the_peak_week_digest_records_its_proposals_once(peak):
    first = run(peak, "peak-week-staffing-digest")
    assert first.outcome == "delivered"
    recorded = peak.rows(staffing_actions)
    told = next(row["payload"]["actions"] for row in peak.rows() if row["recipient"] == "owner@acme.example")
    assert sorted(row["id"] for row in recorded) == sorted(row["action_id"] for row in told) != []
    assert {(row["status"], row["proposed_on"], row["week"]) for row in recorded} == {("proposed", TODAY, "2026-W49")}
    by_kind = {row["kind"]: row for row in recorded}
    assert by_kind["reassign"]["assignee"] == "bob@acme.example; eve@acme.example"
    assert by_kind["reassign"]["obligation_id"].count("; ") == by_kind["reassign"]["relief_hours"] / 0.5 - 1
    run(peak, "peak-week-staffing-digest", now=NOW + timedelta(days=3))
    again = peak.rows(staffing_actions)
    assert [(row["id"], row["proposed_on"]) for row in again if row["week"] == "2026-W49"] == [
        (row["id"], row["proposed_on"]) for row in recorded
    ]


def test_proposals_are_recorded_even_where_nothing_can_leave(peak):
    peak.environment["SVC_SMTP_URL"] = ""
    assert run(peak, "peak-week-staffing-digest").outcome == "not_configured"
    assert peak.rows(staffing_actions) != []


@pytest.mark.real
def test_the_mapping_digest_stores_the_catalogue_and_tells_only_of_changes(house):
    assert run(house, "mapping-digest").outcome == "empty"
    (first,) = house.rows(catalogue_snapshots)
    assert (first["taken_on"], first["catalogue_version"]) == (TODAY, catalogue().version)
    head = house.store.head("acme")
    assert (run(house, "mapping-digest").outcome, house.store.head("acme")) == ("empty", head)
    known = catalogue_content(catalogue())
    older = {**known, "requirements": [row for row in known["requirements"] if row["control_id"] != "CC6.1"]}
    with house.store.revision("acme", "t", now=NOW) as revision:
        revision.update(catalogue_snapshots, {"taken_on": TODAY}, {"content": older, "catalogue_version": "before"})
        revision.record("catalogue.replaced")
    process = run(house, "mapping-digest")
    assert (process.outcome, process.period) == ("delivered", catalogue().version)
    assert run(house, "mapping-digest", now=NOW + timedelta(days=60)).outcome == "already_delivered"
    assert [row["catalogue_version"] for row in house.rows(catalogue_snapshots)] == [catalogue().version]


@pytest.mark.real
def test_the_compliance_digest_compares_with_the_snapshot_that_the_last_one_stored(house):
    house.write((attestations, renewals(2, due=TODAY - timedelta(days=3))))
    first = run(house, "compliance-digest")
    assert (first.outcome, first.headline[:30]) == ("delivered", "Nothing to compare with yet: s")
    stored = house.rows(readiness_snapshots)
    assert [(row["framework"], row["taken_on"], row["no_data"]) for row in stored] == [("soc2", TODAY, 61)]
    assert len(house.rows(control_state_changes)) == 61
    assert house.rows(posture_snapshots)[0]["taken_on"] == TODAY
    with house.store.reader() as connection:
        seq = {row["revision"] for row in many(connection, deliveries, "acme")}
    assert seq == {row["revision"] for row in stored}
    with house.store.revision("acme", "t", now=NOW) as revision:
        assert revision.update(control_state_changes, {**CONTROLS[0], "observed_on": TODAY}, {"state": "effective"})
        revision.record("control.seen")
    later = run(house, "compliance-digest", now=NOW + timedelta(days=4))
    (row,) = [row for row in house.rows(kind="compliance-digest", period="2026-W48") if row["recipient"][:5] == "owner"]
    assert later.headline == "Since 20 Nov 2026 readiness is as it was; 1 control got worse, 0 better."
    (changed,) = row["payload"]["controls_changed"]
    assert changed == {**CONTROLS[0], "previous_state": "effective", "state": "no_data", "owner": None}


@pytest.mark.real
def test_a_snapshot_of_the_same_day_replaces_the_first(house):
    before = snapshots.take(house.services, "acme", "t", now=NOW)
    head = house.store.head("acme")
    assert before == "63 rows written, 61 controls in another state"
    assert snapshots.take(house.services, "acme", "t", now=NOW).startswith("0 rows written")
    assert house.store.head("acme") == head


@pytest.mark.real
def test_an_attestation_is_asked_for_once_in_seven_days_and_then_of_who_is_accountable(house):
    soon = TODAY + timedelta(days=28)
    house.write(
        (attestations, renewals(2, due=soon)),
        (control_owners, [{**CONTROLS[0], "email": "bob@acme.example", "raci": "A"}]),
    )
    seen = []
    for day in range(0, 25) if WHOLE else EDGES:
        process = run(house, "attestation-renewal", now=NOW + timedelta(days=day))
        if process.outcome == "delivered":
            rows = house.rows(kind="attestation-renewal", period=process.period)
            seen.append((day, {row["recipient"]: len(row["payload"]["renewals"]) for row in rows}))
    assert seen == [
        (0, {"ann@acme.example": 2}),
        (7, {"ann@acme.example": 2}),
        (14, {"ann@acme.example": 1, "bob@acme.example": 1}),
        (21, {"ann@acme.example": 1, "bob@acme.example": 1}),
    ]


@pytest.mark.real
def test_the_whole_list_on_the_webhook_nudges_nobody_who_was_not_asked(house):
    """The webhook carries all renewals of 90 days; only those within 30 days were asked for."""
    house.endpoints("webhook")
    house.environment["SVC_SMTP_URL"] = ""
    far = [{**row, "id": f"far{row['id']}", **CONTROLS[9]} for row in renewals(1, due=TODAY + timedelta(days=33))]
    house.write((attestations, [*renewals(1), *far]))
    assert run(house, "attestation-renewal").outcome == "delivered"
    (row,) = house.rows()
    assert len(row["payload"]["renewals"]) == 2
    later = run(house, "attestation-renewal", now=NOW + timedelta(days=4))
    assert later.outcome == "delivered"
    owed = [item["control_id"] for item in house.rows(period=later.period)[0]["payload"]["renewals"] if item["owed"]]
    assert owed == [CONTROLS[9]["control_id"]]


@pytest.mark.real
def test_a_density_alert_is_news_once_and_again_after_the_week_was_clear(peak):
    """Twenty duties in W49: alerted once; done, and no longer over; due again, and alerted again."""
    due = "2026-W49"
    assert run(peak, "obligation-density-alerts").outcome == "delivered"
    rows = peak.rows(kind="obligation-density-alerts")
    assert {item["week"] for row in rows for item in row["payload"]["breaches"]} == {due}
    assert run(peak, "obligation-density-alerts", now=NOW + timedelta(days=1)).outcome == "empty"

    def all_withdrawn(on, now):
        with peak.store.revision("acme", "t", now=now) as revision:
            for row in many(revision.connection, attestations, "acme"):
                revision.update(attestations, {"id": row["id"]}, {"withdrawn_on": on})
            revision.record("attestations.changed")

    all_withdrawn(TODAY, NOW + timedelta(days=2))
    assert run(peak, "obligation-density-alerts", now=NOW + timedelta(days=2)).outcome == "empty"
    with peak.store.reader() as connection:
        assert [row["object_id"] for row in many(connection, audit_log, "acme", action="density.cleared")] == [due]
    assert run(peak, "obligation-density-alerts", now=NOW + timedelta(days=3)).outcome == "empty"
    all_withdrawn(None, NOW + timedelta(days=4))
    assert run(peak, "obligation-density-alerts", now=NOW + timedelta(days=4)).outcome == "delivered"


def test_a_reminder_in_the_chat_carries_a_button_that_completes_the_action(house):
    house.endpoints("chat")
    house.write((staffing_actions, [action(1), action(2, status="completed", completed_on=date(2026, 11, 1))]))
    run(house, "staffing-action-reminders")
    (chat,) = house.rows(channel="chat")
    (content,) = house.rows(delivery_contents, delivery_id=chat["id"])
    buttons = [part for block in content["blocks"] if block["type"] == "actions" for part in block["elements"]]
    assert [button["value"] for button in buttons] == [f"acme:{approval_id('acme', 'a1')}:approve"]
    (asked,) = house.rows(approvals)
    assert (asked["kind"], asked["subject"], asked["status"]) == ("staffing_action", "a1", "pending")
    assert content["body_text"].startswith(
        "Staffing action reminders (Acme): 1 person is to be reminded today of 1 staffing action"
    )


def test_text_of_people_cannot_call_anybody_in_the_chat(house):
    house.endpoints("chat")
    house.write((staffing_actions, [action(1, blocked_reason="<!channel> & <https://evil.example|click>")]))
    run(house, "staffing-action-reminders")
    (chat,) = house.rows(channel="chat")
    (content,) = house.rows(delivery_contents, delivery_id=chat["id"])
    texts = [block["text"]["text"] for block in content["blocks"] if block["type"] == "section"]
    assert any("&lt;!channel&gt; &amp; &lt;https" in text for text in texts)
    assert not any("<!" in text or "<http" in text for text in texts)
