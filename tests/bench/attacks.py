"""Attack paths over a large estate, beside a search that walks every path."""

import time
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from engine.exposure.attack_entries import OpenFinding
from engine.exposure.attack_paths import simulate
from engine.exposure.dependencies import Dependency, Service
from tests.bench.table import Figure

SERVICES, EDGES, FINDINGS, DEPTH = 2_000, 10_000, 500, 6


def figures() -> Iterator[Figure]:
    """In this process: the time of the computation alone."""
    services, edges, findings = _estate()
    start = time.perf_counter()
    simulation = simulate(services, edges, findings, max_depth=DEPTH)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    paths = _count_paths(services, edges, findings)
    theirs = time.perf_counter() - start
    cut = "all" if not simulation.truncated else f"the best, none above {simulation.missed_at_most} left out"
    yield Figure(
        f"attack paths, {SERVICES:,} services, {EDGES:,} edges, depth {DEPTH}",
        f"{ours * 1000:.0f} ms, {simulation.found:,} paths ({cut})",
        "depth-first over all paths, not ranked",
        f"{theirs:.1f} s, {paths:,} paths",
        theirs / ours,
    )


def _estate() -> tuple[list[Service], list[Dependency], list[OpenFinding]]:
    rng = Random(7)
    services = [
        Service(f"s{n:04}", f"Service {n}", rng.randint(1, 5), internet_facing=n % 40 == 0) for n in range(SERVICES)
    ]
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < EDGES:
        start, end = rng.randrange(SERVICES), rng.randrange(SERVICES)
        if start != end:
            pairs.add((start, end))
    edges = [Dependency(f"s{start:04}", f"s{end:04}") for start, end in sorted(pairs)]
    findings = [
        OpenFinding(
            f"f{n}", f"Weakness {n}", rng.choice(("medium", "high", "critical")), f"s{rng.randrange(SERVICES):04}"
        )
        for n in range(FINDINGS)
    ]
    return services, edges, findings


def _count_paths(services: list[Service], edges: list[Dependency], findings: list[OpenFinding]) -> int:
    """How many simple paths lead from a finding to a production service."""
    ways = defaultdict(list)
    for edge in edges:
        ways[edge.service_id].append(edge.depends_on_id)
    production = {service.id for service in services if service.environment == "production"}

    def walk(path: tuple[str, ...]) -> int:
        found = int(path[-1] in production)
        if len(path) <= DEPTH:
            found += sum(walk((*path, end)) for end in ways[path[-1]] if end not in path)
        return found

    return sum(walk((start,)) for start in sorted({str(finding.service_id) for finding in findings}))
