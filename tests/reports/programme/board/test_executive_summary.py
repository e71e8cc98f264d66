from datetime import date

import polars as pl
import pytest

from engine.copilot.answers.sources import route_of
from engine.model.documents.document import Coverage
from reports import REPORTS
from reports.programme.board import targets
from reports.programme.board.board import MARKS, SOURCES
from reports.programme.board.decisions import full_decisions
from reports.programme.board.executive_summary import REPORT
from reports.programme.risk.risk_grid import register_of
from tests import factories
from tests.factories import DAY, moment, rows
from tests.reports.explanations import values_follow

READINESS = {
    **{"component": "readiness", "title": "Weighted readiness", "weight": 0.35, "share": 0.35 / 0.55, "value": 80.0},
    **{"prior_value": 70.0, "contribution": 50.9, "prior_score": 73.6, "prior_on": date(2026, 10, 21)},
}
FRESHNESS = {
    **READINESS,
    **{"component": "freshness", "title": "Evidence freshness", "weight": 0.20, "share": 0.20 / 0.55, "value": 70.0},
    **{"prior_value": 80.0, "contribution": 25.5},
}
SOC2 = {"framework": "soc2", "applicable": 4, "assessed": 4, "weighted_pct": 80.0, "prior_weighted_pct": 70.0}


def risk(key, residual, **more):
    return {
        **{"id": key, "title": f"Risk {key}", "residual": residual, "inherent": 20, "appetite": 9, "status": "open"},
        **{
            "over_appetite": residual > 9,
            "unknown": False,
            "residual_unknown": False,
            "level": "high",
            "owner": "cfo@acme.example",
            **more,
        },
    }


def duty(key, due_on, **more):
    return {"obligation_id": key, "title": f"Duty {key}", "due_on": due_on, **more}


def week(owner, name, start, shortfall):
    return {
        **{"owner": owner, "week": name, "week_start_on": start, "shortfall_hours": shortfall, "staffed": True},
        **{"demand_hours": 8.0 + shortfall, "available_hours": 8.0},
    }


def document(posture=(), readiness=(), gaps=(), risks=(), obligations=(), incidents=(), zone="UTC", **more):
    return factories.document(REPORT, **frames(posture, readiness, gaps, risks, obligations, incidents, zone, **more))


def frames(posture=(), readiness=(), gaps=(), risks=(), obligations=(), incidents=(), zone="UTC", **more):
    return {
        "organization": rows("organization", {"time_zone": zone}),
        "posture": rows("posture", *posture),
        "readiness": rows("readiness", *readiness),
        "gaps": rows("gaps", *gaps),
        "risks": rows("risks", *risks),
        "obligations": rows("obligations", *obligations),
        "incidents": rows("incidents", *incidents),
        "vendors": rows("vendors", *more.get("vendors", ())),
        "exceptions": rows("exceptions", *more.get("exceptions", ())),
        "owner_weeks": rows("owner_weeks", *more.get("owner_weeks", ())),
        "movements": rows("movements", *more.get("movements", ())),
        "posture_days": rows("posture_days", *more.get("posture_days", ())),
        "state_changes": rows("state_changes", *more.get("state_changes", ())),
    }


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


INCIDENTS = [
    {
        "id": "1",
        "severity": "critical",
        "opened_at": moment("2026-11-01 10:00"),
        "minutes_to_resolve": 90.0,
        "resolved_at": moment("2026-11-01 11:30"),
    },
    {
        "id": "2",
        "severity": "low",
        "opened_at": moment("2026-11-02 10:00"),
        "minutes_to_resolve": 600.0,
        "resolved_at": moment("2026-11-02 20:00"),
    },
    {"id": "3", "severity": "low", "opened_at": moment("2026-11-20 23:59")},
    {
        "id": "4",
        "severity": "high",
        "opened_at": moment("2026-10-21 23:59"),
        "minutes_to_resolve": 1200.0,
        "resolved_at": moment("2026-10-22 19:59"),
    },
]
OVERDUE = [
    duty("o1", date(2026, 11, 1), state="overdue", days_left=-19, owner="ann@acme.example"),
    duty("o2", date(2026, 11, 10), state="overdue", days_left=-10, owner="ann@acme.example"),
    duty("o3", date(2026, 11, 12), state="overdue", days_left=-8, owner=None),
]


def test_the_summary_holds_what_a_board_asks_first():
    held = document(
        [READINESS, FRESHNESS],
        [SOC2],
        [{"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1", "severity": "critical"}],
        [risk("R1", 16), risk("R2", 4)],
        OVERDUE,
        INCIDENTS,
        vendors=[{"vendor_id": "v1", "tier": "high", "assurance": "lapsed", "review": "never"}],
    )
    assert held.summary == {
        "posture_score": 76.4,
        "posture_grade": "C",
        "posture_change": 2.8,
        "posture_before_score": 73.6,
        "snapshot_before_on": date(2026, 10, 21),
        "gaps_open": 1,
        "gaps_critical": 1,
        "risks": 2,
        "risks_over_appetite": 1,
        "obligations_overdue": 3,
        "incidents_opened_in_period": 3,
        "incidents_critical_in_period": 1,
        "incidents_high_in_period": 0,
        "incidents_medium_in_period": 0,
        "incidents_low_in_period": 2,
        "incidents_info_in_period": 0,
        "incidents_resolved_in_period": 3,
        "incident_median_hours_to_restore": 10.0,
        "incident_families_opened_in_period": 3,
        "incident_family_median_hours_to_restore": 10.0,
        "incidents_proposed_for_families": 0,
        "alert_transit_p95_minutes": None,
        "incident_median_minutes_to_acknowledge": None,
        "acknowledged_on_call_pct": None,
        "acknowledged_on_call_recorded_late": 0,
        "incidents_with_nobody_on_duty": 0,
        "incidents_in_planned_maintenance": 0,
        "incidents_maintenance_declared_late": 0,
        "vendors": 1,
        "vendors_assured": 0,
        "vendor_reviews_overdue": 0,
        "vendor_reviews_never": 1,
        "weeks_short": 0,
        "peak_weeks": 0,
        "owners_short": 0,
        "shortfall_hours": 0.0,
        "unowned_hours": 0.0,
        "obligations_overdue_hours": 3.0,
        "targets_that_do_not_hold": 0,
        "evidence_held_pct": None,
        "monitoring_coverage_pct": None,
        "senders_live": 0,
        "senders_silent": 0,
        "senders_not_heard": 0,
        "messages_unread": 0,
        "unknown_services_in_alerts": 0,
        "alerts_without_owner": 0,
        "incidents_without_cause": 0,
    }
    assert held.coverage == Coverage(4, 4)
    assert held.headline == (
        "Posture is 76.4 (C), up 2.8 points in 30 days; 1 risk exceeds the appetite; 3 duties are overdue; 2 decisions."
    )
    assert table(held, "figures").rows() == [
        ("Posture", 76.4, "76.4 (C)", "Weighted readiness costs most: 12.7 points", "[1]"),
        ("Open gaps", 1.0, "1", "1 critical", "[3]"),
        ("Incidents in the period", 3.0, "3", "1 critical, 2 low", "[6]"),
        ("Median time to restore", 10.0, "10 h", "From opening to resolution; 3 resolved", "[6]"),
        (
            *("Median time to restore by family", 10.0, "10 h"),
            *("Families from first opening to last resolution; 3 opened", "[6]"),
        ),
        ("Third parties", 1.0, "1", "0 assured, 0 reviews overdue, 1 never reviewed", "[7]"),
        ("Evidence held", None, "no data", "The rest is told: a location or a hash alone", "[11]"),
    ]


def test_where_nothing_is_on_record_nothing_is_counted():
    held = table(document([READINESS]), "figures")
    assert [row for row in held.rows() if row[0] in ("Incidents in the period", "Third parties")] == [
        ("Incidents in the period", None, "no data", None, "[6]"),
        ("Third parties", None, "no data", "No vendor is on record", "[7]"),
    ]


def test_decisions_follow_from_the_data():
    held = document(
        risks=[risk(f"R{cell}", cell, residual_unknown=cell == 25) for cell in (12, 16, 20, 25)],
        obligations=OVERDUE,
        exceptions=[
            {"id": "EX-1", "standing": "expired", "expires_on": date(2026, 10, 1), "approver": "ciso@acme.example"},
            {"id": "EX-2", "standing": "approved", "expires_on": date(2027, 1, 1)},
            {"id": "EX-3", "standing": "expired", "expires_on": date(2026, 9, 1), "replaced": True},
        ],
        owner_weeks=[
            week("ann@acme.example", "2026-W49", date(2026, 11, 30), 3.5),
            week("bob@acme.example", "2026-W49", date(2026, 11, 30), 1.0),
            week("bob@acme.example", "2026-W40", date(2026, 9, 28), 9.0),
        ],
    )
    assert table(held, "decisions").select("decision", "reason", "owner", "footnote").rows() == [
        (
            "In 2026-W49 bring in 4.5 hours",
            "2 owners have more due than time in it; 1 of the next 13 weeks is short; nobody is named for it and no chair "
            "is to meet, so the first decision is who decides",
            None,
            "[9]",
        ),
        (
            "Rate 1 and decide the rest of 4 risks over appetite: R25, R20, R16 and 1 more",
            "R25 is not rated (counts as 25) against an appetite of 9",
            "cfo@acme.example",
            "[4]",
        ),
        (
            "Agree new dates or owners for 3 overdue commitments",
            "The oldest is 19 days late; ann@acme.example has 2, 1 has no owner",
            "ann@acme.example",
            "[5]",
        ),
        (
            "Renew or end 1 expired exception: EX-1",
            "EX-1 ended on 2026-10-01 and nobody has resolved it",
            "ciso@acme.example",
            "[8]",
        ),
    ]


def test_what_nobody_is_named_for_is_with_the_chair_who_meets_next():
    meetings = [
        duty("m1", date(2026, 12, 20), kind="committee", owner="cfo@acme.example"),
        duty("m2", date(2026, 12, 1), kind="committee", owner="ciso@acme.example"),
        duty("m3", date(2026, 11, 25), kind="committee", owner=None),
    ]
    nobodys = {"week": "2026-W49", "week_start_on": date(2026, 11, 30), "staffed": False, "demand_hours": 3.0}
    held = document(obligations=[*meetings, OVERDUE[2]], owner_weeks=[nobodys | {"unowned_hours": 3.0}])
    assert table(held, "decisions").select("decision", "reason", "owner").rows() == [
        (
            "Name owners for 3 hours of work",
            "Due in the next 13 weeks, and nobody is there to do it",
            "ciso@acme.example",
        ),
        (
            "Agree new dates or owners for 1 overdue commitment",
            "The oldest is 8 days late; nobody has 1",
            "ciso@acme.example",
        ),
    ]


def test_what_changed_stands_by_size():
    hipaa = {**SOC2, "framework": "hipaa", "weighted_pct": 30.0, "prior_weighted_pct": 30.0}
    held = document([READINESS, FRESHNESS], [SOC2, hipaa])
    assert table(held, "changes").rows() == [
        ("Readiness: SOC 2", 70.0, 80.0, 10.0, None, "[2]"),
        ("Posture: Weighted readiness", 44.5, 50.9, 6.4, None, "[1]"),
        ("Posture: Evidence freshness", 29.1, 25.5, -3.6, None, "[1]"),
    ]


def test_what_changed_says_what_happened_in_its_direction():
    def movement(thing, state, because, framework="soc2", kind="control"):
        on = date(2026, 11, 3)
        return {
            "kind": kind,
            "framework": framework,
            "thing": thing,
            "state": state,
            "moved_on": on,
            "because": because,
        }

    held = document(
        [READINESS, FRESHNESS],
        [SOC2],
        movements=[
            movement("SOC 2 CC6.1", "effective", "with new backup evidence"),
            movement("SOC 2 CC7.2", "stale", "when backup evidence stopped"),
            movement("HIPAA 164.308", "stale", "when backup evidence stopped", framework="hipaa"),
            movement("SOC 2 CC7.2", "overdue", "", kind="attestation"),
        ],
    )
    assert table(held, "changes").select("what", "because").rows() == [
        ("Readiness: SOC 2", "1 control became effective on 3 Nov 2026 with new backup evidence"),
        ("Posture: Weighted readiness", "1 control became effective on 3 Nov 2026 with new backup evidence"),
        ("Posture: Evidence freshness", "2 controls went stale on 3 Nov 2026 when backup evidence stopped"),
    ]


def test_overdue_commitments_stand_oldest_first_with_their_owners():
    assert table(document(obligations=OVERDUE), "overdue").rows() == [
        ("Duty o1", "ann@acme.example", date(2026, 11, 1), 19, "[5]"),
        ("Duty o2", "ann@acme.example", date(2026, 11, 10), 10, "[5]"),
        ("Duty o3", None, date(2026, 11, 12), 8, "[5]"),
    ]


def test_dates_that_cannot_move_come_before_ordinary_ones():
    ordinary = [duty(f"o{day}", date(2026, 11, day)) for day in range(21, 27)]
    audit = duty("audit", date(2027, 1, 15), kind="audit_checkpoint")
    far = duty("far", date(2027, 6, 1), hard=True)
    held = document(obligations=[*ordinary, audit, far])
    assert table(held, "dates")["title"].to_list() == ["Duty o21", "Duty o22", "Duty audit"]


def test_an_incident_belongs_to_the_organizations_day():
    late = [{"id": "1", "severity": "high", "opened_at": moment("2026-11-20 23:30")}]
    assert document(incidents=late).summary["incidents_high_in_period"] == 1
    assert document(incidents=late, zone="Europe/Berlin").summary["incidents_high_in_period"] == 0


def test_every_figure_points_to_a_route():
    held = document([READINESS], [SOC2], risks=[risk("R1", 16)], obligations=OVERDUE)
    marks = {mark for one in held.tables for mark in one.frame["footnote"]}
    assert marks <= {f"[{number}]" for number in range(1, len(held.footnotes) + 1)}
    assert all(f" [{number}]: /api/" in note for number, note in enumerate(held.footnotes, 1))


def test_a_figure_named_in_a_footnote_stands_in_the_report_that_it_leads_to():
    by_route = {route_of(report.name): report for report in REPORTS}
    for source in SOURCES.values():
        report = by_route[source.route.partition("?")[0]]
        if report.figures:
            assert set(source.figures) <= {figure.id for figure in report.figures}, source.route
        assert set(source.figures) <= {figure.id for figure in REPORT.figures}
    assert document().footnotes[0] == (
        "Posture and what moved it [1]: /api/governance/compliance/posture-score "
        "(posture_score, posture_grade, posture_change)"
    )


def test_planned_maintenance_is_left_out_by_name_and_a_late_window_counts():
    window = {"maintenance_id": "w1", "maintenance_reason": "New switch"}
    first, second, third, _ = INCIDENTS
    held = document(
        incidents=[
            {**first, **window, "maintenance_state": "planned"},
            {**second, **window, "maintenance_state": "declared_late"},
            {**third, "on_call": "in_time", "minutes_to_acknowledge": 4.0},
        ]
    )
    names = ("incidents_opened_in_period", "incident_families_opened_in_period", "incidents_in_planned_maintenance")
    assert [held.summary[name] for name in names] == [2, 2, 1]
    assert held.summary["incidents_maintenance_declared_late"] == 1
    assert (held.summary["acknowledged_on_call_pct"], held.summary["incident_median_minutes_to_acknowledge"]) == (
        100.0,
        4.0,
    )
    assert table(held, "maintenance").select("id", "maintenance_state", "maintenance_reason").rows() == [
        ("2", "declared_late", "New switch"),
        ("1", "planned", "New switch"),
    ]


def test_the_incidents_that_a_footnote_leads_to_are_those_that_are_counted():
    frame = factories.explained_rows(REPORT, "incidents_opened_in_period", **frames(incidents=INCIDENTS))
    assert frame.select("id", "reason", "flag").rows() == [
        ("1", "critical, opened on 2026-11-01", 1),
        ("2", "low, opened on 2026-11-02", 1),
        ("3", "low, opened on 2026-11-20", 1),
    ]
    assert "explain=incidents_opened_in_period" in SOURCES["incidents"].route


def test_the_rows_that_explain_a_figure_give_its_value():
    gap = {"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1", "severity": "critical"}
    vendor = {"vendor_id": "v1", "tier": "high", "assurance": "lapsed", "review": "never"}
    given = ([READINESS, FRESHNESS], [SOC2], [gap], [risk("R1", 16)], OVERDUE, INCIDENTS)
    values_follow(REPORT, **frames(*given, vendors=[vendor]))


def test_it_stays_within_two_pages():
    held = document(
        [READINESS, FRESHNESS],
        [SOC2],
        risks=[risk(f"R{cell}", cell) for cell in range(1, 26)],
        obligations=[duty(str(n), date(2026, 11, 1), state="overdue", days_left=-19) for n in range(50)],
    )
    assert len(held.tables) == 10
    assert sum(one.frame.height for one in held.tables) <= 25


def test_markdown_is_among_the_formats():
    assert REPORT.formats == ("json", "csv", "html", "md", "xlsx", "pdf")


def test_without_data_the_board_is_told_so():
    held = document()
    assert held.headline == ("There is no posture score yet, because no component has any data; no decisions.")
    assert held.summary["posture_score"] is None
    assert held.summary["posture_grade"] == "insufficient_data"
    assert held.summary["incident_median_hours_to_restore"] is None
    assert {one.name: one.frame.height for one in held.tables} == {
        "decisions": 0,
        "figures": 7,
        "risks": 0,
        "changes": 0,
        "overdue": 0,
        "targets": 0,
        "dates": 0,
        "moves": 0,
        "maintenance": 0,
        "arrivals": 0,
    }
    assert factories.document(REPORT).headline == held.headline


def snapshot(day, score, **values):
    parts = {"readiness": 80.0, "freshness": 80.0, **values}
    return [{"taken_on": day, "score": score, "component": name, "value": value} for name, value in parts.items()]


def stale_story(**more):
    """The story of an organization whose evidence went stale on one day."""
    days = [
        *snapshot(date(2026, 9, 7), 80.0),
        *snapshot(date(2026, 9, 14), 80.2),
        *snapshot(date(2026, 9, 21), 75.0, freshness=65.0),
        *snapshot(date(2025, 9, 1), 40.0),
    ]
    changed = {"framework": "soc2", "observed_on": date(2026, 9, 20), "state": "stale", "previous": "effective"}
    seen = [{**changed, "control_id": name} for name in ("CC6.1", "CC6.2")]
    return document([READINESS, FRESHNESS], [SOC2], posture_days=days, state_changes=seen, **more)


def test_the_story_marks_what_moved_the_posture_and_says_what_happened():
    held = stale_story()
    mark, _ = held.story.marks
    assert (mark.on, mark.change) == (date(2026, 9, 21), -5.2)
    assert mark.what == "Evidence freshness -5.5 points; 2 controls went stale"
    assert held.story.picture.marks == [date(2026, 9, 21), DAY]
    assert next(day for day, _ in held.story.picture.lines[0].points) == date(2026, 9, 7)  # no day before the 400


def test_the_story_names_the_incident_of_a_fall():
    worst = {"id": "i", "title": "Disk full", "severity": "high", "opened_at": moment("2026-09-18 10:00")}
    low = {**worst, "id": "j", "title": "Noise", "severity": "low"}
    mark, _ = stale_story(incidents=[worst, low]).story.marks
    assert mark.what.endswith("; incident Disk full (high)")


def test_the_story_marks_what_moved_since_the_last_snapshot():
    """Its score is today's, and a control counts from the day on which it came into its state."""
    moved = {"kind": "control", "framework": "soc2", "state": "stale", "because": ""}
    days = [*snapshot(date(2026, 11, 9), 80.0), *snapshot(date(2026, 11, 16), 80.2, readiness=81.0)]
    movements = [
        {**moved, "thing": "SOC 2 CC6.1", "moved_on": date(2026, 11, 18)},
        {**moved, "thing": "SOC 2 CC6.2", "moved_on": date(2026, 11, 12)},
        {**moved, "thing": "SOC 2 CC6.3", "state": "effective", "moved_on": None},
    ]
    held = document([READINESS, FRESHNESS], [SOC2], posture_days=days, movements=movements)
    (mark,) = held.story.marks
    assert (mark.on, mark.change) == (DAY, -3.8)
    assert mark.what == "Evidence freshness -3.6 points; 1 control went stale"
    assert held.story.picture.lines[0].points[-1] == (DAY, 76.4)


def test_a_calm_running_week_leaves_the_rises_before_it():
    """Only a snapshot ends the beginning of a record, in which everything rises."""
    days = [*snapshot(date(2026, 11, 2), 40.0), *snapshot(date(2026, 11, 9), 60.0), *snapshot(date(2026, 11, 16), 75.8)]
    held = document([READINESS, FRESHNESS], [SOC2], posture_days=days)
    assert [(mark.on.day, mark.change) for mark in held.story.marks] == [(16, 15.8), (9, 20.0)][::-1]


def test_a_snapshot_of_the_day_itself_is_where_the_line_ends():
    held = document(
        [READINESS, FRESHNESS], [SOC2], posture_days=[*snapshot(date(2026, 11, 9), 80.0), *snapshot(DAY, 76.4)]
    )
    assert [(mark.on, mark.change) for mark in held.story.marks] == [(DAY, -3.6)]


def test_the_highest_of_all_is_since_the_first_snapshot():
    held = document([READINESS, FRESHNESS], [SOC2], posture_days=snapshot(date(2026, 11, 9), 60.0))
    assert held.story.why == [
        "It stands at its highest since 2026-11-09, the day of the first snapshot of the last 400 days: nothing pulled it down."
    ]


def test_the_story_says_where_the_posture_stood_highest_and_what_fell_since():
    first, second, *_ = stale_story().story.why
    assert first == "It is 3.8 points below its highest of 400 days, 80.2 on 2026-09-14."
    assert second == "Since then evidence freshness fell by 10.0 percentage points."


def test_a_decision_has_a_day_hours_and_what_comes_otherwise():
    late = [duty("a", date(2026, 11, 1), state="overdue", owner="a@acme.example", effort_hours=3.0, days_left=-19)]
    soon = [duty("b", date(2026, 12, 1), state="open", owner="a@acme.example", effort_hours=1.0, days_left=11)]
    board = {"kind": "committee", "state": "open", "owner": "chair@acme.example", "days_left": 20}
    held = document(obligations=[*late, *soon, duty("c", date(2026, 12, 10), **board)])
    (decision,) = held.story.decisions
    assert (decision.due_on, decision.hours) == (date(2026, 12, 10), 3.0)
    assert decision.otherwise == "1 more duty of the same people falls due in 30 days"


def test_without_any_record_there_is_no_picture_and_nothing_to_decide():
    held = document()
    assert (held.story.picture, held.story.marks, held.story.why, held.story.decisions) == (None, [], [], [])


def test_controls_short_on_the_day_are_said_with_the_plan_and_without_it():
    near = {"framework": "soc2", "name": "SOC 2", "target_on": date(2027, 1, 27), "not_effective": 34, "left": 18}
    more = {"plan_hours": 14.0, "reached": False, "likely_pct": 0.0}
    lead = {
        told: targets.lead(pl.DataFrame([near | more | told_of], schema=targets.NEAREST))
        for told, told_of in {
            "open": {},
            "promised": {"left": 0, "reached": True, "likely_pct": 99.9},
            "held": {"not_effective": 0, "left": 0},
        }.items()
    }
    assert lead == {
        "open": "SOC 2 will not be ready on 27 Jan 2027: 18 controls short with the plan, 34 without",
        "promised": "All controls of SOC 2 will be effective on 27 Jan 2027, over 99 % likely with 14 hours of work",
        "held": "All controls of SOC 2 will be effective on 27 Jan 2027",
    }


NO_WEEKS = pl.DataFrame(
    schema={"short": pl.Boolean, "week_start_on": pl.Date}
    | dict.fromkeys(("shortfall_hours", "borrow_hours", "unowned_hours"), pl.Float64)
)


def test_a_target_date_that_no_plan_reaches_is_a_decision():
    near = {"framework": "soc2", "name": "SOC 2", "target_on": date(2027, 1, 27), "not_effective": 34, "left": 18}
    given = [near | {"reached": reached} for reached in (False, True)]
    asked = [
        full_decisions(
            register_of(rows("risks")),
            rows("obligations"),
            rows("exceptions"),
            NO_WEEKS,
            MARKS,
            date(2026, 11, 20),
            pl.DataFrame([one], schema=targets.NEAREST),
        )
        for one in given
    ]
    assert [one.select("decision", "otherwise").rows() for one in asked] == [
        [("Set SOC 2 a later day than 27 Jan 2027, or find more hours", "SOC 2 is not ready on 27 Jan 2027")],
        [],
    ]


@pytest.mark.parametrize(
    ("unrated", "asked"),
    [
        ((), "Accept, treat or transfer 2 risks over appetite: R20 and R16"),
        ((16,), "Rate 1 and decide the rest of 2 risks over appetite: R20 and R16"),
        ((16, 20), "Rate 2 risks over appetite: R20 and R16"),
    ],
)
def test_nobody_is_asked_to_accept_a_risk_that_nobody_rated(unrated, asked):
    held = document(risks=[risk(f"R{cell}", cell, residual_unknown=cell in unrated) for cell in (16, 20)])
    assert asked in held.table("decisions").frame["decision"].to_list()
