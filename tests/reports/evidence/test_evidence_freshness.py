"""What the evidence freshness report says."""

from polars.testing import assert_frame_equal

from reports.evidence.evidence_freshness import REPORT
from tests.factories import ask, moment, rows

STALE = {"freshness": "stale", "state": "stale", "age_days": 130, "age_ratio": 1.3}
MISSING = {
    "freshness": "missing", "state": "no_data", "age_days": None, "age_ratio": None, "last_evidence_on": None,
    "last_evidence_id": None, "last_source": None,
}  # fmt: skip


def control(control_id, position, **given):
    return {"framework": "soc2", "control_id": control_id, "position": position, **given}


def report(*controls, evidence=()):
    return REPORT.build(rows("control_status", *controls), rows("control_evidence", *evidence), ask())


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


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
        "controls": 6, "applicable": 5, "fresh": 1, "due_soon": 1, "stale": 1, "missing": 1, "error": 1,
        "not_applicable": 1, "in_window_pct": 40.0, "change_invalidated": 0, "freshness_debt_days": 30,
    }  # fmt: skip
    assert (document.coverage.assessed, document.coverage.total) == (4, 5)


def test_the_headline_says_the_share_and_where_to_start():
    assert report(*MIXED).headline == (
        "2 of 5 applicable controls have evidence inside the window (40.0 %); 1 stale, 1 missing: "
        "start with SOC 2 CC1.4 (no evidence ever, weight 3)."
    )


def test_future_dated_evidence_is_an_error_row_and_a_warning():
    document = report(control("CC1.1", 0, future_dated=True))
    assert table(document, "controls")["state"].to_list() == ["error"]
    assert document.warnings == [
        "Evidence dated after the day of the report: soc2 CC1.1. Correct the dates at the source."
    ]
    assert document.summary["in_window_pct"] == 0.0


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
    assert document.summary["in_window_pct"] is None
    assert document.headline == "No control applies, so there is no evidence whose freshness could be measured."


def test_evidence_that_a_change_overtook_is_named_as_such():
    document = report(control("CC1.1", 0, freshness="stale", change_invalidated=True))
    assert "changed since its evidence was captured" in document.headline
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
        for state in ("applicable", "fresh", "due_soon", "stale", "missing", "error", "not_applicable"):
            assert part[state].sum() == summary[state]
        assert part["debt_days"].sum() == summary["freshness_debt_days"]


def test_nothing_in_scope_is_said_and_not_called_fresh():
    document = report()
    assert document.headline == "No control applies, so there is no evidence whose freshness could be measured."
    assert document.summary["in_window_pct"] is None
    assert [table.frame.height for table in document.tables] == [0, 0, 0, 0]
    assert document.coverage.total == 0
    assert document.charts == []


def test_the_order_of_the_facts_changes_nothing():
    one, two = report(*MIXED), report(*reversed(MIXED))
    for left, right in zip(one.tables, two.tables, strict=True):
        assert_frame_equal(left.frame, right.frame)
    assert one.headline == two.headline
