"""What to begin with for a framework, the same on every page: what its plan begins with, else what gains most (F14)."""

from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask, Parameters
from engine.model.declarations.plan_parameters import DEFAULT_TARGET, PLANNED_FRAMEWORK, TARGET
from engine.model.documents.document import FrameRow
from engine.planning.outlook import PlanMaker
from engine.planning.question import has_day, plan_question
from reports.programme.plans import plan_rows
from reports.programme.plans.plan_words import work_text
from reports.shared.packs import first_gap


class PlanStarts:
    """The work with which the plan of each framework begins, each plan made when it is first asked for."""

    def __init__(self, frames: Mapping[str, pl.DataFrame], ask: Ask) -> None:
        self._frames, self._ask = frames, ask
        self._starts: dict[str, FrameRow | None] = {}

    def of(self, framework: str) -> FrameRow | None:
        """The work, with ``by``, the day of the plan; None for a framework without a day within the year to come, and
        for one whose plan has no work."""
        if framework not in self._starts:
            self._starts[framework] = self._start(framework)
        return self._starts[framework]

    @cached_property
    def _plan_maker(self) -> PlanMaker:
        return PlanMaker(self._frames.__getitem__, self._ask.as_of)

    def _start(self, framework: str) -> FrameRow | None:
        targets, today = self._frames["framework_targets"], self._ask.as_of
        if not has_day(targets, framework, today):
            return None
        asked: Parameters = {PLANNED_FRAMEWORK.name: framework, TARGET.name: DEFAULT_TARGET}
        question = plan_question(targets, asked, today, int(self._ask.settings["plan_slack_days"]))
        plan = self._plan_maker.plan(question)
        due = plan_rows.due_days(self._frames["gaps"], self._frames["signature_duties"])
        first = plan_rows.first_work(plan_rows.actions(plan, due))
        return first and {**first, "by": question.by}


def plan_starts(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    days_away: pl.DataFrame,
    load: pl.DataFrame,
    signature_duties: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    awaited_work: pl.DataFrame,
    state_changes: pl.DataFrame,
    framework_targets: pl.DataFrame,
    ask: Ask,
) -> PlanStarts:
    """The plans of the frameworks, as the pages of plans ask for them."""
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "days_away": days_away,
        "load": load,
        "signature_duties": signature_duties,
        "accepted_plans": accepted_plans,
        "awaited_work": awaited_work,
        "state_changes": state_changes,
        "framework_targets": framework_targets,
    }
    return PlanStarts(frames, ask)


Starts: TypeAlias = Annotated[PlanStarts, plan_starts]


def begin_with(framework: str, gaps: pl.DataFrame, starts: PlanStarts, ask: Ask) -> str:
    """``Begin with PCI DSS 12.3.3 …: sign by 4 Dec 2026 (with …), first in the plan for 8 Apr 2027``.

    Without a plan the gap to close first; empty without either.
    """
    first = starts.of(framework)
    if first is None:
        gap = first_gap(gaps.filter(pl.col("framework") == framework), ask, ", which gains most for its hours")
        return f"Close first {gap}" if gap else ""
    day: date = first["by"]
    return f"Begin with {work_text(first, ask)}, first in the plan for {spelled_day(day)}"
