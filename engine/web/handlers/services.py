"""Services: error budgets, the dependency graph, attack paths."""

from datetime import timedelta

from engine.exposure.attack_entries import OpenFinding
from engine.exposure.attack_paths import simulate
from engine.exposure.dependencies import Dependency, Node, Service, build
from engine.incidents.slo.slo import ServiceBudget, service_budget
from engine.incidents.slo.slo_rules import Objective
from engine.incidents.slo.slo_sums import window_end
from engine.model.declarations.ask import Parameter
from engine.store.queries.accounts.settings import threshold
from engine.store.queries.operations.services import all_dependencies, all_services, buckets, open_findings
from engine.store.rows import first, one, pick
from engine.store.schema import services as tables
from engine.web.answers.services import (
    DependencyGraph,
    ErrorBudgetSummary,
    GraphEdge,
    GraphNode,
    GraphSummary,
    WorstBudget,
    WorstWindow,
)
from engine.web.answers.shape import CoverageShare
from engine.web.http import Request, Response, answer

TARGET = Parameter("targetServiceId", None, "the service that paths lead to; every production service without it")
DEPTH = Parameter("maxDepth", None, "most hops of a path", 1, 8)
ABOUT = ("id", "name", "owner", "criticality", "environment", "internet_facing", "holds_customer_data")
GRAPH_TERMS = {
    "edge": "from needs (calls) to",
    "vendor_id": "vendor that stands behind a dependency: its outage reaches the service that needs",
    "layer": "longest chain of dependencies below a service; 0 needs nothing",
    "depth": "longest chain of dependents above a service; nobody needs one of depth 0",
    "blast_radius": "other services that need it, directly or not",
    "blast_vital": "those of them with criticality 5",
    "cycle": "number of the cycle that it is part of",
    "dangling_edges": "dependencies that name a service which does not exist; they count nowhere",
}


def slo(request: Request) -> Response:
    """GET /api/services/{id}/slo: the objective of a service and its error budgets of 7 and 30 days."""
    org_id, service_id, now = request.caller.org_id, request.arguments["id"], request.now
    with request.services.store.reader() as connection:
        service = one(connection, tables.services, org_id, id=service_id)
        profile = first(connection, tables.slo_profiles, org_id, service_id=service_id)
        about = pick(service, ABOUT)
        if profile is None:
            text = f"{service['name']} has no service level objective, so no error budget can be judged."
            return answer(
                {"service": about, "profile": None, "severity": "no_objective", "windows": [], "sentence": text}
            )
        end = window_end(now)
        held = buckets(connection, org_id, service_id, end - timedelta(days=30), end)
    objective = Objective(service_id, profile["objective_pct"], profile["window_kind"], service["name"])
    budget = service_budget(objective, held, now)
    return answer(
        {
            "service": about,
            "profile": {name: profile[name] for name in ("objective_pct", "indicator", "window_kind")},
            "as_of": end,
            "severity": budget.severity,
            "rule": budget.rule,
            "method": budget.method,
            "windows": budget.windows,
            "last_bucket_at": budget.last_bucket_at,
            "sentence": budget.sentence,
        }
    )


def error_budget_summary(request: Request) -> Response:
    """GET /api/overview/error-budget-summary: the error budgets of all services in figures, and the worst."""
    from engine.incidents.slo.service_budgets import error_budgets

    org_id = request.caller.org_id
    overview = request.services.replica.read([org_id], lambda view: error_budgets(view, org_id, request.now))
    covered = overview.coverage
    return answer(
        ErrorBudgetSummary(
            as_of=window_end(request.now),
            services=overview.services,
            critical=overview.counts["critical"],
            warning=overview.counts["warning"],
            counts=overview.counts,
            mean_used_pct=overview.mean_used_pct,
            weighted_used_pct=overview.weighted_used_pct,
            coverage=CoverageShare(assessed=covered.assessed, total=covered.total, pct=covered.pct),
            worst=[_worst(budget) for budget in overview.worst],
            without_objective=list(overview.without_objective),
            sentence=overview.sentence,
        )
    )


def _worst(budget: ServiceBudget) -> WorstBudget:
    windows = [
        WorstWindow(
            days=window.days,
            severity=window.severity,
            used_pct=window.used_pct,
            remaining_pct=window.remaining_pct,
            burn=window.burn,
            exhaustion_days=window.exhaustion_days,
        )
        for window in budget.windows
    ]
    return WorstBudget(
        service_id=budget.service_id,
        name=budget.name,
        objective_pct=budget.objective_pct,
        severity=budget.severity,
        rule=budget.rule,
        windows=windows,
        sentence=budget.sentence,
    )


def dependency_graph(request: Request) -> Response:
    """GET /api/services/dependency-graph: services, what they need, cycles and blast radius."""
    with request.services.store.reader() as connection:
        services = [Service(*row) for row in all_services(connection, request.caller.org_id)]
        edges = [Dependency(*row) for row in all_dependencies(connection, request.caller.org_id)]
    graph = build(services, edges)
    summary = GraphSummary(
        services=len(graph.nodes),
        dependencies=len(graph.edges),
        cycles=len(graph.cycles),
        deepest_layer=max((node.layer for node in graph.nodes), default=None),
    )
    return answer(
        DependencyGraph(
            summary=summary,
            nodes=[_node(node) for node in graph.nodes],
            edges=[_edge(edge) for edge in graph.edges],
            cycles=list(graph.cycles),
            dangling_edges=[_edge(edge) for edge in graph.dangling],
            definitions=GRAPH_TERMS,
        )
    )


def _node(node: Node) -> GraphNode:
    service = node.service
    return GraphNode(
        id=service.id,
        name=service.name,
        criticality=service.criticality,
        environment=service.environment,
        internet_facing=service.internet_facing,
        layer=node.layer,
        depth=node.depth,
        dependencies=node.dependencies,
        dependents=node.dependents,
        blast_radius=node.blast_radius,
        blast_vital=node.blast_vital,
        cycle=node.cycle,
    )


def _edge(edge: Dependency) -> GraphEdge:
    return GraphEdge(
        source=edge.service_id,
        target=edge.depends_on_id,
        kind=edge.kind,
        segmented=edge.segmented,
        vendor_id=edge.vendor_id,
    )


def attack_paths(request: Request) -> Response:
    """GET /api/attack-paths/simulate: ranked paths from open findings to production services, and what cuts them."""
    asked = request.options
    org_id, target = request.caller.org_id, asked["targetServiceId"]
    with request.services.store.reader() as connection:
        if target is not None:
            one(connection, tables.services, org_id, id=target)
        services = [Service(*row) for row in all_services(connection, org_id)]
        edges = [Dependency(*row) for row in all_dependencies(connection, org_id)]
        findings = [OpenFinding(*row) for row in open_findings(connection, org_id)]
        depth = asked["maxDepth"] or int(threshold(connection, org_id, "attack_depth"))
    result = simulate(services, edges, findings, target_id=target, max_depth=depth)
    return answer(result)
