from datetime import date

import polars as pl
import pytest

from engine.facts.controls import readiness
from engine.facts.question import FactQuestion, question_frame
from engine.model.thresholds import Thresholds
from tests.factories import DAY, ORG, moment, rows
from tests.facts.conftest import control, on, only

VALUES = {"readiness": 80, "freshness": 70, "attestation": 90, "vendor": None, "remediation": 50, "operations": 100}


def question(**overrides):
    return question_frame([FactQuestion(ORG, "UTC", DAY, 30, Thresholds(0, overrides))])


def statuses(*given):
    return rows("control_status", *({**on(f"X{i}"), **row} for i, row in enumerate(given)))


def ready(known, *given):
    facts = known()
    facts._frames["control_status"] = statuses(*given)
    return facts["readiness"]


def test_readiness_is_strict_and_weighted_beside_its_coverage(facts_with):
    states = [(5, "effective"), (3, "effective"), (4, "partial"), (2, "stale"), (1, "no_data")]
    found = ready(facts_with, *({"weight": w, "state": s} for w, s in states))
    columns = ("weighted_pct", "strict_pct", "assessed", "applicable", "coverage_pct")
    assert only(found, *columns) == (70.0, 40.0, 4, 5, 80.0)


def test_not_applicable_controls_leave_the_denominator_but_stay_counted(facts_with):
    found = ready(facts_with, {"state": "ineffective"}, {"state": "not_applicable", "applicable": False})
    columns = ("total", "applicable", "not_applicable", "ineffective", "assessed", "strict_pct", "weighted_pct")
    assert only(found, *columns) == (2, 1, 1, 1, 1, 0.0, 0.0)


def test_a_framework_without_an_applicable_control_has_no_readiness(facts_with):
    found = ready(facts_with, {"state": "not_applicable", "applicable": False})
    assert only(found, "strict_pct", "weighted_pct", "fresh_pct", "coverage_pct") == (None, None, None, None)


def test_evidence_dated_in_the_future_is_in_no_window(facts_with):
    found = ready(facts_with, {"freshness": "fresh"}, {"freshness": "fresh", "future_dated": True})
    assert only(found, "fresh_pct") == 50.0


def test_readiness_stands_beside_the_last_snapshot_before_the_period(facts_with):
    days = {"2026-09-01": 10.0, "2026-10-21": 20.0, "2026-10-22": 30.0}
    snapshots = [
        {"taken_on": day, "framework": "soc2", "strict_pct": pct, "weighted_pct": pct + 1} for day, pct in days.items()
    ]
    found = facts_with(controls=[control()], readiness_snapshots=snapshots)["readiness"]
    assert only(found, "prior_on", "prior_strict_pct", "prior_weighted_pct") == (date(2026, 10, 21), 20.0, 21.0)


def test_each_iso_week_has_its_last_snapshot(facts_with):
    days = {"2026-01-02": 1.0, "2025-12-29": 2.0, "2026-01-05": 3.0, "2026-11-21": 4.0}  # the last lies ahead
    snapshots = [{"taken_on": day, "framework": "soc2", "strict_pct": pct} for day, pct in days.items()]
    readiness_weeks = facts_with(readiness_snapshots=snapshots)["readiness_weeks"]
    assert readiness_weeks.select("week", "strict_pct").rows() == [("2026-W01", 1.0), ("2026-W02", 3.0)]


def score_posture(values, **overrides):
    """The posture of an organization whose components have the given values in percent, in tens."""
    given = []
    for n in range(10):
        mark = 10 * (n + 1)
        state = "effective" if values["readiness"] >= mark else "no_data"
        fresh = "fresh" if values["freshness"] >= mark else "stale"
        given.append(
            {
                "state": state,
                "freshness": fresh,
                "attested": values["attestation"] >= mark,
                "weight": 1,
                "kinds_required": ["attestation"],
            }
        )
    some = [10 * (n + 1) for n in range(10)]
    vendor, remediation, operations = (values[name] for name in ("vendor", "remediation", "operations"))
    vendors = (
        []
        if vendor is None
        else [{"vendor_id": str(m), "assurance": "assured" if vendor >= m else "lapsed"} for m in some]
    )
    work = [] if remediation is None else [{"id": str(m), "on_time": remediation >= m, "status": "open"} for m in some]
    services = (
        []
        if operations is None
        else [{"service_id": str(m), "level": "ok" if operations >= m else "critical"} for m in some]
    )
    snapshots = pl.DataFrame(
        schema={
            "org_id": pl.String,
            "taken_on": pl.Date,
            "score": pl.Float64,
            "components": pl.String,
            "formulas": pl.String,
        }
    )
    return readiness.posture(
        statuses(*given),
        rows("vendors", *vendors),
        rows("remediations", *work),
        rows("service_health", *services),
        snapshots,
        rows("own_frameworks"),
        question(**overrides),
    )


def test_a_missing_component_shares_out_its_weight_and_contributions_sum_to_the_score():
    posture = score_posture(VALUES)
    assert posture.select("component", "value", "contribution").rows() == [
        ("readiness", 80.0, 31.1),
        ("freshness", 70.0, 15.6),
        ("attestation", 90.0, 15.0),
        ("vendor", None, None),
        ("remediation", 50.0, 5.5),
        ("operations", 100.0, 11.1),
    ]
    assert round(posture["contribution"].sum(), 1) == 78.3
    assert posture["share"].to_list() == [0.3889, 0.2222, 0.1667, None, 0.1111, 0.1111]


def test_an_absent_component_says_so_and_a_present_one_says_what_was_measured():
    explanations = {row["component"]: row["explanation"] for row in score_posture(VALUES).iter_rows(named=True)}
    assert explanations["vendor"] == "no vendor in the register: left out, its weight is shared out"
    assert explanations["freshness"] == "7 of 10 applicable controls have evidence within its window"


def test_a_component_without_weight_contributes_nothing():
    found = score_posture(VALUES, posture_remediation=0.0).filter(component="remediation")
    assert only(found, "value", "share", "contribution") == (50.0, 0.0, 0.0)


def test_a_score_of_nothing_but_zero_weights_has_no_shares():
    weights = {f"posture_{name}": 0.0 for name in VALUES}
    posture = score_posture(VALUES, **weights)
    assert posture["share"].to_list() == [None] * 6
    assert posture["contribution"].sum() == 0


@pytest.mark.parametrize(("level", "value"), [("ok", 100.0), ("warning", 50.0), ("critical", 0.0)])
def test_a_service_that_warns_counts_half_and_one_without_history_not_at_all(level, value):
    health = rows(
        "service_health", {"service_id": "a", "level": level}, {"service_id": "b", "level": "insufficient_history"}
    )
    frame = readiness.posture(
        rows("control_status"),
        rows("vendors"),
        rows("remediations"),
        health,
        pl.DataFrame(
            schema={
                "org_id": pl.String,
                "taken_on": pl.Date,
                "score": pl.Float64,
                "components": pl.String,
                "formulas": pl.String,
            }
        ),
        rows("own_frameworks"),
        question(),
    ).filter(component="operations")
    assert only(frame, "value", "population") == (value, 1)


def test_timeliness_looks_at_overdue_work_and_at_what_was_closed_within_a_quarter(facts_with):
    def item(id, due_on, closed_on):
        return {"id": id, **on(), "opened_on": "2026-01-01", "due_on": due_on, "closed_on": closed_on, "status": "open"}

    given = [
        item("old", "2026-09-01", "2026-08-20"),
        item("edge", "2026-09-01", "2026-08-21"),
        item("late", "2026-10-01", "2026-10-02"),
        item("open", "2026-11-19", None),
        item("ahead", "2026-12-01", None),
    ]
    found = facts_with(remediations=given)["posture"].filter(component="remediation")
    assert only(found, "measured", "population", "value") == (1, 3, 33.3)


def test_the_posture_of_the_last_snapshot_before_the_period_stands_beside(facts_with):
    snapshots = [
        {"taken_on": day, "score": score, "components": f'{{"readiness": {score}, "vendor": null}}'}
        for day, score in (("2026-10-20", 60.0), ("2026-10-21", 61.5), ("2026-10-22", 70.0))
    ]
    posture = facts_with(posture_snapshots=snapshots)["posture"]
    columns = ("prior_on", "prior_score", "prior_value")
    assert only(posture.filter(component="readiness"), *columns) == (date(2026, 10, 21), 61.5, 61.5)
    assert only(posture.filter(component="vendor"), *columns) == (date(2026, 10, 21), 61.5, None)


def test_an_organization_without_anything_has_six_absent_components(facts_with):
    posture = facts_with()["posture"]
    assert posture.select("value", "contribution", "population").unique().rows() == [(None, None, 0)]
    assert posture.height == 6


def test_gaps_are_the_applicable_controls_that_are_not_effective(facts_with):
    events = [("backup.completed", moment("2026-11-10"), {"controls": "soc2:X1"})]
    controls = [control(f"X{n}", position=n) for n in range(1, 5)]
    excluded = {
        **on("X4"),
        "applicable": False,
        "justification": "none",
        "approved_by": "bob",
        "approved_on": "2026-01-01",
    }
    facts = facts_with(controls=controls, events=events, control_profiles=[excluded])
    counts = only(facts["readiness"], "applicable", "effective")
    assert (facts["gaps"].height, counts) == (2, (3, 1))


def test_each_snapshot_of_the_posture_stands_by_component_and_one_without_a_score_is_left_out():
    stored = pl.DataFrame(
        {
            "org_id": ["acme"] * 2,
            "taken_on": [date(2026, 11, 2), date(2026, 11, 9)],
            "score": [70.5, None],
            "components": ['{"readiness":70.0,"freshness":71.5}', "{}"],
            "formulas": ['{"posture_score":1}'] * 2,
        }
    )
    frame = readiness.posture_days(stored).filter(pl.col("value").is_not_null())
    assert frame.select("taken_on", "score", "component", "value").rows() == [
        (date(2026, 11, 2), 70.5, "freshness", 71.5),
        (date(2026, 11, 2), 70.5, "readiness", 70.0),
    ]
