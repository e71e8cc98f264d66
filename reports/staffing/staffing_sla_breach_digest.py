"""Staffing actions that are past the committee's SLA after their peak week: how long, how bad, whose, and why."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared import personal
from reports.shared.ordering import rank
from reports.shared.wording import count, hours
from reports.staffing import wording
from reports.staffing.breaches import (
    SAID,
    SEVERITIES,
    breaches,
    first_words,
)

COLUMNS = (
    *("action_id", "what", "kind", "week", "week_end_on", "sla_due_on", "breach_days", "severity", "owner"),
    *("owner_left", "accountable", "assignee", "relief_hours", "blocked_reason", "duties", "reminder_step"),
    *("last_reminder_on", "recipients"),
)
HIDDEN = (
    *("action_id", "kind", "week", "week_end_on", "owner_left", "assignee", "duties", "reminder_step", "recipients"),
    "owner",
)
LABELS = {**wording.LABELS, **personal.LABELS, "last_reminder_on": "Last reminder", "reminder_step": "Reminders"}


def build(staffing_actions: pl.DataFrame, ask: Ask) -> Document:
    late, open_now = breaches(staffing_actions), wording.open_actions(staffing_actions)
    soon = open_now.filter(pl.col("standing") == "past_peak").with_columns(what=wording.action_names())
    return Document(
        headline=_headline(staffing_actions, open_now, late, soon, ask),
        summary={
            "sla_business_days": int(ask.settings["staffing_sla_days"]),
            "unfinished": open_now.height,
            "breaches": late.height,
            **{word: late.filter(pl.col("severity") == word).height for word in SEVERITIES},
            "blocked": late["blocked_reason"].drop_nulls().len(),
            "relief_outstanding_hours": round(float(late["relief_hours"].sum()), 2),
            "next_in_line": soon.height,
        },
        tables=(
            Table("actions", "Past the SLA, worst first", late.select(COLUMNS), labels=LABELS,
                  state=wording.STATE_COLUMNS, hidden=HIDDEN),
            Table("owners", "To each owner",
                  personal.sections(wording.to_each(late), "severity", SAID, first_words()),
                  note="The owner and who is accountable for each action. An empty name is nobody.", labels=LABELS),
            Table("next_in_line", "Peak week over, still within the SLA",
                  soon.sort("sla_due_on", "action_id").select(
                      "action_id", "what", "owner", "accountable", "week", "sla_due_on", "relief_hours",
                      "blocked_reason",
                  ), labels=LABELS, hidden=("action_id", "owner", "week")),
            Table("by_owner", "By owner", _owners(late), labels=LABELS),
        ),
        definitions={
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Severity": "Moderate up to 5 business days over, high up to 10, critical beyond.",
            "Accountable": "For the action's duty; where it names none, for most duties of the owner.",
            "Past the SLA": "Taken up and not completed. Proposals that were never taken up are not counted.",
        },
        warnings=_warnings(late),
    )  # fmt: skip


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


def _headline(actions: pl.DataFrame, open_now: pl.DataFrame, late: pl.DataFrame, soon: pl.DataFrame, ask: Ask) -> str:
    if actions.is_empty():
        return "No staffing action is recorded, so none can be past its SLA."
    coming = ""
    if soon.height:
        coming = f" {count(soon.height, 'more is', 'more are')} due, the first by {soon['sla_due_on'].sort()[0]}."
    if late.is_empty():
        if open_now.is_empty():
            return "No action that was taken up is unfinished: none is past its SLA."
        return f"None of the {count(open_now.height, 'unfinished action')} is past its SLA.{coming}"
    first = late.row(0, named=True)
    blocked = f" (blocked: {first['blocked_reason']})" if first["blocked_reason"] else ""
    are = "is" if late.height == 1 else "are"
    return (
        f"{late.height} of {count(open_now.height, 'unfinished action')} {are} past the SLA of "
        f"{count(int(ask.settings['staffing_sla_days']), 'business day')}, "
        f"{hours(round(float(late['relief_hours'].sum()), 1))} of relief outstanding; "
        f"worst is {wording.action_name(first)}, "
        f"{count(first['breach_days'], 'business day')} over{blocked}: complete or close it.{coming}"
    )


def _warnings(late: pl.DataFrame) -> list[str]:
    nobody = late.filter(pl.col("accountable").is_null()).height
    warnings = [f"{count(nobody, 'breach has', 'breaches have')} nobody accountable."] if nobody else []
    left = late.filter("owner_left").height
    if left:
        warnings.append(f"{count(left, 'breach is', 'breaches are')} with an owner who has left: name another.")
    return warnings


REPORT = Report(
    name="staffing-sla-breach-digest",
    title="Staffing SLA breaches",
    description="Unfinished actions past the committee's completion SLA after the peak week, with owner and blocker.",
    build=build,
    parameters=(),
)
