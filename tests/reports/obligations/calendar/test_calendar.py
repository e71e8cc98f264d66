"""What the compliance calendar and its feed hold."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from polars.testing import assert_frame_equal

from engine.model.documents.document import CalendarEvent
from reports.obligations.calendar import calendar, obligation_ics
from reports.obligations.calendar import entries as listing
from reports.obligations.rollup import obligation_rollup
from tests.factories import DAY, ask, document, explained_rows, lead, rows
from tests.laws import examples
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import ledgers


def duty(key, due_on, **given):
    return {"obligation_id": key, "title": f"Duty {key}", "due_on": due_on, "owner": "ann@acme.example", **given}


def entries(*duties):
    return listing.entries(rows("obligations", *duties), ask())


def page(*duties, report=calendar.REPORT):
    return document(report, obligations=rows("obligations", *duties))


DUTIES = (
    duty("soon", date(2026, 12, 7), days_left=17, frameworks=["soc2"], controls=["soc2:CC6.1"]),
    duty("late", date(2026, 11, 2), state="overdue", owner=None, effort_hours=2.5),
    duty("done", date(2026, 11, 5), state="done", done_on=date(2026, 11, 4)),
    duty("slow", date(2026, 9, 1), state="late", done_on=date(2026, 11, 18)),
    duty("off", date(2026, 12, 24), state="cancelled", changed_on=date(2026, 11, 10)),
)


def test_a_request_that_waits_for_whoever_asked_is_paused_and_not_late():
    waits = duty("waits", DAY - timedelta(days=9), days_left=-9, paused=True, kind="evidence_request")
    listed = entries(waits, duty("next", DAY + timedelta(days=9), days_left=9))
    assert listed.select("obligation_id", "status", "days_left").rows() == [
        ("waits", "paused", None),
        ("next", "open", 9),
    ]
    made = page(waits, duty("next", DAY + timedelta(days=9), days_left=9))
    assert next(table.frame for table in made.tables if table.name == "coming")["obligation_id"].to_list() == [
        *("next", "waits")  # as the sentence counts them
    ]
    assert made.next_step.startswith("Duty next (")
    (event, _) = listing.events(listed)
    assert (event.title, event.remind) == ("Paused: Duty waits", False)


def test_who_has_most_of_what_is_overdue_is_named():
    late = [
        duty(name, DAY - timedelta(3), state="overdue", owner=owner) for name, owner in zip("abc", "xxy", strict=True)
    ]
    assert page(*late).headline == "3 duties are overdue, most with x (2), and none are due in the next 30 days."


def test_the_summary_counts_the_ledger_and_the_entries():
    made = page(*DUTIES)
    assert dict(made.summary) == {
        "calendar_entries": 5,
        "obligations_pending": 2,
        "obligations_overdue": 1,
        "obligations_overdue_week_change": -1,
        "obligations_due_in_30_days": 1,
        "obligations_pending_hours": 3.5,
        "obligations_without_owner": 1,
        "calendar_entries_done": 1,
        "calendar_entries_late": 1,
        "calendar_entries_cancelled": 1,
        "obligations_finished_in_period": 2,
        "obligations_finished_late_in_period": 1,
    }
    assert lead(made) == (
        "1 duty is overdue and 1 is due in the next 30 days.",
        "Duty late (nobody owns it, due 2 Nov 2026, 18 days late).",
    )
    assert made.warnings == ["1 pending duty has no owner, so nobody is reminded: an administrator names one."]


def test_without_overdue_duties_none_is_said_to_be_overdue():
    assert lead(page(duty("far", date(2027, 6, 1)))) == (
        "No duties are due in the next 30 days and none is overdue.",
        "Duty far (with ann@acme.example, due 1 Jun 2027).",
    )


@settings(max_examples=examples(25), deadline=None)
@given(ledgers())
def test_the_calendar_has_every_pending_duty_of_the_ledger(obligations):
    made = document(calendar.REPORT, obligations=obligations)
    rollup = document(obligation_rollup.REPORT, obligations=obligations).summary
    shared = made.summary.keys() & rollup.keys()
    assert {name: made.summary[name] for name in shared} == {name: rollup[name] for name in shared}
    assert {"obligations_pending", "obligations_overdue", "obligations_pending_hours"} <= shared
    finished = sum(made.summary[f"calendar_entries_{state}"] for state in ("done", "late", "cancelled"))
    assert made.summary["calendar_entries"] == made.summary["obligations_pending"] + finished


def test_an_entry_says_why_it_is_counted():
    frame = rows("obligations", *DUTIES)
    assert explained_rows(calendar.REPORT, "calendar_entries_late", obligations=frame).select(
        "obligation_id", "reason", "flag"
    ).rows() == [("slow", "due 2026-09-01, done 2026-11-18", 1)]
    assert explained_rows(calendar.REPORT, "obligations_pending", obligations=frame)["reason"].to_list() == [
        "overdue, due 2026-11-02",
        "open, due 2026-12-07",
    ]


@pytest.mark.parametrize("report", [calendar.REPORT, obligation_ics.REPORT])
def test_each_figure_is_what_its_rows_give(report):
    values_follow(report, obligations=rows("obligations", *DUTIES))
    values_follow(report)


def test_rows_stand_in_the_order_of_their_dates():
    assert entries(*DUTIES)["obligation_id"].to_list() == ["slow", "late", "done", "soon", "off"]


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ({"due_on": DAY + timedelta(365)}, True),
        ({"due_on": DAY + timedelta(1000)}, True),
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
    made, feed = page(*DUTIES), page(*DUTIES, report=obligation_ics.REPORT)
    calendar_rows, feed_rows = made.table("obligations").frame, feed.tables[0].frame
    assert_frame_equal(
        calendar_rows, feed_rows.drop("entry", "reminds"), check_column_order=False, check_row_order=False
    )
    assert made.summary == feed.summary
    assert [event.uid for event in feed.events] == calendar_rows["ics_uid"].to_list()
    assert obligation_ics.REPORT.formats[0] == "ics"


def test_months_add_up_to_the_rows():
    made = page(*DUTIES)
    listed, months = made.table("obligations").frame, made.table("months").frame
    assert months["obligations"].sum() == listed.height
    assert months["pending_hours"].sum() == made.summary["obligations_pending_hours"]
    assert months["month"].to_list() == ["2026-09", "2026-11", "2026-12"]


def test_an_event_says_who_owes_what():
    (event,) = listing.events(entries(DUTIES[0]))
    assert event == CalendarEvent(
        uid="4a754148b88a68e18df1a02489950666@acme",
        on=date(2026, 12, 7),
        title="Duty soon",
        description="Kind: attestation\nWith: ann@acme.example\nFrameworks: soc2\nControls: soc2:CC6.1\nEffort: 1 h",
        categories=("soc2",),
        sequence=0,
        status="CONFIRMED",
        changed_on=date(2026, 11, 1),
    )


def test_an_event_is_at_the_moment_that_a_law_names():
    moment = datetime(2026, 12, 7, 8, 30, tzinfo=UTC).replace(tzinfo=None)
    (event,) = listing.events(entries(duty("x", date(2026, 12, 7), due_at=moment)))
    assert (event.on, event.at) == (date(2026, 12, 7), moment)


def test_a_moved_date_keeps_the_entry_and_raises_its_sequence():
    (before,) = listing.events(entries(duty("x", date(2026, 12, 7))))
    (after,) = listing.events(entries(duty("x", date(2026, 12, 9), sequence=1, changed_on=DAY)))
    assert (before.uid, before.sequence) == (after.uid, after.sequence - 1)
    assert after.on == date(2026, 12, 9)


def test_an_event_does_not_change_because_a_day_went_by():
    frame = rows("obligations", duty("x", date(2026, 12, 7), days_left=17))
    later = rows("obligations", duty("x", date(2026, 12, 7), days_left=16))
    assert listing.events(listing.entries(frame, ask())) == listing.events(
        listing.entries(later, ask(DAY + timedelta(days=1)))
    )


def test_cancelled_and_done_duties_are_marked():
    events = listing.events(entries(*DUTIES))
    assert [(event.title, event.status) for event in events] == [
        ("Done late: Duty slow", "CONFIRMED"),
        ("Duty late", "CONFIRMED"),
        ("Done: Duty done", "CONFIRMED"),
        ("Duty soon", "CONFIRMED"),
        ("Cancelled: Duty off", "CANCELLED"),
    ]
    assert events[0].changed_on == date(2026, 11, 18)


def test_the_feed_says_what_it_holds_and_how_to_get_it():
    made = page(duty("soon", date(2026, 12, 1)), report=obligation_ics.REPORT)
    assert lead(made) == (
        "The feed holds 1 entry: 1 pending, 0 finished or cancelled, of the last 30 days.",
        "Subscribe your calendar program to /api/governance/compliance/obligation-ics: each duty is an entry, with an "
        "alarm until it is done. What to do first is on the compliance calendar.",
    )


def test_its_page_shows_entries_as_calendars_do():
    (shown,) = page(*DUTIES, report=obligation_ics.REPORT).tables
    assert [name for name in shown.frame.columns if name not in shown.unseen] == [
        *("due_on", "entry", "owner", "status", "changed_on")
    ]
    assert shown.frame.select("entry", "reminds").rows() == [
        ("Duty soon", True),
        ("Duty late", True),
        ("Done late: Duty slow", False),
        ("Done: Duty done", False),
        ("Cancelled: Duty off", False),
    ]


def test_an_empty_calendar_says_that_something_is_missing():
    for report, text in (
        (calendar.REPORT, "No dated duty is pending."),
        (obligation_ics.REPORT, "The feed holds no entry."),
    ):
        made = page(report=report)
        assert lead(made) == (
            text,
            "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import "
            "to fill this report.",
        )
        assert not made.events
        assert set(made.summary.values()) == {0}
        assert all(table.frame.is_empty() for table in made.tables)


def test_the_chart_ends_after_a_year():
    (chart,) = page(*DUTIES, duty("far", date(2029, 6, 1))).charts
    assert chart.frame["month"].unique().sort().to_list() == ["2026-09", "2026-11", "2026-12"]
    assert page(duty("far", date(2029, 6, 1))).charts == []


def test_a_day_has_the_colour_of_its_most_pressing_duty():
    made = page(
        duty("late", date(2026, 11, 3), state="overdue"),
        duty("open", date(2026, 11, 3)),
        duty("fixed", date(2026, 12, 4), hard=True),
        duty("plain", date(2026, 12, 5)),
        duty("gone", date(2026, 12, 6), state="cancelled"),
    )
    (picture,) = made.pictures
    assert picture.days == {
        date(2026, 11, 3): (2, "bad"),
        date(2026, 12, 4): (1, "watch"),
        date(2026, 12, 5): (1, "neutral"),
    }
    assert (picture.first, picture.today) == (date(2026, 11, 1), DAY)
    assert page().pictures == []


def test_what_was_handed_in_is_not_what_to_begin_with():
    duties = rows(
        "obligations",
        duty("r", date(2026, 11, 2), state="overdue", hard=True, source_ref="evidence_requests/R"),
        duty(
            "x",
            date(2026, 11, 10),
            state="overdue",
            kind="exception_expiry",
            title="Exception E-1 on 3.5.1 ends",
            frameworks=["pci-dss"],
        ),
    )
    requests = rows("requests", {"id": "R", "status": "submitted"})
    assert document(calendar.REPORT, obligations=duties, requests=requests).next_step == (
        "Renew or close exception E-1 on PCI DSS 3.5.1 (with ann@acme.example, due 10 Nov 2026, 10 days late)."
    )
    late = document(calendar.REPORT, obligations=duties, requests=requests).table("late")
    assert late.frame["due_on"].to_list() == [date(2026, 11, 10), date(2026, 11, 2)], "the first row is what comes next"
    assert late.note == "What was handed in and waits for a decision comes last."
    assert document(calendar.REPORT, obligations=duties.head(1), requests=requests).next_step == (
        "Duty r (with ann@acme.example, due 2 Nov 2026, 18 days late)."
    )


def test_whoever_is_accountable_is_asked_to_name_owners():
    alone = [duty(f"n{n}", date(2026, 12, 1), owner=None, accountable=who) for n, who in enumerate("aabbcd")]
    assert page(*alone).warnings == [
        "6 pending duties have no owner, so nobody is reminded: a (2), b (2) and 2 others, accountable for them, "
        "name one for each."
    ]
