"""Scans of the replica, over a real store: which local day an instant belongs to, and what was known by then."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from engine.facts import FactQuestion, Facts
from engine.facts.assurance import attestations as attestation_facts
from engine.facts.question import start_of
from engine.model.thresholds import Thresholds
from engine.replica.replica import Replica
from engine.replica.scans.registry import SCANS
from engine.store import EventRow
from engine.store.schema.controls import attestations, evidence_requests
from engine.store.schema.organizations import organizations
from tests.factories import ORG, moment
from tests.facts.conftest import naming, on, only

NOW = datetime(2027, 1, 1, tzinfo=UTC)
# the day, its zone, and what the clocks do then
DAYS = [
    ("Pacific/Auckland", date(2026, 11, 20), "thirteen hours ahead"),
    ("Pacific/Auckland", date(2026, 9, 27), "the clocks go on"),
    ("Pacific/Auckland", date(2026, 4, 5), "the clocks go back"),
    ("America/Los_Angeles", date(2026, 11, 20), "eight hours behind"),
    ("America/Los_Angeles", date(2026, 11, 1), "the clocks go back"),
    ("America/Los_Angeles", date(2026, 3, 8), "the clocks go on"),
    ("Europe/London", date(2026, 3, 29), "two midnights in one day of UTC"),
    ("Asia/Kathmandu", date(2026, 11, 20), "three quarters of an hour"),
    ("UTC", date(2026, 11, 20), "no zone at all"),
]


@pytest.fixture
def record_instants(store):
    """``recorded(zone, as_of, instants)``: the facts of an organization with a successful backup at each instant."""
    views = []

    def record(zone, as_of, instants, *, period_days=30, **more):
        events = [EventRow(f"e{n}", at, "ann", "backup.completed", **more) for n, at in enumerate(instants)]
        with store.revision(ORG, "setup", now=NOW) as revision:
            revision.update(organizations, {}, {"time_zone": zone})
            revision.record("settings.changed")
            revision.append_events(events)
        replica = Replica(store.url, None)
        replica.sync([ORG])
        view = replica.view()
        views.append((view, replica))
        return Facts(view.__enter__(), [FactQuestion(ORG, zone, as_of, period_days, Thresholds())])

    yield record
    for view, replica in views:
        view.__exit__(None, None, None)
        replica.close()


def local(zone, day, clock):
    """An instant by the clock on the wall."""
    hours, minutes = map(int, clock.split(":"))
    return datetime(day.year, day.month, day.day, hours, minutes, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def backups(frame):
    return frame.filter(action="backup.completed")


def last_success(facts, zone, *days):
    """The last day of a backup for a signature on each of ``days``."""
    signed = pl.DataFrame(
        {"id": [str(day) for day in days], "signed_until": [start_of(day + timedelta(days=1), zone) for day in days]}
    )
    named = signed.with_columns(org_id=pl.lit(ORG), action=pl.lit("backup.completed"))
    frame = attestation_facts.last_success(named, facts["audit_days_rows"], facts["asked"])
    return frame.sort("id")["happened_on"].to_list()


@pytest.mark.parametrize(("zone", "day", "_why"), DAYS)
def test_half_past_eleven_at_night_counts_and_ten_past_midnight_does_not(record_instants, zone, day, _why):
    instants = [local(zone, day, "23:30"), local(zone, day + timedelta(days=1), "00:10")]
    facts = record_instants(zone, day, instants)
    row = backups(facts["audit_by_action"]).select("events", "good_events", "events_future", "last_at").row(0)
    assert row == (1, 1, 1, instants[0].replace(tzinfo=None))
    assert last_success(facts, zone, day, day - timedelta(days=1)) == [None, day]


@pytest.mark.parametrize(("zone", "day", "_why"), DAYS)
def test_the_period_begins_at_its_own_midnight(record_instants, zone, day, _why):
    instants = [
        local(zone, day, "00:10"),
        local(zone, day - timedelta(days=1), "23:30"),
        local(zone, day - timedelta(days=2), "23:30"),
    ]
    row = backups(record_instants(zone, day, instants, period_days=1)["audit_by_action"]).row(0, named=True)
    assert (row["events"], row["events_before"]) == (1, 1)


@pytest.mark.parametrize("zone", sorted({zone for zone, _, _ in DAYS}))
def test_on_every_day_of_a_year_the_last_success_has_the_day_that_the_clock_on_the_wall_shows(record_instants, zone):
    start = datetime(2025, 12, 30, 0, 20, tzinfo=UTC)
    instants = [start + timedelta(hours=7, minutes=15) * n for n in range(1200)]
    facts = record_instants(zone, date(2026, 12, 31), instants)
    shown = sorted({at.astimezone(ZoneInfo(zone)).date() for at in instants})
    days = [shown[0] + timedelta(days=n) for n in range((shown[-1] - shown[0]).days + 1)]
    assert last_success(facts, zone, *days) == [max(day for day in shown if day <= signed) for signed in days]


def test_only_successful_events_are_days_of_evidence(record_instants):
    facts = record_instants("UTC", date(2026, 11, 20), [datetime(2026, 11, 1, tzinfo=UTC)], outcome="failure")
    assert backups(facts["audit_days_rows"]).is_empty()
    row = backups(facts["audit_by_action"]).row(0, named=True)
    assert (row["events"], row["good_events"], row["good_last_seq"]) == (1, 0, None)
    assert (row["bad_events"], row["bad_last_at"]) == (1, moment("2026-11-01"))


def test_what_succeeded_and_what_did_not_are_counted_apart_each_with_its_newest(facts_with):
    ends = [
        ("2026-11-03 09:00", "success"),
        ("2026-11-04 09:00", "failure"),
        ("2026-10-20 09:00", "denied"),
        ("2026-11-02 09:00", "denied"),
        ("2026-11-21 00:00", "failure"),
    ]
    facts = facts_with(events=[("backup.completed", at, naming("X1") | {"outcome": outcome}) for at, outcome in ends])
    columns = ("events", "events_before", "events_future", "last_seq")
    wanted = {"": (3, 1, 1, 3), "good_": (1, 0, 0, 2), "bad_": (2, 1, 1, 3)}
    for scan in ("audit_by_action", "audit_by_tag"):
        frame = facts[scan]
        assert {prefix: only(frame, *(prefix + name for name in columns)) for prefix in wanted} == wanted


def test_events_by_the_control_that_they_name(record_instants):
    instants = [datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC)]
    facts = record_instants("UTC", date(2026, 11, 20), instants, controls="soc2:CC6.1; soc2:CC6.2; soc2:CC6.1")
    found = facts["audit_by_tag"].sort("tag").select("tag", "good_events", "good_events_before", "good_last_at")
    newest = instants[1].replace(tzinfo=None)
    assert found.rows() == [("soc2:CC6.1", 2, 0, newest), ("soc2:CC6.2", 2, 0, newest)]


@pytest.mark.parametrize(("clock", "found"), [("23:30", ["backup.completed"]), ("00:10", [])])
def test_what_names_a_control_counts_up_to_the_end_of_the_day_of_signing(store, record_instants, clock, found):
    zone, signed_on = "America/Los_Angeles", date(2026, 10, 31)
    day = signed_on if clock == "23:30" else signed_on + timedelta(days=1)
    with store.revision(ORG, "setup", now=NOW) as revision:
        signed = {
            "id": "a",
            **on("CC6.1"),
            "owner": "ann",
            "due_on": signed_on,
            "outcome": "attested",
            "attested_at": local(zone, signed_on, "09:00"),
        }
        revision.insert(attestations, [signed])
        revision.record("attestation.signed")
    facts = record_instants(zone, date(2026, 11, 20), [local(zone, day, clock)], controls="soc2:CC6.1")
    at = local(zone, day, clock).astimezone(UTC).replace(tzinfo=None)
    assert facts["named_when_signed_rows"].select("action", "happened_at").rows() == [(name, at) for name in found]


def test_a_dated_row_changed_on_the_local_day_of_its_revision(store, record_instants):
    with store.revision(ORG, "setup", now=datetime(2026, 11, 19, 12, tzinfo=UTC)) as revision:
        revision.insert(
            evidence_requests, [{"id": "q", "title": "Show it", "requester": "aud", "opened_on": date(2026, 11, 18)}]
        )
        revision.record("evidence_request.opened")
    facts = record_instants("Pacific/Auckland", date(2026, 11, 20), [])
    assert facts["obligations"].select("obligation_id", "changed_on").rows() == [
        ("evidence_request:q", date(2026, 11, 20))
    ]


def test_of_two_organizations_each_is_asked_by_its_own_clock(store):
    at = datetime(2026, 11, 20, 7, 30, tzinfo=UTC)  # Friday evening in Auckland, Thursday night in Los Angeles
    zones = {"akl": "Pacific/Auckland", "lax": "America/Los_Angeles"}
    for org, zone in zones.items():
        with store.revision(org, "setup", now=NOW, create={"name": org, "time_zone": zone}) as revision:
            revision.append_events([EventRow("e", at, "ann", "backup.completed")])
    replica = Replica(store.url, None)
    replica.sync(zones)
    with replica.view() as view:
        facts = Facts(
            view, [FactQuestion(org, zone, date(2026, 11, 19), 1, Thresholds()) for org, zone in zones.items()]
        )
        frame = facts["audit_by_action"].sort("org_id").select("org_id", "events", "events_future")
        days = facts["audit_days_rows"]
    replica.close()
    assert frame.rows() == [("akl", 0, 1), ("lax", 1, 0)]
    assert days["org_id"].to_list() == ["lax"]


def test_every_scan_answers_an_organization_without_rows(facts_with):
    facts = facts_with()
    assert {facts[name].height for name in SCANS} == {0, 1}  # some speak of the organization itself
    assert facts["organizations_rows"].height == 1
