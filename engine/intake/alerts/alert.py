"""One alert, whoever sent it, and the one rule by which its severity reaches an incident."""

import re
from collections.abc import Mapping
from datetime import datetime

import msgspec

from engine.intake.severity import SeverityRating, highest
from engine.intake.times import instant
from engine.intake.values import block, first, labels, line, link
from engine.model.vocabulary import AlertState, Severity

TITLE, VALUE, ANNOTATION = 300, 500, 1000

SERVICE_NAMES = ("service", "service_name", "servicename", "app", "app_kubernetes_io_name", "application", "job")
RUNBOOK_NAMES = ("runbook_url", "runbook", "runbookUrl", "__runbook_url__")
HOST_NAMES = ("host", "hostname", "host_name", "instance", "node", "nodename", "server")

HEARTBEAT = "A heartbeat: its sender lives."
UNRATED = SeverityRating("medium", None, False)

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PORT = re.compile(r"(?<=[\w\]]):\d{1,5}$")


class Alert(msgspec.Struct, frozen=True):
    """``state`` says what to do.

    ``firing`` opens an incident or counts on the open one of the same ``dedupe_key``; ``resolved`` resolves it;
    ``update`` writes ``note`` on it and opens nothing; ``ignored`` is accepted without effect.
    ``started_at`` is as the sender dates it. ``ended_at`` is never later than the receipt, and is there exactly when
    resolved.
    ``occurred_at`` orders events of one sender; ``sent_at`` is when it says that it sent the message, where it does.
    Where ``dated_by_start`` is True, ``occurred_at`` of an alert is when the problem began, however late the sender
    says that it fires. ``event_id`` is the same for every delivery of one event, None
    where the sender repeats itself on purpose. ``severity_given`` is False where the severity is only a default.
    ``link`` leads back to the monitor; ``links`` has all that are there by what they lead to: source, silence,
    dashboard, panel and the like. ``value`` is what was measured, in the sender's words; ``image_url`` a graph of it.
    ``acknowledged_by`` is an address.
    """

    source: str
    dedupe_key: str
    state: AlertState
    title: str
    severity: Severity = "medium"
    severity_text: str | None = None
    severity_given: bool = False
    description: str | None = None
    service: str | None = None
    host: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    occurred_at: datetime | None = None
    sent_at: datetime | None = None
    dated_by_start: bool = False
    link: str | None = None
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)
    links: Mapping[str, str] = msgspec.field(default_factory=dict)
    runbook_url: str | None = None
    value: str | None = None
    image_url: str | None = None
    event_id: str | None = None
    origin: str | None = None
    acknowledged: bool = False
    acknowledged_by: str | None = None
    note: str | None = None


def severity_after(current: Severity | None, alert: Alert) -> Severity:
    """The severity of an incident after an alert: it only rises, and only by a given severity of a live problem.

    ``current`` is None for an incident that the alert opens.
    """
    if current is None:
        return alert.severity
    live = alert.state in ("firing", "update") and alert.severity_given
    return highest(current, alert.severity) if live else current


def compose(
    *,
    source: str,
    key: str,
    state: AlertState,
    title: object,
    received_at: datetime,
    severity: SeverityRating = UNRATED,
    description: object = None,
    tags: Mapping[str, object] | None = None,
    annotations: Mapping[str, object] | None = None,
    service: object = None,
    host: object = None,
    started_at: object = None,
    ended_at: object = None,
    occurred_at: object = None,
    sent_at: object = None,
    dated_by_start: bool = False,
    address: object = None,
    links: Mapping[str, object] | None = None,
    runbook: object = None,
    value: object = None,
    image: object = None,
    event_id: object = None,
    origin: object = None,
    acknowledged: bool = False,
    acknowledged_by: object = None,
    note: object = None,
) -> Alert:
    """An alert out of raw values: cleaned, bounded, its times made plausible."""
    live = state in ("firing", "update")
    tags, notes = tags or {}, annotations or {}
    given = links or {"source": address}
    addresses = {name: found for name, held in given.items() if (found := link(held)) is not None}
    began, happened, ended = instant(started_at), instant(occurred_at), None
    if state == "resolved":
        ended = min(instant(ended_at) or happened or received_at, received_at)
        ended = max(ended, began) if began and began <= received_at else ended
    identified = line(event_id)
    found_host = line(host) or first(tags, HOST_NAMES)
    return Alert(
        source=source,
        dedupe_key=key,
        state=state,
        title=line(title, TITLE) or "Alert without a title",
        severity=severity.level if live else "info",
        severity_text=severity.text,
        severity_given=severity.given and live,
        description=block(description),
        service=line(service) or first(tags, SERVICE_NAMES),
        host=None if found_host is None else _PORT.sub("", found_host),
        started_at=began,
        ended_at=ended,
        occurred_at=happened,
        sent_at=instant(sent_at),
        dated_by_start=dated_by_start,
        link=next(iter(addresses.values()), None),
        labels=labels(tags),
        annotations=labels(notes, ANNOTATION),
        links=addresses,
        runbook_url=link(runbook) or _runbook(notes) or _runbook(tags),
        value=line(value, VALUE),
        image_url=link(image),
        event_id=f"{source}:{identified}" if identified else None,
        origin=line(origin, 100) or source,
        acknowledged=acknowledged,
        acknowledged_by=_address(acknowledged_by) if acknowledged else None,
        note=line(note, 1000),
    )


def _address(value: object) -> str | None:
    """The address of a person, as members are known by; of a name or a machine it is not known whose it is."""
    text = line(value, 320)
    return text.lower() if text is not None and _ADDRESS.fullmatch(text) else None


def _runbook(held: Mapping[str, object]) -> str | None:
    return next((found for name in RUNBOOK_NAMES if (found := link(held.get(name))) is not None), None)
