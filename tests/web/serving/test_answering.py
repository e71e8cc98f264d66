"""Who answers a request: the loop from memory, a lane's thread alone, or one thread for several that write together."""

import io
import json
import threading
from contextlib import ExitStack

import pytest

from engine.store.schema.organizations import memberships
from engine.web.lanes import Lane
from engine.web.serving import dispatcher
from engine.web.serving.dispatcher import LaneDispatcher
from tests.conftest import NOW
from tests.web.attacks import connect, head
from tests.web.served import behind_waitress, until

REPORT = "/api/governance/compliance/posture-score"
UNMOVED = "/api/governance/compliance/obligation-rollup"
ALERTS = "/api/integrations/alerts"


def environ_of(method, path, body=b"", **more):
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_HOST": "localhost",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http",
        "SCRIPT_NAME": "",
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        **more,
    }


def send(console, environ):
    """Status, headers and body of what the application sends."""
    seen = []
    body = b"".join(console.wsgi(environ, lambda status, headers, error=None: seen.append((status, dict(headers)))))
    return (*seen[0], body)


def signed_environ(client, path=REPORT, **more):
    return environ_of("GET", path, HTTP_COOKIE=f"svc_session={client.cookie}", **more)


def test_a_report_is_recalled_once_it_was_made_and_is_the_same(console, sign_in):
    client = sign_in()
    environ = signed_environ(client)
    assert not console.serve_from_cache(environ)
    made = client.get(REPORT)
    assert console.serve_from_cache(environ)
    status, headers, body = send(console, environ)
    assert (status, body) == ("200 OK", made.body)
    own = ("X-Request-Id",)
    assert {name.lower(): value for name, value in headers.items() if name not in own} == {
        name: value for name, value in made.headers.items() if name != "x-request-id"
    }


def test_an_unchanged_report_is_recalled_without_a_body(console, sign_in):
    client = sign_in()
    etag = client.get(REPORT).headers["etag"]
    environ = signed_environ(client, HTTP_IF_NONE_MATCH=etag)
    assert console.serve_from_cache(environ)
    status, headers, body = send(console, environ)
    assert (status, headers["ETag"], body) == ("304 Not Modified", etag, b"")
    assert not {"Content-Length", "Content-Type"} & set(headers)


def test_after_a_write_that_a_report_looks_at_it_is_recalled_once_it_was_made_again(console, sign_in):
    client = sign_in()
    client.get(REPORT)
    assert console.serve_from_cache(signed_environ(client))
    client.post("/api/user/alert-ingest-tokens", {"label": "one"})
    assert not console.serve_from_cache(signed_environ(client))
    client.get(REPORT)
    assert console.serve_from_cache(signed_environ(client))


def test_a_write_that_a_report_does_not_look_at_leaves_it_recalled(console, sign_in):
    client = sign_in()
    made = client.get(UNMOVED)
    client.post("/api/user/alert-ingest-tokens", {"label": "one"})
    environ = signed_environ(client, UNMOVED)
    assert console.serve_from_cache(environ)
    status, headers, body = send(console, environ)
    assert (status, headers["ETag"], body) == ("200 OK", made.headers["etag"], made.body)


def test_a_member_who_is_removed_is_not_answered_from_memory(console, sign_in):
    client = sign_in("member@acme.example")
    client.get(REPORT)
    assert console.serve_from_cache(signed_environ(client))
    with console.services.store.revision("acme", "ann", now=NOW) as revision:
        revision.delete(memberships, memberships.c.email == "member@acme.example")
        revision.record("member.removed", object_id="member@acme.example")
    assert client.get(REPORT).status == 401
    environ = signed_environ(client)
    assert not console.serve_from_cache(environ) or send(console, environ)[0] == "401 Unauthorized"


def test_a_session_that_nobody_checked_yet_is_left_to_a_thread(console, sign_in):
    client = sign_in()
    client.get(REPORT)
    other = sign_in("admin@acme.example")
    assert not console.serve_from_cache(signed_environ(other))
    assert not console.serve_from_cache(environ_of("GET", REPORT, HTTP_COOKIE="svc_session=forged"))


def test_a_download_that_is_noted_is_left_to_a_thread(console, sign_in):
    client = sign_in()
    client.call("GET", f"{REPORT}?format=csv")
    assert not console.serve_from_cache(signed_environ(client, QUERY_STRING="format=csv"))


@pytest.mark.parametrize(
    ("method", "path", "recalled", "joins"),
    [
        ("GET", REPORT, True, False),
        ("HEAD", REPORT, True, False),
        ("POST", ALERTS, False, True),
        ("GET", "/api/health", False, False),
        ("GET", "/nowhere", False, False),
        ("POST", REPORT, False, False),
    ],
)
def test_which_requests_are_looked_at_together_or_from_memory(console, method, path, recalled, joins):
    assert (console.cacheable(method, path), console.batchable(method, path)) == (recalled, joins)


def test_alerts_together_are_answered_as_each_alone(console, sign_in):
    secret = sign_in().post("/api/user/alert-ingest-tokens", {"label": "pager"}).json["secret"]

    def alert(body, token=secret):
        return environ_of("POST", ALERTS, body, HTTP_AUTHORIZATION=f"Bearer {token}", CONTENT_TYPE="application/json")

    bodies = [json.dumps({"title": "Disk full", "dedupe_key": key}).encode() for key in ("a", "a", "b")]
    environs = [*map(alert, bodies), alert(b"{"), alert(bodies[0], token="none")]
    before = console.services.store.head("acme").seq
    console.answer_together(environs)
    found = [send(console, environ) for environ in environs]
    assert [status for status, _, _ in found] == ["200 OK"] * 3 + ["400 Bad Request", "401 Unauthorized"]
    outcomes = [json.loads(body)["results"][0]["outcome"] for _, _, body in found[:3]]
    assert outcomes == ["created", "deduplicated", "created"]
    assert console.services.store.head("acme").seq > before
    assert len({headers["X-Request-Id"] for _, headers, _ in found}) == len(found)


def test_nobody_together_is_nothing(console):
    console.answer_together([])


def test_alerts_and_reports_over_one_connection_come_in_order(console, sign_in):
    """Pipelined: the second is there before the first is answered."""
    client = sign_in()
    secret = client.post("/api/user/alert-ingest-tokens", {"label": "pager"}).json["secret"]
    client.get(REPORT)
    body = json.dumps({"title": "Disk full", "dedupe_key": "a"}).encode()
    post = (
        f"POST {ALERTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    get = head("GET", REPORT, f"Cookie: svc_session={client.cookie}")
    with behind_waitress(console) as port, ExitStack() as closing:
        one = connect(closing, port)
        one.sendall(get + post + post + get)
        content = b""
        while content.count(b"HTTP/1.1 200 OK") < 4:
            content += one.recv(65536)
    kinds = [part.partition(b"\r\n\r\n")[0].lower() for part in content.split(b"HTTP/1.1 200 OK")[1:]]
    assert [b"etag:" in kind for kind in kinds] == [True, False, False, True]


class QueuedConnections:
    """Connections whose requests wait to be let go."""

    def __init__(self, name, caller, joins):
        self.name, self.caller, self.joins = name, caller, joins
        self.over = threading.Event()

    def service(self):
        self.over.wait(10)


def test_those_that_join_are_taken_together_within_their_callers_shares():
    lane = Lane("lane", threads=3, share=1)
    taken, release = [], threading.Event()

    def together(connections):
        taken.append([one.name for one in connections])
        release.wait(10)

    lanes = LaneDispatcher([lane], lambda one: (lane, one.caller, one.joins), together)
    first = QueuedConnections("first", "ann", True)
    lanes.add_task(first)
    until(lambda: taken == [["first"]])
    alone = QueuedConnections("alone", "bob", False)
    lanes.add_task(alone)
    for name, caller in (("again", "ann"), ("other", "cid")):
        lanes.add_task(QueuedConnections(name, caller, True))
    until(lambda: taken == [["first"], ["other"]])
    lanes.add_task(QueuedConnections("more", "ann", True))
    lanes.add_task(QueuedConnections("last", "dan", True))
    release.set()
    alone.over.set()
    until(lambda: sum(map(len, taken)) == 5)
    assert sorted(name for names in taken[2:] for name in names) == ["again", "last", "more"]
    assert dispatcher.JOINT_THREADS == 2
    assert lanes.shutdown()
