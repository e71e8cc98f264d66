"""A body of any size is applied in parts; a crash in between loses nothing and doubles nothing."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest

from engine.incidents.alerts import ingest
from engine.incidents.alerts.bodies import IngestDoor
from engine.incidents.alerts.ingest import receive_alerts
from engine.intake.payloads import InboundBody
from engine.model.errors import Unavailable
from engine.store.rows import many
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.services import incidents
from tests.conftest import NOW
from tests.intake.bodies import alertmanager, alertmanager_alert

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::ResourceWarning")]  # connections of those who died


def group(count, **changes):
    """One message of Alertmanager about so many alerts."""
    members = [alertmanager_alert(fingerprint=f"{number:016x}", **changes) for number in range(count)]
    return json.dumps(alertmanager(*members)).encode()


def receive(store, body, **given):
    door = IngestDoor(store, "acme", NOW, 20_000, 20_000, 10, 1_000_000, **given)
    return receive_alerts(door, InboundBody("alerts", body, NOW, "token:am"))


def tally(answer):
    return {name: value for name, value in answer.items() if name != "taken" and isinstance(value, int) and value}


def stored_rows(store, table):
    with store.reader() as connection:
        return many(connection, table, "acme")


def test_a_group_of_1500_is_taken_whole_and_resolves_whole(any_store):
    head = any_store.head("acme").seq
    answer = receive(any_store, group(1500))
    assert tally(answer) == {"received": 1500, "created": 1500}
    assert len({result["incident_id"] for result in answer["results"]}) == 1500
    assert any_store.head("acme").seq == head + 3000
    ended = group(1500, status="resolved", endsAt="2026-11-20T08:20:00Z")
    assert tally(receive(any_store, ended)) == {"received": 1500, "resolved": 1500}
    rows = stored_rows(any_store, incidents)
    assert Counter(row["status"] for row in rows) == {"resolved": 1500}
    assert [(row["state"], row["records"], row["applied"]) for row in stored_rows(any_store, ingest_payloads)] == [
        ("read", 1500, 1500),
        ("read", 1500, 1500),
    ]
    assert any_store.verify("acme").problem is None


def test_where_the_store_fails_in_the_middle_the_same_body_goes_on_there(store, monkeypatch):
    monkeypatch.setattr(ingest, "PART", 2)
    parts = iter(range(10))

    def fail_at_the_second(revision):
        if next(parts) == 1:
            raise Unavailable("The store is busy.")

    with pytest.raises(Unavailable):
        receive(store, group(5), confirm=fail_at_the_second)
    assert [(row["state"], row["applied"]) for row in stored_rows(store, ingest_payloads)] == [("partial", 2)]
    answer = receive(store, group(5))
    assert tally(answer) == {"received": 5, "created": 3, "replayed": 2}
    assert all(result["incident_id"] for result in answer["results"])
    rows = stored_rows(store, incidents)
    assert [row["alert_count"] for row in rows] == [1] * 5
    assert [(row["state"], row["applied"]) for row in stored_rows(store, ingest_payloads)] == [("read", 5)]
    assert tally(receive(store, group(5))) == {"received": 5, "deduplicated": 5}, "a repeat of the sender counts"


PROCESS = """
import sys
from tests.incidents.alerts.test_ingest_parts import group, receive
from engine.store import Store

def tell(revision):
    print("part", flush=True)
    if sys.stdin.readline() != "go\\n":
        raise SystemExit("nobody is there")

receive(Store(sys.argv[1]), group(1500), confirm=tell)
print("done", flush=True)
"""


def test_killed_in_the_middle_and_sent_again_every_alert_is_there_once(store):
    command = [sys.executable, "-W", "ignore", "-c", PROCESS, store.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "part\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.stdout.readline() == "part\n", "it is within the second transaction"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    assert len(stored_rows(store, incidents)) == 500
    assert tally(receive(store, group(1500))) == {"received": 1500, "created": 1000, "replayed": 500}
    rows = stored_rows(store, incidents)
    assert (len(rows), {row["alert_count"] for row in rows}) == (1500, {1})
    assert len({row["dedupe_key"] for row in rows}) == 1500
    ended = group(1500, status="resolved", endsAt="2026-11-20T08:20:00Z")
    assert tally(receive(store, ended)) == {"received": 1500, "resolved": 1500}
    assert store.verify("acme").problem is None
