import json
from datetime import date

import polars as pl
import pytest

from engine.facts.obligations.sources import REVIEW_HOURS
from reports.frameworks.poam.fedramp_poam import REPORT
from tests.factories import ask
from tests.facts.conftest import control, on, only

COLUMNS = ("obligation_id", "due_on", "state", "done_on", "effort_hours", "hard", "sequence")
DUTY = {"id": "a", **on(), "owner": "ann", "due_on": "2026-12-01"}
SIGNED = {"outcome": "attested", "attested_at": "2026-11-01 10:00"}
VENDOR = {"id": "v", "name": "Vendor", "owner": "ann", "category": "cloud", "tier": "high", "status": "assessed"}
REQUEST = {"id": "q", **on(), "title": "Show it", "owner": "ann", "priority": "P1", "opened_on": "2026-11-02"}
POLICY = {"id": "p1", "policy": "p", "version": 1, "title": "Rules", "state": "active", "review_due_on": "2026-12-01"}
WEAKNESS = {"id": "V-1", "weakness_key": "gone", "detected_on": "2026-10-01", "due_on": "2026-12-01", "status": "open"}
EXCEPTION = {"id": "e", **on(), "status": "approved", "expires_on": "2026-12-01", "approver": "bob"}
MEETING = {"id": "m", "committee_id": "c", "held_on": "2026-12-01", "status": "planned"}
COMMITTEE = {"id": "c", "name": "Board", "chair": "eve", "cadence": "continuous", "first_meeting_on": "2026-01-01"}


def ledger(known, *columns, **tables):
    return known(controls=[control()], **tables)["obligations"].select(columns or COLUMNS).rows()


def states(known, table, *given, **tables):
    return [row[0] for row in ledger(known, "state", **{table: given}, **tables)]


def test_an_attestation_is_a_duty_and_the_next_one_follows_380_days_after_the_signature(facts_with):
    assert ledger(facts_with, attestations=[{**DUTY, "moves": 2}]) == [
        ("attestation:a", date(2026, 12, 1), "open", None, 0.5, False, 2)
    ]
    assert ledger(facts_with, attestations=[{**DUTY, **SIGNED}]) == [
        ("attestation:a", date(2026, 12, 1), "done", date(2026, 11, 1), 0.5, False, 0),
        ("attestation:a-next", date(2027, 11, 16), "open", None, 0.5, False, 0),
    ]


def test_no_next_attestation_is_made_up_where_one_is_planned_or_the_last_was_withdrawn(facts_with):
    planned = {**DUTY, "id": "b", "due_on": "2027-12-01"}
    found = ledger(facts_with, "obligation_id", attestations=[{**DUTY, **SIGNED}, planned])
    assert found == [("attestation:a",), ("attestation:b",)]
    assert ledger(facts_with, "obligation_id", attestations=[{**DUTY, **SIGNED, "withdrawn_on": "2026-11-02"}]) == [
        ("attestation:a",)
    ]


def test_a_lapsed_signature_leaves_an_overdue_duty(facts_with):
    signed = {**DUTY, "due_on": "2025-10-01", "outcome": "attested", "attested_at": "2025-10-01 10:00"}
    assert states(facts_with, "attestations", signed) == ["done", "overdue"]


@pytest.mark.parametrize(
    ("due", "change", "state"),
    [
        ("2026-11-20", {}, "open"),
        ("2026-11-19", {}, "overdue"),
        ("2026-11-01", {**SIGNED}, "done"),
        ("2026-10-31", {**SIGNED}, "late"),
        ("2026-11-19", {"outcome": "attested", "attested_at": "2026-11-21 00:00"}, "overdue"),
        ("2026-11-19", {"withdrawn_on": "2026-11-20"}, "cancelled"),
        ("2026-11-19", {"withdrawn_on": "2026-11-21"}, "overdue"),
    ],
)
def test_a_duty_is_open_overdue_done_late_or_cancelled(facts_with, due, change, state):
    assert states(facts_with, "attestations", {**DUTY, "due_on": due, **change})[0] == state


def test_a_request_that_waits_for_whoever_asked_is_paused_and_never_overdue(facts_with):
    late = {**REQUEST, "due_on": "2026-11-10"}
    columns = ("state", "paused", "due_on", "days_left")
    found = ledger(facts_with, *columns, evidence_requests=[{**late, "status": "waiting_on_requester"}])
    assert found == [("open", True, date(2026, 11, 10), -10)]
    assert ledger(facts_with, *columns, evidence_requests=[{**late, "status": "open"}]) == [
        ("overdue", False, date(2026, 11, 10), -10)
    ]


def test_a_vendor_owes_its_next_review_and_the_last_one_is_done(facts_with):
    assert ledger(facts_with, vendors=[{**VENDOR, "last_review_on": "2026-02-01", "moves": 1}]) == [
        ("vendor_review:v-2026-02-01", date(2026, 2, 1), "done", date(2026, 2, 1), 4.0, False, 0),
        ("vendor_review:v", date(2027, 2, 1), "open", None, 4.0, False, 1),
    ]


@pytest.mark.parametrize("tier", REVIEW_HOURS)
def test_a_review_takes_hours_by_tier_and_names_its_vendor(facts_with, tier):
    found = ledger(
        facts_with,
        "vendor_id",
        "vendor_tier",
        "effort_hours",
        vendors=[{**VENDOR, "tier": tier, "next_review_on": "2026-12-01"}],
    )
    assert found == [("v", tier, REVIEW_HOURS[tier])]


def test_the_review_of_a_vendor_is_cancelled_on_the_day_that_it_goes(facts_with):
    planned = {**VENDOR, "next_review_on": "2026-12-01"}
    assert states(facts_with, "vendors", {**planned, "offboarded_on": "2026-11-20"}) == ["cancelled"]
    assert states(facts_with, "vendors", {**planned, "offboarded_on": "2026-11-21"}) == ["open"]


def test_the_next_bundle_is_due_a_quarter_after_the_last_and_nobody_who_seals_none_owes_one(facts_with):
    sealed = {"id": "b", "requested_window": "90d", "created_by": "ann", "sealed_at": "2026-11-01 10:00"}
    assert ledger(facts_with, bundles=[sealed]) == [
        ("bundle:b", date(2026, 11, 1), "done", date(2026, 11, 1), 2.0, False, 0),
        ("bundle:b-next", date(2027, 2, 1), "open", None, 2.0, False, 0),
    ]
    assert ledger(facts_with) == []


def test_a_test_window_is_one_duty_however_often_it_was_run(facts_with):
    schedule = {
        "id": "s",
        **on(),
        "procedure": "Try it",
        "cadence": "annual",
        "starts_on": "2026-11-01",
        "owner": "ann",
    }
    again = [
        {
            "id": id,
            "schedule_id": "s",
            "window_open_on": "2026-11-01",
            "window_close_on": "2026-11-07",
            "performed_on": day,
            "outcome": outcome,
            "performer": "bob",
        }
        for id, day, outcome in (("r1", "2026-11-05", "failed"), ("r2", "2026-11-09", "passed"))
    ]
    found = ledger(facts_with, *COLUMNS[:5], "owner", testing_schedules=[schedule], test_runs=again)
    assert found == [
        ("test_window:s-2026-11-01", date(2026, 11, 7), "done", date(2026, 11, 5), 3.0, "bob"),
        ("test_window:s-2027-11-01", date(2027, 11, 7), "open", None, 3.0, "ann"),
    ]


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_a_missed_window_is_late_and_takes_no_hours_once_the_test_was_done_since(facts_with, outcome):
    schedule = {"id": "s", **on(), "procedure": "Try it", "cadence": "monthly", "starts_on": "2026-09-01"}
    missed = {"id": "r0", "schedule_id": "s", "window_open_on": "2026-09-01", "window_close_on": "2026-09-07"}
    run = {"id": "r1", "schedule_id": "s", "window_open_on": "2026-10-01", "window_close_on": "2026-10-07"}

    def windows_with(performed):
        runs = [missed, {**run, "performed_on": performed, "outcome": outcome}]
        columns = ("due_on", "state", "done_on", "effort_hours")
        return ledger(facts_with, *columns, testing_schedules=[schedule], test_runs=runs)[:3]

    november = (date(2026, 11, 7), "overdue", None, 3.0)
    assert windows_with("2026-10-03") == [
        (date(2026, 9, 7), "late", date(2026, 10, 3), 0.0),
        (date(2026, 10, 7), "done", date(2026, 10, 3), 3.0),
        november,
    ]
    ahead = windows_with("2026-11-21")
    assert [row[1] for row in ahead] == ["overdue"] * 3


def test_a_request_is_hard_and_its_state_agrees_with_its_clock(facts_with):
    assert ledger(facts_with, evidence_requests=[REQUEST]) == [
        ("evidence_request:q", date(2026, 11, 5), "overdue", None, 4.0, True, 0)
    ]
    closed = {**REQUEST, "status": "closed"}
    pairs = {}
    for name, more in {
        "in time": {"closed_on": "2026-11-05"},
        "late": {"closed_on": "2026-11-06"},
        "undated": {},
    }.items():
        facts = facts_with(evidence_requests=[{**closed, **more}])
        pairs[name] = (only(facts["requests"], "clock"), only(facts["obligations"], "state"))
    assert pairs == {
        "in time": ("closed_on_time", "done"),
        "late": ("closed_late", "late"),
        "undated": ("closed_late", "late"),
    }


def test_requests_of_one_title_are_told_apart_by_their_controls(facts_with):
    alone = {**REQUEST, "id": "r", "framework": None, "control_id": None}
    assert ledger(facts_with, "title", evidence_requests=[REQUEST, alone]) == [
        ("Answer request: Show it for SOC 2 X1",),
        ("Answer request: Show it",),
    ]


@pytest.mark.parametrize(
    ("status", "auditor_status", "title"),
    [
        ("in_progress", "in_progress", "Answer request: Show it for SOC 2 X1"),
        ("submitted", "submitted", "Get the decision on request: Show it for SOC 2 X1"),
        ("submitted", "returned", "Answer request: Show it for SOC 2 X1"),
    ],
)
def test_what_was_handed_in_asks_for_the_decision(facts_with, status, auditor_status, title):
    request = {**REQUEST, "status": status, "auditor_status": auditor_status}
    assert ledger(facts_with, "title", evidence_requests=[request]) == [(title,)]


def test_a_policy_owes_its_review_unless_it_is_a_draft_and_a_retired_one_is_cancelled(facts_with):
    tags = [{"policy_id": "p1", **on(name)} for name in ("X2", "X1")]
    found = ledger(
        facts_with, *COLUMNS, "frameworks", "controls", policies=[{**POLICY, "moves": 3}], policy_controls=tags
    )
    assert found == [
        ("policy_review:p1", date(2026, 12, 1), "open", None, 4.0, False, 3, ["soc2"], ["soc2:X1", "soc2:X2"])
    ]
    assert states(facts_with, "policies", {**POLICY, "state": "draft"}) == []
    assert states(facts_with, "policies", {**POLICY, "state": "retired"}) == ["cancelled"]
    assert states(facts_with, "policies", {**POLICY, "review_due_on": None}) == []


def test_a_weakness_is_due_and_hard_and_a_false_positive_is_none(facts_with):
    assert ledger(facts_with, poam_items=[WEAKNESS]) == [
        ("poam_milestone:V-1", date(2026, 12, 1), "open", None, 6.0, True, 0)
    ]
    assert states(facts_with, "poam_items", {**WEAKNESS, "status": "completed", "closed_on": "2026-11-01"}) == ["done"]
    assert states(facts_with, "poam_items", {**WEAKNESS, "status": "false_positive"}) == ["cancelled"]


WORK = {"id": "r", **on(), "title": "Fix it", "owner": "dan", "status": "open", "opened_on": "2026-10-02"}
NAMED = '{"point_of_contact": "eve"}'
SCANNED = {
    "id": "f",
    "source": "scanner",
    "finding_key": "k",
    "title": "Weak cipher",
    "severity": "low",
    "status": "open",
    "service_id": "s",
    "first_seen_at": "2026-10-01 00:00",
}


@pytest.mark.parametrize(
    ("work", "details", "owner"),
    [
        ([WORK], NAMED, "dan"),
        ([], NAMED, "eve"),
        ([], None, "cyd"),
        ([{**WORK, "status": "closed", "closed_on": "2026-10-03"}], None, "cyd"),
    ],
)
def test_plan_gap_and_calendar_name_one_owner_and_one_date(facts_with, work, details, owner):
    """The date is that of the rating where the ledger has a later one."""
    line = {**WEAKNESS, "weakness_key": "soc2:X1", "due_on": "2027-12-01", "details": details}
    facts = facts_with(
        controls=[control()],
        poam_items=[line],
        remediations=work,
        control_owners=[{**on(), "email": "cyd", "raci": "R"}],
        organization_frameworks=[{"framework": name, "in_scope": True} for name in ("soc2", "fedramp-poam")],
    )
    tables = REPORT.document({name: facts[name] for name in REPORT.facts}, ask()).tables
    items = next(table.frame for table in tables if table.name == "gaps_without_control")
    due = date(2027, 3, 30)
    assert items.select("poam_id", "point_of_contact", "scheduled_completion_date").rows() == [("V-1", owner, due)]
    assert facts["gaps"].select("gap_id", "owner").rows() == [("soc2:X1", owner)]
    (duty,) = facts["obligations"].filter(kind="poam_milestone").select("owner", "due_on", "title", "controls").rows()
    assert duty == (owner, due, f"Close weakness V-1: X1 {facts['gaps']['title'][0]}", ["soc2:X1"])


def test_a_finding_on_the_plan_is_its_services_owners_until_the_date_of_the_catalogue(facts_with):
    line = {**WEAKNESS, "weakness_key": "f", "due_on": "2027-01-01"}
    columns = ("title", "owner", "due_on")
    service = {"id": "s", "name": "web", "owner": "ben"}
    exploited = {**SCANNED, "known_exploited": True, "due_on": "2026-10-22"}
    title = "Close weakness V-1: Weak cipher"
    assert ledger(facts_with, *columns, poam_items=[line], findings=[SCANNED], services=[service]) == [
        (title, "ben", date(2027, 1, 1))
    ]
    assert ledger(facts_with, *columns, poam_items=[line], findings=[exploited], services=[service]) == [
        (title, "ben", date(2026, 10, 22))
    ]
    assert ledger(facts_with, *columns, poam_items=[line]) == [("Close weakness V-1: f", None, date(2027, 1, 1))]


def test_two_numbers_of_one_weakness_are_one_duty_and_a_closed_number_is_another(facts_with):
    line = {**WEAKNESS, "weakness_key": "f"}
    given = [
        {**line, "id": "V-2", "due_on": "2026-11-30"},
        {**line, "id": "V-3", "status": "accepted"},
        line,
        {**line, "id": "V-4", "status": "completed", "closed_on": "2026-10-20"},
    ]
    assert ledger(facts_with, "obligation_id", "state", poam_items=given) == [
        ("poam_milestone:V-2", "open"),
        ("poam_milestone:V-4", "done"),
    ]


@pytest.mark.parametrize("as_of", [date(2026, 11, 20), date(2027, 11, 20)])
def test_the_dates_of_a_numbered_weakness_do_not_move_with_the_calendar(facts_with, as_of):
    facts = facts_with(poam_items=[{**WEAKNESS, "weakness_key": "f", "listed_on": "2026-10-08"}], as_of=as_of)
    assert facts["poam"].select("detected_on", "listed_on", "scheduled_on").rows() == [
        (date(2026, 10, 1), date(2026, 10, 8), date(2026, 12, 1))
    ]


def test_an_approved_exception_ends_and_falls_to_the_accountable_or_the_approver(facts_with):
    owners = [{**on(), "email": "cyd", "raci": "A"}]
    columns = ("obligation_id", "state", "hard", "owner")
    assert ledger(facts_with, *columns, exceptions=[EXCEPTION]) == [("exception_expiry:e", "open", True, "bob")]
    assert ledger(facts_with, "owner", exceptions=[EXCEPTION], control_owners=owners) == [("cyd",)]
    assert states(facts_with, "exceptions", {**EXCEPTION, "status": "resolved"}) == ["cancelled"]
    assert states(facts_with, "exceptions", {**EXCEPTION, "status": "draft"}) == []


def test_a_framework_with_a_target_is_a_checkpoint_while_it_is_in_scope(facts_with):
    target = {"framework": "soc2", "in_scope": True, "target_on": "2026-12-01", "moves": 1}
    assert ledger(facts_with, organization_frameworks=[target]) == [
        ("audit_checkpoint:soc2", date(2026, 12, 1), "open", None, 4.0, True, 1)
    ]
    assert states(facts_with, "organization_frameworks", {**target, "in_scope": False}) == ["cancelled"]


def test_a_checkpoint_is_of_who_is_accountable_for_most_of_its_framework_else_of_a_chair_else_nobodys(facts_with):
    targets = [{"framework": name, "in_scope": True, "target_on": "2026-12-01"} for name in ("fedramp-poam", "soc2")]
    owners = [
        {**on(name), "email": email, "raci": raci}
        for name, email, raci in (("X1", "bob", "A"), ("X2", "cyd", "A"), ("X3", "cyd", "A"), ("X4", "ann", "R"))
    ]
    given = {"organization_frameworks": targets, "committees": [COMMITTEE], "committee_meetings": [MEETING]}

    def duty_owners(**tables):
        facts = facts_with(**tables)["obligations"].filter(kind="audit_checkpoint")
        return facts.select("title", "owner").rows()

    poam, soc2 = "FedRAMP POA&M readiness checkpoint", "SOC 2 readiness checkpoint"
    assert duty_owners(**given, control_owners=owners) == [(poam, "eve"), (soc2, "cyd")]
    assert duty_owners(**given, control_owners=owners[:2]) == [(poam, "eve"), (soc2, "bob")]
    assert duty_owners(organization_frameworks=targets) == [(poam, None), (soc2, None)]


@pytest.mark.parametrize(
    ("status", "held_on", "state"),
    [
        ("planned", "2026-12-01", "open"),
        ("planned", "2026-11-19", "overdue"),
        ("held", "2026-11-19", "done"),
        ("cancelled", "2026-12-01", "cancelled"),
    ],
)
def test_meetings_of_a_committee_are_duties_of_its_chair(facts_with, status, held_on, state):
    meeting = {**MEETING, "status": status, "held_on": held_on}
    found = ledger(facts_with, "obligation_id", "state", "owner", committees=[COMMITTEE], committee_meetings=[meeting])
    assert found == [("committee:m", state, "eve")]


def test_a_duty_carries_its_week_the_days_left_and_the_day_of_its_last_change(facts_with):
    changed = ("setup", "2026-11-03 09:00")
    found = ledger(
        facts_with,
        "week",
        "days_left",
        "changed_on",
        "source_ref",
        "accountable",
        events=[changed],
        attestations=[{**DUTY, "due_on": "2027-01-01", "revision": 2}],
        control_owners=[{**on(), "email": "cyd", "raci": "A"}],
    )
    assert found == [("2026-W53", 42, date(2026, 11, 3), "attestations/a", "cyd")]


def test_every_view_of_the_ledger_sums_to_the_ledger(facts_with):
    facts = facts_with(
        controls=[control()],
        attestations=[DUTY, {**DUTY, **SIGNED, "id": "b"}],
        vendors=[VENDOR],
        evidence_requests=[REQUEST],
        policies=[POLICY],
        poam_items=[WEAKNESS],
        exceptions=[EXCEPTION],
        committees=[COMMITTEE],
        committee_meetings=[MEETING],
        control_owners=[{**on(), "email": "cyd", "raci": "A"}],
    )
    whole = facts["obligations"]
    hours = whole["effort_hours"].sum()
    for view in (["week"], ["kind", "state"], ["owner"], ["frameworks"]):
        assert whole.group_by(view).agg(pl.col("effort_hours").sum())["effort_hours"].sum() == hours
    still = whole.filter(pl.col("state").is_in(["open", "overdue"]))
    weeks, overdue = facts["owner_weeks"], facts["load"].filter(pl.col("week").is_null())
    assert weeks["obligations"].sum() + overdue.filter(pl.col("role") == "R").height == still.height
    extra = still.filter(pl.col("accountable").is_not_null() & pl.col("accountable").ne_missing(pl.col("owner")))
    assert (
        weeks["demand_hours"].sum() + overdue["hours"].sum()
        == still["effort_hours"].sum() + 0.25 * extra["effort_hours"].sum()
    )
    assert whole["obligation_id"].is_unique().all()


@pytest.mark.parametrize(
    ("law", "classified", "due"),
    [
        ("gdpr", None, ["2026-11-21 08:00"]),
        ("nis2", None, ["2026-11-19 08:00", "2026-11-21 08:00", "2026-12-21 08:00"]),
        ("dora", None, ["2026-11-19 08:00"]),
        ("dora", "2026-11-18T09:30:00+00:00", ["2026-11-18 13:30"]),
        ("dora", "2026-11-19T07:00:00+00:00", ["2026-11-19 08:00"]),
        ("hipaa", None, ["2027-01-17 08:00"]),
    ],
)
def test_an_assessment_starts_the_clocks_of_its_law(facts_with, law, classified, due):
    payload = {"law": law, "aware_at": "2026-11-18T08:00:00+00:00"}
    if classified:
        payload["classified_at"] = classified
    incident = {"id": "i", "title": "I", "severity": "high", "status": "open", "opened_at": "2026-11-18 07:00"}
    line = {"id": "t", "incident_id": "i", "happened_at": "2026-11-18 10:00", "kind": "assess", "actor": "ann"}
    facts = facts_with(
        incidents=[incident], incident_timeline=[{**line, "body": "Assessed", "payload": json.dumps(payload)}]
    )
    found = facts["obligations"].select("kind", "due_at", "due_on", "hard")
    assert [f"{row[1]:%Y-%m-%d %H:%M}" for row in found.rows()] == due
    assert {(row[0], row[2] == row[1].date(), row[3]) for row in found.rows()} == {("incident_notice", True, True)}


def test_a_communication_that_names_the_notice_does_it(facts_with):
    incident = {"id": "i", "title": "I", "severity": "high", "status": "open", "opened_at": "2026-11-18 07:00"}
    line = {"incident_id": "i", "actor": "ann", "body": "said"}
    steps = [
        {**line, "id": "t1", "happened_at": "2026-11-18 10:00", "kind": "assess", "payload": '{"law": "gdpr"}'},
        {
            **{**line, "id": "t2", "happened_at": "2026-11-19 10:00", "kind": "communication"},
            "payload": '{"notice": "gdpr-72h"}',
        },
    ]
    obligations = facts_with(incidents=[incident], incident_timeline=steps)["obligations"]
    assert obligations.select("state", "source_ref").rows() == [("done", "incidents/i")]
