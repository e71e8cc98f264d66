"""Several processes that answer on one socket."""

import json
import os
import shutil
import signal
import socket
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema.organizations import organizations
from engine.store.schema.services import incidents
from engine.web.admission.sessions import Sessions
from tests.web.attacks import ask_once, head
from tests.web.processes import connections, listens, serving
from tests.web.served import until
from tests.web.serving.test_serving import answer

pytestmark = pytest.mark.real

COUNT = 3
REPORT = "/api/governance/compliance/control-ownership"


@pytest.fixture
def folder(peopled_template, tmp_path):
    shutil.copy(peopled_template, tmp_path / "hq.db")
    return tmp_path


@pytest.fixture
def cookie(folder):
    sessions = Sessions(Settings.of({"SVC_DATA_DIR": str(folder)}))
    return f"Cookie: svc_session={sessions.issue('owner@acme.example', 'acme', now=datetime.now(UTC))}"


def send_request(client, method, path, *headers, body=b""):
    client.sendall(
        head(method, path, f"Content-Length: {len(body)}", "Content-Type: application/json", *headers) + body
    )


def token_of(port, cookie):
    body = b'{"label": "monitor"}'
    headers = (cookie, "Content-Type: application/json")
    _, _, made = ask_once(port, "/api/user/alert-ingest-tokens", method="POST", headers=headers, body=body)
    return f"Authorization: Bearer {json.loads(made)['secret']}"


def etag(top):
    return next(line for line in top.split("\r\n") if line.lower().startswith("etag:"))


def alone(folder, cookie):
    """Body and ETag as one process gives them."""
    with serving(folder, "--no-scheduler") as found, connection(found) as client:
        send_request(client, "GET", REPORT, cookie)
        status, body, top = answer(client)
        assert (status, found.children()) == (200, [])
    return body, etag(top)


def connection(found):
    return socket.create_connection(("127.0.0.1", found.port), timeout=30)


def test_a_worker_computes_a_report_as_it_was(folder, cookie):
    expected, tag = alone(folder, cookie)
    shutil.rmtree(folder / "artifacts")
    with closing(Store(f"sqlite:///{folder / 'hq.db'}")) as store:
        seq = store.head("acme").seq
        with store.revision("acme", "ann", now=datetime.now(UTC)) as revision:
            revision.update(organizations, {"id": "acme"}, {"name": "Apex"})
            revision.record("organization.renamed")
    today = datetime.now(UTC).date()
    with serving(folder, "--no-scheduler") as found, connection(found) as client:
        for _ in range(2):  # computed, and found again
            send_request(client, "GET", f"{REPORT}?revision={seq}&asOf={today}", cookie)
            status, body, top = answer(client)
            assert (status, body, etag(top)) == (200, expected, tag)
        send_request(client, "GET", REPORT, cookie)
        assert b"Apex" in answer(client)[1]


def test_what_answers_loads_nothing_that_computes(folder, cookie):
    alone(folder, cookie)
    with serving(folder) as found:
        bearer = token_of(found.port, cookie)
        answers = [
            ask_once(
                found.port, path, method=method, headers=(credential, "Content-Type: application/json"), body=body
            )[0]
            for method, path, credential, body in (
                ("GET", "/api/health", cookie, b""),
                ("GET", "/api/health/db", cookie, b""),
                ("GET", REPORT, cookie, b""),
                ("GET", "/api/services/dependency-graph", cookie, b""),
                ("POST", "/api/integrations/alerts", bearer, b'{"title": "High load", "status": "firing"}'),
                ("GET", REPORT, cookie, b""),
            )
        ]
        mapped = Path(f"/proc/{found.process.pid}/maps").read_text()
    assert answers == [200] * 6
    assert [name for name in ("polars", "duckdb", "pyarrow", "numpy") if f"/{name}" in mapped] == []


def test_processes_answer_as_one_and_one_that_dies_is_replaced(folder, cookie):
    expected = alone(folder, cookie)
    shutil.rmtree(folder / "artifacts")
    with serving(folder, "--no-scheduler", "--processes", str(COUNT)) as found:
        until(lambda: [name for _, name in found.children()] == ["hq serving 1", "hq serving 2", "hq serving 3"])
        with connections(found) as each:
            _same_bytes(each, cookie, folder, expected)
            _one_limit(each)
            _kill(found, each, token_of(found.port, cookie), folder)
        first = found.pids()[0]
        os.kill(first, signal.SIGTERM)
        until(lambda: len(found.pids()) == COUNT and first not in found.pids())
        with connections(found):  # all of them are up again
            pass
        orphans = [*found.pids(), *(pid for pid, _ in found.children("hq "))]
        found.process.kill()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans) and not listens(found.port), 10)
        assert "Traceback" not in found.log
        assert "nanobind" not in found.log


def _same_bytes(each, cookie, folder, expected):
    """All ask at once: each gets what one process gives, of one build."""
    for client in each.values():
        send_request(client, "GET", REPORT, cookie)
    got = [answer(client) for client in each.values()]
    assert [(status, body, etag(top)) for status, body, top in got] == [(200, *expected)] * COUNT
    (made,) = (folder / "artifacts" / "acme" / "control-ownership").iterdir()
    assert made.suffix == ".json"


def _one_limit(each):
    """Five enquiries in ten minutes from one address, whoever answers."""
    statuses = []
    for client in [*each.values()] * 3:
        send_request(client, "POST", "/api/contact", body=b"{}")
        statuses.append(answer(client)[0])
    assert statuses == [400] * 5 + [429] * 4


def _kill(found, each, token, folder):
    """Alerts while a process is killed: what was acknowledged is there, and the connections of others go on."""
    acknowledged, over = [], threading.Event()

    def post(sender):
        number = 0
        while not over.is_set():
            number += 1
            key = f"{sender}-{number}"
            body = json.dumps({"title": key, "dedupe_key": key}).encode()
            try:
                status, _, _ = ask_once(
                    found.port,
                    "/api/integrations/alerts",
                    method="POST",
                    headers=(token, "Content-Type: application/json"),
                    body=body,
                )
            except (OSError, IndexError):  # it was the killed one's
                continue
            if status == 200:
                acknowledged.append(key)

    threads = [threading.Thread(target=post, args=(sender,)) for sender in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(acknowledged) > 20)
    dead, *others = each
    os.kill(dead, signal.SIGKILL)
    for pid in others:
        send_request(each[pid], "GET", "/api/health")
        assert answer(each[pid])[0] == 200
    until(lambda: len(found.pids()) == COUNT and dead not in found.pids())
    there = len(acknowledged)
    until(lambda: len(acknowledged) > there + 20)
    over.set()
    for thread in threads:
        thread.join()
    store = Store(f"sqlite:///{folder / 'hq.db'}")
    with store.reader() as connection:
        kept = Counter(row[0] for row in connection.execute(incidents.select().with_only_columns(incidents.c.title)))
    store.close()
    assert {key: kept[key] for key in acknowledged} == dict.fromkeys(acknowledged, 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_at_the_end_every_request_is_answered_and_nothing_is_left(number, folder):
    statuses, broken = Counter(), []
    with serving(folder, "--processes", "2") as found:
        until(lambda: len(found.pids()) == 2)

        def ask():
            while True:
                try:
                    client = connection(found)
                except ConnectionRefusedError:
                    return
                with client:
                    send_request(client, "GET", "/api/health/db", "Connection: close")
                    received = b""
                    try:
                        while piece := client.recv(65536):
                            received += piece
                    except ConnectionResetError:
                        pass
                    if received:
                        statuses[int(received.split(b" ")[1])] += 1
                    else:
                        broken.append(1)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        until(lambda: statuses[200] > 50)
        there = [found.process.pid, *(pid for pid, _ in found.children("hq "))]
        for pid in there if number == signal.SIGINT else there[:1]:  # a terminal tells all of them
            for _ in range(2):
                with suppress(ProcessLookupError):  # it may be gone by the second
                    os.kill(pid, number)
        began = time.monotonic()
        assert found.process.wait(30) == 0
        assert time.monotonic() - began < 18, "the grace, and what is put away after it"
        for thread in threads:
            thread.join()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in there))
        assert set(statuses) <= {200, 503}
        assert len(broken) <= 4  # connected while the last one closed the socket
        assert "Traceback" not in found.log


def test_a_job_in_a_worker_is_interrupted_after_the_grace(folder):
    with serving(folder, command=("tests.web.long_job",)) as found:
        until(lambda: "the job runs" in found.log)
        found.process.terminate()
        assert found.process.wait(15) == 0
        assert "owed again" in found.log
        assert "the job said" not in found.log
        assert "Traceback" not in found.log
