"""Waves of attestations to renew, and who is asked when."""

from datetime import date, timedelta

import pytest

from reports.evidence.attestation_renewal import REPORT
from tests.factories import (
    DAY,
    ask,
    moment,
    rows,
)

ANN, BOB = "ann@acme.example", "bob@acme.example"


def renewal(name, left, framework="soc2", **given):
    due = DAY + timedelta(days=left)
    return {
        "obligation_id": f"attestation:{name}", "kind": "attestation", "title": f"Attest {name}", "owner": ANN,
        "accountable": BOB, "frameworks": [framework], "controls": [f"{framework}:{name}"], "due_on": due,
        "days_left": left, "week": due.strftime("%G-W%V"), "effort_hours": 0.5,
        "state": "overdue" if left < 0 else "open", **given,
    }  # fmt: skip


def nudge(name, left, *agos, kind="attestation-renewal", state="renewal"):
    due = DAY + timedelta(days=left)
    return [
        {"kind": kind, "reminder_id": f"attestation:{name}@{due}|{state}", "delivery_id": f"d{ago}", "channel": "email",
         "recipient": ANN, "status": "sent", "created_on": DAY - timedelta(days=ago),
         "created_at": moment(f"{DAY - timedelta(days=ago)} 09:00")}
        for ago in agos
    ]  # fmt: skip


def report(*obligations, attestations=(), status=(), weeks=(), reminders=(), people=()):
    return REPORT.build(
        rows("obligations", *obligations), rows("attestations", *attestations), rows("control_status", *status),
        rows("owner_weeks", *weeks), rows("reminders", *reminders), rows("people", *people), ask(),
    )  # fmt: skip


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


@pytest.mark.parametrize(
    ("left", "wave"),
    [(-1, "overdue"), (0, "within_14_days"), (14, "within_14_days"), (15, "in_15_to_30_days"), (30, "in_15_to_30_days"), (31, "in_31_to_60_days"), (60, "in_31_to_60_days"),
     (61, "in_61_to_90_days"), (90, "in_61_to_90_days")],
)  # fmt: skip
def test_waves_by_days_until_due(left, wave):
    assert table(report(renewal("CC1.1", left)), "renewals")["wave"].to_list() == [wave]


def test_what_is_due_later_is_counted_and_not_listed():
    document = report(renewal("CC1.1", 91), renewal("CC1.2", 10))
    assert (document.summary["renewals"], document.summary["after_90_days"]) == (1, 1)


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
    document = report(renewal("CC1.1", -3), renewal("CC1.2", 20), renewal("A.5.1", 45, "iso27001"))
    waves = table(document, "waves").select("wave", "renewals", "effort_hours", "frameworks", "to_send")
    assert waves.rows() == [
        ("overdue", 1, 0.5, ["soc2"], 1), ("within_14_days", 0, 0.0, [], 0), ("in_15_to_30_days", 1, 0.5, ["soc2"], 1),
        ("in_31_to_60_days", 1, 0.5, ["iso27001"], 0), ("in_61_to_90_days", 0, 0.0, [], 0),
    ]  # fmt: skip
    assert table(document, "owners").select("recipient", "items", "message").rows() == [
        (ANN, 2, "1 overdue, 1 due 15 to 30 days. Begin with soc2 CC1.1 (3 days late)."),
    ]
    assert document.headline == (
        "3 attestations to renew within 90 days (1.5 hours), 1 of them overdue; begin with ann@acme.example "
        "(1 overdue, 1 due 15 to 30 days)."
    )


def week(start, demand, available, owner=ANN):
    return {"owner": owner, "week": start.strftime("%G-W%V"), "week_start_on": start, "demand_hours": demand,
            "available_hours": available,
            "utilisation_pct": None if not available else round(100 * demand / available, 1)}  # fmt: skip


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
    def signed(name, status, framework="soc2"):
        return {"framework": framework, "control_id": name, "id": name, "due_on": DAY, "status": status}

    document = report(
        renewal("CC1.1", -3), renewal("CC1.2", 40),
        attestations=[signed("CC1.1", "overdue"), signed("CC1.3", "attested"), signed("A.5.1", "rejected", "iso27001")],
    )  # fmt: skip
    found = table(document, "frameworks").select(
        "framework", "renewals", "overdue", "in_31_to_60_days", "attested_now", "current_pct"
    )
    assert found.rows() == [("soc2", 2, 1, 1, 1, 50.0), ("iso27001", 0, 0, 0, 0, 0.0)]
    assert document.warnings == ["1 attestation was rejected: put it right and set a new date."]


def test_evidence_to_collect_before_signing_is_named():
    status = [{"framework": "soc2", "control_id": "CC1.1", "freshness": "stale"},
              {"framework": "soc2", "control_id": "CC1.2", "freshness": "fresh"}]  # fmt: skip
    document = report(renewal("CC1.1", 3), renewal("CC1.2", 3), status=status)
    assert document.warnings == ["Collect evidence before signing, it is stale or missing now: SOC 2 CC1.1."]


@pytest.mark.parametrize("given", [{"kind": "vendor_review"}, {"state": "done"}, {"state": "cancelled"}])
def test_other_duties_and_settled_ones_are_no_renewals(given):
    document = report(renewal("CC1.1", 3, **given))
    assert document.headline == "No attestation is waiting to be renewed: check that attestations have been set up."
    assert document.summary["renewals"] == 0


def test_nothing_within_ninety_days_names_the_next():
    assert report(renewal("CC1.1", 100)).headline == (
        "No attestation falls due within 90 days; the next is due 2027-02-28."
    )
