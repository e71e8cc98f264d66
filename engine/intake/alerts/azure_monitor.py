"""Azure Monitor: the common alert schema, as a webhook of an action group posts it."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Azure Monitor: {schemaId: azureMonitorCommonAlertSchema, data: {essentials: {alertId, monitorCondition, …}}}"

SCHEMA = "azureMonitorCommonAlertSchema"
STATES: Mapping[str, AlertState] = {"fired": "firing", "resolved": "resolved"}
# Azure calls them critical, error, warning, informational and verbose
SEVERITIES: Mapping[str, Severity] = {
    "sev0": "critical",
    "sev1": "high",
    "sev2": "medium",
    "sev3": "low",
    "sev4": "info",
}


def matches(body: Mapping[str, object]) -> bool:
    return body.get("schemaId") == SCHEMA


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    data = mapping(body.get("data"))
    essentials = mapping(data.get("essentials"))
    identity = plain(essentials.get("alertId")) or plain(essentials.get("originAlertId"))
    if identity is None:
        raise MalformedRecord("data.essentials.alertId", "the identifier of the alert", essentials.get("alertId"))
    word = (plain(essentials.get("monitorCondition")) or "").lower()
    if word not in STATES:
        condition = essentials.get("monitorCondition")
        raise MalformedRecord("data.essentials.monitorCondition", "Fired or Resolved", condition)
    state = STATES[word]
    items = [text for one in as_list(essentials.get("configurationItems")) if (text := plain(one))]
    custom = mapping(data.get("customProperties"))
    return compose(
        source="azure",
        key=join_key("azure", identity.rpartition("/")[2]),
        state=state,
        title=essentials.get("alertRule") or f"Alert {identity}",
        received_at=received_at,
        severity=severity(essentials.get("severity"), words=SEVERITIES),
        description=essentials.get("description"),
        tags={
            "monitoring_service": essentials.get("monitoringService"),
            "signal_type": essentials.get("signalType"),
            "resource": ", ".join(items) or None,
            **custom,
        },
        host=items[0] if len(items) == 1 else None,
        started_at=essentials.get("firedDateTime"),
        ended_at=essentials.get("resolvedDateTime"),
        occurred_at=essentials.get("resolvedDateTime" if state == "resolved" else "firedDateTime"),
        links={"source": essentials.get("investigationLink")},
    )
