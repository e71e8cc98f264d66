"""Audit exports, streamed as CSV."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from engine.model.ask import Parameter
from engine.model.days import local_day
from engine.reporting.render import RENDERERS, download_name
from engine.store.queries.audit import (
    COLUMNS,
    AuditEntry,
    chat_deliveries,
    own_events,
)
from engine.web.access_log import note_access
from engine.web.http import Request, Response

if TYPE_CHECKING:
    import polars as pl

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
    return _download(
        request, "chat-deliveries", chat_deliveries(request.services.store, request.caller.org_id, since)
    )  # fmt: skip


def _since(request: Request) -> datetime | None:
    window = request.options["window"]
    return request.now - timedelta(days=DAYS[window]) if window in DAYS else None


def _download(request: Request, what: str, pages: Iterator[list[AuditEntry]]) -> Response:
    """The first page is read before anything is sent, so that a failure still has a status of its own."""
    from engine.reporting.render.csv import csv_chunks

    chunks = csv_chunks(_frame(page) for page in pages)
    first = next(chunks)
    left_with = note_access(request, "csv")
    services, org_id = request.services, request.caller.org_id
    today = local_day(request.now, services.store.time_zone(org_id))
    name = download_name(org_id, what, today, "csv")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **left_with}
    return Response(chain([first], chunks), RENDERERS["csv"].content_type, headers=headers)


def _frame(page: list[AuditEntry]) -> "pl.DataFrame":
    import polars as pl

    schema = {name: pl.Int64 if name in ("seq", "revision") else pl.String for name in COLUMNS}
    columns = zip(*page, strict=True) if page else ([] for _ in COLUMNS)
    return pl.DataFrame(dict(zip(COLUMNS, map(list, columns), strict=True)), schema=schema)
