from datetime import date, timedelta

from reports.obligations import obligation_rollup
from tests.factories import DAY, ask
from tests.reports.obligations.ledgers import duty, ledger


def document(*duties):
    return obligation_rollup.REPORT.build(ledger(*duties), ask())


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
    ).rows() == [
        ("Attestation", 0, 2, 1, 3, 3.0, 1, 1),
        ("Policy review", 1, 0, 0, 1, 4.0, 0, 0),
    ]
    assert frame(made, "frameworks").select("name", "pending", "shared").rows() == [
        ("SOC 2", 2, 1), ("HIPAA", 0, 1), ("Several frameworks", 1, 0), ("No framework", 1, 0),
    ]  # fmt: skip
    assert frame(made, "owners").select("owner", "overdue", "pending", "next_on").rows() == [
        (None, 1, 1, None), ("ann", 0, 2, date(2026, 12, 20)), ("bob", 0, 1, date(2027, 6, 8)),
    ]  # fmt: skip


def test_thirty_days_ahead_include_the_thirtieth():
    assert frame(document(*DUTIES), "ahead").rows() == [
        (30, date(2026, 12, 20), 1, 1.0, 1), (60, date(2027, 1, 19), 2, 2.0, 1), (90, date(2027, 2, 18), 2, 2.0, 1),
    ]  # fmt: skip


def test_the_overdue_are_listed_oldest_first_and_lead_the_report():
    made = document(*DUTIES, duty("older", -12, owner="bob"))
    assert frame(made, "overdue").select("title", "days_late", "owner").rows() == [
        ("Duty older", 12, "bob"), ("Duty late", 10, None),
    ]  # fmt: skip
    assert made.headline == (
        "5 duties are pending, 8 hours of work; 2 overdue and 1 falls due within 30 days. "
        "Start with Duty older, due 2026-11-08 (bob)."
    )
    assert made.warnings == ["1 pending duty has no owner."]


def test_passed_legal_deadlines_are_violations_and_come_first():
    made = document(duty("old", -90), duty("law", -10, hard=True), duty("ahead", 10, hard=True))
    assert made.summary["violations"] == 1
    assert made.headline == (
        "3 duties are pending, 3 hours of work; 2 overdue (1 past a legal or contractual deadline) and 1 falls due "
        "within 30 days. Start with Duty law, due 2026-11-10 (ann)."
    )
    assert made.warnings == ["1 legal or contractual deadline has passed: what was due is still not done."]


def test_without_overdue_duties_it_says_so():
    assert document(duty("x", 40)).headline == (
        "1 duty is pending, 1 hour of work; none is overdue, none fall due within 30 days."
    )
