"""A real Alertmanager, configured as its page says, opens an incident here and resolves it."""

import json
import os
import shutil
import subprocess
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest

from engine.store.rows import many
from engine.store.schema.services import incidents
from tests.web.handlers.ingest.test_ingest import token  # noqa: F401 - a fixture
from tests.web.pages import block
from tests.web.served import free_port, until

PROGRAM = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
if PROGRAM is None and os.environ.get("SVC_TEST_REQUIRE_SERVICES") != "1":
    pytest.skip("Alertmanager is not installed", allow_module_level=True)

QUICK = (("group_wait: 30s", "group_wait: 0s"), ("group_interval: 5m", "group_interval: 1s"))  # nobody waits in a test


@pytest.fixture
def alertmanager(server_port, token, tmp_path):  # noqa: F811 - fixtures
    """A running Alertmanager that reports to the console; the address of its API."""
    config = block("alertmanager.md", "yaml config", address=f"http://127.0.0.1:{server_port}", token=token)
    for slow, quick in QUICK:
        assert slow in config
        config = config.replace(slow, quick)
    (tmp_path / "am.yml").write_text(config)
    port = free_port()
    process = subprocess.Popen(
        [
            PROGRAM,
            f"--config.file={tmp_path}/am.yml",
            f"--storage.path={tmp_path}/am",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    until(lambda: urllib.request.urlopen(f"{address}/-/ready").close() is None)
    yield address
    process.terminate()
    process.wait(timeout=10)


def test_an_alert_of_a_real_alertmanager_opens_an_incident_and_resolves_it(alertmanager, with_people):
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
        with with_people.reader() as connection:
            return [(row["title"], row["severity"], row["status"]) for row in many(connection, incidents, "acme")]

    fire(datetime.now(UTC) + timedelta(hours=1))
    until(lambda: status() == [("Disk full on db1", "critical", "open")])
    fire(datetime.now(UTC) - timedelta(seconds=1))
    until(lambda: status() == [("Disk full on db1", "critical", "resolved")])


@pytest.mark.skipif(shutil.which("amtool") is None, reason="Alertmanager's own tool is not installed")
def test_the_configuration_of_the_page_is_sound_and_what_it_says_to_try_opens_an_incident(
    alertmanager, with_people, tmp_path
):
    (tmp_path / "page.yml").write_text(block("alertmanager.md", "yaml config"))
    subprocess.run(["amtool", "check-config", tmp_path / "page.yml"], check=True, capture_output=True)
    command = block("alertmanager.md", "bash try").replace("http://127.0.0.1:9093", alertmanager)
    subprocess.run(["bash", "-euc", command], check=True, capture_output=True)

    def open_incidents():
        with with_people.reader() as connection:
            return [(row["title"], row["severity"]) for row in many(connection, incidents, "acme")]

    until(lambda: open_incidents() == [("Disk full on db1", "critical")])
