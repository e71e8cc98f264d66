"""Incidents of one confirmed cause are one family; proposed ones are not yet."""

import polars as pl

from reports.programme.activity.incident_families import incident_families
from tests.factories import moment, rows

ORGANIZATION = rows("organization", {"org_id": "acme", "time_zone": "UTC"})


def incident(name, opened, resolved, **given):
    values = {"severity": "low", "status": "resolved" if resolved else "open", "family_id": name, **given}
    ended = moment(f"2026-11-0{resolved} 10:00") if resolved else None
    return {
        "org_id": "acme",
        "id": name,
        "opened_at": moment(f"2026-11-0{opened} 10:00"),
        "resolved_at": ended,
        **values,
    }


def families(*incidents):
    frame = incident_families(rows("incidents", *incidents), ORGANIZATION)
    return frame.select("family_id", "severity", "members", pl.col("minutes_to_resolve") / 60).rows()


def test_a_family_lasts_from_its_earliest_beginning_to_its_last_end_and_is_as_bad_as_its_worst():
    members = [incident("a", 2, 3), incident("b", 1, 4, family_id="a", severity="high"), incident("c", 5, 6)]
    assert families(*members) == [("a", "high", 2, 72.0), ("c", "low", 1, 24.0)]


def test_a_family_with_a_live_incident_is_not_over():
    assert families(incident("a", 2, 3), incident("b", 4, None, family_id="a")) == [("a", "low", 2, None)]


def test_without_incidents_there_are_no_families():
    assert families() == []
