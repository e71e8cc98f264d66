"""Staffing actions: their status on a day, their clocks, who is accountable, and which mails named them."""

import json
from datetime import date

import pytest

from engine.facts.obligations.staffing import BREACHES, ESCALATION, REMINDERS, ROLLUP
from tests.facts.conftest import control, only

WEEK = "2026-W45"  # ends on Sunday, 8 Nov 2026


def action(**more):
    return {
        "id": "x",
        "week": WEEK,
        "kind": "reassign",
        "owner": "ann",
        "relief_hours": 4.0,
        "status": "open",
        "proposed_on": "2026-10-20",
        "tracked_on": "2026-10-21",
        **more,
    }


def mail(key, kind, on, *actions, **more):
    return {
        "id": key,
        "kind": kind,
        "period": key,
        "channel": "email",
        "recipient": "ann",
        "status": "sent",
        "late": False,
        "attempts": 1,
        "created_at": f"{on} 08:00:00",
        "sent_at": f"{on} 08:01:00",
        "payload": json.dumps({"actions": list(actions)}),
        **more,
    }


@pytest.mark.parametrize(
    ("as_of", "days", "business", "breach", "standing"),
    [
        ("2026-11-08", 0, 0, 0, "under_way"),  # the Sunday that ends the week
        ("2026-11-09", 1, 1, 0, "past_peak"),
        ("2026-11-13", 5, 5, 0, "past_peak"),  # five business days later, still in time
        ("2026-11-15", 7, 5, 0, "past_peak"),
        ("2026-11-16", 8, 6, 1, "breached"),
        ("2026-11-20", 12, 10, 5, "breached"),
    ],
)
def test_the_clock_counts_business_days_after_the_peak_week(facts_with, as_of, days, business, breach, standing):
    facts = facts_with(as_of=date.fromisoformat(as_of), staffing_actions=[action()])
    row = only(facts["staffing_actions"], "days_past", "business_days_past", "breach_days", "standing", "sla_due_on")
    assert row == (days, business, breach, standing, date(2026, 11, 13))


@pytest.mark.parametrize(
    ("stored", "status", "standing"),
    [
        ({"status": "proposed", "tracked_on": None}, "proposed", "lapsed"),
        ({"status": "proposed", "tracked_on": None, "week": "2026-W47"}, "proposed", "proposed"),
        ({"status": "tracked", "tracked_on": "2026-11-25", "week": "2026-W49"}, "proposed", "proposed"),
        ({"status": "tracked", "week": "2026-W48"}, "tracked", "under_way"),  # it begins next Monday
        ({"status": "tracked", "week": "2026-W47"}, "open", "under_way"),
        ({"status": "tracked"}, "open", "breached"),
        ({"status": "open", "week": "2026-W48"}, "open", "under_way"),  # somebody began early and said so
        ({"status": "completed", "completed_on": "2026-11-21", "week": "2026-W48"}, "tracked", "under_way"),
        ({"status": "completed", "completed_on": "2026-11-13"}, "completed", "done_on_time"),
        ({"status": "completed", "completed_on": "2026-11-14"}, "completed", "done_late"),
        ({"status": "completed", "completed_on": "2026-11-21"}, "open", "breached"),
        ({"status": "completed"}, "completed", "done_undated"),
    ],
)
def test_the_status_is_that_of_the_day(facts_with, stored, status, standing):
    assert only(facts_with(staffing_actions=[action(**stored)])["staffing_actions"], "status", "standing") == (
        status,
        standing,
    )


@pytest.mark.parametrize(
    ("as_of", "status"), [("2026-11-01", "tracked"), ("2026-11-02", "open"), ("2026-11-08", "open")]
)
def test_what_was_taken_up_is_open_from_the_monday_of_its_peak_week(facts_with, as_of, status):
    facts = facts_with(as_of=date.fromisoformat(as_of), staffing_actions=[action(status="tracked")])
    assert only(facts["staffing_actions"], "status") == status


def test_what_is_proposed_later_or_in_no_week_is_not_there(facts_with):
    facts = facts_with(staffing_actions=[action(proposed_on="2026-11-21"), action(id="y", week="soon")])
    assert facts["staffing_actions"].is_empty()


def test_sla_days_are_a_setting(facts_with):
    facts = facts_with(staffing_actions=[action()], settings={"staffing_sla_days": 8})
    assert only(facts["staffing_actions"], "sla_due_on", "breach_days") == (date(2026, 11, 18), 2)


def attestation(key, owner, control_id):
    return {"id": key, "framework": "soc2", "control_id": control_id, "owner": owner, "due_on": "2026-12-01"}


def accountable(known, *owned, **more):
    """Who is accountable for the action of ann; ``owned`` is (control, owner of its attestation, accountable)."""
    facts = known(
        controls=[control(name) for name, _, _ in owned],
        attestations=[attestation(name, owner, name) for name, owner, _ in owned],
        control_owners=[{"framework": "soc2", "control_id": name, "email": who, "raci": "A"} for name, _, who in owned],
        users=[{"email": "gone", "active": False}, {"email": "bob"}],
        staffing_actions=[action(**more)],
    )
    return only(facts["staffing_actions"], "accountable", "duties")


def test_who_is_accountable_for_most_duties_of_the_owner(facts_with):
    owned = [("X1", "ann", "bob"), ("X2", "ann", "cyd"), ("X3", "ann", "cyd"), ("X4", "dan", "eve")]
    assert accountable(facts_with, *owned) == ("cyd", [])
    assert accountable(facts_with, *owned, obligation_id="attestation:X1") == ("bob", ["Attest X1 Control X1"])


def test_neither_the_owner_nor_who_left_is_accountable(facts_with):
    owned = [("X1", "ann", "ann"), ("X2", "ann", "gone")]
    assert accountable(facts_with, *owned) == (None, [])
    assert accountable(facts_with, *owned, ("X3", "ann", "bob"), obligation_id="attestation:X2")[0] == "bob"


def committee(key, chair, members, **more):
    return {
        "id": key,
        "name": key,
        "chair": chair,
        "members": members,
        "cadence": "monthly",
        "first_meeting_on": "2026-12-01",
        **more,
    }


@pytest.mark.parametrize(
    ("committees", "found"),
    [
        ([], (None, None)),
        ([committee("own", "ann", "ann")], (None, None)),  # nobody reports to oneself
        ([committee("own", "ann", "ann"), committee("other", "bob", "")], ("other", "bob")),
        ([committee("a", "bob", "cyd"), committee("b", "dan", "ann; cyd")], ("b", "dan")),
        ([committee("a", "bob", "ann", first_meeting_on="2026-12-08"), committee("b", "dan", "ann")], ("b", "dan")),
        (
            [committee("own", "gone", "ann"), committee("other", "bob", "")],
            ("other", "bob"),
        ),  # whoever left hears of nothing
    ],
)
def test_the_committee_of_the_owner_that_meets_next_hears_of_it(facts_with, committees, found):
    users = [{"email": "gone", "active": False}, {"email": "bob"}]
    facts = facts_with(staffing_actions=[action()], committees=committees, users=users)
    assert only(facts["staffing_actions"], "committee", "chair") == found


def test_reminders_and_mails_that_named_an_action(facts_with):
    named = {"action_id": "x"}
    facts = facts_with(
        staffing_actions=[action()],
        deliveries=[
            mail("1", REMINDERS, "2026-11-09", {**named, "step": 1}),
            mail("2", REMINDERS, "2026-11-11", {**named, "step": 2}, {"action_id": "y", "step": 1}),
            mail("3", REMINDERS, "2026-11-15", {**named, "step": 3}, status="failed", sent_at=None),
            mail("4", ROLLUP, "2026-11-09", named),  # the action was in time then
            mail("5", ROLLUP, "2026-11-16", named),
            mail("6", ROLLUP, "2026-11-16", named, channel="chat"),
            mail("7", ROLLUP, "2026-11-18", named),
            mail("8", ROLLUP, "2026-11-19", named, status="pending", sent_at=None),
            mail("9", ESCALATION, "2026-11-19", named),
            mail("10", BREACHES, "2026-11-21", named),
            mail("11", "committee-digest", "2026-11-19", named),
        ],
    )
    columns = (
        "reminder_step",
        "last_reminder_on",
        "rollups",
        "last_rollup_on",
        "breach_told_on",
        "escalations",
        "last_escalation_on",
    )
    assert only(facts["staffing_actions"], *columns) == (
        2,
        date(2026, 11, 11),
        3,
        date(2026, 11, 18),
        date(2026, 11, 16),
        1,
        date(2026, 11, 19),
    )
    assert facts["staffing_notices"].filter(action_id="x")["delivery_id"].to_list() == [
        "1",
        "4",
        "2",
        "3",
        "5",
        "6",
        "7",
        "8",
        "9",
    ]


def test_an_action_that_no_mail_named(facts_with):
    facts = facts_with(
        staffing_actions=[action()],
        deliveries=[mail("1", ROLLUP, "2026-11-16"), mail("2", ROLLUP, "2026-11-16", payload=None)],
    )
    assert only(facts["staffing_actions"], "reminder_step", "rollups", "breach_told_on") == (0, 0, None)


def test_members_are_those_who_still_are(facts_with):
    facts = facts_with(
        memberships=[{"email": "ann", "role": "owner"}, {"email": "bob", "role": "admin", "status": "removed"}]
    )
    assert only(facts["members"], "email", "role") == ("ann", "owner")


def test_without_actions_there_are_none(facts_with):
    facts = facts_with()
    assert all(facts[name].is_empty() for name in ("staffing_actions", "staffing_notices", "members"))
