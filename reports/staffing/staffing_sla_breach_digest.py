"""Staffing actions that are past the committee's SLA after their peak week: how long, how bad, whose, and why."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.ordering import rank
from reports.shared.wording import count, hours
from reports.staffing import wording
from reports.staffing.breaches import SAID, SEVERITIES, breaches, first_words

COLUMNS = (
    *("action_id", "what", "kind", "week", "week_end_on", "sla_due_on", "breach_days", "severity", "owner"),
    *("owner_left", "accountable", "assignee", "relief_hours", "blocked_reason", "duties", "reminder_step"),
    *("last_reminder_on", "recipients"),
)
FOREMOST = (
    *("staffing_actions_breached", "staffing_relief_outstanding_hours", "staffing_breaches_blocked"),
    *("staffing_breaches_unanswered", "staffing_breaches_owner_left", "staffing_actions_past_peak"),
)
HIDDEN = (
    *("action_id", "kind", "week", "week_end_on", "owner_left", "assignee", "duties", "reminder_step", "recipients"),
    "owner",
)


def build(staffing_actions: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    late = figures.rows(breaches)
    soon = figures.counted_rows("staffing_actions_past_peak").with_columns(what=wording.action_names())
    return Document(
        *_opening(staffing_actions, late, soon, figures, ask),
        tables=(
            Table(
                "actions",
                "Past the SLA, worst first",
                late.select(COLUMNS),
                labels=wording.LABELS,
                state=wording.STATE_COLUMNS,
                hidden=HIDDEN,
            ),
            Table(
                "owners",
                "To each owner",
                personal.sections(wording.to_each(late), "severity", SAID, first_words()),
                note="The owner and who is accountable for each action. A dash is nobody.",
            ),
            Table(
                "next_in_line",
                "Peak week over, still within the SLA",
                soon.sort("sla_due_on", "action_id").select(
                    "action_id", "what", "owner", "accountable", "week", "sla_due_on", "relief_hours", "blocked_reason"
                ),
                labels=wording.LABELS,
                hidden=("action_id", "owner", "week"),
            ),
            Table("by_owner", "By owner", _owners(late)),
        ),
        definitions={
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Severity": "Moderate up to 5 business days over, high up to 10, critical beyond.",
            "Accountable": "For the action's duty; where it names none, for most duties of the owner.",
        },
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _owners(late: pl.DataFrame) -> pl.DataFrame:
    return (
        late.group_by("owner")
        .agg(
            breaches=pl.len().cast(pl.Int64),
            breach_days=pl.col("breach_days").max(),
            severity=pl.col("severity").sort_by(rank("severity", SEVERITIES)).first(),
            relief_hours=pl.col("relief_hours").sort().sum().round(2),
        )
        .sort("breach_days", "owner", descending=[True, False])
    )


def _opening(actions: pl.DataFrame, late: pl.DataFrame, soon: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if actions.is_empty():
        return Opening("No staffing action is recorded, so none can be past its SLA.", setup.STAFFING)
    unfinished, over = figures["staffing_actions_unfinished"], figures["staffing_actions_breached"]
    if not unfinished:
        return Opening("No action that was taken up is unfinished: none is past its SLA.")
    if not over:
        coming, more = "", figures["staffing_actions_past_peak"]
        if more:
            first_on = spelled_day(soon["sla_due_on"].sort()[0])
            coming = f"Finish what is due next: {count(more, 'more is', 'more are')} due, the first by {first_on}."
        return Opening(f"None of the {count(unfinished, 'unfinished action')} is past its SLA.", coming)
    first = late.row(0, named=True)
    blocked = f"; it is blocked: {first['blocked_reason']}" if first["blocked_reason"] else ""
    return Opening(
        f"{over} of {count(unfinished, 'unfinished action')} {'is' if over == 1 else 'are'} past the SLA of "
        f"{count(int(ask.settings['staffing_sla_days']), 'business day')}, "
        f"{hours(round(figures['staffing_relief_outstanding_hours'], 1))} of relief outstanding.",
        f"{wording.to_finish(first)}{blocked}.",
    )


def _warnings(figures: Figures) -> list[str]:
    nobody, left = figures["staffing_breaches_unanswered"], figures["staffing_breaches_owner_left"]
    warnings: list[str] = (
        [Alarm(f"{count(nobody, 'breach has', 'breaches have')} nobody accountable.")] if nobody else []
    )
    if left:
        warnings.append(Alarm(f"{count(left, 'breach is', 'breaches are')} with an owner who has left: name another."))
    return warnings


REPORT = Report(
    name="staffing-sla-breach-digest",
    title="Staffing SLA breaches",
    description="Unfinished actions past the committee's completion SLA after the peak week, with owner and blocker.",
    build=build,
    figures=select(
        *("staffing_actions_unfinished", "staffing_actions_breached", "staffing_actions_breached_week_change"),
        *(f"staffing_breaches_{severity}" for severity in SEVERITIES),
        *("staffing_breaches_blocked", "staffing_breaches_unanswered", "staffing_breaches_owner_left"),
        *("staffing_relief_outstanding_hours", "staffing_actions_past_peak"),
    ),
    parameters=(),
    schema_version=2,
)
