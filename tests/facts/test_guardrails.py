from datetime import date

from tests.facts.conftest import control, on

AT = "2026-06-01 09:00"
SCOPE = {"organization_frameworks": [{"framework": "soc2", "in_scope": True}]}


def version(number=1, state="active", **more):
    accepted = {} if state == "draft" else {"accepted_at": AT, "accepted_by": "ann"}
    return {
        "id": f"P-v{number}",
        "policy": "P",
        "version": number,
        "title": "Policy",
        "state": state,
        **accepted,
        **more,
    }


def rails(known, *columns, **tables):
    return known(**tables)["guardrails"].select(columns).rows()


def test_an_accepted_policy_is_about_the_controls_that_it_supports(facts_with):
    tables = {"policies": [version()], "policy_controls": [{"policy_id": "P-v1", **on()}], **SCOPE}
    found = rails(facts_with, "policy_id", "control_id", "in_scope", "requirements", controls=[control()], **tables)
    assert found == [("P-v1", "X1", True, ["soc2:X1"])]


def test_a_framework_that_is_not_followed_is_out_of_scope(facts_with):
    tables = {"policies": [version()], "policy_controls": [{"policy_id": "P-v1", **on("A.5.1", "iso27001")}], **SCOPE}
    assert rails(facts_with, "framework", "in_scope", "requirements", **tables) == [("iso27001", False, [])]


def test_without_a_review_date_the_review_is_a_year_after_acceptance(facts_with):
    policies = [version(review_due_on="2026-12-24")]
    assert rails(facts_with, "review_due_on", policies=policies) == [(date(2026, 12, 24),)]
    assert rails(facts_with, "review_due_on", policies=[version()]) == [(date(2027, 6, 16),)]


def test_the_newest_version_on_file_counts_even_as_a_draft(facts_with):
    policies = [version(1, "retired"), version(2), version(3, "draft")]
    columns = ("policy_id", "newest_version", "newest_state", "newest_on")
    assert rails(facts_with, *columns, policies=policies) == [("P-v2", 3, "draft", None)]


def test_drafts_and_policies_accepted_later_are_no_guardrails(facts_with):
    later = version(2, accepted_at="2026-11-21 00:00", accepted_by="ann")
    assert rails(facts_with, "policy_id", policies=[version(1, "draft"), later]) == []


def test_the_guardrail_of_a_playbook_is_about_the_controls_that_the_playbook_repairs(facts_with):
    guard = version(kind="automation", playbook="enforce-mfa")
    guardrails = facts_with(policies=[guard], **SCOPE)["guardrails"]
    assert set(guardrails["framework"]) == {"soc2"}
    assert "CC6.1" in guardrails["control_id"].to_list()
    assert guardrails.height == guardrails["control_id"].n_unique()


def test_a_guardrail_that_names_controls_is_about_those_alone(facts_with):
    guard = version(kind="automation", playbook="enforce-mfa")
    tables = {"policies": [guard], "policy_controls": [{"policy_id": "P-v1", **on("CC7.1")}], **SCOPE}
    assert rails(facts_with, "control_id", **tables) == [("CC7.1",)]


def test_a_playbook_that_repairs_nothing_in_scope_leaves_a_guardrail_without_controls(facts_with):
    guard = version(kind="automation", playbook="restart-service")
    assert rails(facts_with, "policy_id", "control_id", policies=[guard]) == [("P-v1", None)]
