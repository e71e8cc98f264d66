"""What has to be done for controls to be effective on their days.

A control is effective when every kind of evidence that it requires is there and good. The work on it is a part or
several; each has the weeks in which what comes of it is good on the day. A signature is a part of its own: an open
duty is one, and where nobody has been asked for one it is a new duty.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from engine.facts.controls.detection import KINDS
from engine.facts.controls.gaps import RENEWAL_HOURS
from engine.planning.control_work import ControlWork
from engine.planning.horizons import HorizonRows
from engine.planning.people import Owners, beside_milestone
from engine.planning.problem import WorkPart
from engine.planning.question import Goal, PlanQuestion
from engine.planning.signatures import NEW_DUTY, NEXT_DUTY, SIGNATURE, Signatures
from engine.planning.weeks import PlanWeeks
from engine.planning.windows import days_lapsed, hours_range, is_due, window_days

# days of operation until there is evidence of it; what comes less often is performed once
LEAD_DAYS = {"continuous": 1, "daily": 1, "weekly": 7, "monthly": 31, "quarterly": 92, "semi-annual": 0, "annual": 0}
WEEK_DAYS = 7
UNKNOWN_KIND = "it needs evidence of a kind that nothing counts as"


@dataclass(frozen=True)
class WorkFinder:
    """The work on controls, from the facts of a day."""

    question: PlanQuestion
    weeks: PlanWeeks
    gaps: Mapping[str, Mapping[str, Any]]
    signatures: Mapping[str, Signatures]
    owners: Owners
    own_duties: Collection[str]  # that accepted plans brought about: they are hours of the plan, not beside it
    under_way: Mapping[str, Mapping[str, date]]  # when work was done whose evidence is to come, by control and kind

    def of_goal(
        self, horizons: HorizonRows, numbers: Iterable[int], goal: Goal, failed: Collection[str] = ()
    ) -> list[ControlWork]:
        """The work on every control at ``numbers`` of ``horizons`` that applies and would not be effective on the day.

        ``failed`` names those that were not effective in the part of a period which is over. Sorted as the rows are.
        """
        on = goal.by if goal.start is None else max(goal.start, self.weeks.as_of)
        last, then, now = (horizons.states(day) for day in (goal.by, on, self.weeks.as_of))
        control_works = []
        for number in numbers:
            if last[number] == "not_applicable":
                continue
            states = {"state": last[number], "state_then": then[number], "state_now": now[number]}
            row = {**horizons.rows[number], **states}
            name = f"{row['framework']}:{row['control_id']}"
            work = self._of_control(row, goal, on)
            start = goal.start
            over = (
                start is not None and start <= self.weeks.as_of and (name in failed or row["state_now"] != "effective")
            )
            if over:
                work = replace(
                    work or self._no_work(row, goal),
                    reason="did not operate in the period already: that cannot be cured",
                )
            if work is not None:
                control_works.append(work)
        return control_works

    def _of_control(self, row: Mapping[str, Any], goal: Goal, on: date) -> ControlWork | None:
        failing = row["state_then"] != "effective"
        if failing and not set(row["kinds_required"]) <= set(KINDS):
            return replace(self._no_work(row, goal), state=row["state_then"], reason=UNKNOWN_KIND)
        kinds = tuple(kind for kind in row["kinds_required"] if is_due(row, kind, on)) if failing else ()
        parts, signs = list[WorkPart](), self._signs_of_goal(row, goal, on)
        is_tight, reason = False, ""
        if failing:
            work, is_tight = self._needs_on(row, kinds, goal, on, signs)
            parts = [*work, *signs]
            if any(part.last < part.first for part in parts):
                late = any(part.duty is not None and part.last < part.first for part in parts)
                reason = "no working day is left"
                if late:
                    reason = "its owner is behind with other work until after the day"
                elif any(part.lead_days for part in parts):
                    reason = "evidence exists later than the day"
        early: tuple[WorkPart, ...] = ()
        if goal.start is not None:
            work = [part for part in parts if part.duty is None]
            parts = [*work, *self._renewals(row, goal, kinds, work), *signs]
            if not reason and any(part.last < part.first for part in parts):
                reason = "its evidence lapses before anybody can renew it"
        elif failing and row["state_now"] == "effective":
            chain = (*self._renewals(row, goal, (), []), *self._before_lapse(row, goal))
            early = chain if chain and all(part.first <= part.last for part in chain) else ()
        if not parts:
            return None
        gap = self.gaps.get(f"{row['framework']}:{row['control_id']}")
        low, high = hours_range(gap)
        return replace(
            self._no_work(row, goal),
            state=row["state_then"] if failing else row["state"],
            kinds=tuple(dict.fromkeys(kind for part in parts for kind in part.kinds)),
            opposed_by=row["opposed_by"] if failing else None,
            parts=tuple(parts),
            early=early,
            is_renewal=not failing or row["state_now"] == "effective",
            is_tight=is_tight,
            reason=reason,
            low=low,
            high=high,
            holes=days_lapsed(row, kinds, parts, goal, self.weeks) if row["state_now"] == "effective" else 0,
        )

    def _no_work(self, row: Mapping[str, Any], goal: Goal) -> ControlWork:
        name = f"{row['framework']}:{row['control_id']}"
        gap = self.gaps.get(name)
        return ControlWork(
            goal=goal,
            framework=row["framework"],
            control_id=row["control_id"],
            title=row["title"],
            state=row["state"],
            kinds=(),
            opposed_by=None,
            owners=self.owners.of(row, gap),
            accountable=row["accountable"],
            parts=(),
            requirements=tuple(gap["requirements"]) if gap is not None else (name,),
            remediation_id=None if gap is None else gap["remediation_id"],
            waits_for=None if gap is None else gap["blocked_by"],
        )

    # -- what is needed on the day -------------------------------------------------------------------------------------

    def _needs_on(
        self, row: Mapping[str, Any], kinds: Collection[str], goal: Goal, on: date, signs: Sequence[WorkPart]
    ) -> tuple[list[WorkPart], bool]:
        """The work that is needed on a day beside what is signed, and whether it ends without slack."""
        gap = self.gaps.get(f"{row['framework']}:{row['control_id']}")
        again = {"failing test": ("test",), "contradicting event": ("operation",)}.get(row["opposed_by"], ())
        work = tuple(dict.fromkeys(kind for kind in (*kinds, *again) if kind != SIGNATURE))
        own = None if gap is None else gap.get("estimate_hours")
        begun = any(row[f"{kind}_until"] is None for kind in work) or row["opposed_by"] is not None
        signing = sum(part.hours for part in signs)
        if gap is not None and ((begun and work) or own is not None):
            hours = max(float(gap["effort_hours"]) - signing, 0.0)
        else:
            hours = sum(RENEWAL_HOURS[kind] for kind in work)
            if gap is not None:
                hours = min(hours, max(float(gap["usual_hours"]) - signing, 0.0))
        never = row["opposed_by"] == "contradicting event" or ("operation" in work and row["operation_until"] is None)
        lead = LEAD_DAYS.get(row["cadence"], 0) if never else 0
        others = int(gap["lead_days"] or 0) if gap is not None and gap.get("lead_days") else 0
        parts: list[WorkPart] = []
        is_tight = False
        if work or hours > 0:
            slack = self._slack(goal, on)
            parts, loose = (self._work_parts(row, work, hours, lead, others, on, days) for days in (slack, 0))
            if any(part.last < part.first for part in parts) and all(part.first <= part.last for part in loose):
                parts, is_tight = loose, True
            parts = beside_milestone(parts, gap, self.owners.capacity, self.weeks)
        return parts, is_tight

    def _slack(self, goal: Goal, on: date) -> int:
        return min(self.question.slack_days, max((on - self.weeks.as_of).days, 0))

    def _work_parts(
        self, row: Mapping[str, Any], work: Sequence[str], hours: float, lead: int, others: int, on: date, slack: int
    ) -> list[WorkPart]:
        """One part for all kinds where they can be done together, else one for each."""
        windows = {}
        ended = self.under_way.get(f"{row['framework']}:{row['control_id']}", {})
        for kind in work:
            wait = others + (lead if kind == "operation" else 0)
            if kind in ended:
                rest = max((ended[kind] - self.weeks.ends[0]).days + wait, 0)
                windows[kind] = 0, 0 if self.weeks.ends[0] + timedelta(days=rest) <= on else -1, rest
                continue
            first = self.weeks.first_week_from(on - timedelta(days=wait + window_days(row, kind)))
            windows[kind] = first, self.weeks.last_week_by(on - timedelta(days=wait + slack)), wait
        if not windows:
            return [WorkPart(hours, 0, self.weeks.last_week_by(on - timedelta(days=slack)))]
        first, last = max(one[0] for one in windows.values()), min(one[1] for one in windows.values())
        waits = {one[2] for one in windows.values()}
        if len(waits) == 1 and (first <= last or len(windows) == 1):
            return [WorkPart(hours, first, last, tuple(work), waits.pop())]
        whole = sum(RENEWAL_HOURS[kind] for kind in work)
        return [
            WorkPart(round(hours * RENEWAL_HOURS[kind] / whole, 6), *windows[kind][:2], (kind,), windows[kind][2])
            for kind in work
        ]

    def _signs_of_goal(self, row: Mapping[str, Any], goal: Goal, on: date) -> list[WorkPart]:
        """The signatures that the control lacks on the day. Of a period they are those that it lacks until its last
        day, the first of them before its first day, or before the one before it lapses."""
        if SIGNATURE not in row["kinds_required"] or not is_due(row, SIGNATURE, goal.by):
            return []
        signs = self._signs(row, goal, goal.by)
        if goal.start is not None:
            lacks = is_due(row, SIGNATURE, on)
            until = on - timedelta(days=self._slack(goal, on)) if lacks else row["attestation_until"]
            last = self.weeks.last_week_by(until)
            last = self.weeks.last_week_by(on) if lacks and last < 0 else last
            signs[0] = replace(signs[0], last=min(signs[0].last, last))
        return signs

    def _signs(self, row: Mapping[str, Any], goal: Goal, on: date) -> list[WorkPart]:
        """The signatures that the control lacks on a day: each duty that is overdue by then, or one."""
        name = f"{row['framework']}:{row['control_id']}"
        mine = self.signatures.get(name, Signatures())
        first = self.weeks.first_week_from(on - timedelta(days=window_days(row, SIGNATURE)))
        last = self.weeks.last_week_by(on - timedelta(days=self._slack(goal, on)))
        if last < first:
            last = self.weeks.last_week_by(on)
        due = [duty for duty in mine.standing() if duty[1] < on]
        if due:
            return [self._sign(duty, first, last, self._signer(row, mine.owners.get(duty[0]))) for duty in due]
        ahead = [duty for duty in mine.standing() if duty[1] >= on]
        if ahead:
            hours = RENEWAL_HOURS[SIGNATURE] if ahead[0][0] in self.own_duties else 0.0
            return [WorkPart(hours, first, last, (SIGNATURE,), 0, ahead[0][0])]
        if mine.following is not None and mine.following[0] < on:  # its hours are on record already
            following, asked = mine.following
            return [self._sign((NEXT_DUTY, following), first, last, self._signer(row, asked))]
        return [WorkPart(RENEWAL_HOURS[SIGNATURE], first, last, (SIGNATURE,), 0, NEW_DUTY)]

    def _signer(self, row: Mapping[str, Any], asked: str | None) -> str | None:
        """Whose hours a duty on record takes: of whom it is asked, else, where they have none on record, the control's
        owner; whoever has the gap is no matter."""
        return asked if asked in self.owners.capacity else next(iter(self.owners.of(row, None)), None)

    def _sign(self, duty: tuple[str, date], first: int, last: int, owner: str | None) -> WorkPart:
        """A duty is signed in the week in which it is due, as the duties on record count it; overdue, at once. Where
        its own owner is behind with other work, it is once that is done."""
        week = max(self.weeks.last_week_by(duty[1]), first, 0)
        week = min(week, max(last, first))
        if duty[0] in self.own_duties:
            hours = RENEWAL_HOURS[SIGNATURE]
            return WorkPart(hours, first, week, (SIGNATURE,), 0, duty[0], ((week, hours),), last)
        mine = self.owners.capacity.get(owner or "")
        done = week if mine is None else mine.completion_week(week)
        return WorkPart(0.0, max(first, done) if done > last else first, min(done, last), (SIGNATURE,), 0, duty[0])

    # -- renewal before the lapse --------------------------------------------------------------------------------------

    def _renewals(
        self, row: Mapping[str, Any], goal: Goal, renewed: Collection[str], parts: Sequence[WorkPart]
    ) -> tuple[WorkPart, ...]:
        """Work that keeps evidence from lapsing until the day: each time in the later half of what is left of its
        window. What is ``renewed`` by ``parts`` is good from their first week on, at the earliest.

        Of what has to come more often than weekly, a week's work keeps it.
        """
        work_parts: list[WorkPart] = []
        required = [kind for kind in KINDS if kind in row["kinds_required"] and kind != SIGNATURE]
        for kind in (kind for kind in required if not row.get(f"{kind}_recurs")):
            window, good_until = window_days(row, kind), row[f"{kind}_until"]
            if kind in renewed:
                part = next((part for part in parts if kind in part.kinds), None)
                if part is None or part.first >= len(self.weeks.mondays):
                    continue
                good_until = self.weeks.ends[part.first] + timedelta(days=part.lead_days + window)
            while good_until is not None and good_until < goal.by:
                last = self.weeks.last_week_by(good_until)
                first = min(self.weeks.first_week_from(good_until - timedelta(days=window // 2)), max(last, 0))
                work_parts.append(WorkPart(RENEWAL_HOURS[kind], first, last, (kind,)))
                if last < 0:
                    break
                step = self.weeks.ends[first] + timedelta(days=window)
                good_until = step if window > WEEK_DAYS else good_until + timedelta(days=7)
        return tuple(work_parts)

    def _before_lapse(self, row: Mapping[str, Any], goal: Goal) -> tuple[WorkPart, ...]:
        """The signatures of a control that is effective, each before the one before it lapses."""
        until = row["attestation_until"]
        if SIGNATURE not in row["kinds_required"] or until is None or until >= goal.by:
            return ()
        signs = self._signs(row, goal, goal.by)
        last = self.weeks.last_week_by(until)
        return tuple(replace(part, last=min(part.last, last)) if part.duty == NEW_DUTY else part for part in signs)
