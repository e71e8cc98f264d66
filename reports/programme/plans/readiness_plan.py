"""Ready by a date: what will be if nothing is done, and the cheapest work that reaches the target.

No route of its own: reports answer with it when they are asked ``target`` or ``by``.
"""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.declaration import FORMATS
from engine.model.declarations.plan_parameters import PLAN_PARAMETERS, PLANNED_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import CalendarEvent, Chart, Coverage, Document, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.planning.plan import ReadinessPlan, make_plan
from engine.planning.question import plan_question
from reports.programme.plans import plan_rows
from reports.programme.plans.plan_terms import terms
from reports.shared import setup
from reports.shared.wording import count_of, hours, percent

TONES: dict[str, Tone] = {"nothing done": "second", "with the plan": "main"}
LABELS = {"strict_pct": "Nothing done, strict (%)", "weighted_pct": "Nothing done, weighted (%)"}
TERMS = "Its report may ask for more than effective controls: worksheets, decisions, agreements that are not on record."
PROGRESS = {
    "planned": "Actions planned",
    "done": "Actions done",
    "planned_strict_pct": "Strict as planned (%)",
    "strict_pct": "Strict as it came (%)",
}
DEFINITIONS = {
    "Nothing done": "Evidence ages past its window, attestations lapse a year after they were signed or when the next "
    "is overdue, policies reach their review; what a test or event speaks against stays so. Evidence that came about "
    "weekly over the last 90 days, never further apart than the control's window, is taken to go on.",
    "Strict": "Effective controls of those that apply.",
    "Plan": "Of all choices of work that reach the target within everybody's hours the one with the fewest hours, then "
    "the fewest changes of owner; spread evenly, each owner's work the more urgent first. Equal records, equal plan.",
    "Hours": "Of open gaps the effort that the gap's remediation shows; of evidence that lapses later: attestation "
    "0.5, operation 2, test 3, policy 4.",
    "Evidence from": "A control that never operated, or that an event speaks against, has evidence once it operated "
    "for one turn of its cadence: a week, a month, a quarter. What comes less often is performed once.",
    "Available": "Hours of each owner beside all duties on record, by week until the day. A duty that an action stands "
    "for counts as well: nobody's week ever holds too much.",
    "Buys": "One piece of work serves another control where the crosswalk says that it supports it fully and it yields "
    "every kind of evidence that the other lacks.",
}


def build(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    state_changes: pl.DataFrame,
    framework_targets: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    readiness_days: pl.DataFrame,
    requirements: pl.DataFrame,
    control_assessments: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    exceptions: pl.DataFrame,
    vendor_controls: pl.DataFrame,
    vendors: pl.DataFrame,
    agreements: pl.DataFrame,
    risks: pl.DataFrame,
    test_windows: pl.DataFrame,
    incidents: pl.DataFrame,
    obligations: pl.DataFrame,
    ask: Ask,
) -> Document:
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "state_changes": state_changes,
        "requirements": requirements,
        "control_assessments": control_assessments,
        "control_status": control_status,
        "control_profiles": control_profiles,
        "exceptions": exceptions,
        "vendor_controls": vendor_controls,
        "vendors": vendors,
        "agreements": agreements,
        "risks": risks,
        "test_windows": test_windows,
        "incidents": incidents,
    }
    question = plan_question(framework_targets, ask.options, ask.as_of)
    plan = make_plan(frames.__getitem__, question, ask.as_of)
    work, weeks = plan_rows.actions(plan), plan_rows.weeks(plan)
    known = plan.projection.on(question.by).filter(pl.col("state") != "not_applicable")
    short = None if plan.is_reached else plan.first_short
    return Document(
        *_opening(plan, work),
        summary={
            "by": question.by,
            "target_pct": question.target,
            "strict_pct": weeks["strict_pct"][-1],
            "planned_strict_pct": weeks["planned_strict_pct"][-1],
            "not_effective": len(plan.mine),
            "needed_hours": plan.needed_hours,
            "available_hours": plan.available_hours,
            "plan_hours": plan.choice.hours,
            "plan_bound_hours": plan.choice.bound,
            "reached": plan.is_reached,
            "first_short_week": short.week if short else None,
        },
        titles={
            "by": "By",
            "target_pct": "Target (strict, %)",
            "strict_pct": "Strict if nothing is done (%)",
            "planned_strict_pct": "Strict with the plan (%)",
            "not_effective": "Will not be effective",
            "needed_hours": "Hours to close them all",
            "available_hours": "Hours their owners have",
            "plan_hours": "Hours of the plan",
            "plan_bound_hours": "No plan takes fewer hours than",
            "reached": "The plan reaches the target",
            "first_short_week": "First short week",
        },
        tables=(
            Table("terms", "In the framework's own terms", terms(plan, frames, ask), note=TERMS),
            Table("actions", "The plan, week by week", work, hidden=["week"]),
            Table("open", "What stays open, and why", plan_rows.open_controls(plan), state=["state"]),
            Table("owners", "Who does how much", plan_rows.people(plan)),
            Table("weeks", "Readiness week by week", weeks, labels=LABELS),
            Table(
                "due",
                "Duties that fall due until then",
                plan_rows.falls_due(obligations, plan),
                hidden=["obligation_id"],
            ),
            Table(
                "accepted",
                "The plan that was accepted",
                plan_rows.work_of_plans(accepted_plans, question.framework),
                state=["standing"],
                words=["standing"],
                note="Done, late, changed since by somebody, or as planned.",
            ),
            Table(
                "progress",
                "What was planned for each day, and what came",
                plan_rows.progress(accepted_plans, readiness_days, question.framework, ask.as_of),
                labels=PROGRESS,
            ),
            Table(
                "lapses",
                "What lapses until then if nobody renews it",
                plan_rows.lapses(plan, vendors, exceptions),
                words=["evidence"],
            ),
        ),
        coverage=Coverage(known.filter(pl.col("state") != "no_data").height, known.height),
        charts=_charts(weeks),
        events=_events(plan),
        definitions=DEFINITIONS,
        warnings=_warnings(plan),
        footnotes=("hq plan --format csv writes the plan as rows that hq import takes: accepting it is one step.",),
    )


def _opening(plan: ReadinessPlan, work: pl.DataFrame) -> Opening:
    question, failing = plan.question, len(plan.mine)
    name, day = FRAMEWORK_NAMES.get(question.framework, question.framework), spelled_day(question.by)
    if not plan.applicable:
        return Opening(f"{name} is not in scope, or nothing of it applies: nothing can be said.", setup.IN_SCOPE)
    what = name if question.target == 100 else f"{question.target} % of {name}"
    ready = f"Ready for {what} on {day}"
    if question.start is not None:
        ready = f"{what} throughout from {spelled_day(question.start)} to {day}"
    if plan.effective >= plan.target_count:
        return Opening(f"{ready}: yes, {plan.effective:,} of {plan.applicable:,} controls hold if nothing is done.")
    short = None if plan.is_reached else plan.first_short
    said = f"{ready}: no. {failing:,} of {count_of(plan.applicable, 'control')} will not be effective"
    need = f"; {hours(_hours_needed(plan))} are needed, the owners have {round(plan.available_hours):,}"
    first = f"; first short: week {short.week[-2:]}" if short else ""
    return Opening(f"{at_most(at_most(said, need), first)}.", _step(plan, work))


def _hours_needed(plan: ReadinessPlan) -> float:
    """The hours that the target takes: those of the plan where it gets there, else those of every gap."""
    return plan.choice.hours if plan.is_reached else plan.needed_hours


def _step(plan: ReadinessPlan, work: pl.DataFrame) -> str:
    if work.is_empty():
        return "No work changes that by then: look at what stays open, and why."
    first = work.row(0, named=True)
    start = f"start with {first['control_id']} {first['title']}, {first['owner']}, by {first['done_by']}"
    takes = f"{count_of(len(plan.chosen), 'control')} in {hours(plan.choice.hours)}"
    if plan.is_reached:
        return f"The plan gets there with work on {takes}: {start}."
    reached = percent(100 * plan.effective_with / plan.applicable)
    return f"It cannot be reached: the best plan comes to {reached} with work on {takes}; {start}."


def _warnings(plan: ReadinessPlan) -> list[str]:
    warnings = []
    short = plan.first_short
    if short and not plan.is_reached:
        warnings.append(f"First short: {short.owner} lacks {hours(short.missing_hours)} by the end of {short.week}.")
    lost = [one for one, _ in plan.open if one.reason]
    if lost and not plan.is_reached:
        noun = "1 control cannot" if len(lost) == 1 else f"{len(lost):,} controls cannot"
        warnings.append(f"{noun} be ready by then whatever the hours: see what stays open.")
    alone = (plan.work_by_control[action.id] for action in plan.chosen if not action.after)
    waiting = [work for work in alone if work.waits_for]
    if waiting:
        what = "1 control waits" if len(waiting) == 1 else f"{len(waiting):,} controls of the plan wait"
        warnings.append(f"{what} for something that no plan knows the end of: see what each waits for.")
    return warnings


def _events(plan: ReadinessPlan) -> list[CalendarEvent]:
    """An all-day entry for each step of the plan on the day by which it is done."""
    return [
        CalendarEvent(
            uid=f"plan-{plan.question.framework}-{plan.question.by}-{step.action.id}-{step.part}",
            on=step.done_on,
            title=f"{step.work.control_id} {step.work.title}",
            description=f"{plan_rows.what(step)} ({hours(step.hours)}, {step.owner})",
            categories=("plan", step.work.framework),
            sequence=0,
            status="TENTATIVE",
            changed_on=plan.as_of,
        )
        for step in plan.steps
    ]


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    lines = (
        weeks.select(
            pl.Series("on", [spelled_day(on) for on in weeks["on"]], dtype=pl.String),
            **{"nothing done": "strict_pct", "with the plan": "planned_strict_pct"},
        )
        .unpivot(index="on", variable_name="readiness", value_name="strict_pct")
        .drop_nulls("strict_pct")
    )
    if weeks.height < 2 or lines.is_empty():
        return []
    alt = "Strict readiness at the end of each week until the day, if nothing is done and if the plan is done."
    return [
        Chart(
            "lines",
            "Strict readiness until the day",
            lines,
            "on",
            "strict_pct",
            alt,
            series="readiness",
            percent=True,
            tones=TONES,
        )
    ]


REPORT = Report(
    name="readiness-plan",
    title="Ready by a date",
    description="Whether a framework will be ready by a day, what it takes, and the cheapest work that makes it so.",
    build=build,
    formats=(*FORMATS, "pdf", "ics"),
    parameters=(PLANNED_FRAMEWORK, *PLAN_PARAMETERS),
)
