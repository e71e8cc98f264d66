"""The organization in its first month: forty controls, one person, next to nothing on record."""

from datetime import timedelta

import polars as pl
import pytest

from data.demo.cast.dune import LEFT_OUT, exclusion_reason
from engine.catalogue import catalogue
from tests.data.test_demo import DAY, demo, problems, table


@pytest.mark.real
def test_every_cell_is_what_its_column_asks_for_on_a_leap_day():
    assert problems(demo("dune", DAY.replace(year=2028, month=2, day=29))) == []


def test_forty_controls_are_in_scope_and_the_others_are_excluded_with_a_reason():
    excluded = table("dune", "control_profiles")
    known = catalogue().controls.filter("assessable", framework="soc2")["control_id"]
    assert len(known) - excluded.height == 40
    assert excluded.drop_nulls(["justification", "approved_by", "approved_on"]).height == excluded.height
    assert {control_id: exclusion_reason(control_id) for control_id in ("CC1.1", "C1.1", "PI1.1", "A1.2", "P6.7")} == {
        "CC1.1": None,
        "C1.1": None,
        "PI1.1": None,
        "A1.2": LEFT_OUT["A"],
        "P6.7": LEFT_OUT["P"],
    }


def test_one_person_does_everything():
    assert table("dune", "users")["email"].to_list() == ["owner@dune.example"]
    named = {
        value
        for frame in demo("dune").values()
        for column in ("owner", "attestor", "approver", "approved_by", "accepted_by", "email", "actor")
        if column in frame.columns
        for value in frame[column].drop_nulls()
    }
    assert named == {"owner@dune.example"}


def test_there_is_one_signature_one_vendor_and_no_incident():
    assert table("dune", "attestations")["outcome"].drop_nulls().to_list() == ["attested"]
    assert table("dune", "vendors").height == 1
    assert not {"incidents", "remediations", "risks", "poam_items", "exceptions"} & set(demo("dune"))


def test_nothing_happened_more_than_a_month_ago():
    events = table("dune", "audit_log")
    assert 5 < events.height < 20
    assert events["occurred_at"].dt.date().min() >= DAY - timedelta(22)
    assert table("dune", "readiness_snapshots")["taken_on"].min() >= DAY - timedelta(22)
    assert table("dune", "readiness_snapshots").height == 3


def test_failures_of_the_first_month_have_not_been_answered():
    newest = table("dune", "audit_log").filter(pl.col("action").is_in(["backup.failed", "vuln.scan.failed"]))
    assert newest.select("action", "outcome").rows() == [("backup.failed", "failure"), ("vuln.scan.failed", "denied")]


def test_until_the_first_signature_was_given_its_control_had_a_policy_and_no_more():
    changes = table("dune", "control_state_changes").filter(control_id="CC1.1").sort("observed_on")
    assert changes.select("observed_on", "state").rows() == [
        (DAY - timedelta(18), "no_data"),
        (DAY - timedelta(11), "partial"),
    ]
