"""The context of a policy: what is true of one run, field by field (``policy_fields.FIELDS``)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.automation.playbooks import Playbook
from engine.automation.policy_fields import SEVERITY_ORDER, WEEKDAYS
from engine.automation.situation import Situation
from engine.model.vocabulary import ENVIRONMENTS, ApprovalStatus, AutomationStage


@dataclass(frozen=True)
class AutomationRequest:
    """Who asks for what: the stage, the dry-run that it rests on, and the approval of that.

    A dry-run is judged as if it were approved, because it is what an approval is given for.
    """

    stage: AutomationStage
    actor: str
    role: str | None
    rehearsed_by: str
    ran_at: datetime
    approval: ApprovalStatus | Literal["none"] = "none"


def context(book: Playbook, at: Situation, asked: AutomationRequest) -> dict[str, object]:
    """Every field with its value now; inputs that were not given are absent."""
    acted_on = [at.state.services[one] for one in at.services]
    noticed = [at.state.services[one] for one in at.dependents]
    local = at.state.local()
    others = at.incidents_on([*at.services, *at.dependents], "info")
    worst = [row["severity"] for row in at.state.open_incidents if row["id"] in set(others)]
    environments = {row["environment"] for row in acted_on}
    return {
        "playbook": book.id,
        "playbook.risk": book.risk,
        "stage": asked.stage,
        "environment": next((one for one in ENVIRONMENTS if one in environments), "none"),
        "severity": at.incident["severity"] if at.incident else "none",
        "actor.email": asked.actor,
        "actor.role": asked.role,
        "actor.rehearsed": asked.actor == asked.rehearsed_by,
        "time.clock": local.strftime("%H:%M"),
        "time.date": local.date().isoformat(),
        "time.weekday": WEEKDAYS[local.weekday()],
        "targets": len(at.targets),
        "blast_radius.services": len(acted_on),
        "blast_radius.dependents": len(noticed),
        "blast_radius.vital": sum(row["criticality"] == 5 for row in (*acted_on, *noticed)),
        "service.criticality": max((row["criticality"] for row in acted_on), default=0),
        "service.internet_facing": any(row["internet_facing"] for row in acted_on),
        "service.holds_customer_data": any(row["holds_customer_data"] for row in acted_on),
        "incidents.open": len(others),
        "incidents.worst": max(worst, key=SEVERITY_ORDER.index, default="none"),
        "approval.status": asked.approval,
        "dry_run.age_minutes": int((at.state.now - asked.ran_at).total_seconds() // 60),
        **{f"inputs.{name}": value for name, value in at.inputs.items()},
    }
