"""What committees can decide on an escalated staffing action, whom it concerns, and what was sent about it before."""

from typing import Any

import polars as pl

from reports.shared.ordering import rank
from reports.staffing import wording

NOTICE_NAMES = {
    "staffing-action-reminders": "Reminder",
    "staffing-completion-rollup": "Rollup",
    "staffing-sla-breach-digest": "SLA digest",
    "cross-staffing-committee-escalation": "Escalation",
}


def with_options(due: pl.DataFrame) -> pl.DataFrame:
    """Escalated actions with their ``options`` and with the chair, the owner and who is accountable as recipients."""
    options = pl.Series([_options(row) for row in due.iter_rows(named=True)], dtype=pl.List(pl.String))
    whom = pl.concat_list(pl.col("chair"), wording.responsible(), pl.col("accountable")).list.drop_nulls()
    return due.with_columns(options=options, recipients=whom.list.unique(maintain_order=True))


def _options(action: dict[str, Any]) -> list[str]:
    """What a committee can decide, the least costly first."""
    options = []
    if action["blocked_reason"]:
        options.append(f"Remove what blocks it: {action['blocked_reason']}")
    if action["owner_left"]:
        options.append("Name another owner, because this one has left")
    elif action["assignee"]:
        options.append(f"Make {action['assignee']} free to help by a new date")
    elif action["accountable"]:
        options.append(f"Have {action['accountable']} name somebody who helps")
    else:
        options.append("Name somebody who helps")
    if action["kind"] != "borrow":
        options.append(f"Borrow {action['relief_hours']:g} hours from outside")
    if not action["hard"]:
        options.append("Defer or descope the work")
    options.append("Close the action and accept the load")
    return options


def notices_before(due: pl.DataFrame, notices: pl.DataFrame) -> pl.DataFrame:
    """Every notice about the escalated actions, failed ones too, in the order of the actions and of time."""
    place = due.select("action_id", "what").with_row_index("place")
    return (
        notices.join(place, on="action_id")
        .sort("place", "told_on", rank("kind", tuple(NOTICE_NAMES)), "channel", "recipient", "delivery_id", "step")
        .select(
            "action_id",
            "what",
            "told_on",
            pl.col("kind").replace(NOTICE_NAMES).alias("notice"),
            "step",
            "channel",
            "recipient",
            "status",
        )
    )
