"""Zabbix: an event of a trigger, as its real-time export and our media type send it.

``value`` is 1 for a problem and 0 for its recovery, whose ``p_eventid`` names the problem.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Zabbix: {eventid, value: 1|0, clock, name?, severity?, hosts?, tags?, p_eventid?} of its real-time export"

STATES: Mapping[str, AlertState] = {"1": "firing", "0": "resolved"}
# not classified, information, warning, average, high, disaster: 5 is the worst here
SEVERITIES: Mapping[str, Severity] = {"0": "info", "1": "info", "2": "low", "3": "medium", "4": "high", "5": "critical"}


def matches(body: Mapping[str, object]) -> bool:
    return "eventid" in body and "value" in body and ("clock" in body or "p_eventid" in body)


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(event: Mapping[str, object], received_at: datetime) -> Alert:
    word = plain(event.get("value"))
    if word is None or word not in STATES:
        raise MalformedRecord("value", "1 for a problem or 0 for its recovery", event.get("value"))
    state = STATES[word]
    problem = plain(event.get("p_eventid")) if state == "resolved" else None
    identity = problem or plain(event.get("eventid"))
    if identity is None:
        raise MalformedRecord("eventid", "the number of the event", event.get("eventid"))
    hosts = [mapping(one) for one in as_list(event.get("hosts"))]
    tags = {
        name: one.get("value")
        for one in map(mapping, as_list(event.get("tags")))
        if (name := plain(one.get("tag"))) is not None
    }
    groups = ", ".join(text for one in as_list(event.get("groups")) if (text := plain(one)))
    return compose(
        source="zabbix",
        key=join_key("zabbix", identity),
        state=state,
        title=event.get("name") or f"Problem {identity}",
        received_at=received_at,
        severity=severity(event.get("severity"), words=SEVERITIES),
        description=event.get("opdata"),
        tags={"groups": groups or None, **tags},
        host=hosts[0].get("host") or hosts[0].get("name") if len(hosts) == 1 else None,
        started_at=event.get("clock") if state == "firing" else None,
        ended_at=event.get("clock"),
        occurred_at=event.get("clock"),
        links={"source": event.get("url")},
    )
