"""The six steps that turn a cluster of duties into one piece of work, with what is tracked of them."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from reports.obligations.clusters import Cluster, hours_saved
from reports.shared.ledger import Columns
from reports.shared.packs import pack

STEPS = (
    "confirm shared evidence", "confirm mapping", "name one owner", "align due dates", "collect once and link",
    "attest everywhere",
)  # fmt: skip
STATUSES = ("active", "proposed", "completed", "abandoned")
PLAY: Columns = {
    "play_id": pl.String, "status": pl.String, "tracked": pl.Boolean, "duties": pl.Int64,
    "about": pl.String, "frameworks": pl.List(pl.String), "owner": pl.String, "best_on": pl.Date,
    "steps_done": pl.Int64, "next_step": pl.String, "blocked": pl.Boolean, "hours_to_save": pl.Float64,
    "hours_saved": pl.Float64, "started_on": pl.Date, "closed_on": pl.Date,
}  # fmt: skip
STEP: Columns = {
    "play_id": pl.String, "number": pl.Int64, "step": pl.String, "status": pl.String, "by": pl.String, "on": pl.Date,
    "evidence": pl.String, "what": pl.String,
}  # fmt: skip


def tracked_steps(plays: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """The stored steps of each play in order; a play without steps has one row that names none."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in plays.sort("play_id", "number", nulls_last=True).iter_rows(named=True):
        found.setdefault(row["play_id"], []).append(row)
    return found


def steps_of(cluster: Cluster | None, stored: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Six rows, todo where nothing is tracked."""
    known = {row["number"]: row for row in stored if row["number"] is not None}
    advice = _advice(cluster) if cluster else [""] * len(STEPS)
    for number, name in enumerate(STEPS, 1):
        row = known.get(number, {})
        yield {
            "number": number,
            "step": name,
            "status": row.get("step_status") or "todo",
            "by": row.get("step_by"),
            "on": row.get("step_on"),
            "evidence": row.get("step_evidence"),
            "what": advice[number - 1],
        }


def play(name: str, cluster: Cluster | None, stored: list[dict[str, Any]]) -> dict[str, Any]:
    """One row: the cluster as it is and the play as it is tracked; either may be missing."""
    head = stored[0] if stored else {}
    steps = list(steps_of(cluster, stored))
    ahead = [row for row in steps if row["status"] != "done"]
    status = head.get("status") or "proposed"
    return {
        "play_id": name,
        "status": status,
        "tracked": bool(stored),
        "duties": len(cluster.members) if cluster else 0,
        "about": _about(cluster) if cluster else None,
        "frameworks": cluster.frameworks if cluster else [],
        "owner": head.get("owner") or (cluster.lead if cluster else None),
        "best_on": cluster.window[1] if cluster else None,
        "steps_done": len(steps) - len(ahead),
        "next_step": ahead[0]["step"] if ahead and status in ("active", "proposed") else None,
        "blocked": any(row["status"] == "blocked" for row in steps),
        "hours_to_save": hours_saved(cluster) if cluster else None,
        "hours_saved": head.get("hours_saved"),
        "started_on": head.get("started_on"),
        "closed_on": head.get("closed_on"),
    }


def _about(cluster: Cluster) -> str:
    """The duty that takes longest stands for the others."""
    return max(cluster.members, key=lambda duty: duty.hours).title


def _advice(cluster: Cluster) -> list[str]:
    mapped = [link.via for link in cluster.links if link.basis == "full mapping"]
    owners = sorted({duty.owner for duty in cluster.members if duty.owner})
    first, last = cluster.members[0].due_on, cluster.members[-1].due_on
    names = ", ".join(pack(name) for name in cluster.frameworks) or "no framework"
    return [
        f"Shared: {', '.join(cluster.shared)}.",
        f"Check {'; '.join(sorted(mapped))}." if mapped else "Nothing to map: they share a control or an item.",
        f"Suggested: {cluster.lead}, of {', '.join(owners)}." if cluster.lead else "None of the duties has an owner.",
        f"Due from {first} to {last}: collect from {cluster.window[0]} to {cluster.window[1]}.",
        f"Collect once by {cluster.window[1]} and link it to {len(cluster.members)} duties.",
        f"Attest in {names}.",
    ]
