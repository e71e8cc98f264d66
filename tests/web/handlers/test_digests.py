"""The previews of the digests over HTTP."""

from datetime import date, timedelta

import pytest

from engine.catalogue import catalogue
from engine.catalogue.snapshot import content
from engine.facts.controls.readiness import READINESS_FORMULAS
from engine.model.figures.versions import versions_of
from engine.store.schema.controls import attestations, evidence_requests
from engine.store.schema.organizations import users
from engine.store.schema.outputs import catalogue_snapshots, control_state_changes, readiness_snapshots
from tests.conftest import NOW

BASE = "/api/governance/compliance"
NAMES = (
    "evidence-requests",
    "evidence-request-sla",
    "sla-reminders",
    "attestation-renewal",
    "mapping-digest",
    "inherited-control-gaps",
)
MEMBER = "member@acme.example"
TODAY = date(2026, 11, 20)
CONTROL = {"framework": "soc2", "control_id": "CC6.1"}


def write(store, *tables, org="acme"):
    with store.revision(org, "setup", now=NOW) as revision:
        for table, rows in tables:
            revision.insert(table, rows)
        revision.record("records.prepared")


@pytest.mark.parametrize("name", NAMES)
def test_they_come_in_every_format_even_without_records(name, sign_in):
    client = sign_in(MEMBER)
    for form in ("json", "csv", "html", "md"):
        answer = client.get(f"{BASE}/{name}?format={form}")
        assert (answer.status, bool(answer.body)) == (200, True), answer.body[:300]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("query", ["format=ics", "orgId=other"])
def test_a_malformed_question_is_refused(name, query, sign_in):
    assert sign_in(MEMBER).get(f"{BASE}/{name}?{query}").status == 400


@pytest.mark.real
def test_requests_are_listed_with_their_clock(sign_in, with_people):
    request = {
        "id": "R1",
        **CONTROL,
        "title": "Sample",
        "requester": "auditor@firm.example",
        "owner": MEMBER,
        "backup": "admin@acme.example",
        "priority": "P1",
        "opened_on": TODAY - timedelta(days=10),
    }
    write(with_people, (evidence_requests, [request]), (users, [{"email": MEMBER, "active": False}]))
    client = sign_in("owner@acme.example")
    (row,) = client.get(f"{BASE}/evidence-requests").json["requests"]
    assert (row["id"], row["due_on"], row["clock"], row["owner_left"]) == ("R1", "2026-11-13", "overdue", True)
    digest = client.get(f"{BASE}/evidence-request-sla").json
    assert digest["owners"][0]["recipient"] == "admin@acme.example"
    assert (digest["summary"]["requests_overdue"], digest["summary"]["requests_on_time_pct"]) == (1, 0.0)
    assert sign_in("owner@other.example", "other").get(f"{BASE}/evidence-requests").json["requests"] == []


@pytest.mark.real
def test_a_regression_names_the_event_that_explains_it(sign_in, with_people):
    change = {**CONTROL, "observed_on": TODAY, "state": "no_data", "previous": "effective", "trigger_event": "e1"}
    states = dict.fromkeys(("effective", "partial", "stale", "ineffective", "no_data", "not_applicable"), 0)
    formulas = versions_of(tuple(READINESS_FORMULAS.values()))
    taken = {"taken_on": TODAY, "framework": "soc2", "formulas": formulas, **states}
    write(with_people, (control_state_changes, [change]), (readiness_snapshots, [taken]))
    (row,) = sign_in(MEMBER).get(f"{BASE}/sla-reminders").json["regressed"]
    found = {name: row[name] for name in ("item", "previous_state", "state", "trigger")}
    assert found == {"item": "soc2:CC6.1", "previous_state": "effective", "state": "no_data", "trigger": "e1"}


@pytest.mark.real
def test_an_attestation_is_in_its_wave(sign_in, with_people):
    write(with_people, (attestations, [{"id": "a1", **CONTROL, "owner": MEMBER, "due_on": TODAY + timedelta(days=20)}]))
    (row,) = sign_in(MEMBER).get(f"{BASE}/attestation-renewal").json["renewals"]
    assert (row["wave"], row["control_id"], row["recipient"], row["owed"]) == (
        "in_15_to_30_days",
        "CC6.1",
        MEMBER,
        True,
    )


@pytest.mark.real
def test_the_shipped_catalogue_is_compared_with_the_last_snapshot(sign_in, with_people):
    client = sign_in(MEMBER)
    assert client.get(f"{BASE}/mapping-digest").json["summary"]["catalogue_compared"] is False
    known = content(catalogue())
    older = {**known, "requirements": [row for row in known["requirements"] if row["control_id"] != "CC6.1"]}
    for day, kept in ((TODAY - timedelta(days=9), known), (TODAY - timedelta(days=2), older)):
        taken = {"taken_on": day, "catalogue_version": "before", "content": kept}
        write(with_people, (catalogue_snapshots, [taken]))
        digest = client.get(f"{BASE}/mapping-digest").json
        assert digest["summary"]["catalogue_seen_on"] == day.isoformat()
        assert digest["summary"]["catalogue_changed"] is (kept is older)
    assert [row["control_id"] for row in digest["requirements_changed"]] == ["CC6.1"]
