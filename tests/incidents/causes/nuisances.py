"""What makes real incidents hard: coincidences, late and missing records, the past of the same service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.incidents.causes.cases import Drawing

LATE, MISSING_EDGE, NO_SERVICE = 0.15, 0.06, 0.05


def add(drawing: Drawing, hit: str, ways: Mapping[str, Sequence[str]], at: str | None) -> None:
    """Some of them to a case that is drawn otherwise; ``at`` is where its cause is, None without one."""
    rng = drawing.rng
    _records(drawing, hit, ways, at)
    _changes(drawing, hit, ways, at)
    _alerts(drawing, hit, ways, at)
    if rng.random() < 0.15:
        ended = drawing.onset - timedelta(days=rng.randint(3, 200))
        title = drawing.case.tables["incidents"][0]["title"]
        cause = rng.choice(("release rolled back", "connection pool too small", "an operator's mistake"))
        drawing.incident(title, ended - timedelta(hours=1), hit, resolved_at=ended, root_cause=cause)


def _records(drawing: Drawing, hit: str, ways: Mapping[str, Sequence[str]], at: str | None) -> None:
    """What was recorded late, less severely, or not at all."""
    rng, tables = drawing.rng, drawing.case.tables
    causes = [row for row in tables["incidents"] if f"incidents:{row['id']}" in drawing.case.causes]
    for row in causes:
        if rng.random() < LATE and row["opened_at"] > drawing.onset - timedelta(hours=2):
            row["opened_at"] = drawing.onset + timedelta(minutes=rng.uniform(0, 6))
        if rng.random() < LATE:
            row["severity"] = rng.choice(("medium", "low"))
    if at is not None and len(ways[at]) > 1 and rng.random() < MISSING_EDGE:
        two = ways[at][-2:]
        edges = tables["service_dependencies"]
        tables["service_dependencies"] = [one for one in edges if (one["service_id"], one["depends_on_id"]) != two]
    if rng.random() < NO_SERVICE:
        tables["incidents"][0]["service_id"] = None


def _changes(drawing: Drawing, hit: str, ways: Mapping[str, Sequence[str]], at: str | None) -> None:
    rng, kind = drawing.rng, drawing.kind
    if kind == "none":
        if rng.random() < 0.3:
            drawing.deploy(hit, drawing.before(130, 360))
    elif kind != "deploy" and rng.random() < 0.2:
        drawing.deploy(hit, drawing.before(20, 180))
    if at not in (None, hit) and rng.random() < 0.2:
        drawing.deploy(str(at), drawing.before(-25, -3), "rolled_back")
    if rng.random() < 0.2:
        drawing.deploy(rng.choice([*ways]), drawing.before(2, 40))
        drawing.case.tables["deploys"][-1]["environment"] = "staging"


def _alerts(drawing: Drawing, hit: str, ways: Mapping[str, Sequence[str]], at: str | None) -> None:
    rng, case = drawing.rng, drawing.case
    quiet = [one for one in ways if one not in (hit, at)]
    if quiet and rng.random() < 0.2:
        drawing.incident(drawing.text("symptom", place := rng.choice(quiet)), drawing.before(-5, 90), place, "medium")
    if quiet and rng.random() < 0.15:
        days = rng.randint(3, 25)
        place = rng.choice(quiet)
        drawing.incident(drawing.text("ending", place, days=days), drawing.before(60, 2000), place, "low")
    if drawing.kind != "vendor_outage" and rng.random() < 0.2:
        case.add("vendors", id="V-far", name="Elsewhere Analytics", category="saas", tier="low")
        drawing.incident(drawing.text("vendor", vendor="Elsewhere Analytics"), drawing.before(-5, 60), None, "medium")
    elif drawing.kind == "vendor_outage" and rng.random() < 0.1:
        case.tables["vendors"] = []
