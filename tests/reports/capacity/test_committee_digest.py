from datetime import date, timedelta

from reports.capacity.committee_digest import REPORT
from reports.obligations.crossover import obligation_crossover
from tests.factories import DAY, ask, document, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, work
from tests.reports.staffing.actions import DONE, actions, frame

BOARD = {"committee_id": "B", "name": "Board", "chair": "cyd", "members": ["ann", "cyd"]}


def build_document(*duties, staffing=(), committees=(BOARD,), risks=(), capacity=(), horizons=(), targets=()):
    obligations = ledger(*duties)
    return document(
        REPORT,
        ask(),
        obligations=obligations,
        owner_weeks=work(obligations, *capacity)[0],
        staffing_actions=actions(*staffing),
        committees=rows("committees", *committees),
        risks=rows("risks", *risks),
        control_horizons=rows("control_horizons", *horizons),
        framework_targets=rows("framework_targets", *targets),
    )


def shared_duty(key, days, **more):
    return duty(key, days, controls=["soc2:CC6.1"], frameworks=["soc2"], effort_hours=4.0, **more)


MEETING = date(2026, 12, 10)


def test_what_cannot_wait_for_the_meeting_is_decided_first_as_the_executive_summary_has_it():
    made = build_document(
        duty("late", -9, title="Attest CC1.1"),
        duty("nobody", 5, owner=None, effort_hours=4.0),
        duty("m", 20, kind="committee", title="Board meets", owner="cyd"),
    )
    assert frame(made, "decisions").select("due_on", "decision", "owner").rows() == [
        (date(2026, 11, 23), "Name owners for 4 hours of work", "cyd"),
        (MEETING, "Agree new dates or owners for 1 overdue commitment", "ann"),
    ]
    assert lead(made) == (
        "2 decisions are needed; Board meets next, on 10 Dec 2026, and 1 cannot wait for it; none of the next 13 weeks is "
        "too full.",
        "Decide first: name owners for 4 hours of work (with cyd, by 23 Nov 2026).",
    )


def test_a_target_date_that_no_plan_reaches_is_to_be_decided_here_too():
    """One control never operated and nobody has hours for it before the day."""
    lacking = {"framework": "soc2", "control_id": "CC6.1", "title": "Access", "weight": 3, "cadence": "annual"}
    made = build_document(
        duty("m", 8, kind="committee", title="Board meets", owner="cyd"),
        horizons=[lacking | {"cadence_window": 380, "kinds_required": ["operation"], "owner": None, "position": 1}],
        targets=[{"framework": "soc2", "name": "SOC 2", "target_on": date(2026, 12, 20)}],
    )
    assert frame(made, "decisions").select("decision", "owner", "due_on").rows() == [
        ("Set SOC 2 a later day than 20 Dec 2026, or find more hours", "cyd", date(2026, 11, 28))
    ]
    assert made.summary["committee_decisions"] == 1


def test_decisions_come_first_with_whom_they_are():
    made = build_document(
        shared_duty("a", 10),
        shared_duty("b", 12, owner="cyd"),
        duty("late", -9, title="Attest CC1.1"),
        duty("m", 20, kind="committee", title="Board meets", owner="cyd"),
        staffing=[{"action_id": "x", "blocked_reason": "on leave", "accountable": "ann"}],
    )
    assert frame(made, "decisions").rows() == [
        (
            *("Agree new dates or owners for 1 overdue commitment", "ann", MEETING),
            *("The oldest is 9 days late; ann has 1", "[2]"),
        ),
        (
            *("Complete, replace or close 1 staffing action past the SLA", "ann", MEETING),
            *("Worst is the handover of ann's duties in 2026-W45, 5 business days over: on leave", "[6]"),
        ),
        ("Collect evidence once for 2 duties by 2026-11-30", "ann", MEETING, "SOC 2: saves 3 hours", "[5]"),
    ]
    assert frame(made, "owners").rows() == [
        ("ann", ["Board"], 3, "3 decisions are with you; first: Agree new dates or owners for 1 overdue commitment."),
        ("cyd", ["Board"], 0, "No decision is with you."),
    ]
    assert frame(made, "meetings").select("meets_on", "name", "chair").rows() == [(date(2026, 12, 10), "Board", "cyd")]
    assert frame(made, "staffing").rows() == [("breached", 1, 3.0)]
    assert lead(made) == (
        "3 decisions are needed, 1 of them on the executive summary; Board meets next, on 10 Dec 2026; none of the next 13 weeks is too "
        "full.",
        "Decide first: agree new dates or owners for 1 overdue commitment (with ann, by the meeting of 10 Dec 2026).",
    )


def test_the_fullest_weeks_by_level_and_use():
    made = build_document(
        duty("a", 3, effort_hours=9.0),
        duty("b", 10, effort_hours=3.0),
        duty("n", 17, owner=None),
        capacity=[("ann", "default", 10.0)],
    )
    assert frame(made, "peaks").select("week", "utilisation_pct", "level").rows() == [
        ("2026-W48", 112.5, "critical"),
        ("2026-W49", 37.5, "ok"),
        ("2026-W50", 12.5, "ok"),
    ]
    assert "1 of the next 13 weeks is too full, first of all 2026-W48 (112.5 % of capacity)" in made.headline


def test_a_week_whose_working_days_are_over_is_none_to_come():
    """On a Sunday what is due in its week is due today."""
    obligations = ledger(duty("a", 2, effort_hours=9.0), duty("b", 3, effort_hours=3.0))
    sunday = DAY + timedelta(days=2)
    made = document(
        REPORT,
        ask(sunday),
        obligations=obligations,
        owner_weeks=work(obligations, ("ann", "default", 10.0), day=sunday)[0],
        staffing_actions=actions(),
    )
    assert frame(made, "peaks")["week"].to_list() == ["2026-W48"]
    assert (made.summary["weeks_over_limit"], made.summary["weeks_short"]) == (0, 0)


def test_without_records_nothing_is_known():
    made = build_document(committees=())
    assert lead(made) == (
        "Q4 2026: no duty is pending and nothing awaits a decision.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert {table.name: table.frame.height for table in made.tables} == {
        "decisions": 0,
        "figures": 4,
        "peaks": 0,
        "crossovers": 0,
        "staffing": 0,
        "meetings": 0,
        "owners": 0,
    }
    assert made.warnings == [
        "No committee is recorded: the digest reaches nobody.",
        "Not known this quarter: auditors' requests answered in time, days in which nine of ten requests are answered, duties completed in "
        "the week they were planned for and staffing actions completed within the SLA.",
    ]
    assert not made.charts


def test_hours_to_save_are_those_of_the_crossover():
    duties = [shared_duty("a", 10), shared_duty("b", 12, owner="cyd"), shared_duty("done", 11, state="done")]
    crossover = document(obligation_crossover.REPORT, ask(), obligations=ledger(*duties))
    assert build_document(*duties).summary["hours_to_save"] == crossover.summary["hours_to_save"] == 3.0


def test_every_figure_equals_its_explained_rows():
    obligations = ledger(shared_duty("a", 10), shared_duty("b", 12, owner="cyd"), duty("late", -9))
    values_follow(
        REPORT,
        ask(),
        obligations=obligations,
        owner_weeks=work(obligations)[0],
        staffing_actions=actions({"action_id": "x"}, {"action_id": "d", **DONE}),
        requests=rows(
            "requests", {"id": "r", "opened_on": date(2026, 10, 1), "due_on": date(2026, 10, 9), "clock": "overdue"}
        ),
        obligation_weeks=rows(
            "obligation_weeks", {"week_start_on": date(2026, 10, 5), "planned": 10, "completed": 9, "slipped": 1}
        ),
    )
    values_follow(REPORT)


def test_each_committee_has_its_own_next_meeting():
    """The one that meets first is named; a board that meets in half a year is not said to meet then."""
    steering = {"committee_id": "S", "name": "Steering", "chair": "ann", "members": ["ann"]}
    made = build_document(
        duty("late", -9),
        duty("m", 20, kind="committee", title="Steering meets", owner="ann"),
        duty("n", 160, kind="committee", title="Board meets", owner="cyd"),
        committees=(BOARD, steering),
    )
    assert made.headline.startswith("1 decision is needed; Steering meets next, on 10 Dec 2026;")
    assert frame(made, "meetings").select("name", "meets_on").rows() == [
        ("Steering", MEETING),
        ("Board", date(2027, 4, 29)),
    ]
