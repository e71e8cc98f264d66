"""The past of a demo organization is what the product makes of the diary, and the awkward cases are in it."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from random import Random

import polars as pl
import pytest

from data.demo import build_story
from data.demo.cast.organizations import PROFILES
from data.demo.history.diary import Hours
from data.demo.history.past import DatedRows, end_of, tables_of
from data.demo.history.story import Story, Version
from data.demo.programme.snapshots import TABLES, WANTED
from engine.facts import FactQuestion, Facts
from engine.model.thresholds import thresholds
from engine.programme.snapshots import take_snapshot
from engine.replica.replica import Replica
from engine.store import Store
from engine.store.schema import IMPORTABLE
from tests.data.test_demo import DAY, ESTABLISHED, control, table
from tests.frames import import_frames
from tests.laws import WHOLE


@cache
def diary_of(org):
    return build_story(org, DAY)


def story():
    """A diary without a word in it."""
    return Story(PROFILES["dune"], DAY)


# the diary


def test_a_row_that_was_never_amended_has_one_version():
    diary = story()
    diary.add("workspaces", id="w", name="W")
    assert list(diary.versions("workspaces")) == [Version({"id": "w", "name": "W"}, date.min, date.max)]


def test_a_row_stands_as_it_was_amended_from_day_to_day():
    diary = story()
    row = diary.add("policies", since=DAY - timedelta(9), id="P-1", state="draft")
    diary.amend(row, DAY - timedelta(6), state="active", owner="ann")
    diary.amend(row, DAY - timedelta(2), state="retired")
    assert sorted(diary.versions("policies"), key=lambda version: version.since) == [
        Version({"id": "P-1", "state": "draft", "owner": None}, DAY - timedelta(9), DAY - timedelta(6)),
        Version({"id": "P-1", "state": "active", "owner": "ann"}, DAY - timedelta(6), DAY - timedelta(2)),
        Version({"id": "P-1", "state": "retired", "owner": "ann"}, DAY - timedelta(2), date.max),
    ]
    assert diary.tables["policies"] == [{"id": "P-1", "state": "retired", "owner": "ann"}]


def test_what_would_happen_after_today_has_not_happened():
    diary = story()
    row = diary.add("policies", id="P-1", state="draft")
    diary.amend(row, DAY + timedelta(1), state="active")
    assert [version.row for version in diary.versions("policies")] == [{"id": "P-1", "state": "draft"}]
    with pytest.raises(ValueError, match="does not exist yet"):
        diary.add("policies", since=DAY + timedelta(1), id="P-2")


def test_a_table_without_rows_has_no_versions():
    assert list(story().versions("policies")) == []


# what the product makes of it


def as_recorded(told, day):
    """All rows of the tables that snapshots rest on, as they stood on a day; neither thinned nor summed."""
    log, ends = told.frames["audit_log"], end_of(told, day).replace(tzinfo=UTC)
    known = [name for name, rows in told.tables.items() if rows and name in IMPORTABLE]
    frames = {name: DatedRows(told, name).on([day]) for name in {*tables_of(WANTED, known), "workspaces"}}
    frames = {name: frame.drop("org_id", strict=False) for name, frame in frames.items() if frame.height}
    frames["organizations"] = frames["organizations"].with_columns(id=pl.lit(told.profile.org))
    frames["audit_log"] = log.filter(pl.col("occurred_at") < ends)
    if told.profile.slo_services:
        traffic = told.frames["slo_buckets"]
        frames["slo_buckets"] = traffic.filter(pl.col("bucket_at").is_between(ends - timedelta(31), ends, "left"))
    return frames


class DayFacts:
    """The facts of a store's organization on a day."""

    def __init__(self, view, told, day):
        self.as_of = day
        profile = told.profile
        settings = thresholds(1, profile.settings)
        self._facts = Facts(view, [FactQuestion(profile.org, profile.time_zone, day, 30, settings)])
        self._org = profile.org

    def fact(self, name):
        return self._facts.of(self._org, name)


@pytest.mark.real
@pytest.mark.parametrize(
    ("org", "weeks_ago"), [("dune", 0), ("dune", 2), ("cobalt", 53), *([("cobalt", 0), ("cobalt", 7)] if WHOLE else [])]
)
def test_a_past_snapshot_is_the_one_that_the_product_takes_of_the_rows_of_that_day(sqlite_url, org, weeks_ago):
    told = diary_of(org)
    day = told.monday(weeks_ago)
    store = Store(sqlite_url)
    replica = Replica(sqlite_url, None)
    import_frames(store, as_recorded(told, day), org_id=org, actor="ann", now=datetime.combine(day, time(23, 59), UTC))
    replica.sync([org])
    with replica.view() as view:
        snapshot = take_snapshot(DayFacts(view, told, day))
    replica.close()
    store.close()
    taken = [
        [row for row in told.tables[table] if row["observed_on" if "observed_on" in row else "taken_on"] == day]
        for table in TABLES
    ]
    assert taken == [snapshot.readiness, snapshot.changes, snapshot.posture]
    assert all(taken) or org == "dune"


@pytest.mark.parametrize("org", ESTABLISHED)
def test_states_of_the_past_change_and_end_where_they_are_today(org):
    changes = table(org, "control_state_changes").sort("observed_on")
    pairs = changes.select("framework", "control_id", "state", "previous").with_columns(
        before=pl.col("state").shift().over("framework", "control_id")
    )
    assert (
        pairs.filter(pl.col("before").is_not_null())["previous"].to_list()
        == pairs.filter(pl.col("before").is_not_null())["before"].to_list()
    )
    assert set(changes["state"]) == {"effective", "partial", "stale", "ineffective", "no_data", "not_applicable"}


@pytest.mark.parametrize("org", ESTABLISHED)
def test_work_on_a_gap_begins_when_a_snapshot_first_saw_it(org):
    seen = table(org, "control_state_changes").filter(~pl.col("state").is_in(["effective", "not_applicable"]))
    key = ["framework", "control_id"]
    begun = table(org, "remediations").select(*key, opened="opened_on")
    assert begun.join(seen, left_on=[*key, "opened"], right_on=[*key, "observed_on"], how="anti").rows() == []


# awkward cases


@pytest.mark.parametrize(
    ("org", "expected"),
    [
        ("aurora", {("asv.scan.failed", "failure"), ("log.integrity.failed", "denied")}),
        ("brightline", {("segmentation.test.failed", "denied")}),
        ("cobalt", {("log.integrity.failed", "failure"), ("dr.test.failed", "failure")}),
    ],
)
def test_failures_are_called_failures_or_refusals_and_stay_unanswered(org, expected):
    events = table(org, "audit_log")
    left = events.filter(pl.col("event_id").str.starts_with("AE-unanswered"), pl.col("outcome") != "success")
    assert set(left.select("action", "outcome").iter_rows()) == expected


@pytest.mark.parametrize("org", ESTABLISHED)
def test_a_failed_backup_is_called_every_word_there_is_and_put_right(org):
    events = table(org, "audit_log")
    assert set(events.filter(action="backup.failed")["outcome"]) == {"success", "failure", "denied"}
    assert {"failure", "success"} <= set(events.filter(action="backup.completed")["outcome"])


@pytest.mark.parametrize("org", ESTABLISHED)
def test_signatures_have_lapsed_beside_a_next_duty_that_is_not_due_yet(org):
    duties = table(org, "attestations").with_columns(
        signed=pl.col("attested_at").dt.date().max().over("framework", "control_id")
    )
    lapsed = duties.filter(pl.col("outcome").is_null(), pl.col("due_on") > DAY, pl.col("signed") < DAY - timedelta(380))
    assert lapsed.height >= 2


@pytest.mark.parametrize("org", ESTABLISHED)
def test_a_request_that_waits_for_the_requester_is_past_its_date(org):
    waiting = table(org, "evidence_requests").filter(status="waiting_on_requester")
    assert waiting.filter(pl.col("due_on") < DAY).height >= 1
    assert waiting["closed_on"].null_count() == waiting.height


@pytest.mark.parametrize("org", ESTABLISHED)
def test_one_risk_is_wholly_unrated_and_others_lack_all_or_half_of_what_remains(org):
    ratings = ("likelihood", "impact", "residual_likelihood", "residual_impact")
    missing = {tuple(row[name] is None for name in ratings) for row in table(org, "risks").iter_rows(named=True)}
    assert missing == {
        (False, False, False, False),
        (False, False, True, True),
        (False, False, False, True),
        (True,) * 4,
    }


@pytest.mark.parametrize(
    ("org", "key"), [("aurora", "soc2:CC2.2"), ("brightline", "soc2:CC1.4"), ("cobalt", "soc2:CC1.2")]
)
def test_evidence_that_does_not_govern_a_control_was_filed(org, key):
    assert control(table(org, "evidence_links"), key).height == 1
    assert control(table(org, "control_state_changes"), key).sort("observed_on")["state"][-1] == "no_data"


@pytest.mark.parametrize("org", ESTABLISHED)
def test_a_vendor_has_a_document_in_force_and_an_overdue_review_and_another_the_opposite(org):
    vendors = {row["id"]: row for row in table(org, "vendors").iter_rows(named=True)}
    documents = table(org, "vendor_documents").filter(kind="soc2_type2")
    late, bare = vendors["VEN-thistlewick-backup"], vendors["VEN-greywater-networks"]
    assert documents.filter(vendor_id=late["id"])["expires_on"].max() > DAY > late["next_review_on"]
    assert bare["next_review_on"] > DAY
    assert set(table(org, "vendor_documents").filter(vendor_id=bare["id"])["kind"]) == {"dpa"}


@pytest.mark.parametrize("org", ESTABLISHED)
def test_somebody_who_left_still_owns_controls_and_open_duties(org):
    gone = table(org, "users").filter(~pl.col("active"))["email"].item()
    duties = table(org, "attestations").filter(pl.col("outcome").is_null(), owner=gone)
    assert duties.height >= 1 or org == "brightline"
    assert table(org, "control_owners").filter(email=gone).height >= 3


@pytest.mark.parametrize("org", ESTABLISHED)
def test_a_control_is_excluded_without_anybody_who_approved_it(org):
    excluded = table(org, "control_profiles").filter(~pl.col("applicable"), pl.col("approved_by").is_null())
    assert excluded["justification"].null_count() == 1
    assert excluded.height == 2
    for framework, control_id in excluded.select("framework", "control_id").iter_rows():
        states = control(table(org, "control_state_changes"), f"{framework}:{control_id}")["state"]
        assert "not_applicable" not in set(states)


@pytest.mark.parametrize("org", ["aurora", "cobalt"])
def test_a_weakness_on_the_plan_is_dated_as_its_gap_was_first_seen(org):
    changes = table(org, "control_state_changes")
    gaps = table(org, "poam_items").filter(pl.col("weakness_key").str.contains(":"))
    assert gaps.height > 5
    for key, detected in gaps.select("weakness_key", "detected_on").iter_rows():
        path = control(changes, key).sort("observed_on").select("observed_on", "state").rows()
        good = [on for on, state in path if state in ("effective", "not_applicable")]
        assert detected == min(on for on, _ in path if not good or on > max(good))


def test_a_story_does_not_begin_with_what_comes_after_it():
    with pytest.raises(ValueError, match="A story begins with a moment of some day"):
        Hours(DAY, Random(7)).next_moment()
