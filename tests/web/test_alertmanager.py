"""A real Alertmanager opens an incident here and resolves it."""

import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest

from engine.store.rows import many
from engine.store.schema.services import incidents
from engine.web.server import bind
from tests.web.test_ingest import token  # noqa: F401 - a fixture

PROGRAM = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
if PROGRAM is None and os.environ.get("SVC_TEST_REQUIRE_SERVICES") != "1":
    pytest.skip("Alertmanager is not installed", allow_module_level=True)

CONFIG = """
route:
  receiver: hq
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: hq
    webhook_configs:
      - url: http://127.0.0.1:{port}/api/integrations/alerts
        send_resolved: true
        http_config:
          authorization:
            type: Bearer
            credentials: {token}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def served(console):
    """The console behind waitress on a free port."""
    port = free_port()
    server = bind(console, "127.0.0.1", port, 4)
    loop = threading.Thread(target=lambda: server.asyncore.loop(timeout=0.1, map=server._map, use_poll=True))
    loop.start()
    yield port
    for channel in list(server._map.values()):
        channel.close()
    server.task_dispatcher.shutdown()
    loop.join(timeout=5)


@pytest.fixture
def alertmanager(served, token, tmp_path):  # noqa: F811 - fixtures
    """A running Alertmanager that reports to the console; the address of its API."""
    (tmp_path / "am.yml").write_text(CONFIG.format(port=served, token=token))
    port = free_port()
    process = subprocess.Popen(
        [PROGRAM, f"--config.file={tmp_path}/am.yml", f"--storage.path={tmp_path}/am",
         f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    until(lambda: urllib.request.urlopen(f"{address}/-/ready").close() is None)
    yield address
    process.terminate()
    process.wait(timeout=10)


def until(check, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if check():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


def test_an_alert_of_a_real_alertmanager_opens_an_incident_and_resolves_it(alertmanager, peopled):
    def fire(ends_at):
        alert = {
            "labels": {"alertname": "DiskFull", "severity": "critical", "instance": "db1"},
            "annotations": {"summary": "Disk full on db1"},
            "startsAt": (datetime.now(UTC) - timedelta(minutes=1)).isoformat(),
            "endsAt": ends_at.isoformat(),
        }
        request = urllib.request.Request(
            f"{alertmanager}/api/v2/alerts", json.dumps([alert]).encode(), {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request).close()

    def status():
        with peopled.reader() as connection:
            return [(row["title"], row["severity"], row["status"]) for row in many(connection, incidents, "acme")]

    fire(datetime.now(UTC) + timedelta(hours=1))
    until(lambda: status() == [("Disk full on db1", "critical", "open")])
    fire(datetime.now(UTC) - timedelta(seconds=1))
    until(lambda: status() == [("Disk full on db1", "critical", "resolved")])
