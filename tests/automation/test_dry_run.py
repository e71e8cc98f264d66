"""A dry-run is computed from the records: targets, reach, checks and what policies say."""

from datetime import timedelta

import pytest

from engine.automation.context import AutomationRequest
from engine.automation.dry_run import rehearse
from engine.automation.inputs import inputs_hash
from engine.automation.playbooks import playbook, playbooks
from engine.automation.state import State
from engine.model.errors import BadRequest, NotFound
from engine.store.schema.audit import legal_holds
from engine.store.schema.automation import policies
from engine.store.schema.risk import data_flows, systems, vendor_documents, vendors
from tests.automation.conftest import ADMIN, LEFT, OWNER, open_incident
from tests.conftest import NOW


def run(store, name, inputs=None, *, incident=None, actor=ADMIN, role="admin"):
    asked = AutomationRequest("dry_run", actor, role, actor, NOW, "approved")
    with store.reader() as connection:
        return rehearse(State(connection, "acme", NOW), playbook(name), inputs or {}, incident, asked)


def targets(rehearsal):
    return [target["id"] for target in rehearsal.plan["targets"]]


def check(rehearsal, name):
    (found,) = [one for one in rehearsal.plan["checks"] if one["check"] == name]
    return found["passed"], found["reason"]


def add(store, table, *given):
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(table, given)
        revision.record("import.completed")


def test_patches_are_planned_for_the_open_findings_of_that_severity_worst_first(acme):
    rehearsal = run(acme, "apply-patch", {"service": "payments"})
    assert targets(rehearsal) == ["F1", "F0"]
    assert rehearsal.inputs == {"service": "payments", "severity": "high"}
    assert rehearsal.outcome == "succeeded"
    assert rehearsal.plan["blast_radius"] == {
        "reach": "dependents",
        "services": ["payments"],
        "dependents": ["portal", "web"],
        "vital": 1,
    }
    third = rehearsal.plan["steps"][2]
    assert third["do"].startswith("Apply the fix for each finding of severity high and above on Payments")
    assert third["targets"] == ["F1", "F0"]
    assert rehearsal.plan["policy"]["decision"] == "no_policy"


def test_nothing_to_patch_is_a_failed_dry_run(acme):
    rehearsal = run(acme, "apply-patch", {"service": "web"})
    assert (rehearsal.outcome, check(rehearsal, "has_targets")) == ("failed", (False, "0 objects to act on."))


def test_an_open_incident_on_the_service_stops_patching_unless_it_is_the_one_worked_on(acme):
    name = open_incident(acme)
    blocked, own = (run(acme, "apply-patch", {"service": "payments"}, incident=one) for one in (None, name))
    assert check(blocked, "no_open_incident") == (False, "Unresolved on the services: INC-1.")
    assert (blocked.outcome, own.outcome) == ("failed", "succeeded")


def test_a_minor_incident_does_not_stop_it(acme):
    open_incident(acme, severity="medium")
    assert run(acme, "apply-patch", {"service": "payments"}).outcome == "succeeded"


def test_a_warning_does_not_fail_the_run(acme):
    rehearsal = run(acme, "apply-patch", {"service": "payments"})
    assert check(rehearsal, "recent_event") == (False, "No backup.completed in the last 48 hours: payments.")
    assert rehearsal.outcome == "succeeded"


def test_a_recorded_backup_satisfies_the_check(acme):
    with acme.revision("acme", "backup", now=NOW - timedelta(hours=3)) as revision:
        revision.record("backup.completed", object_type="service", object_id="payments")
    assert check(run(acme, "apply-patch", {"service": "payments"}), "recent_event")[0]


def test_a_roll_back_goes_to_the_version_before(acme):
    rehearsal = run(acme, "roll-back-deploy", {"service": "payments"})
    assert targets(rehearsal) == ["D5"]
    assert check(rehearsal, "previous_deploy") == (True, "Goes back to 1.70.")
    assert run(acme, "roll-back-deploy", {"service": "web"}).outcome == "failed"


def test_leavers_are_members_whose_profile_says_that_they_have_left(acme):
    rehearsal = run(acme, "disable-leaver-accounts")
    assert (targets(rehearsal), rehearsal.outcome) == ([LEFT], "succeeded")
    assert rehearsal.plan["targets"][0]["why"] == "has left and is still operator"


def test_the_last_owner_keeps_access(acme):
    rehearsal = run(acme, "revoke-access", {"person": OWNER, "reason": "compromised"})
    assert check(rehearsal, "owner_remains") == (False, "0 active owners who could undo it; 1 needed.")
    assert check(rehearsal, "nothing_left_behind") == (False, "They still own payments.")
    assert rehearsal.outcome == "failed"


def test_nobody_revokes_their_own_access(acme):
    rehearsal = run(acme, "revoke-access", {"person": ADMIN, "reason": "leaver"})
    assert check(rehearsal, "not_yourself") == (False, "You are among those concerned.")


def test_isolation_needs_an_open_incident_on_that_very_service(acme):
    here, there = open_incident(acme), open_incident(acme, "web", name="INC-2")
    outcomes = [
        run(acme, "isolate-service", {"service": "payments"}, incident=one).outcome for one in (None, there, here)
    ]
    assert outcomes == ["failed", "failed", "succeeded"]


def test_a_legal_hold_keeps_data_from_being_purged(acme):
    add(acme, systems, {"id": "crm", "name": "CRM", "owner": OWNER})
    inputs = {"system": "crm", "older_than_days": 400}
    assert run(acme, "purge-expired-data", inputs).outcome == "succeeded"
    add(acme, legal_holds, {"id": "LH1", "matter": "M", "reason": "r", "placed_by": OWNER, "placed_at": NOW})
    assert check(run(acme, "purge-expired-data", inputs), "no_legal_hold")[0] is False


def test_flows_not_known_to_be_encrypted_count_as_in_the_clear(acme):
    add(acme, systems, {"id": "crm", "name": "CRM", "service_id": "web"}, {"id": "dwh", "name": "DWH"})
    ends = {"from_system": "crm", "to_system": "dwh", "data_class": "customer"}
    add(
        acme, data_flows, *({"id": f"DF{n}", "encrypted": value, **ends} for n, value in enumerate((True, False, None)))
    )
    rehearsal = run(acme, "enforce-encryption")
    assert targets(rehearsal) == ["DF1", "DF2"]
    assert rehearsal.plan["blast_radius"]["services"] == ["web"]


def test_a_vendor_is_asked_for_what_has_expired_and_not_been_replaced(acme):
    day = NOW.date()
    add(acme, vendors, {"id": "V1", "name": "Cumulus", "category": "cloud", "tier": "high", "owner": OWNER})
    assert targets(run(acme, "request-vendor-evidence", {"vendor": "V1"})) == ["V1"]
    documents = (("old", "soc2_type2", -400), ("new", "soc2_type2", 30), ("gone", "pen_test", -1))
    add(
        acme,
        vendor_documents,
        *(
            {"id": name, "vendor_id": "V1", "kind": kind, "expires_on": day + timedelta(days=days)}
            for name, kind, days in documents
        ),
    )
    assert targets(run(acme, "request-vendor-evidence", {"vendor": "V1"})) == ["gone"]


def test_people_trained_within_the_period_are_not_reminded(acme):
    with acme.revision("acme", "lms", now=NOW - timedelta(days=40)) as revision:
        revision.record("training.completed", object_type="user", object_id=ADMIN)
    assert targets(run(acme, "remind-training")) == [OWNER]
    assert targets(run(acme, "remind-training", {"within_days": 30})) == [ADMIN, OWNER]


@pytest.mark.parametrize("name", playbooks())
def test_every_playbook_can_be_rehearsed_in_an_organization_with_little(name, acme):
    add(acme, systems, {"id": "crm", "name": "CRM"})
    add(acme, vendors, {"id": "V1", "name": "Cumulus", "category": "cloud", "tier": "high"})
    values = {"service": "web", "user": ADMIN, "vendor": "V1", "system": "crm", "text": "x", "integer": 90}
    book = playbook(name)
    inputs = {
        key: schema.choices[0] if schema.choices else values[schema.type]
        for key, schema in book.inputs.items()
        if schema.required
    }
    rehearsal = run(acme, name, inputs)
    assert rehearsal.outcome in ("succeeded", "failed")
    assert all("{" not in step["do"] for step in rehearsal.plan["steps"])
    assert rehearsal == run(acme, name, inputs)


@pytest.mark.parametrize(
    ("inputs", "field", "expected", "got"),
    [
        ({}, "inputs.service", "the identifier of a service", "nothing"),
        ({"service": 3}, "inputs.service", "the identifier of a service", "3"),
        ({"service": "web\n"}, "inputs.service", "the identifier of a service", "'web\\n'"),
        ({"service": "web", "severity": "purple"}, "inputs.severity", "one of critical, high, medium, low", "'purple'"),
        ({"service": "web", "speed": 1}, "inputs.speed", "one of service, severity", "an unknown name"),
    ],
)
def test_inputs_that_do_not_fit_are_told(inputs, field, expected, got, acme):
    with pytest.raises(BadRequest) as refused:
        run(acme, "apply-patch", inputs)
    first = refused.value.details[0]
    told = (first["field"], first["expected"].replace(": a printable text", ""), first["got"])
    assert refused.value.word == "invalid_inputs"
    assert told == (field, expected, got)


def test_true_is_no_integer_and_numbers_stay_within_bounds(acme):
    for days in (True, 29, 36501, "90", 1e3):
        with pytest.raises(BadRequest):
            run(acme, "purge-expired-data", {"system": "crm", "older_than_days": days})


def test_objects_of_another_organization_do_not_exist(acme):
    for name, inputs in (
        ("apply-patch", {"service": "theirs"}),
        ("revoke-access", {"person": "x@y.z", "reason": "leaver"}),
    ):
        with pytest.raises(NotFound):
            run(acme, name, inputs)


def test_equal_inputs_have_equal_hashes_whatever_their_order():
    assert inputs_hash({"a": 1, "b": "é"}) == inputs_hash({"b": "é", "a": 1})
    assert inputs_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def guard(store, *rules, **values):
    row = {
        "id": "G-v1",
        "policy": "G",
        "version": 1,
        "kind": "automation",
        "title": "G",
        "playbook": "apply-patch",
        "state": "active",
        "rules": list(rules),
        **values,
    }
    add(store, policies, row)


def test_a_policy_sees_the_run_as_it_is(acme):
    guard(acme)
    facts = run(acme, "apply-patch", {"service": "payments"}, incident=open_incident(acme)).plan["policy"]["context"]
    assert facts == {
        "playbook": "apply-patch",
        "playbook.risk": "high",
        "stage": "dry_run",
        "environment": "production",
        "severity": "high",
        "actor.email": ADMIN,
        "actor.role": "admin",
        "actor.rehearsed": True,
        "time.clock": "08:30",
        "time.date": "2026-11-20",
        "time.weekday": "fri",
        "targets": 2,
        "blast_radius.services": 1,
        "blast_radius.dependents": 2,
        "blast_radius.vital": 1,
        "service.criticality": 5,
        "service.internet_facing": True,
        "service.holds_customer_data": False,
        "incidents.open": 0,
        "incidents.worst": "none",
        "approval.status": "approved",
        "dry_run.age_minutes": 0,
        "inputs.service": "payments",
        "inputs.severity": "high",
    }


def test_a_policy_that_cannot_be_read_refuses(acme):
    guard(acme, {"rule": "max_targets", "value": 5})
    rehearsal = run(acme, "apply-patch", {"service": "payments"})
    assert (rehearsal.outcome, rehearsal.refusals[0].rule) == ("blocked", "unreadable")


def test_a_refusal_outranks_a_failed_check(acme):
    guard(
        acme,
        {
            "id": "never",
            "effect": "require",
            "message": "Never.",
            "when": {"field": "targets", "op": "gt", "value": 99},
        },
    )
    rehearsal = run(acme, "apply-patch", {"service": "web"})
    assert (rehearsal.outcome, rehearsal.plan["policy"]["decision"]) == ("blocked", "refused")
