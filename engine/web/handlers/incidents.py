"""Incidents: the file, the evidence pack, the review, and the root-cause analysis."""

import re

from engine.incidents.review.evidence import evidence_pack
from engine.incidents.review.export import export as exported
from engine.incidents.review.records import IncidentRecord, read_incident
from engine.incidents.review.review import review as reviewed
from engine.incidents.rootcause.analysis import explain, keep, latest
from engine.model.days import local_day
from engine.web.admission.access_log import note_access
from engine.web.bodies import AnyObject
from engine.web.http import Request, Response, answer

MARKDOWN = "text/markdown; charset=utf-8"


def export(request: Request) -> Response:
    """GET /api/incidents/{id}/export: one incident as a Markdown file, in the organization's time zone."""
    return _download(request, exported(_record(request)), "")


def review(request: Request) -> Response:
    """GET /api/incidents/{id}/review: the post-incident review as a Markdown file, in the organization's time zone."""
    record = _record(request)
    as_of = local_day(request.now, record.organization.time_zone)
    return _download(request, reviewed(record, as_of), "-review")


def evidence(request: Request) -> Response:
    """GET /api/incidents/{id}/evidence: everything about an incident with its place in the audit chain."""
    pack = evidence_pack(_record(request))
    return answer(pack, headers=note_access(request, "json"))


def run_rca(request: Request, _: AnyObject) -> Response:
    """POST /api/incidents/{id}/rca/run: runs a root-cause analysis and keeps it.

    What it looks at is read before the writer's turn: it may take a while.
    """
    caller, store = request.caller, request.services.store
    with store.reader() as connection:
        analysis = explain(connection, caller.org_id, request.arguments["id"], request.now)
    run = store.write(caller.org_id, caller.actor, lambda revision: keep(revision, analysis), now=request.now)
    return answer(run, status=201)


def latest_rca(request: Request) -> Response:
    """GET /api/incidents/{id}/rca/latest: the root-cause analysis that was kept last."""
    with request.services.store.reader() as connection:
        return answer(latest(connection, request.caller.org_id, request.arguments["id"]))


def _record(request: Request) -> IncidentRecord:
    with request.services.store.reader() as connection:
        return read_incident(connection, request.caller.org_id, request.arguments["id"])


def _download(request: Request, content: bytes, what: str) -> Response:
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", request.arguments["id"]).strip("-.") or "incident"
    headers = {"Content-Disposition": f'attachment; filename="{name}{what}.md"', **note_access(request, "md")}
    return Response(content, MARKDOWN, headers=headers)
