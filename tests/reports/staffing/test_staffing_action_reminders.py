from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.thresholds import Thresholds
from reports.staffing import reminders
from reports.staffing.staffing_action_reminders import REPORT
from tests.factories import DAY, ask, document, lead
from tests.reports.explanations import values_follow
from tests.reports.staffing.actions import DONE, PROPOSED, SOON, actions, frame

SUNDAY = date(2026, 11, 8)


def build_document(*given):
    return document(REPORT, ask(), staffing_actions=actions(*given))


def owed_reminders(days, sent=0):
    """What is owed so many days after the week, when so many steps were sent before."""
    reminder = reminders.reminder(
        {"week_end_on": SUNDAY, "reminder_step": sent}, Thresholds(), SUNDAY + timedelta(days)
    )
    return reminder.step if reminder.owed else None, reminder.late


@pytest.mark.parametrize(
    ("days", "sent", "found"),
    [
        (0, 0, (None, False)),
        (1, 0, (1, False)),
        (2, 0, (1, True)),
        (2, 1, (None, False)),
        (3, 1, (2, False)),
        (6, 2, (None, False)),
        (7, 2, (3, False)),
        (8, 3, (None, False)),
        (6, 0, (2, True)),  # the job was down for days: one reminder, the newest, late
        (90, 0, (3, True)),
        (90, 3, (None, False)),
    ],
)
def test_each_step_is_owed_once(days, sent, found):
    assert owed_reminders(days, sent) == found


@given(st.lists(st.integers(0, 40), max_size=12))
def test_whenever_the_job_runs_no_step_is_sent_twice_and_none_out_of_order(days):
    sent = []
    for day in sorted(days):
        step, _ = owed_reminders(day, max(sent, default=0))
        sent += [step] if step else []
    assert sent == sorted(set(sent))
    assert len(sent) <= reminders.LAST


def test_a_reminder_is_of_a_day_and_says_that_none_went_out_before():
    made = build_document({"action_id": "x"}, {"action_id": "y", **SOON, "reminder_step": 1})
    assert frame(made, "actions").select("action_id", "stage").rows() == [
        ("x", "day 7 after its week, none sent before"),
        ("y", "day 3 after its week"),
    ]


def test_the_third_reminder_goes_to_who_is_accountable_too():
    made = build_document(
        {"action_id": "x", "blocked_reason": "on leave"},
        {"action_id": "y", **SOON, "owner": "dan"},
        {"action_id": "z", **SOON, "reminder_step": 2},
        {"action_id": "p", **PROPOSED},
        {"action_id": "d", **DONE},
    )
    assert frame(made, "actions").select("action_id", "step", "late", "recipients").rows() == [
        ("x", 3, True, ["ann", "bob"]),
        ("y", 2, True, ["dan"]),
    ]
    assert frame(made, "owners").select("recipient", "items", "message").rows() == [
        ("ann", 1, "1 past the SLA. Begin with the handover of ann's duties in 2026-W45 (12 days past its week)."),
        ("bob", 1, "1 past the SLA. Begin with the handover of ann's duties in 2026-W45 (12 days past its week)."),
        ("dan", 1, "1 past the peak week. Begin with the handover of dan's duties in 2026-W46 (5 days past its week)."),
    ]
    assert frame(made, "waiting").select("action_id", "next_on").rows() == [("z", date(2026, 11, 22))]
    assert lead(made) == (
        "3 people are to be reminded today of 2 staffing actions unfinished after their peak week.",
        "An administrator sends them, first about the handover of ann's duties in 2026-W45 (12 days past its peak week; it is "
        "blocked: on leave).",
    )


@pytest.mark.parametrize(
    ("people", "found"),
    [
        ({}, ["ann", "bob"]),
        ({"accountable": None}, ["ann", "cyd"]),
        ({"accountable": None, "chair": None}, ["ann"]),
        ({"owner_left": True}, ["bob"]),
        ({"owner_left": True, "accountable": None}, ["cyd"]),
        ({"owner_left": True, "accountable": None, "chair": None}, []),
    ],
)
def test_who_is_told_at_the_last_step(people, found):
    assert frame(build_document({"action_id": "x", **people}), "actions")["recipients"][0].to_list() == found


def test_when_all_reminders_are_sent_it_says_so():
    made = build_document({"reminder_step": 3, "last_reminder_on": DAY})
    assert lead(made) == ("No reminder is owed now; 1 action is still unfinished and every reminder has been sent.", "")
    assert frame(made, "waiting")["next_on"].to_list() == [None]


def test_without_actions_nobody_is_reminded():
    made = build_document()
    assert lead(made) == (
        "No staffing action is recorded, so nobody is reminded.",
        "Nothing is to be done: actions are proposed when owners lack hours and others have room, or when an "
        "administrator sends /api/governance/compliance/peak-week-staffing-digest.",
    )
    assert [table.frame.height for table in made.tables] == [0, 0, 0]
    assert lead(build_document({"action_id": "d", **DONE})) == (
        "No action that was taken up is unfinished after its peak week: nobody is reminded.",
        "",
    )


def test_who_is_owed_what_is_counted():
    made = build_document(
        {"action_id": "x"},
        {"action_id": "y", **SOON, "owner": "dan"},
        {"action_id": "z", **SOON, "reminder_step": 2},
        {"action_id": "n", "accountable": None, "chair": None},
        {"action_id": "p", **PROPOSED, "standing": "lapsed"},
    )
    assert made.summary == {
        "staffing_actions_after_peak": 4,
        "staffing_reminders_owed": 3,
        "staffing_reminders_late": 3,
        "staffing_reminders_to_accountable": 2,
        "staffing_reminders_unanswered": 1,
        "staffing_reminders_not_owed": 1,
        "staffing_reminder_recipients": 3,
        "staffing_actions_lapsed": 1,
    }


def test_every_figure_equals_its_explained_rows():
    given = [{"action_id": "x"}, {"action_id": "z", **SOON, "reminder_step": 2}, {"action_id": "d", **DONE}]
    values_follow(REPORT, ask(), staffing_actions=actions(*given))
    values_follow(REPORT)
