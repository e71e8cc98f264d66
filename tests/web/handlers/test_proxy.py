"""The connectors pass on what concerns the backend, keep what concerns us, and say what went wrong."""

import gzip
import logging
import socket
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from http.client import HTTPConnection
from urllib.parse import urlsplit

import httpx
import pytest

from engine.cli import hq
from engine.store.schema.outputs import credentials
from engine.web.admission.credentials import digest, new_secret
from engine.web.handlers import connectors, proxy
from tests.conftest import NOW
from tests.copilot.standin import backend, serve
from tests.web.client import Client

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(autouse=True)
def fresh_connections():
    """Connections to servers that are gone are closed with the test that made them."""
    yield
    proxy.client().close()
    proxy.client.cache_clear()


@pytest.fixture
def respond():
    """What the backend does; a test may replace ``respond["with"]``."""
    return {"with": lambda seen, wire: wire.json({"ok": True})}


@pytest.fixture
def upstream(respond, environment):
    with backend(lambda seen, wire: respond["with"](seen, wire)) as made:
        environment["SVC_REASONING_URL"] = f"{made.url}/base"
        environment["SVC_REASONING_TOKEN"] = "upstream-secret"
        yield made


@pytest.fixture
def robot(environment):
    with backend(lambda seen, wire: wire.json({"robot": True})) as made:
        environment["SVC_ROBOT_URL"] = made.url
        yield made


def raw(address, request):
    """What a server answers to these very bytes, status first."""
    with closing(socket.create_connection(urlsplit(address).netloc.split(":"), timeout=10)) as connection:
        connection.sendall(request)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    answer = b"".join(parts)
    return int(answer.split()[1]), answer


def ask_for(address, target, cookie):
    return raw(
        address,
        f"GET {target} HTTP/1.1\r\nHost: x\r\nCookie: svc_session={cookie}\r\nConnection: close\r\n\r\n".encode(),
    )


# what goes to the backend


@pytest.mark.parametrize("method", METHODS)
def test_method_path_query_and_body_arrive(method, upstream, sign_in):
    body = b"" if method == "GET" else b'{"a": 1}'
    answer = sign_in().call(method, "/api/reasoning/v1/models?b=2&a=1&a=%20x", body)
    (seen,) = upstream.seen
    assert (answer.status, answer.json) == (200, {"ok": True})
    assert (seen.method, seen.target, seen.body) == (method, "/base/v1/models?b=2&a=1&a=%20x", body)


def test_each_connector_has_its_own_backend(upstream, robot, sign_in):
    assert sign_in().get("/api/robot/run").json == {"robot": True}
    assert [seen.target for seen in robot.seen] == ["/run"]
    assert upstream.seen == []


def test_credentials_stay_here_and_safe_headers_go_on(upstream, console, sign_in):
    headers = {
        "Accept": "text/plain",
        "Accept-Language": "de",
        "Content-Type": "application/json",
        "User-Agent": "probe/1",
        "X-Request-Id": "trace-12345678",
        "Idempotency-Key": "k1",
        "Traceparent": "00-ab-cd-01",
        "Cookie": f"svc_session={sign_in().cookie}",
        "X-Forwarded-For": "10.0.0.9",
        "X-Internal": "1",
        "TE": "trailers",
        "Proxy-Authorization": "Basic eA==",
        "Connection": "close, Traceparent",
    }
    with serve(console) as address, closing(HTTPConnection(address.removeprefix("http://"))) as connection:
        connection.request("POST", "/api/reasoning/x", b"{}", headers)
        assert connection.getresponse().status == 200
    (seen,) = upstream.seen
    assert {name.lower(): value for name, value in seen.headers if name.lower() not in ("host", "connection")} == {
        "accept": "text/plain",
        "accept-encoding": "identity",
        "accept-language": "de",
        "authorization": "Bearer upstream-secret",
        "content-length": "2",
        "content-type": "application/json",
        "idempotency-key": "k1",
        "user-agent": "probe/1",
        "x-request-id": "trace-12345678",
    }


def test_an_api_key_opens_the_door_and_goes_no_further(robot, with_people, sign_in):
    secret = new_secret("api_key")
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        row = {
            "id": "k",
            "kind": "api_key",
            "label": "ci",
            "owner": "owner@acme.example",
            "prefix": "svc_sk_",
            "last_four": secret[-4:],
            "secret_sha256": digest(secret),
            "created_at": NOW,
        }
        revision.insert(credentials, [row])
        revision.record("api_key.created")
    for headers in ({"authorization": f"Bearer {secret}"}, {"x_svc_api_key": secret}):
        assert sign_in(None).get("/api/robot/run", **headers).status == 200
    assert secret not in str(robot.seen)
    assert [seen.header("authorization") for seen in robot.seen] == [None, None]


def test_nobody_gets_through_without_a_credential(upstream, sign_in):
    assert sign_in(None).get("/api/reasoning/x").status == 401
    assert upstream.seen == []


@pytest.mark.parametrize(
    ("target", "arrives"),
    [
        ("/api/reasoning/a%2Fb/%7Ec?q=%41+b&q=", "/base/a%2Fb/%7Ec?q=%41+b&q="),
        ("/api/reasoning/a;v=1/:x@y,z!$&'()*?a[]=1&b='?", "/base/a;v=1/:x@y,z!$&'()*?a[]=1&b='?"),
        ("/api/reasoning/%C3%A4/%E4%BD%A0", "/base/%C3%A4/%E4%BD%A0"),
        ("/api/reasoning/100%25", "/base/100%25"),
        ("/api/reasoning/dir/", "/base/dir/"),
        ("/api/reasoning//evil.example/x", "/base/evil.example/x"),
        ("/api/re%61soning/a%20b", "/base/a%20b"),
        ("/api/reasoning/a..b/...", "/base/a..b/..."),
        ("/api/reasoning/x?next=/../../etc", "/base/x?next=/../../etc"),
    ],
)
def test_percent_encoding_is_kept(target, arrives, upstream, console, sign_in):
    with serve(console) as address:
        status, _ = ask_for(address, target, sign_in().cookie)
    assert (status, [seen.target for seen in upstream.seen]) == (200, [arrives])


@pytest.mark.parametrize(
    "target",
    [
        "/api/reasoning/../secret",
        "/api/reasoning/a/../../secret",
        "/api/reasoning/%2e%2e/secret",
        "/api/reasoning/..%2fsecret",
        "/api/reasoning/%252e%252e%252fsecret",
        "/api/reasoning/..%5csecret",
        "/api/reasoning/..;x=1/secret",
        "/api/reasoning/a%0d%0aX:%20y",
        "/api/reasoning/%00",
        "/api/re%61soning/%2e%2e/secret",
        "/api/reasoning/" + "%" + "25" * 40 + "2e",
    ],
)
def test_no_path_leaves_its_base(target, upstream, console, sign_in):
    with serve(console) as address:
        status, answer = ask_for(address, target, sign_in().cookie)
    assert (status in (400, 404), upstream.seen) == (True, [])
    assert b'"error":"invalid_path"' in answer or b'"error":"no_such_route"' in answer


def test_a_body_over_one_mebibyte_is_413(upstream, sign_in):
    answer = sign_in().post("/api/reasoning/x", b"x" * (1024 * 1024 + 1))
    assert (answer.status, answer.json["error"], upstream.seen) == (413, "body_too_large", [])


# what comes back


def test_status_type_and_headers_come_back_without_cookies_and_hops(upstream, respond, sign_in):
    respond["with"] = lambda seen, wire: wire.answer(
        b"no tea",
        418,
        ("Content-Type", "text/x-pot"),
        ("X-Total", "3"),
        ("Link", "<a>"),
        ("Link", "<b>"),
        ("Set-Cookie", "svc_session=stolen"),
        ("Connection", "X-Hop"),
        ("X-Hop", "1"),
        ("Keep-Alive", "timeout=9"),
        ("Authorization", "Bearer x"),
        ("WWW-Authenticate", "Basic"),
        ("X-Frame-Options", "ALLOWALL"),
        ("Content-Security-Policy", "default-src *"),
        ("Access-Control-Allow-Origin", "*"),
        ("X-Accel-Redirect", "/etc"),
        ("Cache-Control", "public, max-age=9"),
        ("Server", "pot/1"),
        ("X-Request-Id", "theirs"),
    )
    answer = sign_in().get("/api/reasoning/tea", x_request_id="trace-12345678")
    assert (answer.status, answer.body) == (418, b"no tea")
    assert answer.headers == {
        "content-type": "text/x-pot",
        "content-length": "6",
        "x-total": "3",
        "link": "<a>, <b>",
        "x-request-id": "trace-12345678",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "vary": "Accept, Authorization, Cookie",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }


@pytest.mark.parametrize("status", [301, 302, 307])
def test_redirects_are_the_callers_to_follow(status, upstream, respond, sign_in):
    respond["with"] = lambda seen, wire: wire.answer(b"", status, ("Location", "https://else.example/x"))
    answer = sign_in().get("/api/reasoning/x")
    assert (answer.status, answer.headers["location"]) == (status, "https://else.example/x")
    assert len(upstream.seen) == 1


@pytest.mark.parametrize("status", [204, 304, 404, 429, 500, 503])
def test_every_status_is_passed(status, upstream, respond, sign_in):
    respond["with"] = lambda seen, wire: wire.start(status, ("Content-Length", "0"), ("Retry-After", "7"))
    answer = sign_in().get("/api/reasoning/x")
    assert (answer.status, answer.headers["retry-after"], answer.body) == (status, "7", b"")


def test_an_encoded_body_stays_encoded(upstream, respond, console, sign_in):
    packed = gzip.compress(b"word " * 1000)
    respond["with"] = lambda seen, wire: wire.answer(packed, 200, ("Content-Encoding", "gzip"))
    answer = sign_in().get("/api/reasoning/x", accept_encoding="gzip")
    assert upstream.seen[0].header("accept-encoding") == "gzip"
    assert (answer.body, answer.headers["content-encoding"]) == (packed, "gzip")
    with serve(console) as address:
        got = httpx.get(f"{address}/api/reasoning/x", headers={"cookie": f"svc_session={sign_in().cookie}"})
    assert got.text == "word " * 1000


def test_the_answer_streams_through_as_it_arrives(upstream, respond, console, sign_in):
    go_on = threading.Event()

    def slowly(seen, wire):
        wire.start(200, ("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"))
        wire.chunk(b"first")
        go_on.wait(10)
        wire.chunk(b"second")
        wire.chunk(b"")

    respond["with"] = slowly
    headers = {"cookie": f"svc_session={sign_in().cookie}"}
    with serve(console) as address, httpx.stream("GET", f"{address}/api/reasoning/x", headers=headers) as answer:
        chunks = answer.iter_raw()
        first = next(chunks)
        go_on.set()
        assert (first, b"".join(chunks)) == (b"first", b"second")
        assert answer.headers["transfer-encoding"] == "chunked"
        assert "content-length" not in answer.headers


def test_a_client_that_leaves_ends_the_request_to_the_backend(upstream, respond, console, sign_in):
    def endless(seen, wire):
        wire.start(200, ("Transfer-Encoding", "chunked"))
        for _ in range(2000):
            wire.chunk(b"x" * 10_000)
            time.sleep(0.002)

    respond["with"] = endless
    headers = {"cookie": f"svc_session={sign_in().cookie}"}
    with serve(console) as address:
        with httpx.stream("GET", f"{address}/api/reasoning/x", headers=headers) as answer:
            next(answer.iter_raw())
        assert upstream.left.wait(10)


def test_a_backend_that_breaks_off_is_not_taken_for_whole(upstream, respond, console, sign_in, caplog):
    def broken(seen, wire):
        wire.start(200, ("Transfer-Encoding", "chunked"))
        wire.chunk(b"half")
        wire.hang_up()

    respond["with"] = broken
    headers = {"cookie": f"svc_session={sign_in().cookie}"}
    with serve(console) as address, pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{address}/api/reasoning/x", headers=headers)


# what goes wrong


def test_without_a_backend_it_is_503(sign_in):
    answer = sign_in().get("/api/robot/x")
    assert (answer.status, answer.json) == (
        503,
        {"error": "connector_not_configured", "message": "There is no robot backend; SVC_ROBOT_URL names one."},
    )


def test_an_unreachable_backend_is_502_and_its_address_stays_here(environment, request):
    environment["SVC_ROBOT_URL"] = "http://user:hunter2@127.0.0.1:1/base"
    answer = request.getfixturevalue("sign_in")().post("/api/robot/x", b"{}")
    assert (answer.status, answer.json) == (
        502,
        {"error": "upstream_unreachable", "message": "The robot backend cannot be reached."},
    )


def test_addresses_with_passwords_are_in_no_log():
    """The client notes every address whole, on the level that the program shows."""
    hq(["routes"])
    assert not logging.getLogger("httpx").isEnabledFor(logging.INFO)


def test_a_backend_that_hangs_up_is_502(upstream, respond, sign_in):
    respond["with"] = lambda seen, wire: wire.hang_up()
    answer = sign_in().get("/api/reasoning/x")
    assert (answer.status, answer.json["error"]) == (502, "upstream_unreachable")


@pytest.mark.parametrize("begun", [False, True])
def test_a_backend_that_takes_too_long_is_504(begun, upstream, respond, sign_in, monkeypatch):
    def late(seen, wire):
        if begun:
            wire.start(200, ("Content-Length", "5"))
        time.sleep(1)
        wire.hang_up()

    respond["with"] = late
    monkeypatch.setattr(proxy, "TIMEOUT", httpx.Timeout(0.2))
    proxy.client.cache_clear()
    answer = sign_in().get("/api/reasoning/x")
    assert (answer.status, answer.json["error"]) == (504, "upstream_timeout")


def test_a_hundred_and_twenty_requests_a_minute_are_for_each_user(console):
    now = datetime.now(UTC)  # limits count by the real clock
    member, admin = (
        Client(console, console.gate.sessions.issue(f"{who}@acme.example", "acme", now=now))
        for who in ("owner", "admin")
    )
    assert {member.get("/api/robot/x").status for _ in range(120)} == {503}
    for _ in range(3):  # a minute may have turned meanwhile
        answer = member.get("/api/reasoning/x")
    assert (answer.status, answer.json["error"]) == (429, "rate_limited")
    assert int(answer.headers["retry-after"]) == answer.json["retry_after"] > 0
    assert admin.get("/api/robot/x").status == 503


def test_the_token_of_a_backend_is_masked_in_the_settings(environment, console):
    environment.update(SVC_ROBOT_URL="https://u:p@robot.example/", SVC_ROBOT_TOKEN="t0ken")
    from engine.runtime.settings import Settings

    shown = {name: value for name, value, _ in Settings.of(environment).listing()}
    assert (shown["SVC_ROBOT_URL"], shown["SVC_ROBOT_TOKEN"]) == ("set", "set")


@pytest.mark.parametrize(
    "address", ["robot.example", "ftp://x/", "http://", "http://x/?a=1", "http://x:99999", "http://x y"]
)
def test_an_address_that_is_none_is_refused_at_the_start(address):
    from engine.model.errors import Usage
    from engine.runtime.settings import Settings

    with pytest.raises(Usage, match="SVC_ROBOT_URL must be an http or https address without a query"):
        Settings.of({"SVC_ROBOT_URL": address})


# the status of the connectors


def test_nothing_configured_is_nothing_reachable(sign_in):
    nothing = {"configured": False, "reachable": False, "status": None, "latency_ms": None}
    answer = sign_in().get("/api/connectors/status")
    assert answer.json == {"checked_at": "2026-11-20T08:30:00Z", "reasoning": nothing, "robot": nothing}


def test_both_backends_are_probed(upstream, environment, request):
    environment["SVC_ROBOT_URL"] = "http://user:hunter2@127.0.0.1:1"
    answer = request.getfixturevalue("sign_in")().get("/api/connectors/status")
    found = {name: {**answer.json[name], "latency_ms": None} for name in ("reasoning", "robot")}
    assert found == {
        "reasoning": {"configured": True, "reachable": True, "status": 200, "latency_ms": None},
        "robot": {"configured": True, "reachable": False, "status": None, "latency_ms": None},
    }
    assert all(isinstance(answer.json[name]["latency_ms"], int) for name in found)
    assert b"hunter2" not in answer.body
    assert [(seen.target, seen.header("authorization")) for seen in upstream.seen] == [
        ("/base", "Bearer upstream-secret")
    ]


def test_a_slow_backend_is_not_waited_for(upstream, respond, sign_in, monkeypatch):
    monkeypatch.setattr(connectors, "PROBE_SECONDS", 0.2)
    respond["with"] = lambda seen, wire: (time.sleep(1), wire.hang_up())
    assert sign_in().get("/api/connectors/status").json["reasoning"]["reachable"] is False


def test_a_probe_stands_for_ten_seconds(upstream, sign_in, clock):
    member = sign_in()
    for _ in range(3):
        member.get("/api/connectors/status")
    assert len(upstream.seen) == 1
    clock.tick(10)
    member.get("/api/connectors/status")
    assert len(upstream.seen) == 2


def test_the_status_takes_no_parameters(sign_in):
    answer = sign_in().get("/api/connectors/status?deep=1")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    assert sign_in(None).get("/api/connectors/status").status == 401
