"""What the checks of a playbook look at, and what the playbook says to them."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.automation.state import RANKS, State
from engine.automation.targets import AutomationTarget, Inputs
from engine.model.records import IncidentRow
from engine.model.vocabulary import Environment, Severity


@dataclass(frozen=True)
class Situation:
    """What a check looks at. ``services`` are those acted on, ``dependents`` those that notice."""

    state: State
    inputs: Inputs
    targets: Sequence[AutomationTarget]
    services: Sequence[str]
    dependents: Sequence[str]
    actor: str
    incident: IncidentRow | None
    playbook: str
    limit: int

    def incidents_on(self, services: Sequence[str], severity: Severity) -> list[str]:
        """Unresolved incidents of that severity and above on the services, but for the one that is worked on."""
        own = self.incident["id"] if self.incident else None
        return [
            row["id"]
            for row in self.state.open_incidents
            if row["service_id"] in services and RANKS[row["severity"]] >= RANKS[severity] and row["id"] != own
        ]


class CheckOptions(msgspec.Struct, frozen=True, rename={"environment": "is"}):
    """What a playbook may say to a check. Which of these a check takes and needs is in ``CHECKS``."""

    severity: Severity = "info"
    hours: int = 0
    minutes: int = 0
    action: str = ""
    rather_than: str = ""
    anywhere: bool = False
    spare: int = 1
    count: int = 0
    environment: Environment = "production"
