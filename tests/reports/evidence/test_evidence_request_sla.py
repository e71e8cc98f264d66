"""What the SLA digest says: F5 on a few requests."""

from datetime import date, timedelta

import pytest

from reports.evidence.evidence_request_sla import REPORT
from tests.factories import DAY, ask, document, explained_rows, lead, rows
from tests.reports.evidence.test_evidence_requests import late, request, table
from tests.reports.explanations import values_follow


def closed_request(number, days, *, on_time=True, ago=5, **given):
    """Closed ``ago`` days before the report's day, ``days`` after it was opened."""
    end = DAY - timedelta(days=ago)
    return (
        request(
            number,
            opened_on=end - timedelta(days=days),
            closed_on=end,
            finished_on=end,
            returns=0,
            auditor_status="accepted",
            clock="closed_on_time" if on_time else "closed_late",
        )
        | given
    )


def facts(*requests, people=()):
    return {"requests": rows("requests", *requests), "people": rows("people", *people)}


def report(*requests, people=(), **options):
    return document(REPORT, ask(**options), **facts(*requests, people=people))


def summary(found, *names):
    return tuple(found.summary[name] for name in names)


def test_on_time_is_of_what_was_closed_or_is_overdue():
    found = report(
        closed_request(1, 3), closed_request(2, 3), closed_request(3, 9, on_time=False), late(4, 2, "P1"), request(5)
    )
    assert summary(
        found,
        "requests_closed_on_time_in_period",
        "requests_closed_late_in_period",
        "requests_overdue",
        "requests_on_time_pct",
    ) == (2, 1, 1, 50.0)


def test_percentiles_are_by_nearest_rank_of_closed_and_of_open_requests():
    turnarounds, ages = [1, 2, 2, 3, 4, 5, 8, 9, 13, 21], [40, 1, 7]
    found = report(
        *(closed_request(number, days) for number, days in enumerate(turnarounds)),
        *(request(100 + number, age_days=days) for number, days in enumerate(ages)),
    )
    assert summary(found, *(f"request_turnaround_p{n}_days" for n in (50, 90, 95))) == (4, 13, 21)
    assert summary(found, *(f"request_open_age_p{n}_days" for n in (50, 90, 95))) == (7, 40, 40)


@pytest.mark.parametrize(("minutes", "days"), [(0, 6), (1439, 6), (1440, 5), (4320, 3), (99999, 0)])
def test_whole_days_spent_waiting_on_the_requester_are_not_ours(minutes, days):
    found = report(closed_request(1, 6, paused_minutes=minutes))
    assert found.summary["request_turnaround_p50_days"] == days


def test_first_pass_is_of_what_was_finished():
    found = report(
        closed_request(1, 2), closed_request(2, 2, returns=1), {**closed_request(3, 2), "auditor_status": "closed"}
    )
    assert summary(
        found, "requests_accepted_in_period", "requests_accepted_first_pass_in_period", "requests_first_pass_pct"
    ) == (2, 1, 33.3)
    (row,) = [row for row in table(found, "metrics").to_dicts() if row["closed"]]
    assert (row["accepted"], row["accepted_first_pass"], row["first_pass_pct"]) == (2, 1, 33.3)


def test_blank_returns_are_unknown_and_what_was_closed_after_acceptance_counts():
    closed = {**closed_request(3, 2), "auditor_status": "closed", "accepted_on": DAY - timedelta(days=6)}
    found = report(closed, closed_request(2, 2, returns=None))
    names = ("requests_accepted_in_period", "requests_accepted_first_pass_in_period", "requests_first_pass_pct")
    assert summary(found, *names) == (2, 1, 50.0)


def test_a_request_closed_on_no_recorded_day_is_not_in_time_and_in_no_percentile():
    undated = {**closed_request(1, 9, on_time=False, ago=0), "closed_on": None}
    found = report(undated, closed_request(2, 2))
    names = ("requests_closed_in_period", "requests_on_time_pct", "request_turnaround_p90_days")
    assert summary(found, *names) == (2, 50.0, 2)


def test_requests_closed_before_the_period_do_not_count():
    found = report(closed_request(1, 2, ago=29), closed_request(2, 2, ago=30))
    assert found.summary["requests_closed_in_period"] == 1


def test_the_worst_comes_first_and_is_named_with_what_to_do():
    found = report(late(1, 20, "P4"), late(2, 6, "P1", status="submitted"), request(3, clock="at_risk"))
    overdue = table(found, "overdue")
    assert overdue.select("id", "days_late", "urgency").rows() == [("R2", 6, 24), ("R1", 20, 20)]
    assert lead(found) == (
        "In 30 days 0 of 2 requests were answered in time (0.0 %); 2 are overdue, 1 at risk.",
        "Get the auditor's decision on R2 first (P1, 6 days late, with ann@acme.example).",
    )


def test_every_owner_has_a_section_and_the_backup_that_of_who_left():
    people = [{"email": "ann@acme.example", "active": False}]
    found = report(
        late(1, 1, "P2"), request(2), request(3, owner="joe@acme.example"), request(4, owner=None), people=people
    )
    sections = table(found, "owners").select("recipient", "items", "message").rows()
    assert sections == [
        ("bob@acme.example", 2, "1 overdue, 1 on track. Begin with R1 (P2, 1 day late)."),
        ("joe@acme.example", 1, "1 on track. Begin with R3 (P3, due in 4 days)."),
        (None, 1, "1 on track. Begin with R4 (P3, due in 4 days)."),
    ]
    assert found.warnings == ["1 open request without an owner: the digest reaches nobody."]


@pytest.mark.parametrize(
    ("days", "bucket"), [(0, "0–7"), (7, "0–7"), (8, "8–14"), (15, "15–30"), (30, "15–30"), (31, "31+"), (400, "31+")]
)
def test_aging_buckets(days, bucket):
    aging = table(report(request(1, age_days=days)), "aging")
    assert aging.filter(aging["requests"] == 1)["age"].to_list() == [bucket]
    assert aging["requests"].sum() == aging["p3"].sum() == 1


def test_priorities_owners_and_frameworks_add_up():
    found = report(closed_request(1, 2), late(2, 3, "P1", framework="iso27001"), request(3, owner=None, framework=None))
    for name in ("metrics", "by_owner", "by_framework"):
        part = table(found, name)
        assert (part["open"].sum(), part["overdue"].sum(), part["closed"].sum()) == (2, 1, 1)
    assert table(found, "metrics")["sla_days"].to_list() == [3, 5, 10, 20]
    assert table(found, "by_framework")["framework"].to_list() == ["iso27001", "soc2", None]


def test_without_requests_nothing_is_known():
    found = report()
    assert lead(found) == (
        "No auditor's request is recorded, so nothing is known about how fast they are answered.",
        "Import evidence_requests.csv with hq import to fill this report.",
    )
    assert (
        summary(
            found,
            "requests_on_time_pct",
            "requests_first_pass_pct",
            "request_turnaround_p50_days",
            "request_open_age_p90_days",
        )
        == (None,) * 4
    )
    assert table(found, "metrics")["on_time_pct"].to_list() == [None] * 4


def test_a_queue_in_time_asks_for_nothing():
    found = report(closed_request(1, 2), request(2, due_on=date(2026, 12, 1)))
    assert lead(found) == (
        "In 30 days 1 of 1 request was answered in time (100.0 %); of 1 open request none is overdue or at risk.",
        "",
    )


MANY = (
    closed_request(1, 3, paused_minutes=1440),
    closed_request(2, 9, on_time=False, returns=1),
    late(4, 2, "P1", paused_minutes=30),
    request(5, clock="paused"),
    request(6, owner=None),
)


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, ask(), **facts(*MANY))
    values_follow(REPORT)


def test_the_rows_behind_the_share_answered_in_time_are_those_closed_and_those_overdue():
    frame = explained_rows(REPORT, "requests_on_time_pct", **facts(*MANY))
    assert frame.select("id", "flag").rows() == [("R1", 1), ("R2", 0), ("R4", 0)]


def test_nobody_is_not_one_of_the_people_with_open_requests():
    assert summary(report(*MANY), "request_recipients", "requests_open", "requests_open_paused_minutes") == (1, 3, 30)


def test_without_an_open_request_that_is_said():
    assert lead(report(closed_request(1, 2))) == (
        "In 30 days 1 of 1 request was answered in time (100.0 %); no request is open.",
        "",
    )
    assert lead(report(request(1))) == (
        "Nothing was closed in the period; of 1 open request none is overdue or at risk.",
        "",
    )


def test_requests_of_one_title_are_told_apart_by_the_control_that_is_asked_about():
    found = report(late(1, 20, "P4", control_id="CC6.1"), late(2, 6, "P1", control_id="CC6.2"))
    shown = {one.name: one.frame.columns for one in found.tables for one in [one] if one.name in ("overdue", "at_risk")}
    hidden = {one.name: set(one.hidden) for one in found.tables if one.name in shown}
    assert {name: {"framework", "control_id"} - hidden[name] for name in shown} == {
        "overdue": {"framework", "control_id"},
        "at_risk": {"framework", "control_id"},
    }
    assert table(found, "overdue")["control_id"].to_list() == ["CC6.2", "CC6.1"]
