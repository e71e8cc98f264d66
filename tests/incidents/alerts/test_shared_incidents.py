"""Severe findings of one scanner, rule and severity share an incident while it is open."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from engine.incidents.alerts.finding_files import import_findings

NOW = datetime(2026, 11, 24, 9, tzinfo=UTC)


def scan(folder, *hosts, score="9.8", kind="fail"):
    rules = [{"id": "R1", "properties": {"security-severity": score}}]
    results = [
        {
            "ruleId": "R1",
            "kind": kind,
            "message": {"text": "Open"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": host}}}],
        }
        for host in hosts
    ]
    path = folder / f"{'-'.join(hosts)}.sarif"
    runs = [{"tool": {"driver": {"name": "Trivy", "rules": rules}}, "results": results}]
    path.write_text(json.dumps({"version": "2.1.0", "runs": runs}))
    return path


@pytest.fixture
def land(store, tmp_path):
    def run(*hosts, days=0, together=True, **more):
        at = NOW + timedelta(days=days)
        return import_findings(
            store, [scan(tmp_path, *hosts, **more)], org_id="acme", actor="a", now=at, together=together
        )[0][1]

    return run


def incidents(store):
    with sqlite3.connect(store.url.removeprefix("sqlite:///")) as database:
        rows = database.execute("SELECT title, status, severity, alert_count FROM incidents ORDER BY id").fetchall()
    database.close()
    return rows


def test_one_rule_is_one_incident_in_the_next_scan_too(store, land):
    assert land("a", "b", "c")["incidents_opened"] == 1
    assert incidents(store) == [("Open on a and 2 more", "open", "critical", 3)]
    assert land("d", days=1)["incidents_opened"] == 0
    assert [row[3] for row in incidents(store)] == [4]


def test_it_is_over_with_its_last_finding(store, land):
    land("a", "b")
    land("a", days=1, kind="pass")
    assert incidents(store)[0][1] == "open"
    land("b", days=2, kind="pass")
    assert incidents(store)[0][1] == "resolved"


def test_another_severity_is_another_incident(store, land):
    land("a")
    land("b", days=1, score="7.5")
    assert [row[2] for row in incidents(store)] == ["critical", "high"]


def test_each_opens_its_own_where_that_is_asked_for(store, land):
    assert land("a", "b", together=False)["incidents_opened"] == 2


def test_findings_of_our_own_form_share_by_cve_and_have_their_own_without(store, tmp_path):
    named = [{"finding_id": f"{host}/x", "host": host, "severity": "high", "title": "Open port"} for host in "ab"]
    weak = [{**one, "finding_id": f"{one['host']}/y", "cve": "CVE-2030-10001", "title": "Flaw"} for one in named]
    path = tmp_path / "own.json"
    path.write_text(json.dumps([*named, *weak]))
    (landed,) = import_findings(store, [path], org_id="acme", actor="a", now=NOW, together=True)
    assert landed[1]["incidents_opened"] == 3
    assert sorted(incidents(store)) == [
        ("Flaw on a and 1 more", "open", "high", 2),
        ("Open port on a", "open", "high", 1),
        ("Open port on b", "open", "high", 1),
    ]


def test_what_is_fixed_again_without_a_date_was_fixed_when_it_was_first_said(store, land):
    land("a")
    land("a", days=1, kind="pass")
    land("a", days=2, kind="pass")
    with sqlite3.connect(store.url.removeprefix("sqlite:///")) as database:
        assert database.execute("SELECT fixed_at FROM findings").fetchall() == [("2026-11-25T09:00:00.000000Z",)]
    database.close()
