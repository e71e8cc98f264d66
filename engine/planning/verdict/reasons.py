"""Why a plan leaves a gap: something is against the work itself, other work comes too late, or hours are missing."""

from datetime import timedelta

from engine.planning.control_work import ControlWork
from engine.planning.plan import ReadinessPlan


def open_reasons(plan: ReadinessPlan) -> list[tuple[ControlWork, str]]:
    """The gaps that the plan leaves, each with why in a few words."""
    return [(one, _why_open(plan, one)) for one in plan.open]


def _why_open(plan: ReadinessPlan, one: ControlWork) -> str:
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


def _room(plan: ReadinessPlan, person: str, first: int, last: int) -> float:
    used = sum(item.hours for item in plan.items if item.owner == person and first <= item.week <= last)
    return round(max(sum(plan.problem.capacity.get(person, ())[first : last + 1]) - used, 0.0), 2)
