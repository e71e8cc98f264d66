"""How often an organization does each thing that leaves evidence, and when it last did."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story
from engine.catalogue import catalogue

WINDOWS: Mapping[str, int] = {
    "continuous": 7,
    "daily": 3,
    "weekly": 9,
    "monthly": 35,
    "quarterly": 100,
    "semi-annual": 200,
    "annual": 380,
}
# What nobody does as often as the strictest control that it is mapped to would have it.
NATURAL: Mapping[str, int] = {
    "access.review.completed": 84,
    "backup.restore_tested": 28,
    "failover.tested": 56,
    "dr.test.completed": 150,
    "policy.published": 60,
    "pentest.completed": 170,
    "asset.unauthorized.resolved": 6,
    "tabletop.exercise.completed": 160,
    "internal.audit.completed": 85,
    "management.review.completed": 85,
    "board.reported": 85,
    "role.assigned": 20,
    "encryption.enabled": 1,
    "log.retention.verified": 5,
    "media.inventoried": 8,
    "screening.completed": 24,
    "training.completed": 3,
    "risk.assessment.completed": 45,
    "policy.reviewed": 30,
    "pentest.finding.closed": 120,
}
# Told by the chapters that know the incident, vendor or release concerned.
TOLD = frozenset(
    {
        "vendor.review.completed",
        "vendor.contract.signed",
        "vendor.created",
        "vendor.due_diligence.completed",
        "vendor.offboarded",
        "automation.dry_run.succeeded",
        "automation.executed",
        "policy.blocked",
        "deploy.recorded",
        "vuln.remediated",
    }
)


@dataclass(frozen=True)
class Practice:
    """An action with its usual interval in days and how long ago it was last seen; events go back HISTORY_DAYS."""

    action: str
    period: int
    last: int


def actions_by_control(effect: str) -> Mapping[tuple[str, str], list[str]]:
    """The actions of each control that support it, or that contradict it."""
    chosen = set(catalogue().actions.filter(pl.col("effect").replace("records", "supports") == effect)["action"])
    pairs: dict[tuple[str, str], list[str]] = {}
    for action, framework, control in catalogue().action_controls.iter_rows():
        if action in chosen:
            pairs.setdefault((framework, control), []).append(action)
    return pairs


def practices(story: Story) -> list[Practice]:
    """What is done as routine, by action; told actions and incidents are left to their chapters."""
    profile, rng = story.profile, story.rng("practice")
    actions = catalogue().actions
    strictest: dict[str, int] = {}
    pairs = actions_by_control("supports")
    for framework, control, cadence in catalogue().controls.select("framework", "control_id", "cadence").iter_rows():
        if framework in profile.frameworks and cadence:
            for action in pairs.get((framework, control), ()):
                strictest[action] = min(WINDOWS[cadence], strictest.get(action, HISTORY_DAYS))
    plan = []
    for action, kind, effect in actions.select("action", "kind", "effect").iter_rows():
        draw, told = rng.random(), action in TOLD or kind == "incident"
        if action not in strictest or effect not in ("supports", "records") or told or action in profile.never:
            continue
        window = strictest[action]
        period = NATURAL.get(action, max(1, round(window * 0.42)))
        last = profile.lapsed.get(action, 1 + int(draw * min(period, window * 0.6)))
        plan.append(Practice(action, period, last))
    return plan


class EvidenceAges:
    """How long ago, in days, the log last showed what supports or contradicts a control."""

    def __init__(self, ages: Mapping[str, int]) -> None:
        self._ages = ages
        self._supports, self._contradicts = actions_by_control("supports"), actions_by_control("contradicts")
        kinds = catalogue().actions.select("action", "kind", "family").iter_rows()
        self._kind: dict[str, str] = {}
        self._family: dict[str, str] = {}
        for action, kind, family in kinds:
            self._kind[action], self._family[action] = kind, family

    def _practices(self, framework: str, control_id: str) -> list[str]:
        actions = self._supports.get((framework, control_id), ())
        return [action for action in actions if self._kind[action] in ("operation", "incident")]

    def has_practice(self, framework: str, control_id: str) -> bool:
        """Whether the map knows any evidence of operation, seen or not."""
        return bool(self._practices(framework, control_id))

    def practice_age(self, framework: str, control_id: str) -> int | None:
        ages = [self._ages[action] for action in self._practices(framework, control_id) if action in self._ages]
        return min(ages, default=None)

    def weeks_since_failure(self, framework: str, control_id: str) -> int | None:
        """Weeks since the newest failure that nothing of the same family has outweighed since."""
        supports = self._supports.get((framework, control_id), ())
        weeks = []
        for failure in self._contradicts.get((framework, control_id), ()):
            family = self._family[failure]
            later = [self._ages[name] for name in supports if self._family[name] == family and name in self._ages]
            if failure in self._ages and self._ages[failure] < min(later, default=HISTORY_DAYS + 1):
                weeks.append(self._ages[failure] // 7)
        return min(weeks, default=None)
