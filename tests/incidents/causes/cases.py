"""Incidents drawn over random graphs of services: a known cause, what it did on its way, and what only looks like one.

Drawn from a seed alone. A case is rows as an importer or the interface would have written them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.incidents.causes import nuisances
from tests.incidents.causes.wordings import Wordings

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
KINDS = ("deploy", "upstream", "capacity", "vendor_outage", "certificate", "none")
NAMES = (
    "checkout", "payments", "ledger", "search", "catalog", "inventory", "pricing", "identity", "sessions", "mailer",
    "orders-db", "users-db", "message-bus", "edge", "gateway", "profile", "reviews", "shipping", "tax", "fraud",
    "recommender", "images", "cdn-origin", "reports", "billing", "webhooks", "scheduler", "audit", "cache", "locks",
    "feature-flags", "config", "geo", "currency", "notifications", "exports", "imports", "archive", "metrics", "dns",
)  # fmt: skip
VENDORS = ("Stripe", "Northsedge Mail", "Cloudcorp", "Twilight Voice", "Okta-like Identity", "Harbour CDN")
Row = dict[str, Any]


@dataclass
class Case:
    """Rows by table, the incident to explain, and the evidence ids of which one is its cause; none: nobody can tell."""

    name: str
    kind: str
    incident_id: str = "INC"
    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    causes: frozenset[str] = frozenset()

    def add(self, table: str, **row: Any) -> Row:
        self.tables[table].append(row)
        return row


class Drawing:
    """A case while it is drawn."""

    def __init__(self, seed: int, words: Wordings, estate: Mapping[str, Sequence[Row]] | None = None) -> None:
        self.rng = Random(seed)
        self.words = words
        self.kind = KINDS[seed % len(KINDS)]
        self.case = Case(f"{self.kind} {seed}", self.kind)
        self.onset = NOW - timedelta(minutes=self.rng.randint(30, 5000))
        self.number = 0
        self.needs: dict[str, list[str]] = defaultdict(list)
        if estate is None:
            self.services = self._services()
            self._dependencies()
        else:
            self._take(estate)

    def _take(self, estate: Mapping[str, Sequence[Row]]) -> None:
        """Rows that are there already, at some moment of their year."""
        for name, rows in estate.items():
            self.case.tables[name] = [dict(row) for row in rows]
        self.services = [row["id"] for row in estate["services"]]
        for row in estate["service_dependencies"]:
            self.needs[row["service_id"]].append(row["depends_on_id"])
        self.onset -= timedelta(days=self.rng.randint(5, 300))

    def _services(self) -> list[str]:
        names = self.rng.sample(NAMES, self.rng.randint(5, 40))
        for name in names:
            self.case.add(
                "services", id=f"svc-{name}", name=name, criticality=self.rng.randint(1, 5), environment="production"
            )
        return [f"svc-{name}" for name in names]

    def _dependencies(self) -> None:
        rng = self.rng
        for at, service in enumerate(self.services[:-1]):
            for target in {rng.randrange(at + 1, len(self.services)) for _ in range(rng.choice((1, 1, 2, 3)))}:
                self.needs[service].append(self.services[target])
                self.case.add("service_dependencies", service_id=service, depends_on_id=self.services[target])

    def reach(self, start: str) -> dict[str, tuple[str, ...]]:
        """The shortest way from a service to each that it needs, both ends included."""
        found, waiting = {start: (start,)}, [start]
        while waiting:
            here = waiting.pop(0)
            for there in self.needs[here]:
                if there not in found:
                    found[there] = (*found[here], there)
                    waiting.append(there)
        return found

    def text(self, sort: str, service: str | None = None, vendor: str = "", days: int = 0) -> str:
        return self.rng.choice(self.words[sort]).format(s=(service or "").removeprefix("svc-"), v=vendor, d=days)

    def incident(self, title: str, at: datetime, service: str | None, severity: str = "high", **more: Any) -> str:
        self.number += 1
        identifier = more.pop("id", f"I{self.number}")
        self.case.add(
            "incidents",
            id=identifier,
            title=title,
            severity=severity,
            service_id=service,
            opened_at=at,
            status="resolved" if "resolved_at" in more else "open",
            source=self.rng.choice(("alertmanager", "datadog", None)),
            **more,
        )
        return f"incidents:{identifier}"

    def deploy(self, service: str, at: datetime, status: str = "succeeded") -> str:
        self.number += 1
        self.case.add(
            "deploys",
            id=f"D{self.number}",
            service_id=service,
            version=f"1.{self.number}",
            environment="production",
            deployed_at=at,
            actor="ci",
            status=status,
        )
        return f"deploys:D{self.number}"

    def before(self, least: float, most: float) -> datetime:
        return self.onset - timedelta(minutes=self.rng.uniform(least, most))


def draw(seed: int, words: Wordings, estate: Mapping[str, Sequence[Row]] | None = None) -> Case:
    """The case of a seed; over an estate of its own, or among the rows of one."""
    drawing = Drawing(seed, words, estate)
    rng, services = drawing.rng, drawing.services
    near = services[: max(1, len(services) // 2)]
    hit = rng.choice(near)
    ways = drawing.reach(hit)
    by_hops = sorted(ways, key=lambda one: (len(ways[one]), one))
    hops = rng.choices((0, 1, 2, 3), (35, 35, 20, 10))[0]
    if drawing.kind == "upstream":
        hops = max(1, hops)
    at = max((one for one in by_hops if len(ways[one]) <= hops + 1), key=lambda one: len(ways[one]))
    drawing.incident(
        drawing.text("symptom", hit), drawing.onset, hit, rng.choice(("high", "high", "critical", "medium")), id="INC"
    )
    if drawing.kind != "none":
        began = _cause(drawing, at, hit)
        _way(drawing, ways[at], began)
    _noise(drawing, hit, ways, at if drawing.kind != "none" else None)
    nuisances.add(drawing, hit, ways, at if drawing.kind != "none" else None)
    return drawing.case


def _cause(drawing: Drawing, at: str, hit: str) -> datetime:
    """The cause, and when its own service showed it."""
    rng, case, kind = drawing.rng, drawing.case, drawing.kind
    moment = drawing.before(1, 12)
    severity = rng.choice(("high", "high", "critical", "medium"))
    if kind == "deploy":
        changed = moment if at != hit else drawing.onset
        case.causes = frozenset(
            {
                drawing.deploy(
                    at, changed - timedelta(minutes=rng.uniform(1, 35)), rng.choice(("succeeded", "rolled_back"))
                )
            }
        )
        if at != hit and rng.random() < 0.85:
            drawing.incident(drawing.text("symptom", at), moment, at, severity)
    elif kind == "upstream":
        case.causes = frozenset({drawing.incident(drawing.text("symptom", at), moment, at, severity)})
    elif kind == "vendor_outage":
        if not case.tables["vendors"]:
            for number, name in enumerate(VENDORS):
                tier = rng.choice(("critical", "high", "low"))
                vital = tier == "critical"
                case.add("vendors", id=f"V{number}", name=name, category="saas", tier=tier, outage_stops_service=vital)
        chosen = rng.choice(case.tables["vendors"])
        vendor = chosen["name"]
        if rng.random() < 0.7:
            _bind(drawing, at, chosen["id"])
        own = at if rng.random() < 0.3 else None
        case.causes = frozenset({drawing.incident(drawing.text("vendor", vendor=vendor), moment, own, severity)})
        if own is None and at != hit and rng.random() < 0.6:
            drawing.incident(drawing.text("symptom", at), drawing.before(0, 4), at, severity)
    elif kind == "certificate" and rng.random() < 0.3:
        days = rng.randint(2, 20)
        warned = drawing.text("ending", at, days=days)
        moment = drawing.onset - timedelta(days=days, hours=rng.uniform(-3, 3))
        case.causes = frozenset({drawing.incident(warned, moment, at, rng.choice(("low", "medium")))})
        case.tables["incidents"][0]["title"] = drawing.text("tls", hit)
    else:
        ago = drawing.before(1, 60) if kind == "capacity" else drawing.before(1, 30)
        case.causes = frozenset({drawing.incident(drawing.text(kind, at), ago, at, severity)})
        moment = ago
    return moment


def _bind(drawing: Drawing, service: str, vendor: str) -> None:
    """The vendor stands on a dependency of the service, one more where it has none."""
    own = [row for row in drawing.case.tables["service_dependencies"] if row["service_id"] == service]
    if own:
        drawing.rng.choice(own)["vendor_id"] = vendor
        return
    name = f"svc-{vendor}-gateway"
    drawing.case.add("services", id=name, name=f"{vendor} gateway", criticality=3, environment="production")
    drawing.case.add("service_dependencies", service_id=service, depends_on_id=name, vendor_id=vendor)


def _way(drawing: Drawing, way: tuple[str, ...], began: datetime) -> None:
    """What the services between showed, some of them."""
    for service in way[1:-1]:
        if drawing.rng.random() < 0.5:
            at = began + (drawing.onset - began) * drawing.rng.random()
            drawing.incident(drawing.text("symptom", service), at, service, "medium")


def _noise(drawing: Drawing, hit: str, ways: dict[str, tuple[str, ...]], at: str | None) -> None:
    """What only looks like a cause."""
    rng, onset = drawing.rng, drawing.onset
    apart = [one for one in drawing.services if one not in ways]
    quiet = [one for one in ways if one not in (hit, at)]
    for _ in range(rng.randint(0, 6)):
        if apart:
            drawing.deploy(rng.choice(apart), drawing.before(1, 120))
    for _ in range(rng.randint(0, 2)):
        if quiet:
            drawing.deploy(rng.choice(quiet), drawing.before(5, 120))
    for _ in range(rng.randint(0, 3)):
        service = rng.choice(drawing.services)
        drawing.incident(drawing.text("noise", service), drawing.before(-10, 60), service, rng.choice(("low", "info")))
    for _ in range(rng.randint(0, 3)):
        service = rng.choice(apart or [hit])
        if service != hit:
            ended = onset - timedelta(days=rng.randint(2, 90))
            drawing.incident(
                drawing.text("old", service),
                ended - timedelta(hours=2),
                service,
                resolved_at=ended,
                root_cause=rng.choice(("a bad release", "disk filled by logs", "an outage at the provider")),
            )
    if rng.random() < 0.5:
        drawing.deploy(hit, drawing.before(6 * 60, 22 * 60))
    if rng.random() < 0.4:
        drawing.deploy(hit, drawing.before(-40, -6))
    if rng.random() < 0.3 and quiet:
        over = drawing.before(180, 600)
        drawing.incident(
            drawing.text("symptom", service := rng.choice(quiet)),
            over - timedelta(minutes=40),
            service,
            resolved_at=over,
        )
    callers = [one for one in drawing.services if hit in drawing.reach(one) and one != hit]
    for service in rng.sample(callers, min(len(callers), rng.randint(0, 3))):
        drawing.incident(drawing.text("symptom", service), onset + timedelta(minutes=rng.uniform(0, 15)), service)
    for service in rng.sample(apart, min(len(apart), rng.randint(0, 2))):
        drawing.incident(drawing.text("symptom", service), drawing.before(-5, 30), service)
