"""Everything at once, by the table of routes: what is not the caller's does not exist, and odd requests change nothing."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

import api
from engine.runtime.settings import Settings
from engine.store import PLATFORM, rows
from engine.store.schema import automation, outputs, services
from engine.web.admission.credentials import digest, new_secret
from engine.web.admission.limits import Limiter
from engine.web.handlers.reports import ReportHandler
from tests.conftest import NOW
from tests.web.conftest import people
from tests.whole_checks import assert_provable

WITH_ID = [r for r in api.ROUTES if "{id}" in r.path and r.access.code != "ASR"]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
BODIES = {  # what a route that needs a body might take: only the identifier is wrong
    "/api/copilot/threads/{id}/messages": {"content": "How are we doing?"},
    "/api/admin/leads/{id}": {"priority": "high"},
    "/api/admin/leads/{id}/email": {"template": "first_response"},
    "/api/admin/pilots/{id}": {"notes": "more"},
}
NO_OBJECT = [
    b"not json",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"a": NaN}',
    b'{"a": 1} x',
    b"[]",
    b'"x"',
    b"null",
    b"7",
    b'{"title": "x\\ud800y"}',
    b'{"title": "x\\ud800"}',
    b'{"title": "x\\u0000"}',
    b'{"title": "\xed\xa0\x80"}',
]
NO_IDENTIFIER = [
    "%00",
    "a%00b",
    "%FF",
    "%ED%A0%80",
    "x" * 5_000,
    "..",
    "a%2Fb",
    "'%20OR%201=1--",
    "%F0%9F%98%80",
    "%E2%80%AEevil",
    "%20",
    "%0D%0AX-Evil:%201",
]
SESSIONS = ("S", "S(owner, admin)", "S(owner, admin, operator)", "PADM", "S or limited per address")
BUILDS = {  # they take longest, and tests of their own hold them
    f"/api/governance/compliance/{name}"
    for name in ("workbook", "committee-meeting-pack", "committee-digest", "bundles", "bundles/scheduled")
}
WRITES = [
    r for r in api.ROUTES if r.method in ("POST", "PUT", "PATCH") and r.access.code in SESSIONS and "{id}" not in r.path
]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgresql, pytest.mark.real])])
def database_url(request):
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def with_people(any_store):
    """On each engine in turn."""
    people(any_store)
    yield any_store
    assert_provable(any_store)


@pytest.fixture
def environment(environment):
    secrets = {name: "s3cret" for name, _, _ in Settings().listing() if name.endswith("_CRON_SECRET")}
    return {**environment, **secrets}


@pytest.fixture
def ask(console, sign_in):
    """Ask as the owner of acme, who administers the platform too; no call uses up the share of another."""
    client = sign_in()

    def call(method, path, body=b"", **headers):
        console.gate = replace(console.gate, limiter=Limiter("memory://"))
        return client.call(method, path, body, **headers)

    return call


@pytest.fixture
def neighbour(with_people):
    """The organization other with one of each thing that a path can name, all of them called theirs."""
    known = {"id": "theirs", "created_at": NOW}
    token = {"label": "theirs", "owner": "owner@other.example", "prefix": "svc_", "last_four": "abcd"}
    with with_people.revision("other", "owner@other.example", now=NOW) as revision:
        service = {"id": "theirs", "name": "theirs", "criticality": 5}
        revision.insert(services.services, [service])
        incident = {"id": "theirs", "title": "Secret", "severity": "high", "status": "open", "opened_at": NOW}
        revision.insert(services.incidents, [incident])
        thread = {**known, "email": "owner@other.example", "title": "Secret"}
        revision.insert(automation.copilot_threads, [thread])
        for kind in ("api_key", "ingest", "assessor"):
            one = {**known, **token, "id": f"theirs-{kind}", "kind": kind, "secret_sha256": kind}
            revision.insert(outputs.credentials, [one])
        day = (NOW - timedelta(days=1)).date()
        bundle = {
            "id": "theirs",
            "requested_window": "30d",
            "window_start_on": day,
            "window_end_on": day,
            "created_by": "owner@other.example",
            "sealed_at": NOW,
            "sealed_seq": 1,
            "counts": {},
        }
        revision.insert(outputs.bundles, [bundle])
        revision.record("things.added")


def heads(store):
    return [store.head(org) for org in ("acme", "other", PLATFORM)]


def path_of(route, identifier):
    return route.path.replace("{id}", identifier)


def fits(pattern, path):
    """``/bundles/scheduled`` is a route of its own and an identifier of ``/bundles/{id}`` too."""
    return re.fullmatch(pattern.replace("{id}", "[^/]+").replace("*", ".+"), path) is not None


def theirs(route):
    kinds = {"api-keys": "-api_key", "alert-ingest-tokens": "-ingest", "assessor-tokens": "-assessor"}
    return "theirs" + next((end for name, end in kinds.items() if f"/{name}/" in route.path), "")


def test_what_another_organization_has_answers_as_what_nobody_has(ask, neighbour, with_people):
    before = heads(with_people)
    told = []
    for route in WITH_ID:
        here, nowhere = theirs(route), "nobodys"
        body = BODIES.get(route.path, b"")
        real, invented = (ask(route.method, path_of(route, name), body) for name in (here, nowhere))
        same = real.body.decode().replace(here, nowhere) == invented.body.decode()
        if (real.status, invented.status, same) != (404, 404, True):
            told.append((route.method, route.path, real.status, invented.status, real.body))
    assert told == []
    assert heads(with_people)[0] == before[0]
    assert heads(with_people)[1] == before[1]


def test_their_owner_does_find_them(sign_in, neighbour):
    """Else the test before would show nothing."""
    client = sign_in("owner@other.example", "other")
    wanted = [r for r in WITH_ID if r.method == "GET" and "/admin/" not in r.path and "latest" not in r.path]
    statuses = {r.path: client.get(path_of(r, theirs(r))).status for r in wanted}
    archive = "/api/governance/compliance/bundles/{id}/download"
    assert statuses.pop(archive) in (404, 409), "it was never on the disk"
    assert set(statuses.values()) == {200}


def test_what_is_no_identifier_does_not_exist(ask, with_people):
    before = heads(with_people)
    answers = {}
    for route in WITH_ID:
        for odd in NO_IDENTIFIER:
            answer = ask(route.method, path_of(route, odd), BODIES.get(route.path, b""))
            answers[f"{route.method} {path_of(route, odd[:20])}"] = answer.status
    assert {name: status for name, status in answers.items() if status not in (400, 404)} == {}
    assert heads(with_people)[:2] == before[:2]


def test_a_body_that_is_no_object_is_400_everywhere_and_writes_nothing(ask, with_people):
    before = heads(with_people)
    answers = {}
    for route in WRITES:
        for body in NO_OBJECT:
            answer = ask(route.method, route.path, body)
            answers[f"{route.method} {route.path} {body[:20]!r}"] = (answer.status, answer.json.get("error"))
    assert {name: found for name, found in answers.items() if found[0] != 400} == {}
    assert heads(with_people) == before


def test_a_scheduled_run_reads_its_body_first(ask, with_people):
    before = heads(with_people)
    scheduled = [route for route in api.ROUTES if route.path.endswith("/scheduled")]
    answers = {r.path: ask("POST", r.path, b"not json", cookie=False, authorization="Bearer s3cret") for r in scheduled}
    assert {path: answer.status for path, answer in answers.items() if answer.status != 400} == {}
    assert heads(with_people) == before


@pytest.mark.real
def test_every_path_refuses_the_methods_that_it_does_not_have(ask, with_people):
    before = heads(with_people)
    wrong = []
    for path in sorted({route.path.replace("{id}", "some").replace("*", "some/where") for route in api.ROUTES}):
        methods = {route.method for route in api.ROUTES if fits(route.path, path)}
        methods |= {"HEAD"} if "GET" in methods else set()
        for method in set(METHODS) - methods:
            answer = ask(method, path, cookie=False)
            if (answer.status, answer.headers.get("allow")) != (405, ", ".join(sorted(methods))):
                wrong.append((method, path, answer.status))
    assert wrong == []
    assert heads(with_people) == before


@pytest.mark.real
def test_no_route_is_left_out(ask):
    """Signed in, with an empty object: whatever it says, it is no fault of ours. Reports have a test of their own."""
    broken = []
    for route in api.ROUTES:
        if route.path in BUILDS or isinstance(route.handler, ReportHandler):
            continue
        path = route.path.replace("{id}", "some").replace("*", "some/where")
        headers = {"authorization": "Bearer s3cret"} if route.access.code.startswith("CRON") else {}
        answer = ask(route.method, path, {} if route.method != "GET" else b"", **headers)
        configured = answer.status == 503 and answer.json["error"].endswith("_not_configured")
        if answer.status >= 500 and not configured:
            broken.append((route.method, route.path, answer.status, answer.body))
    assert broken == []


def test_an_unknown_parameter_is_refused_by_every_reading_route(ask):
    answers = {}
    for route in api.ROUTES:
        if route.method == "GET" and route.access.code in SESSIONS and not route.forwards:
            answers[route.path] = ask("GET", f"{route.path.replace('{id}', 'some')}?n%C3%B6=1").status
    assert {path: status for path, status in answers.items() if status not in (400, 404)} == {}


def test_a_bad_credential_takes_no_alert_and_no_finding(ask, sign_in, with_people, clock):
    """Missing, mistyped, of another kind, revoked, over: 401, and nothing is written."""
    secrets = {kind: new_secret(kind) for kind in ("api_key", "assessor")}
    dead = {"revoked": new_secret("ingest"), "over": new_secret("ingest")}
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        for name, secret in {**secrets, **dead}.items():
            row = {
                "id": name,
                "kind": name if name in secrets else "ingest",
                "label": name,
                "created_at": NOW,
                "owner": "owner@acme.example",
                "prefix": secret[:7],
                "last_four": secret[-4:],
                "secret_sha256": digest(secret),
                "expires_at": NOW if name == "over" else None,
                "revoked_at": NOW if name == "revoked" else None,
            }
            revision.insert(outputs.credentials, [row])
        revision.record("credentials.created")
    before = heads(with_people)
    fresh = new_secret("ingest")
    given = [f"Bearer {secret}" for secret in (*secrets.values(), *dead.values(), fresh, fresh[:-1], fresh * 500, "")]
    given += ["Basic b3duZXI6cHc=", "Bearer svc_ingest_\u00fc", "Bearer a b", "Bearer " + sign_in().cookie, "\x00", ""]
    told = {
        (path, value[:40], answer.json["error"])
        for path in ("/api/integrations/alerts", "/api/integrations/vulnerabilities")
        for value in given
        if (answer := ask("POST", path, {"title": "x", "status": "firing"}, authorization=value)).status != 401
    }
    assert told == set()
    assert heads(with_people) == before
    with with_people.reader() as connection:
        assert rows.many(connection, services.incidents, "acme") == []
