from reports.staffing import staffing_actions
from tests.factories import ask
from tests.reports.staffing.actions import (
    DONE,
    PROPOSED,
    actions,
    frame,
)


def built(*given):
    return staffing_actions.REPORT.build(actions(*given), ask())


def test_what_is_past_the_sla_comes_first_and_counts_against_completion():
    made = built(
        {"action_id": "d", **DONE}, {"action_id": "l", **DONE, "standing": "done_late", "relief_actual_hours": 4.0},
        {"action_id": "p", **PROPOSED}, {"action_id": "b"},
        {"action_id": "t", "status": "tracked", "standing": "under_way", "breach_days": 0},
    )  # fmt: skip
    assert frame(made, "actions")["action_id"].to_list() == ["b", "t", "p", "l", "d"]
    assert made.headline == (
        "2 of 4 actions taken up are completed (50.0 %); 1 is past the SLA, longest reassign for ann in 2026-W45: complete "
        "or close it. 1 proposal (3 hours of relief) is still to be taken up."
    )
    assert made.summary == {
        "actions": 5, "proposed": 1, "lapsed": 0, "taken_up": 4, "tracked": 1, "open": 1, "completed": 2,
        "completion_pct": 50.0, "completed_on_time": 1, "breached": 1, "on_time_of": 3, "on_time_pct": 33.3,
        "relief_planned_hours": 6.0, "relief_actual_hours": 6.0, "realised_pct": 100.0, "median_days": 40,
    }  # fmt: skip


def test_relief_that_nobody_recorded_is_not_known():
    made = built({"action_id": "d", **DONE, "relief_actual_hours": None, "evidence": None})
    assert (made.summary["realised_pct"], made.summary["relief_actual_hours"]) == (None, 0.0)
    assert made.warnings == ["1 completed action has no evidence."]


def test_actions_completed_on_an_unknown_day_are_neither_late_nor_in_time():
    made = built({"action_id": "d", **DONE, "standing": "done_undated", "completed_on": None})
    assert (made.summary["completed"], made.summary["on_time_of"], made.summary["on_time_pct"]) == (1, 0, None)
    assert made.warnings == ["1 completed action has no day of completion."]


def test_proposals_alone():
    assert built({"action_id": "p", **PROPOSED}).headline == (
        "Nothing is taken up yet. 1 proposal (3 hours of relief) is still to be taken up."
    )
    lapsed = built({"action_id": "p", **PROPOSED, "standing": "lapsed"})
    assert lapsed.headline == "No proposal was taken up before its week was over."
    assert lapsed.warnings == ["1 proposal was never taken up before the week was over."]


def test_without_actions_nothing_is_known():
    made = built()
    assert made.headline == (
        "No staffing action is recorded: the peak-week staffing digest proposes them when owners lack hours."
    )
    assert [table.frame.height for table in made.tables] == [0, 0]
    assert made.summary["completion_pct"] is None
