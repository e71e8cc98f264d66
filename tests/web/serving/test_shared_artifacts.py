"""Consoles on several machines, each with a data folder of its own, and one bucket."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.runtime.settings import Settings
from engine.web.admission.sessions import Sessions
from tests.s3 import s3_server
from tests.web.processes import serving
from tests.web.served import until
from tests.web.serving.test_processes import REPORT, connection, etag, send_request
from tests.web.serving.test_serving import answer

pytestmark = pytest.mark.real

CLIENT = "_http_parser"  # compiled, of what speaks HTTP with the bucket


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        server.make("reports")
        yield server


@pytest.fixture
def machine(s3, peopled_template, tmp_path):
    """What serves on a machine of that name, and the cookie of a session there."""

    def serve(name):
        (tmp_path / name).mkdir()
        shutil.copy(peopled_template, tmp_path / name / "hq.db")
        sessions = Sessions(Settings.of({"SVC_DATA_DIR": str(tmp_path / name)}))
        cookie = sessions.issue("owner@acme.example", "acme", now=datetime.now(UTC))
        settings = {**s3.environment, "SVC_ARTIFACTS_URL": "s3://reports/hq"}
        return serving(tmp_path / name, "--no-scheduler", **settings), f"Cookie: svc_session={cookie}"

    return serve


def ask_report(found, cookie):
    with connection(found) as client:
        send_request(client, "GET", REPORT, cookie)
        status, body, top = answer(client)
    return status, body, etag(top)


def has_client(pid):
    return CLIENT in Path(f"/proc/{pid}/maps").read_text()


def test_a_console_serves_what_another_built_and_asks_the_bucket_in_a_worker_alone(machine, s3, tmp_path):
    serves, cookie = machine("one")
    with serves as one:
        built = ask_report(one, cookie)
        until(lambda: s3.objects("reports"))
        assert one.log.count("WARNING") == 0
    (place,) = s3.objects("reports")
    assert built[0] == 200
    serves, cookie = machine("two")
    with serves as two:
        assert ask_report(two, cookie) == built
        ((worker, _),) = two.children("hq reports")
        assert (has_client(worker), has_client(two.process.pid)) == (True, False)
        assert "Traceback" not in two.log
        assert (tmp_path / "two" / "artifacts" / place.removeprefix("hq/")).is_file()
        assert not (tmp_path / "two" / "analytics.duckdb").exists()  # nothing was computed
        s3.stop()
        try:
            assert ask_report(two, cookie) == built
        finally:
            s3.start()
