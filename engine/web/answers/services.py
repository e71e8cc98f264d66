"""Answers about services: error budgets and the dependency graph. Attack paths answer as they are computed."""

from datetime import datetime

from msgspec import UNSET, UnsetType

from engine.exposure.dependencies import Cycle
from engine.incidents.slo.slo_rules import BudgetWindow
from engine.model.records import ServiceRow
from engine.web.answers.shape import CoverageShare, Percent, Shape, mirror_row


@mirror_row(ServiceRow, "id name owner criticality environment internet_facing holds_customer_data")
class ServiceAnswer(Shape):
    environment: str


class SloProfile(Shape):
    objective_pct: float
    indicator: str | None
    window_kind: str


class ServiceSlo(Shape, kw_only=True):
    """The objective of a service and its error budgets; without an objective, ``profile`` is null and no window is."""

    service: ServiceAnswer
    profile: SloProfile | None
    as_of: datetime | UnsetType = UNSET
    severity: str
    rule: str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    windows: list[BudgetWindow]
    last_bucket_at: datetime | UnsetType | None = UNSET
    sentence: str


class WorstWindow(Shape):
    days: int
    severity: str
    used_pct: Percent | None
    remaining_pct: Percent | None
    burn: float | None
    exhaustion_days: float | None


class WorstBudget(Shape):
    service_id: str
    name: str
    objective_pct: float
    severity: str
    rule: str | None
    windows: list[WorstWindow]
    sentence: str


class ErrorBudgetSummary(Shape):
    as_of: datetime
    services: int
    critical: int
    warning: int
    counts: dict[str, int]
    mean_used_pct: Percent | None
    weighted_used_pct: Percent | None
    coverage: CoverageShare
    worst: list[WorstBudget]
    without_objective: list[str]
    sentence: str


class GraphSummary(Shape):
    services: int
    dependencies: int
    cycles: int
    deepest_layer: int | None


class GraphNode(Shape):
    id: str
    name: str
    criticality: int
    environment: str
    internet_facing: bool
    layer: int
    depth: int
    dependencies: int
    dependents: int
    blast_radius: int
    blast_vital: int
    cycle: int | None


class GraphEdge(Shape, rename={"source": "from", "target": "to"}):
    """``from`` needs ``to``."""

    source: str
    target: str
    kind: str | None
    segmented: bool
    vendor_id: str | None


class DependencyGraph(Shape):
    summary: GraphSummary
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    cycles: list[Cycle]
    dangling_edges: list[GraphEdge]
    definitions: dict[str, str]
