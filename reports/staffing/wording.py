"""Words and orders that the staffing reports share."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.vocabulary import OPEN_STAFFING
from reports.shared.wording import SHOWN_HOURS, count, with_whom

KIND_NAMES = {
    "reassign": "Reassign",
    "pull_forward": "Pull forward",
    "borrow": "Borrow hours",
    "defer": "Defer",
    "descope": "Descope",
}
ACTS = {
    "reassign": "the handover of {}'s duties",
    "pull_forward": "the earlier work of {}",
    "borrow": "the hours to borrow for {}",
    "defer": "the deferral of {}'s duties",
    "descope": "the descoping of {}'s duties",
}
STANDINGS = ("breached", "past_peak", "under_way", "proposed", "lapsed", "done_late", "done_undated", "done_on_time")
STATE_COLUMNS = ("standing", "status", "severity", "kind")
LABELS: Mapping[str, str] = {"what": "Action", "week": "Peak week"}
DEFINITIONS: Mapping[str, str] = {
    "Status": "Proposed, tracked (taken up), open (under way: its peak week has begun), completed (kept as the "
    "archive).",
    "Standing": "Breached: past the committee's SLA. Past peak: the week is over, the SLA is not. Lapsed: never "
    "taken up before its week was over.",
    **SHOWN_HOURS,
}


def sla_definition(days: float) -> str:
    return f"{days:g} business days, Monday to Friday, after the Sunday that ends the peak week."


def action_words() -> pl.Expr:
    """An action as it reads inside a sentence: ``the handover of ann's duties in 2026-W45``."""
    return pl.coalesce(
        *(
            pl.when(pl.col("kind") == kind).then(pl.format(f"{act} in {{}}", "owner", "week"))
            for kind, act in ACTS.items()
        )
    )


def action_names() -> pl.Expr:
    """An action as it stands in a table: ``Handover of ann's duties in 2026-W45``."""
    name = action_words().str.strip_prefix("the ")
    return name.str.head(1).str.to_uppercase() + name.str.slice(1)


def action_name(action: Mapping[str, Any]) -> str:
    """One action as it reads inside a sentence."""
    return f"{ACTS[action['kind']].format(action['owner'])} in {action['week']}"


def to_finish(action: Mapping[str, Any]) -> str:
    """What to do about an action past its SLA, and who answers for it, in a sentence without its end."""
    over = count(action["breach_days"], "business day")
    return (
        f"Finish or drop {ACTS[action['kind']].format(action['owner'])} (peak in {action['week']}, {over} late; "
        f"{whose(action)})"
    )


def whose(action: Mapping[str, Any]) -> str:
    """Who answers for an action, and by when the SLA wanted it."""
    who = action["accountable"] or action["chair"] or action["owner"]
    return with_whom(who, action["sla_due_on"])


def responsible() -> pl.Expr:
    """Whom to ask about an action: its owner, else who answers for it where that person has left, else nobody."""
    return pl.when(pl.col("owner_left")).then(accountable()).otherwise("owner")


def accountable() -> pl.Expr:
    """Who answers for the action when its owner does not act: the accountable person, else the committee's chair."""
    return pl.coalesce("accountable", "chair")


def open_actions(actions: pl.DataFrame) -> pl.DataFrame:
    """Actions that were taken up and are not done, the longest past their peak week first."""
    return actions.filter(pl.col("status").is_in(OPEN_STAFFING)).sort(
        "week_start_on", "relief_hours", "action_id", descending=[False, True, False]
    )


def to_each(actions: pl.DataFrame) -> pl.DataFrame:
    """One row for each action and recipient, as ``recipient``; an action that reaches nobody keeps a null one."""
    return actions.with_columns(recipient=pl.col("recipients")).explode("recipient", empty_as_null=True)
