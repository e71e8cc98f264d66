"""Answers of the chapter Automations."""

from engine.model.records import DryRunRow, ExecutionRow
from engine.model.vocabulary import PlaybookRisk, RuleEffect
from engine.web.answers.integrations import ApprovalRequest, PolicyVersion
from engine.web.answers.shape import Shape, mirror_row


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


@mirror_row(DryRunRow, "id playbook policy_id inputs_hash inputs outcome plan incident_id actor ran_at")
class DryRunReceipt(Shape):
    inputs: dict[str, object]
    plan: AutomationPlan
    policy_block_id: str | None
    approval: ApprovalRequest | None
    approval_needed: bool
    note: str


@mirror_row(
    ExecutionRow,
    """
    id playbook dry_run_id incident_id mode status approval_note rollback_plan actor executed_at
    approval_id requester approver separation
    """,
)
class ExecutionReceipt(Shape):
    separation: list[str] | None
    inputs: dict[str, object]
    plan: AutomationPlan
    note: str


class Policies(Shape):
    workspace_id: str | None
    policies: list[PolicyVersion]
