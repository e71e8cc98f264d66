"""The doors of monitors and scanners."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import Annotated

import msgspec

from engine.incidents.alerts.alerts import AlertResult
from engine.incidents.alerts.bodies import IngestDoor
from engine.incidents.alerts.ingest import AlertDelivery, receive_findings
from engine.intake.findings.batch import COMPLETE, FORCED, is_complete_scan
from engine.intake.findings.documents import CSV_TYPES, JSON_TYPES, XML_TYPES
from engine.intake.payloads import InboundBody
from engine.intake.values import line
from engine.model.declarations.ask import Parameter
from engine.model.errors import Forbidden, Problem
from engine.model.vocabulary import IngestRoute
from engine.store.writing.credentials import credentials_of
from engine.web.admission.alert_signatures import check_alert
from engine.web.admission.credentials import confirm
from engine.web.bodies import RawBody
from engine.web.http import PendingWrite, Request, Response, answer

Text = Annotated[str, msgspec.Meta(max_length=4000)]


class NormalizedAlert(msgspec.Struct):
    """Our own payload, for everything that is not a monitor we know."""

    title: str
    status: Text = "firing"
    severity: Text | int | None = None
    dedupe_key: Text | None = None
    service: Text | None = None
    source: Text | None = None
    host: Text | None = None
    description: str | None = None
    started_at: datetime | int | None = None
    ended_at: datetime | int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    link: Text | None = None
    runbook_url: Text | None = None
    image_url: Text | None = None
    value: Text | None = None
    event_id: Text | None = None


class AlertBatch(msgspec.Struct):
    """Several alerts: ours, or those of Alertmanager and Grafana."""

    alerts: list[dict[str, object]]


class MonitorPayload(msgspec.Struct):
    """What Alertmanager, Grafana, Datadog, PagerDuty, CloudWatch, New Relic and Sentry send."""


class GenericFinding(msgspec.Struct):
    """A finding of a scanner that is not known here."""

    finding_id: Text
    host: Text
    title: str | None = None
    severity: Text | None = None
    cve: Text | None = None
    cvss: Annotated[float, msgspec.Meta(ge=0, le=10)] | None = None
    status: Text | None = None
    service: Text | None = None


class ScannerPayload(msgspec.Struct):
    """What Qualys (QID and host) and Tenable (plugin and asset) and their connectors send, SARIF, and CycloneDX."""


ALERT_BODIES = (NormalizedAlert, AlertBatch, MonitorPayload)
FINDING_BODIES = RawBody(
    (GenericFinding, ScannerPayload, list[GenericFinding], list[ScannerPayload]),
    media_types=(*JSON_TYPES, *XML_TYPES, *CSV_TYPES),
    texts=(*XML_TYPES, *CSV_TYPES),
)
SIGNATURE = Parameter("X-Svc-Signature", None, "t=<seconds>,v1=<hex HMAC-SHA256 of t.body>, where a secret is set")
SOURCE = Parameter("X-Svc-Vuln-Source", None, "whose findings these are", choices=tuple(FORCED))
SCANNED_ALL = Parameter(COMPLETE, None, "whether the body is a complete scan of its hosts: what it lacks is fixed")
SCANNED = Parameter("X-Svc-Vuln-Hosts", None, "hosts that a complete scan looked at, separated by commas")
log = logging.getLogger("hq.web")


def alerts(request: Request) -> PendingWrite[list[AlertResult]]:
    """POST /api/integrations/alerts: takes alerts of any known format: incidents open, repeat, resolve."""
    settings = request.services.settings
    check_alert(settings.alert_webhook_signing_secret, request.headers, request.body, now=request.now)
    plans = settings.alert_ingest_plans
    if plans and (plan := request.services.store.plan(request.caller.org_id)) not in plans:
        raise Forbidden(
            f"Alert ingest is part of the plans {', '.join(plans)}; the plan here is {plan}.", word="plan_required"
        )
    inbound = _inbound(request, "alerts")
    door = _door(request)
    delivery = AlertDelivery(door, inbound)

    def respond(results: list[AlertResult]) -> Response:
        _note_use(request)
        return answer(delivery.summary(results))

    return PendingWrite(delivery.last_write(), respond)


def vulnerabilities(request: Request) -> Response:
    """POST /api/integrations/vulnerabilities: takes findings or a file of a scanner; severe ones open incidents."""
    headers = request.headers
    inbound = replace(
        _inbound(request, "vulnerabilities"),
        complete=is_complete_scan(COMPLETE, headers.get(COMPLETE.lower())),
        hosts=tuple(name for part in headers.get(SCANNED.name.lower(), "").split(",") if (name := line(part))),
    )
    received = receive_findings(_door(request), inbound)
    _note_use(request)
    return answer(received)


def _inbound(request: Request, route: IngestRoute) -> InboundBody:
    """The body with what is kept beside it."""
    return InboundBody(
        route=route,
        body=request.body,
        received_at=request.now,
        actor=f"token:{request.caller.actor}",
        workspace_id=request.caller.workspace_id,
        content_type=request.headers.get("content-type"),
        content_encoding=request.headers.get("content-encoding"),
        vendor=request.headers.get(SOURCE.name.lower()),
    )


def _door(request: Request) -> IngestDoor:
    """The token's organization; every write needs a token that is live in its own transaction."""
    caller, services = request.caller, request.services
    return IngestDoor(
        store=services.store,
        org_id=caller.org_id,
        now=request.now,
        most_alerts=services.settings.ingest_max_alerts,
        most_findings=services.settings.ingest_max_findings,
        most_unread=services.settings.ingest_max_dead_letters,
        most_unread_bytes=services.settings.ingest_max_dead_letter_bytes,
        clock_skew=services.settings.clock_skew_span,
        confirm=lambda revision: confirm(revision, caller.secret_sha256, "ingest"),
        together=services.settings.finding_incidents == "high",
        prefetch=((credentials_of, [caller.secret_sha256]),),
    )


def _note_use(request: Request) -> None:
    caller = request.caller
    try:
        request.services.store.uses.note(caller.org_id, str(caller.credential_id), request.now)
    except Problem as problem:  # what was written is acknowledged, whether or not the use can be counted now
        log.warning("request %s: the use of the token was not noted: %s", request.id, problem.message)
