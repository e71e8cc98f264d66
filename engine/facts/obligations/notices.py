"""Notifications that laws ask for once an organization is aware of an incident, each with the moment it is due at.

Started by a step ``assess`` of the incident's history. Sources: GDPR Article 33(1), 72 hours after having become aware.
NIS2 (Directive (EU) 2022/2555) Article 23(4): 24 hours for the early warning and 72 hours for the notification, both
from becoming aware, and a month after the notification for the final report. DORA: Delegated Regulation (EU) 2025/301
Article 5: 4 hours after classification as major, 24 hours from becoming aware at most. HIPAA: 45 CFR 164.404(b), 60
calendar days after discovery.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import polars as pl

EFFORT = 3.0  # hours of work of a notification


class Notice(NamedTuple):
    """One notification: ``hours`` after awareness, or ``from_classified`` hours after classification if sooner.

    ``months`` come on top: the report that is due a month after the notification.
    """

    key: str
    title: str
    source: str
    hours: int
    from_classified: int | None = None
    months: int = 0


# fmt: off
NOTICES: dict[str, tuple[Notice, ...]] = {
    "gdpr": (Notice("gdpr-72h", "Notify the supervisory authority", "GDPR Art. 33(1)", 72),),
    "nis2": (
        Notice("nis2-24h", "Send the early warning", "NIS2 Art. 23(4)(a)", 24),
        Notice("nis2-72h", "Send the incident notification", "NIS2 Art. 23(4)(b)", 72),
        Notice("nis2-final", "Send the final report", "NIS2 Art. 23(4)(d)", 72, months=1),
    ),
    "dora": (Notice("dora-initial", "Send the initial notification", "DORA, Regulation (EU) 2025/301 Art. 5", 24, 4),),
    "hipaa": (Notice("hipaa-60d", "Notify the individuals", "45 CFR 164.404(b)", 60 * 24),),
}
# fmt: on
FRAMEWORKS_OF = {"gdpr": ["gdpr-art32"], "hipaa": ["hipaa"], "nis2": [], "dora": []}
SCHEMA = {
    "org_id": pl.String, "kind": pl.String, "key": pl.String, "title": pl.String, "frameworks": pl.List(pl.String),
    "controls": pl.List(pl.String), "owner": pl.String, "due_on": pl.Date, "due_at": pl.Datetime("us"),
    "done_on": pl.Date, "effort_hours": pl.Float64, "hard": pl.Boolean, "source_ref": pl.String, "revision": pl.Int64,
}  # fmt: skip


def due_at(notice: Notice, aware_at: datetime, classified_at: datetime | None) -> datetime:
    """When a notification is due, in UTC."""
    due = aware_at + timedelta(hours=notice.hours)
    if notice.from_classified is not None and classified_at is not None:
        due = min(due, classified_at + timedelta(hours=notice.from_classified))
    return _months_later(due, notice.months)


def _months_later(at: datetime, months: int) -> datetime:
    """The same day of a later month, or its last day."""
    later: datetime = pl.Series([at]).dt.offset_by(f"{months}mo").item()
    return later


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
        incident, zone = known.get((org, incident_id)), ZoneInfo(zones.get(org) or "UTC")
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
                    "due_on": _day(due, zone),
                    "due_at": due,
                    "done_on": _day(done, zone) if done else None,
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


def _day(at: datetime, zone: ZoneInfo) -> date:
    return at.replace(tzinfo=UTC).astimezone(zone).date()
