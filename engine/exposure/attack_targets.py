"""What attack paths mean for the services that they end at: how likely one of them succeeds, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from engine.exposure.attack_entries import EntryPoint
from engine.exposure.attack_fixes import edge_id
from engine.exposure.attack_search import AttackRoute
from engine.exposure.attack_union import SAMPLES, UnionChance, UnionMethod, union_chances
from engine.exposure.dependencies import Service

UNSURE = 2  # standard errors within which the order of two targets may be chance


@dataclass(frozen=True)
class AttackTarget:
    """All paths to one service. ``reached`` is the chance that one of them succeeds, with entries and dependencies
    that several of them need counted once; ``combined`` is that times the criticality, as a path's score is.

    ``standard_error`` is that of ``combined`` by ``monte_carlo``; None where it is ``exact``.
    """

    service_id: str
    name: str
    criticality: int
    paths: int
    entries: int
    best_score: float
    total_score: float
    combined: float
    reached: float
    method: UnionMethod
    standard_error: float | None
    why: str


def attack_targets(
    routes: Sequence[AttackRoute],
    services: Sequence[Service],
    by_start: Mapping[int, Sequence[EntryPoint]],
    passages: Mapping[tuple[int, int], float],
) -> tuple[AttackTarget, ...]:
    """The targets of all routes, the one that is most likely reached times its criticality first."""
    ending: defaultdict[int, list[AttackRoute]] = defaultdict(list)
    for route in routes:
        ending[route.services[-1]].append(route)
    chances = _chances(ending, services, by_start, passages)
    targets = (_target(services, by_start, held, chances[place]) for place, held in ending.items())
    return tuple(sorted(targets, key=lambda target: (-target.combined, -target.best_score, target.service_id)))


def combine(scores: Iterable[float]) -> float:
    """1 − Π(1 − score): the chance that at least one of independent attempts succeeds."""
    none = 1.0
    for score in scores:
        none *= 1 - score
    return 1 - none


def _chances(
    ending: Mapping[int, Sequence[AttackRoute]],
    services: Sequence[Service],
    by_start: Mapping[int, Sequence[EntryPoint]],
    passages: Mapping[tuple[int, int], float],
) -> dict[int, UnionChance]:
    """By target. A route needs its dependencies and an entry: one of the findings on the service that it begins at."""
    pairs = {pair for held in ending.values() for route in held for pair in pairwise(route.services)}
    needs = {pair: edge_id(services[pair[0]].id, services[pair[1]].id) for pair in pairs}
    probabilities = {name: passages[pair] for pair, name in needs.items()}
    entries = {start: services[start].id for start in by_start}
    probabilities |= {entries[start]: combine(entry.strength for entry in held) for start, held in by_start.items()}
    unions = {
        place: [[entries[route.services[0]], *map(needs.__getitem__, pairwise(route.services))] for route in held]
        for place, held in ending.items()
    }
    return union_chances(unions, probabilities)


def _target(
    services: Sequence[Service],
    by_start: Mapping[int, Sequence[EntryPoint]],
    routes: Sequence[AttackRoute],
    chance: UnionChance,
) -> AttackTarget:
    service = services[routes[0].services[-1]]
    scores = [entry.strength * route.weight for route in routes for entry in by_start[route.services[0]]]
    value = service.criticality / 5
    best = max(scores)
    exact = chance.method == "exact"
    return AttackTarget(
        service.id,
        service.name,
        service.criticality,
        len(scores),
        sum(len(by_start[start]) for start in {route.services[0] for route in routes}),
        round(best, 6),
        round(sum(scores), 6),
        round(max(value * chance.value, best), 6),
        round(max(chance.value, best / value), 6),
        chance.method,
        None if exact else round(value * chance.standard_error, 6),
        _why(services, by_start, routes, len(scores)),
    )


def _why(
    services: Sequence[Service], by_start: Mapping[int, Sequence[EntryPoint]], routes: Sequence[AttackRoute], paths: int
) -> str:
    """What the paths to a target have in common: the dependency or the service of entry that most of them need."""
    if paths == 1:
        return "One path leads here."
    passing: Counter[tuple[int, ...]] = Counter()
    beginning = Counter(route.services[0] for route in routes)
    for route in routes:
        start = route.services[0]
        for pair in pairwise(route.services):
            passing[pair] += len(by_start[start])
        if beginning[start] > 1:
            passing[start,] += len(by_start[start])
    place = max(passing, key=lambda one: (passing[one], len(one), one), default=())
    if passing[place] < 2:
        return f"{paths:,} paths lead here and share nothing."
    names = " → ".join(services[position].name for position in place)
    does = "pass" if len(place) == 2 else "begin on"
    of_them = f"All {paths:,}" if passing[place] == paths else f"{passing[place]:,} of the {paths:,}"
    return f"{of_them} paths here {does} {names}, so they succeed or fail together with it."


def headline(targets: Sequence[AttackTarget], found: int) -> str:
    """The targets in a sentence, with the method behind the figure that it names."""
    if not targets:
        return "No path leads from an open finding to a target."
    top = targets[0]
    paths = "1 path leads" if found == 1 else f"{found:,} paths lead"
    reached = "1 service" if len(targets) == 1 else f"{len(targets)} services"
    return (
        f"{paths} to {reached}; {top.name} is the most exposed, at {100 * top.combined:.1f} % over all its paths, "
        f"what they share counted once ({_method(top)})."
    )


def _method(target: AttackTarget) -> str:
    if target.standard_error is None:
        return "exact"
    return f"Monte Carlo, {SAMPLES:,} samples, standard error {100 * target.standard_error:.2f} points"


def unsure_order(targets: Sequence[AttackTarget]) -> tuple[str, ...]:
    """A warning where estimates lie so close together that the order of their targets may be chance."""
    close = sum(
        first.combined - second.combined <= UNSURE * hypot(first.standard_error or 0.0, second.standard_error or 0.0)
        for first, second in pairwise(targets)
        if first.method == "monte_carlo" or second.method == "monte_carlo"
    )
    if not close:
        return ()
    return (f"{close} targets lie within {UNSURE} standard errors of the one above them; their order is not certain.",)
