"""Azure Monitor: the common alert schema, as a webhook of an action group posts it.

Alerts about the health of Azure and of a resource fire for each news of it and are never resolved: their context says
what the news is of, by which they are one problem, and whether it is over.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, severity
from engine.intake.times import instant
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
SERVICE_HEALTH, RESOURCE_HEALTH = "servicehealth", "resource health"
OVER = ("resolved", "complete", "canceled", "rca")  # stages of news about Azure
SERIOUS = ("incident", "security")  # all of them come as Sev4


class AzureNews(NamedTuple):
    """What news of somebody's health is of, and what it says."""

    key: str
    state: AlertState
    title: object = None
    description: object = None
    began: object = None
    ended: object = None
    serious: bool = False


def matches(body: Mapping[str, object]) -> bool:
    return body.get("schemaId") == SCHEMA


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    data = mapping(body.get("data"))
    essentials, context = mapping(data.get("essentials")), mapping(data.get("alertContext"))
    identity = plain(essentials.get("alertId")) or plain(essentials.get("originAlertId"))
    if identity is None:
        raise MalformedRecord("data.essentials.alertId", "the identifier of the alert", essentials.get("alertId"))
    word = (plain(essentials.get("monitorCondition")) or "").lower()
    if word not in STATES:
        condition = essentials.get("monitorCondition")
        raise MalformedRecord("data.essentials.monitorCondition", "Fired or Resolved", condition)
    alert, fired = identity.rpartition("/")[2], essentials.get("firedDateTime")
    news = _news(essentials, context) or AzureNews(alert, STATES[word])
    ended = essentials.get("resolvedDateTime") or news.ended or (fired if news.title else None)
    items = [text for one in as_list(essentials.get("configurationItems")) if (text := plain(one))]
    criterion = mapping(next(iter(as_list(mapping(context.get("condition")).get("allOf"))), None))
    rated = severity(essentials.get("severity"), words=SEVERITIES)
    return compose(
        source="azure",
        key=join_key("azure", news.key),
        state=news.state,
        title=news.title or essentials.get("alertRule") or f"Alert {identity}",
        received_at=received_at,
        severity=SeverityRating("high", rated.text, True) if news.serious else rated,
        description=essentials.get("description") or news.description,
        tags={
            "monitoring_service": essentials.get("monitoringService"),
            "signal_type": essentials.get("signalType"),
            "resource": ", ".join(items) or None,
            "metric": criterion.get("metricName"),
            **mapping(data.get("customProperties")),
        },
        host=items[0] if len(items) == 1 else None,
        started_at=news.began if _before(news.began, fired) else fired,
        ended_at=ended,
        occurred_at=ended if news.state == "resolved" else fired,
        links={
            "source": essentials.get("investigationLink"),
            "results": criterion.get("linkToFilteredSearchResultsUI"),
        },
        value=criterion.get("metricValue"),
        event_id=f"{alert}/{word}/{moment}" if (moment := plain(fired)) else None,
    )


def _news(essentials: Mapping[str, object], context: Mapping[str, object]) -> AzureNews | None:
    """News about Azure by its tracking number, about a resource by the resource; None for any other alert."""
    about = mapping(context.get("properties"))
    service = (plain(essentials.get("monitoringService")) or "").lower()
    tracking = plain(about.get("trackingId"))
    if service == SERVICE_HEALTH and tracking is not None:
        state: AlertState = "resolved" if (plain(about.get("stage")) or "").lower() in OVER else "firing"
        kind = (plain(about.get("incidentType")) or "").lower()
        title = about.get("title") or about.get("defaultLanguageTitle") or tracking
        said = about.get("defaultLanguageContent") or about.get("communication")
        times = (about.get("impactStartTime"), about.get("impactMitigationTime"))
        return AzureNews(tracking, state, title, said, *times, serious=kind in SERIOUS)
    resource = plain(next(iter(as_list(essentials.get("alertTargetIDs"))), None))
    health = (plain(about.get("currentHealthStatus")) or "").lower()
    if service == RESOURCE_HEALTH and resource is not None and health:
        state = "resolved" if health == "available" else "firing"
        return AzureNews(f"health {resource.lower()}", state, about.get("title") or resource, about.get("details"))
    return None


def _before(left: object, right: object) -> bool:
    """Whether a problem had begun when it was told: maintenance is told weeks ahead."""
    began, moment = instant(left), instant(right)
    return began is not None and moment is not None and began <= moment
