"""Dry-run, approval and execution as writes, on both engines."""

from concurrent.futures import ThreadPoolExecutor
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
from engine.store.schema.automation import policies as policy_table
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
        run_result = rehearse(State(connection, "acme", NOW), BOOK, inputs or {"service": "web"}, None, asked)
    return store.write("acme", ANN, lambda revision: keep(revision, run_result), now=NOW)


def carried_out(store, now=NOW, mode="execute", actor=ANN, **more):
    values = {
        "inputs": {"service": "web"},
        "dry_run_id": None,
        "incident_id": None,
        "approval_note": "Agreed by the board.",
        "rollback_plan": "Stop.",
        "approval_lifetime": timedelta(hours=24),
        **more,
    }
    order = ExecutionRequest(BOOK, mode, "operator", **values)
    return store.write("acme", actor, lambda revision: carry_out(revision, order), now=now)


def test_from_policy_to_approval_to_execution(acme):
    draft = policies.PolicyDraft("Guardrail", [RULE])
    acme.write("acme", BOB, lambda revision: policies.create(revision, BOOK, draft, state="active"), now=NOW)
    run = rehearse_run(acme)
    refused = carried_out(acme)
    assert isinstance(refused, ExecutionRefusal)
    assert [one.code for one in refused.refusals] == ["four-eyes"]

    def approve(revision):
        return approvals.decide(
            revision, run["approval"]["id"], "approve", role="admin", details={}, lifetime=timedelta(hours=24)
        )

    assert acme.write("acme", BOB, approve, now=NOW)["status"] == "approved"
    with pytest.raises(Conflict):
        acme.write("acme", BOB, approve, now=NOW)
    done = carried_out(acme)
    assert (done["dry_run_id"], done["approval_id"]) == (run["id"], run["approval"]["id"])
    assert (done["requester"], done["approver"], done["actor"], done["separation"]) == (ANN, BOB, ANN, None)
    again = carried_out(acme, mode="remediate", approval_note="", rollback_plan="")
    assert [one.reason for one in again.refusals] == ["approval_spent", "policy_denied"]
    assert done["id"] in again.refusals[0].message
    assert acme.verify("acme").ok
    assert acme.verify_rows("acme").ok


def publish(store, *rules, separation=()):
    draft = policies.PolicyDraft("Guardrail", list(rules), separation=separation)
    store.write("acme", BOB, lambda revision: policies.create(revision, BOOK, draft, state="active"), now=NOW)


def decide(store, run, by=BOB, now=NOW):
    return store.write(
        "acme",
        by,
        lambda revision: approvals.decide(
            revision, run["approval"]["id"], "approve", role="admin", details={}, lifetime=timedelta(hours=24)
        ),
        now=now,
    )


def test_of_four_executions_at_once_one_uses_the_approval_up(acme):
    publish(acme, RULE)
    run = rehearse_run(acme)
    decide(acme, run)
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: carried_out(acme), range(4)))
    done = [one for one in outcomes if isinstance(one, dict)]
    refused = [one for one in outcomes if isinstance(one, ExecutionRefusal)]
    assert (len(done), len(refused)) == (1, 3)
    assert all(done[0]["id"] in one.refusals[0].message for one in refused)
    assert acme.verify_rows("acme").ok


def test_a_dry_run_that_needs_no_approval_may_run_again(acme):
    rehearse_run(acme)
    assert carried_out(acme)["approval_id"] is None
    assert carried_out(acme)["approval_id"] is None


def test_an_approval_that_nobody_decided_expires_where_it_is_used_and_in_the_sweep(acme):
    publish(acme, RULE)
    run, late = rehearse_run(acme), NOW + timedelta(hours=24, seconds=1)
    lifetime = timedelta(hours=24)
    assert approvals.sweep_expired(acme, "acme", now=NOW + timedelta(hours=24), lifetime=lifetime) == 0
    reasons = [one.reason for one in carried_out(acme, now=late).refusals]
    assert reasons == ["dry_run_stale", "approval_expired", "policy_denied"]
    assert decide(acme, run, now=late)["status"] == "expired"
    assert approvals.sweep_expired(acme, "acme", now=late, lifetime=lifetime) == 0
    assert acme.verify("acme").ok
    assert acme.verify_rows("acme").ok


def test_an_approval_that_nobody_used_expires_as_long_after_its_decision(acme):
    publish(acme, RULE)
    run, decided = rehearse_run(acme), NOW + timedelta(hours=20)
    assert decide(acme, run, now=decided)["status"] == "approved"
    lifetime = timedelta(hours=24)
    assert approvals.sweep_expired(acme, "acme", now=decided + lifetime, lifetime=lifetime) == 0
    assert approvals.sweep_expired(acme, "acme", now=decided + timedelta(hours=25), lifetime=lifetime) == 1
    assert acme.verify_rows("acme").ok


def test_a_policy_says_who_must_be_different_people(acme):
    publish(acme, separation=("requester", "approver", "executor"))
    run = rehearse_run(acme)
    refused = carried_out(acme)
    assert [one.reason for one in refused.refusals] == ["separation", "separation"]
    decide(acme, run)
    by_requester = carried_out(acme)
    assert [one.message for one in by_requester.refusals] == [
        f"guardrail-restart-service-v1 wants requester and executor to be different people; both are {ANN}."
    ]
    by_approver = carried_out(acme, actor=BOB)
    assert "approver and executor" in by_approver.refusals[0].message
    done = carried_out(acme, actor="cyd@acme.example")
    assert done["separation"] == ["requester", "approver", "executor"]
    assert acme.verify_rows("acme").ok


def test_a_separation_that_cannot_be_read_separates_everybody(acme):
    publish(acme)
    rehearse_run(acme)
    with acme.revision("acme", "import", now=NOW) as revision:
        revision.update(policy_table, {"id": "guardrail-restart-service-v1"}, {"separation": "requester"})
        revision.record("import.completed")
    assert {one.reason for one in carried_out(acme).refusals} == {"separation"}


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
        moments = State(connection, "acme", NOW).last_events(["backup.completed", "backup.failed"])
    assert moments == {("backup.completed", "web"): NOW}


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
