"""Policies, dry-runs, executions, approvals, and conversations with the copilot."""

from __future__ import annotations

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    control,
    day,
    flag,
    instant,
    json,
    key,
    person,
    reference,
    tenant_table,
    text,
    whole_number,
)

policies: TypedTable[records.PolicyRow] = tenant_table(
    "policies",
    "A version of a policy document: a governance policy or the guardrail of a playbook.",
    key("id", "identifier of this version"),
    text("policy", "identifier of the policy through all versions"),
    whole_number("version", "version, from 1", low=1),
    choice("kind", "governance text or guardrail of automations", "PolicyKind", default="governance"),
    text("title", "title"),
    text("playbook", "playbook that a guardrail is for", null=True),
    choice("state", "state", "PolicyState"),
    text("body", "text", null=True),
    json("rules", "rules that are evaluated"),
    person("owner", "e-mail address of the owner", null=True),
    person("accepted_by", "who accepted it", null=True),
    instant("accepted_at", "when it was accepted", null=True),
    day("review_due_on", "next review", null=True),
    text("workspace_id", "workspace", null=True),
    json("separation", "which of requester, approver and executor must be different people"),
    due="review_due_on",
)

policy_controls: TypedTable[records.PolicyControlRow] = tenant_table(
    "policy_controls",
    "A control that a policy version supports.",
    reference("policy_id", "policy version", "policies"),
    *control(),
    primary=("policy_id", "framework", "control_id"),
)

dry_runs: TypedTable[records.DryRunRow] = tenant_table(
    "dry_runs",
    "A rehearsal of a playbook that computed its plan and changed nothing.",
    key("id", "identifier"),
    text("playbook", "playbook"),
    text("policy_id", "policy version it was held against", null=True),
    text("inputs_hash", "SHA-256 of the canonical inputs"),
    json("inputs", "inputs"),
    choice("outcome", "how it ended", "DryRunOutcome"),
    json("plan", "computed plan"),
    text("incident_id", "incident", null=True),
    person("actor", "who"),
    instant("ran_at", "when"),
)

executions: TypedTable[records.ExecutionRow] = tenant_table(
    "executions",
    "A guarded execution of a playbook after a successful dry-run.",
    key("id", "identifier"),
    text("playbook", "playbook"),
    reference("dry_run_id", "dry-run that allowed it", "dry_runs"),
    text("incident_id", "incident", null=True),
    choice("mode", "how it was asked for", "ExecutionMode", default="execute"),
    choice("status", "state", "ExecutionStatus", default="recorded"),
    text("approval_note", "why it was approved"),
    text("rollback_plan", "how to go back"),
    person("actor", "who"),
    instant("executed_at", "when"),
    text("approval_id", "approval that it used up", null=True),
    person("requester", "who made the dry-run", null=True),
    person("approver", "who approved it", null=True),
    json("separation", "which of requester, approver and executor had to be different people"),
)

approvals: TypedTable[records.ApprovalRow] = tenant_table(
    "approvals",
    "A decision that is asked of somebody, decided once.",
    key("id", "identifier"),
    text("kind", "what is asked, such as execution or policy"),
    text("subject", "identifier of the thing to decide on"),
    choice("status", "state", "ApprovalStatus", default="pending"),
    person("requested_by", "who asked"),
    instant("requested_at", "when"),
    person("decided_by", "who decided", null=True),
    instant("decided_at", "when", null=True),
    text("note", "reason", null=True),
    text("spent_by", "execution that used it up", null=True),
    instant("spent_at", "when it was used up", null=True),
)

policy_blocks: TypedTable[records.PolicyBlockRow] = tenant_table(
    "policy_blocks",
    "A refusal: what a policy or a guard did not let through.",
    key("id", "identifier"),
    text("playbook", "playbook"),
    text("policy_id", "policy version that refused", null=True),
    text("reason", "reason code"),
    text("message", "reason in words", null=True),
    person("actor", "who was refused"),
    instant("blocked_at", "when"),
    flag("overridden", "whether somebody overrode it", default=False),
)

test_links: TypedTable[records.TestLinkRow] = tenant_table(
    "test_links",
    "The output of a test or dry-run, linked to a control and a bundle.",
    key("id", "identifier"),
    text("test_id", "dry-run or test run"),
    *control(),
    text("bundle_id", "bundle", null=True),
    choice("status", "state", "LinkStatus", default="linked"),
    flag("supplement", "linked to a bundle that was sealed before the test", default=False),
    person("linked_by", "who"),
    instant("linked_at", "when"),
)

copilot_threads: TypedTable[records.CopilotThreadRow] = tenant_table(
    "copilot_threads",
    "A conversation with the copilot.",
    key("id", "identifier"),
    person("email", "whose"),
    text("title", "title"),
    instant("created_at", "when"),
    importable=False,
    replicated=False,
)

copilot_messages: TypedTable[records.CopilotMessageRow] = tenant_table(
    "copilot_messages",
    "A message of a conversation.",
    key("id", "identifier"),
    reference("thread_id", "conversation", "copilot_threads"),
    choice("role", "who speaks", "ChatRole"),
    text("body", "text"),
    json("citations", "sources"),
    instant("created_at", "when"),
    importable=False,
    replicated=False,
)
