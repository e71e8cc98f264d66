"""Leads over HTTP: lists, both changes, conversion, e-mails, export and dashboard."""

import csv
import io
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from engine.store import PLATFORM
from engine.store.schema.audit import access_log, audit_log
from engine.store.schema.commerce import activities, leads, pilots
from engine.store.schema.outputs import deliveries
from tests.conftest import NOW
from tests.sales.factories import lead, stored_leads

PATH = "/api/admin/leads"
ADMIN = "owner@acme.example"


@pytest.fixture
def admin(sign_in):
    return sign_in(ADMIN)


@pytest.fixture
def one(with_people):
    """A store with one new lead, ``lead_1``."""
    stored_leads(with_people, lead("1", name="Ana Muster", company="Company Ltd"))
    return with_people


def patch(client, body, lead_id="1"):
    return client.call("PATCH", f"{PATH}/{lead_id}", body)


def word(answer):
    return answer.status, answer.json["error"]


def ids(answer):
    return [row["id"] for row in answer.json["leads"]]


def row_of(store, lead_id="1"):
    with store.reader() as connection:
        return dict(connection.execute(select(leads).where(leads.c.id == lead_id)).mappings().one())


def test_only_platform_administrators_see_leads(sign_in, one):
    for method, path in (
        ("GET", PATH),
        ("PATCH", PATH),
        ("GET", f"{PATH}/1"),
        ("PATCH", f"{PATH}/1"),
        ("GET", f"{PATH}/export"),
        ("POST", f"{PATH}/1/convert-pilot"),
        ("POST", f"{PATH}/1/email"),
        ("GET", "/api/admin/dashboard"),
    ):
        assert word(sign_in("admin@acme.example").call(method, path, {})) == (403, "platform_admin_required")
        assert sign_in(None).call(method, path, {}).status == 401
    assert row_of(one)["stage"] == "new"


def test_before_the_first_enquiry_everything_is_empty(admin, with_people):
    assert admin.get(PATH).json == {"leads": [], "page": 1, "per_page": 50, "total": 0, "pages": 0}
    header, *rows = admin.get(f"{PATH}/export").body.decode().splitlines()
    assert (header.split(",")[:4], rows) == (["id", "reference_id", "name", "email"], [])
    figures = admin.get("/api/admin/dashboard").json
    assert (figures["leads"]["total"], figures["stale"]["count"], figures["pipeline"]["weighted_value"]) == (0, 0, 0)
    assert figures["response_times"] == {
        "answered": 0,
        "p50_hours": None,
        "p90_hours": None,
        "waiting": 0,
        "longest_wait_hours": None,
    }
    assert word(admin.get(f"{PATH}/1")) == (404, "not_found")
    assert word(patch(admin, {"stage": "contacted"})) == (404, "not_found")


def test_the_newest_come_first_a_page_at_a_time(admin, with_people):
    stored_leads(with_people, *(lead(str(n), created_at=NOW - timedelta(hours=n // 2)) for n in range(7)))
    pages = [admin.get(f"{PATH}?perPage=3&page={page}") for page in (1, 2, 3, 4)]
    assert [ids(page) for page in pages] == [["0", "1", "2"], ["3", "4", "5"], ["6"], []]
    assert [(page.json["total"], page.json["pages"]) for page in pages] == [(7, 3)] * 4
    assert set(pages[0].json["leads"][0]) == {
        "id",
        "reference_id",
        "name",
        "email",
        "company",
        "message",
        "stage",
        "priority",
        "owner",
        "notes",
        "lost_reason",
        "spam",
        "consent",
        "value",
        "follow_up_on",
        "created_at",
        "stage_changed_at",
        "first_response_at",
    }


FILTERED = {
    "": ["a", "b", "c", "d"],
    "stage=contacted": ["b"],
    "owner=Ben%40hq.example": ["b", "c"],
    "owner=none": ["a", "d"],
    "priority=high": ["c"],
    "spam=only": ["e"],
    "spam=all": ["a", "b", "c", "d", "e"],
    "q=PANY%20L": ["a"],
    "q=100%25": ["c"],
    "q=%25": ["c"],
    "q=hqe-b": ["b"],
    "receivedFrom=2026-11-19": ["a", "b"],
    "receivedTo=2026-11-18": ["c", "d"],
    "receivedFrom=2026-11-18&receivedTo=2026-11-19": ["b", "c"],
    "followUp=overdue": ["c"],
    "followUp=overdue&stage=contacted": [],
}


def test_filters_select_the_same_leads_for_list_and_export(admin, with_people):
    days = [NOW - timedelta(days=n) for n in range(5)]
    stored_leads(
        with_people,
        lead("a", created_at=days[0], company="Company Ltd", follow_up_on=NOW.date()),
        lead("b", created_at=days[1], stage="contacted", owner="ben@hq.example", reference_id="HQE-B22222"),
        lead(
            "c",
            created_at=days[2],
            priority="high",
            owner="ben@hq.example",
            name="100% Carl",
            follow_up_on=NOW.date() - timedelta(days=1),
        ),
        lead("d", created_at=days[3], stage="lost", lost_reason="price", follow_up_on=NOW.date() - timedelta(days=9)),
        lead("e", created_at=days[4], spam=True),
    )
    for query, expected in FILTERED.items():
        assert (query, ids(admin.get(f"{PATH}?{query}"))) == (query, expected)
        exported = csv.DictReader(io.StringIO(admin.get(f"{PATH}/export?{query}").body.decode()))
        assert (query, [row["id"] for row in exported]) == (query, expected)


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=x",
        "perPage=201",
        "stage=unknown",
        "priority=1",
        "spam=maybe",
        "receivedFrom=2026-02-30",
        "receivedFrom=20261101",
        "receivedFrom=2026-11-20&receivedTo=2026-11-19",
        "colour=red",
        "q=",
        "followUp=soon",
    ],
)
def test_a_malformed_filter_is_named(query, admin):
    answer = admin.get(f"{PATH}?{query}")
    assert word(answer) == (400, "invalid_parameter")
    assert answer.json["message"].split()[2].strip("'") in query


def test_a_lead_goes_from_stage_to_stage_and_its_history_grows(admin, one, clock):
    for stage in ("contacted", "qualified", "discovery", "proposal", "won"):
        clock.tick(timedelta(hours=2))
        answer = patch(admin, {"stage": stage})
        assert (answer.status, answer.json["lead"]["stage"]) == (200, stage)
    detail = admin.get(f"{PATH}/1").json
    moves = [(row["details"]["from"], row["details"]["to"]) for row in detail["history"]]
    assert moves == [
        ("new", "contacted"),
        ("contacted", "qualified"),
        ("qualified", "discovery"),
        ("discovery", "proposal"),
        ("proposal", "won"),
    ]
    assert [row["actor"] for row in detail["history"]] == [ADMIN] * 5
    assert detail["lead"]["first_response_at"] == "2026-11-20T10:30:00Z"
    assert detail["lead"]["stage_changed_at"] == "2026-11-20T18:30:00Z"
    assert detail["exit"] == {"criterion": "Nothing: the customer is won.", "met": True, "missing": [], "next": []}
    assert set(detail["email_templates"]) == {"first_response", "follow_up", "discovery_call", "proposal"}


def test_fields_change_together_and_the_history_holds_from_and_to(admin, one):
    body = {
        "owner": " Ben@HQ.example ",
        "priority": "high",
        "follow_up_on": "2026-12-01",
        "value": 24000,
        "notes": "Wants\r\nSOC 2 ",
    }
    answer = patch(admin, body)
    assert {name: answer.json["lead"][name] for name in body} == {
        "owner": "ben@hq.example",
        "priority": "high",
        "follow_up_on": "2026-12-01",
        "value": 24000.0,
        "notes": "Wants\nSOC 2",
    }
    (event,) = admin.get(f"{PATH}/1").json["history"]
    assert event["action"] == "lead.changed"
    assert event["details"] == {
        "owner": {"from": None, "to": "ben@hq.example"},
        "priority": {"from": "normal", "to": "high"},
        "follow_up_on": {"from": None, "to": "2026-12-01"},
        "value": {"from": None, "to": 24000.0},
        "notes": {"from": None, "to": "Wants\nSOC 2"},
    }
    with one.reader() as connection:
        chained = connection.execute(
            select(audit_log.c.details).where(audit_log.c.action == "lead.changed")
        ).scalar_one()
    assert chained == {"fields": ["follow_up_on", "notes", "owner", "priority", "value"]}


def test_the_same_values_again_change_nothing(admin, one):
    body = {"owner": "ben@hq.example", "stage": "contacted"}
    assert patch(admin, body).status == 200
    head = one.head(PLATFORM)
    assert patch(admin, body).status == 200
    assert one.head(PLATFORM) == head


def test_null_clears(admin, one):
    patch(admin, {"owner": "ben@hq.example", "notes": "x", "follow_up_on": "2026-12-01"})
    cleared = patch(admin, {"owner": None, "notes": None, "follow_up_on": None}).json["lead"]
    assert (cleared["owner"], cleared["notes"], cleared["follow_up_on"]) == (None, None, None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("new", "qualified"),
        ("new", "won"),
        ("contacted", "proposal"),
        ("won", "lost"),
        ("won", "new"),
        ("lost", "new"),
        ("proposal", "discovery"),
        ("nurture", "won"),
    ],
)
def test_a_stage_cannot_be_skipped(before, after, admin, with_people):
    stored_leads(with_people, lead("1", stage=before, lost_reason="price" if before == "lost" else None))
    head = with_people.head(PLATFORM)
    reason = {"lost_reason": "price"} if after == "lost" else {}
    answer = patch(admin, {"stage": after, "owner": "ben@hq.example", **reason})
    assert word(answer) == (409, "stage_not_reachable")
    assert (answer.json["details"][0]["from"], answer.json["details"][0]["to"]) == (before, after)
    assert (row_of(with_people)["stage"], row_of(with_people)["owner"], with_people.head(PLATFORM)) == (
        before,
        None,
        head,
    )


def test_a_lost_lead_says_why(admin, one):
    for reason in ({}, {"lost_reason": None}):
        assert word(patch(admin, {"stage": "lost", **reason})) == (400, "lost_reason_required")
    assert patch(admin, {"stage": "lost", "lost_reason": "  "}).status == 400
    assert row_of(one)["stage"] == "new"
    assert (
        patch(admin, {"stage": "lost", "lost_reason": "Chose another"}).json["lead"]["lost_reason"] == "Chose another"
    )
    assert word(patch(admin, {"lost_reason": None})) == (400, "lost_reason_required")
    assert patch(admin, {"stage": "nurture"}).json["lead"]["lost_reason"] is None
    assert word(patch(admin, {"lost_reason": "price"})) == (400, "invalid_body")


WRONG = [
    {},
    {"stage": "unknown"},
    {"colour": "red"},
    {"owner": "ben"},
    {"owner": "a@b.example\nBcc: c@d.example"},
    {"priority": None},
    {"follow_up_on": "tomorrow"},
    {"follow_up_on": "1999-12-31"},
    {"follow_up_on": "2099-01-01"},
    {"value": -1},
    {"value": 1e13},
    {"notes": ""},
    {"notes": "n" * 10_001},
    {"spam": "no"},
    {"stage": "contacted", "status": "lost"},
    {"owner": "a@hq.example", "assigned_to": "b@hq.example"},
    {"email": "new@company.example"},
    {"reference_id": "HQE-222222"},
]


def test_a_change_that_does_not_hold_changes_nothing(admin, one):
    before = row_of(one)
    assert [word(patch(admin, body)) for body in WRONG] == [(400, "invalid_body")] * len(WRONG)
    assert patch(admin, b"[]").status == 400
    assert row_of(one) == before


def test_several_leads_change_together_or_not_at_all(admin, with_people):
    stored_leads(with_people, lead("1"), lead("2"), lead("3", stage="won"))
    several = {"ids": ["1", "2", "1"], "status": "contacted", "notes": "From the fair", "assigned_to": "ben@hq.example"}
    answer = admin.call("PATCH", PATH, several)
    assert (answer.status, ids(answer)) == (200, ["1", "2"])
    assert {(row["stage"], row["owner"], row["notes"]) for row in answer.json["leads"]} == {
        ("contacted", "ben@hq.example", "From the fair")
    }
    head = with_people.head(PLATFORM)
    assert word(admin.call("PATCH", PATH, {"ids": ["1", "3"], "stage": "qualified"})) == (409, "stage_not_reachable")
    assert word(admin.call("PATCH", PATH, {"ids": ["1", "unknown"], "priority": "low"})) == (404, "not_found")
    assert word(admin.call("PATCH", PATH, {"priority": "low"})) == (400, "invalid_body")
    assert word(admin.call("PATCH", PATH, {"ids": ["1"]})) == (400, "invalid_body")
    assert (row_of(with_people)["stage"], with_people.head(PLATFORM)) == ("contacted", head)
    assert admin.call("PATCH", PATH, {"id": "3", "notes": "Thanks"}).json["leads"][0]["notes"] == "Thanks"


def test_a_lead_becomes_a_pilot_once(admin, one):
    patch(admin, {"owner": "ben@hq.example"})
    made = admin.post(f"{PATH}/1/convert-pilot")
    assert made.status == 201
    pilot = made.json["pilot"]
    assert (pilot["lead_id"], pilot["name"], pilot["stage"], pilot["owner"]) == (
        "1",
        "Pilot for Company Ltd",
        "planned",
        "ben@hq.example",
    )
    again = admin.post(f"{PATH}/1/convert-pilot", {"name": "Another"})
    assert word(again) == (409, "already_converted")
    assert again.json["details"] == [{"field": "lead_id", "pilot_id": pilot["id"]}]
    assert word(admin.post("/api/admin/pilots", {"lead_id": "1"})) == (409, "already_converted")
    detail = admin.get(f"{PATH}/1").json
    assert (detail["pilot"]["id"], detail["history"][-1]["action"]) == (pilot["id"], "lead.converted")
    with one.reader() as connection:
        assert connection.execute(select(func.count()).select_from(pilots)).scalar() == 1


def test_spam_and_lost_leads_become_no_pilot(admin, with_people):
    stored_leads(with_people, lead("1", spam=True), lead("2", stage="lost", lost_reason="price"))
    assert word(admin.post(f"{PATH}/1/convert-pilot")) == (409, "lead_is_spam")
    assert word(admin.post(f"{PATH}/2/convert-pilot")) == (409, "lead_is_lost")
    assert word(admin.post(f"{PATH}/3/convert-pilot")) == (404, "not_found")
    assert word(admin.post(f"{PATH}/2/convert-pilot", {"colour": "red"})) == (400, "invalid_body")
    assert patch(admin, {"spam": False}).status == 200
    assert admin.post(f"{PATH}/1/convert-pilot").status == 201


def test_without_a_mail_server_an_email_is_prepared(admin, one):
    answer = admin.post(f"{PATH}/1/email", {"template": "first_response", "send": True, "note": "We met at the fair."})
    assert (answer.status, answer.json["status"], answer.json["delivery"]) == (200, "prepared", None)
    assert answer.json["to"] == "1@company.example"
    assert answer.json["subject"] == "Your enquiry HQE-1"
    assert answer.json["body"].startswith("Dear Ana Muster,\n\nThank you for writing to us.")
    assert "\n\nWe met at the fair.\n\nKind regards\nHQ\n" in answer.json["body"]
    assert "SVC_SMTP_URL" in answer.json["reason"]
    assert row_of(one)["first_response_at"] is None
    with one.reader() as connection:
        assert connection.execute(select(deliveries.c.id)).first() is None


class TestWithMail:
    """A mail server is configured: what is to be sent goes into the outbox."""

    @pytest.fixture
    def environment(self, environment):
        return {**environment, "SVC_SMTP_URL": "smtp://127.0.0.1:2525", "SVC_SMTP_FROM": "HQ <hello@hq.example>"}

    def test_an_email_is_queued_once_a_day_and_answers_the_lead(self, admin, one, clock):
        body = {"template": "follow_up", "send": True}
        first, second = (admin.post(f"{PATH}/1/email", body) for _ in range(2))
        assert [(a.status, a.json["delivery"]["result"]) for a in (first, second)] == [
            (202, "queued"),
            (202, "already_queued"),
        ]
        assert row_of(one)["first_response_at"] == NOW
        clock.tick(timedelta(days=1))
        admin.cookie = admin.console.gate.sessions.issue(ADMIN, "acme", now=NOW + timedelta(days=1))
        assert admin.post(f"{PATH}/1/email", body).json["delivery"]["result"] == "queued"
        assert row_of(one)["first_response_at"] == NOW
        with one.reader() as connection:
            rows = connection.execute(select(deliveries)).mappings().all()
            actions = connection.execute(select(activities.c.action).order_by(activities.c.id)).scalars().all()
        assert {(row["org_id"], row["kind"], row["channel"], row["recipient"], row["status"]) for row in rows} == {
            (PLATFORM, "lead-email", "email", "1@company.example", "pending")
        }
        assert actions == ["lead.email.queued", "lead.email.queued"]

    def test_what_is_to_be_prepared_only_is_not_queued(self, admin, one):
        answer = admin.post(f"{PATH}/1/email", {"template": "proposal"})
        assert (answer.status, answer.json["status"]) == (200, "prepared")
        with one.reader() as connection:
            assert connection.execute(select(deliveries.c.id)).first() is None


def test_an_email_needs_a_template_and_a_person(admin, with_people):
    stored_leads(with_people, lead("1", spam=True), lead("2"))
    answer = admin.post(f"{PATH}/2/email", {"template": "pills"})
    assert word(answer) == (400, "invalid_body")
    assert "first_response, follow_up, discovery_call, proposal" in answer.json["message"]
    assert word(admin.post(f"{PATH}/2/email", {})) == (400, "invalid_body")
    assert word(admin.post(f"{PATH}/1/email", {"template": "proposal"})) == (409, "lead_is_spam")
    assert word(admin.post(f"{PATH}/3/email", {"template": "proposal"})) == (404, "not_found")


def test_no_cell_of_the_export_is_a_formula(admin, with_people):
    stored_leads(
        with_people,
        lead("1", company='=HYPERLINK("http://evil.example","Click")', name="+1 Ana", message="@SUM(A1)", notes="-2"),
    )
    answer = admin.get(f"{PATH}/export")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="hq-leads-2026-11-20.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.body.decode()))
    assert row["company"] == '\'=HYPERLINK("http://evil.example","Click")'
    assert (row["name"], row["message"], row["notes"]) == ("'+1 Ana", "'@SUM(A1)", "-2")
    assert (row["created_at"], row["spam"], row["consent"]) == ("2026-11-20T08:30:00.000000Z", "false", "true")
    with with_people.reader() as connection:
        (access,) = connection.execute(select(access_log)).mappings().all()
    assert (access["org_id"], access["actor"], access["resource"]) == (PLATFORM, ADMIN, f"{PATH}/export")


def test_the_dashboard_counts_what_is_there_now(admin, one):
    figures = admin.get("/api/admin/dashboard").json
    assert (figures["leads"]["total"], figures["leads"]["by_stage"]["new"], figures["leads"]["unassigned"]) == (1, 1, 1)
    patch(admin, {"stage": "contacted", "owner": ADMIN, "value": 1000})
    admin.post(f"{PATH}/1/convert-pilot")
    figures = admin.get("/api/admin/dashboard?periodDays=30").json
    assert figures["leads"]["by_stage"]["contacted"] == 1
    assert (figures["pipeline"]["value"], figures["pipeline"]["weighted_value"]) == (1000.0, 100.0)
    assert (figures["pilots"]["total"], figures["pilots"]["by_stage"]["planned"]) == (1, 1)
    assert figures["response_times"]["answered"] == 1
    assert word(admin.get("/api/admin/dashboard?periodDays=0")) == (400, "invalid_parameter")
