"""Clients that write everything there is to write and remember what was acknowledged; afterwards it is looked for."""

import contextlib
import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select

from engine.store import Store
from engine.store.schema import metadata
from tests.soak.console import ORG, Console
from tests.web import attacks

HEALTH_EVERY = 0.05


@dataclass
class Ledger:
    """What clients did: keys of acknowledged writes by kind, statuses, and how long health took in seconds."""

    acknowledged: dict[str, set[str]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    unavailable_without: int = 0  # 503 that did not say Retry-After
    faults: list[str] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)
    last_success: float = 0.0

    def note(self, kind: str, key: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """One answer."""
        with self.guard:
            self.statuses[status] += 1
            if status < 300:
                self.acknowledged.setdefault(kind, set()).add(key)
                self.last_success = time.monotonic()
            elif status == 503:
                self.unavailable_without += "retry-after" not in headers
            elif status >= 500:
                self.faults.append(f"{kind}: {status} {body[:200].decode(errors='replace')}")

    @property
    def count(self) -> int:
        """How many writes were acknowledged."""
        return sum(len(keys) for keys in self.acknowledged.values())


Body = tuple[str, str, dict[str, Any]]  # any JSON


def _alert(key: str) -> Body:
    return "POST", "/api/integrations/alerts", {"title": f"soak {key}", "dedupe_key": key, "severity": "low"}


def _resolve(key: str) -> Body:
    method, path, body = _alert(key)
    return method, path, {**body, "status": "resolved"}


def _finding(key: str) -> Body:
    finding = {"finding_id": key, "host": "web-1", "severity": "critical", "title": key}
    return "POST", "/api/integrations/vulnerabilities", finding


def _vendor(key: str) -> Body:
    about = {"stores_customer_data": True, "privileged_access": False, "outage_stops_service": True}
    return (
        "POST",
        "/api/governance/third-party/vendors",
        {"name": key, "category": "cloud", "service": "hosting", **about},
    )


def _deploy(key: str) -> Body:
    return "POST", "/api/integrations/deploy-events", {"id": key, "service": "checkout", "version": key}


def _thread(key: str) -> Body:
    return "POST", "/api/copilot/threads", {"title": key}


# kinds of writes: what is sent, and the table and column that its key is found in
KINDS: Mapping[str, tuple[Callable[[str], Body], str, str]] = {
    "alert": (_alert, "incidents", "dedupe_key"),
    "finding": (_finding, "findings", "title"),
    "vendor": (_vendor, "vendors", "name"),
    "deploy": (_deploy, "deploys", "id"),
    "thread": (_thread, "copilot_threads", "title"),
}
BUNDLE: Body = ("POST", "/api/governance/compliance/bundles", {"window": "7d"})
WRITERS = 6
PREFIX = "normalized:"  # of keys of our own alerts


class Load:
    """Writers of every kind against the consoles of some ports, until it is left; each key is sent once."""

    def __init__(self, console: Console, seed: int, *, ports: tuple[int, ...] = (), pause: float = 0.0) -> None:
        self.console, self.ledger = console, Ledger()
        self.ports = ports or (console.port,)
        self._over = threading.Event()
        self._paused = threading.Event()
        self._pause = pause
        self._threads = [
            threading.Thread(
                target=self._write, args=(random.Random(seed * 1000 + number), f"{seed}-{number}"), daemon=True
            )
            for number in range(WRITERS)
        ]
        self._threads.append(threading.Thread(target=self._look, daemon=True))

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)

    def pause(self) -> None:
        """Nothing new is sent until ``go_on``."""
        self._paused.set()

    def go_on(self) -> None:
        """Send again."""
        self._paused.clear()

    def _write(self, chance: random.Random, name: str) -> None:
        turn, opened = 0, list[str]()
        while not self._over.is_set():
            if self._paused.is_set():
                time.sleep(0.01)
                continue
            try:
                with closing(http.client.HTTPConnection("127.0.0.1", chance.choice(self.ports), timeout=20)) as client:
                    while not self._over.is_set() and not self._paused.is_set():
                        turn += 1
                        kind = chance.choice((*KINDS, "alert", "resolved"))
                        key = f"k{name}-{turn}"
                        if kind == "resolved":
                            if not opened:
                                continue
                            key = opened.pop()
                        make = _resolve if kind == "resolved" else KINDS[kind][0]
                        status, ends = self._send(client, kind, key, make(key))
                        if kind == "alert" and status < 300:
                            opened.append(key)
                        if status in (429, 503):
                            self._over.wait(0.2)
                        elif self._pause:
                            self._over.wait(self._pause)
                        if ends:
                            break
            except (OSError, http.client.HTTPException):
                self._over.wait(0.05)

    def _send(self, client: http.client.HTTPConnection, kind: str, key: str, asked: Body) -> tuple[int, bool]:
        method, path, body = asked
        allowed = (
            {"Authorization": f"Bearer {self.console.token}"}
            if "/integrations/alerts" in path or "vuln" in path
            else {"Cookie": f"svc_session={self.console.cookie}"}
        )
        client.request(method, path, json.dumps(body), {**allowed, "Content-Type": "application/json"})
        answer = client.getresponse()
        content = answer.read()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        self.ledger.note(kind, key, answer.status, headers, content)
        return answer.status, answer.will_close

    def seal(self) -> str | None:
        """Seal a bundle; its identifier where that was acknowledged."""
        with (
            contextlib.suppress(OSError, http.client.HTTPException),
            closing(http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=120)) as client,
        ):
            method, path, body = BUNDLE
            headers = {"Cookie": f"svc_session={self.console.cookie}", "Content-Type": "application/json"}
            client.request(method, path, json.dumps(body), headers)
            answer = client.getresponse()
            content = answer.read()
            if answer.status in (200, 201):
                document = json.loads(content)
                return str(document.get("bundle", document)["id"])
        return None

    def _look(self) -> None:
        while not self._over.wait(HEALTH_EVERY):
            with contextlib.suppress(OSError, ValueError, IndexError):
                status, seconds, _ = attacks.ask_once(self.ports[0], seconds=5.0)
                if status == 200:
                    self.ledger.health.append(seconds)


@dataclass
class Account:
    """What became of acknowledged writes."""

    found: int = 0
    doubled: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)


def account(url: str, ledger: Ledger) -> Account:
    """Look for everything acknowledged in the store itself; check the chain, and that nothing is there in part."""
    told = Account()
    with closing(Store(url)) as store:
        with store.reader() as connection:
            for kind, (_, table, column) in KINDS.items():
                known = metadata.tables[table]
                query = select(known.c[column], func.count()).where(known.c.org_id == ORG).group_by(known.c[column])
                counts = {str(key).removeprefix(PREFIX): int(number) for key, number in connection.execute(query)}
                for key in ledger.acknowledged.get(kind, ()):
                    if key in counts:
                        told.found += 1
                    else:
                        told.lost.append(f"{kind} {key}")
                told.doubled += [
                    f"{kind} {key}" for key, number in counts.items() if number > 1 and key.startswith("k")
                ]
            told.half += _half(connection)
            _resolutions(connection, ledger, told)
        check = store.verify(ORG)
        if not check.ok:
            told.half.append(f"the chain is broken at event {check.broken_seq}: {check.problem}")
    return told


def _resolutions(connection: Any, ledger: Ledger, told: Account) -> None:  # Any: a connection of SQLAlchemy
    incidents = metadata.tables["incidents"]
    query = select(incidents.c.dedupe_key).where(incidents.c.org_id == ORG, incidents.c.resolved_at.is_not(None))
    resolved = {str(key).removeprefix(PREFIX) for (key,) in connection.execute(query)}
    for key in ledger.acknowledged.get("resolved", ()):
        if key in resolved:
            told.found += 1
        else:
            told.lost.append(f"resolution of {key}")


def _half(connection: Any) -> Iterator[str]:  # Any: a connection of SQLAlchemy
    """Rows of which the other half must be there, too: bodies and what was made of them, objects and their events."""
    payloads, incidents = metadata.tables["ingest_payloads"], metadata.tables["incidents"]
    part = select(func.count()).where(payloads.c.org_id == ORG, payloads.c.state != "read")
    if number := connection.scalar(part):
        yield f"{number} bodies are applied in part"
    for table, kind in (("vendors", "vendor"), ("deploys", "deploy")):
        known, log = metadata.tables[table], metadata.tables["audit_log"]
        named = select(log.c.object_id).where(log.c.org_id == ORG, log.c.object_type == kind)
        lacking = select(func.count()).where(known.c.org_id == ORG, known.c.id.not_in(named))
        if number := connection.scalar(lacking):
            yield f"{number} {table} have no event"
    doubled = (
        select(incidents.c.dedupe_key)
        .where(incidents.c.org_id == ORG, incidents.c.resolved_at.is_(None), incidents.c.dedupe_key.is_not(None))
        .group_by(incidents.c.dedupe_key)
        .having(func.count() > 1)
    )
    for (key,) in connection.execute(doubled):
        yield f"two incidents are open for {key}"
