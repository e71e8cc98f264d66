"""What the compliance calendar and its feed hold."""

from datetime import date, timedelta

import pytest
from polars.testing import assert_frame_equal

from engine.model.document import CalendarEvent
from reports.obligations import calendar, obligation_ics
from tests.factories import DAY, ask, rows


def duty(key, due_on, **given):
    return {"obligation_id": key, "title": f"Duty {key}", "due_on": due_on, "owner": "ann@acme.example", **given}


def entries(*duties):
    return calendar.entries(rows("obligations", *duties), DAY)


DUTIES = (
    duty("soon", date(2026, 12, 7), days_left=17, frameworks=["soc2"], controls=["soc2:CC6.1"]),
    duty("late", date(2026, 11, 2), state="overdue", owner=None, effort_hours=2.5),
    duty("done", date(2026, 11, 5), state="done", done_on=date(2026, 11, 4)),
    duty("slow", date(2026, 9, 1), state="late", done_on=date(2026, 11, 18)),
    duty("off", date(2026, 12, 24), state="cancelled", changed_on=date(2026, 11, 10)),
)


def test_the_summary_counts_every_state():
    document = calendar.REPORT.build(rows("obligations", *DUTIES), ask())
    assert dict(document.summary) == {
        "obligations": 5, "open": 1, "overdue": 1, "done": 1, "late": 1, "cancelled": 1, "due_next_30_days": 1,
        "pending_hours": 3.5, "without_owner": 1, "finished_in_period": 2, "finished_late_in_period": 1,
    }  # fmt: skip
    assert document.headline == (
        "1 duty is due in the next 30 days and 1 overdue: first comes Duty late, due 2026-11-02, which nobody owns."
    )
    assert document.warnings == ["1 open duty has no owner: nobody will be reminded."]


def test_rows_stand_in_the_order_of_their_dates():
    assert entries(*DUTIES)["obligation_id"].to_list() == ["slow", "late", "done", "soon", "off"]


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ({"due_on": DAY + timedelta(365)}, True),
        ({"due_on": DAY + timedelta(366)}, False),
        ({"due_on": DAY - timedelta(400), "state": "overdue"}, True),
        ({"due_on": DAY - timedelta(30), "state": "done", "done_on": DAY - timedelta(40)}, True),
        ({"due_on": DAY - timedelta(31), "state": "done", "done_on": DAY - timedelta(40)}, False),
        ({"due_on": DAY - timedelta(90), "state": "late", "done_on": DAY - timedelta(30)}, True),
        ({"due_on": DAY - timedelta(90), "state": "late", "done_on": DAY - timedelta(31)}, False),
        ({"due_on": DAY + timedelta(9), "state": "cancelled", "changed_on": DAY - timedelta(30)}, True),
        ({"due_on": DAY + timedelta(9), "state": "cancelled", "changed_on": DAY - timedelta(31)}, False),
    ],
)
def test_a_duty_is_listed_as_long_as_it_matters(given, listed):
    assert entries(duty("x", **given)).height == listed


def test_the_feed_has_exactly_the_rows_of_the_calendar():
    frame = rows("obligations", *DUTIES)
    page, feed = calendar.REPORT.build(frame, ask()), obligation_ics.REPORT.build(frame, ask())
    assert page.events == feed.events
    assert_frame_equal(page.tables[0].frame, feed.tables[0].frame)
    assert page.summary == feed.summary
    assert [event.uid for event in feed.events] == feed.tables[0].frame["ics_uid"].to_list()
    assert obligation_ics.REPORT.formats[0] == "ics"


def test_months_add_up_to_the_rows():
    document = calendar.REPORT.build(rows("obligations", *DUTIES), ask())
    listed, months = (table.frame for table in document.tables)
    assert months["obligations"].sum() == listed.height
    assert months["pending_hours"].sum() == document.summary["pending_hours"]
    assert months["month"].to_list() == ["2026-09", "2026-11", "2026-12"]


def test_an_event_says_who_owes_what():
    (event,) = calendar.events(entries(DUTIES[0]))
    assert event == CalendarEvent(
        uid="4a754148b88a68e18df1a02489950666@acme",
        on=date(2026, 12, 7),
        title="Duty soon",
        description="Kind: attestation\nOwner: ann@acme.example\nFrameworks: soc2\nControls: soc2:CC6.1\nEffort: 1 h",
        categories=("soc2",),
        sequence=0,
        status="CONFIRMED",
        changed_on=date(2026, 11, 1),
    )


def test_a_moved_date_keeps_the_entry_and_raises_its_sequence():
    (before,) = calendar.events(entries(duty("x", date(2026, 12, 7))))
    (after,) = calendar.events(entries(duty("x", date(2026, 12, 9), sequence=1, changed_on=DAY)))
    assert (before.uid, before.sequence) == (after.uid, after.sequence - 1)
    assert after.on == date(2026, 12, 9)


def test_an_event_does_not_change_because_a_day_went_by():
    frame = rows("obligations", duty("x", date(2026, 12, 7), days_left=17))
    later = rows("obligations", duty("x", date(2026, 12, 7), days_left=16))
    assert calendar.events(calendar.entries(frame, DAY)) == calendar.events(
        calendar.entries(later, DAY + timedelta(days=1))
    )


def test_cancelled_and_done_duties_are_marked():
    events = calendar.events(entries(*DUTIES))
    assert [(event.title, event.status) for event in events] == [
        ("Done late: Duty slow", "CONFIRMED"),
        ("Duty late", "CONFIRMED"),
        ("Done: Duty done", "CONFIRMED"),
        ("Duty soon", "CONFIRMED"),
        ("Cancelled: Duty off", "CANCELLED"),
    ]
    assert events[0].changed_on == date(2026, 11, 18)


def test_an_empty_calendar_says_that_something_is_missing():
    for report in (calendar.REPORT, obligation_ics.REPORT):
        document = report.build(rows("obligations"), ask())
        assert document.headline == (
            "No dated duty is open up to 2027-11-20: check that attestations, reviews and audits are recorded."
        )
        assert document.events == []
        assert document.summary["obligations"] == 0
        assert all(table.frame.is_empty() for table in document.tables)
