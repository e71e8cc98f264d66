"""Which shape a body has: the first row of ``FORMATS`` whose test holds. The order matters.

A Datadog template may hold an object ``event``, Grafana extends Alertmanager's body, and our own payload is the least
particular of all.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from engine.intake.alerts import (
    alertmanager,
    cloudwatch,
    datadog,
    grafana,
    grafana_panel,
    normalized,
    pagerduty,
)
from engine.intake.alerts.alert import Alert
from engine.intake.refusals import display, read_each
from engine.model.errors import BadRequest

MOST = 1000


class AlertFormat(NamedTuple):
    """``records`` gives path and record of each alert in a body; ``read`` makes an alert of one, or Malformed."""

    name: str
    matches: Callable[[Mapping[str, Any]], bool]
    records: Callable[[Mapping[str, Any]], Iterable[tuple[str, Any]]]
    read: Callable[[Any, datetime], Alert]
    shape: str


FORMATS = (
    AlertFormat("pagerduty", pagerduty.matches, pagerduty.records, pagerduty.read, pagerduty.SHAPE),
    AlertFormat("cloudwatch", cloudwatch.matches, cloudwatch.records, cloudwatch.read, cloudwatch.SHAPE),
    AlertFormat("grafana", grafana.matches, grafana.records, grafana.read, grafana.SHAPE),
    AlertFormat("alertmanager", alertmanager.matches, alertmanager.records, alertmanager.read, alertmanager.SHAPE),
    AlertFormat("grafana_panel", grafana_panel.matches, grafana_panel.records, grafana_panel.read, grafana_panel.SHAPE),
    AlertFormat("datadog", datadog.matches, datadog.records, datadog.read, datadog.SHAPE),
    AlertFormat("normalized", normalized.matches, normalized.records, normalized.read, normalized.SHAPE),
)


def read_alerts(body: Any, *, received_at: datetime) -> list[Alert]:
    """The alerts of a parsed body in its order, all or none; ``received_at`` is aware.

    BadRequest with the word unknown_alert_shape, invalid_alert or too_many_alerts.
    """
    if not isinstance(body, dict):
        raise _unknown(display(body))
    found = next((one for one in FORMATS if one.matches(body)), None)
    if found is None:
        raise _unknown(f"an object with {_names(body)}")
    if isinstance(alerts := body.get("alerts"), list) and len(alerts) > MOST:
        raise BadRequest(
            f"A body may hold at most {MOST:,} alerts; got {len(alerts):,}. Send them in several.",
            word="too_many_alerts",
            details=[{"field": "alerts", "expected": f"at most {MOST}", "found": str(len(alerts))}],
        )
    read = found.read
    return read_each(found.records(body), lambda one: read(one, received_at), word="invalid_alert", noun="alert")


def _names(body: Mapping[str, Any]) -> str:
    if not body:
        return "no fields"
    names = ", ".join(display(name) for name in list(body)[:8])
    return names if len(body) <= 8 else f"{names} and {len(body) - 8:,} more"


def _unknown(found: str) -> BadRequest:
    return BadRequest(
        f"The body is no alert that is known here. Known are: {'; '.join(one.shape for one in FORMATS)}. Got {found}.",
        word="unknown_alert_shape",
        details=[{"shape": one.name, "expected": one.shape} for one in FORMATS],
    )
