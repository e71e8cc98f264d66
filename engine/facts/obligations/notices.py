"""Notifications of incidents as duties of the ledger, each with the moment that a law makes it due at."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import polars as pl

from engine.facts.schemas import Schema
from engine.model.days import local_day
from engine.model.incident_notices import NOTICES, due_at

EFFORT = 3.0  # hours of work of a notification


FRAMEWORKS_OF = {"gdpr": ["gdpr-art32"], "hipaa": ["hipaa"], "nis2": [], "dora": []}
SCHEMA: Schema = {
    "org_id": pl.String, "kind": pl.String, "key": pl.String, "title": pl.String, "frameworks": pl.List(pl.String),
    "controls": pl.List(pl.String), "owner": pl.String, "due_on": pl.Date, "due_at": pl.Datetime("us"),
    "done_on": pl.Date, "effort_hours": pl.Float64, "hard": pl.Boolean, "source_ref": pl.String, "revision": pl.Int64,
}  # fmt: skip


def notices(
    incident_steps_rows: pl.DataFrame, incidents_rows: pl.DataFrame, organizations: pl.DataFrame
) -> pl.DataFrame:
    """Duties of the last assessment of each incident under each law; done by a communication that names the notice."""
    zones = dict(organizations.select("org_id", "time_zone").iter_rows())
    known = {(row["org_id"], row["id"]): row for row in incidents_rows.iter_rows(named=True)}
    steps = incident_steps_rows.with_columns(
        pl.col("payload").str.json_path_match(f"$.{name}").alias(name)
        for name in ("law", "aware_at", "classified_at", "notice")
    ).sort("org_id", "happened_at", "id")
    assessed = {(row["org_id"], row["incident_id"], row["law"]): row for row in _of(steps, "assess")}
    sent: dict[tuple[str, str, str], datetime] = {}
    for row in _of(steps, "communication"):
        sent.setdefault((row["org_id"], row["incident_id"], row["notice"] or ""), row["happened_at"])
    found = []
    for (org, incident_id, law), row in assessed.items():
        incident, zone = known.get((org, incident_id)), zones.get(org) or "UTC"
        if incident is None:
            continue
        for notice in NOTICES.get(law, ()):
            due = due_at(notice, _moment(row["aware_at"]) or row["happened_at"], _moment(row["classified_at"]))
            done = sent.get((org, incident_id, notice.key))
            found.append(
                {
                    "org_id": org,
                    "kind": "incident_notice",
                    "key": f"{incident_id}-{notice.key}",
                    "title": f"{notice.title} of {incident_id} ({notice.source})",
                    "frameworks": FRAMEWORKS_OF[law],
                    "controls": [],
                    "owner": incident["owner"],
                    "due_on": local_day(due.replace(tzinfo=UTC), zone),
                    "due_at": due,
                    "done_on": local_day(done.replace(tzinfo=UTC), zone) if done else None,
                    "effort_hours": EFFORT,
                    "hard": True,
                    "source_ref": f"incidents/{incident_id}",
                    "revision": row["revision"],
                }
            )
    return pl.DataFrame(found, schema=SCHEMA).sort("org_id", "due_at", "key")


def _of(steps: pl.DataFrame, kind: str) -> Iterator[dict[str, Any]]:  # cells
    return steps.filter(pl.col("kind") == kind).iter_rows(named=True)


def _moment(text: object) -> datetime | None:
    """A time of a payload in UTC without its zone, as rows of the replica have theirs; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
