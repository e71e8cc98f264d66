"""What an alert does to incidents: opens, counts, raises, reopens, resolves, annotates (REPORTS 14).

When something happened is the sender's word, when we heard of it is ours, and an incident keeps both. Its episodes are
derived anew from all messages of its key, so that no delay and no other order changes how long anything took.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, TypedDict

from engine.incidents.alerts.alert_rows import AlertLog, Receipt, alert_columns, new_incident
from engine.incidents.alerts.episodes import A_MOMENT, Episode, KeyMessage, MessageKind
from engine.incidents.alerts.key_history import HistoryStep, KeyHistory, earlier_incident, prefetch_histories
from engine.incidents.alerts.sender_clock import AlertTime, alert_time, latest, restatement
from engine.intake.alerts import Alert, severity_after
from engine.model.vocabulary import LIVE_INCIDENTS, AlertOutcome
from engine.store import Lookups, Revision
from engine.store.ids import new_id
from engine.store.queries.operations.ingest import last_incidents, service_ids
from engine.store.writing.inbound import first_time

LONGEST_SOURCE = 60  # that the record of seen events keeps


class AlertResult(TypedDict):
    """What became of an alert, and the incident that it concerns."""

    dedupe_key: str
    outcome: AlertOutcome
    incident_id: str | None


def prefetch_keys(alerts: Sequence[Alert]) -> Lookups:
    """What ``ingest_alerts`` will look up for these alerts."""
    keys = [alert.dedupe_key for alert in alerts]
    return (*prefetch_histories(keys), (service_ids, _services(alerts)))


def ingest_alerts(revision: Revision, alerts: Sequence[Alert], receipt: Receipt) -> list[AlertResult]:
    """Apply alerts in their order; one outcome with the incident's id for each of them."""
    for read, keys in prefetch_keys(alerts):
        revision.look_up(read, keys)
    services = revision.look_up(service_ids, _services(alerts))
    work = _Work(revision, services, receipt)
    outcomes = [work.apply(alert) for alert in alerts]
    revision.record_all(work.log.notes)
    return outcomes


def _services(alerts: Sequence[Alert]) -> list[str]:
    return [alert.service.lower() for alert in alerts if alert.service]


class _Work:
    """One body's alerts within one revision."""

    def __init__(self, revision: Revision, services: dict[str, str | None], receipt: Receipt) -> None:
        self.revision = revision
        self.services = services
        self.receipt = receipt
        self.log = AlertLog(revision, receipt)
        self.unknown_service: str | None = None

    def apply(self, alert: Alert) -> AlertResult:
        """What became of one alert."""
        known = alert.service is None or self.services[alert.service.lower()] is not None
        self.unknown_service = None if known else str(alert.service)[:200]
        if alert.state == "ignored":
            return self._result(alert, "ignored", None)
        incident = self.revision.look_up(last_incidents, [alert.dedupe_key])[alert.dedupe_key]
        if alert.event_id and not self._new(alert.event_id):
            return self._result(alert, "replayed", incident.id if incident else None)
        one = _AlertStep(self, alert, KeyHistory(self.revision, alert.dedupe_key, incident))
        outcome, identifier = one.apply()
        return self._result(alert, outcome, identifier)

    def _new(self, event_id: str) -> bool:
        source = f"alert:{self.revision.org_id}"
        if len(source) > LONGEST_SOURCE:
            source = f"alert:{sha256(source.encode()).hexdigest()[: LONGEST_SOURCE - 6]}"
        return first_time(self.revision.side_tables, source, event_id, self.revision.now)

    @staticmethod
    def _result(alert: Alert, outcome: AlertOutcome, incident_id: str | None) -> AlertResult:
        return {"dedupe_key": alert.dedupe_key, "outcome": outcome, "incident_id": incident_id}


Answer = tuple[AlertOutcome, str | None]


class _AlertStep:
    """One alert and the history of its key."""

    def __init__(self, work: _Work, alert: Alert, history: KeyHistory) -> None:
        self.work = work
        self.alert = alert
        self.history = history
        self.log = work.log
        self.time: AlertTime = alert_time(alert, work.receipt.at, work.receipt.clock_skew)
        last = history.last
        replayed = work.receipt.replayed_from
        newest = max((one.place for one in history.messages if one.kind in ("firing", "resolved")), default=None)
        self.is_late = newest is not None and self._message("firing").place[:2] < newest[:2]
        if not self.time.is_senders and replayed is None:
            self.is_late = False  # without a date it counts as it comes
        self.last_id = last.id if last else None
        self.is_live = last is not None and last.status in LIVE_INCIDENTS

    def _message(self, kind: MessageKind) -> KeyMessage:
        began, time = self.alert.started_at, self.time
        sent = time.sent_at
        if not time.is_senders:  # of one moment each counts after those before it
            sent = max((one.sent_at for one in self.history.messages if one.at == time.at), default=sent) + A_MOMENT
        by = self.alert.acknowledged_by if kind == "acknowledged" else None
        return KeyMessage(kind, time.at, sent, time.heard_at, time.in_our_time(began) if began else None, by=by)

    def apply(self) -> Answer:
        """What became of it."""
        alert = self.alert
        if alert.state == "update":
            return self._annotate()
        return self._fire() if alert.state == "firing" else self._resolve()

    # -- an alert fires -----------------------------------------------------------------------------------------------

    def _fire(self) -> Answer:
        message, goes_on = self._message("firing"), None
        again = restatement(self.alert, message, self.history.messages, self.history.episodes())
        if again.is_repeat:
            if self.last_id is not None:
                self._write_line(self.last_id, "note", "An alert{} came again, or after its recovery; it opens nothing")
                self._log_ingest(self.last_id, "out_of_order")
            return "out_of_order", self.last_id
        if again.goes_on is not None:
            message, goes_on = again.goes_on, again.words
        episode: Episode | None = again.counts_on
        if episode is not None:
            step = self.history.no_step()
        else:
            step = self.history.take(message)
            episode = _episode_of(step.after, message)
        if episode is None:
            raise ValueError(f"a firing of {self.alert.dedupe_key} belongs to no episode")
        if episode.id is None:
            return self._open(step, episode)
        was = step.was(episode.id)
        self._follow(step, but=episode.id)
        if episode.end is not None:
            self._change(episode.id, step, {})
            if not self._flaps(episode):
                self._write_line(episode.id, "note", "An alert{} came after its recovery; it opens nothing")
            self._log_ingest(episode.id, "out_of_order")
            return "out_of_order", episode.id
        row = self.history.row(episode.id)
        severity = severity_after(row["severity"], self.alert)
        reopened = was is not None and was.end is not None
        columns = alert_columns(self.alert) if reopened or not self.is_late else {}
        self._change(episode.id, step, {**columns, "alert_count": (row["alert_count"] or 0) + 1, "severity": severity})
        if reopened:
            by_hand = was is not None and was.closed is not None and was.closed.by is not None
            text = goes_on or ("Reopened: it was closed by hand, and the alert fires again" if by_hand else None)
            if not self._flaps(episode) or text:
                time = self.time._replace(at=message.at)  # of what goes on now the sender's date is its first start
                self.log.line(episode.id, "status", text or "Reopened: the alert fires again", time)
            self.log.clock(episode.id, self.time)
            self._log_ingest(episode.id, "reopened")
            return "reopened", episode.id
        self.log.severity(episode.id, row["severity"], severity, self.time)
        self._log_ingest(episode.id, "deduplicated")
        return "deduplicated", episode.id

    def _open(self, step: HistoryStep, episode: Episode) -> Answer:
        service = self.work.services[self.alert.service.lower()] if self.alert.service else None
        row = {
            **new_incident(self.alert, self.work.receipt, service_id=service),
            **episode.columns(),
            "related_to": earlier_incident(step.after, episode),
            "alert_count": len(episode.members),
        }
        if episode.end is not None:
            row["sender_at"] = latest(row["sender_at"], episode.end.sent_at)
        self.history.name(episode, row["id"])
        self.history.insert(row)
        self.log.line(row["id"], "alert", f"Opened by {row['source']}: {self.alert.title}", self.time)
        self.log.clock(row["id"], self.time)
        self._follow(step, but=row["id"])
        outcome: AlertOutcome = "created"
        if episode.end is not None:
            outcome, when = "out_of_order", f"{episode.end.at:%Y-%m-%d %H:%M} UTC"
            self.log.line(row["id"], "status", f"Resolved: its recovery of {when} came first", self.time)
        self.history.save()
        self._log_ingest(row["id"], outcome)
        self.log.event("incident.opened", row["id"], {"severity": row["severity"]})
        if episode.end is not None:
            self.log.event("incident.resolved", row["id"])
        return outcome, row["id"]

    # -- an alert ends, or something is said of it ---------------------------------------------------------------------

    def _resolve(self) -> Answer:
        message = self._message("resolved")
        step = self.history.take(message)
        ended = next((one for one in step.after if one.end is message), None)
        changed = self.history.differences(step)
        if not changed and not any(one.id is None for one in step.after):
            return self._early(step)
        episode_id = ended.id if ended else None
        was = step.was(episode_id)
        self._follow(step, but=episode_id)
        if episode_id is None:
            self.history.save()
            self._log_ingest(self.last_id, "out_of_order")
            return "out_of_order", self.last_id
        self._change(episode_id, step, {})
        source = self.history.row(episode_id)["source"] or self.alert.source
        if was is not None and was.end is not None:
            self._write_line(episode_id, "note", "A recovery{} came late: it ended then")
            self._log_ingest(episode_id, "out_of_order")
            return "out_of_order", episode_id
        if ended is None or not self._flaps(ended):
            self.log.line(episode_id, "status", f"Resolved by {source}", self.time)
        self.log.clock(episode_id, self.time)
        self._log_ingest(episode_id, "resolved")
        self.log.event("incident.resolved", episode_id)
        return "resolved", episode_id

    def _annotate(self) -> Answer:
        alert, incident = self.alert, self.history.last
        step = self.history.take(self._message("acknowledged")) if alert.acknowledged else None
        changed = list(self.history.differences(step)) if step else []
        if incident is None or not (changed or self.is_live):
            return self._early(step) if step is not None else ("no_open_incident", self.last_id)
        about = incident.id if incident.id in changed or not changed else changed[0]  # of an earlier one it came late
        was = step.was(about) if step else None
        is_taken = step is not None and any(one.id == about and one.is_taken for one in step.after)
        row = self.history.row(about)
        change: dict[str, Any] = {"sender_at": row["sender_at"]}  # of alerts and recoveries alone
        if not self.is_late:
            change["severity"] = severity_after(row["severity"], alert)
        self._change(about, step, change)
        self.log.line(about, "note", alert.note or alert.title, self.time)
        self.log.severity(about, row["severity"], change.get("severity", row["severity"]), self.time)
        self.log.clock(about, self.time)
        self._log_ingest(about, "updated")
        if is_taken and not (was and was.is_taken):
            self.log.event("incident.acknowledged", about)
        return "updated", about

    def _early(self, step: HistoryStep) -> Answer:
        """It changes nothing that is known: what it says is remembered for an alert that is on its way."""
        live = self.is_live and self.alert.state == "resolved"
        if live and self.last_id is not None:
            if step.is_news and self.time.is_senders:
                self.history.save()
            self._write_line(self.last_id, "note", "A recovery{} came after a later alert; it ends nothing")
            self._log_ingest(self.last_id, "out_of_order")
            return "out_of_order", self.last_id
        if step.is_news and self.time.is_senders:
            self.history.save()
            self._log_ingest(self.last_id, "no_open_incident")
        return "no_open_incident", self.last_id

    # -- what is written -----------------------------------------------------------------------------------------------

    def _follow(self, step: HistoryStep, *, but: str | None) -> None:
        """What the message changes of other incidents of the key: a late one may move their ends, or split one off."""
        split = {self._split(step, episode) for episode in step.after if episode.id is None}
        for identifier, values in self.history.differences(step).items():
            if identifier == but or identifier in split:
                continue
            self.history.update(identifier, values)
            if values.keys() != {"related_to"}:
                self.log.line(identifier, "note", self._moved_text(values), self.time)

    def _split(self, step: HistoryStep, episode: Episode) -> str:
        """A recovery that came late ends an episode before what was counted on it: that is an incident of its own."""
        origin = self.history.origin(step, episode)
        row = self.history.split_row(origin, step, episode, new_id("inc"))
        text = f"Split off {origin}: a recovery between them came late"
        if episode.taken is not None and episode.taken.incident_id is not None:
            text += f"; {episode.taken.by} acknowledged it as a part of that"
        self.history.name(episode, row["id"])
        self.history.insert(row)
        self.log.line(row["id"], "alert", text, self.time._replace(at=episode.begin.at))
        self.log.event("incident.opened", row["id"], {"severity": row["severity"]})
        return str(row["id"])

    def _change(self, identifier: str, step: HistoryStep | None, values: Mapping[str, Any]) -> None:
        """What the alert says of its incident, and what its message changes of it."""
        row = self.history.row(identifier)
        derived = self.history.differences(step).get(identifier, {}) if step is not None else {}
        seen = latest(row["last_seen_at"], self.work.receipt.at)
        sender = latest(row["sender_at"], self.alert.occurred_at)
        self.history.update(identifier, {"sender_at": sender, **derived, **values, "last_seen_at": seen})
        self.history.save()

    def _log_ingest(self, identifier: str | None, outcome: AlertOutcome) -> None:
        self.log.log_ingest(identifier, outcome, self.work.unknown_service)

    def _write_line(self, identifier: str, kind: Any, text: str) -> None:
        dated = f" of {self.alert.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if self.alert.occurred_at else ""
        self.log.line(identifier, kind, text.format(dated), self.time)

    def _flaps(self, episode: Episode) -> bool:
        """Whether an episode opened again so often that one line counts it, which is then written or moved on."""
        if episode.id is None or (body := episode.flap_line()) is None:
            return False
        self.log.counting_line(f"flapping-{episode.id}", episode.id, body, self.time)
        return True

    def _moved_text(self, values: Mapping[str, Any]) -> str:
        dated = f" of {self.alert.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if self.alert.occurred_at else ""
        moved = [
            f"{what} {f'at {at:%Y-%m-%d %H:%M:%S} UTC' if at else 'at no time'}"
            for name, what in _MOVED.items()
            if name in values
            for at in (values[name],)
        ]
        moved += [f"it is {values['status']}"] if "status" in values else []
        return f"A message{dated} came late: {', '.join(moved) or 'the state follows'}"


_MOVED = {"opened_at": "it began", "acknowledged_at": "was acknowledged", "resolved_at": "was resolved"}


def _episode_of(episodes: Sequence[Episode], message: KeyMessage) -> Episode | None:
    return next((one for one in episodes if any(message.is_same(each) for each in one.members)), None)
