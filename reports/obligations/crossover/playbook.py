"""The six steps that turn a cluster of duties into one piece of work, with what is tracked of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.crossover.clusters import Cluster, Clusters, hours_to_save, topic
from reports.shared.ledger import Columns
from reports.shared.ordering import rank
from reports.shared.wording import all_of

STEPS = (
    "confirm shared evidence",
    "confirm mapping",
    "name one owner",
    "align due dates",
    "collect once and link",
    "attest everywhere",
)
WAITING = ("active", "proposed")
STATUSES = (*WAITING, "completed", "abandoned")
PLAY: Columns = {
    "play_id": pl.String, "status": pl.String, "tracked": pl.Boolean, "duties": pl.Int64,
    "topic": pl.String, "about": pl.String, "frameworks": pl.List(pl.String), "owner": pl.String, "best_on": pl.Date,
    "steps_done": pl.Int64, "next_step": pl.String, "blocked": pl.Boolean, "hours_to_save": pl.Float64,
    "hours_saved": pl.Float64, "started_on": pl.Date, "closed_on": pl.Date, "advice": pl.List(pl.String),
}  # fmt: skip
STEP: Columns = {
    "play_id": pl.String,
    "topic": pl.String,
    "about": pl.String,
    "number": pl.Int64,
    "step": pl.String,
    "status": pl.String,
    "by": pl.String,
    "on": pl.Date,
    "evidence": pl.String,
    "what": pl.String,
}


def play_rows(clusters: Clusters, plays: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """A play for each cluster and for each that is tracked: those under way first, then by what they would save.

    What has no cluster any more comes last.
    """
    found = {cluster.id: cluster for cluster in clusters}
    stored = tracked_steps(plays)
    rows = [play(name, found.get(name), stored.get(name, []), ask) for name in sorted({*found, *stored})]
    return pl.DataFrame(rows, schema=PLAY, orient="row").sort(
        pl.col("duties") == 0,
        rank("status", STATUSES),
        "hours_to_save",
        "best_on",
        "play_id",
        descending=[False, False, True, False, False],
        nulls_last=True,
    )


def step_rows(rows: pl.DataFrame, plays: pl.DataFrame) -> pl.DataFrame:
    """The six steps of each of the plays of ``rows``, in their order."""
    stored = tracked_steps(plays)
    steps = [
        {"play_id": name, "topic": matter, "about": about, **step}
        for name, matter, about, advice in rows.select("play_id", "topic", "about", "advice").iter_rows()
        for step in steps_of(advice, stored.get(name, []))
    ]
    return pl.DataFrame(steps, schema=STEP, orient="row")


def tracked_steps(plays: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """The stored steps of each play in order; a play without steps has one row that names none."""
    steps: dict[str, list[dict[str, Any]]] = {}
    for row in plays.sort("play_id", "number", nulls_last=True).iter_rows(named=True):
        steps.setdefault(row["play_id"], []).append(row)
    return steps


def steps_of(advice: Sequence[str], stored: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Six rows with what to do, todo where nothing is tracked."""
    known = {row["number"]: row for row in stored if row["number"] is not None}
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


def play(name: str, cluster: Cluster | None, stored: list[dict[str, Any]], ask: Ask) -> dict[str, Any]:
    """One row: the cluster as it is and the play as it is tracked; either may be missing."""
    head = stored[0] if stored else {}
    advice = _advice(cluster, ask) if cluster else [""] * len(STEPS)
    steps = list(steps_of(advice, stored))
    ahead = [row for row in steps if row["status"] != "done"]
    status = head.get("status") or "proposed"
    return {
        "play_id": name,
        "status": status,
        "tracked": bool(stored),
        "duties": len(cluster.members) if cluster else 0,
        "topic": topic([duty.title for duty in cluster.members]) if cluster else None,
        "about": _about(cluster) if cluster else None,
        "frameworks": cluster.frameworks if cluster else [],
        "owner": head.get("owner") or (cluster.lead if cluster else None),
        "best_on": cluster.window[1] if cluster else None,
        "steps_done": len(steps) - len(ahead),
        "next_step": ahead[0]["step"] if ahead and status in WAITING else None,
        "blocked": any(row["status"] == "blocked" for row in steps),
        "hours_to_save": hours_to_save(cluster) if cluster else None,
        "hours_saved": head.get("hours_saved"),
        "started_on": head.get("started_on"),
        "closed_on": head.get("closed_on"),
        "advice": advice,
    }


def _about(cluster: Cluster) -> str:
    """The duty that takes longest stands for the others."""
    return max(cluster.members, key=lambda duty: duty.hours).title


def _suggestion(lead: str, owners: Sequence[str]) -> str:
    """Who should own the collection, and beside whom: nobody is chosen of one."""
    others = [name for name in owners if name != lead]
    return (
        f"Suggested: {lead}, with most of the work; the others are {all_of(others)}." if others else f"{lead} has all."
    )


def _advice(cluster: Cluster, ask: Ask) -> list[str]:
    mapped = [link.via for link in cluster.links if link.basis == "full mapping"]
    owners = sorted({duty.owner for duty in cluster.members if duty.owner})
    first, last = cluster.members[0].due_on, cluster.members[-1].due_on
    start, end = cluster.window
    when = f"collect on {end}" if start == end else f"collect from {start} to {end}"
    names = ", ".join(ask.framework_name(name) for name in cluster.frameworks) or "no framework"
    return [
        f"Shared: {', '.join(cluster.shared_things)}.",
        f"Check {'; '.join(sorted(mapped))}." if mapped else "Nothing to map: they share a control or an item.",
        _suggestion(cluster.lead, owners) if cluster.lead else "None of the duties has an owner.",
        f"Due from {first} to {last}: {when}." if first != last else f"Due {first}: {when}.",
        f"Collect once by {cluster.window[1]} and link it to {len(cluster.members)} duties.",
        f"Attest in {names}.",
    ]
