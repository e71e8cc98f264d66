"""The window of an archive: days of the organization that end with the day on which it is made."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.archives.sealing.manifest import Window
from engine.model.days import local_day
from engine.model.errors import BadRequest
from engine.store import Store
from engine.store.queries.history.bundles import first_moment

MOST_DAYS = 730
ALLOWED = f"1d to {MOST_DAYS}d, 24h or all"


@dataclass(frozen=True)
class Days:
    """How far back an archive looks: ``count`` days, or all of it (None)."""

    requested: str
    count: int | None

    def of(self, store: Store, org_id: str, now: datetime) -> Window:
        """The window on the organization's present day."""
        zone = store.time_zone(org_id)
        today = local_day(now, zone)
        if self.count is not None:
            return Window(self.requested, today - timedelta(days=self.count - 1), today)
        with store.reader() as connection:
            first = first_moment(connection, org_id)
        return Window(self.requested, min(today, local_day(first, zone)) if first else today, today)


def days(requested: str) -> Days:
    """The window that is asked for as ``30d``, ``24h`` or ``all``; BadRequest for anything else."""
    if requested == "all":
        return Days(requested, None)
    match = re.fullmatch(r"([1-9][0-9]{0,2})d", "1d" if requested == "24h" else requested)
    if match is None or int(match[1]) > MOST_DAYS:
        raise BadRequest(
            f"The window must be {ALLOWED}; got {requested[:40]!r}.",
            word="invalid_body",
            details=[{"field": "window", "expected": ALLOWED, "got": requested[:40]}],
        )
    return Days(requested, int(match[1]))
