"""Waves of attestations to renew, and who is asked when."""

from datetime import date, timedelta

import pytest

from reports.evidence.attestation_renewal import REPORT
from tests.factories import DAY, document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow

ANN, BOB = "ann@acme.example", "bob@acme.example"


def renewal(name, left, framework="soc2", **given):
    due = DAY + timedelta(days=left)
    return {
        "obligation_id": f"attestation:{name}",
        "kind": "attestation",
        "title": f"Attest {name}",
        "owner": ANN,
        "accountable": BOB,
        "frameworks": [framework],
        "controls": [f"{framework}:{name}"],
        "due_on": due,
        "days_left": left,
        "week": due.strftime("%G-W%V"),
        "effort_hours": 0.5,
        "state": "overdue" if left < 0 else "open",
        **given,
    }


def nudge(name, left, *agos, kind="attestation-renewal", state="renewal"):
    due = DAY + timedelta(days=left)
    return [
        {
            "kind": kind,
            "reminder_id": f"attestation:{name}@{due}|{state}",
            "delivery_id": f"d{ago}",
            "channel": "email",
            "recipient": ANN,
            "status": "sent",
            "created_on": DAY - timedelta(days=ago),
            "created_at": moment(f"{DAY - timedelta(days=ago)} 09:00"),
        }
        for ago in agos
    ]


def facts(*obligations, attestations=(), status=(), weeks=(), reminders=(), people=()):
    late = [signing(row) for row in obligations if row["days_left"] < 0]
    return {
        "obligations": rows("obligations", *obligations),
        "attestations": rows("attestations", *(attestations or late)),
        "control_status": rows("control_status", *status),
        "owner_weeks": rows("owner_weeks", *weeks),
        "reminders": rows("reminders", *reminders),
        "people": rows("people", *people),
    }


def signing(obligation):
    """The attestation behind an overdue duty of the ledger."""
    framework, _, control_id = obligation["controls"][0].partition(":")
    return {
        "framework": framework,
        "control_id": control_id,
        "id": control_id,
        "due_on": obligation["due_on"],
        "status": "overdue",
    }


def report(*obligations, **given):
    return document(REPORT, **facts(*obligations, **given))


def table(found, name):
    return found.table(name).frame


@pytest.mark.parametrize(
    ("left", "wave"),
    [
        (-1, "overdue"),
        (0, "within_14_days"),
        (14, "within_14_days"),
        (15, "in_15_to_30_days"),
        (30, "in_15_to_30_days"),
        (31, "in_31_to_60_days"),
        (60, "in_31_to_60_days"),
        (61, "in_61_to_90_days"),
        (90, "in_61_to_90_days"),
    ],
)
def test_waves_by_days_until_due(left, wave):
    assert table(report(renewal("CC1.1", left)), "renewals")["wave"].to_list() == [wave]


def test_what_is_due_later_is_counted_and_not_listed():
    found = report(renewal("CC1.1", 91), renewal("CC1.2", 10))
    assert (found.summary["renewals_in_90_days"], found.summary["renewals_after_90_days"]) == (1, 1)


@pytest.mark.parametrize(
    ("reminders", "owed", "nudges", "recipient"),
    [
        ([], True, 0, ANN),
        (nudge("CC1.1", 10, 7), True, 1, ANN),
        (nudge("CC1.1", 10, 6), False, 1, ANN),
        (nudge("CC1.1", 10, 7, 14), True, 2, BOB),  # asked twice without an answer
        (nudge("CC1.1", 10, 2, kind="sla-reminders", state="due_soon|14"), False, 0, ANN),  # asked by the other digest
        (nudge("CC1.2", 10, 1), True, 0, ANN),
    ],
)
def test_an_item_is_nudged_once_a_week_and_goes_to_who_is_accountable_after_two(reminders, owed, nudges, recipient):
    found = table(report(renewal("CC1.1", 10), reminders=reminders), "renewals")
    assert found.select("owed", "nudges", "recipient").rows() == [(owed, nudges, recipient)]


def test_who_has_left_is_not_asked():
    people = [{"email": ANN, "active": False}]
    assert table(report(renewal("CC1.1", 1), people=people), "renewals")["recipient"].to_list() == [BOB]


def test_waves_that_are_far_off_are_shown_and_not_sent():
    found = report(renewal("CC1.1", -3), renewal("CC1.2", 20), renewal("A.5.1", 45, "iso27001"))
    waves = table(found, "waves").select("wave", "renewals", "effort_hours", "frameworks", "to_send")
    assert waves.rows() == [
        ("overdue", 1, 0.5, ["soc2"], 1),
        ("within_14_days", 0, 0.0, [], 0),
        ("in_15_to_30_days", 1, 0.5, ["soc2"], 1),
        ("in_31_to_60_days", 1, 0.5, ["iso27001"], 0),
        ("in_61_to_90_days", 0, 0.0, [], 0),
    ]
    assert table(found, "owners").select("recipient", "items", "message").rows() == [
        (ANN, 2, "1 overdue, 1 due 15 to 30 days. Begin with SOC 2 CC1.1 (3 days late).")
    ]
    assert lead(found) == (
        "1 of 3 attestations to sign within 90 days is overdue.",
        "Begin with ann@acme.example, who has 2 to sign now (1 overdue): first SOC 2 CC1.1 (3 days late).",
    )


def week(start, demand, available, owner=ANN):
    return {
        "owner": owner,
        "week": start.strftime("%G-W%V"),
        "week_start_on": start,
        "demand_hours": demand,
        "available_hours": available,
        "utilisation_pct": None if not available else round(100 * demand / available, 1),
    }


MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("items", "hours", "why"),
    [
        ([renewal("CC1.1", 4)], (9.0, 10.0), "too few hours"),
        ([renewal("CC1.1", 4)], (8.5, 10.0), None),
        ([renewal("CC1.1", 4)], (1.0, 0.0), "too few hours"),
        (
            [renewal("CC1.1", 4), renewal("CC1.2", 4), renewal("A.5.1", 5, "iso27001")],
            (1.0, 10.0),
            "several frameworks",
        ),
        ([renewal("CC1.1", 4), renewal("A.5.1", 5, "iso27001")], (1.0, 10.0), None),
        ([renewal("CC1.1", 4), renewal("CC1.2", 4), renewal("CC1.3", 5)], (1.0, 10.0), None),
    ],
)
def test_renewals_collide_where_frameworks_crowd_or_hours_are_missing(items, hours, why):
    found = table(report(*items, weeks=[week(MONDAY, *hours)]), "collisions")
    assert found["why"].to_list() == ([why] if why else [])


def test_overdue_renewals_fall_into_this_week():
    found = table(report(renewal("CC1.1", -40), weeks=[week(date(2026, 11, 16), 9.0, 10.0)]), "collisions")
    assert found["week"].to_list() == ["2026-W47"]


def test_frameworks_show_their_waves_and_what_is_current():
    def signed_row(name, status, framework="soc2"):
        return {"framework": framework, "control_id": name, "id": name, "due_on": DAY, "status": status}

    found = report(
        renewal("CC1.1", -3),
        renewal("CC1.2", 40),
        attestations=[
            signed_row("CC1.1", "overdue"),
            signed_row("CC1.3", "attested"),
            signed_row("A.5.1", "rejected", "iso27001"),
        ],
    )
    columns = table(found, "frameworks").select(
        "framework", "renewals", "overdue", "in_31_to_60_days", "attested_now", "current_pct"
    )
    assert columns.rows() == [("soc2", 2, 1, 1, 1, 50.0), ("iso27001", 0, 0, 0, 0, 0.0)]
    assert found.warnings == [
        "1 attestation was rejected, put right what was found and sign again: ISO 27001 A.5.1 A control "
        "(with ann@acme.example)."
    ]


def test_evidence_to_collect_before_signing_is_named():
    status = [
        {"framework": "soc2", "control_id": "CC1.1", "freshness": "stale"},
        {"framework": "soc2", "control_id": "CC1.2", "freshness": "fresh"},
    ]
    found = report(renewal("CC1.1", 3), renewal("CC1.2", 3), status=status)
    assert found.warnings == ["Collect evidence before signing, it is stale or missing now: SOC 2 CC1.1."]


@pytest.mark.parametrize("given", [{"kind": "vendor_review"}, {"state": "done"}, {"state": "cancelled"}])
def test_other_duties_and_settled_ones_are_no_renewals(given):
    found = report(renewal("CC1.1", 3, **given))
    assert lead(found) == (
        "No attestation is waiting to be signed.",
        "Import attestations.csv with hq import to fill this report.",
    )
    assert found.summary["renewals_in_90_days"] == 0


def test_nothing_within_ninety_days_names_the_next():
    assert lead(report(renewal("CC1.1", 100))) == (
        "No attestation falls due within 90 days; the next is due 28 Feb 2027.",
        "",
    )


MANY = (
    renewal("CC1.1", -3),
    renewal("CC1.2", 20),
    renewal("CC1.3", 4, owner=None, accountable=None),
    renewal("A.5.1", 45, "iso27001"),
    renewal("A.5.2", 89, "iso27001"),
    renewal("A.5.3", 200, "iso27001"),
)
STALE = ({"framework": "soc2", "control_id": "CC1.1", "freshness": "stale"},)


def test_each_figure_follows_from_the_rows_that_explain_it():
    weeks = [week(date(2026, 11, 16), 9.0, 10.0)]
    nudges = nudge("CC1.2", 20, 8, 16)
    values_follow(REPORT, **facts(*MANY, status=STALE, weeks=weeks, reminders=nudges))
    values_follow(REPORT)


def test_the_figures_count_who_is_asked_for_what():
    weeks = [week(date(2026, 11, 16), 9.0, 10.0)]
    found = report(*MANY, status=STALE, weeks=weeks, reminders=nudge("CC1.2", 20, 8, 16))
    assert dict(found.summary) == {
        "renewals_in_90_days": 5,
        "attestations_overdue": 1,
        "attestations_overdue_week_change": 1,
        "renewals_within_14_days": 1,
        "renewals_in_15_to_30_days": 1,
        "renewals_in_31_to_60_days": 1,
        "renewals_in_61_to_90_days": 1,
        "renewals_after_90_days": 1,
        "renewals_hours": 2.5,
        "renewals_to_send": 3,
        "renewal_recipients": 2,
        "renewals_escalated": 1,
        "renewals_without_recipient": 1,
        "renewals_on_weak_evidence": 1,
        "renewal_collision_weeks": 1,
        "attestations_rejected": 0,
        "attestation_duty_pct": 0.0,
    }


def test_an_escalated_attestation_says_how_often_it_was_asked_for():
    frame = explained_rows(REPORT, "renewals_escalated", **facts(*MANY, reminders=nudge("CC1.2", 20, 8, 16)))
    assert frame.select("control_id", "reason").rows() == [("CC1.2", "asked for 2 times, last on 2026-11-12")]


def test_what_nobody_can_be_asked_for_is_the_first_thing_said():
    found = report(renewal("CC1.1", -2, owner=None, accountable=None))
    assert lead(found) == (
        "1 of 1 attestation to sign within 90 days is overdue.",
        "Name owners first: 1 has none to ask (1 overdue).",
    )
    assert found.warnings == [
        "1 renewal has nobody who is there to ask: an administrator names an owner for SOC 2 CC1.1."
    ]


def test_what_was_asked_for_lately_is_not_asked_for_again():
    assert lead(report(renewal("CC1.1", 3), reminders=nudge("CC1.1", 3, 1))) == (
        "1 attestation to sign within 90 days (0.5 hours), none overdue.",
        "Nothing is to be sent now: whoever is due was asked within the last days.",
    )
