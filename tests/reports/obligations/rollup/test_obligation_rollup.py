from datetime import date, timedelta

from reports.obligations.rollup.obligation_rollup import REPORT
from reports.shared.ledger import pending
from tests import factories
from tests.factories import DAY, ask, explained_rows, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger


def document(*duties, **facts):
    return factories.document(REPORT, obligations=ledger(*duties), **facts)


def frame(made, name):
    return next(table.frame for table in made.tables if table.name == name)


DUTIES = (
    duty("late", -10, kind="policy_review", owner=None, effort_hours=4.0, frameworks=["soc2", "hipaa"]),
    duty("soon", 30, frameworks=["soc2"], hard=True),
    duty("later", 31, frameworks=["soc2"]),
    duty("far", 200, owner="bob"),
    duty("did", -20, state="done", done_on=DAY - timedelta(days=29)),
    duty("slow", -50, state="late", done_on=DAY),
    duty("before", -60, state="done", done_on=DAY - timedelta(days=30)),
    duty("off", 5, state="cancelled"),
)


def test_kinds_frameworks_and_owners():
    made = document(*DUTIES)
    assert frame(made, "kinds").select(
        "duty", "overdue", "known", "beyond", "pending", "hours", "done", "late"
    ).rows() == [("Attestation", 0, 2, 1, 3, 3.0, 1, 1), ("Policy review", 1, 0, 0, 1, 4.0, 0, 0)]
    assert frame(made, "frameworks").select("name", "pending", "shared").rows() == [
        ("SOC 2", 2, 1),
        ("HIPAA", 0, 1),
        ("Several frameworks", 1, 0),
        ("No framework", 1, 0),
    ]
    assert frame(made, "owners").select("owner", "overdue", "pending", "next_on").rows() == [
        (None, 1, 1, None),
        ("ann", 0, 2, date(2026, 12, 20)),
        ("bob", 0, 1, date(2027, 6, 8)),
    ]


def test_a_paused_request_past_its_date_is_known_this_week_and_not_overdue():
    waiting = duty("waits", -10, kind="evidence_request", state="open", paused=True, hard=True)
    made = document(waiting)
    places = {name: made.summary[f"obligations_{name}"] for name in ("pending", "overdue", "known", "beyond")}
    assert places == {"pending": 1, "overdue": 0, "known": 1, "beyond": 0}
    assert frame(made, "overdue").is_empty()
    assert frame(made, "owners").select("owner", "overdue", "next_on").rows() == [("ann", 0, DAY)]
    (standing,) = pending(ledger(waiting), ask()).select("week", "week_start_on").rows()
    assert standing == ("2026-W47", date(2026, 11, 16))


def test_thirty_days_ahead_include_the_thirtieth():
    assert frame(document(*DUTIES), "ahead").rows() == [
        (30, date(2026, 12, 20), 1, 1.0, 1),
        (60, date(2027, 1, 19), 2, 2.0, 1),
        (90, date(2027, 2, 18), 2, 2.0, 1),
    ]


def test_an_overdue_notification_says_at_which_moment_it_was_due():
    made = document(duty("x", -1, kind="incident_notice", due_at=factories.moment("2026-11-19 22:00")))
    assert frame(made, "overdue")["due_at"].to_list() == [factories.moment("2026-11-19 22:00")]


def test_the_oldest_of_the_overdue_leads_and_is_listed_first():
    made = document(*DUTIES, duty("older", -12, owner="bob"))
    assert frame(made, "overdue").select("title", "days_late", "owner").rows() == [
        ("Duty older", 12, "bob"),
        ("Duty late", 10, None),
    ]
    assert lead(made) == (
        "2 of 5 pending duties are overdue; 1 falls due within 30 days.",
        "Duty older (with bob, due 8 Nov 2026, 12 days late).",
    )
    assert made.warnings == ["1 pending duty has no owner, so nobody is reminded: an administrator names one."]


def test_what_was_handed_in_comes_last_of_the_overdue_and_that_is_said():
    duties = duty("r", -30, kind="evidence_request", source_ref="evidence_requests/R"), duty("late", -3)
    made = document(*duties, requests=rows("requests", {"id": "R", "status": "submitted"}))
    assert frame(made, "overdue")["title"].to_list() == ["Duty late", "Duty r"]
    assert made.table("overdue").note == "What was handed in and waits for a decision comes last."
    assert document(*duties).table("overdue").note == ""


def test_passed_legal_deadlines_are_violations_and_come_first():
    made = document(duty("old", -90), duty("law", -10, hard=True), duty("ahead", 10, hard=True))
    assert made.summary["obligations_deadline_passed"] == 1
    assert lead(made) == (
        "2 of 3 pending duties are overdue, 1 of them past a legal or contractual deadline; 1 falls due within 30 "
        "days.",
        "Duty law (with ann, due 10 Nov 2026, 10 days late).",
    )
    assert made.warnings == ["1 legal or contractual deadline has passed and the work is not done, with ann."]


def test_what_came_to_be_overdue_in_a_week_less_what_was_done_of_before():
    moved = document(
        *(duty(f"new{n}", -n) for n in (1, 7)),
        duty("old", -8),
        duty("settled", -8, state="late", done_on=DAY - timedelta(days=6)),
        duty("earlier", -20, state="late", done_on=DAY - timedelta(days=7)),
        duty("within", -3, state="late", done_on=DAY),
    ).summary
    assert (moved["obligations_overdue"], moved["obligations_overdue_week_change"]) == (3, 1)


def test_without_overdue_duties_it_says_so():
    assert lead(document(duty("x", 40))) == (
        "1 duty is pending, 1 hour of work; none is overdue, none fall due within 30 days.",
        "Duty x (with ann, due 30 Dec 2026).",
    )


def test_the_summary_is_the_ledger_and_what_was_finished():
    assert dict(document(*DUTIES).summary) == {
        "obligations_pending": 4,
        "obligations_overdue": 1,
        "obligations_known": 2,
        "obligations_beyond": 1,
        "obligations_pending_hours": 7.0,
        "obligations_overdue_hours": 4.0,
        "obligations_known_hours": 2.0,
        "obligations_beyond_hours": 1.0,
        "obligations_overdue_week_change": -1,
        "obligations_due_in_30_days": 1,
        "obligations_deadline_passed": 0,
        "obligations_without_owner": 1,
        "obligations_finished_in_period": 2,
        "obligations_finished_late_in_period": 1,
    }


def test_a_passed_deadline_says_which_it_was():
    rows = explained_rows(
        REPORT, "obligations_deadline_passed", obligations=ledger(duty("law", -10, hard=True), *DUTIES)
    )
    assert rows.select("obligation_id", "reason").rows() == [("law", "fixed deadline of 2026-11-10 has passed")]


def test_the_horizon_is_named_by_what_depends_on_it():
    made = factories.document(REPORT, ask(weeks=4), obligations=ledger(*DUTIES))
    assert made.titles["obligations_known"] == "Duties due within 4 weeks"
    assert made.summary["obligations_known"] == 0


def test_each_figure_is_what_its_rows_give():
    values_follow(REPORT, obligations=ledger(*DUTIES, duty("law", -10, hard=True)))
    values_follow(REPORT)


def test_an_empty_ledger_is_said_to_be_empty():
    made = document()
    assert lead(made) == (
        "No duty is pending.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert set(made.summary.values()) == {0}
    assert (made.warnings, made.charts) == ([], [])
