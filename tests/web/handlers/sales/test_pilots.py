"""Pilots over HTTP: made from leads, moved along, proposed, put into calendars, exported."""

import csv
import io
import re
from datetime import timedelta

import markdown
import pytest
from icalendar import Calendar
from sqlalchemy import select

from engine.store import PLATFORM
from engine.store.schema.audit import access_log
from engine.store.schema.commerce import pilots
from tests.sales.factories import lead, stored_leads

PATH = "/api/admin/pilots"
ADMIN = "owner@acme.example"
DATES = {
    "discovery_at": "2026-11-24T09:00:00Z",
    "kickoff_at": "2026-12-01T10:00:00+01:00",
    "review_at": "2027-01-12T15:30:00Z",
}
SCOPE = {
    "goal": "Ready for the audit in spring",
    "frameworks": ["soc2", "iso27001"],
    "success_criteria": ["Each figure is traced"],
}


@pytest.fixture
def admin(sign_in, with_people):
    stored_leads(with_people, lead("1", name="Ana Muster", company="Company Ltd"), lead("2", company="=1+1"))
    return sign_in(ADMIN)


@pytest.fixture
def pilot(admin):
    """The identifier of a pilot that is agreed in all parts."""
    made = admin.post(PATH, {"lead_id": "1", "name": "Audit in spring", "scope": SCOPE, **DATES})
    assert made.status == 201, made.body
    return made.json["pilot"]["id"]


def patch(client, identifier, body):
    return client.call("PATCH", f"{PATH}/{identifier}", body)


def word(answer):
    return answer.status, answer.json["error"]


def row_of(store, identifier):
    with store.reader() as connection:
        return dict(connection.execute(select(pilots).where(pilots.c.id == identifier)).mappings().one())


def calendar(client, identifier, query=""):
    answer = client.get(f"{PATH}/{identifier}/calendar{query}")
    assert answer.status == 200, answer.body
    return Calendar.from_ical(answer.body).walk("VEVENT")


def test_only_platform_administrators_see_pilots(sign_in, pilot):
    for method, path in (
        ("GET", PATH),
        ("POST", PATH),
        ("GET", f"{PATH}/{pilot}"),
        ("PATCH", f"{PATH}/{pilot}"),
        ("GET", f"{PATH}/{pilot}/proposal"),
        ("GET", f"{PATH}/{pilot}/calendar"),
        ("GET", f"{PATH}/export"),
    ):
        assert word(sign_in("admin@acme.example").call(method, path, {})) == (403, "platform_admin_required")
        assert sign_in(None).call(method, path, {}).status == 401


def test_before_the_first_pilot_everything_is_empty(sign_in):
    admin = sign_in(ADMIN)
    assert admin.get(PATH).json == {"pilots": [], "page": 1, "per_page": 50, "total": 0, "pages": 0}
    header, *rows = admin.get(f"{PATH}/export").body.decode().splitlines()
    assert (header.split(",")[:4], rows) == (["id", "lead_id", "name", "stage"], [])
    for path in (f"{PATH}/unknown", f"{PATH}/unknown/proposal", f"{PATH}/unknown/calendar"):
        assert word(admin.get(path)) == (404, "not_found")


def test_a_pilot_is_made_from_a_lead(admin, pilot, with_people):
    shown = admin.get(f"{PATH}/{pilot}").json
    assert shown["pilot"] == {
        "id": pilot,
        "lead_id": "1",
        "name": "Audit in spring",
        "stage": "planned",
        "owner": ADMIN,
        "scope": SCOPE,
        "discovery_at": "2026-11-24T09:00:00Z",
        "kickoff_at": "2026-12-01T09:00:00Z",
        "review_at": "2027-01-12T15:30:00Z",
        "notes": None,
        "created_at": "2026-11-20T08:30:00Z",
    }
    assert (shown["lead"]["id"], shown["next"]) == ("1", ["kickoff", "closed"])
    assert [row["action"] for row in shown["history"]] == ["pilot.created"]
    assert admin.get(PATH).json["pilots"] == [shown["pilot"]]
    assert with_people.verify(PLATFORM).ok


WRONG = [
    {}, {"lead_id": 1}, {"lead_id": "1", "stage": "active"}, {"lead_id": "1", "name": "\n"}, {"lead_id": "1", "owner": "ben"},
    {"lead_id": "1", "kickoff_at": "2026-12-01T10:00:00"}, {"lead_id": "1", "kickoff_at": "2026-12-01"},
    {"lead_id": "1", "kickoff_at": "2099-12-01T10:00:00Z"}, {"lead_id": "1", "scope": {"frameworks": ["iso9001"]}},
    {"lead_id": "1", "scope": {"weeks": 0}}, {"lead_id": "1", "scope": {"price": 1}}, {"lead_id": "1", "scope": {"goal": " "}},
    {"lead_id": "1", "kickoff_at": "2026-12-02T09:00:00Z", "review_at": "2026-12-02T09:00:00Z"},
    {"lead_id": "1", "discovery_at": "2026-12-03T09:00:00Z", "kickoff_at": "2026-12-02T09:00:00Z"},
]  # fmt: skip


def test_a_pilot_that_does_not_hold_is_not_made(admin):
    assert [word(admin.post(PATH, body)) for body in WRONG] == [(400, "invalid_body")] * len(WRONG)
    assert word(admin.post(PATH, {"lead_id": "unknown"})) == (404, "not_found")
    assert admin.get(PATH).json["total"] == 0
    assert admin.get("/api/admin/leads/1").json["history"] == []


def test_a_pilot_goes_from_stage_to_stage(admin, pilot):
    for stage in ("kickoff", "active", "review", "extended", "review", "converted"):
        answer = patch(admin, pilot, {"status" if stage == "active" else "stage": stage})
        assert (answer.status, answer.json["pilot"]["stage"]) == (200, stage)
    history = admin.get(f"{PATH}/{pilot}").json["history"]
    assert [row["details"]["to"] for row in history[1:]] == [
        "kickoff",
        "active",
        "review",
        "extended",
        "review",
        "converted",
    ]


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ((), "active"),
        ((), "converted"),
        (("kickoff",), "review"),
        (("kickoff", "active"), "converted"),
        (("kickoff", "active", "review"), "active"),
        (("closed",), "planned"),
        (("kickoff", "active", "review", "converted"), "closed"),
    ],
)
def test_a_stage_cannot_be_skipped(steps, wanted, admin, pilot, with_people):
    for stage in steps:
        assert patch(admin, pilot, {"stage": stage}).status == 200
    before = row_of(with_people, pilot)
    assert word(patch(admin, pilot, {"stage": wanted, "notes": "now"})) == (409, "stage_not_reachable")
    assert row_of(with_people, pilot) == before


def test_a_change_that_does_not_hold_changes_nothing(admin, pilot, with_people):
    before = row_of(with_people, pilot)
    wrong = [
        {},
        {"stage": "won"},
        {"lead_id": "2"},
        {"review_at": "2026-11-30T09:00:00Z"},
        {"name": None},
        {"stage": "kickoff", "status": "closed"},
        {"scope": []},
    ]
    assert [word(patch(admin, pilot, body)) for body in wrong] == [(400, "invalid_body")] * len(wrong)
    assert word(patch(admin, "unknown", {"notes": "x"})) == (404, "not_found")
    assert row_of(with_people, pilot) == before


def test_filters_select_the_same_pilots_for_list_and_export(admin, pilot):
    other = admin.post(PATH, {"lead_id": "2", "owner": "ben@hq.example"}).json["pilot"]["id"]
    patch(admin, pilot, {"stage": "kickoff"})
    expected = {
        "": sorted([pilot, other]),
        "stage=kickoff": [pilot],
        "owner=BEN%40hq.example": [other],
        "leadId=1": [pilot],
        "stage=active": [],
    }
    for query, wanted in expected.items():
        assert sorted(row["id"] for row in admin.get(f"{PATH}?{query}").json["pilots"]) == wanted
        rows = list(csv.DictReader(io.StringIO(admin.get(f"{PATH}/export?{query}").body.decode())))
        assert sorted(row["id"] for row in rows) == wanted
    assert {row["name"] for row in csv.DictReader(io.StringIO(admin.get(f"{PATH}/export").body.decode()))} == {
        "Audit in spring",
        "Pilot for =1+1",
    }
    assert word(admin.get(f"{PATH}?stage=won")) == (400, "invalid_parameter")
    assert patch(admin, other, {"name": '=HYPERLINK("http://evil.example")'}).status == 200
    (row,) = csv.DictReader(io.StringIO(admin.get(f"{PATH}/export?leadId=2").body.decode()))
    assert row["name"] == '\'=HYPERLINK("http://evil.example")'


@pytest.mark.real
@pytest.mark.usefixtures("paper")
def test_a_proposal_comes_on_paper(admin, pilot):
    answer = admin.get(f"{PATH}/{pilot}/proposal?format=pdf")
    assert (answer.headers["content-type"], answer.body[:5]) == ("application/pdf", b"%PDF-")


def test_the_same_proposal_in_three_formats(admin, pilot):
    facts = admin.get(f"{PATH}/{pilot}/proposal").json
    html = admin.get(f"{PATH}/{pilot}/proposal?format=html")
    plain = admin.get(f"{PATH}/{pilot}/proposal?format=md")
    assert (facts["status"], facts["missing"], facts["valid_until"]) == ("final", [], "2026-12-20")
    assert facts["number"] == f"HQE-1-{facts['inputs_sha256'][:8].upper()}"
    page, text = html.body.decode(), plain.body.decode().replace("\\", "")
    shown = [
        "Audit in spring",
        facts["number"],
        "Ready for the audit in spring",
        "Each figure is traced",
        "1 Dec 2026, 09:00\u00a0UTC, 60\u00a0minutes",
        "24 Nov 2026, 09:00\u00a0UTC, 30\u00a0minutes",
        "20 Dec 2026",
        "Ana Muster",
        "Company Ltd",
        facts["inputs_sha256"],
        *(one["title"] for one in facts["frameworks"]),
        *(line["title"] for line in facts["price"]["lines"]),
        *facts["assumptions"],
        *facts["excluded"],
    ]
    total = f"EUR {facts['price']['total_cents'] // 100:,}.00"
    assert [words for words in (*shown, total) if words not in page or words not in text] == []
    assert html.headers["content-type"] == "text/html; charset=utf-8"
    assert html.headers["content-security-policy"].startswith("default-src 'none'")
    assert re.findall(r"<script|https?://|//[a-z]", page) == []
    assert plain.headers["content-disposition"].startswith('attachment; filename="hqe-1-')
    assert admin.get(f"{PATH}/{pilot}/proposal", accept="text/html,*/*;q=0.8").body == html.body


def test_a_proposal_depends_on_its_day_and_on_nothing_else(admin, pilot, clock):
    url = f"{PATH}/{pilot}/proposal?asOf=2026-11-20&format="
    before = {form: admin.get(url + form).body for form in ("json", "html", "md")}
    clock.tick(timedelta(hours=3))
    patch(admin, pilot, {"notes": "internal", "stage": "kickoff"})
    assert {form: admin.get(url + form).body for form in before} == before
    tomorrow = admin.get(f"{PATH}/{pilot}/proposal?asOf=2026-11-21").json
    assert (tomorrow["as_of"], tomorrow["valid_until"]) == ("2026-11-21", "2026-12-21")
    assert tomorrow["inputs_sha256"].encode() not in before["json"]


def test_a_proposal_says_what_is_not_agreed(admin):
    pilot = admin.post(PATH, {"lead_id": "2"}).json["pilot"]["id"]
    facts = admin.get(f"{PATH}/{pilot}/proposal").json
    assert (facts["status"], facts["missing"]) == (
        "draft",
        ["the frameworks in scope", "the date of the kickoff", "the date of the review"],
    )
    assert b"Draft. Still to be agreed" in admin.get(f"{PATH}/{pilot}/proposal?format=html").body
    for query in ("format=docx", "asOf=tomorrow", "asOf=1850-01-01", "day=1"):
        assert word(admin.get(f"{PATH}/{pilot}/proposal?{query}"))[0] == 400


def test_what_people_wrote_is_no_markup(admin):
    nasty = "<script>alert(1)</script> | [x](javascript:1) # *b*"
    scope = {"goal": nasty, "success_criteria": [nasty], "frameworks": ["soc2"]}
    pilot = admin.post(PATH, {"lead_id": "1", "name": nasty, "scope": scope}).json["pilot"]["id"]
    page = admin.get(f"{PATH}/{pilot}/proposal?format=html").body.decode()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    text = admin.get(f"{PATH}/{pilot}/proposal?format=md").body.decode()
    rendered = markdown.markdown(text, extensions=["tables"])
    assert re.findall(r"<script|<a |<em>|href", rendered) == []
    assert rendered.count("<td") == 3 * 5 + 4 * 4


def test_the_calendar_has_the_three_meetings_in_utc(admin, pilot, with_people):
    answer = admin.get(f"{PATH}/{pilot}/calendar")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="hqe-1-pilot-all-2026-11-20.ics"'
    events = Calendar.from_ical(answer.body).walk("VEVENT")
    assert [(str(e["summary"]), e["dtstart"].to_ical(), e["dtend"].to_ical()) for e in events] == [
        ("Discovery: Audit in spring", b"20261124T090000Z", b"20261124T093000Z"),
        ("Kickoff: Audit in spring", b"20261201T090000Z", b"20261201T100000Z"),
        ("Review: Audit in spring", b"20270112T153000Z", b"20270112T163000Z"),
    ]
    assert [(e["uid"], e["sequence"], e["status"]) for e in events] == [
        (f"{pilot}-{name}@hq-console", 0, "CONFIRMED") for name in ("discovery", "kickoff", "review")
    ]
    with with_people.reader() as connection:
        assert connection.execute(select(access_log.c.format)).scalars().all() == ["ics"]


def test_a_meeting_that_moves_keeps_its_name_and_raises_its_sequence(admin, pilot, clock):
    before = admin.get(f"{PATH}/{pilot}/calendar?event=kickoff").body
    clock.tick(timedelta(hours=2))
    assert admin.get(f"{PATH}/{pilot}/calendar?event=kickoff").body == before
    patch(admin, pilot, {"kickoff_at": "2026-12-02T09:00:00Z"})
    (kickoff,) = calendar(admin, pilot, "?event=kickoff")
    assert (kickoff["uid"], kickoff["sequence"]) == (f"{pilot}-kickoff@hq-console", 1)
    assert kickoff["dtstart"].to_ical() == b"20261202T090000Z"
    assert kickoff["dtstamp"].to_ical() == b"20261120T103000Z"
    patch(admin, pilot, {"kickoff_at": None})
    (kickoff,) = calendar(admin, pilot, "?event=kickoff")
    assert (kickoff["status"], kickoff["sequence"], kickoff["dtstart"].to_ical()) == (
        "CANCELLED",
        2,
        b"20261202T090000Z",
    )
    assert [e["sequence"] for e in calendar(admin, pilot)] == [0, 2, 0]


def test_meetings_after_the_end_are_cancelled(admin, pilot):
    patch(admin, pilot, {"stage": "closed"})
    assert {(e["status"], e["sequence"]) for e in calendar(admin, pilot)} == {("CANCELLED", 1)}


def test_a_meeting_without_a_date_is_no_calendar(admin):
    pilot = admin.post(PATH, {"lead_id": "2", "kickoff_at": DATES["kickoff_at"]}).json["pilot"]["id"]
    assert word(admin.get(f"{PATH}/{pilot}/calendar?event=review")) == (409, "no_date")
    assert word(admin.get(f"{PATH}/{pilot}/calendar?event=lunch")) == (400, "invalid_parameter")
    assert len(calendar(admin, pilot)) == 1


def test_a_name_cannot_break_out_of_a_calendar(admin):
    name = "Pilot; with, commas\\n ü 👩🏽‍💻 " + "x" * 100
    pilot = admin.post(PATH, {"lead_id": "1", "name": name, **DATES}).json["pilot"]["id"]
    (event, *_) = calendar(admin, pilot)
    assert str(event["summary"]) == f"Discovery: {name}"
    raw = admin.get(f"{PATH}/{pilot}/calendar").body
    assert max(map(len, raw.split(b"\r\n"))) <= 75


def test_times_are_kept_in_utc_to_the_minute(admin):
    pilot = admin.post(PATH, {"lead_id": "1", "kickoff_at": "2026-12-01T10:00:59.5+01:00"}).json["pilot"]
    assert pilot["kickoff_at"] == "2026-12-01T09:00:00Z"
