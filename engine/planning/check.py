"""A plan is simulated before it is shown: each piece of work is done on its day, and the states of the days follow.

Nothing is taken from the choice: evidence is good from the day on which it is there until the end of its window, a
signature until a later duty is overdue, and what speaks against a control does so until the work that mends it. What
stays open then has a reason: something stands against the work itself, or hours are missing for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.planning.signatures import NEW_DUTY, SIGNATURE, Signatures
from engine.planning.windows import window_days

if TYPE_CHECKING:
    from engine.planning.needs import ControlWork
    from engine.planning.plan import ReadinessPlan

_MENDED_BY = {"failing test": "test", "contradicting event": "operation"}


@dataclass(frozen=True)
class Evidence:
    """Evidence of a kind for one control, there from a day on; ``duty`` is the one that a signature signs."""

    control: str  # framework:control
    kind: str
    on: date
    duty: str | None = None


@dataclass(frozen=True)
class PlanSimulation:
    """The horizons of controls with evidence that comes on its days."""

    horizons: pl.DataFrame
    evidence: Sequence[Evidence]
    signatures: Mapping[str, Signatures]

    def on(self, day: date) -> pl.DataFrame:
        """The horizons as they are once everything until a day is done."""
        done: dict[str, list[Evidence]] = {}
        for one in sorted(self.evidence, key=lambda one: (one.on, one.control, one.kind)):
            if one.on <= day:
                done.setdefault(one.control, []).append(one)
        if not done:
            return self.horizons
        tag = pl.format("{}:{}", "framework", "control_id")
        changed = self.horizons.filter(tag.is_in(sorted(done)))
        rows = [
            self._row(row, done[f"{row['framework']}:{row['control_id']}"]) for row in changed.iter_rows(named=True)
        ]
        after = pl.DataFrame(rows, schema=self.horizons.schema)
        return pl.concat([self.horizons.filter(~tag.is_in(sorted(done))), after]).sort("framework", "position")

    def _row(self, row: dict[str, Any], done: Sequence[Evidence]) -> dict[str, Any]:
        found = dict(row)
        signed: set[str] = set()
        for one in done:
            if one.kind not in KINDS:
                continue
            until = one.on + timedelta(days=window_days(row, one.kind))
            if one.kind == SIGNATURE:
                signed.add(one.duty or NEW_DUTY)
                until = min([until, *self._following(row, signed)])
                found[f"{one.kind}_until"] = until
            else:
                before = found[f"{one.kind}_until"]
                found[f"{one.kind}_until"] = until if before is None else max(before, until)
            if _MENDED_BY.get(str(row["opposed_by"])) == one.kind:
                found["opposed_by"] = None
        return found

    def _following(self, row: Mapping[str, Any], signed: set[str]) -> list[date]:
        """When the next duty is due that is newer than what was signed."""
        mine = self.signatures.get(f"{row['framework']}:{row['control_id']}", Signatures())
        covered = max([mine.covered or date.min, *(due for name, due in mine.open if name in signed)])
        if NEW_DUTY in signed and mine.open == ():
            return []
        return [due for name, due in mine.open if due > covered and name not in signed][:1]


def why_open(plan: "ReadinessPlan", one: "ControlWork") -> str:
    """Why a control stays open, in a few words."""
    if one.reason:
        earliest = plan.weeks.end(0) + timedelta(days=one.lead_days)
        return f"{one.reason}: {earliest} at the earliest" if one.lead_days and "later" in one.reason else one.reason
    if not one.owners:
        return "nobody with hours on record owns it"
    if next(goal for goal in plan.goals if goal.goal == one.goal).is_reached:
        return "not needed for the target"
    owner = one.owners[0]
    parts = [p for p in one.parts if p.hours > _room(plan, owner, p.first, p.last) + 1e-6][:1] or one.parts
    hours = round(sum(part.hours for part in parts), 2)
    first, last = min(part.first for part in parts), max(part.last for part in parts)
    when = plan.weeks.words(first, last)
    waits = next((action.after[0] for action in plan.problem.actions if action.name == one.id and action.after), "")
    if waits and waits not in {chosen.name for chosen in plan.chosen}:
        return f"it waits for {waits}, which is not done in time"
    room = _room(plan, owner, first, last)
    if hours > room + 1e-6:
        return f"{owner} has {room:g} of the {hours:g} hours for it left {when}"
    for action in (action for action in plan.problem.actions if action.id == one.id):
        for person, part in action.asides_of(owner):
            there = _room(plan, person, part.first, part.last)
            if person in plan.people and part.hours > there + 1e-6:
                return f"{person}, who is accountable, has {there:g} of the {part.hours:g} hours beside its signature"
    return f"{owner} has {room:g} hours left {when}, but not where its {hours:g} must lie"


def _room(plan: "ReadinessPlan", person: str, first: int, last: int) -> float:
    used = sum(item.hours for item in plan.items if item.owner == person and first <= item.week <= last)
    return round(max(sum(plan.problem.capacity.get(person, ())[first : last + 1]) - used, 0.0), 2)
