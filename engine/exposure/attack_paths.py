"""Ranked attack paths from open findings along dependencies to production services.

Score = exploit × exposure × passages × target criticality (1 to 5, as a fraction of 5). An attacker moves as
calls do, from a service to what it needs. A finding on a target itself is a path without hops. Paths are ranked by
their own scores; targets by the chance that one of their paths succeeds, where what paths share counts once.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise

from engine.exposure.attack_entries import EntryPoint, OpenFinding, entries
from engine.exposure.attack_fixes import PASS, PASS_SEGMENTED, ChokePoint, Fix, choke_points, edge_id, fix_list
from engine.exposure.attack_search import AttackRoute, Search, search
from engine.exposure.attack_targets import AttackTarget, attack_targets, headline, unsure_order
from engine.exposure.dependencies import Dependency, Service, split_edges
from engine.model.errors import NotFound

DEFAULT_DEPTH, DEEPEST = 5, 8
MOST_EXPANSIONS = 10_000
STATEMENT = "Possibilities computed from open findings and recorded dependencies, not detections of an attack."


@dataclass(frozen=True)
class Hop:
    """One move of an attacker: how likely it passes, why, and the record that says so."""

    from_id: str
    to_id: str
    passage: float
    why: str
    evidence_id: str


@dataclass(frozen=True)
class AttackPath:
    """A finding, the services passed through to the target, and the score."""

    rank: int
    id: str
    score: float
    target_id: str
    target_criticality: float
    services: tuple[str, ...]
    entry: EntryPoint
    hops: tuple[Hop, ...]


@dataclass(frozen=True)
class Simulation:
    """The whole answer. Sums and counts cover all ``found`` paths; ``paths`` lists the best of them.

    When ``truncated``, no path that was left out scores above ``missed_at_most``.
    """

    statement: str
    sentence: str
    max_depth: int
    found: int
    total_score: float
    expansions: int
    truncated: bool
    missed_at_most: float | None
    paths: tuple[AttackPath, ...]
    targets: tuple[AttackTarget, ...]
    choke_points: tuple[ChokePoint, ...]
    fixes: tuple[Fix, ...]
    warnings: tuple[str, ...]


def simulate(
    services: Iterable[Service],
    dependencies: Iterable[Dependency],
    findings: Iterable[OpenFinding],
    *,
    target_id: str | None = None,
    max_depth: int = DEFAULT_DEPTH,
    listed: int = 100,
    most_expansions: int = MOST_EXPANSIONS,
) -> Simulation:
    """Paths of at most ``max_depth`` hops (at most 8) to ``target_id``, or to every production service.

    NotFound for a target that is not among the services.
    """
    ordered = sorted(services, key=lambda service: service.id)
    known = {service.id: service for service in ordered}
    if target_id is not None and target_id not in known:
        raise NotFound(f"There is no service {target_id!r} to look for attack paths to.")
    position = {service.id: number for number, service in enumerate(ordered)}
    edges, _ = split_edges(known, dependencies)
    pairs = {(position[edge.service_id], position[edge.depends_on_id]): edge for edge in edges}
    ways: list[list[tuple[int, float]]] = [[] for _ in ordered]
    for (start, end), edge in pairs.items():
        ways[start].append((end, _passage(edge)))
    begins, unplaced = entries(findings, known)
    by_start: defaultdict[int, list[EntryPoint]] = defaultdict(list)
    for entry in begins:
        if entry.strength > 0:
            by_start[position[entry.service_id]].append(entry)
    values = [
        service.criticality / 5 if service.id == target_id or (target_id is None and _production(service)) else 0.0
        for service in ordered
    ]
    depth = min(max(max_depth, 0), DEEPEST)
    strongest = {start: max(entry.strength for entry in held) for start, held in by_start.items()}
    result = search(ways, values, strongest, depth, most_expansions)
    strengths = {start: [entry.strength for entry in held] for start, held in by_start.items()}
    total = sum(route.weight * sum(strengths[route.services[0]]) for route in result.routes)
    passages = {pair: _passage(edge) for pair, edge in pairs.items()}
    targets = attack_targets(result.routes, ordered, by_start, passages)
    found = sum(target.paths for target in targets)
    return Simulation(
        STATEMENT,
        headline(targets, found),
        depth,
        found,
        round(total, 6),
        result.expansions,
        result.missed_at_most is not None,
        None if result.missed_at_most is None else round(result.missed_at_most, 6),
        _path_list(result.routes, ordered, by_start, pairs, listed),
        targets,
        choke_points(result.routes, ordered, strengths, total, 10),
        fix_list(result.routes, ordered, [entry for held in by_start.values() for entry in held], pairs, 10),
        (*_warnings(result, begins, unplaced, most_expansions), *unsure_order(targets)),
    )


def _production(service: Service) -> bool:
    return service.environment == "production"


def _passage(edge: Dependency) -> float:
    return PASS_SEGMENTED if edge.segmented else PASS


def _path_list(
    routes: Sequence[AttackRoute],
    services: Sequence[Service],
    by_start: dict[int, list[EntryPoint]],
    pairs: dict[tuple[int, int], Dependency],
    most: int,
) -> tuple[AttackPath, ...]:
    def candidates() -> Iterator[tuple[float, int, str, AttackRoute, EntryPoint]]:
        for route in routes:
            through = ">".join(services[place].id for place in route.services)
            for entry in by_start[route.services[0]]:
                score = round(entry.strength * route.weight, 6)
                yield -score, len(route.services), f"{entry.finding_id}@{through}", route, entry

    best = nsmallest(most, candidates(), key=lambda candidate: candidate[:3])
    return tuple(
        AttackPath(
            rank,
            name,
            -negative,
            services[route.services[-1]].id,
            services[route.services[-1]].criticality / 5,
            tuple(services[place].id for place in route.services),
            entry,
            tuple(_hop(services[start], services[end], pairs[start, end]) for start, end in pairwise(route.services)),
        )
        for rank, (negative, _, name, route, entry) in enumerate(best, 1)
    )


def _hop(start: Service, end: Service, edge: Dependency) -> Hop:
    guard = (
        "segmentation or strong authentication is recorded, which makes it harder but not impossible"
        if edge.segmented
        else "no segmentation or strong authentication is recorded"
    )
    kind = f" ({edge.kind})" if edge.kind else ""
    why = f"{start.name} calls {end.name}{kind}; {guard}."
    return Hop(start.id, end.id, _passage(edge), why, f"service_dependencies:{edge_id(start.id, end.id)}")


def _warnings(
    result: Search, begins: Sequence[EntryPoint], unplaced: Sequence[str], most_expansions: int
) -> tuple[str, ...]:
    lines = []
    if result.missed_at_most is not None:
        lines.append(
            f"The search stopped after {most_expansions:,} steps, best first; no path that is missing scores above "
            f"{result.missed_at_most:.4f}."
        )
    if unplaced:
        lines.append(f"{len(unplaced)} open findings are on no known service and begin no path.")
    if assumed := sum(entry.assumed for entry in begins):
        lines.append(f"{assumed} open findings have neither CVSS nor EPSS; the worst of their severity was taken.")
    return tuple(lines)
