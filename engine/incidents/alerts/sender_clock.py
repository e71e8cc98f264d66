"""When something happened and when it was heard: the sender's clock, corrected where it is ahead, and ours.

Alertmanager and Grafana date an alert by when the problem began and say that date again whenever they say that it
fires: also after they called it resolved because nothing was heard of it for a while. The same body again at once is
a repeated delivery; the same start again later than such a sender gathers a group for goes on.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.incidents.alerts.episodes import Episode, KeyMessage
from engine.intake.alerts import Alert

GROUP_INTERVAL = timedelta(minutes=5)  # after which Alertmanager speaks of a group again, unless it is told otherwise


class AlertTime(NamedTuple):
    """``at`` is when it happened, ``sent_at`` what the sender calls that, ``heard_at`` when it came.

    ``ahead`` is by how much the sender's clock was corrected; ``is_senders`` False where the sender gave no time and
    ours counts.
    """

    at: datetime
    sent_at: datetime
    heard_at: datetime
    ahead: timedelta
    is_senders: bool

    def in_our_time(self, at: datetime) -> datetime:
        """Another time of the same sender, corrected alike; never later than it was heard."""
        return min(at if at + self.ahead <= self.heard_at else at - self.ahead, self.heard_at)


def alert_time(alert: Alert, heard: datetime, skew: timedelta) -> AlertTime:
    """When an alert happened; corrected where the sender is ahead of us, or of its own time of sending, by more than
    ``skew``. A message that says when it was sent says by that how far its clock is ahead, of whatever it dates."""
    at, sent = alert.occurred_at, alert.sent_at
    if at is None:
        return AlertTime(heard, heard, heard, timedelta(), False)
    clock = sent - heard if sent is not None and sent - heard > skew else timedelta()
    known = heard if sent is None else min(heard, sent)
    rest = at - clock - known
    ahead = clock + rest if rest > skew else clock
    return AlertTime(min(at - ahead, heard), at, heard, ahead, True)


class Restatement(NamedTuple):
    """A firing that a sender dates by a start that is over: delivered again, or going on from now, and in what words.

    ``counts_on`` is a later episode that is open.
    """

    is_repeat: bool = False
    counts_on: Episode | None = None
    goes_on: KeyMessage | None = None
    words: str | None = None


def restatement(
    alert: Alert, message: KeyMessage, messages: Sequence[KeyMessage], episodes: Sequence[Episode]
) -> Restatement:
    """Whether an alert that is dated by its start says again what was heard and is over."""
    known = next((one for one in messages if one.is_same(message)), None)
    if not alert.dated_by_start or known is None:
        return Restatement()
    episode = next((one for one in episodes if known in one.members), None)
    if episode is None or episode.end is None:
        return Restatement()
    if episodes[-1].end is None:
        return Restatement(counts_on=episodes[-1])
    heard = max(one.heard_at for one in (known, episode.end, episodes[-1].end or episode.end))
    waited = message.heard_at - heard
    if waited < GROUP_INTERVAL:
        return Restatement(is_repeat=True)
    minutes = round(waited.total_seconds() / 60)
    over = "it was closed by hand" if episode.end.kind == "close" else "its recovery was heard"
    words = f"Goes on: {minutes:,} min after {over} the monitor says again that it fires"
    again = message._replace(at=message.heard_at, sent_at=message.heard_at)
    return Restatement(goes_on=again, words=words)


def latest(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two times that may be absent."""
    return max((time for time in (one, other) if time is not None), default=None)


def skew_text(time: AlertTime) -> str:
    """What to say of a sender whose clock is ahead, of ours or of its own time of sending."""
    minutes = round(time.ahead.total_seconds() / 60)
    how = "after it came" if time.sent_at - time.ahead == time.heard_at else "ahead by its own time of sending"
    dated = f"the sender dates this {time.sent_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"Clock skew: {dated}, {minutes:,} min {how}; corrected by that"
