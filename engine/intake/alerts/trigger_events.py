"""Zabbix: events of triggers, as its real-time export has them, a line each, and our media type sends them.

``value`` is 1 for a problem and 0 for its recovery, whose ``p_eventid`` names the problem.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, mapping, number, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = (
    "Zabbix: {eventid, value: 1|0, clock, name?, severity?, hosts?, tags?, p_eventid?} of its export, or lines of it"
)

STATES: Mapping[str, AlertState] = {"1": "firing", "0": "resolved"}
# information, warning, average, high, disaster: 5 is the worst here; 0 is "not classified", which nobody rated
SEVERITIES: Mapping[str, Severity] = {"1": "info", "2": "low", "3": "medium", "4": "high", "5": "critical"}


def matches(body: Mapping[str, object]) -> bool:
    one = mapping(next(iter(as_list(body["alerts"])), None)) if "alerts" in body else body
    return "eventid" in one and "value" in one and ("clock" in one or "p_eventid" in one)


def records(body: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    if "alerts" not in body:
        yield "", body
        return
    for index, event in enumerate(as_list(body["alerts"])):
        yield f"alerts[{index}]", event


def read(event: object, received_at: datetime) -> Alert:
    if not isinstance(event, dict):
        raise MalformedRecord("", "an event of a trigger", event)
    word = plain(event.get("value"))
    if word is None or word not in STATES:
        raise MalformedRecord("value", "1 for a problem or 0 for its recovery", event.get("value"))
    state = STATES[word]
    problem = plain(event.get("p_eventid")) if state == "resolved" else None
    identity = problem or plain(event.get("eventid"))
    if identity is None:
        raise MalformedRecord("eventid", "the number of the event", event.get("eventid"))
    hosts = [_host(one) for one in as_list(event.get("hosts"))]
    moment = _moment(event)
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
        host=hosts[0] if len(hosts) == 1 else None,
        started_at=moment if state == "firing" else None,
        ended_at=moment,
        occurred_at=moment,
        links={"source": event.get("url")},
        event_id=f"{identity}/{word}/{plain(event.get('eventid'))}",
    )


def _host(one: object) -> object:
    """Its name: before Zabbix 5.0 the export had nothing else of a host."""
    return mapping(one).get("host") or mapping(one).get("name") if isinstance(one, dict) else one


def _moment(event: Mapping[str, object]) -> object:
    """The seconds with their nanoseconds, by which a problem and its recovery within one second have an order."""
    seconds, part = number(event.get("clock")), number(event.get("ns"))
    return event.get("clock") if seconds is None or part is None or not 0 <= part < 1e9 else seconds + part / 1e9
