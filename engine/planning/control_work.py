"""The work on one control: what it lacks on its day, who could bring it about, and in which parts."""

from dataclasses import dataclass
from functools import cached_property

from engine.planning.problem import WorkPart
from engine.planning.question import Goal


@dataclass(frozen=True)
class ControlWork:
    """What one control needs to be effective on the day of its goal, and over its period where one is asked for.

    ``kinds`` of evidence are missing or will have lapsed. ``early`` are the parts that renew all of it before it
    lapses, empty where ``parts`` do or nothing can. ``reason`` says why no work helps; ``is_tight`` that no work ends
    as long before the day as it should.
    """

    goal: Goal
    framework: str
    control_id: str
    title: str
    state: str
    kinds: tuple[str, ...]
    opposed_by: str | None
    owners: tuple[str, ...]
    accountable: str | None
    parts: tuple[WorkPart, ...]
    requirements: tuple[str, ...]
    remediation_id: str | None
    waits_for: str | None
    early: tuple[WorkPart, ...] = ()
    is_renewal: bool = False
    is_tight: bool = False
    reason: str = ""
    low: float = 1.0
    high: float = 1.0
    holes: int = 0
    is_awaited: bool = False

    @cached_property
    def id(self) -> str:
        """``framework:control``."""
        return f"{self.framework}:{self.control_id}"

    @property
    def is_wanted(self) -> bool:
        """Whether it is a control of the goal itself: work on others, or that one of it awaits, serves it."""
        return self.framework == self.goal.framework and not self.is_awaited

    @property
    def hours(self) -> float:
        """What it takes."""
        return sum(part.hours for part in self.parts)

    @property
    def lead_days(self) -> int:
        """Days after the work until there is evidence of all of it."""
        return max((part.lead_days for part in self.parts), default=0)

    @property
    def needs(self) -> frozenset[str]:
        """What has to be covered: ``framework:control/kind``."""
        kinds = {kind for part in self.parts for kind in part.kinds}
        return frozenset(f"{self.id}/{kind}" for kind in kinds) or frozenset({f"{self.id}/work"})
