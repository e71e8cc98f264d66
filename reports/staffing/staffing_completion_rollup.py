"""Where staffing actions stand by week and owner: tracked, open, and the archive of completed ones."""

from datetime import timedelta
from typing import Any

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from engine.model.vocabulary import ADMIN_ROLES
from reports.shared import personal
from reports.shared.ordering import rank
from reports.shared.wording import count, percent
from reports.staffing import completion, wording
from reports.staffing.breaches import first_words

NEWS_DAYS = 7
OPEN = (
    *("action_id", "what", "kind", "week", "owner", "accountable", "status", "standing", "sla_due_on", "breach_days"),
    *("relief_hours", "assignee", "blocked_reason", "recipients"),
)
ARCHIVE = (
    *("action_id", "what", "kind", "week", "owner", "completed_on", "standing", "relief_hours", "relief_actual_hours"),
    "evidence",
)
LABELS = {**wording.LABELS, **personal.LABELS, "role": "Role"}
LESS = ("breached", "median_days")
HIDDEN = ("action_id", "kind", "week", "owner", "assignee", "recipients")
SAID = {"breached": "past the SLA", "past_peak": "past the peak week", "under_way": "under way"}


def build(staffing_actions: pl.DataFrame, members: pl.DataFrame, ask: Ask) -> Document:
    rows = staffing_actions.with_columns(
        what=wording.action_names(), recipients=pl.concat_list(wording.responsible()).list.drop_nulls()
    )
    open_now = wording.open_actions(rows)
    archive = rows.filter(pl.col("status") == "completed").sort(
        "completed_on", "action_id", descending=[True, False], nulls_last=True
    )
    news = archive.filter(pl.col("completed_on") > ask.as_of - timedelta(days=NEWS_DAYS)).height
    measured = completion.figures(rows)
    weeks = completion.by(rows, ["week"]).sort("week", descending=True)
    return Document(
        headline=_headline(rows, open_now, measured, news),
        summary={**measured, "completed_last_week": news, "last_rollup_on": rows["last_rollup_on"].max()},
        tables=(
            Table("actions", "Tracked and open, oldest peak week first", open_now.select(OPEN), labels=LABELS,
                  state=wording.STATE_COLUMNS, hidden=(*HIDDEN, "breach_days")),
            Table("by_week", "By peak week", weeks, labels=LABELS, hidden=LESS),
            Table("by_owner", "By owner", completion.by(rows, ["owner"]), labels=LABELS, hidden=LESS),
            Table("archive", "Archive: completed actions, newest first", archive.select(ARCHIVE), labels=LABELS,
                  state=wording.STATE_COLUMNS, hidden=HIDDEN),
            Table("owners", "To each owner of an action",
                  personal.sections(wording.to_each(open_now), "standing", SAID, _first()),
                  note="One section of the mail for each. Owners and admins of the organization get all of it.",
                  labels=LABELS),
            Table("admins", "To owners and admins of the organization", _admins(members), labels=LABELS),
        ),
        definitions={
            **wording.DEFINITIONS,
            **completion.DEFINITIONS,
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Rollup": "The mail that names a breach starts the clock of its escalation, "
            f"{ask.settings['escalation_delay_days']:g} business days.",
        },
        warnings=_warnings(rows, members),
    )  # fmt: skip


def _first() -> pl.Expr:
    late = pl.col("standing") == "breached"
    due = pl.format(
        "{} for {} in {} (due by {})",
        pl.col("kind").replace(wording.KIND_NAMES).str.to_lowercase(), "owner", "week", "sla_due_on",
    )  # fmt: skip
    return pl.when(late).then(first_words()).otherwise(due)


def _admins(members: pl.DataFrame) -> pl.DataFrame:
    wanted = members.filter(pl.col("role").is_in(ADMIN_ROLES))
    return wanted.select(recipient="email", role="role").sort(rank("role", ADMIN_ROLES), "recipient")


def _headline(rows: pl.DataFrame, open_now: pl.DataFrame, measured: dict[str, Any], news: int) -> str:
    if rows.is_empty():
        return "No staffing action is recorded, so there is nothing to complete."
    if not measured["taken_up"]:
        return f"None of the {count(rows.height, 'proposal')} has been taken up: take up or drop them."
    late = open_now.filter(pl.col("standing") == "breached")
    share = percent(float(measured["completion_pct"]))
    text = (
        f"{measured['completed']} of {count(measured['taken_up'], 'action')} completed ({share}), {news or 'none'} in "
        "the last week"
    )
    if measured["on_time_pct"] is not None:
        text += f"; {measured['completed_on_time']} of {measured['on_time_of']} on time"
        text += f" ({percent(measured['on_time_pct'])})"
    if open_now.is_empty():
        return f"{text}; nothing is open."
    first = (late if late.height else open_now).row(0, named=True)
    past = f", {late.height} past the SLA" if late.height else ""
    return (
        f"{text}; {measured['tracked']} tracked and {measured['open']} open{past}: "
        f"next is {wording.action_name(first)}."
    )


def _warnings(rows: pl.DataFrame, members: pl.DataFrame) -> list[str]:
    warnings = []
    unknown = rows.filter(pl.col("status") == "completed", pl.col("relief_actual_hours").is_null()).height
    if unknown:
        warnings.append(f"{count(unknown, 'completed action has', 'completed actions have')} no record of its relief.")
    if _admins(members).is_empty():
        warnings.append("The organization has neither owner nor admin: nobody gets the whole rollup.")
    return warnings


REPORT = Report(
    name="staffing-completion-rollup",
    title="Staffing completion rollup",
    description="Tracked, open and completed staffing actions by peak week and owner, with relief and punctuality.",
    build=build,
    parameters=(),
)
