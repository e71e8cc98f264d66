"""The doors of monitors and scanners."""

import hmac
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Literal, TypeVar

import msgspec

from engine.incidents.alerts import AlertResult, ingest_alerts, prefetch_keys
from engine.incidents.findings import ingest_findings
from engine.intake.alerts import read_alerts
from engine.intake.findings import parse_document, read_findings
from engine.intake.findings.batch import FORCED
from engine.intake.findings.documents import CSV_TYPES, JSON_TYPES, XML_TYPES
from engine.model.ask import Parameter
from engine.model.errors import (
    Forbidden,
    Problem,
    Unauthorized,
)
from engine.store import Ahead, Revision
from engine.store.credentials import credentials_of
from engine.web.bodies import RawBody, json_value
from engine.web.credentials import confirm
from engine.web.http import Request, Response, answer

Text = Annotated[str, msgspec.Meta(max_length=4000)]


class NormalizedAlert(msgspec.Struct):
    """Our own payload, for everything that is not a monitor we know."""

    title: str
    status: Literal["firing", "resolved"]
    severity: Text | None = None
    dedupe_key: Text | None = None
    service: Text | None = None
    source: Text | None = None
    host: Text | None = None
    description: str | None = None
    started_at: datetime | int | None = None
    ended_at: datetime | int | None = None
    labels: dict[str, str] | None = None
    link: Text | None = None
    event_id: Text | None = None


class AlertBatch(msgspec.Struct):
    """Several alerts: ours, or those of Alertmanager and Grafana."""

    alerts: list[dict[str, object]]


class MonitorPayload(msgspec.Struct):
    """What Alertmanager, Grafana, Datadog, PagerDuty and CloudWatch send."""


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
WINDOW_SECONDS = 300
log = logging.getLogger("hq.web")
T = TypeVar("T")


def alerts(request: Request) -> Response:
    """POST /api/integrations/alerts: takes alerts of any known format: incidents open, repeat, resolve."""
    _check_signature(request)
    _check_plan(request)
    found = read_alerts(json_value(request.body), received_at=request.now)
    workspace = request.caller.workspace_id
    results = _write(
        request, lambda revision: ingest_alerts(revision, found, workspace_id=workspace), prefetch_keys(found)
    )  # fmt: skip
    return answer({"received": len(results), **_counts(results), "results": results})


def vulnerabilities(request: Request) -> Response:
    """POST /api/integrations/vulnerabilities: takes findings or a file of a scanner; severe ones open incidents."""
    batch = read_findings(
        parse_document(request.body, request.headers.get("content-type")),
        source_header=request.headers.get(SOURCE.name.lower()),
        received_at=request.now,
    )
    workspace = request.caller.workspace_id
    return answer(_write(request, lambda revision: ingest_findings(revision, batch, workspace_id=workspace)))


def _write(request: Request, ingest: Callable[[Revision], T], ahead: Ahead = ()) -> T:
    """What ``ingest`` makes of the body, written for the token's organization and with a token that is live then."""
    caller, store = request.caller, request.services.store

    def change(revision: Revision) -> T:
        confirm(revision, caller.secret_sha256, "ingest")
        return ingest(revision)

    token = (credentials_of, [caller.secret_sha256])
    written = store.write(caller.org_id, f"token:{caller.actor}", change, now=request.now, ahead=(token, *ahead))
    try:
        store.uses.note(caller.org_id, str(caller.credential_id), request.now)
    except Problem as problem:  # what was written is acknowledged, whether or not the use can be counted now
        log.warning("request %s: the use of the token was not noted: %s", request.id, problem.message)
    return written


def _counts(results: Sequence[AlertResult]) -> dict[str, int]:
    counts = dict.fromkeys(("created", "deduplicated", "reopened", "resolved", "updated"), 0)
    for result in results:
        if result["outcome"] in counts:
            counts[result["outcome"]] += 1
    return counts


def _check_signature(request: Request) -> None:
    """``X-Svc-Signature: t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">``, where secrets are configured.

    Several ``v1`` may be given and several secrets configured, so that a secret can be rotated without a gap.
    """
    secrets = request.services.settings.alert_webhook_signing_secret
    if not secrets:
        return
    parts = [part.strip().partition("=") for part in request.headers.get(SIGNATURE.name.lower(), "").split(",")]
    stamps = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1" and value.isascii()]
    refused = Unauthorized(
        "The signature of the alert is missing, wrong or too old: X-Svc-Signature must be t=…,v1=… over the raw body.",
        word="invalid_signature",
    )
    if len(stamps) != 1 or not (stamps[0].isascii() and stamps[0].isdigit()) or len(stamps[0]) > 12:
        raise refused
    if abs(request.now.timestamp() - int(stamps[0])) > WINDOW_SECONDS:
        raise refused
    signed = stamps[0].encode() + b"." + request.body
    right = [hmac.new(secret.encode(), signed, sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in right for other in given):
        raise refused


def _check_plan(request: Request) -> None:
    """Alert ingest may be kept for some plans by SVC_ALERT_INGEST_PLANS."""
    plans = request.services.settings.alert_ingest_plans
    if not plans:
        return
    plan = request.services.store.plan(request.caller.org_id)
    if plan not in plans:
        raise Forbidden(
            f"Alert ingest is part of the plans {', '.join(plans)}; the plan here is {plan}.", word="plan_required"
        )
