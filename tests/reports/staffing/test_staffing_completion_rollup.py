from datetime import date

from reports.staffing.staffing_completion_rollup import REPORT
from tests.factories import ask, document, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.staffing.actions import DONE, PROPOSED, actions, frame

ADMINS = ({"email": "zoe", "role": "owner"}, {"email": "ann", "role": "admin"}, {"email": "bob", "role": "member"})


def build_document(*given, members=ADMINS):
    return document(REPORT, ask(), staffing_actions=actions(*given), members=rows("members", *members))


def test_tracked_open_and_archive_by_week_and_owner():
    made = build_document(
        {"action_id": "x"},
        {"action_id": "d", **DONE, "completed_on": date(2026, 11, 13)},
        {"action_id": "e", **DONE, "completed_on": date(2026, 11, 14), "owner": "bob", "week": "2026-W44"},
        {
            "action_id": "t",
            "status": "tracked",
            "standing": "under_way",
            "week": "2026-W52",
            "breach_days": 0,
            "week_start_on": date(2026, 12, 21),
            "sla_due_on": date(2027, 1, 1),
            "owner": "bob",
        },
        {"action_id": "p", **PROPOSED},
    )
    counts = ("tracked", "open", "completed", "completion_pct", "on_time_pct")
    assert frame(made, "by_week").select("week", *counts).rows() == [
        ("2026-W52", 1, 0, 0, 0.0, None),
        ("2026-W45", 0, 1, 1, 50.0, 50.0),
        ("2026-W44", 0, 0, 1, 100.0, 100.0),
    ]
    assert frame(made, "by_owner").select("owner", *counts).rows() == [
        ("ann", 0, 1, 1, 50.0, 50.0),
        ("bob", 1, 0, 1, 50.0, 100.0),
    ]
    assert frame(made, "actions")["action_id"].to_list() == ["x", "t"]
    assert frame(made, "archive")["action_id"].to_list() == ["e", "d"]
    assert frame(made, "owners").select("recipient", "message").rows() == [
        ("ann", "1 past the SLA. Begin with the handover of ann's duties in 2026-W45 (5 business days over)."),
        ("bob", "1 under way. Begin with the handover of bob's duties in 2026-W52 (due by 2027-01-01)."),
    ]
    assert frame(made, "admins").rows() == [("zoe", "owner"), ("ann", "admin")]
    assert lead(made) == (
        "2 of 4 actions completed, which brought 4 of 6 hours of relief (66.7 %); 1 is past the SLA.",
        "Finish or drop the handover of ann's duties (peak in 2026-W45, 5 business days late; with bob, due 13 Nov 2026).",
    )


def test_weeks_and_owners_sum_to_the_whole():
    made = build_document({"action_id": "x"}, {"action_id": "d", **DONE}, {"action_id": "e", **DONE, "owner": "bob"})
    for name in ("by_week", "by_owner"):
        assert frame(made, name)["taken_up"].sum() == made.summary["staffing_actions_taken_up"] == 3


def test_when_all_is_done_nothing_is_next():
    assert lead(build_document({"action_id": "d", **DONE})) == (
        "1 of 1 action completed, which brought 2 of 3 hours of relief (66.7 %); none was completed in "
        "the last week, and nothing is open.",
        "",
    )


def test_without_actions_there_is_nothing_to_complete():
    made = build_document(members=())
    assert lead(made) == (
        "No staffing action is recorded, so there is nothing to complete.",
        "Nothing is to be done: actions are proposed when owners lack hours and others have room, or when an "
        "administrator sends /api/governance/compliance/peak-week-staffing-digest.",
    )
    assert all(table.frame.is_empty() for table in made.tables)
    assert made.warnings == ["The organization has neither owner nor admin: nobody gets the whole rollup."]
    assert lead(build_document({"action_id": "p", **PROPOSED})) == (
        "None of the 1 proposal has been taken up.",
        "Take up or drop them.",
    )


def test_lately_are_the_seven_days_up_to_today():
    given = [{"action_id": str(day), **DONE, "completed_on": date(2026, 11, day)} for day in (13, 14, 20)]
    assert build_document(*given).summary["staffing_actions_completed_lately"] == 2


def test_the_last_rollup_is_the_latest_that_named_any():
    given = [
        {"action_id": "x", "last_rollup_on": date(2026, 11, 9)},
        {"action_id": "y"},
        {"action_id": "z", "last_rollup_on": date(2026, 11, 16)},
    ]
    assert build_document(*given).summary["staffing_last_rollup_on"] == date(2026, 11, 16)
    assert build_document().summary["staffing_last_rollup_on"] is None


def test_every_figure_equals_its_explained_rows():
    given = [{"action_id": "x"}, {"action_id": "d", **DONE}, {"action_id": "p", **PROPOSED}]
    values_follow(REPORT, ask(), staffing_actions=actions(*given))
    values_follow(REPORT)
