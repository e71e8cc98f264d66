import polars as pl
import pytest

from engine.facts.governance import operations
from tests.facts.conftest import only

BUCKETS = operations.BUCKETS_30D


def health(*columns, objective=99.9, total=1_000_000, bad=600, total_7d=200_000, bad_7d=0, buckets=BUCKETS):
    services = pl.DataFrame({"org_id": ["acme"], "id": ["s"], "name": ["S"], "criticality": [3]})
    profiles = pl.DataFrame({"org_id": ["acme"], "service_id": ["s"], "objective_pct": [objective]})
    sums = pl.DataFrame(
        {
            "org_id": ["acme"],
            "service_id": ["s"],
            "total_30d": [total],
            "bad_30d": [bad],
            "total_7d": [total_7d],
            "bad_7d": [bad_7d],
            "buckets": [buckets],
        }
    )
    return only(operations.service_health(services, profiles, sums), *columns)


def test_the_error_budget_of_the_specification():
    columns = ("used_30d_pct", "burn_30d", "used_7d_pct", "burn_7d", "level")
    assert health(*columns) == (60.0, 0.6, 0.0, 0.0, "ok")
    assert health(*columns, bad_7d=300) == (60.0, 0.6, 150.0, 1.5, "warning")


@pytest.mark.parametrize(
    ("bad", "bad_7d", "level"),
    [
        (749, 0, "ok"),
        (750, 0, "warning"),
        (999, 0, "warning"),
        (1000, 0, "critical"),
        (0, 199, "ok"),
        (0, 200, "warning"),
        (0, 399, "warning"),
        (0, 400, "critical"),
    ],
)
def test_levels_begin_at_three_quarters_and_all_of_the_budget_and_at_burn_one_and_two(bad, bad_7d, level):
    assert health("level", bad=bad, bad_7d=bad_7d) == level


def test_a_level_is_told_from_the_exact_figure_not_from_the_rounded_one():
    assert health("used_30d_pct", "level", total=100_000_000, bad=99_990) == (100.0, "warning")


@pytest.mark.parametrize(
    ("buckets", "level"), [(864, "ok"), (863, "insufficient_history"), (0, "insufficient_history")]
)
def test_less_than_a_tenth_of_the_buckets_is_insufficient_history(buckets, level):
    assert health("level", buckets=buckets) == level


def test_an_objective_without_a_budget_and_a_service_without_events_say_nothing():
    assert health("used_30d_pct", "level", objective=100.0) == (None, "insufficient_history")
    assert health("used_30d_pct", "level", total=0, bad=0) == (None, "insufficient_history")


def test_windows_of_thirty_and_seven_days_end_with_the_day(facts_with):
    days = [
        "2026-11-20 23:55",
        "2026-11-14 00:00",
        "2026-11-13 23:55",
        "2026-10-22 00:00",
        "2026-10-21 23:55",
        "2026-11-21 00:00",
    ]
    buckets = [{"service_id": "s", "bucket_at": at, "total": 10**n, "bad": 0} for n, at in enumerate(days)]
    facts = facts_with(
        services=[{"id": "s", "name": "S", "criticality": 3}, {"id": "t", "name": "T", "criticality": 1}],
        slo_profiles=[{"service_id": "s", "objective_pct": 99.0}, {"service_id": "t", "objective_pct": 99.0}],
        slo_buckets=buckets,
    )
    found = facts["service_health"].select("service_id", "total_30d", "total_7d", "buckets_share", "level")
    assert found.rows() == [
        ("s", 1111, 11, round(4 / BUCKETS, 4), "insufficient_history"),
        ("t", 0, 0, 0.0, "insufficient_history"),
    ]


def test_steps_of_an_incident_that_come_after_the_day_have_not_happened(facts_with):
    incident = {
        "id": "i",
        "title": "I",
        "severity": "high",
        "status": "resolved",
        "opened_at": "2026-11-20 20:00",
        "acknowledged_at": "2026-11-20 20:05",
        "mitigated_at": "2026-11-20 21:30",
        "resolved_at": "2026-11-21 00:00",
    }
    columns = ("minutes_to_acknowledge", "minutes_to_mitigate", "minutes_to_resolve", "resolved_at")
    assert only(facts_with(incidents=[incident])["incidents"], *columns) == (5.0, 90.0, None, None)
    assert facts_with(incidents=[{**incident, "opened_at": "2026-11-21 00:00"}])["incidents"].is_empty()


INCIDENT = {
    **{"id": "i", "title": "I", "severity": "high", "status": "closed", "opened_at": "2026-11-20 10:00"},
    **{"acknowledged_at": "2026-11-20 10:05", "mitigated_at": "2026-11-20 10:30", "resolved_at": "2026-11-20 11:00"},
}


@pytest.mark.parametrize(
    ("change", "minutes"),
    [
        ({}, (5.0, 30.0, 60.0)),
        ({"resolved_at": "2026-11-20 10:00"}, (5.0, 30.0, 0.0)),
        ({"resolved_at": "2026-11-19 10:00"}, (5.0, 30.0, None)),
        ({"acknowledged_at": "2026-11-20 09:59", "mitigated_at": "2026-11-20 09:59"}, (None, None, 60.0)),
        ({"status": "mitigated"}, (5.0, 30.0, None)),
    ],
)
def test_an_end_before_the_opening_or_of_what_goes_on_is_no_known_end(facts_with, change, minutes):
    columns = ("minutes_to_acknowledge", "minutes_to_mitigate", "minutes_to_resolve")
    assert only(facts_with(incidents=[{**INCIDENT, **change}])["incidents"], *columns) == minutes


def test_bundles_are_those_sealed_up_to_the_day(facts_with):
    given = [
        {"id": id, "sealed_at": at} for id, at in (("b", "2026-11-20 23:59"), ("a", "2026-01-01"), ("c", "2026-11-21"))
    ]
    assert facts_with(bundles=given)["bundles"]["id"].to_list() == ["a", "b"]
