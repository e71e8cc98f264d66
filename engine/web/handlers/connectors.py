"""Whether the backends behind the connectors answer."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import httpx

from engine.runtime.settings import Settings
from engine.web.handlers.proxy import (
    CONNECTORS,
    Connector,
    authorization,
    client,
)
from engine.web.http import Request, Response, answer
from engine.web.parameters import parameters

PROBE_SECONDS = 2.0
REMEMBERED = timedelta(seconds=10)
_NOTHING: dict[str, Any] = {"configured": False, "reachable": False, "status": None, "latency_ms": None}
_known: dict[tuple[str, ...], tuple[datetime, dict[str, Any]]] = {}
_guard = threading.Lock()


def status(request: Request) -> Response:
    """Probe both backends at once. What was found stands for ten seconds, so that nobody can probe in our name."""
    parameters(request)
    settings = request.services.settings
    where = tuple(connector.url(settings) for connector in CONNECTORS)
    with _guard:
        known = _known.get(where)
        if known is None or not timedelta(0) <= request.now - known[0] < REMEMBERED:
            _known.clear()
            known = _known[where] = (request.now, _probed(settings, request.now))
    return answer(known[1])


def _probed(settings: Settings, now: datetime) -> dict[str, Any]:
    with ThreadPoolExecutor(len(CONNECTORS)) as pool:
        found = list(pool.map(lambda connector: _probe(settings, connector), CONNECTORS))
    return {"checked_at": now, **{connector.name: result for connector, result in zip(CONNECTORS, found, strict=True)}}


def _probe(settings: Settings, connector: Connector) -> dict[str, Any]:
    """Any answer at all means reachable; its status says the rest. The address itself is never shown."""
    base = connector.url(settings)
    if not base:
        return dict(_NOTHING)
    begun = time.perf_counter()
    try:
        with client().stream(
            "GET", base, headers=authorization(settings, connector), timeout=PROBE_SECONDS
        ) as came:  # the body is not read
            found = {**_NOTHING, "configured": True, "reachable": True, "status": came.status_code}
    except httpx.TransportError:
        found = {**_NOTHING, "configured": True}
    return {**found, "latency_ms": round(1000 * (time.perf_counter() - begun))}
