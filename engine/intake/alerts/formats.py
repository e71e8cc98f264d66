"""Which shape a body has: the first row of ``FORMATS`` whose test holds. The order matters.

A Datadog template may hold an object ``event``, Grafana extends Alertmanager's body, and our own payload is the least
particular of all.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar

from engine.intake.alerts import (
    alertmanager,
    cloudwatch,
    datadog,
    grafana,
    grafana_panel,
    newrelic,
    normalized,
    pagerduty,
    sentry,
)
from engine.intake.alerts.alert import Alert
from engine.intake.refusals import check_size, display, no_records, read_each, unknown_shape
from engine.model.errors import BadRequest

MOST = 20_000  # unless a setting says otherwise

R = TypeVar("R")


class AlertFormat(NamedTuple):
    """``alerts`` reads all alerts of a body that ``matches``; BadRequest where one of them cannot be read."""

    name: str
    matches: Callable[[Mapping[str, object]], bool]
    alerts: Callable[[Mapping[str, object], datetime], list[Alert]]
    shape: str


def _format(
    name: str,
    matches: Callable[[Mapping[str, object]], bool],
    records: Callable[[Mapping[str, object]], Iterable[tuple[str, R]]],
    read: Callable[[R, datetime], Alert],
    shape: str,
) -> AlertFormat:
    """``records`` gives path and record of each alert in a body, ``read`` makes an alert of such a record."""

    def alerts(body: Mapping[str, object], received_at: datetime) -> list[Alert]:
        return read_each(records(body), lambda record: read(record, received_at), word="invalid_alert", noun="alert")

    return AlertFormat(name, matches, alerts, shape)


FORMATS = (
    _format("pagerduty", pagerduty.matches, pagerduty.records, pagerduty.read, pagerduty.SHAPE),
    _format("cloudwatch", cloudwatch.matches, cloudwatch.records, cloudwatch.read, cloudwatch.SHAPE),
    _format("sentry", sentry.matches, sentry.records, sentry.read, sentry.SHAPE),
    _format("grafana", grafana.matches, grafana.records, grafana.read, grafana.SHAPE),
    _format("alertmanager", alertmanager.matches, alertmanager.records, alertmanager.read, alertmanager.SHAPE),
    _format("grafana_panel", grafana_panel.matches, grafana_panel.records, grafana_panel.read, grafana_panel.SHAPE),
    _format("newrelic", newrelic.matches, newrelic.records, newrelic.read, newrelic.SHAPE),
    _format("datadog", datadog.matches, datadog.records, datadog.read, datadog.SHAPE),
    _format("normalized", normalized.matches, normalized.records, normalized.read, normalized.SHAPE),
)


def read_alerts(body: object, *, received_at: datetime, most: int = MOST) -> list[Alert]:
    """The alerts of a parsed body in its order, all or none and at least one; ``received_at`` is aware.

    BadRequest with the word unknown_alert_shape, no_alerts or invalid_alert; TooLarge with too_many_alerts.
    """
    if not isinstance(body, dict):
        raise _unknown_shape(display(body))
    found = next((one for one in FORMATS if one.matches(body)), None)
    if found is None:
        raise _unknown_shape(f"an object with {_names(body)}")
    if isinstance(alerts := body.get("alerts"), list):
        check_size("alert", len(alerts), most)
    read = found.alerts(body, received_at)
    if not read:
        raise no_records("alert", f"of {found.name}", "alerts", body.get("alerts"))
    return read


def _names(body: Mapping[str, object]) -> str:
    if not body:
        return "no fields"
    names = ", ".join(display(name) for name in list(body)[:8])
    return names if len(body) <= 8 else f"{names} and {len(body) - 8:,} more"


def _unknown_shape(found: str) -> BadRequest:
    return unknown_shape("alert", "is no alert", {one.name: one.shape for one in FORMATS}, found)
