"""Notifications that laws ask for once an organization is aware of an incident, each with the moment it is due at.

Started by a step ``assess`` of the incident's history. Sources: GDPR Article 33(1), 72 hours after having become aware.
NIS2 (Directive (EU) 2022/2555) Article 23(4): 24 hours for the early warning and 72 hours for the notification, both
from becoming aware, and a month after the notification for the final report. DORA: Delegated Regulation (EU) 2025/301
Article 5: 4 hours after classification as major, 24 hours from becoming aware at most. HIPAA: 45 CFR 164.404(b), 60
calendar days after discovery.
"""

from calendar import monthrange
from datetime import datetime, timedelta
from typing import NamedTuple


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


def due_at(notice: Notice, aware_at: datetime, classified_at: datetime | None) -> datetime:
    """When a notification is due, in UTC."""
    due = aware_at + timedelta(hours=notice.hours)
    if notice.from_classified is not None and classified_at is not None:
        due = min(due, classified_at + timedelta(hours=notice.from_classified))
    return _months_later(due, notice.months)


def _months_later(at: datetime, months: int) -> datetime:
    """The same day of a later month, or its last day."""
    if not months:
        return at
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, monthrange(year, month + 1)[1]))
