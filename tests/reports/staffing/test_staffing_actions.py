from reports.staffing.staffing_actions import REPORT
from tests.factories import ask, document, explained_rows, lead
from tests.reports.explanations import values_follow
from tests.reports.staffing.actions import DONE, PROPOSED, actions, frame


def build_document(*given):
    return document(REPORT, ask(), staffing_actions=actions(*given))


def test_what_is_past_the_sla_comes_first_and_counts_against_completion():
    made = build_document(
        {"action_id": "d", **DONE},
        {"action_id": "l", **DONE, "standing": "done_late", "relief_actual_hours": 4.0},
        {"action_id": "p", **PROPOSED},
        {"action_id": "b"},
        {"action_id": "t", "status": "tracked", "standing": "under_way", "breach_days": 0},
    )
    assert frame(made, "actions")["action_id"].to_list() == ["b", "t", "p", "l", "d"]
    assert lead(made) == (
        "1 of 2 actions under way is past the SLA; 2 of 4 actions taken up are completed, 1 proposal waits.",
        "Finish or drop the handover of ann's duties (peak in 2026-W45, 5 business days late; with bob, due 13 Nov 2026).",
    )
    assert made.summary == {
        "staffing_actions_recorded": 5,
        "staffing_actions_proposed": 1,
        "staffing_actions_awaiting": 1,
        "staffing_awaiting_hours": 3.0,
        "staffing_actions_lapsed": 0,
        "staffing_actions_taken_up": 4,
        "staffing_actions_tracked": 1,
        "staffing_actions_open": 1,
        "staffing_actions_completed": 2,
        "staffing_completion_pct": 50.0,
        "staffing_actions_on_time": 1,
        "staffing_actions_breached": 1,
        "staffing_actions_breached_week_change": 1,
        "staffing_actions_judged": 3,
        "staffing_on_time_pct": 33.3,
        "staffing_relief_planned_hours": 6.0,
        "staffing_relief_actual_hours": 6.0,
        "staffing_relief_realised_pct": 100.0,
        "staffing_completion_median_days": 40,
        "staffing_actions_undated": 0,
        "staffing_actions_unproven": 0,
    }


def test_relief_that_nobody_recorded_is_not_known():
    made = build_document({"action_id": "d", **DONE, "relief_actual_hours": None, "evidence": None})
    assert (made.summary["staffing_relief_realised_pct"], made.summary["staffing_relief_actual_hours"]) == (None, 0.0)
    assert made.warnings == ["1 completed action has no evidence."]


def test_actions_completed_on_an_unknown_day_are_judged_and_not_in_time():
    made = build_document({"action_id": "d", **DONE, "standing": "done_undated", "completed_on": None})
    names = ("staffing_actions_completed", "staffing_actions_judged", "staffing_on_time_pct")
    assert [made.summary[name] for name in names] == [1, 1, 0.0]
    assert made.warnings == ["1 completed action has no day of completion."]


def test_proposals_alone():
    assert lead(build_document({"action_id": "p", **PROPOSED})) == (
        "Nothing is taken up yet.",
        "Take up or drop 1 proposal (3 hours of relief).",
    )
    lapsed = build_document({"action_id": "p", **PROPOSED, "standing": "lapsed"})
    assert lead(lapsed) == ("No proposal was taken up before its week was over.", "")
    assert lapsed.warnings == ["1 proposal was never taken up before the week was over."]


def test_without_actions_nothing_is_known():
    made = build_document()
    assert lead(made) == (
        "No staffing action is recorded.",
        "Nothing is to be done: actions are proposed when owners lack hours and others have room, or when an "
        "administrator sends /api/governance/compliance/peak-week-staffing-digest.",
    )
    assert [table.frame.height for table in made.tables] == [0, 0]
    assert made.summary["staffing_completion_pct"] is None


def test_the_kinds_sum_to_the_whole():
    made = build_document(
        {"action_id": "x"}, {"action_id": "d", **DONE, "kind": "borrow"}, {"action_id": "p", **PROPOSED}
    )
    kinds = frame(made, "kinds")
    assert kinds.select("kind", "taken_up", "completed", "completion_pct", "median_days").rows() == [
        ("reassign", 1, 0, 0.0, None),
        ("borrow", 1, 1, 100.0, 40),
    ]
    assert kinds["taken_up"].sum() == made.summary["staffing_actions_taken_up"]


def test_every_figure_equals_its_explained_rows():
    given = [
        {"action_id": "x"},
        {"action_id": "d", **DONE},
        {"action_id": "p", **PROPOSED},
        {"action_id": "u", **DONE, "standing": "done_undated", "completed_on": None, "evidence": None},
    ]
    values_follow(REPORT, ask(), staffing_actions=actions(*given))
    values_follow(REPORT)


def test_why_an_action_is_past_the_sla():
    rows = explained_rows(REPORT, "staffing_actions_breached", staffing_actions=actions({"action_id": "x"}))
    assert rows.select("action_id", "reason", "flag").rows() == [("x", "due by 2026-11-13, 5 business days over", 1)]


def test_the_timeline_has_a_lane_for_each_owner_and_an_action_that_breaches_reaches_today():
    (picture,) = build_document({"action_id": "b"}, {"action_id": "d", **DONE}).pictures
    ((owner, spans),) = picture.lanes
    assert owner == "ann"
    assert {span.tone for span in spans} == {"bad", "good"}
    assert [span.last for span in spans if span.tone == "bad"] == [picture.today]
    assert build_document().pictures == []
