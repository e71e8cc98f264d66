from datetime import date

import polars as pl
import pytest

from engine.facts.controls import gaps
from engine.facts.obligations.milestones import POAM
from engine.facts.question import FactQuestion, question_frame
from engine.model.thresholds import Thresholds
from tests.factories import DAY, ORG, rows
from tests.facts.conftest import control, on, only

ASKED = question_frame([FactQuestion(ORG, "UTC", DAY, 30, Thresholds())])


def crosswalk(*edges):
    names = ("source_framework", "source_id", "target_framework", "target_id", "relation", "full")
    return rows("crosswalk", *(dict(zip(names, edge, strict=True)) for edge in edges))


def leverage_by_control(*edges):
    scope = rows(
        "controls",
        control("A"),
        control("B"),
        {**on("C", "hipaa"), "title": "C"},
        {**on("H", "hipaa"), "title": "H", "assessable": False},
    )
    frame = gaps.leverage(scope, crosswalk(*edges))
    return {row["control_id"]: (row["requirements"], row["leverage"]) for row in frame.iter_rows(named=True)}


def test_a_control_unlocks_itself_and_what_full_edges_reach_in_scope():
    found = leverage_by_control(
        ("soc2", "A", "hipaa", "C", "superset", True),
        ("soc2", "A", "hipaa", "H", "equal", True),
        ("soc2", "A", "iso27001", "9.9", "equal", True),  # not in scope
        ("soc2", "B", "hipaa", "C", "superset", False),  # not full
    )
    assert found == {"A": (["soc2:A", "hipaa:C", "hipaa:H"], 3), "B": (["soc2:B"], 1), "C": (["hipaa:C"], 1)}


def test_an_equal_edge_unlocks_both_ways_and_a_superset_one():
    assert leverage_by_control(("soc2", "A", "hipaa", "C", "equal", True))["C"] == (["hipaa:C", "soc2:A"], 2)
    assert leverage_by_control(("soc2", "A", "hipaa", "C", "superset", True))["C"] == (["hipaa:C"], 1)


@pytest.mark.parametrize(
    ("state", "severities"),
    [
        ("ineffective", ["medium", "medium", "high", "critical", "critical"]),
        ("no_data", ["low", "low", "medium", "high", "high"]),
        ("stale", ["low", "low", "low", "medium", "medium"]),
        ("partial", ["low", "low", "low", "medium", "medium"]),
    ],
)
def test_severity_follows_state_and_weight(state, severities):
    status = rows(
        "control_status", *({**on(f"X{w}"), "state": state, "weight": w, "state_since": DAY} for w in range(1, 6))
    )
    assert gap_rows(status).sort("weight")["severity"].to_list() == severities


def gap_rows(status, *, work=(), leverage=1, dry_runs=(), poam=(), pairs=(), frameworks=()):
    targets = status.select("org_id", "framework", "control_id").with_columns(
        requirements=pl.lit([], dtype=pl.List(pl.String)), leverage=pl.lit(leverage, dtype=pl.Int64)
    )
    texts = (
        "id",
        "framework",
        "control_id",
        "title",
        "owner",
        "runbook",
        "severity",
        "status",
        "blocked_by",
        "compensating",
        "compensating_approved_by",
    )
    days = ("opened_on", "due_on", "closed_on", "compensating_approved_on")
    hours = ("estimate_hours", "low_hours", "high_hours", "done_hours", "left_hours")
    schema = {"org_id": pl.String, **dict.fromkeys(texts, pl.String), **dict.fromkeys(days, pl.Date)}
    schema |= {**dict.fromkeys(hours, pl.Float64), "lead_days": pl.Int64}
    stored = pl.DataFrame(
        [{**dict.fromkeys(schema), "org_id": ORG, **row} for row in work], schema=schema, orient="row"
    )
    people = pl.DataFrame(
        [{"org_id": ORG, "email": "bob"}],
        schema={"org_id": pl.String, "email": pl.String, "since_on": pl.Date, "until_on": pl.Date},
        orient="row",
    )
    tracked = gaps.remediations(stored, ASKED)
    opened, worked = gaps.open_work(tracked, stored, people, ASKED), gaps.worked_hours(tracked, stored)
    runs = pl.DataFrame(list(dry_runs), schema={"org_id": pl.String, "playbook": pl.String, "outcome": pl.String})
    vendors = status.select("org_id", "framework", "control_id", vendor_days=pl.lit(None, dtype=pl.Int64)).clear()
    nist = rows("nist_pairs", *pairs)
    known = (
        rows("poam", *poam),
        nist,
        runs,
        rows("own_runbooks"),
        rows("organization", {"frameworks": list(frameworks)}),
    )
    return gaps.gaps(status, targets, opened, worked, vendors, *known, ASKED)


def one(control_id="CC6.1", **more):
    return rows(
        "control_status", {**on(control_id), "state": "no_data", "weight": 4, "state_since": date(2026, 11, 1), **more}
    )


def work(id="r1", **more):
    return {"id": id, **on("CC6.1"), "owner": "cyd", "opened_on": date(2026, 10, 1), "status": "in_progress", **more}


def test_priority_is_severity_times_leverage_times_weight_over_effort():
    found = gap_rows(one("X1"), leverage=3)  # no runbook: eight hours
    columns = ("severity", "severity_score", "effort_hours", "priority", "quick_win")
    assert only(found, *columns) == ("high", 4, 8.0, round(4 * 3 * 4 / 8, 2), False)


def test_work_without_hours_is_ranked_by_a_quarter_of_an_hour():
    """An estimate of nothing is no division by nothing: reports with it could not be written at all."""
    found = gap_rows(one(), work=[work(estimate_hours=0.0)])
    assert only(found, "effort_hours", "priority") == (0.0, round(4 * 1 * 4 / 0.25, 2))


def test_gaps_are_ordered_by_priority_then_by_identifier():
    status = rows(
        "control_status",
        *({**on(id), "state": "stale", "weight": w, "state_since": DAY} for id, w in (("X3", 1), ("X1", 1), ("X2", 5))),
    )
    assert gap_rows(status)["gap_id"].to_list() == ["soc2:X2", "soc2:X1", "soc2:X3"]


@pytest.mark.parametrize(("hours", "leverage", "quick"), [(4, 3, True), (5, 3, False), (4, 2, False)])
def test_a_quick_win_takes_at_most_four_hours_and_unlocks_at_least_three_requirements(hours, leverage, quick):
    runbook = {4: "access-provisioning", 5: "access-review"}[hours]  # four and six hours
    found = gap_rows(one(), work=[work(runbook=runbook)], leverage=leverage)
    assert only(found, "runbook", "quick_win") == (runbook, quick)


def test_work_in_progress_lends_the_gap_its_owner_severity_and_age():
    found = gap_rows(
        one(), work=[work(severity="low", due_on=date(2026, 12, 1)), work("r2", opened_on=date(2026, 10, 2))]
    )
    columns = ("remediation_id", "owner", "status", "severity", "detected_on", "age_days", "due_on")
    assert only(found, *columns) == ("r1", "cyd", "in_progress", "low", date(2026, 10, 1), 50, date(2026, 12, 1))


def test_of_several_remediations_the_late_one_that_was_due_first_dates_the_gap():
    late, later = work("r1", due_on=date(2026, 11, 18)), work("r2", due_on=date(2026, 11, 19), owner="dee")
    new = work("r0", opened_on=date(2026, 9, 1), due_on=date(2027, 6, 1), owner="eve")
    columns = ("remediation_id", "owner", "due_on", "detected_on")
    first = date(2026, 9, 1)
    assert only(gap_rows(one(), work=[new, later, late]), *columns) == ("r1", "cyd", date(2026, 11, 18), first)
    done = {"closed_on": date(2026, 11, 19), "status": "closed"}
    assert only(gap_rows(one(), work=[new, later, {**late, **done}]), *columns) == (
        "r2",
        "dee",
        date(2026, 11, 19),
        first,
    )
    today = [{**row, "due_on": DAY} for row in (late, later)]  # not late yet
    assert only(gap_rows(one(), work=[new, *today]), *columns) == ("r0", "eve", date(2027, 6, 1), first)


def test_a_gap_nobody_works_on_is_unplanned_and_its_control_owners():
    closed = work(closed_on=date(2026, 11, 1), status="closed")
    found = gap_rows(one(), work=[closed])
    assert only(found, "status", "owner", "remediation_id") == ("unplanned", "ann@acme.example", None)


def test_a_successful_rehearsal_of_the_runbooks_playbook_is_noted():
    runs = [{"org_id": ORG, "playbook": "enforce-mfa", "outcome": outcome} for outcome in ("failed", "succeeded")]
    with_runbook = {"work": [work(runbook="mfa-enforcement")]}
    assert only(gap_rows(one(), **with_runbook, dry_runs=runs), "playbook", "dry_run") == ("enforce-mfa", True)
    assert only(gap_rows(one(), **with_runbook, dry_runs=runs[:1]), "dry_run") is False


def test_effective_and_not_applicable_controls_are_no_gaps():
    status = rows("control_status", {**on("X1")}, {**on("X2"), "applicable": False, "state": "not_applicable"})
    assert gap_rows(status).is_empty()


def test_work_is_on_time_late_or_not_yet_known(facts_with):
    def item(id, due_on, closed_on=None, status="open"):
        return {"id": id, **on(), "opened_on": "2026-11-01", "due_on": due_on, "closed_on": closed_on, "status": status}

    given = [
        item("a", "2026-11-10", "2026-11-10", "closed"),
        item("b", "2026-11-10", "2026-11-11", "closed"),
        item("c", "2026-11-19"),
        item("d", "2026-11-20"),
        item("e", None, "2026-11-11", "closed"),
        item("f", "2026-11-30", "2026-11-21", "closed"),  # closed after the day
        item("g", "2026-11-30", None, "blocked"),
    ]
    frame = facts_with(remediations=given)["remediations"].select("id", "status", "on_time", "days_open")
    assert frame.rows() == [
        ("a", "closed", True, 9),
        ("b", "closed", False, 10),
        ("c", "open", False, 19),
        ("d", "open", None, 19),
        ("e", "closed", None, 10),
        ("f", "open", None, 19),
        ("g", "blocked", None, 19),
    ]


@pytest.mark.parametrize(
    ("state", "required", "present", "stale", "estimate", "hours", "action"),
    [
        # what only lacks a signature takes that of a signature, whatever the runbook would
        ("partial", ["operation", "attestation"], ["operation"], [], None, 0.5, "Sign"),
        ("stale", ["operation", "attestation"], ["operation", "attestation"], ["attestation"], None, 0.5, "Sign"),
        ("no_data", ["attestation"], [], [], None, 0.5, "Sign"),
        ("stale", ["test", "attestation"], ["test"], ["test"], None, 3.5, "Repeat the test and sign"),
        ("stale", ["operation", "test"], ["operation", "test"], ["operation"], None, 2.0, "Renew the evidence of operation"),
        # a renewal takes no more than all that the runbook says
        ("stale", ["test", "policy"], ["test", "policy"], ["test", "policy"], None, 4.0, "Repeat the test and review the policy"),
        ("partial", ["operation", "attestation"], ["operation"], [], 3.0, 3.0, "Sign"),
        # evidence that never was there, or that something speaks against, takes the runbook
        ("partial", ["operation", "attestation"], ["attestation"], [], None, 4.0, "Enforce multi-factor authentication"),
        ("ineffective", ["operation"], ["operation"], ["operation"], None, 4.0, "Enforce multi-factor authentication"),
    ],
)  # fmt: skip
def test_a_gap_takes_the_hours_of_what_it_lacks(state, required, present, stale, estimate, hours, action):
    status = one(state=state, kinds_required=required, kinds_present=present, kinds_stale=stale)
    found = gap_rows(status, work=[work(runbook="mfa-enforcement", estimate_hours=estimate)])
    assert only(found, "effort_hours", "action") == (hours, action)


@pytest.mark.parametrize(("present", "since"), [(["operation"], DAY), ([], date(2025, 11, 1))])
def test_a_weakness_is_as_old_as_the_failure_that_stands_unless_there_never_was_evidence(present, since):
    status = one(state="ineffective", kinds_present=present, detected_on=date(2025, 11, 1), state_since=DAY)
    found = gap_rows(status, work=[work()])
    assert only(found, "weakness_since", "state_since", "detected_on") == (since, DAY, date(2025, 11, 1))


PAIRED = {**on("CC6.1"), "nist_control": "AC-2"}


@pytest.mark.parametrize(
    ("state", "numbered", "pairs", "frameworks", "due_on"),
    [
        ("no_data", (), [PAIRED], ["soc2", POAM], date(2026, 12, 1)),  # high: thirty days
        ("no_data", (), [PAIRED | {"org_id": None}], ["soc2", POAM], date(2026, 12, 1)),
        ("no_data", (), [PAIRED | {"control_id": "CC1.1"}], ["soc2", POAM], None),
        ("no_data", (), [PAIRED | {"org_id": "another"}], ["soc2", POAM], None),
        ("no_data", ({"scheduled_on": date(2026, 11, 20)},), [], ["soc2", POAM], date(2026, 11, 20)),
        ("stale", (), [PAIRED], ["soc2", POAM], None),
        ("no_data", (), [PAIRED], ["soc2"], None),
    ],
)
def test_a_gap_has_the_day_that_the_plan_of_action_gives_its_items(state, numbered, pairs, frameworks, due_on):
    """What names no control of NIST SP 800-53 is no item of the plan, unless the ledger has a number for it."""
    entries = [{"weakness_key": "soc2:CC6.1", "status": "open", **entry} for entry in numbered]
    status = one(state=state, detected_on=date(2026, 11, 1))
    found = gap_rows(status, poam=entries, pairs=pairs, frameworks=frameworks)
    assert only(found, "poam_due_on", "due_on") == (due_on, None)
