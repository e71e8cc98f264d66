"""Where staffing actions stand by week and owner: tracked, open, and the archive of completed ones."""

import polars as pl

from engine.model.days import quarters
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.wording import count, hours, percent
from reports.staffing import completion, wording
from reports.staffing.breaches import first_words

OPEN = (
    *("action_id", "what", "kind", "week", "owner", "accountable", "status", "standing", "sla_due_on", "breach_days"),
    *("relief_hours", "assignee", "blocked_reason", "recipients"),
)
ARCHIVE = (
    *("action_id", "what", "kind", "week", "owner", "completed_on", "standing", "relief_hours", "relief_actual_hours"),
    "evidence",
)
FOREMOST = (
    *("staffing_actions_breached", "staffing_completion_pct", "staffing_on_time_pct", "staffing_relief_actual_hours"),
    *("staffing_relief_realised_pct", "staffing_actions_completed_lately"),
)
LESS = (
    *("tracked", "open", "completion_pct", "on_time_of", "on_time_pct", "relief_planned_hours", "realised_pct"),
    "median_days",
)
HIDDEN = ("action_id", "kind", "week", "owner", "assignee", "recipients")
SAID = {"breached": "past the SLA", "past_peak": "past the peak week", "under_way": "under way"}


def build(staffing_actions: pl.DataFrame, members: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rows = staffing_actions.with_columns(
        what=wording.action_names(), recipients=pl.concat_list(wording.responsible()).list.drop_nulls()
    )
    open_now = wording.open_actions(rows)
    archive = rows.filter(pl.col("status") == "completed").sort(
        "completed_on", "action_id", descending=[True, False], nulls_last=True
    )
    weeks = completion.by(rows, ["week"], ask).sort("week", descending=True)
    return Document(
        *_opening(open_now, figures),
        tables=(
            Table(
                "actions",
                "Tracked and open, oldest peak week first",
                open_now.select(OPEN),
                labels=wording.LABELS,
                state=wording.STATE_COLUMNS,
                hidden=(*HIDDEN, "status"),
            ),
            Table(
                "archive",
                "Archive: completed actions, newest first",
                archive.select(ARCHIVE),
                state=wording.STATE_COLUMNS,
                hidden=HIDDEN,
            ),
            Table(
                "owners",
                "To each owner of an action",
                personal.sections(wording.to_each(open_now), "standing", SAID, _first()),
                note="One section of the mail for each. Owners and admins of the organization get all of it.",
            ),
            Table("by_week", "By peak week", weeks, hidden=LESS),
            Table("by_owner", "By owner", completion.by(rows, ["owner"], ask), hidden=LESS),
            Table("admins", "To owners and admins of the organization", completion.admins(members)),
        ),
        definitions={
            **wording.DEFINITIONS,
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Rollup": "The mail that names a breach starts the clock of its escalation, "
            f"{ask.settings['escalation_delay_days']:g} business days.",
        },
        warnings=_warnings(figures, members),
        foremost=[name for name in FOREMOST if figures[name] is not None],
    )


def _first() -> pl.Expr:
    late = pl.col("standing") == "breached"
    due = pl.format("{} (due by {})", wording.action_words(), "sla_due_on")
    return pl.when(late).then(first_words()).otherwise(due)


def _opening(open_now: pl.DataFrame, figures: Figures) -> Opening:
    recorded = figures["staffing_actions_recorded"]
    if not recorded:
        return Opening("No staffing action is recorded, so there is nothing to complete.", setup.STAFFING)
    taken_up, late = figures["staffing_actions_taken_up"], figures["staffing_actions_breached"]
    if not taken_up:
        return Opening(f"None of the {count(recorded, 'proposal')} has been taken up.", "Take up or drop them.")
    lately = figures["staffing_actions_completed_lately"]
    text = f"{_relief(figures)}; {lately or 'none'} {'was' if lately <= 1 else 'were'} completed in the last week"
    if open_now.is_empty():
        return Opening(f"{text}, and nothing is open.")
    first = (open_now.filter(pl.col("standing") == "breached") if late else open_now).row(0, named=True)
    if late:
        return Opening(
            f"{_relief(figures)}; {late:,} {'is' if late == 1 else 'are'} past the SLA.", f"{wording.to_finish(first)}."
        )
    return Opening(f"{text}.", f"Finish {wording.action_name(first)} ({wording.whose(first)}).")


def _relief(figures: Figures) -> str:
    """What the completed actions brought, as far as anybody recorded it."""
    done, planned = figures["staffing_actions_completed"], figures["staffing_relief_planned_hours"]
    finished = f"{done} of {count(figures['staffing_actions_taken_up'], 'action')} completed"
    if not planned:
        return f"{finished}, and no relief is recorded"
    came, share = figures["staffing_relief_actual_hours"], figures["staffing_relief_realised_pct"]
    return f"{finished}, which brought {quarters(came)} of {hours(planned)} of relief ({percent(share)})"


def _warnings(figures: Figures, members: pl.DataFrame) -> list[str]:
    warnings: list[str] = []
    unknown = figures["staffing_relief_unrecorded"]
    if unknown:
        warnings.append(f"{count(unknown, 'completed action has', 'completed actions have')} no record of its relief.")
    if completion.admins(members).is_empty():
        warnings.append(Alarm("The organization has neither owner nor admin: nobody gets the whole rollup."))
    return warnings


REPORT = Report(
    name="staffing-completion-rollup",
    title="Staffing completion rollup",
    description="Tracked, open and completed staffing actions by peak week and owner, with relief and punctuality.",
    build=build,
    figures=select(
        *("staffing_actions_recorded", *completion.MEASURED, "staffing_actions_breached_week_change"),
        *("staffing_actions_completed_lately", "staffing_last_rollup_on", "staffing_relief_unrecorded"),
    ),
    parameters=(),
    schema_version=2,
)
