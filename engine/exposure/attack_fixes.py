"""What to do about attack paths: where most of them pass, and in which order fixes pay."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.exposure.attack_entries import EntryPoint
from engine.exposure.attack_search import AttackRoute
from engine.exposure.dependencies import Dependency, Service

PASS, PASS_SEGMENTED = 0.7, 0.3
NOTHING = 1e-9


@dataclass(frozen=True)
class ChokePoint:
    """A service or dependency without which Σ score falls by ``reduction`` to ``residual``.

    A service counts where a path begins or passes, not where it ends: that is what is being protected.
    """

    kind: str
    id: str
    title: str
    paths: int
    reduction: float
    residual: float
    reduction_pct: float
    evidence_id: str


@dataclass(frozen=True)
class Fix:
    """A step of the fix list; ``residual`` is Σ score after it and all steps before it."""

    step: int
    kind: str
    id: str
    title: str
    reduction: float
    residual: float
    residual_pct: float
    evidence_id: str


def edge_id(start: str, end: str) -> str:
    """A dependency in one word: ``web>api``."""
    return f"{start}>{end}"


def choke_points(
    routes: Sequence[AttackRoute],
    services: Sequence[Service],
    strengths: Mapping[int, Sequence[float]],
    total: float,
    most: int,
) -> tuple[ChokePoint, ...]:
    """The services and dependencies whose removal lowers ``total`` most; ties by kind and id."""
    lowered: defaultdict[tuple[int, ...], float] = defaultdict(float)
    passing: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for route in routes:
        begins = strengths[route.services[0]]
        score = route.weight * sum(begins)
        for place in (*((service,) for service in route.services[:-1]), *_edges(route)):
            lowered[place] += score
            passing[place] += len(begins)
    points = [
        ChokePoint(
            "service" if len(place) == 1 else "dependency",
            _place_id(place, services),
            " → ".join(services[position].name for position in place),
            passing[place],
            round(reduction, 6),
            round(max(total - reduction, 0.0), 6),
            round(100 * reduction / total, 1),
            f"{'services' if len(place) == 1 else 'service_dependencies'}:{_place_id(place, services)}",
        )
        for place, reduction in lowered.items()
    ]
    return tuple(sorted(points, key=lambda point: (-point.reduction, point.kind, point.id))[:most])


def fix_list(
    routes: Sequence[AttackRoute],
    services: Sequence[Service],
    entries: Sequence[EntryPoint],
    dependencies: Mapping[tuple[int, int], Dependency],
    most: int,
) -> tuple[Fix, ...]:
    """Fixes one after the other, each the one that then lowers Σ score most.

    Fixing a finding ends its paths; segmenting a dependency lowers its passage from 0.7 to 0.3.
    """
    state = _State(routes, services, entries, dependencies)
    total = state.residual()
    steps: list[Fix] = []
    before = total
    while len(steps) < most and (options := state.options()):
        _, kind, name, subject = min(options)
        title, evidence = state.apply(subject)
        after = min(max(state.residual(), 0.0), before)
        steps.append(
            Fix(
                len(steps) + 1,
                kind,
                name,
                title,
                round(before - after, 6),
                round(after, 6),
                round(100 * after / total, 1),
                evidence,
            )
        )
        before = after
    return tuple(steps)


class _State:
    """Weights and strengths after the fixes so far, with the sums that each further fix would change."""

    def __init__(
        self,
        routes: Sequence[AttackRoute],
        services: Sequence[Service],
        entries: Sequence[EntryPoint],
        dependencies: Mapping[tuple[int, int], Dependency],
    ) -> None:
        position = {service.id: number for number, service in enumerate(services)}
        self.services = services
        self.routes = routes
        self.weights = [route.weight for route in routes]
        self.open = {entry.finding_id: (entry, position[entry.service_id]) for entry in entries}
        self.strength: defaultdict[int, float] = defaultdict(float)
        for entry, start in self.open.values():
            self.strength[start] += entry.strength
        self.unsegmented = {pair for pair, edge in dependencies.items() if not edge.segmented}
        self.from_start: defaultdict[int, list[int]] = defaultdict(list)
        self.through: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.start_weight: defaultdict[int, float] = defaultdict(float)
        self.edge_score: defaultdict[tuple[int, int], float] = defaultdict(float)
        for number, route in enumerate(routes):
            self.from_start[route.services[0]].append(number)
            self.start_weight[route.services[0]] += route.weight
            for pair in _edges(route):
                self.through[pair].append(number)
                self.edge_score[pair] += route.weight * self.strength[route.services[0]]
        self.names = {pair: _place_id(pair, services) for pair in self.edge_score}

    def residual(self) -> float:
        return sum(weight * self.strength[start] for start, weight in self.start_weight.items())

    def options(self) -> list[tuple[float, str, str, str | tuple[int, int]]]:
        """Fixes that lower Σ score: (−reduction, kind, id, subject), to be compared by the first three."""
        gains: list[tuple[float, str, str, str | tuple[int, int]]] = [
            (-round(entry.strength * self.start_weight[start], 9), "fix_finding", finding_id, finding_id)
            for finding_id, (entry, start) in self.open.items()
        ]
        gains.extend(
            (-round(score * (1 - PASS_SEGMENTED / PASS), 9), "segment", self.names[pair], pair)
            for pair, score in self.edge_score.items()
            if pair in self.unsegmented
        )
        return [gain for gain in gains if -gain[0] > NOTHING]

    def apply(self, subject: str | tuple[int, int]) -> tuple[str, str]:
        """Do the fix; returns what it is in words, and its evidence id."""
        return self._close(subject) if isinstance(subject, str) else self._segment(subject)

    def _close(self, finding_id: str) -> tuple[str, str]:
        entry, start = self.open.pop(finding_id)
        left = [one.strength for one, place in self.open.values() if place == start]
        self.strength[start] = sum(left)
        for number in self.from_start[start]:
            for pair in _edges(self.routes[number]):
                self.edge_score[pair] -= self.weights[number] * entry.strength
        return f"Fix {entry.cve or entry.title} on {self.services[start].name}", entry.evidence_id

    def _segment(self, pair: tuple[int, int]) -> tuple[str, str]:
        self.unsegmented.discard(pair)
        for number in self.through[pair]:
            start = self.routes[number].services[0]
            lost = self.weights[number] * (1 - PASS_SEGMENTED / PASS)
            self.weights[number] -= lost
            self.start_weight[start] -= lost
            for other in _edges(self.routes[number]):
                self.edge_score[other] -= lost * self.strength[start]
        names = " from ".join(self.services[position].name for position in reversed(pair))
        return f"Segment {names}, or require strong authentication", (
            f"service_dependencies:{_place_id(pair, self.services)}"
        )


def _edges(route: AttackRoute) -> list[tuple[int, int]]:
    return list(pairwise(route.services))


def _place_id(place: Sequence[int], services: Sequence[Service]) -> str:
    return edge_id(*(services[position].id for position in place)) if len(place) == 2 else services[place[0]].id
