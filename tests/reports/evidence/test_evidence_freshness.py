"""What the evidence freshness report says."""

from datetime import timedelta

import pytest
from polars.testing import assert_frame_equal

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage
from engine.model.thresholds import Thresholds
from reports.evidence.evidence_freshness import REPORT
from tests.factories import DAY, assessment_facts, document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow

STALE = {"freshness": "stale", "state": "stale", "age_days": 130, "age_ratio": 1.3}
MISSING = {
    "freshness": "missing",
    "state": "no_data",
    "age_days": None,
    "age_ratio": None,
    "last_evidence_on": None,
    "last_evidence_id": None,
    "last_source": None,
}


def control(control_id, position, **given):
    return {"framework": "soc2", "control_id": control_id, "position": position, **given}


def facts(*controls, evidence=(), ending=()):
    rest = {
        "control_evidence": rows("control_evidence", *evidence),
        "evidence_endings": rows("evidence_endings", *ending),
    }
    return {**assessment_facts(*controls), **rest}


def report(*controls, evidence=(), ending=(), question=None):
    return document(REPORT, question, **facts(*controls, evidence=evidence, ending=ending))


def table(found, name):
    return found.table(name).frame


MIXED = (
    control("CC1.1", 0),
    control("CC1.2", 1, freshness="due_soon", age_days=90, age_ratio=0.9),
    control("CC1.3", 2, **STALE),
    control("CC1.4", 3, **MISSING),
    control("CC1.5", 4, future_dated=True, age_days=-2, age_ratio=-0.02),
    control("CC1.6", 5, applicable=False, state="not_applicable", **{k: v for k, v in STALE.items() if k != "state"}),
)


def test_every_control_is_counted_in_exactly_one_state():
    document = report(*MIXED)
    assert dict(document.summary) == {
        "controls_of_frameworks": 6,
        "controls_applicable": 5,
        "evidence_fresh": 1,
        "evidence_due_soon": 1,
        "evidence_stale": 1,
        "evidence_missing": 1,
        "evidence_future_dated": 1,
        "controls_not_applicable": 1,
        "evidence_in_window_pct": 40.0,
        "evidence_ends_in_30_days": 0,
        "evidence_to_renew_in_30_days": 0,
        "controls_changed_since_evidence": 0,
        "freshness_debt_days": 30,
        "controls_no_data": 1,
        "controls_without_evidence": 0,
        "coverage_pct": 80.0,
        "evidence_held_pct": None,
        "evidence_not_whole": 0,
    }
    assert document.coverage == Coverage(4, 5)


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(*MIXED, control("CC1.7", 6, freshness="stale", change_invalidated=True)))
    values_follow(REPORT)


def test_the_freshness_debt_lists_by_how_many_days_each_control_is_over():
    frame = explained_rows(REPORT, "freshness_debt_days", **facts(*MIXED))
    why = "days: age 130, window 100, since the review of an unaccepted policy none"
    assert frame.select("control_id", "reason", "amount").rows() == [("CC1.3", why, 30)]


def test_an_unaccepted_policy_adds_its_days_to_the_freshness_debt():
    policy = {**MIXED[0], "freshness": "missing", "age_days": None, "unaccepted_days": 12}
    frame = explained_rows(REPORT, "freshness_debt_days", **facts(policy))
    assert frame["amount"].to_list() == [12]


def test_what_else_is_on_record_stands_in_the_table_and_keeps_the_headline_short():
    note = "none of the evidence that it needs, 6521 events and 36 tests and 1 attestation of other kinds"
    document = report(control("CC1.1", 0, **MISSING, evidence_note=note))
    assert table(document, "queue")["evidence_note"].to_list() == [note]
    assert document.next_step == "Start with SOC 2 CC1.1 A control (no governing evidence; with ann@acme.example)."


def test_missing_governing_evidence_is_not_the_same_as_no_data():
    partly = control("CC1.1", 0, **{**MISSING, "state": "partial"})
    document = report(partly, control("CC1.2", 1))
    names = ("evidence_missing", "controls_no_data", "coverage_pct", "evidence_in_window_pct")
    assert [document.summary[name] for name in names] == [1, 0, 100.0, 50.0]
    assert document.titles["evidence_missing"] == "Controls whose governing evidence is missing"
    assert document.titles["controls_no_data"] == "Controls without evidence of any kind that they need"


@pytest.mark.parametrize(("least", "warned"), [(50, []), (60, ["60 %"])])
def test_thin_coverage_warns_by_the_threshold_of_the_organization(least, warned):
    question = Ask(DAY, 30, Thresholds(1, {"coverage_min_pct": least}))
    document = report(control("CC1.1", 0), control("CC1.2", 1, **MISSING), question=question)
    assert document.warnings == [
        f"Fewer than {share} of the applicable controls have mandatory evidence: read no grade from this."
        for share in warned
    ]


def test_the_headline_says_the_share_and_where_to_start():
    assert lead(report(*MIXED)) == (
        "2 of 5 applicable controls have evidence inside the window (40.0 %); 1 stale, 1 missing, 1 dated in the "
        "future.",
        "Start with SOC 2 CC1.4 A control (no governing evidence; with ann@acme.example).",
    )


def test_future_dated_evidence_is_an_error_row_and_a_warning():
    document = report(control("CC1.1", 0, future_dated=True))
    assert table(document, "controls")["state"].to_list() == ["error"]
    assert document.warnings == [
        "Evidence dated after the day of the report: SOC 2 CC1.1. Correct the dates at the source."
    ]
    assert document.summary["evidence_in_window_pct"] == 0.0


def test_the_queue_runs_by_weight_then_by_age_ratio_with_missing_evidence_as_the_oldest():
    document = report(
        control("CC1.1", 0, weight=2, **MISSING),
        control("CC1.2", 1, weight=5, **STALE),
        control("CC1.3", 2, weight=5, **{**STALE, "age_ratio": 2.0, "age_days": 200}),
        control("CC1.4", 3, weight=5, **MISSING),
        control("CC1.5", 4, weight=5),
    )
    assert table(document, "queue")["control_id"].to_list() == ["CC1.4", "CC1.3", "CC1.2", "CC1.1"]


def test_a_control_that_does_not_apply_stays_listed_and_adds_no_debt():
    document = report(control("CC1.1", 0, applicable=False, freshness="stale", age_days=400))
    assert table(document, "controls")["state"].to_list() == ["not_applicable"]
    assert document.summary["freshness_debt_days"] == 0
    assert document.summary["evidence_in_window_pct"] is None
    assert lead(document) == (
        "No control applies, so there is no evidence whose freshness could be measured.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )


def test_evidence_that_a_change_overtook_is_named_as_such():
    document = report(control("CC1.1", 0, freshness="stale", change_invalidated=True))
    assert "changed since its evidence" in document.next_step
    assert document.warnings == ["1 control changed after the newest evidence was captured."]


def test_the_instant_is_that_of_the_newest_evidence_of_the_control():
    own = {"framework": "soc2", "control_id": "CC1.1"}
    document = report(
        control("CC1.1", 0),
        evidence=(
            {**own, "source": "operation", "last_id": "e1", "last_at": moment("2026-11-10 08:00")},
            {**own, "source": "policy", "last_id": "p1", "last_at": moment("2026-01-10 08:00")},
        ),
    )
    assert table(document, "controls")["last_evidence_at"].to_list() == [moment("2026-11-10 08:00")]


def test_frameworks_and_owners_add_up_to_the_whole():
    document = report(*MIXED, control("A.1", 0, framework="iso27001", owner=None, **STALE))
    summary = document.summary
    for name in ("frameworks", "owners"):
        part = table(document, name)
        for state, figure in {
            "applicable": "controls_applicable",
            "fresh": "evidence_fresh",
            "due_soon": "evidence_due_soon",
            "stale": "evidence_stale",
            "missing": "evidence_missing",
            "error": "evidence_future_dated",
            "not_applicable": "controls_not_applicable",
        }.items():
            assert part[state].sum() == summary[figure]
        assert part["debt_days"].sum() == summary["freshness_debt_days"]


def test_nothing_in_scope_is_said_and_not_called_fresh():
    document = report()
    assert lead(document) == (
        "No control applies, so there is no evidence whose freshness could be measured.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert document.summary["evidence_in_window_pct"] is None
    assert [table.frame.height for table in document.tables] == [0, 0, 0, 0, 0]
    assert document.coverage.total == 0
    assert document.charts == []


def test_the_order_of_the_facts_changes_nothing():
    one, two = report(*MIXED), report(*reversed(MIXED))
    for left, right in zip(one.tables, two.tables, strict=True):
        assert_frame_equal(left.frame, right.frame)
    assert one.headline == two.headline


def test_what_ends_within_thirty_days_is_a_figure_with_its_rows_what_renews_itself_last():
    first, last = (DAY + timedelta(days=days) for days in (0, 30))
    given = [
        {"framework": "soc2", "control_id": "CC1.1", "kinds_ending": ["operation"], "ends_on": first},
        {"framework": "soc2", "control_id": "CC1.2", "kinds_ending": ["test"], "ends_on": first, "by_hand_on": last},
    ]
    held = report(control("CC1.1", 1), control("CC1.2", 2), ending=given)
    assert held.summary["evidence_ends_in_30_days"] == 2
    assert held.summary["evidence_to_renew_in_30_days"] == 1
    assert table(held, "ending").select("control_id", "kinds_ending", "ends_on", "by_hand_on").rows() == [
        ("CC1.2", ["test"], first, last),
        ("CC1.1", ["operation"], first, None),
    ]
