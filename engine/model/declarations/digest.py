"""What a digest declares: preview, delivery, scheduled route and job follow from one ``Digest``.

The registry is ``reports/digests.py``; what happens to a declaration is in ``engine/digests/``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from engine.model.days import local_day
from engine.model.declarations.declaration import Declaration
from engine.model.figures.formulas import iso_week
from engine.model.thresholds import Thresholds

Way = Literal["email", "chat", "webhook"]
Every = Literal["day", "weekday", "week", "month", "quarter"]
Period = Literal["day", "week", "quarter", "catalogue"]
ADMINS = ("owner", "admin")
SATURDAY = 5
ONE_DAY = timedelta(days=1)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Items:
    """Rows of a table that concern people: who (columns of an address or of several), and what a mail shows of them.

    ``only`` names a boolean column: rows without it are not sent, and so do not count as sent. ``title`` stands above
    them where the table's own would promise more, ``hint`` below: what a reader of the mail can do about them.
    """

    table: str
    shows: tuple[str, ...]
    to: tuple[str, ...] = ()
    only: str | None = None
    title: str | None = None
    hint: str = ""


@dataclass(frozen=True)
class Digest:
    """One line of the registry.

    ``name`` is the kind of its deliveries and runs, ``route`` its part of the path, ``preference`` the flag with which
    people switch it off, ``cron_setting`` holds its cron secret. It may be sent once in each ``period``, and is
    looked for ``every`` day, weekday, week or quarter at the hour and on the weekday that the organization chose.
    A document in which every figure of ``news`` is nothing is empty.

    ``people``: those whom the table ``owners`` names get a mail with their own ``items`` alone. ``members`` of these
    roles get all of it, and with ``whole`` the people named do, too. Where nobody is left, and for items that reach
    nobody, it goes to owners and admins. ``moves`` names what else the delivery changes (``engine/digests/state.py``),
    ``asks`` the decision for which the chat message has buttons at its actions (``engine/digests/buttons.py``).
    ``for_admins``: only these send it by hand. ``chained``: the staffing chain runs it, in the order of the registry.
    """

    name: str
    route: str
    report: Declaration
    preference: str
    cron_setting: str
    channels: tuple[Way, ...]
    period: Period
    every: Every
    news: tuple[str, ...]
    items: tuple[Items, ...] = ()
    people: bool = True
    members: tuple[str, ...] = ADMINS
    whole: bool = False
    moves: tuple[str, ...] = ()
    asks: str | None = None
    for_admins: bool = True
    chained: bool = False


@dataclass(frozen=True)
class ChainStep:
    """What came of one digest of the chain."""

    digest: str
    outcome: str
    period: str = ""
    deliveries: int = 0
    message: str | None = None


def period_key(period: Period, day: date, catalogue_version: str) -> str:
    """``2026-11-20``, ``2026-W47``, ``2026-Q4``, or the hash of the catalogue: one delivery for each."""
    if period == "catalogue":
        return catalogue_version
    if period == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    return iso_week(day) if period == "week" else day.isoformat()


@dataclass(frozen=True)
class When:
    """A cadence; ``hour`` and ``weekday`` (1 is Monday) None are those that the organization chose for its digests."""

    every: Every
    hour: int | None = None
    weekday: int | None = None

    @property
    def schedule_text(self) -> str:
        """The cadence for a person."""
        hour = "at the hour of digests" if self.hour is None else f"at {self.hour:02d}:00"
        day = "on the weekday of digests" if self.weekday is None else f"on {WEEKDAYS[self.weekday - 1]}"
        words = {
            "day": "daily",
            "weekday": "Monday to Friday",
            "week": f"weekly {day}",
            "month": "monthly on the first",
            "quarter": f"quarterly, {day} in the first week of its last month,",
        }
        return f"{words[self.every]} {hour}, local time of each organization"


def last_due(when: When, now: datetime, zone: ZoneInfo, settings: Thresholds) -> datetime:
    """The newest moment, in UTC, at which something of this cadence was due.

    Once a quarter is on its chosen weekday in the first week of the quarter's last month: two thirds of the quarter
    can be told, and what is to be decided can still be decided in it.
    """
    return next(at for at in _instants(when, now, zone, settings, -1) if at <= now)


def next_due(when: When, now: datetime, zone: ZoneInfo, settings: Thresholds) -> datetime:
    """The first moment after ``now``, in UTC, at which something of this cadence is due."""
    return next(at for at in _instants(when, now, zone, settings, 1) if at > now)


def _instants(when: When, now: datetime, zone: ZoneInfo, settings: Thresholds, step: int) -> Iterator[datetime]:
    """The moments of a cadence from around ``now``, backwards (-1) or forwards (1)."""
    hour = time(int(settings["digest_hour"]) if when.hour is None else when.hour)
    weekday = int(settings["digest_weekday"]) if when.weekday is None else when.weekday
    day = local_day(now, zone) - 2 * step * ONE_DAY  # a zone may leave out a day, which moves the moments of two
    while True:
        if _falls_on(when.every, day, weekday - 1):
            yield datetime.combine(day, hour, zone).astimezone(UTC)
        day += step * ONE_DAY


def _falls_on(every: Every, day: date, weekday: int) -> bool:
    match every:
        case "day":
            return True
        case "weekday":
            return day.weekday() < SATURDAY
        case "week":
            return day.weekday() == weekday
        case "month":
            return day.day == 1
        case "quarter":
            return day.weekday() == weekday and day.month % 3 == 0 and day.day <= 7


def quiet_until(now: datetime, zone: ZoneInfo, settings: Thresholds) -> datetime | None:
    """When the quiet hours end in which ``now`` lies, in UTC; None outside of them. Equal hours mean none."""
    begin, end = (int(settings[f"quiet_{name}_hour"]) for name in ("from", "until"))
    local = now.astimezone(zone)
    quiet = begin <= local.hour < end if begin <= end else not end <= local.hour < begin
    if not quiet:
        return None
    day = local.date() if local.hour < end else local.date() + timedelta(days=1)
    return datetime.combine(day, time(end), zone).astimezone(UTC)
