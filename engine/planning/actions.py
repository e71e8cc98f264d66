"""The ways in which what controls need can be done: actions, of which a plan chooses some."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil

from engine.facts.obligations.workload import ACCOUNTABLE
from engine.planning.control_work import ControlWork
from engine.planning.problem import PlanAction, WorkPart
from engine.planning.signatures import SIGNATURE

SHARED = ("operation", "policy")  # kinds of which one piece of evidence can be linked to several controls
EARLY, SIGN = "#early", "#sign"  # before anything lapses; the signature alone


def actions_for(work: Sequence[ControlWork], extra: Sequence[PlanAction] = ()) -> list[PlanAction]:
    """The actions that could make controls effective: all that one needs; the same before anything lapses; or its
    signature alone, where the work on another control yields the rest.

    What is done for a control serves another if the crosswalk says that it supports that fully, for evidence that can
    be linked to both, where it comes when the other needs it. Tests and signatures are of one control alone.
    """
    able = [one for one in work if not one.reason and one.owners]
    wanted = {one.id: one for one in work if one.is_wanted and not one.reason}
    known = {one.remediation_id: one.id for one in work if one.remediation_id} | {one.id: one.id for one in work}
    awaited = {known.get(one.waits_for or "") or one.waits_for for one in work if one.waits_for}
    served: dict[str, set[str]] = {}
    plan_actions: list[PlanAction] = [*extra]
    whole: list[tuple[ControlWork, str, tuple[WorkPart, ...], set[str]]] = []
    for one in able:
        for suffix, parts in (("", one.parts), (EARLY, one.early)):
            if not parts or any(part.last < part.first for part in parts):
                continue
            others = {
                need
                for name in one.requirements
                if name != one.id and name in wanted
                for need in _needs_of(parts, wanted[name])
            }
            for need in others:
                served.setdefault(need.rpartition("/")[0], set()).add(need)
            whole.append((one, suffix, parts, others))
    for one, suffix, parts, others in whole:
        if not one.is_wanted:
            parts = tuple(part for part in parts if part.duty is None)
            if not parts or not (others or one.id in awaited):
                continue
        closes = frozenset(others | (set(one.needs) if one.is_wanted else set()))
        waits = known.get(one.waits_for or "") or one.waits_for or ""
        plan_actions.append(
            PlanAction(
                id=one.id + suffix,
                owners=one.owners,
                parts=parts,
                closes=closes,
                after=(waits,) if waits and waits != one.id else (),
                group=one.id,
                asides=_asides(one, parts),
                least_hours=min(one.hours, sum(part.hours for part in parts)),
                holes=0 if suffix or not one.early else max(one.holes, 1),
            )
        )
    for one in able:
        if not one.is_wanted or one.opposed_by or len(one.needs) < 2:
            continue
        rest = {need for need in one.needs if not need.endswith(f"/{SIGNATURE}")}
        signs = tuple(part for part in one.parts if part.duty is not None)
        if signs and rest <= served.get(one.id, set()):
            hours = sum(part.hours for part in signs)
            closes = frozenset(one.needs - rest)
            plan_actions.append(
                PlanAction(
                    one.id + SIGN,
                    one.owners,
                    signs,
                    closes,
                    (),
                    one.id,
                    _asides(one, signs),
                    hours,
                    int(bool(one.early)),
                )
            )
    return _without_circles(plan_actions)


def _asides(one: ControlWork, parts: Sequence[WorkPart]) -> tuple[tuple[str, WorkPart], ...]:
    """The hours of who is accountable for signatures, unless they are who signs."""
    if one.accountable is None:
        return ()
    return tuple((one.accountable, _share_of(part, ACCOUNTABLE)) for part in parts if part.is_signed)


def _share_of(part: WorkPart, share: float) -> WorkPart:
    agreed = tuple((week, round(hours * share, 6)) for week, hours in part.agreed)
    last = part.last if part.last_beside is None else max(part.last, part.last_beside)
    return replace(part, hours=round(part.hours * share, 6), agreed=agreed, last=last, last_beside=None)


def _needs_of(parts: Sequence[WorkPart], other: ControlWork) -> Iterable[str]:
    """What the work on a control covers of the needs of another that it supports."""
    if other.opposed_by is not None or other.goal.start is not None:
        return
    for kind in SHARED:
        mine = [part for part in parts if kind in part.kinds]
        wanted = [part for part in other.parts if kind in part.kinds]
        if len(mine) != 1 or len(wanted) != 1:
            continue
        a, b = mine[0], wanted[0]
        if a.first >= b.first and a.last <= b.last and a.lead_days <= b.lead_days:
            yield f"{other.id}/{kind}"


def _without_circles(actions: Sequence[PlanAction]) -> list[PlanAction]:
    """The actions; those that wait for each other in a circle wait for nothing, nor do those for what nobody knows."""
    known = {action.name for action in actions}
    waits = {action.name: action.after[0] for action in actions if action.after and action.after[0] in known}

    def circles(name: str) -> bool:
        seen, here = set[str](), name
        while here in waits and here not in seen:
            seen.add(here)
            here = waits[here]
        return here == name and bool(seen)

    return [
        replace(action, after=()) if action.name not in waits or circles(action.name) else action for action in actions
    ]


def wanted_count(target_pct: float, applicable: int) -> int:
    """How many controls must be effective for a strict readiness of so many percent."""
    return ceil(target_pct * applicable / 100 - 1e-9)
