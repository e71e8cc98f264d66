"""Weeks in which owners lack hours while others have them, and the staffing actions that would relieve them.

The preview and whoever records the proposals call ``plan``, so both have the same actions under the same identifiers.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import STAFFING_KINDS
from reports.capacity import balancing, shortfall, workload
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import all_of, hours

NEW = "new"  # a proposal that is not recorded yet
UNDECIDED = (NEW, "proposed")  # nobody has taken them up
PROPOSED_KINDS = STAFFING_KINDS[:3]  # to defer or to descope is for people to decide
ID_DIGITS = 16
DRIVERS = 3
WEEK: Mapping[str, Any] = {
    "week": pl.String, "week_start_on": pl.Date, "week_end_on": pl.Date, "shortfall_hours": pl.Float64,
    "owners_short": pl.Int64, "unowned_hours": pl.Float64, "imbalance": pl.Float64, "gini": pl.Float64,
    "busiest": pl.String, "drivers": pl.List(pl.String), "actions": pl.Int64, "relief_hours": pl.Float64,
    "remaining_hours": pl.Float64,
}  # fmt: skip
ACTION: Mapping[str, Any] = {
    "action_id": pl.String,
    "week": pl.String,
    "kind": pl.String,
    "owner": pl.String,
    "assignees": pl.List(pl.String),
    "to_weeks": pl.List(pl.String),
    "obligation_ids": pl.List(pl.String),
    "duties": pl.List(pl.String),
    "relief_hours": pl.Float64,
    "what": pl.String,
}


@dataclass(frozen=True)
class Plan:
    """Peak weeks with shortfall and imbalance (``weeks``), and one action for each week, kind and owner."""

    weeks: pl.DataFrame
    actions: pl.DataFrame


def action_id(org_id: str, week: str, kind: str, owner: str) -> str:
    """The same proposal has the same identifier in every preview, delivery and record."""
    return sha256(f"{org_id}|{week}|{kind}|{owner}".encode()).hexdigest()[:ID_DIGITS]


def plan(grid: workload.InHorizon, weeks: shortfall.ByWeek, load: pl.DataFrame, ask: Ask) -> Plan:
    """What the present facts propose; nothing is said of weeks that lack hours and are evenly loaded."""
    then = balancing.Load(grid, load, weeks["week"].to_list())
    moves = list(balancing.suggestions(then, ask))
    peaks = weeks.filter("peak")
    owned = grid.filter("staffed").join(peaks.select("week"), on="week", how="semi", maintain_order="left")
    left = {
        (row["owner"], row["week"]): max(then.demand[row["owner"], row["week"]] - row["available_hours"], 0.0)
        for row in owned.iter_rows(named=True)
    }
    org_id = str(grid["org_id"][0]) if grid.height else ""
    actions = _actions(org_id, [move for move in moves if (move["owner"], move["week"]) in left], left)
    busiest = dict(
        owned.sort("shortfall_hours", "owner", descending=[True, False])
        .unique("week", keep="first", maintain_order=True)
        .select("week", "owner")
        .iter_rows()
    )
    drivers = _drivers(load.join(owned.select("owner", "week"), on=["owner", "week"], how="semi"))
    proposed = Counter(actions["week"])
    rows = [
        {
            **_week(row, left),
            "busiest": busiest[row["week"]],
            "drivers": drivers.get(row["week"], []),
            "actions": proposed[row["week"]],
        }
        for row in peaks.iter_rows(named=True)
    ]
    return Plan(pl.DataFrame(rows, schema=dict(WEEK), orient="row"), actions)


def peaks(made: Annotated[Plan, plan]) -> pl.DataFrame:
    """The peak weeks of the plan."""
    return made.weeks


def proposal_rows(made: Annotated[Plan, plan], staffing_actions: pl.DataFrame) -> pl.DataFrame:
    """The actions of the plan, with the status and the hours of those that are recorded and whom they concern."""
    known = staffing_actions.select("action_id", "status", recorded_hours="relief_hours")
    whom = pl.concat_list(pl.concat_list("owner"), "assignees").list.unique(maintain_order=True)
    return made.actions.join(known, on="action_id", how="left", maintain_order="left").with_columns(
        pl.col("status").fill_null(NEW), recipients=whom
    )


def _week(peak: Mapping[str, Any], left: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """What is short of hours in a week, and how much of it the actions leave."""
    week = peak["week"]
    missing = peak["shortfall_hours"]
    remaining = round(sum(hours for (_, name), hours in sorted(left.items()) if name == week), 3)
    return {
        **{name: peak[name] for name in ("week", "week_start_on", "owners_short", "imbalance", "gini")},
        "week_end_on": peak["week_start_on"] + timedelta(days=6),
        "shortfall_hours": missing,
        "unowned_hours": peak["unowned_hours"],
        "relief_hours": round(missing - remaining, 3),
        "remaining_hours": remaining,
    }


def _drivers(load: pl.DataFrame) -> dict[str, list[str]]:
    """The kinds of duty that take most hours of owners, for each week."""
    kinds = (
        load.group_by("week", "kind")
        .agg(pl.col("hours").sort().sum().round(2))
        .sort("week", "hours", rank("kind", ledger.KINDS), descending=[False, True, False])
        .group_by("week", maintain_order=True)
        .head(DRIVERS)
    )
    drivers: dict[str, list[str]] = {}
    for week, name, time in kinds.select("week", ledger.kind_name(), "hours").iter_rows():
        drivers.setdefault(week, []).append(f"{name} {time:g} h")
    return drivers


def _actions(org_id: str, moves: list[dict[str, Any]], left: Mapping[tuple[str, str], float]) -> pl.DataFrame:
    """Moves of one week, kind and owner are one action; what is still short after all moves is to be borrowed."""
    grouped: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for move in moves:
        grouped.setdefault((move["week"], move["kind"], move["owner"]), []).append(move)
    rows = [_move_proposal(org_id, key, part) for key, part in grouped.items()]
    rows += [
        _borrow_proposal(org_id, week, owner, missing)
        for (owner, week), missing in left.items()
        if round(missing, 3) >= shortfall.LEAST
    ]
    return pl.DataFrame(rows, schema=dict(ACTION), orient="row").sort(
        "week", "owner", rank("kind", STAFFING_KINDS), "action_id"
    )


def _move_proposal(org_id: str, key: tuple[str, str, str], moves: list[dict[str, Any]]) -> dict[str, Any]:
    week, kind, owner = key
    relief = round(sum(move["relief_hours"] for move in moves), 2)
    handed = kind == "reassign"
    to = sorted({move["to_owner"] for move in moves}) if handed else []
    weeks = [] if handed else sorted({move["to_week"] for move in moves})
    duties = f"“{moves[0]['title']}”" if len(moves) == 1 else f"{len(moves)} duties"
    what = f"Hand {duties} to {all_of(to)}" if handed else f"Do {duties} in {all_of(weeks)} already"
    return {
        "action_id": action_id(org_id, week, kind, owner),
        "week": week,
        "kind": kind,
        "owner": owner,
        "assignees": to,
        "to_weeks": weeks,
        "obligation_ids": [move["obligation_id"] for move in moves],
        "duties": [move["title"] for move in moves],
        "relief_hours": relief,
        "what": what,
    }


def _borrow_proposal(org_id: str, week: str, owner: str, missing: float) -> dict[str, Any]:
    relief = round(missing, 2)
    return {
        "action_id": action_id(org_id, week, "borrow", owner),
        "week": week,
        "kind": "borrow",
        "owner": owner,
        "assignees": [],
        "to_weeks": [],
        "obligation_ids": [],
        "duties": [],
        "relief_hours": relief,
        "what": f"Bring in {hours(relief)} from outside",
    }
