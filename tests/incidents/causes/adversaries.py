"""Incidents in which something speaks against the likeliest record: eight shapes, each drawn five times from a seed.

A release or a resource near the onset looks like the cause in all of them. ``causes`` names what is, and is empty where
nobody can tell from the records: then only "inconclusive" is right. Where it is not empty, "inconclusive" is no mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from tests.incidents.causes.cases import NOW, VENDORS, Case, Drawing
from tests.incidents.causes.wordings import FIRST, SECOND

SEEDS = 5
FIRST_SEED = 9_000


def adversaries() -> Iterator[Case]:
    """Forty cases, named by shape and seed."""
    for number, (shape, build) in enumerate(SHAPES.items()):
        for each in range(SEEDS):
            seed = FIRST_SEED + number * SEEDS + each
            drawing = Drawing(seed, FIRST if each % 2 else SECOND)
            drawing.onset = NOW - timedelta(days=drawing.rng.randint(1, 3), hours=drawing.rng.randint(4, 9))
            drawing.case.name = drawing.case.kind = shape
            build(drawing)
            yield drawing.case


def _hit(drawing: Drawing) -> str:
    """A service that others do not need, as far as there is one."""
    needed = {one for many in drawing.needs.values() for one in many}
    return drawing.rng.choice([one for one in drawing.services if one not in needed] or drawing.services[:1])


def _service(drawing: Drawing, name: str, *needed: str) -> str:
    """A service of its own, apart from the others but for what it needs."""
    drawing.case.add("services", id=f"svc-{name}", name=name, criticality=4, environment="production")
    for one in needed:
        drawing.case.add("service_dependencies", service_id=f"svc-{name}", depends_on_id=one)
    return f"svc-{name}"


def _incident(drawing: Drawing, service: str, title: str | None = None, hours: float = 3) -> None:
    """The incident to explain; it went on for hours."""
    drawing.incident(
        title or drawing.text("symptom", service),
        drawing.onset,
        service,
        drawing.rng.choice(("high", "critical")),
        id="INC",
        resolved_at=drawing.onset + timedelta(hours=hours),
    )


def _apart(drawing: Drawing, how_many: int) -> list[str]:
    return [_service(drawing, name) for name in ("intranet", "payroll", "wiki", "telephony")[:how_many]]


def _same_minute(drawing: Drawing) -> None:
    """Services that have nothing to do with one another fail in the same minute; one of them had a release."""
    hit = _hit(drawing)
    _incident(drawing, hit)
    drawing.deploy(hit, drawing.before(3, 20))
    for service in _apart(drawing, drawing.rng.randint(2, 4)):
        at = drawing.onset + timedelta(seconds=drawing.rng.uniform(-40, 40))
        drawing.incident(drawing.text("symptom", service), at, service)


def _vain_rollback(drawing: Drawing) -> None:
    """The release was taken back, and the trouble went on for hours."""
    hit = _hit(drawing)
    _incident(drawing, hit)
    drawing.deploy(hit, drawing.before(3, 20), "rolled_back")
    taken_back = drawing.onset + timedelta(minutes=drawing.rng.uniform(8, 40))
    drawing.case.tables["deploys"][-1]["rolled_back_at"] = taken_back


def _older_version(drawing: Drawing) -> None:
    """The version from before was put back, and the trouble went on for hours; nobody recorded a rollback."""
    hit = _hit(drawing)
    _incident(drawing, hit)
    drawing.deploy(hit, drawing.onset - timedelta(days=drawing.rng.randint(2, 20)))
    drawing.deploy(hit, drawing.before(3, 20))
    drawing.deploy(hit, drawing.onset + timedelta(minutes=drawing.rng.uniform(8, 40)))
    before, released, after = drawing.case.tables["deploys"][-3:]
    before["version"], released["version"], after["version"] = "4.2.0", "4.3.0", "4.2.0"


def _retries(drawing: Drawing) -> None:
    """A caller was changed and calls more; what it calls runs out of something and looks like the cause."""
    rng = drawing.rng
    callee = _service(drawing, "stock-db")
    caller = _service(drawing, "basket", callee)
    changed = drawing.deploy(caller, drawing.before(7, 15))
    drawing.case.causes = frozenset({changed})
    words = rng.choice(("too many connections", "connection pool exhausted", "CPU saturation", "is overloaded"))
    if rng.random() < 0.5:
        _incident(drawing, caller, f"basket: timeouts from {drawing.case.tables['services'][-2]['name']}")
        drawing.incident(f"stock-db: {words}", drawing.before(2, 5), callee)
    else:
        _incident(drawing, callee, "stock-db answers slowly")
        drawing.incident(f"stock-db: {words}", drawing.before(1, 4), callee)


def _common_need(drawing: Drawing) -> None:
    """Three services fail within two minutes; all need one that says nothing, and one of them had a release."""
    need = _service(drawing, "session-store")
    several = [_service(drawing, name, need) for name in ("storefront", "loyalty", "helpdesk")]
    _incident(drawing, several[0])
    drawing.deploy(several[0], drawing.before(3, 20))
    for service in several[1:]:
        at = drawing.onset + timedelta(seconds=drawing.rng.uniform(-60, 60))
        drawing.incident(drawing.text("symptom", service), at, service)
    drawing.case.causes = frozenset({f"services:{need}"})


def _hour(drawing: Drawing) -> None:
    """The same began at the same time of day on the days before, without a release."""
    _rhythm(drawing, timedelta(days=1), drawing.rng.randint(4, 7))


def _weekday(drawing: Drawing) -> None:
    """The same began on the same weekday at the same time in the weeks before, without a release."""
    _rhythm(drawing, timedelta(weeks=1), drawing.rng.randint(3, 5))


def _rhythm(drawing: Drawing, step: timedelta, times: int) -> None:
    hit = _hit(drawing)
    title = drawing.text("symptom", hit)
    _incident(drawing, hit, title, hours=0.5)
    drawing.deploy(hit, drawing.before(3, 20))
    for number in range(1, times + 1):
        at = drawing.onset - number * step + timedelta(minutes=drawing.rng.uniform(-6, 6))
        drawing.incident(title, at, hit, resolved_at=at + timedelta(minutes=25))


def _third_party(drawing: Drawing) -> None:
    """A third party that no dependency names was down; services that share nothing recorded fail, one with a release."""
    hit = _hit(drawing)
    _incident(drawing, hit)
    drawing.deploy(hit, drawing.before(8, 25))
    vendor = drawing.rng.choice(VENDORS)
    drawing.case.add("vendors", id="V-UNLINKED", name=vendor, category="saas", tier="high")
    outage = drawing.incident(drawing.text("vendor", vendor=vendor), drawing.before(1, 6), None, "critical")
    for service in _apart(drawing, drawing.rng.randint(0, 2)):
        at = drawing.onset + timedelta(minutes=drawing.rng.uniform(-3, 3))
        drawing.incident(drawing.text("symptom", service), at, service)
    drawing.case.causes = frozenset({outage})


SHAPES: Mapping[str, Callable[[Drawing], None]] = {
    "unrelated services fail in the same minute": _same_minute,
    "a release was taken back without effect": _vain_rollback,
    "an older version returned without effect": _older_version,
    "load at the callee after a caller's change": _retries,
    "a common need of several that fail": _common_need,
    "recurrence by hour": _hour,
    "recurrence by weekday": _weekday,
    "a third party with no recorded link": _third_party,
}
