"""Datadog webhooks: the body is a template of the account's owner, so every meaning goes by several names.

Recommended template, all variables that this module can use::

    {"id": "$ID", "title": "$EVENT_TITLE", "body": "$EVENT_MSG", "date": "$DATE", "link": "$LINK", "tags": "$TAGS",
     "hostname": "$HOSTNAME", "alert_id": "$ALERT_ID", "alert_scope": "$ALERT_SCOPE",
     "alert_transition": "$ALERT_TRANSITION", "alert_type": "$ALERT_TYPE", "alert_priority": "$ALERT_PRIORITY",
     "alert_cycle_key": "$ALERT_CYCLE_KEY", "aggregate": "$AGGREG_KEY", "alert_status": "$ALERT_STATUS",
     "snapshot": "$SNAPSHOT"}
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.alerts.datadog_title import Heading, heading
from engine.intake.keys import digest, join_key, normalise
from engine.intake.severity import WORDS, SeverityRating, severity
from engine.intake.values import fold, folded_name, line, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Datadog: a template with title, alert_transition, alert_id, alert_scope, …"

TRANSITION = ("alert_transition", "alerttransition", "transition")
MONITOR = ("monitor_id", "alert_id", "alertid")
SCOPE = ("scope", "scopes", "alert_scope")
PRIORITY = ("priority", "alert_priority", "severity")
TYPE = ("alert_type", "alerttype")
AGGREGATE = ("aggreg_key", "aggregate", "aggregation_key")
GROUPING = ("alert_cycle_key", *AGGREGATE)
LINK = ("link", "url", "event_url")
TAGS = ("tags", "event_tags")
VALUE = ("value", "alert_status")
IMAGE = ("snapshot", "image")
HOST = ("hostname", "host")
DATE = ("date", "date_posix", "last_updated")
BODY = ("text_only_msg", "body", "message", "event_msg")
# without any of these a body is no event of this monitor
TELLING = frozenset((*TRANSITION, "event_type", "body", "last_updated"))

STATES: Mapping[str, AlertState] = {
    "triggered": "firing",
    "re-triggered": "firing",
    "warn": "firing",
    "re-warn": "firing",
    "no data": "firing",
    "re-no data": "firing",
    "renotify": "firing",
    "recovered": "resolved",
}
# Without a transition: what the type of the event alone says.
BY_TYPE: Mapping[str, AlertState] = {"error": "firing", "warning": "firing", "success": "resolved", "info": "update"}
TYPE_LEVELS: Mapping[str, Severity] = {"error": "high", "warning": "medium", "info": "info"}
PRIORITY_LEVELS = {word: level for word, level in WORDS.items() if word != "ok"}

_UNREPLACED = re.compile(r"\$[A-Z][A-Z0-9_.]*(\[.*\])?")
_MONITOR_LINK = re.compile(r"/monitors[/#](\d{1,20})")


def matches(body: Mapping[str, object]) -> bool:
    names = {folded_name(name) for holder in _holders(body) for name in holder if len(name) <= 64}
    if not names & TELLING:
        return False  # most bodies that come here are no events at all
    fields = _fields(body)
    if plain(fields.get("title")) is None:
        return False
    text, kind = fields.get("body"), plain(fields.get("event_type")) or ""
    return (
        (isinstance(text, str) and text.lstrip().startswith("%%%"))
        or not names.isdisjoint(TRANSITION)  # also where an event that is of no monitor has none
        or "alert" in kind
        or (isinstance(body.get("org"), dict) and "last_updated" in fields)
    )


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    fields = _fields(body)
    title = heading(plain(fields.get("title")) or "")
    tags = _tags(_first(fields, TAGS))
    state, note = _state(fields, title)
    when = _first(fields, DATE)
    return compose(
        source="datadog",
        key=_key(fields, title),
        state=state,
        title=title.name,
        received_at=received_at,
        severity=_severity(fields, title),
        description=(plain(_first(fields, BODY)) or "").removeprefix("%%%").removesuffix("%%%").strip(),
        tags=tags,
        host=_first(fields, HOST),
        started_at=when,
        ended_at=when,
        occurred_at=when,
        links={"source": _first(fields, LINK)},
        value=_first(fields, VALUE),
        image=_first(fields, IMAGE),
        event_id=fields.get("id"),
        note=note,
    )


def _holders(body: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [holder for holder in (body, body.get("alert"), body.get("event")) if isinstance(holder, dict)]


def _fields(body: Mapping[str, object]) -> dict[str, object]:
    """The fields of the body, and below them those of its objects ``alert`` and ``event``, without what is absent."""
    fields: dict[str, object] = {}
    for holder in _holders(body):
        for name, value in fold(holder).items():
            if name not in fields and not _absent(value):
                fields[name] = value
    return fields


def _absent(value: object) -> bool:
    if isinstance(value, list | dict):
        return not value
    text = plain(value)
    return text is None or _UNREPLACED.fullmatch(text[:200]) is not None


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if name in fields), None)


def _state(fields: Mapping[str, object], title: Heading) -> tuple[AlertState, str | None]:
    for text in (plain(_first(fields, TRANSITION)), title.transition):
        if text and " ".join(text.lower().split()) in STATES:
            return STATES[" ".join(text.lower().split())], text
    kind = (plain(_first(fields, TYPE)) or "").lower()
    if kind == "info" and _monitor(fields) is None:
        return "ignored", "The event is of no monitor."
    if kind in BY_TYPE:
        return BY_TYPE[kind], f"No transition was sent; the event is of type {kind}."
    return "firing", "No transition was sent; taken as firing."


def _severity(fields: Mapping[str, object], title: Heading) -> SeverityRating:
    by_priority = severity(*(fields.get(name) for name in PRIORITY), title.priority, words=PRIORITY_LEVELS)
    by_type = severity(_first(fields, TYPE), words=TYPE_LEVELS)
    return by_type if by_type.given and not by_priority.given else by_priority


def _key(fields: Mapping[str, object], title: Heading) -> str:
    """Monitor and scope; else the sender's grouping key; else the title, which can change within an episode.

    Groups of one monitor are told apart by the aggregate where no scope is sent: one's recovery is not the other's.
    """
    scope = _scope(_first(fields, SCOPE)) or _scope(title.scope)
    monitor, aggregate = _monitor(fields), plain(_first(fields, AGGREGATE))
    if monitor and aggregate and not scope and _first(fields, SCOPE) is None:
        return join_key("datadog", monitor, scope, aggregate)
    if monitor:
        return join_key("datadog", monitor, scope)
    grouping = plain(_first(fields, GROUPING))
    if grouping:
        return join_key("datadog", "group", grouping)
    return join_key("datadog", "title", digest(normalise(title.name), scope)[:32])


def _monitor(fields: Mapping[str, object]) -> str | None:
    named = plain(_first(fields, MONITOR))
    if named and named != "0":
        return named
    for name in (*LINK, *BODY):
        text = fields.get(name)
        if isinstance(text, str) and (match := _MONITOR_LINK.search(text)):
            return match[1]
    return None


def _scope(value: object) -> str:
    """The group of a monitor as one text, whatever the order; ``*`` is the monitor as a whole."""
    parts = value if isinstance(value, list) else (plain(value) or "").split(",")
    texts = {(plain(part) or "").strip().lower() for part in parts}
    return ",".join(sorted(texts - {"", "*"}))


def _tags(value: object) -> dict[str, object]:
    """``env:prod,service:web`` by name; a name that comes twice keeps both values, a bare tag is true."""
    if isinstance(value, dict):
        return value
    parts = value if isinstance(value, list) else (plain(value) or "").split(",")
    tags: dict[str, object] = {}
    for part in parts[:500]:
        name, colon, text = (line(part, 400) or "").partition(":")
        name, text = name.strip(), text.strip() or ("" if colon else "true")
        if name and text:
            tags[name] = f"{tags[name]}, {text}" if name in tags else text
    return tags
