"""Ready by a date: what will be if nothing is done, and the cheapest work that reaches the target.

No route of its own: reports answer with it when they are asked ``target`` or ``by``.
"""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.declaration import FORMATS
from engine.model.declarations.plan_parameters import PLAN_CHOICES, PLAN_PARAMETERS, PLANNED_FRAMEWORK, PRICES
from engine.model.declarations.report import Report
from engine.model.documents.document import CalendarEvent, Coverage, Document, Table
from engine.planning.outlook import Fact, make_plan
from engine.planning.plan import ReadinessPlan
from engine.planning.question import plan_question
from engine.planning.verdict.likelihood import likelihoods, ready_days, spread_of
from engine.planning.verdict.prices import prices, without_more_hours
from reports.programme.plans import plan_people, plan_pictures, plan_rows, plan_summary, promises
from reports.programme.plans.plan_terms import beyond_controls, terms
from reports.programme.plans.plan_words import opening, warnings_of
from reports.shared.wording import SHOWN_HOURS, hours

LABELS = {"strict_pct": "Nothing done, strict (%)", "weighted_pct": "Nothing done, weighted (%)"}
GOALS = {"likely_error_points": "Error (points)", "likely_on": "90 % likely on"}
PEOPLE = {"available_hours": "Left (h)"}
PRICE = {"change": "If this moves", "reached": "Reached then"}
LATER = "Saved hours are below 0 where evidence lapses in the days that are won: it is renewed for the later day."
MORE = {"people": "With", "effective": "Effective on the day"}
TERMS = "Its report may ask for more than effective controls: worksheets, decisions, agreements that are not on record."
PROGRESS = {
    "planned": "Actions planned",
    "done": "Actions done",
    "planned_strict_pct": "Strict as planned (%)",
    "strict_pct": "Strict as it came (%)",
}
ACTION = ("done_by", "framework", "control_id", "title", "action", "owner", "hours")
DEFINITIONS = {
    "Nothing done": "Evidence ages past its window, attestations lapse a year after they were signed or when the next "
    "is overdue, policies reach their review; what a test or event speaks against stays so. Evidence that came about "
    "weekly over the last 90 days, never further apart than the control's window, is taken to go on.",
    "Strict": "Effective controls of those that apply.",
    "Plan": "Of all choices of work that reach the targets within everybody's hours the one that keeps most "
    "of what was agreed, then the one with the fewest hours, then the fewest days with lapsed evidence, then the "
    "fewest changes of owner; spread evenly, each owner's work the more urgent first. It is simulated before it is "
    "shown: each piece is "
    "done on its day, and what the days say then is what is said here. Equal records, equal plan.",
    "Hours": "Of open gaps the remediation's own estimate; of evidence that lapsed or lapses by the day operation 2, "
    "test 3, policy 4, of a signature 0.5; of what never was there, or is spoken against, what such work took before, "
    "else the runbook's. The gap report counts so, too, of what is open today alone: here what lapses of a gap by the "
    "day is renewed. Signatures that are duties on record already are counted there, as is closing a weakness that has "
    "a milestone on the plan of action. A plan can take more than closing each gap: what lapses again before the day "
    "is renewed again.",
    "Evidence from": "A control that never operated, or that an event speaks against, has evidence once it operated "
    "for one turn of its cadence: a week, a month, a quarter. What comes less often is performed once.",
    "Available": "Hours of each owner in the weeks until the day, less duties and overdue work: the figures of the "
    "capacity budget. Overdue work comes first, and what a week cannot hold goes into the next.",
    "Missing hours": "Of each owner the hours of closing each gap that are more than what is available of theirs "
    "until the day. A week before the day can be short although none are missing until then.",
    "Slack": "Work ends some days before the day. Where the window of the evidence is too short for that, it does not, "
    "and the plan says so.",
    "Buys": "One piece of evidence of operation, or a policy, serves another control where the crosswalk says that it "
    "supports it fully: link it to both. Tests and signatures are each control's own.",
    "Likely": "The work drawn with uncertain hours, in its order: the share of draws that reach the target by the day. "
    "The spread is what is recorded as least and most hours, else that of accepted work that is done, else half of all "
    "work takes 1.1 times what is planned or more, one piece in ten twice as much; half of the spread is shared by all "
    "work of a person. It is calibrated on drawn histories. The band of readiness ends where nine of ten draws are.",
    **SHOWN_HOURS,
}


def build(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    days_away: pl.DataFrame,
    load: pl.DataFrame,
    signature_duties: pl.DataFrame,
    members: pl.DataFrame,
    awaited_work: pl.DataFrame,
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
        "days_away": days_away,
        "load": load,
        "signature_duties": signature_duties,
        "members": members,
        "awaited_work": awaited_work,
        "accepted_plans": accepted_plans,
        "state_changes": state_changes,
        "framework_targets": framework_targets,
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
    question = plan_question(framework_targets, ask.options, ask.as_of, int(ask.settings["plan_slack_days"]))
    plan = make_plan(frames.__getitem__, question, ask.as_of)
    ready = ready_days(plan, spread_of(accepted_plans))
    work, weeks, likely = (
        plan_rows.actions(plan, plan_rows.due_days(gaps, signature_duties)),
        plan_rows.weeks(plan, ready),
        likelihoods(plan, ready),
    )
    holes = promises.holes(plan)
    known = pl.concat(
        [goal.projection.on(goal.goal.by).filter(pl.col("state") != "not_applicable") for goal in plan.goals]
    )
    people, load_weeks = plan_people.people(plan), plan_people.load_by_week(plan)
    goals = plan_rows.goals(plan).with_columns(
        likely_pct=pl.Series([round(100 * one.probability, 1) for one in likely], dtype=pl.Float64),
        likely_error_points=pl.Series([round(100 * one.error, 1) for one in likely], dtype=pl.Float64),
        likely_on=pl.Series([one.likely_on for one in likely], dtype=pl.Date),
    )
    owners = people.filter(pl.col("owner").is_in(plan.owners))
    several, told = len(plan.goals) > 1, terms(plan, frames, ask)
    framework = [] if several else ["framework"]
    lead = (Table("goals", "Frameworks, days and targets", goals, labels=GOALS, hidden=["likely_error_points"]),)
    frameworks = [goal.framework for goal in question.goals]
    return Document(
        *opening(plan, work, likely, people, ask),
        summary=plan_summary.summary(plan, goals, owners),
        titles=plan_summary.TITLES,
        units=plan_summary.UNITS,
        better=plan_summary.BETTER,
        tables=(
            *(lead if several else ()),
            Table(
                "actions",
                "The plan, in the order in which it is done",
                work.select(
                    "done_by", "framework", "control_id", "title", "action", "owner", "hours", pl.exclude(ACTION)
                ),
                hidden=["week", "ready_on", *framework],
                labels={"due_on": "Due on record"},
                note="Signatures that are duties on record already take no hours of the plan. On record is the day of "
                "the remediation, or of the signature: the plan moves neither.",
            ),
            Table(
                "open",
                "What stays open, and why",
                plan_rows.open_controls(plan).select(
                    "framework", "control_id", "title", "why", "owner", "hours", "state"
                ),
                state=["state"],
                hidden=framework,
            ),
            Table("terms", "In the framework's own terms", told, note=TERMS),
            Table("owners", "Who does how much", people, labels=PEOPLE, hidden=["utilisation_pct"]),
            Table(
                "holes",
                "Days on which evidence has lapsed although the plan is done",
                holes,
                note="The price is what renewing in time takes beside the plan; without one no renewal is in time.",
                hidden=framework,
            ),
            Table("messages", "A line for each owner", plan_people.messages(plan, ask), labels={"message": "To send"}),
            *(() if several else lead),
            *_further_tables(frames.__getitem__, plan, ask),
            Table("moves", "What is other than agreed, and why", promises.moves(plan, accepted_plans)),
            Table(
                "weeks",
                "Readiness week by week",
                weeks,
                labels=LABELS,
                hidden=["weighted_pct", "planned_weighted_pct", *framework],
            ),
            Table("load", "Hours of each owner, week by week", load_weeks, hidden=["week_start_on"]),
            Table(
                "due",
                "Duties that fall due until then",
                plan_rows.falls_due(obligations, plan),
                hidden=["obligation_id"],
            ),
            Table(
                "accepted",
                "The plan that was accepted",
                plan_rows.work_of_plans(accepted_plans, frameworks),
                state=["standing"],
                words=["standing"],
                note="Done, late, changed since by somebody, or as planned.",
            ),
            Table(
                "progress",
                "What was planned for each day, and what came",
                plan_rows.progress(accepted_plans, readiness_days, question.first.framework, ask.as_of),
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
        charts=[*plan_pictures.readiness(plan, weeks, holes, ask), *plan_pictures.owners(plan, load_weeks, holes)],
        events=_events(plan),
        definitions=DEFINITIONS,
        warnings=[*warnings_of(plan, likely, ask), *beyond_controls(plan, told, ask)],
        footnotes=("hq plan --format csv writes the plan as rows that hq import takes: accepting it is one step.",),
    )


def _further_tables(fact: Fact, plan: ReadinessPlan, ask: Ask) -> list[Table]:
    """What promises cost, and what more hours buy, where that is asked."""
    tables = []
    if ask.options.get(PRICES.name):
        rows = promises.price_rows(prices(fact, plan))
        tables.append(Table("prices", "What each promise costs", rows, note=LATER, labels=PRICE))
    if plan.question.more_hours:
        rows = promises.comparison(without_more_hours(fact, plan), plan)
        tables.append(Table("more_hours", "What more hours buy", rows, labels=MORE))
    return tables


def _events(plan: ReadinessPlan) -> list[CalendarEvent]:
    """An all-day entry for each step of the plan on the day by which it is done."""
    return [
        CalendarEvent(
            uid=f"plan-{step.work.goal.framework}-{step.work.goal.by}-{step.action.name}-{step.part}",
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


REPORT = Report(
    name="readiness-plan",
    title="Ready by a date",
    description="Whether a framework will be ready by a day, what it takes, and the cheapest work that makes it so.",
    build=build,
    formats=(*FORMATS, "pdf", "ics"),
    parameters=(PLANNED_FRAMEWORK, *PLAN_PARAMETERS, *PLAN_CHOICES),
)
