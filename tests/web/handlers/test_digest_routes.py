"""Digests over HTTP: previews, deliveries by hand and by cron, and buttons in the chat."""

from datetime import date, timedelta
from importlib import import_module

import pytest
from freezegun import freeze_time

import api
from engine.delivery.webhook import new_secret
from engine.model.errors import Unavailable
from engine.programme.staffing import approval_id
from engine.store.queries.sending.deliveries import set_endpoint
from engine.store.schema.automation import approvals
from engine.store.schema.controls import evidence_requests
from engine.store.schema.outputs import bundles, deliveries
from engine.store.schema.services import connections
from engine.store.schema.work import staffing_actions
from reports.digests import DIGESTS
from tests.conftest import NOW
from tests.web.handlers.test_approvals import CHAT, SECRET, click, sign, status_and_error, stored_rows

BASE = "/api/governance/compliance"
SCHEDULED = [route for route in api.ROUTES if route.path.endswith("/scheduled")]
SETTINGS = {route.path: route.access.code[5:-1] for route in SCHEDULED}
OURS = [f"{BASE}/{digest.route}" for digest in DIGESTS]
CHAIN = f"{BASE}/staffing-digest-auto-chain/scheduled"
SLA = f"{BASE}/evidence-request-sla"
HOOK = "https://hooks.example.com/in"
TODAY = date(2026, 11, 20)


@pytest.fixture
def environment(environment):
    secrets = {setting: f"secret of {setting}" for setting in SETTINGS.values()}
    mail = {"SVC_SMTP_URL": "smtp://127.0.0.1:2525", "SVC_SMTP_FROM": "hq@acme.example"}
    chat = {"SVC_CHAT_WEBHOOK_URL": "http://127.0.0.1:2526/x", "SVC_CHAT_SIGNING_SECRET": SECRET}
    return {**environment, **secrets, **mail, **chat}


@pytest.fixture
def busy(with_people):
    """acme and other with an overdue request and an overdue staffing action each; acme with chat and webhook."""
    for org in ("acme", "other"):
        with with_people.revision(org, "setup", now=NOW) as revision:
            revision.insert(
                evidence_requests,
                [
                    {
                        "id": "R1",
                        "framework": "soc2",
                        "control_id": "CC6.1",
                        "title": f"Sample of {org}",
                        "priority": "P1",
                        "requester": "auditor@firm.example",
                        "owner": f"member@{org}.example",
                        "opened_on": TODAY - timedelta(days=10),
                    }
                ],
            )
            revision.insert(
                staffing_actions,
                [
                    {
                        "id": "a1",
                        "week": "2026-W44",
                        "kind": "borrow",
                        "owner": f"member@{org}.example",
                        "relief_hours": 4.0,
                        "status": "open",
                        "proposed_on": date(2026, 10, 1),
                    }
                ],
            )
            revision.record("records.prepared")
    with_people.write("acme", "t", lambda revision: set_endpoint(revision, "chat", "#compliance", []), now=NOW)
    with_people.write("acme", "t", lambda revision: set_endpoint(revision, "webhook", HOOK, [new_secret()]), now=NOW)
    return with_people


@pytest.fixture
def cron(sign_in):
    """POST with the secret of a route, that route's own unless another is named."""

    def call(path, body=b"", of=None):
        secret = f"secret of {SETTINGS[of or path]}"
        return sign_in(None).post(path, body, authorization=f"Bearer {secret}")

    return call


# -- by hand -----------------------------------------------------------------------------------------------------------


def test_what_the_preview_says_is_what_is_delivered(busy, sign_in):
    owner = sign_in()
    preview = owner.get(SLA)
    assert preview.headers["x-delivery-channels"] == "email, webhook"
    answer = owner.post(SLA)
    found = answer.json
    assert (answer.status, found["outcome"], found["period"]) == (200, "delivered", "2026-W47")
    assert found["content_hash"] == preview.headers["x-content-hash"]
    (hook,) = stored_rows(busy, deliveries, channel="webhook")
    assert (hook["payload"], hook["content_hash"]) == (preview.json, found["content_hash"])
    assert {row["recipient"] for row in found["deliveries"]} == {
        "admin@acme.example",
        "member@acme.example",
        "owner@acme.example",
        HOOK,
    }
    assert {row["status"] for row in found["deliveries"]} == {"pending"}
    assert stored_rows(busy, deliveries, "other") == []


def test_the_hash_of_a_preview_stays_while_only_other_things_are_written(busy, sign_in):
    owner = sign_in()
    before = owner.get(SLA).headers["x-content-hash"]
    with busy.revision("acme", "t", now=NOW) as revision:
        revision.record("something.else")
    assert owner.get(SLA).headers["x-content-hash"] == before


def test_a_preview_says_that_nothing_would_leave(busy, sign_in):
    assert sign_in("owner@other.example", "other").get(SLA).headers["x-delivery-channels"] == "email"
    assert sign_in("owner@other.example", "other").get(SLA + "?format=csv").headers.get("x-content-hash") is None


@pytest.mark.real
def test_every_digest_answers_by_hand_and_again(busy, sign_in):
    admin, left, outcomes = sign_in("admin@acme.example"), 0, set()
    for path in OURS:
        first = admin.post(path).json
        again = admin.post(path, {}).json
        expected = "already_delivered" if first["outcome"] == "delivered" else first["outcome"]
        assert (path, again["outcome"], again["period"]) == (path, expected, first["period"])
        left += len(first["deliveries"])
        outcomes.add(first["outcome"])
        assert len(stored_rows(busy, deliveries)) == left, path
    assert outcomes == {"delivered", "empty"}


@pytest.mark.parametrize("digest", [digest for digest in DIGESTS if digest.for_admins], ids=lambda digest: digest.name)
def test_members_may_not_send_what_admins_send(digest, busy, sign_in):
    head = busy.head("acme")
    assert status_and_error(sign_in("member@acme.example").post(f"{BASE}/{digest.route}")) == (403, "role_required")
    assert busy.head("acme") == head


@pytest.mark.parametrize(
    "body",
    [b"[]", b"{", {"orgId": "other"}, {"sendEmpty": 1}, {"periodDays": 0}, {"periodDays": 731}, {"periodDays": "7"}],
)
def test_a_malformed_body_changes_nothing(body, busy, sign_in):
    head = busy.head("acme")
    assert status_and_error(sign_in().post(SLA, body)) == (400, "invalid_body")
    assert busy.head("acme") == head


@pytest.mark.real
def test_a_period_is_refused_where_the_report_has_none(busy, sign_in):
    head = busy.head("acme")
    assert status_and_error(sign_in().post(f"{BASE}/sla-reminders", {"periodDays": 7})) == (400, "invalid_parameter")
    assert busy.head("acme") == head
    assert sign_in().post(f"{BASE}/digest", {"periodDays": 7, "sendEmpty": True}).json["outcome"] == "delivered"
    assert stored_rows(busy, deliveries, channel="webhook")[0]["payload"]["parameters"] == {"periodDays": 7}


def test_an_empty_digest_is_sent_on_request_alone(with_people, sign_in):
    owner = sign_in()
    assert owner.post(f"{BASE}/staffing-action-reminders").json["outcome"] == "empty"
    assert stored_rows(with_people, deliveries) == []
    assert owner.post(f"{BASE}/staffing-action-reminders", {"sendEmpty": True}).json["outcome"] == "delivered"


# -- by cron -----------------------------------------------------------------------------------------------------------


def test_fourteen_routes_are_scheduled_each_with_a_secret_of_its_own():
    assert set(SETTINGS) == {*(f"{path}/scheduled" for path in OURS), CHAIN, f"{BASE}/bundles/scheduled"}
    assert len(SETTINGS) == len(set(SETTINGS.values())) == 14


@pytest.mark.parametrize("path", SETTINGS)
def test_only_its_own_secret_opens_a_scheduled_route(path, busy, cron, sign_in):
    head = busy.head("acme")
    others = [status_and_error(cron(path, {"orgId": "acme"}, of=other)) for other in SETTINGS if other != path]
    assert others == [(401, "invalid_cron_secret")] * 13
    assert status_and_error(sign_in(None).post(path, authorization="Bearer wrong")) == (401, "invalid_cron_secret")
    assert sign_in().post(path).status == 401
    assert busy.head("acme") == head


@pytest.mark.real
@pytest.mark.parametrize("paths", [[path for path in SETTINGS if path != CHAIN], [CHAIN]], ids=["each", "chain"])
def test_a_scheduled_route_is_idempotent(paths, busy, cron):
    """The chain sends what others of them do: where it comes first, they have nothing left to send."""
    for path in paths:
        first = cron(path, {"orgId": "acme"})
        rows, head = [stored_rows(busy, table) for table in (deliveries, bundles)], busy.head("acme")
        again = cron(path, {"orgId": "acme"})
        assert (path, first.status, again.status) == (path, 200, 200), first.body
        assert ([stored_rows(busy, table) for table in (deliveries, bundles)], busy.head("acme")) == (rows, head), path
        assert stored_rows(busy, deliveries, "other") == stored_rows(busy, bundles, "other") == []


def test_without_an_organization_every_one_that_wants_it(busy, cron):
    found = cron(f"{SLA}/scheduled").json
    assert [(run["org_id"], run["outcome"]) for run in found["runs"]] == [("acme", "delivered"), ("other", "delivered")]
    again = cron(f"{SLA}/scheduled", {}).json
    assert {run["outcome"] for run in again["runs"]} == {"already_delivered"}


def test_an_organization_without_a_way_out_is_left_alone(busy, console, cron):
    object.__setattr__(console.services.settings, "smtp_url", "")
    assert [run["org_id"] for run in cron(f"{SLA}/scheduled").json["runs"]] == ["acme"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"orgId": "nobody"}, (404, "unknown_organization")),
        ({"orgId": ""}, (400, "invalid_body")),
        ({"orgId": 7}, (400, "invalid_body")),
        ({"orgId": "acme", "window": "30d"}, (400, "invalid_body")),
        ({"orgId": "platform"}, (404, "unknown_organization")),
    ],
)
def test_a_wrong_body_is_refused(body, expected, busy, cron):
    assert status_and_error(cron(f"{SLA}/scheduled", body)) == expected
    assert status_and_error(cron(CHAIN, body)) == expected
    assert stored_rows(busy, deliveries) == []


@pytest.mark.real
def test_the_chain_is_one_run_a_day(busy, cron):
    first = cron(CHAIN, {"orgId": "acme"}).json
    assert [step["outcome"] for step in first["steps"]] == ["delivered", "delivered", "empty"]
    assert (first["outcome"], first["day"]) == ("completed", "2026-11-20")
    again = cron(CHAIN, {"orgId": "acme"}).json
    assert (again["outcome"], again["run_id"]) == ("already_delivered", first["run_id"])
    assert [run["outcome"] for run in cron(CHAIN).json["runs"]] == ["already_delivered", "completed"]
    with freeze_time(NOW + timedelta(days=1)):
        assert cron(CHAIN, {"orgId": "acme"}).json["run_id"] != first["run_id"]


def test_one_organization_that_fails_is_named_and_the_others_are_served(busy, cron, monkeypatch):
    module = import_module("engine.digests.content")
    plain = module.content

    def content(snapshot, digest, query):
        if snapshot.org_id == "acme":
            raise Unavailable("The replica is being rebuilt.")
        return plain(snapshot, digest, query)

    monkeypatch.setattr(module, "content", content)
    answer = cron(f"{SLA}/scheduled")
    assert status_and_error(answer) == (500, "digest_failed")
    assert answer.json["details"] == [
        {"org_id": "acme", "outcome": "failed", "message": "The replica is being rebuilt."}
    ]
    assert (stored_rows(busy, deliveries), len(stored_rows(busy, deliveries, "other"))) == ([], 3)


@pytest.mark.real
def test_an_organization_that_cannot_even_say_what_it_wants_fails_alone(busy, cron, monkeypatch):
    module = import_module("engine.web.handlers.digests")
    plain = module.wants

    def wants(services, digest, org_id):
        if org_id == "acme":
            raise ValueError("an address that cannot be read: ann@acme.example")
        return plain(services, digest, org_id)

    monkeypatch.setattr(module, "wants", wants)
    for path in (f"{SLA}/scheduled", CHAIN):
        answer = cron(path)
        assert (status_and_error(answer), "1 of 2 organizations" in answer.json["message"]) == (
            (500, "digest_failed"),
            True,
        )
        assert answer.json["details"] == [
            {"org_id": "acme", "outcome": "failed", "message": "It failed on our side; the log has it."}
        ]
    assert {row["kind"] for row in stored_rows(busy, deliveries, "other")} >= {SLA.rsplit("/", 1)[1]}


# -- buttons -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def reminder_button(busy, sign_in):
    with busy.revision("acme", "owner@acme.example", now=NOW) as revision:
        names = {f"U{role.upper()}": f"{role}@acme.example" for role in ("owner", "admin", "member")}
        revision.insert(
            connections,
            [
                {
                    "id": "chat",
                    "kind": "chat",
                    "name": "Chat",
                    "settings": {"team_id": "T1", "members": names},
                    "created_by": "owner@acme.example",
                    "created_at": NOW,
                }
            ],
        )
        revision.record("connection.created")
    assert sign_in().post(f"{BASE}/staffing-action-reminders").json["outcome"] == "delivered"
    return f"acme:{approval_id('acme', 'a1')}:approve"


@pytest.mark.parametrize("user", ["UMEMBER", "UOWNER", "UADMIN"])
def test_a_button_completes_the_action_of_whoever_may_say_so(user, reminder_button, busy, sign_in):
    """The member owns the action; owners and admins may decide anyhow, also when they sent the reminder."""
    body = click(reminder_button, user=user)
    answer = sign_in(None).post(CHAT, body, **sign(body))
    assert (answer.status, answer.body) == (200, b"")
    (action,) = stored_rows(busy, staffing_actions)
    assert (action["status"], action["completed_on"]) == ("completed", TODAY)
    assert stored_rows(busy, approvals)[0]["decided_by"] == f"{user[1:].lower()}@acme.example"
    again = click(reminder_button, user="UOWNER", at="9.0")
    assert sign_in(None).post(CHAT, again, **sign(again)).json["approval"]["status"] == "approved"


def test_an_action_that_is_done_already_is_not_completed_again(reminder_button, busy, sign_in):
    with busy.revision("acme", "t", now=NOW) as revision:
        revision.update(staffing_actions, {"id": "a1"}, {"status": "completed", "completed_on": date(2026, 11, 1)})
        revision.record("staffing.completed")
    body = click(reminder_button)
    assert status_and_error(sign_in(None).post(CHAT, body, **sign(body))) == (409, "not_under_way")
    assert stored_rows(busy, staffing_actions)[0]["completed_on"] == date(2026, 11, 1)
    assert stored_rows(busy, approvals)[0]["status"] == "pending"


def test_a_member_may_not_complete_what_is_somebody_elses(reminder_button, busy, sign_in):
    with busy.revision("acme", "t", now=NOW) as revision:
        revision.update(staffing_actions, {"id": "a1"}, {"owner": "eve@acme.example"})
        revision.record("staffing.changed")
    body = click(reminder_button, user="UMEMBER")
    assert status_and_error(sign_in(None).post(CHAT, body, **sign(body))) == (403, "role_required")
