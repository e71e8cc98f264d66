"""The public contact form: what is stored, what is answered, and what the log does not hold."""

import logging
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from engine.sales.enquiries import LETTERS
from engine.store import PLATFORM
from engine.store.schema.audit import audit_log
from engine.store.schema.commerce import activities, leads
from tests.conftest import NOW
from tests.sales import factories

PATH = "/api/contact"
BODY = {
    "name": "Ana Muster",
    "email": "Ana.Muster@Company.example",
    "company": "Company Ltd",
    "consent": True,
    "message": "We report on SOC 2 and ISO 27001.\nCan you help?",
    "duration_ms": 41_000,
}
REFERENCE = re.compile(f"HQE-[{LETTERS}]{{6}}")
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data; boundary=e"


@pytest.fixture
def form(sign_in):
    """A person who sends the form, each time from another address."""
    client = sign_in(None)
    sent = iter(range(1, 250))
    client.console._responder._proxies = frozenset({"127.0.0.1"})
    return lambda body, **headers: client.post(PATH, body, x_forwarded_for=f"192.0.2.{next(sent)}", **headers)


def stored_leads(store):
    with store.reader() as connection:
        return [dict(row) for row in connection.execute(select(leads).order_by(leads.c.created_at)).mappings()]


def changed_body(**fields):
    return {
        **{name: value for name, value in BODY.items() if fields.get(name, 0) is not None},
        **{name: value for name, value in fields.items() if value is not None},
    }


def test_an_enquiry_is_stored_and_answered_with_its_reference(form, with_people):
    answer = form(BODY)
    assert (answer.status, answer.headers["content-type"]) == (201, "application/json")
    reference = answer.json["referenceId"]
    assert answer.json == {"referenceId": reference, "status": "received"}
    assert REFERENCE.fullmatch(reference)
    (row,) = stored_leads(with_people)
    del row["id"], row["revision"]
    assert row == {
        "org_id": "platform",
        "reference_id": reference,
        "name": "Ana Muster",
        "email": "ana.muster@company.example",
        "company": "Company Ltd",
        "message": BODY["message"],
        "stage": "new",
        "priority": "normal",
        "owner": None,
        "notes": None,
        "lost_reason": None,
        "spam": False,
        "consent": True,
        "value": None,
        "follow_up_on": None,
        "created_at": NOW,
        "stage_changed_at": NOW,
        "first_response_at": None,
    }


def test_the_chain_tells_of_it_and_names_nobody(form, with_people):
    reference = form(BODY).json["referenceId"]
    with with_people.reader() as connection:
        events = connection.execute(select(audit_log).where(audit_log.c.org_id == PLATFORM)).mappings().all()
        (activity,) = connection.execute(select(activities)).mappings().all()
    assert [(event["action"], event["actor"]) for event in events] == [
        ("organization.created", "system"),
        ("lead.received", "public"),
    ]
    assert events[1]["details"] == activity["details"] == {"reference_id": reference, "spam": None}
    assert with_people.verify(PLATFORM).ok


def test_a_form_as_browsers_send_it_is_the_same_enquiry(form, with_people):
    fields = {**BODY, "consent": "on", "website": "", "utm_source": "letter"}
    assert form(urlencode(fields).encode(), content_type=FORM).status == 201
    parts = "".join(
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    )
    body = f"{parts}--edge--\r\n".encode()
    assert form(body, content_type="multipart/form-data; boundary=edge").status == 201
    first, second = stored_leads(with_people)
    for name in ("name", "email", "company", "spam", "consent"):
        assert first[name] == second[name]
    assert (first["message"], second["message"]) == (BODY["message"], BODY["message"])


UNREADABLE = [
    (b"name=a&name=b", FORM, "name came twice"),
    (b"name=%ff", FORM, "in UTF-8"),
    ("name=ä".encode(), FORM, "URL-encoded"),
    (b"a=1&" * 60, FORM, "up to 50"),
    (b"", FORM, "name"),
    (urlencode({**BODY, "duration_ms": "soon"}).encode(), FORM, "duration_ms"),
    (urlencode({**BODY, "consent": "no"}).encode(), FORM, "consent"),
    (urlencode({**BODY, "name": "a\x00b"}).encode(), FORM, "control characters"),
    (b"--e\r\n", "multipart/form-data; boundary=e", "between the boundaries"),
    (b"hello", "multipart/form-data", "between the boundaries"),
    (b'--e\r\nContent-Disposition: form-data; name="name"; filename="a"\r\n\r\nx\r\n--e--', MULTIPART, "no files"),
    (b'--e\r\nContent-Disposition: form-data; name="name"\r\n\r\n\xff\r\n--e--', MULTIPART, "UTF-8"),
    (b"--e\r\n\r\nx\r\n--e--", MULTIPART, "named text fields"),
    (b"--e\r\n\r\n\r\n" * 90_000 + b"--e--", MULTIPART, "up to 50 parts"),
    (b'--e\r\nContent-Disposition: form-data; name="name"\r\n\r\nAna', MULTIPART, "up to 50 parts"),
    (b"--e\r\n" + b"a: b\r\n" * 1_000 + b"\r\n\r\nx\r\n--e--", MULTIPART, "named text fields"),
    (b"name=a", "application/xml", "JSON object"),
]


def test_a_form_that_cannot_be_read_is_refused(form, with_people):
    answers = [form(body, content_type=content_type) for body, content_type, _ in UNREADABLE]
    assert [answer.status for answer in answers] == [400] * len(UNREADABLE)
    told = [(expected, answer.json["message"]) for answer, (_, _, expected) in zip(answers, UNREADABLE, strict=True)]
    assert [pair for pair in told if pair[0] not in pair[1]] == []
    assert stored_leads(with_people) == []


WRONG = [
    ("name", None),
    ("name", "   "),
    ("name", "a" * 201),
    ("name", "Ana\r\nBcc: all@company.example"),
    ("name", 7),
    ("email", "nobody"),
    ("email", "a@b"),
    ("email", "a@company.example, b@company.example"),
    ("email", "a@company.example\nBcc: b@company.example"),
    ("email", f"{'a' * 250}@company.example"),
    ("message", ""),
    ("message", "m" * 5001),
    ("company", "c" * 201),
    ("consent", False),
    ("consent", None),
    ("consent", "yes"),
    ("duration_ms", None),
    ("duration_ms", -1),
    ("duration_ms", 10**13),
]


def test_a_field_that_does_not_hold_is_named_and_nothing_is_stored(form, with_people):
    answers = [form(changed_body(**{field: value})) for field, value in WRONG]
    assert [answer.status for answer in answers] == [400] * len(WRONG)
    assert [
        field for (field, _), answer in zip(WRONG, answers, strict=True) if field not in answer.json["message"]
    ] == []
    consent = [
        answer.json["error"] for (field, value), answer in zip(WRONG, answers, strict=True) if field == "consent"
    ]
    assert consent == ["consent_required", "consent_required", "invalid_body"]
    assert not any(BODY["email"].lower() in answer.body.decode().lower() for answer in answers)
    assert stored_leads(with_people) == []


def test_ten_megabytes_are_too_large(form, with_people):
    answer = form(changed_body(message="m" * 10_000_000))
    assert (answer.status, answer.json["error"]) == (413, "body_too_large")
    assert stored_leads(with_people) == []


def test_a_name_of_another_script_is_kept_as_it_is(form, with_people):
    for name in ("👩🏽‍💻 Ana", "محمد بن سلمان"):
        assert form(changed_body(name=name, email=f"a{len(name)}@company.example")).status == 201
    assert [row["name"] for row in stored_leads(with_people)] == ["👩🏽‍💻 Ana", "محمد بن سلمان"]


def test_bots_get_the_answer_of_people_and_are_kept_as_spam(form, with_people):
    person = form(BODY)
    fields = [
        {"website": "https://pills.example"},
        {"duration_ms": 2_999},
        {"duration_ms": 0},
        {"website": "x", "duration_ms": 5},
    ]
    for number, given in enumerate(fields):
        bot = form(changed_body(**given, email=f"bot{number}@company.example"))
        assert (bot.status, bot.json.keys(), set(bot.headers)) == (
            person.status,
            person.json.keys(),
            set(person.headers),
        )
        assert REFERENCE.fullmatch(bot.json["referenceId"])
    assert {row["email"]: row["spam"] for row in stored_leads(with_people)} == {
        "ana.muster@company.example": False,
        **{f"bot{number}@company.example": True for number in range(4)},
    }
    with with_people.reader() as connection:
        details = connection.execute(select(activities.c.details).order_by(activities.c.id)).scalars().all()
    assert [detail["spam"] for detail in details] == [None, "honeypot", "too_fast", "too_fast", "honeypot"]


def test_three_seconds_are_enough(form, with_people):
    assert form(changed_body(duration_ms=3_000)).status == 201
    assert not stored_leads(with_people)[0]["spam"]


class TestStamps:
    """With a secret the site's stamp counts, and no duration that a client tells."""

    SECRET = "s" * 32

    @pytest.fixture
    def environment(self, environment):
        return {**environment, "SVC_CONTACT_STAMP_SECRET": self.SECRET}

    def test_a_stamp_tells_people_from_bots(self, form, with_people):
        given = [
            (factories.stamp(self.SECRET, NOW - timedelta(seconds=3)), False),
            (factories.stamp(self.SECRET, NOW - timedelta(hours=24)), False),
            (factories.stamp(self.SECRET, NOW - timedelta(seconds=2)), True),
            (factories.stamp(self.SECRET, NOW + timedelta(seconds=60)), True),
            (factories.stamp("t" * 32, NOW - timedelta(seconds=60)), True),
            ("1700000000.0", True),
            ("nonsense", True),
        ]
        for number, (stamp, _) in enumerate(given):
            told = changed_body(stamp=stamp, duration_ms=0, email=f"a{number}@company.example")
            assert form(told).status == 201
        assert [row["spam"] for row in sorted(stored_leads(with_people), key=lambda row: row["email"])] == [
            s for _, s in given
        ]

    def test_a_form_without_a_stamp_is_incomplete(self, form, with_people):
        assert form(BODY).json["details"][0]["field"] == "stamp"
        assert stored_leads(with_people) == []

    def test_a_form_of_yesterday_is_to_be_loaded_again(self, form):
        old = factories.stamp(self.SECRET, NOW - timedelta(hours=24, seconds=1))
        answer = form(changed_body(stamp=old))
        assert (answer.status, answer.json["error"]) == (400, "form_expired")


def test_an_address_may_send_five_in_ten_minutes(sign_in, with_people):
    client = sign_in(None)
    statuses = [client.post(PATH, changed_body(email=f"a{i}@company.example")).status for i in range(6)]
    assert statuses == [201] * 5 + [429]
    refused = client.post(PATH, BODY)
    assert int(refused.headers["retry-after"]) == refused.json["retry_after"] > 0
    assert len(stored_leads(with_people)) == 5


def test_an_email_address_may_send_five_a_day(form, with_people, clock):
    assert [form(BODY).status for _ in range(4)] == [201] * 4
    clock.tick(timedelta(hours=23))
    assert form(changed_body(email="ANA.muster@company.example")).status == 201
    refused = form(BODY)
    assert (refused.status, refused.json["error"], refused.json["retry_after"]) == (429, "rate_limited", 3600)
    assert form(changed_body(email="ben@company.example")).status == 201
    clock.tick(timedelta(hours=1))
    assert form(BODY).status == 201
    assert len(stored_leads(with_people)) == 7


def test_references_are_unique(form, with_people, monkeypatch):
    letters = iter("222222222222333333")
    monkeypatch.setattr("engine.sales.enquiries.submit.__defaults__", (lambda alphabet: next(letters),))
    assert [form(BODY).json["referenceId"] for _ in range(2)] == ["HQE-222222", "HQE-333333"]


def test_the_answer_comes_after_the_commit(form, with_people):
    """Another connection sees the enquiry as soon as its reference is known."""
    reference = form(BODY).json["referenceId"]
    with with_people.reader() as connection:
        assert connection.execute(select(leads.c.id).where(leads.c.reference_id == reference)).first() is not None


def test_the_log_of_a_full_run_names_nobody(form, sign_in, with_people, caplog):
    """Enquiry, refusals, a failure of the store in the middle of a write, and the work of an administrator."""
    caplog.set_level(logging.DEBUG)
    lead = {**BODY, "name": "Zebulon Quick", "email": "zebulon@quick.example", "message": "Confidential xylophone"}
    assert form(lead).status == 201
    assert form({**lead, "website": "x"}).status == 201
    assert form({**lead, "email": "zebulon@quick"}).status == 400
    (row, _) = stored_leads(with_people)
    admin = sign_in()
    assert admin.get("/api/admin/leads?q=zebulon").json["total"] == 1
    assert admin.post(f"/api/admin/leads/{row['id']}/email", {"template": "first_response", "send": True}).status == 200
    assert admin.call("PATCH", f"/api/admin/leads/{row['id']}", {"notes": "Ask Zebulon"}).status == 200
    assert admin.get("/api/admin/leads/export?q=zebulon").status == 200
    with with_people._writer.begin() as connection:
        connection.exec_driver_sql("CREATE TRIGGER full BEFORE INSERT ON leads BEGIN SELECT RAISE(ABORT, 'full'); END")
    assert form(lead).status == 500
    assert "full" in caplog.text
    said = caplog.text.lower()
    for private in ("zebulon", "quick", "xylophone", "192.0.2."):
        assert private not in said


def test_a_database_error_shows_no_values(any_store):
    """Whatever fails, what people wrote is no part of the error's text."""
    row = {
        "org_id": "acme",
        "id": "1",
        "reference_id": "r",
        "email": "zebulon@quick.example",
        "stage": "nowhere",
        "priority": "low",
        "spam": False,
        "consent": True,
        "created_at": NOW,
        "revision": 1,
        "name": "Zebulon",
    }

    with any_store._writer.connect() as connection, pytest.raises(IntegrityError) as caught:
        connection.execute(insert(leads), [row])
    assert "parameters hidden" in str(caught.value)
