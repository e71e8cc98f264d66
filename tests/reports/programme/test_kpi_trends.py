from datetime import date

from engine.model.document import Coverage
from reports.programme.kpi_trends import build
from tests.factories import ask, rows

FLOW = ("week", "opened", "closed", "net", "still_open")


def gap(key, opened, closed=None, days=None):
    return {"id": key, "opened_on": date.fromisoformat(opened), "days_open": days,
            "closed_on": closed and date.fromisoformat(closed)}  # fmt: skip


def snapshot(week, weighted, framework="soc2", strict=50.0, fresh=60.0):
    return {"framework": framework, "week": week, "weighted_pct": weighted, "strict_pct": strict, "fresh_pct": fresh}


def duty(key, due, done=None, state="open", kind="attestation"):
    day = date.fromisoformat(due)
    return {"obligation_id": key, "kind": kind, "due_on": day, "week": day.strftime("%G-W%V"), "state": state,
            "done_on": done and date.fromisoformat(done)}  # fmt: skip


def document(remediations=(), obligations=(), snapshots=(), frameworks=("soc2",), weeks=4, **given):
    return build(
        rows("remediations", *remediations),
        rows("obligations", *obligations),
        rows("readiness_weeks", *snapshots),
        rows("organization", {"frameworks": list(frameworks)}),
        ask(weeks=weeks, **given),
    )


def column(held, *names):
    return held.tables[0].frame.select(names).rows()


def test_weeks_are_iso_weeks_and_the_last_is_cut_to_the_day():
    gaps = [gap("1", "2026-10-26"), gap("2", "2026-11-20", "2026-11-21"), gap("3", "2026-11-09", "2026-11-15")]
    assert column(document(gaps), *FLOW) == [
        ("2026-W44", 1, 0, 1, 1),
        ("2026-W45", 0, 0, 0, 1),
        ("2026-W46", 1, 1, 0, 1),
        ("2026-W47", 1, 0, 1, 2),
    ]


def test_weeks_before_the_first_remediation_are_empty_and_not_zero():
    held = document([gap("1", "2026-11-11")], weeks=3)
    assert column(held, *FLOW) == [
        ("2026-W45", None, None, None, None),
        ("2026-W46", 1, 0, 1, 1),
        ("2026-W47", 0, 0, 0, 1),
    ]


def test_days_to_close_are_by_nearest_rank():
    days = (1, 2, 2, 3, 4, 5, 8, 9, 13, 21)
    gaps = [gap(str(n), "2026-10-01", "2026-11-17", value) for n, value in enumerate(days)]
    assert column(document(gaps), "median_days", "p90_days") == [(None, None)] * 3 + [(4, 13)]


def test_readiness_is_the_mean_of_the_frameworks_recorded_and_missing_weeks_are_empty():
    snapshots = [snapshot("2026-W45", 60.0), snapshot("2026-W45", 71.0, "hipaa"), snapshot("2026-W47", 64.0)]
    held = document(snapshots=snapshots)
    assert column(held, "week", "weighted_pct", "strict_pct", "fresh_pct") == [
        ("2026-W44", None, None, None),
        ("2026-W45", 65.5, 50.0, 60.0),
        ("2026-W46", None, None, None),
        ("2026-W47", 64.0, 50.0, 60.0),
    ]
    assert held.coverage == Coverage(2, 4)
    assert held.warnings == [
        "2 weeks have no snapshot of readiness; these cells are empty.",
        "Other frameworks were recorded from 2026-W47 on: the means before and after differ.",
    ]


def test_an_average_needs_four_weeks_and_looks_back_beyond_the_window():
    snapshots = [snapshot(f"2026-W{week}", float(week)) for week in (43, 44, 45, 46, 47)]
    assert column(document(snapshots=snapshots, weeks=2), "weighted_average") == [(44.5,), (45.5,)]
    assert column(document(snapshots=snapshots[2:], weeks=2), "weighted_average") == [(None,), (None,)]


def test_the_present_week_has_no_average_of_closures_until_it_is_over():
    gaps = [gap("0", "2026-09-01"), *(gap(str(n), "2026-10-01", f"2026-11-{n:02d}", 3) for n in (2, 3, 9, 16))]
    assert column(document(gaps, weeks=2), "closed_average") == [(0.8,), (None,)]
    assert column(document(gaps, weeks=1, as_of=date(2026, 11, 22)), "closed_average") == [(1.0,)]


def test_attestation_closure_counts_what_was_due_by_the_day():
    duties = [
        duty("in time", "2026-11-10", "2026-11-09", "done"),
        duty("late in its week", "2026-11-10", "2026-11-15", "late"),
        duty("late after its week", "2026-11-10", "2026-11-16", "late"),
        duty("dropped", "2026-11-10", state="cancelled"),
        duty("of another kind", "2026-11-10", kind="bundle"),
        duty("today", "2026-11-20"),
        duty("tomorrow", "2026-11-21", "2026-11-19", "done"),
    ]
    held = document(obligations=duties, weeks=2)
    assert column(held, "attestations_due", "attestations_closed", "attestation_pct") == [(3, 2, 66.7), (1, 0, 0.0)]
    assert held.summary["attestation_pct"] == 50.0


def test_a_week_in_which_nothing_was_due_has_no_closure():
    assert column(document(weeks=1), "attestations_due", "attestation_pct") == [(0, None)]


def test_each_framework_has_a_row_for_each_week():
    held = document(snapshots=[snapshot("2026-W46", 60.0, "hipaa"), snapshot("2026-W47", 61.0)], weeks=2)
    assert held.tables[1].frame.select("name", "week", "weighted_pct").rows() == [
        ("SOC 2", "2026-W46", None),
        ("SOC 2", "2026-W47", 61.0),
        ("HIPAA", "2026-W46", 60.0),
        ("HIPAA", "2026-W47", None),
    ]


def test_a_growing_backlog_says_how_much_more_to_close():
    gaps = [gap("1", "2026-10-27"), gap("2", "2026-11-03"), gap("3", "2026-11-10", "2026-11-12", 2)]
    held = document(gaps, snapshots=[snapshot("2026-W44", 70.0), snapshot("2026-W47", 69.0)])
    assert held.headline == (
        "In the 4 weeks to 2026-W47 weighted readiness fell by 1.0 point to 69.0 %; 3 gaps were opened and 1 closed; "
        "close 0.5 more a week to keep the backlog of 2 from growing."
    )
    assert held.summary["weeks_to_clear"] == "growing"


def test_a_shrinking_backlog_has_weeks_to_clear():
    gaps = [gap(str(n), "2026-10-01", f"2026-11-{n + 2:02d}", 40) for n in range(6)]
    held = document([*gaps, gap("x", "2026-10-01"), gap("y", "2026-10-01")], weeks=4)
    assert held.summary["weeks_to_clear"] == 1.0


def test_nothing_recorded_is_said():
    held = document(weeks=13)
    assert held.headline == (
        "In the 13 weeks to 2026-W47 no snapshot of readiness was recorded; no remediation is on record."
    )
    assert held.summary == {
        **{"weeks": 13, "weeks_with_snapshot": 0, "opened": None, "closed": None, "net": None, "still_open": None},
        **{"weeks_to_clear": None, "strict_pct": None, "weighted_pct": None, "weighted_change": None},
        **{"fresh_pct": None, "attestation_pct": None},
    }
    assert held.charts == []


def test_a_year_of_53_weeks_has_them_all():
    held = document(weeks=53, as_of=date(2027, 1, 3))
    assert held.tables[0].frame["week"][0] == "2026-W01"
    assert held.tables[0].frame["week"][-1] == "2026-W53"
