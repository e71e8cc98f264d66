"""Who gets in: sessions, roles, tokens, secrets; one kind of credential never opens another's door."""

from datetime import timedelta

import jwt
import pytest

from engine.model.errors import Unavailable
from engine.store import Store
from engine.store.schema.organizations import memberships
from engine.store.schema.outputs import credentials
from engine.web.admission.credentials import digest, new_secret, well_formed
from tests.conftest import NOW
from tests.web.client import Client
from tests.web.conftest import SECRET

REPORT = "/api/governance/compliance/summary"
BUNDLES = "/api/governance/compliance/bundles"
CONNECTIONS = "/api/integrations/connections"
ALERTS = "/api/integrations/alerts"
VULNERABILITIES = "/api/integrations/vulnerabilities"
LIVE = {  # bodies that are taken
    ALERTS: {"title": "Disk full", "status": "firing"},
    VULNERABILITIES: {"finding_id": "F-1", "title": "Old library", "host": "db1", "severity": "low"},
}
SCHEDULED = "/api/governance/compliance/digest/scheduled"


def word(answer):
    return answer.status, answer.json.get("error")


def token(**claims):
    given = {"sub": "owner@acme.example", "org": "acme", "exp": NOW + timedelta(hours=1), **claims}
    return jwt.encode({k: v for k, v in given.items() if v is not None}, SECRET, algorithm="HS256")


def test_a_member_reads_reports(sign_in):
    assert sign_in("member@acme.example").get(REPORT).status == 200


@pytest.mark.parametrize(
    ("claims", "error"),
    [
        ({"sub": None}, "invalid_session"),
        ({"org": None}, "invalid_session"),
        ({"exp": None}, "invalid_session"),
        ({"exp": NOW - timedelta(seconds=1)}, "session_expired"),
        ({"org": "other"}, "not_a_member"),
        ({"org": "nobody"}, "not_a_member"),
        ({"sub": "stranger@acme.example"}, "not_a_member"),
    ],
)
def test_sessions_that_do_not_hold_are_refused(claims, error, console, clock):
    assert word(Client(console, token(**claims)).get(REPORT)) == (401, error)


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "ü" * 40, token()[:-2] + "xx"])
def test_cookies_that_are_no_session_are_refused(cookie, console, clock):
    assert Client(console, cookie).get(REPORT).status == 401


def test_a_token_without_signature_is_refused(console, clock):
    unsigned = jwt.encode({"sub": "owner@acme.example", "org": "acme", "exp": NOW + timedelta(hours=1)}, None, "none")
    assert word(Client(console, unsigned).get(REPORT)) == (401, "invalid_session")


def test_a_browser_that_followed_a_link_is_told_to_sign_in_and_machines_get_the_error(console, clock):
    client = Client(console)
    page = client.get(f"{REPORT}?format=html", accept="text/html,application/xhtml+xml")
    assert (page.status, page.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert b"Sign in to" in page.body
    assert "script" not in page.headers["content-security-policy"]
    assert word(client.get(f"{REPORT}?format=html", accept="application/json")) == (401, "unauthorized")
    assert word(client.get(REPORT, accept="text/html")) == (401, "unauthorized")


def test_a_session_ends_when_its_time_is_over(sign_in, clock):
    client = sign_in()
    assert client.get(REPORT).status == 200
    clock.tick(timedelta(hours=12, seconds=1))
    assert word(client.get(REPORT)) == (401, "session_expired")


def test_a_removed_member_is_out_at_the_next_request(sign_in, with_people):
    client = sign_in("member@acme.example")
    assert client.get(REPORT).status == 200
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.update(memberships, {"email": "member@acme.example"}, {"status": "removed"})
        revision.record("member.removed")
    assert word(client.get(REPORT)) == (401, "not_a_member")


@pytest.mark.real
@pytest.mark.parametrize(
    ("path", "allowed"), [(BUNDLES, {"owner", "admin"}), (CONNECTIONS, {"owner", "admin", "operator"})]
)
def test_roles_are_enforced(path, allowed, sign_in):
    for role in ("owner", "admin", "operator", "member"):
        answer = sign_in(f"{role}@acme.example").post(path, {})
        assert (answer.status != 403) == (role in allowed), role
        if role not in allowed:
            assert answer.json["error"] == "role_required"


def test_platform_routes_need_the_allowlist(sign_in):
    assert sign_in("owner@acme.example").get("/api/admin/leads").status == 200
    assert word(sign_in("admin@acme.example").get("/api/admin/leads")) == (403, "platform_admin_required")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 400),
        ({"origin": "http://localhost:8080"}, 400),
        ({"sec_fetch_site": "same-origin"}, 400),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site", "origin": "http://localhost:8080"}, 403),
    ],
)
def test_writes_with_the_cookie_come_from_our_own_pages(headers, status, sign_in):
    """400: let in, and told that the window is none."""
    assert sign_in().post(BUNDLES, {"window": "soon"}, **headers).status == status


def test_reading_from_another_site_is_left_to_the_browser(sign_in):
    assert sign_in().get(REPORT, origin="https://evil.example").status == 200


def keep(store, kind, **values):
    secret = new_secret(kind)
    with store.revision("acme", "owner@acme.example", now=NOW) as revision:
        row = {
            "id": f"c-{kind}",
            "kind": kind,
            "label": "test",
            "owner": "owner@acme.example",
            "prefix": secret[:7],
            "last_four": secret[-4:],
            "secret_sha256": digest(secret),
            "created_at": NOW,
            **values,
        }
        revision.insert(credentials, [row])
        revision.record("credential.created", object_id=row["id"])
    return secret


DOORS = {
    "ingest": ("POST", ALERTS),
    "assessor": ("GET", "/api/governance/compliance/assessor/workbook"),
    "api_key": ("GET", "/api/reasoning/models"),
}


@pytest.mark.parametrize("kind", DOORS)
@pytest.mark.parametrize("door", DOORS)
def test_a_token_opens_only_its_own_door(kind, door, sign_in, with_people):
    secret = keep(with_people, kind)
    method, path = DOORS[door]
    answer = sign_in(None).call(method, path, {} if method == "POST" else b"", authorization=f"Bearer {secret}")
    assert (answer.status != 401) == (kind == door)


def test_an_api_key_may_come_in_its_own_header(sign_in, with_people):
    secret = keep(with_people, "api_key")
    assert sign_in(None).get("/api/robot/x", x_svc_api_key=secret).status == 503, "let in, and no backend is set"
    assert word(sign_in(None).get(REPORT, x_svc_api_key=secret)) == (401, "unauthorized")


@pytest.mark.parametrize("values", [{"revoked_at": NOW}, {"expires_at": NOW}])
def test_dead_tokens_are_refused(values, sign_in, with_people):
    secret = keep(with_people, "ingest", **values)
    answer = sign_in(None).post(ALERTS, {}, authorization=f"Bearer {secret}")
    assert word(answer) == (401, "invalid_credential")


@pytest.mark.parametrize("path", LIVE)
def test_a_token_that_another_process_revoked_writes_nothing_more(path, sign_in, with_people):
    """It was seen alive here, and is told dead before its body is judged."""
    secret = keep(with_people, "ingest")
    client = sign_in(None)
    assert client.post(path, LIVE[path], authorization=f"Bearer {secret}").status == 200
    elsewhere = Store(with_people.url)
    with elsewhere.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.update(credentials, {"id": "c-ingest"}, {"revoked_at": NOW})
        revision.record("token.revoked")
    head = elsewhere.head("acme")
    assert word(client.post(path, {"title": 1}, authorization=f"Bearer {secret}")) == (401, "invalid_credential")
    assert word(client.post(path, LIVE[path], authorization=f"Bearer {secret}")) == (401, "invalid_credential")
    assert elsewhere.head("acme") == head
    elsewhere.close()


@pytest.mark.parametrize("path", LIVE)
def test_a_use_that_cannot_be_noted_does_not_take_back_what_was_written(path, sign_in, with_people, monkeypatch):
    def note(*_):
        raise Unavailable("The store is locked.", word="store_unavailable")

    secret = keep(with_people, "ingest")
    monkeypatch.setattr(with_people.uses, "note", note)
    assert sign_in(None).post(path, LIVE[path], authorization=f"Bearer {secret}").status == 200


def test_a_dead_token_is_told_so_even_when_something_breaks(sign_in, with_people, monkeypatch):
    secret = keep(with_people, "ingest")
    client = sign_in(None)
    assert client.post(ALERTS, LIVE[ALERTS], authorization=f"Bearer {secret}").status == 200
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.update(credentials, {"id": "c-ingest"}, {"revoked_at": NOW})
        revision.record("token.revoked")
    monkeypatch.setattr("engine.incidents.alerts.bodies.read_batch", None)
    assert word(client.post(ALERTS, LIVE[ALERTS], authorization=f"Bearer {secret}")) == (401, "invalid_credential")


def test_a_session_does_not_open_the_door_of_tokens(sign_in):
    assert sign_in().post(ALERTS, {}).status == 401


def test_secrets_carry_a_checksum_against_typing_errors():
    secret = new_secret("ingest")
    assert well_formed(secret, "ingest")
    assert not well_formed(secret[:-1] + ("A" if secret[-1] != "A" else "B"), "ingest")
    assert not well_formed(secret, "assessor")
    assert not well_formed("", "ingest")


def test_a_cron_secret_opens_its_own_route_only(environment, request):
    environment["SVC_DIGEST_CRON_SECRET"] = "s3cret"
    client = request.getfixturevalue("sign_in")(None)
    assert client.post(SCHEDULED, {}, authorization="Bearer s3cret").status == 200
    assert word(client.post(SCHEDULED, {}, authorization="Bearer other")) == (401, "invalid_cron_secret")
    other = SCHEDULED.replace("digest", "sla-reminders")
    assert word(client.post(other, {}, authorization="Bearer s3cret")) == (401, "invalid_cron_secret")


def test_an_unset_cron_secret_opens_nothing(sign_in):
    assert word(sign_in(None).post(SCHEDULED, {}, authorization="Bearer ")) == (401, "unauthorized")
    assert sign_in(None).post(SCHEDULED, {}, authorization="Bearer x").status == 401


def test_session_mode_serves_one_local_user(environment, request):
    environment["SVC_SESSION_AUTH"] = "off"
    client = request.getfixturevalue("sign_in")(None)
    assert client.get(REPORT).json["organization"]["id"] == "acme"
