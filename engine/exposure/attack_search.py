"""Best-first search for simple paths whose product of passages is largest; a cut loses the least."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True)
class AttackRoute:
    """Services from an entry to a target by position; ``weight`` is the product of passages and target value."""

    services: tuple[int, ...]
    weight: float


@dataclass(frozen=True)
class Search:
    """Routes found, best first by entry strength × weight.

    An expansion is one hop added to a path. ``missed_at_most`` bounds the score of every route that a search cut
    short left out; None when nothing was left out.
    """

    routes: tuple[AttackRoute, ...]
    expansions: int
    missed_at_most: float | None


def search(
    edges: Sequence[Sequence[tuple[int, float]]],
    values: Sequence[float],
    entries: Mapping[int, float],
    depth: int,
    most_expansions: int,
) -> Search:
    """All simple routes of at most ``depth`` hops from ``entries`` (strength by position) to a value above 0.

    A partial path is extended in order of the best score that it may still reach: passages so far times the best
    product to a target within the remaining hops, which ignores revisits and so never underestimates.
    """
    reachable = _reachable(edges, values, depth)
    ordered: dict[tuple[int, int], list[tuple[float, int, float]]] = {}
    found: list[tuple[float, int, tuple[int, ...], float]] = []
    waiting: list[tuple[float, int, tuple[int, ...], int, float, float]] = []

    def offer(path: tuple[int, ...], passed: float, strength: float, first: int) -> None:
        """Queue the best way on from ``path`` that is the ``first`` or later and revisits nothing."""
        left = depth - len(path) + 1
        if not left:
            return
        ways = ordered.get((path[-1], left))
        if ways is None:
            options = ((passage * reachable[left - 1][end], end, passage) for end, passage in edges[path[-1]])
            ways = sorted((-gain, end, passage) for gain, end, passage in options if gain > 0)
            ordered[path[-1], left] = ways
        for choice in range(first, len(ways)):
            if ways[choice][1] not in path:
                heappush(waiting, (strength * passed * ways[choice][0], len(path), path, choice, passed, strength))
                return

    def arrive(path: tuple[int, ...], passed: float, strength: float) -> None:
        weight = passed * values[path[-1]]
        if weight > 0:
            found.append((-strength * weight, len(path), path, weight))
        offer(path, passed, strength, 0)

    for entry, strength in sorted(entries.items()):
        if strength > 0:
            arrive((entry,), 1.0, strength)
    expansions = 0
    while waiting and expansions < most_expansions:
        _, _, path, choice, passed, strength = heappop(waiting)
        expansions += 1
        offer(path, passed, strength, choice + 1)
        _, end, passage = ordered[path[-1], depth - len(path) + 1][choice]
        arrive((*path, end), passed * passage, strength)
    found.sort()
    routes = tuple(AttackRoute(path, weight) for _, _, path, weight in found)
    return Search(routes, expansions, -waiting[0][0] if waiting else None)


def _reachable(edges: Sequence[Sequence[tuple[int, float]]], values: Sequence[float], depth: int) -> list[list[float]]:
    """By hops left and position: the best product of passages and value that walks of so many hops reach."""
    levels = [list(values)]
    for _ in range(depth):
        last = levels[-1]
        levels.append(
            [
                max(values[start], max((passage * last[end] for end, passage in ways), default=0.0))
                for start, ways in enumerate(edges)
            ]
        )
    return levels
