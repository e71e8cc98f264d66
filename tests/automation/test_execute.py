"""Dry-run, approval and execution as writes, on both engines."""

from datetime import timedelta

import pytest

from engine.automation import approvals, policies
from engine.automation.context import AutomationRequest
from engine.automation.dry_run import keep, rehearse
from engine.automation.execute import ExecutionRefusal, ExecutionRequest, carry_out
from engine.automation.playbooks import playbook
from engine.automation.state import State
from engine.model.errors import Conflict
from engine.store import rows
from engine.store.schema.automation import policy_blocks
from engine.store.schema.services import services
from tests.conftest import NOW

ANN, BOB = "ann@acme.example", "bob@acme.example"
BOOK = playbook("restart-service")
RULE = {
    "id": "four-eyes",
    "effect": "require",
    "message": "Ask.",
    "when": {"field": "approval.status", "op": "eq", "value": "approved"},
}


@pytest.fixture
def acme(any_store):
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(services, [{"id": "web", "name": "Web", "criticality": 3}])
        revision.record("backup.completed", object_type="service", object_id="web")
    return any_store


def rehearse_run(store, inputs=None):
    asked = AutomationRequest("dry_run", ANN, "operator", ANN, NOW, "approved")
    with store.reader() as connection:
        found = rehearse(State(connection, "acme", NOW), BOOK, inputs or {"service": "web"}, None, asked)
    return store.write("acme", ANN, lambda revision: keep(revision, found), now=NOW)


def carried_out(store, now=NOW, mode="execute", **more):
    values = {
        "inputs": {"service": "web"},
        "dry_run_id": None,
        "incident_id": None,
        "approval_note": "Agreed by the board.",
        "rollback_plan": "Stop.",
        **more,
    }
    order = ExecutionRequest(BOOK, mode, "operator", **values)
    return store.write("acme", ANN, lambda revision: carry_out(revision, order), now=now)


def test_from_policy_to_approval_to_execution(acme):
    draft = policies.PolicyDraft("Guardrail", [RULE])
    acme.write("acme", BOB, lambda revision: policies.create(revision, BOOK, draft, state="active"), now=NOW)
    run = rehearse_run(acme)
    refused = carried_out(acme)
    assert isinstance(refused, ExecutionRefusal)
    assert [one.code for one in refused.refusals] == ["four-eyes"]

    def approve(revision):
        return approvals.decide(revision, run["approval"]["id"], "approve", role="admin", details={})

    assert acme.write("acme", BOB, approve, now=NOW)["status"] == "approved"
    with pytest.raises(Conflict):
        acme.write("acme", BOB, approve, now=NOW)
    assert carried_out(acme)["dry_run_id"] == run["id"]
    assert carried_out(acme, mode="remediate", approval_note="", rollback_plan="")["mode"] == "remediate"
    assert acme.verify("acme").ok


def test_a_dry_run_from_the_future_carries_nothing(acme):
    rehearse_run(acme)
    refused = carried_out(acme, now=NOW - timedelta(minutes=1))
    assert [one.reason for one in refused.refusals] == ["dry_run_stale"]


def test_a_refusal_holds_every_reason_and_counts_by_the_first(acme):
    refused = carried_out(acme, approval_note="", rollback_plan="")
    with acme.reader() as connection:
        (block,) = rows.many(connection, policy_blocks, "acme")
    assert [one.reason for one in refused.refusals] == [
        "dry_run_missing",
        "approval_note_missing",
        "rollback_plan_missing",
    ]
    assert (block["id"], block["reason"], block["overridden"]) == (refused.block_id, "dry_run_missing", False)
    assert block["message"] == " ".join(one.message for one in refused.refusals)


def test_the_events_of_the_log_are_found_on_both_engines(acme):
    with acme.reader() as connection:
        found = State(connection, "acme", NOW).last_events(["backup.completed", "backup.failed"])
    assert found == {("backup.completed", "web"): NOW}


def test_the_same_again_within_the_hour_is_a_warning(acme):
    rehearse_run(acme)
    carried_out(acme)
    asked = AutomationRequest("dry_run", ANN, "operator", ANN, NOW, "approved")
    with acme.reader() as connection:
        state = State(connection, "acme", NOW + timedelta(minutes=5))
        same = rehearse(state, BOOK, {"service": "web"}, None, asked)
        other = rehearse(state, BOOK, {"service": "web", "batch_pct": 50}, None, asked)
    assert [[c["passed"] for c in one.plan["checks"] if c["check"] == "quiet"] for one in (same, other)] == [
        [False],
        [True],
    ]
