"""Which shape a body has: the first row of ``FORMATS`` whose test holds. The order matters.

A Datadog template may hold an object ``event``, Grafana extends Alertmanager's body, and our own payload is the least
particular of all.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar

from engine.intake.alerts import (
    alertmanager,
    aws_events,
    azure_monitor,
    cloudwatch,
    datadog,
    google_monitoring,
    grafana,
    grafana_panel,
    newrelic,
    normalized,
    opsgenie,
    pagerduty,
    sentry,
    trigger_events,
)
from engine.intake.alerts.alert import Alert
from engine.intake.refusals import (
    RefusedRecord,
    check_size,
    display,
    no_records,
    read_records,
    refuse_all,
    unknown_shape,
)
from engine.model.errors import BadRequest

MOST = 20_000  # unless a setting says otherwise

R = TypeVar("R")


class AlertReading(NamedTuple):
    """The alerts of a body in its order, and those that cannot be read."""

    alerts: list[Alert]
    refused: list[RefusedRecord]


class AlertFormat(NamedTuple):
    """``read`` reads the alerts of a body that ``matches``."""

    name: str
    matches: Callable[[Mapping[str, object]], bool]
    read: Callable[[Mapping[str, object], datetime], AlertReading]
    shape: str


def _format(
    name: str,
    matches: Callable[[Mapping[str, object]], bool],
    records: Callable[[Mapping[str, object]], Iterable[tuple[str, R]]],
    read: Callable[[R, datetime], Alert],
    shape: str,
) -> AlertFormat:
    """``records`` gives path and record of each alert in a body, ``read`` makes an alert of such a record."""

    def alerts(body: Mapping[str, object], received_at: datetime) -> AlertReading:
        return AlertReading(*read_records(records(body), lambda record: read(record, received_at)))

    return AlertFormat(name, matches, alerts, shape)


FORMATS = (
    _format("pagerduty", pagerduty.matches, pagerduty.records, pagerduty.read, pagerduty.SHAPE),
    _format("aws_events", aws_events.matches, aws_events.records, aws_events.read, aws_events.SHAPE),
    _format("cloudwatch", cloudwatch.matches, cloudwatch.records, cloudwatch.read, cloudwatch.SHAPE),
    _format("sentry", sentry.matches, sentry.records, sentry.read, sentry.SHAPE),
    _format("grafana", grafana.matches, grafana.records, grafana.read, grafana.SHAPE),
    _format("alertmanager", alertmanager.matches, alertmanager.records, alertmanager.read, alertmanager.SHAPE),
    _format("grafana_panel", grafana_panel.matches, grafana_panel.records, grafana_panel.read, grafana_panel.SHAPE),
    _format("newrelic", newrelic.matches, newrelic.records, newrelic.read, newrelic.SHAPE),
    _format("datadog", datadog.matches, datadog.records, datadog.read, datadog.SHAPE),
    _format("azure", azure_monitor.matches, azure_monitor.records, azure_monitor.read, azure_monitor.SHAPE),
    _format(
        "google", google_monitoring.matches, google_monitoring.records, google_monitoring.read, google_monitoring.SHAPE
    ),
    _format("opsgenie", opsgenie.matches, opsgenie.records, opsgenie.read, opsgenie.SHAPE),
    _format("zabbix", trigger_events.matches, trigger_events.records, trigger_events.read, trigger_events.SHAPE),
    _format("normalized", normalized.matches, normalized.records, normalized.read, normalized.SHAPE),
)


def read_batch(body: object, *, received_at: datetime, most: int = MOST) -> AlertReading:
    """The alerts of a parsed body, at least one of which can be read; ``received_at`` is aware.

    BadRequest with the word unknown_alert_shape or no_alerts, or with invalid_alert where all of them are bad, or one
    in a body without a list ``alerts``; TooLarge with too_many_alerts.
    """
    if not isinstance(body, dict):
        raise _unknown_shape(display(body))
    alert_format = next((one for one in FORMATS if one.matches(body)), None)
    if alert_format is None:
        raise _unknown_shape(f"an object with {_names(body)}")
    if isinstance(alerts := body.get("alerts"), list):
        check_size("alert", len(alerts), most)
    reading = alert_format.read(body, received_at)
    if reading.refused and not (reading.alerts and isinstance(alerts, list)):  # else nobody could send them alone
        raise _refuse_all(reading)
    if not reading.alerts:
        raise no_records("alert", f"of {alert_format.name}", "alerts", body.get("alerts"))
    return reading


def read_alerts(body: object, *, received_at: datetime, most: int = MOST) -> list[Alert]:
    """The same, all or none: BadRequest with the word invalid_alert where any of them is bad."""
    reading = read_batch(body, received_at=received_at, most=most)
    if reading.refused:
        raise _refuse_all(reading)
    return reading.alerts


def body_of_refused(body: object, refused: Iterable[RefusedRecord]) -> object:
    """A body with the refused alerts alone, to be read again; itself where it has no list of them."""
    alerts = body.get("alerts") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(alerts, list):
        return body
    return {**body, "alerts": [alerts[one.number] for one in refused]}


def _refuse_all(reading: AlertReading) -> BadRequest:
    count = len(reading.alerts) + len(reading.refused)
    return refuse_all(reading.refused, count, word="invalid_alert", noun="alert")


def _names(body: Mapping[str, object]) -> str:
    if not body:
        return "no fields"
    names = ", ".join(display(name) for name in list(body)[:8])
    return names if len(body) <= 8 else f"{names} and {len(body) - 8:,} more"


def _unknown_shape(found: str) -> BadRequest:
    return unknown_shape("alert", "is no alert", {one.name: one.shape for one in FORMATS}, found)
