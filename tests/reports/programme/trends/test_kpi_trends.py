from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.trends.kpi_trends import REPORT
from tests import factories
from tests.factories import DAY, ask, lead, rows
from tests.reports.explanations import values_follow

STEPS = (
    *("snapshot_weighted_mean_week_change", "snapshot_strict_mean_week_change", "snapshot_fresh_mean_week_change"),
    "remediations_open_week_change",
)
NO_STEP = dict.fromkeys(STEPS)
FLOW = ("week", "opened", "closed", "net", "still_open")


def gap(key, opened, closed=None, days=None):
    return {
        "id": key,
        "opened_on": date.fromisoformat(opened),
        "days_open": days,
        "closed_on": closed and date.fromisoformat(closed),
    }


def snapshot(week, weighted, framework="soc2", strict=50.0, fresh=60.0):
    return {"framework": framework, "week": week, "weighted_pct": weighted, "strict_pct": strict, "fresh_pct": fresh}


def duty(key, due, done=None, state="open", kind="attestation"):
    day = date.fromisoformat(due)
    return {
        "obligation_id": key,
        "kind": kind,
        "due_on": day,
        "week": day.strftime("%G-W%V"),
        "state": state,
        "done_on": done and date.fromisoformat(done),
    }


def frames(remediations=(), obligations=(), snapshots=(), frameworks=("soc2",)):
    return {
        "remediations": rows("remediations", *remediations),
        "obligations": rows("obligations", *obligations),
        "readiness_weeks": rows("readiness_weeks", *snapshots),
        "organization": rows("organization", {"frameworks": list(frameworks)}),
    }


def document(remediations=(), obligations=(), snapshots=(), frameworks=("soc2",), weeks=4, **given):
    asked = ask(weeks=weeks, **given)
    return factories.document(REPORT, asked, **frames(remediations, obligations, snapshots, frameworks))


def column(held, *names):
    return held.tables[0].frame.sort("week_start_on").select(names).rows()


def test_tables_say_of_which_day_their_readiness_is():
    """That of the last snapshot, where it is not of the day of the page."""
    seen = snapshot("2026-W47", 70.0)
    notes = {
        day: [table.note for table in document(snapshots=[seen | {"taken_on": day}]).tables]
        for day in (date(2026, 11, 16), DAY)
    }
    stands = "Readiness is that of each week's last snapshot, the newest of 16 Nov 2026, not today's."
    upto = " Openings, closures and attestations are up to 20 Nov 2026."
    assert notes == {date(2026, 11, 16): [stands + upto, stands], DAY: ["", ""]}


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


def snapshots_of(week, *values):
    return [
        snapshot(f"2026-W{week}", value, name)
        for name, value in zip(("soc2", "hipaa", "nist-csf"), values, strict=True)
    ]


def test_averages_are_rounded_once_and_a_change_is_that_of_the_means_which_are_shown():
    low, high, higher = (59.9, 60.0, 60.0), (60.0, 60.1, 60.1), (60.1, 60.1, 60.2)
    weeks = [snapshots_of(week, *values) for week, values in ((44, low), (45, high), (46, high), (47, high))]
    held = document(snapshots=[row for week in weeks for row in week])
    assert column(held, "weighted_pct", "weighted_average")[-1] == (
        60.1,
        60.0,
    )  # 60.0417, not the mean of 60.0 and 60.1
    held = document(snapshots=[*snapshots_of(46, *high), *snapshots_of(47, *higher)])
    names = ("pct", "change", "week_change")
    assert [held.summary[f"snapshot_weighted_mean_{name}"] for name in names] == [
        60.1,
        0.0,
        0.0,
    ]  # 60.0667 and 60.1333 are both shown as 60.1


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
    assert held.summary["attestations_decided_in_week_pct"] == 50.0


def test_a_week_in_which_nothing_was_due_has_no_closure():
    assert column(document(weeks=1), "attestations_due", "attestation_pct") == [(0, None)]


def test_each_framework_has_a_row_for_each_week():
    held = document(snapshots=[snapshot("2026-W46", 60.0, "hipaa"), snapshot("2026-W47", 61.0)], weeks=2)
    assert held.tables[1].frame.select("name", "week", "weighted_pct").rows() == [
        ("SOC 2", "2026-W47", 61.0),
        ("HIPAA", "2026-W47", None),
        ("SOC 2", "2026-W46", None),
        ("HIPAA", "2026-W46", 60.0),
    ]


def test_weeks_before_the_first_snapshot_are_no_course_of_readiness():
    held = document(
        [gap("1", "2026-10-01", "2026-11-04", 34), gap("2", "2026-11-03")],
        snapshots=[snapshot("2026-W46", 60.0), snapshot("2026-W47", 61.0)],
    )
    assert held.headline == (
        "Since 2026-W46 the frameworks' mean weighted readiness rose by 1.0 point to 61.0 % in "
        "2026-W47; 1 remediation was opened and 1 closed in 4 weeks, 1 still open."
    )
    assert held.tables[1].frame["week"].to_list() == ["2026-W47", "2026-W46"]


def test_a_growing_backlog_says_how_much_more_to_close():
    gaps = [gap("1", "2026-10-27"), gap("2", "2026-11-03"), gap("3", "2026-11-10", "2026-11-12", 2)]
    held = document(gaps, snapshots=[snapshot("2026-W44", 70.0), snapshot("2026-W47", 69.0)])
    assert lead(held) == (
        "In 4 weeks the frameworks' mean weighted readiness fell by 1.0 point to 69.0 % in 2026-W47.",
        "Close 0.67 more remediations a week to keep the backlog of 2 from growing.",
    )
    assert held.summary == {
        **{"trend_weeks": 4, "trend_weeks_recorded": 2, "remediations_opened_in_weeks": 3},
        **{"remediations_closed_in_weeks": 1, "remediations_net_in_weeks": 2, "remediations_net_weekly": 0.67},
        **{"remediations_open": 2, "remediations_backlog": "growing", "weeks_to_clear": None},
        **{"snapshot_strict_mean_pct": 50.0, "snapshot_weighted_mean_pct": 69.0},
        **{"snapshot_weighted_mean_change": -1.0, "snapshot_fresh_mean_pct": 60.0},
        **{"attestations_decided_in_week_pct": None, "alert_transit_p95_minutes": None},
        **{"incident_median_hours_to_restore": None, "incident_family_median_hours_to_restore": None},
        **{"incident_median_minutes_to_acknowledge": None, "acknowledged_on_call_pct": None},
        **NO_STEP,
        "remediations_open_week_change": 0,
    }


def test_a_shrinking_backlog_has_weeks_to_clear():
    gaps = [gap(str(n), "2026-10-01", f"2026-11-{n + 2:02d}", 40) for n in range(6)]
    held = document([*gaps, gap("x", "2026-10-01"), gap("y", "2026-10-01")], weeks=4)
    assert (held.summary["weeks_to_clear"], held.summary["remediations_backlog"]) == (1.0, "shrinking")
    assert lead(held) == (
        "In 4 weeks no snapshot of readiness was recorded; no remediations were opened and 6 closed, 2 still open.",
        "",
    )


def test_weeks_to_clear_follow_net_closures_and_so_do_the_words():
    """Six were closed and four opened in three whole weeks; three more came in the present one."""
    gaps = [gap(f"c{n}", "2026-09-01", "2026-11-04", 64) for n in range(6)]
    gaps += [gap(f"o{n}", "2026-10-28") for n in range(4)] + [gap(f"n{n}", "2026-11-17") for n in range(3)]
    held = document(gaps, weeks=4)
    names = ("remediations_backlog", "weeks_to_clear", "remediations_net_weekly", "remediations_open")
    assert [held.summary[name] for name in names] == ["shrinking", 10.5, -0.67, 7]
    assert lead(held) == (
        "In 4 weeks no snapshot of readiness was recorded; 7 remediations were opened and 6 closed, 7 still open.",
        "",
    )


def test_a_backlog_that_opens_as_many_as_it_closes_is_never_cleared():
    held = document([gap("1", "2026-10-01"), gap("2", "2026-11-03", "2026-11-04", 1)])
    assert (held.summary["weeks_to_clear"], held.summary["remediations_backlog"]) == (None, "steady")


def test_nothing_open_is_a_backlog_of_no_weeks():
    held = document([gap("1", "2026-11-03", "2026-11-04", 1)])
    assert (held.summary["weeks_to_clear"], held.summary["remediations_backlog"]) == (0.0, "clear")
    assert held.headline.endswith("; no remediation is open.")


def test_the_present_week_alone_tells_no_pace():
    held = document([gap("1", "2026-11-17")])
    assert (held.summary["weeks_to_clear"], held.summary["remediations_backlog"]) == (None, "unknown")


def test_every_number_follows_from_its_rows():
    gaps = [gap("1", "2026-10-27"), gap("2", "2026-11-03"), gap("3", "2026-11-10", "2026-11-12", 2)]
    duties = [duty("in time", "2026-11-10", "2026-11-09", "done"), duty("today", "2026-11-20")]
    snapshots = [*snapshots_of(46, 60.0, 60.1, 60.1), *snapshots_of(47, 60.1, 60.1, 60.2)]
    values_follow(REPORT, ask(weeks=4), **frames(gaps, duties, snapshots))
    values_follow(REPORT)


def test_a_mean_of_frameworks_is_explained_by_each_framework():
    given = frames(snapshots=snapshots_of(47, 60.1, 60.1, 60.2))
    explained = factories.explained_rows(REPORT, "snapshot_weighted_mean_pct", ask(weeks=4), **given)
    assert explained["framework"].to_list() == ["hipaa", "nist-csf", "soc2"]
    assert explained["numerator"].to_list() == [60.1, 60.2, 60.1]


def test_nothing_recorded_is_said():
    held = document(weeks=13)
    assert lead(held) == (
        "In 13 weeks no snapshot of readiness was recorded.",
        "Import readiness_snapshots.csv or remediations.csv with hq import to fill this report.",
    )
    assert held.summary == {
        **{"trend_weeks": 13, "trend_weeks_recorded": 0, "remediations_opened_in_weeks": 0},
        **{"remediations_closed_in_weeks": 0, "remediations_net_in_weeks": 0, "remediations_net_weekly": None},
        **{"remediations_open": 0, "remediations_backlog": None, "weeks_to_clear": None},
        **{"snapshot_strict_mean_pct": None, "snapshot_weighted_mean_pct": None},
        **{"snapshot_weighted_mean_change": None, "snapshot_fresh_mean_pct": None},
        **{"attestations_decided_in_week_pct": None, "alert_transit_p95_minutes": None},
        **{"incident_median_hours_to_restore": None, "incident_family_median_hours_to_restore": None},
        **{"incident_median_minutes_to_acknowledge": None, "acknowledged_on_call_pct": None},
        **NO_STEP,
    }
    assert held.charts == []


def test_a_year_of_53_weeks_has_them_all():
    held = document(weeks=53, as_of=date(2027, 1, 3))
    assert held.tables[0].frame["week"][-1] == "2026-W01"
    assert held.tables[0].frame["week"][0] == "2026-W53"


def test_a_mean_a_week_is_said_without_a_unit():
    given = frames([gap("1", "2026-10-27"), gap("2", "2026-11-03"), gap("3", "2026-11-10")], [], [])
    explained = REPORT.explanation(given, ask(weeks=4), "remediations_net_weekly")
    assert explained.headline == "Growth of the backlog a week, over whole weeks: 1.0, from 3 rows."


def test_the_present_week_is_held_against_the_one_before():
    snapshots = [snapshot("2026-W46", 60.0, strict=40.0), snapshot("2026-W47", 57.5, strict=41.0)]
    held = document([gap("1", "2026-10-27"), gap("2", "2026-11-17")], snapshots=snapshots)
    assert [held.summary[name] for name in STEPS] == [-2.5, 1.0, 0.0, 1]
    assert list(held.foremost) == [
        *("snapshot_weighted_mean_pct", "snapshot_strict_mean_pct", "snapshot_fresh_mean_pct", "remediations_open"),
        "remediations_closed_in_weeks",
    ]


def test_a_week_without_a_snapshot_or_with_other_frameworks_is_not_held_against_the_next():
    gone = document(snapshots=[snapshot("2026-W45", 60.0), snapshot("2026-W47", 57.5)])
    other = document(snapshots=[snapshot("2026-W46", 60.0, "hipaa"), snapshot("2026-W47", 57.5)])
    alone = document(snapshots=[snapshot("2026-W46", 60.0), snapshot("2026-W47", 57.5)], weeks=1)
    assert [[held.summary[name] for name in STEPS[:3]] for held in (gone, other, alone)] == [[None] * 3] * 3
