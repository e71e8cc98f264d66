"""The guard in front of executions: what must be true, and the record of every refusal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from engine.automation.checks import CheckOutcome
from engine.automation.policies import Ruling
from engine.model.records import ApprovalRow, DryRunRow
from engine.model.vocabulary import ApprovalStatus, AutomationStage, BlockReason, DryRunOutcome
from engine.store import Revision
from engine.store.ids import new_id
from engine.store.schema.automation import policy_blocks

SHORTEST_NOTE = 10


@dataclass(frozen=True)
class Refusal:
    """Why something may not be done: a machine word and a sentence; ``code`` is what block analytics count by."""

    reason: BlockReason
    message: str
    policy_id: str | None = None
    rule: str | None = None

    @property
    def code(self) -> str:
        return self.rule or self.reason


def of_ruling(ruling: Ruling) -> Refusal:
    """A rule that refuses."""
    return Refusal("policy_denied", ruling.message, ruling.policy_id, ruling.rule)


def of_dry_run(
    row: DryRunRow | None, playbook: str, wanted_hash: str, *, now: datetime, fresh_minutes: float
) -> list[Refusal]:
    """Whether a dry-run carries an execution: its own playbook, the same inputs, succeeded, fresh."""
    if row is None:
        return [Refusal("dry_run_missing", f"There is no dry-run of {playbook}; make one with these inputs first.")]
    name, refusals = row["id"], []
    if row["playbook"] != playbook:
        refusals.append(Refusal("dry_run_mismatch", f"The dry-run {name} is of {row['playbook']}, not of {playbook}."))
    elif row["inputs_hash"] != wanted_hash:
        refusals.append(Refusal("inputs_changed", f"The dry-run {name} had other inputs; make a new one."))
    if row["outcome"] != "succeeded":
        refusals.append(
            Refusal("dry_run_failed", f"The dry-run {name} {_end_text(row['outcome'])}; nothing rests on it.")
        )
    age = (now - row["ran_at"]).total_seconds() / 60
    if not 0 <= age <= fresh_minutes:
        refusals.append(
            Refusal(
                "dry_run_stale", f"The dry-run {name} is {age:,.0f} minutes old; at most {fresh_minutes:g} are allowed."
            )
        )
    return refusals


def of_approval(
    approval: ApprovalRow | None, status: ApprovalStatus | Literal["none"], lifetime: timedelta
) -> list[Refusal]:
    """Whether the approval of a dry-run still carries an execution: it does so once, and for a time."""
    if approval is None or status not in ("spent", "expired"):
        return []
    name, hours = approval["id"], f"{lifetime.total_seconds() / 3600:g}"
    if status == "spent":
        at = f" of {approval['spent_at']:%Y-%m-%d %H:%M} UTC" if approval["spent_at"] else ""
        return [
            Refusal(
                "approval_spent",
                f"The approval {name} was used up by the execution {approval['spent_by'] or 'before'}{at}; it carries "
                "one. Make a new dry-run and ask again.",
            )
        ]
    end = "decided" if approval["decided_at"] else "asked for"
    return [
        Refusal(
            "approval_expired",
            f"The approval {name} expired {hours} hours after it was {end}; make a new dry-run and ask again.",
        )
    ]


def of_words(approval_note: str, rollback_plan: str) -> list[Refusal]:
    """A note that says something, and a way back."""
    refusals = []
    if len(approval_note.strip()) < SHORTEST_NOTE:
        came = len(approval_note.strip())
        refusals.append(
            Refusal(
                "approval_note_missing", f"approval_note must have at least {SHORTEST_NOTE} characters; it has {came}."
            )
        )
    if not rollback_plan.strip():
        refusals.append(Refusal("rollback_plan_missing", "rollback_plan must say how to go back; it is empty."))
    return refusals


def of_checks(failed: Sequence[CheckOutcome]) -> list[Refusal]:
    """Preconditions that held at the dry-run and hold no more."""
    return [Refusal("checks_failed", f"{one['check']} does not hold any more: {one['reason']}") for one in failed]


def block(
    revision: Revision, playbook: str, stage: AutomationStage, refusals: Sequence[Refusal], *, dry_run_id: str | None
) -> str:
    """Record a refusal, counted by its first reason; the message holds all of them. Returns the block's id."""
    first = refusals[0]
    identifier, policy_id = new_id("blk"), next((one.policy_id for one in refusals if one.policy_id), None)
    row = {
        "id": identifier,
        "playbook": playbook,
        "policy_id": policy_id,
        "reason": first.code,
        "message": " ".join(one.message for one in refusals),
        "actor": revision.actor,
        "blocked_at": revision.now,
        "overridden": False,
    }
    revision.insert(policy_blocks, [row])
    revision.record(
        "policy.blocked",
        object_type="playbook",
        object_id=playbook,
        outcome="denied",
        details={
            "block": identifier,
            "stage": stage,
            "reasons": [one.code for one in refusals],
            "policy_id": policy_id,
            "dry_run_id": dry_run_id,
        },
    )
    return identifier


def _end_text(outcome: DryRunOutcome) -> str:
    return "was blocked by a policy" if outcome == "blocked" else "failed"
