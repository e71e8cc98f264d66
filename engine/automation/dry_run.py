"""Dry-runs: a plan computed from the records, its checks and its policies; nothing outside the console changes."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.automation import approvals, guard, policies, separation
from engine.automation.checks import CHECKS, CheckOutcome
from engine.automation.context import AutomationRequest, context
from engine.automation.inputs import complete, inputs_hash, name_references
from engine.automation.playbooks import Playbook, fill
from engine.automation.situation import Situation
from engine.automation.state import State
from engine.automation.targets import SELECTORS, InputValue
from engine.model.records import IncidentRow, PolicyRow
from engine.model.vocabulary import DryRunOutcome
from engine.store import Revision, rows
from engine.store.ids import new_id
from engine.store.schema.automation import dry_runs
from engine.store.schema.services import incidents

MOST_SHOWN = 500


@dataclass(frozen=True)
class DryRunResult:
    """What a run would do now, and what speaks against it."""

    book: Playbook
    inputs: dict[str, InputValue]
    incident_id: str | None
    plan: Mapping[str, object]
    checks: tuple[CheckOutcome, ...]
    rulings: tuple[policies.Ruling, ...]
    policy_id: str | None
    approval_needed: bool

    @property
    def refusals(self) -> list[policies.Ruling]:
        """The rules that refuse."""
        return [one for one in self.rulings if one.refuses]

    @property
    def failed_checks(self) -> list[CheckOutcome]:
        """The checks that must pass and do not."""
        return [one for one in self.checks if one["level"] == "must" and not one["passed"]]

    @property
    def outcome(self) -> DryRunOutcome:
        """A refusal by a policy is ``blocked`` whatever the checks say."""
        if self.refusals:
            return "blocked"
        return "failed" if self.failed_checks else "succeeded"


def rehearse(
    state: State, book: Playbook, given: Mapping[str, object], incident_id: str | None, asked: AutomationRequest
) -> DryRunResult:
    """The rehearsal of a playbook. BadRequest for inputs that do not fit, NotFound for objects that are not here."""
    inputs = complete(book, given)
    names = name_references(book, inputs, state)
    incident = rows.one(state.connection, incidents, state.org_id, id=incident_id) if incident_id else None
    at = _situation(state, book, inputs, asked.actor, incident)
    documents = policies.active(state.connection, state.org_id, book.id)
    facts, checks = context(book, at, asked), _checks(book, at)
    rulings = policies.rulings(documents, book, facts)
    plan = {
        "playbook": book.id,
        "title": book.title,
        "purpose": book.purpose,
        "risk": book.risk,
        "target_count": len(at.targets),
        "targets": [target.plan_entry() for target in at.targets[:MOST_SHOWN]],
        "blast_radius": {
            "reach": book.reach,
            "services": list(at.services) if book.reach != "none" else [],
            "dependents": list(at.dependents),
            "vital": facts["blast_radius.vital"],
        },
        "steps": _steps(book, at, names),
        "rollback": list(book.rollback),
        "checks": list(checks),
        "policy": {
            "decision": _decision(documents, rulings),
            "policies": [{"id": one["id"], "version": one["version"]} for one in documents],
            "rules": [
                {
                    "policy_id": one.policy_id,
                    "rule": one.rule,
                    "effect": one.effect,
                    "holds": one.holds,
                    "refuses": one.refuses,
                    "message": one.message,
                }
                for one in rulings
            ],
            "context": facts,
        },
        "controls": list(book.controls),
    }
    return DryRunResult(
        book,
        inputs,
        incident_id,
        plan,
        checks,
        tuple(rulings),
        documents[0]["id"] if documents else None,
        separation.wants_approver(documents)
        or any(_waits_for_approval(documents, book, {**facts, "stage": stage}) for stage in ("execute", "remediate")),
    )


def keep(revision: Revision, rehearsal: DryRunResult) -> dict[str, object]:
    """Persist a dry-run with its audit event; a blocked one is a policy block, one that needs approval asks for it."""
    identifier, digest = new_id("dry"), inputs_hash(rehearsal.inputs)
    row = {
        "id": identifier,
        "playbook": rehearsal.book.id,
        "policy_id": rehearsal.policy_id,
        "inputs_hash": digest,
        "inputs": rehearsal.inputs,
        "outcome": rehearsal.outcome,
        "plan": rehearsal.plan,
        "incident_id": rehearsal.incident_id,
        "actor": revision.actor,
        "ran_at": revision.now,
    }
    revision.insert(dry_runs, [row])
    block = approval = None
    if rehearsal.outcome == "blocked":
        refused = [guard.of_ruling(one) for one in rehearsal.refusals]
        block = guard.block(revision, rehearsal.book.id, "dry_run", refused, dry_run_id=identifier)
    else:
        revision.record(
            f"automation.dry_run.{rehearsal.outcome}",
            object_type="dry_run",
            object_id=identifier,
            details={
                "playbook": rehearsal.book.id,
                "inputs_hash": digest,
                "incident_id": rehearsal.incident_id,
                "failed_checks": [one["check"] for one in rehearsal.failed_checks],
            },
        )
    if rehearsal.outcome == "succeeded" and rehearsal.approval_needed:
        approval = approvals.ask(revision, "execution", identifier)
    return {**row, "policy_block_id": block, "approval": approval}


def _situation(
    state: State, book: Playbook, inputs: Mapping[str, InputValue], actor: str, incident: IncidentRow | None
) -> Situation:
    targets = tuple(SELECTORS[book.targets](state, inputs))
    services = sorted({one.service_id for one in targets if one.service_id in state.services and one.service_id})
    if "service" in inputs and not services:
        services = [str(inputs["service"])]
    dependents = state.dependents(services) if book.reach == "dependents" else ()
    return Situation(state, inputs, targets, services, dependents, actor, incident, book.id, book.limit)


def _checks(book: Playbook, at: Situation) -> tuple[CheckOutcome, ...]:
    check_outcomes: list[CheckOutcome] = []
    for check in book.checks:
        passed, reason = CHECKS[check.check].holds(at, check.options)
        check_outcomes.append({"check": check.check, "level": check.level, "passed": passed, "reason": reason})
    return tuple(check_outcomes)


def _waits_for_approval(documents: list[PolicyRow], book: Playbook, facts: Mapping[str, object]) -> bool:
    """Whether some rule refuses without an approval and would not with one."""
    without = policies.rulings(documents, book, {**facts, "approval.status": "none"})
    given = policies.rulings(documents, book, {**facts, "approval.status": "approved"})
    return any(one.refuses and not two.refuses for one, two in zip(without, given, strict=True))


def _steps(book: Playbook, at: Situation, names: Mapping[str, InputValue]) -> list[dict[str, object]]:
    ids = [target.id for target in at.targets[:MOST_SHOWN]]
    return [
        {
            "number": number,
            "title": step.title,
            "do": fill(step.do, names),
            "targets": ids if step.each else [],
            "undo": fill(step.undo, names),
        }
        for number, step in enumerate(book.steps, 1)
    ]


def _decision(documents: list[PolicyRow], rulings: list[policies.Ruling]) -> str:
    if not documents:
        return "no_policy"
    return "refused" if any(one.refuses for one in rulings) else "allowed"
