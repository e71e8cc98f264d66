"""Whether the backends behind the connectors answer."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import httpx

from engine.runtime.settings import Settings
from engine.web.answers.health import ConnectorProbe, ConnectorStatus
from engine.web.handlers.proxy import CONNECTORS, Connector, authorization, client
from engine.web.http import Request, Response, answer

PROBE_SECONDS = 2.0
REMEMBERED = timedelta(seconds=10)
_NOTHING = ConnectorProbe(configured=False, reachable=False, status=None, latency_ms=None)
_known: dict[tuple[str, ...], tuple[datetime, ConnectorStatus]] = {}
_guard = threading.Lock()


def status(request: Request) -> Response:
    """Whether the two backends answer.

    Both are probed at once; what was found stands for ten seconds, so that nobody can probe in our name.
    """
    settings = request.services.settings
    where = tuple(connector.url(settings) for connector in CONNECTORS)
    with _guard:
        known = _known.get(where)
        if known is None or not timedelta(0) <= request.now - known[0] < REMEMBERED:
            _known.clear()
            known = _known[where] = (request.now, _status(settings, request.now))
    return answer(known[1])


def _status(settings: Settings, now: datetime) -> ConnectorStatus:
    with ThreadPoolExecutor(len(CONNECTORS)) as pool:
        reasoning, robot = pool.map(lambda connector: _probe(settings, connector), CONNECTORS)
    return ConnectorStatus(checked_at=now, reasoning=reasoning, robot=robot)


def _probe(settings: Settings, connector: Connector) -> ConnectorProbe:
    """Whatever is answered means reachable; its status says the rest. The address itself is never shown."""
    base = connector.url(settings)
    if not base:
        return _NOTHING
    begun = time.perf_counter()
    try:
        with client().stream(
            "GET", base, headers=authorization(settings, connector), timeout=PROBE_SECONDS
        ) as came:  # the body is not read
            answered: int | None = came.status_code
    except httpx.TransportError:
        answered = None
    taken = round(1000 * (time.perf_counter() - begun))
    return ConnectorProbe(configured=True, reachable=answered is not None, status=answered, latency_ms=taken)
