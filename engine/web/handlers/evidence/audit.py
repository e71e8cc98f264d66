"""Audit exports, streamed as CSV."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import chain

from engine.model.days import local_day
from engine.model.declarations.ask import Parameter
from engine.render import RENDERERS, download_name
from engine.render.tables.csv_cells import joined_chunks
from engine.store.queries.history.audit import COLUMNS
from engine.store.queries.history.audit_text import JoinedEvents, chat_deliveries, own_events
from engine.web.admission.access_log import note_access
from engine.web.http import Request, Response

DAYS = {"24h": 1, "7d": 7, "30d": 30}
WINDOW = Parameter("window", "all", "how far back events are exported", choices=(*DAYS, "all"))


def own_export(request: Request) -> Response:
    """GET /api/audit/export: what the caller did, with the chain hash before and at each event."""
    since = _since(request)
    caller = request.caller
    return _download(request, "audit-log", own_events(request.services.store, caller.org_id, caller.actor, since))


def chat_export(request: Request) -> Response:
    """GET /api/audit/slack-events/export: what was delivered, or failed to be, over the chat service."""
    since = _since(request)
    return _download(request, "chat-deliveries", chat_deliveries(request.services.store, request.caller.org_id, since))


def _since(request: Request) -> datetime | None:
    window = request.options["window"]
    return request.now - timedelta(days=DAYS[window]) if window in DAYS else None


def _download(request: Request, what: str, pages: Iterator[JoinedEvents]) -> Response:
    """The first page is read before anything is sent, so that a failure still has a status of its own."""
    chunks = joined_chunks(COLUMNS, _prefetch(pages))
    first = next(chunks)
    left_with = note_access(request, "csv")
    services, org_id = request.services, request.caller.org_id
    today = local_day(request.now, services.store.time_zone(org_id))
    name = download_name(org_id, what, today, "csv")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **left_with}
    return Response(chain([first], chunks), RENDERERS["csv"].content_type, headers=headers)


def _prefetch(pages: Iterator[JoinedEvents]) -> Iterator[JoinedEvents]:
    """The next page is read while the one before is written."""
    with ThreadPoolExecutor(1, "export") as thread:
        coming = thread.submit(next, pages, None)
        while (page := coming.result()) is not None:
            coming = thread.submit(next, pages, None)
            yield page
