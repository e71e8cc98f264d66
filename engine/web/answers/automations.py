"""Answers of the chapter Automations."""

from datetime import datetime

from engine.model.vocabulary import DryRunOutcome, ExecutionMode, ExecutionStatus, PlaybookRisk, RuleEffect
from engine.web.answers.integrations import ApprovalRequest, PolicyVersion
from engine.web.answers.shape import Shape


class PlanTarget(Shape):
    kind: str
    id: str
    name: str | None
    why: str
    service_id: str | None


class PlanReach(Shape):
    reach: str
    services: list[str]
    dependents: list[str]
    vital: int


class PlanStep(Shape):
    number: int
    title: str
    do: str
    targets: list[str]
    undo: str


class PlanCheck(Shape):
    check: str
    level: str
    passed: bool
    reason: str


class PlanRule(Shape):
    policy_id: str
    rule: str
    effect: RuleEffect
    holds: bool
    refuses: bool
    message: str


class AppliedPolicy(Shape):
    id: str
    version: int


class PlanVerdict(Shape):
    """What the policies in force say; ``context`` holds every value that their rules may look at."""

    decision: str
    policies: list[AppliedPolicy]
    rules: list[PlanRule]
    context: dict[str, object]


class AutomationPlan(Shape):
    playbook: str
    title: str
    purpose: str
    risk: PlaybookRisk
    target_count: int
    targets: list[PlanTarget]
    blast_radius: PlanReach
    steps: list[PlanStep]
    rollback: list[str]
    checks: list[PlanCheck]
    policy: PlanVerdict
    controls: list[str]


class DryRunReceipt(Shape):
    id: str
    playbook: str
    policy_id: str | None
    inputs_hash: str
    inputs: dict[str, object]
    outcome: DryRunOutcome
    plan: AutomationPlan
    incident_id: str | None
    actor: str
    ran_at: datetime
    policy_block_id: str | None
    approval: ApprovalRequest | None
    approval_needed: bool
    note: str


class ExecutionReceipt(Shape):
    id: str
    playbook: str
    dry_run_id: str
    incident_id: str | None
    mode: ExecutionMode
    status: ExecutionStatus
    approval_note: str
    rollback_plan: str
    actor: str
    executed_at: datetime
    inputs: dict[str, object]
    plan: AutomationPlan
    note: str


class Policies(Shape):
    workspace_id: str | None
    policies: list[PolicyVersion]
