"""What is late at the desk is what the reports count: one value for a name, in lists and on the front page."""

import re
from datetime import timedelta

import pytest

from engine.desk.lateness import LATE, late_rows
from engine.model.rights import DUTIES
from engine.store.schema import metadata
from tests.conftest import NOW

TODAY = NOW.date()
PAST, AHEAD, LONG_AGO = TODAY - timedelta(days=9), TODAY + timedelta(days=9), TODAY - timedelta(days=400)
MEMBER = "member@acme.example"
CONTROL = {"framework": "soc2", "control_id": "CC6.3"}


def rows(table, values, **common):
    return {table: [{"id": name, **common, **more} for name, more in values.items()]}


REQUEST = {
    **CONTROL,
    "title": "Proof",
    "requester": "auditor",
    "priority": "P2",
    "opened_on": LONG_AGO,
    "owner": MEMBER,
}
ROWS = (
    rows(
        "vendors",
        {
            "over": {"last_review_on": LONG_AGO, "next_review_on": PAST},
            "never": {"onboarded_on": LONG_AGO, "owner": MEMBER},
            "new": {"onboarded_on": TODAY},
            "left": {"last_review_on": LONG_AGO, "next_review_on": PAST, "offboarded_on": TODAY},
        },
        name="Vendor", category="saas", tier="high",
    )
    | rows(
        "evidence_requests",
        {
            "over": {"due_on": PAST, "status": "open"},
            "paused": {"due_on": PAST, "status": "waiting_on_requester"},
            "sent": {"due_on": PAST, "status": "submitted"},
            "ahead": {"due_on": AHEAD, "status": "open"},
            "done": {"due_on": PAST, "status": "closed", "closed_on": TODAY},
        },
        **REQUEST,
    )
    | rows(
        "remediations",
        {
            "over": {"due_on": PAST},
            "second": {"due_on": TODAY - timedelta(days=1), "owner": "owner@acme.example", "opened_on": PAST},
            "ahead": {"due_on": AHEAD, "opened_on": LONG_AGO - timedelta(days=1)},
            "done": {"due_on": PAST, "status": "closed", "closed_on": TODAY},
            "excluded": {"due_on": PAST, "framework": "iso27001", "control_id": "A.5.1"},
        },
        **{**CONTROL, "title": "Review access", "opened_on": LONG_AGO, "status": "open", "owner": MEMBER},
    )
    | rows(
        "attestations",
        {
            "over": {"due_on": PAST},
            "gone": {"due_on": PAST, "withdrawn_on": TODAY, "control_id": "CC6.6"},
            "ahead": {"due_on": AHEAD, "control_id": "CC6.7"},
        },
        **CONTROL, owner=MEMBER,
    )
    | rows(
        "exceptions",
        {
            "over": {"expires_on": PAST, "status": "approved", "approver": "owner@acme.example", "approved_on": LONG_AGO},
            "draft": {"expires_on": PAST, "status": "draft"},
            "ended": {"expires_on": PAST, "status": "resolved"},
        },
        **CONTROL, kind="gap", reason="later",
    )
    | rows(
        "policies",
        {
            "over": {"state": "active", "review_due_on": PAST},
            "old": {"state": "retired", "review_due_on": PAST},
        },
        policy="access", version=1, title="Access", owner=MEMBER,
    )
    | rows(
        "testing_schedules",
        {"quarterly": {}, "caught-up": {"control_id": "CC6.6"}},
        **CONTROL, procedure="Look", cadence="quarterly", starts_on=TODAY - timedelta(days=20), window_days=5,
    )
    | rows(
        "test_runs",
        {
            "over": {"schedule_id": "quarterly"},
            "missed": {"schedule_id": "caught-up"},
            "since": {
                "schedule_id": "caught-up", "window_open_on": PAST, "window_close_on": TODAY,
                "performed_on": TODAY, "outcome": "passed",
            },
        },
        window_open_on=TODAY - timedelta(days=20), window_close_on=TODAY - timedelta(days=16),
    )
    | rows("committees", {"board": {}}, name="Board", cadence="annual", first_meeting_on=PAST)
    | rows("committee_meetings", {"over": {"held_on": PAST}, "ahead": {"held_on": AHEAD}}, committee_id="board", status="planned")
)  # fmt: skip
LATE_HERE = {
    "vendors": {"over", "never"},
    "evidence_requests": {"over", "sent"},
    "remediations": {"over", "second", "g1", "g2"},
    "attestations": {"over"},
    "exceptions": {"over"},
    "policies": {"over"},
    "test_runs": {"over"},
    "poam_items": set(),
    "committee_meetings": {"over"},
    "organization_frameworks": set(),
}
ONE_MORE = {"remediations": 1}  # two pieces of work on one gap, which the figure counts


def write(store, tables):
    with store.revision("acme", "setup", now=NOW) as revision:
        for name, values in tables.items():
            revision.insert(metadata.tables[name], values)
        revision.record("records.prepared")


def figure(desk, org_id, table):
    """The value of the report's figure; of the ledger's, of duties of the table's kind."""
    late = LATE[table]
    with desk.services.snapshots.open(org_id, now=NOW) as snapshot:
        figures = snapshot.figures(late.report, {})
        if not late.kind:
            return figures[late.figure]
        duties = snapshot.fact("obligations")
        return duties.filter(duties["kind"] == late.kind, duties["state"] == "overdue").height


def late_counts(person, table, query=""):
    """How many rows of a list are late, as its headline says, and how many lines have the tag."""
    page = person.get(f"/tables/{table}{query}")
    return int(re.search(r"([\d,]+) late\.", page.words)[1]), page.text.count('<span class="tag bad">late</span>')


@pytest.mark.parametrize("table", LATE)
def test_a_list_calls_late_what_the_report_counts(desk, store, sign_in, table):
    write(store, ROWS)
    found = late_rows(desk.services, "acme", [table], NOW)[table]
    assert set(found) == LATE_HERE[table]
    late = len(found)
    assert late_counts(sign_in(), table) == (late, late)
    assert late - ONE_MORE.get(table, 0) == figure(desk, "acme", table)
    assert late_counts(sign_in(), table, "?due=late") == (late, late)


def test_every_table_whose_rows_fall_due_has_a_figure_where_reports_have_one():
    due = {table for table, duty in DUTIES.items() if duty.due}
    without = {"findings", "incident_actions", "vendor_documents", "testing_schedules"}
    assert due - without == set(LATE)


def test_my_work_has_who_was_never_reviewed_and_calls_nothing_late_whose_clock_stands(store, sign_in):
    write(store, ROWS)
    page = sign_in("member").get("/")
    late, week = page.text.split('id="week"')[0], page.text.split('id="week"')[1]
    assert re.findall(r'/tables/(\w+)/row\?key.id=(\w+)"', late) == [
        ("vendors", "never"),
        ("attestations", "over"),
        ("evidence_requests", "over"),
        ("policies", "over"),
        ("remediations", "over"),
        ("remediations", "g1"),
    ]
    assert "key.id=paused" in week
    assert "paused" not in late
    line = next(line for line in page.text.splitlines() if "late</span>" in line)
    assert f"{(TODAY - LONG_AGO).days - 30} days late" in line


def test_a_vendor_that_was_never_reviewed_stands_first_with_the_day_of_its_first_review(store, sign_in):
    write(store, ROWS)
    lines = sign_in().get("/tables/vendors").text.split("<tr>")[2:]
    assert ["key.id=never" in line or "key.id=over" in line for line in lines[:3]] == [True, True, False]
    never = next(line for line in lines if "key.id=never" in line)
    assert '<td class="late"><span class="day">15 Nov 2025</span> <span class="tag bad">late</span>' in never


@pytest.mark.parametrize("table", LATE)
def test_nothing_is_late_where_nothing_is_recorded(desk, sign_in, table):
    assert late_counts(sign_in("owner", "other"), table) == (0, 0)
    assert figure(desk, "other", table) == 0
