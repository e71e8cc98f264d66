"""Automations over HTTP: rehearsed, guarded, recorded; every refusal is on record."""

import hashlib
import json
from datetime import timedelta

import pytest

from engine.store import rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals, dry_runs, executions, policies, policy_blocks
from engine.store.schema.organizations import memberships, organization_settings, workspaces
from engine.store.schema.services import findings, incident_timeline, incidents, services
from tests.annex import bring_annex
from tests.conftest import NOW

DRY, EXECUTE, REMEDIATE = (f"/api/automations/{name}" for name in ("dry-run", "execute", "remediate"))
POLICIES = "/api/automations/policies"
INPUTS = {"service": "web", "key": "tls-web"}
ORDER = {
    "playbook": "rotate-key",
    "inputs": INPUTS,
    "approval_note": "Agreed in the change board.",
    "rollback_plan": "Accept the old key again.",
}


@pytest.fixture
def prepared_store(with_people):
    for org in ("acme", "other"):
        with with_people.revision(org, "setup", now=NOW) as revision:
            revision.insert(services, [{"id": "web" if org == "acme" else "theirs", "name": "Web", "criticality": 3}])
            revision.record("import.completed")
    return with_people


@pytest.fixture
def client(prepared_store, sign_in):
    return sign_in("operator@acme.example")


def stored_rows(store, table, org="acme", **where):
    with store.reader() as connection:
        return rows.many(connection, table, org, **where)


def events(store, org="acme"):
    with store.reader() as connection:
        audit_log_rows = rows.many(connection, audit_log, org, order=("seq",))
    return [(row["action"], row["outcome"]) for row in audit_log_rows]


def rehearse(client, inputs=INPUTS, **more):
    answer = client.post(DRY, {"playbook": "rotate-key", "inputs": inputs, **more})
    assert answer.status == 201, answer.body
    return answer.json


def refusal(answer):
    return answer.status, answer.json["error"]


def rule(field, op, value, effect="deny", name="r"):
    return {"id": name, "when": {"field": field, "op": op, "value": value}, "effect": effect, "message": "No."}


def publish(client, *rules, **more):
    answer = client.post(POLICIES, {"playbook": "rotate-key", "rules": list(rules), "state": "active", **more})
    assert answer.status == 201, answer.body
    return answer.json


# dry-runs


def test_a_dry_run_is_kept_with_its_plan_and_audited(client, prepared_store):
    answer = rehearse(client)
    (row,) = stored_rows(prepared_store, dry_runs)
    inputs = {**INPUTS, "reason": "scheduled"}
    canonical = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert (answer["id"], answer["outcome"], answer["ran_at"]) == (row["id"], "succeeded", "2026-11-20T08:30:00Z")
    assert row["inputs"] == answer["inputs"] == inputs
    assert row["inputs_hash"] == hashlib.sha256(canonical).hexdigest()
    assert row["plan"] == answer["plan"]
    assert row["plan"]["targets"][0]["id"] == "web"
    assert events(prepared_store)[-1] == ("automation.dry_run.succeeded", "success")
    assert "does not act" in answer["note"]


def test_a_failed_dry_run_is_kept_too(client, prepared_store):
    body = {"playbook": "apply-patch", "inputs": {"service": "web"}}
    answer = client.post(DRY, body)
    assert (answer.status, answer.json["outcome"]) == (201, "failed")
    assert events(prepared_store)[-1] == ("automation.dry_run.failed", "success")


def test_a_dry_run_that_a_policy_refuses_is_a_policy_block(client, prepared_store):
    policy = publish(client, rule("service.criticality", "ge", 3, name="not-critical"))
    answer = rehearse(client)
    (block,) = stored_rows(prepared_store, policy_blocks)
    assert (answer["outcome"], answer["policy_block_id"]) == ("blocked", block["id"])
    assert (block["reason"], block["policy_id"], block["playbook"]) == ("not-critical", policy["id"], "rotate-key")
    assert events(prepared_store)[-1] == ("policy.blocked", "denied")


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 400, "invalid_body"),
        (b"[]", 400, "invalid_body"),
        (b'{"playbook": "rotate-key", "inputs": {"service": "\\ud800"}}', 400, "invalid_body"),
        (b'{"playbook": "rotate-key", "inputs": {"service": "a\\u0000"}}', 400, "invalid_body"),
        (b'{"playbook": "rotate-key", "inputs": ' + b"[" * 5000 + b"]" * 5000 + b"}", 400, "invalid_body"),
        ({"playbook": "rotate-key", "input": {}}, 400, "invalid_body"),
        ({"playbook": 3}, 400, "invalid_body"),
        ({"playbook": "rotate-key", "inputs": {}}, 400, "invalid_inputs"),
        ({"playbook": "rotate-key", "inputs": {**INPUTS, "key": {"a": []}}}, 400, "invalid_inputs"),
        ({"playbook": "make-coffee"}, 404, "unknown_playbook"),
        ({"playbook": "rotate-key", "inputs": {"service": "theirs", "key": "k"}}, 404, "not_found"),
        ({"playbook": "rotate-key", "inputs": INPUTS, "incident_id": "theirs"}, 404, "not_found"),
    ],
)
@pytest.mark.parametrize("path", [DRY, EXECUTE, REMEDIATE])
def test_what_cannot_be_understood_changes_nothing(path, body, status, error, client, prepared_store):
    with prepared_store.revision("other", "setup", now=NOW) as revision:
        row = {"id": "theirs", "title": "T", "severity": "high", "status": "open", "opened_at": NOW}
        revision.insert(incidents, [row])
        revision.record("incident.opened")
    before = prepared_store.head("acme")
    assert refusal(client.post(path, body)) == (status, error)
    assert prepared_store.head("acme") == before


# execution


def test_an_execution_deciding_document_a_dry_run_and_is_recorded(client, prepared_store):
    rehearsed = rehearse(client)
    answer = client.post(EXECUTE, ORDER)
    (row,) = stored_rows(prepared_store, executions)
    assert (answer.status, answer.json["status"], answer.json["id"]) == (201, "recorded", row["id"])
    assert (row["dry_run_id"], row["mode"], row["actor"]) == (rehearsed["id"], "execute", "operator@acme.example")
    assert (row["approval_note"], row["rollback_plan"]) == (ORDER["approval_note"], ORDER["rollback_plan"])
    assert events(prepared_store)[-1] == ("automation.executed", "success")
    assert stored_rows(prepared_store, policy_blocks) == []


def test_a_dry_run_that_is_named_brings_its_inputs(client):
    name = rehearse(client)["id"]
    order = {key: value for key, value in ORDER.items() if key != "inputs"}
    assert client.post(EXECUTE, {**order, "dry_run_id": name}).json["dry_run_id"] == name


def test_an_execution_for_an_incident_is_a_line_of_its_timeline(client, prepared_store):
    with prepared_store.revision("acme", "setup", now=NOW) as revision:
        row = {"id": "INC-1", "title": "T", "severity": "low", "status": "open", "opened_at": NOW}
        revision.insert(incidents, [row])
        revision.record("incident.opened")
    rehearse(client, incident_id="INC-1")
    assert client.post(EXECUTE, ORDER).json["incident_id"] == "INC-1"
    (line,) = stored_rows(prepared_store, incident_timeline)
    assert (line["kind"], line["incident_id"]) == ("execution", "INC-1")


def test_an_execution_without_a_dry_run_is_refused_and_the_refusal_is_on_record(client, prepared_store):
    answer = client.post(EXECUTE, ORDER)
    (block,) = stored_rows(prepared_store, policy_blocks)
    assert refusal(answer) == (409, "dry_run_missing")
    assert answer.json["details"] == [
        {
            "reason": "dry_run_missing",
            "message": answer.json["message"],
            "policy_id": None,
            "rule": None,
            "policy_block_id": block["id"],
        }
    ]
    assert (block["reason"], block["actor"], block["blocked_at"]) == ("dry_run_missing", "operator@acme.example", NOW)
    assert events(prepared_store)[-1] == ("policy.blocked", "denied")
    assert stored_rows(prepared_store, executions) == []
    assert prepared_store.verify("acme").ok


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({"inputs": {**INPUTS, "key": "other"}}, ["inputs_changed"]),
        ({"approval_note": "too short"}, ["approval_note_missing"]),
        ({"approval_note": " " * 20}, ["approval_note_missing"]),
        ({"rollback_plan": " "}, ["rollback_plan_missing"]),
        ({"approval_note": "", "rollback_plan": ""}, ["approval_note_missing", "rollback_plan_missing"]),
    ],
)
def test_each_guard_refuses_with_its_reason(change, reasons, client, prepared_store):
    rehearse(client)
    answer = client.post(EXECUTE, {**ORDER, **change})
    assert refusal(answer) == (409, reasons[0])
    assert [one["reason"] for one in answer.json["details"]] == reasons
    assert len(stored_rows(prepared_store, policy_blocks)) == 1
    assert stored_rows(prepared_store, executions) == []


@pytest.mark.parametrize(
    ("path", "age", "status"),
    [
        (EXECUTE, timedelta(hours=24), 201),
        (EXECUTE, timedelta(hours=24, seconds=1), 409),
        (REMEDIATE, timedelta(minutes=60), 201),
        (REMEDIATE, timedelta(minutes=60, seconds=1), 409),
    ],
)
def test_a_dry_run_gets_stale(path, age, status, sign_in, client, clock):
    publish(client)
    rehearse(client)
    clock.tick(age)
    renewed = sign_in("operator@acme.example")
    renewed.cookie = renewed.console.gate.sessions.issue("operator@acme.example", "acme", now=NOW + age)
    answer = renewed.post(path, ORDER)
    assert answer.status == status
    if status == 409:
        assert answer.json["error"] == "dry_run_stale"


def test_the_organization_may_set_how_long_a_dry_run_stays_fresh(client, prepared_store, clock):
    rehearse(client)
    with prepared_store.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.insert(organization_settings, [{"name": "dry_run_fresh_hours", "value": 1}])
        revision.record("import.completed")
    clock.tick(timedelta(minutes=61))
    assert refusal(client.post(EXECUTE, ORDER)) == (409, "dry_run_stale")


def test_the_newest_dry_run_counts_and_a_failed_one_carries_nothing(client, prepared_store, clock):
    body = {"playbook": "apply-patch", "inputs": {"service": "web"}}
    order = {**ORDER, **body}
    finding = {
        "id": "F",
        "source": "s",
        "finding_key": "k",
        "title": "t",
        "severity": "high",
        "status": "open",
        "service_id": "web",
        "first_seen_at": NOW,
        "last_seen_at": NOW,
    }
    with prepared_store.revision("acme", "scan", now=NOW) as revision:
        revision.insert(findings, [finding])
        revision.record("finding.opened")
    assert client.post(DRY, body).json["outcome"] == "succeeded"
    with prepared_store.revision("acme", "scan", now=NOW) as revision:
        revision.update(findings, {"id": "F"}, {"status": "fixed"})
        revision.record("finding.resolved")
    gone = client.post(EXECUTE, order)
    assert refusal(gone) == (409, "checks_failed")
    clock.tick(timedelta(minutes=1))
    assert client.post(DRY, body).json["outcome"] == "failed"
    assert refusal(client.post(EXECUTE, order)) == (409, "dry_run_failed")


def test_a_dry_run_of_another_playbook_or_organization_does_not_count(client, prepared_store):
    name = client.post(DRY, {"playbook": "restart-service", "inputs": {"service": "web"}}).json["id"]
    assert refusal(client.post(EXECUTE, {**ORDER, "dry_run_id": name})) == (409, "dry_run_mismatch")
    with prepared_store.revision("other", "setup", now=NOW) as revision:
        row = {
            "id": "theirs",
            "playbook": "rotate-key",
            "inputs_hash": "0" * 64,
            "outcome": "succeeded",
            "actor": "x",
            "ran_at": NOW,
        }
        revision.insert(dry_runs, [row])
        revision.record("import.completed")
    before = prepared_store.head("acme")
    assert refusal(client.post(EXECUTE, {**ORDER, "dry_run_id": "theirs"})) == (404, "not_found")
    order = {key: value for key, value in ORDER.items() if key != "inputs"}
    assert refusal(client.post(EXECUTE, {**order, "dry_run_id": name})) == (400, "invalid_body")
    assert prepared_store.head("acme") == before


def test_a_policy_refuses_at_execution_what_changed_since_the_dry_run(client):
    rehearse(client)
    policy = publish(client, rule("actor.role", "eq", "operator", name="operators-rehearse-only"))
    answer = client.post(EXECUTE, ORDER)
    assert refusal(answer) == (409, "policy_denied")
    (detail,) = answer.json["details"]
    assert (detail["policy_id"], detail["rule"]) == (policy["id"], "operators-rehearse-only")


# remediation


def test_remediation_needs_an_accepted_active_policy(client, prepared_store):
    rehearse(client)
    order = {"playbook": "rotate-key", "inputs": INPUTS}
    assert refusal(client.post(REMEDIATE, order)) == (409, "policy_missing")
    policy = publish(client)
    with prepared_store.revision("acme", "setup", now=NOW) as revision:
        revision.update(policies, {"id": policy["id"]}, {"accepted_by": None})
        revision.record("import.completed")
    assert refusal(client.post(REMEDIATE, order)) == (409, "policy_not_accepted")
    publish(client)
    answer = client.post(REMEDIATE, order)
    assert (answer.status, answer.json["mode"]) == (201, "remediate")
    assert answer.json["approval_note"] == "Accepted policy guardrail-rotate-key-v2 of operator@acme.example"
    assert answer.json["rollback_plan"].startswith("Accept the former key again")
    assert [row["reason"] for row in stored_rows(prepared_store, policy_blocks, order=("revision",))] == [
        "policy_missing",
        "policy_not_accepted",
    ]


# policies


def test_versions_rise_and_an_active_one_retires_the_one_before(client, prepared_store):
    first = publish(client, title="Keys", controls=["soc2:CC6.1"])
    draft = client.post(POLICIES, {"playbook": "rotate-key", "rules": []}).json
    third = publish(client)
    listed = client.get(f"{POLICIES}?playbook=rotate-key").json["policies"]
    assert [(one["version"], one["state"]) for one in listed] == [(3, "active"), (2, "draft"), (1, "retired")]
    assert [one["id"] for one in (first, draft, third)] == [f"guardrail-rotate-key-v{n}" for n in (1, 2, 3)]
    assert (first["accepted_by"], draft["accepted_by"]) == ("operator@acme.example", None)
    assert listed[2]["controls"] == ["soc2:CC6.1"]
    assert all(one["readable"] for one in listed)
    with prepared_store.reader() as connection:
        (published,) = rows.many(connection, audit_log, "acme", action="policy.published", object_id=first["id"])
    assert published["controls"] == "soc2:CC6.1"


def test_a_policy_may_be_about_a_control_of_ones_own(client, prepared_store, tmp_path):
    bring_annex(prepared_store, tmp_path)
    assert publish(client, controls=["annex:A.1"])["controls"] == ["annex:A.1"]
    assert client.post(POLICIES, {"playbook": "rotate-key", "rules": [], "controls": ["annex:A.9"]}).status == 400


def test_a_playbook_keeps_the_policy_that_was_imported(client, prepared_store):
    with prepared_store.revision("acme", "setup", now=NOW) as revision:
        row = {
            "id": "GRD-7",
            "policy": "GRD",
            "version": 7,
            "kind": "automation",
            "title": "G",
            "playbook": "rotate-key",
            "state": "active",
            "rules": [{"rule": "hours"}],
        }
        revision.insert(policies, [row])
        revision.record("import.completed")
    assert client.get(POLICIES).json["policies"][0]["readable"] is False
    assert publish(client)["id"] == "GRD-v8"
    assert [one["state"] for one in client.get(POLICIES).json["policies"]] == ["active", "retired"]


def test_the_list_is_that_of_the_active_workspace_unless_all_are_asked_for(client, prepared_store):
    with prepared_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(workspaces, [{"id": "w1", "name": "One"}])
        revision.update(memberships, {"email": "operator@acme.example"}, {"workspace_id": "w1"})
        for name, where in (("a", "w1"), ("b", "w2"), ("c", None)):
            row = {
                "id": name,
                "policy": name,
                "version": 1,
                "kind": "automation",
                "title": "G",
                "playbook": "rotate-key",
                "state": "draft",
                "rules": [],
                "workspace_id": where,
            }
            revision.insert(policies, [row])
        revision.record("import.completed")
    answer = client.get(POLICIES).json
    assert (answer["workspace_id"], [one["id"] for one in answer["policies"]]) == ("w1", ["a", "c"])
    assert [one["id"] for one in client.get(f"{POLICIES}?workspace=all").json["policies"]] == ["a", "b", "c"]
    assert client.get(f"{POLICIES}?state=active").json["policies"] == []


def test_there_are_no_policies_of_another_organization(client, sign_in):
    publish(client)
    assert sign_in("owner@other.example", "other").get(POLICIES).json["policies"] == []


@pytest.mark.parametrize("query", ["state=gone", "playbook=x", "page=2", "workspace=w2"])
def test_a_parameter_that_is_not_known_is_refused(query, client):
    assert refusal(client.get(f"{POLICIES}?{query}")) == (400, "invalid_parameter")


def test_members_read_policies_and_do_not_write_them(sign_in, prepared_store):
    member = sign_in("member@acme.example")
    assert member.get(POLICIES).status == 200
    before = prepared_store.head("acme")
    assert refusal(member.post(POLICIES, {"playbook": "rotate-key", "rules": []})) == (403, "role_required")
    assert prepared_store.head("acme") == before


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"playbook": "rotate-key"}, 400, "invalid_body"),
        ({"playbook": "rotate-key", "rules": [], "state": "retired"}, 400, "invalid_body"),
        ({"playbook": "rotate-key", "rules": [], "review_due_on": "soon"}, 400, "invalid_body"),
        ({"playbook": "rotate-key", "rules": {}}, 400, "invalid_policy"),
        ({"playbook": "rotate-key", "rules": [rule("mood", "eq", 1)]}, 400, "invalid_policy"),
        ({"playbook": "rotate-key", "rules": [], "controls": ["soc2:CC99"]}, 400, "invalid_policy"),
        ({"playbook": "make-coffee", "rules": []}, 404, "unknown_playbook"),
    ],
)
def test_a_policy_that_does_not_hold_is_not_kept(body, status, error, client, prepared_store):
    before = prepared_store.head("acme")
    assert refusal(client.post(POLICIES, body)) == (status, error)
    assert prepared_store.head("acme") == before


def test_every_place_at_which_a_policy_does_not_hold_is_told(client):
    answer = client.post(
        POLICIES, {"playbook": "rotate-key", "rules": [rule("targets", "eq", "x"), rule("mood", "eq", 1)]}
    )
    assert [one["field"] for one in answer.json["details"]] == [
        "rules[0].when.value",
        "rules[1].id",
        "rules[1].when.field",
    ]
    assert answer.json["message"] == "The policy does not hold: rules[0].when.value must be a number; got 'x'."


# approvals of executions


def test_a_rule_that_wants_an_approval_has_the_dry_run_ask_for_one(client, prepared_store):
    publish(client, rule("approval.status", "eq", "approved", "require", "four-eyes"))
    rehearsed = rehearse(client)
    (row,) = stored_rows(prepared_store, approvals)
    assert (rehearsed["outcome"], rehearsed["approval_needed"]) == ("succeeded", True)
    assert rehearsed["approval"]["actions"] == {
        "approve": f"acme:{row['id']}:approve",
        "reject": f"acme:{row['id']}:reject",
    }
    assert (row["kind"], row["subject"], row["status"]) == ("execution", rehearsed["id"], "pending")
    answer = client.post(EXECUTE, ORDER)
    assert (refusal(answer), answer.json["details"][0]["rule"]) == ((409, "policy_denied"), "four-eyes")
    with prepared_store.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.update(approvals, {"id": row["id"]}, {"status": "approved"})
        revision.record("approval.approved")
    assert client.post(EXECUTE, ORDER).status == 201
