"""The clocks of regulators that the assessments of one incident started."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from engine.intake.times import instant
from engine.model.incident_notices import NOTICES, due_at
from engine.model.records import IncidentTimelineRow


def regulators_clocks(timeline: Sequence[IncidentTimelineRow], zone: str) -> list[tuple[str, str, str, datetime]]:
    """(law, notification, source, moment it is due at) by the last assessment under each law, in order of due time.

    ``timeline`` is in order of time.
    """
    last = {}
    for line in timeline:
        payload = line["payload"] if line["kind"] == "assess" else None
        if isinstance(payload, dict):
            last[payload.get("law")] = (payload, line["happened_at"])
    rows = []
    for law, (payload, happened_at) in last.items():
        aware, classified = instant(payload.get("aware_at")) or happened_at, instant(payload.get("classified_at"))
        for notice in NOTICES.get(str(law), ()):
            due = due_at(notice, aware, classified).astimezone(ZoneInfo(zone))
            rows.append((str(law), notice.title, notice.source, due))
    return sorted(rows, key=lambda row: (row[3], row[1]))
