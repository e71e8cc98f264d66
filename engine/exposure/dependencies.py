"""The dependency graph of services: edges, cycles, layers, and who is hit when a service fails."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Service:
    """A service as the store knows it; criticality 1 (minor) to 5 (vital)."""

    id: str
    name: str
    criticality: int
    environment: str = "production"
    internet_facing: bool = False


@dataclass(frozen=True)
class Dependency:
    """``service_id`` needs (calls) ``depends_on_id``; ``vendor_id`` is who stands behind that."""

    service_id: str
    depends_on_id: str
    kind: str | None = None
    segmented: bool = False
    vendor_id: str | None = None


@dataclass(frozen=True)
class Node:
    """A service in the graph.

    ``layer`` is the longest chain of dependencies below it (0: needs nothing), ``depth`` the longest chain of
    dependents above it (0: nobody needs it); members of a cycle share both. ``blast_radius`` counts the other
    services that need it, directly or not; ``blast_vital`` those of criticality 5. ``cycle`` numbers its cycle from 1.
    """

    service: Service
    layer: int
    depth: int
    dependencies: int
    dependents: int
    blast_radius: int
    blast_vital: int
    cycle: int | None


@dataclass(frozen=True)
class Cycle:
    """Services that all need each other; ``loop`` is a shortest way round through the first of them."""

    services: tuple[str, ...]
    loop: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """Nodes by id, edges by both ends. ``dangling`` edges name a service that is not there and are left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Dependency, ...]
    cycles: tuple[Cycle, ...]
    dangling: tuple[Dependency, ...]

    def dependents(self, service_id: str) -> tuple[str, ...]:
        """The other services that need this one, directly or not: those counted by ``blast_radius``."""
        needed_by: dict[str, list[str]] = {}
        for edge in self.edges:
            needed_by.setdefault(edge.depends_on_id, []).append(edge.service_id)
        return tuple(sorted(set(ways(service_id, needed_by)) - {service_id}))


def ways(
    start: str, needs: Mapping[str, Sequence[str]], preferred: Collection[str] = (), most: int | None = None
) -> dict[str, tuple[str, ...]]:
    """A shortest way of up to ``most`` edges to everything that is needed, start and end included.

    Of equally short ways the one through ``preferred`` places, then the first by name.
    """
    found: dict[str, tuple[str, ...]] = {start: (start,)}
    layer = [start]
    while layer and (most is None or len(found[layer[0]]) <= most):
        ahead = []
        for here in layer:
            for there in sorted(needs.get(here, ())):
                if there not in found:
                    found[there] = (*found[here], there)
                    ahead.append(there)
        layer = sorted(ahead, key=lambda place: (place not in preferred, found[place]))
    return found


def build(services: Iterable[Service], dependencies: Iterable[Dependency]) -> Graph:
    """The graph, the same for every order of its input. Of repeated edges the unsegmented one counts."""
    ordered = sorted(services, key=lambda service: service.id)
    index = {service.id: position for position, service in enumerate(ordered)}
    edges, dangling = split_edges(index, dependencies)
    below: list[list[int]] = [[] for _ in ordered]
    for edge in edges:
        below[index[edge.service_id]].append(index[edge.depends_on_id])
    components = _components(below)
    component = {member: number for number, members in enumerate(components) for member in members}
    layers, depths, reached = _levels(below, components, component)
    vital = sum(1 << position for position, service in enumerate(ordered) if service.criticality == 5)
    loops = sorted((members for members in components if len(members) > 1 or members[0] in below[members[0]]), key=min)
    cycle = {member: number for number, members in enumerate(loops, 1) for member in members}
    above = [0] * len(ordered)
    for targets in below:
        for target in targets:
            above[target] += 1
    nodes = tuple(
        Node(
            service,
            layers[component[position]],
            depths[component[position]],
            len(below[position]),
            above[position],
            (others := reached[component[position]] & ~(1 << position)).bit_count(),
            (others & vital).bit_count(),
            cycle.get(position),
        )
        for position, service in enumerate(ordered)
    )
    return Graph(nodes, edges, tuple(_cycle(members, below, ordered) for members in loops), dangling)


def split_edges(
    known: Mapping[str, object], dependencies: Iterable[Dependency]
) -> tuple[tuple[Dependency, ...], tuple[Dependency, ...]]:
    """Edges between known services, sorted and each pair once, and those that name an unknown one."""
    ordered = sorted(
        dependencies, key=lambda e: (e.service_id, e.depends_on_id, e.segmented, e.kind or "", e.vendor_id or "")
    )
    once = {(edge.service_id, edge.depends_on_id): edge for edge in reversed(ordered)}
    pairs = [once[pair] for pair in sorted(once)]
    inside = tuple(edge for edge in pairs if edge.service_id in known and edge.depends_on_id in known)
    outside = tuple(edge for edge in pairs if edge.service_id not in known or edge.depends_on_id not in known)
    return inside, outside


def _components(below: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components after Tarjan, without recursion: dependencies come before what needs them."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open = [False] * len(below)
    components: list[list[int]] = []
    for root in range(len(below)):
        if root in order:
            continue
        work = [(root, iter(below[root]))]
        order[root] = low[root] = len(order)
        open_nodes.append(root)
        is_open[root] = True
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    open_nodes.append(target)
                    is_open[target] = True
                    work.append((target, iter(below[target])))
                    break
                if is_open[target]:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    members: list[int] = []
                    while not members or members[-1] != node:
                        members.append(open_nodes.pop())
                        is_open[members[-1]] = False
                    components.append(sorted(members))
    return components


def _levels(
    below: Sequence[Sequence[int]], components: Sequence[Sequence[int]], component: Mapping[int, int]
) -> tuple[list[int], list[int], list[int]]:
    """By component: layer, depth, and everything that needs it as a bit set that includes its members."""
    needs = [
        {component[target] for member in members for target in below[member]} - {number}
        for number, members in enumerate(components)
    ]
    layers = [0] * len(components)
    depths = [0] * len(components)
    reached = [sum(1 << member for member in members) for members in components]
    for number, targets in enumerate(needs):
        layers[number] = 1 + max((layers[target] for target in targets), default=-1)
    for number in reversed(range(len(components))):
        for target in needs[number]:
            depths[target] = max(depths[target], depths[number] + 1)
            reached[target] |= reached[number]
    return layers, depths, reached


def _cycle(members: Sequence[int], below: Sequence[Sequence[int]], ordered: Sequence[Service]) -> Cycle:
    inside = set(members)
    start = members[0]
    cause: dict[int, int] = {}
    waiting = deque([start])
    while start not in cause:
        here = waiting.popleft()
        for there in below[here]:
            if there in inside and there not in cause:
                cause[there] = here
                waiting.append(there)
    loop = [start]
    while len(loop) == 1 or loop[-1] != start:
        loop.append(cause[loop[-1]])
    ids = tuple(ordered[member].id for member in members)
    return Cycle(ids, tuple(ordered[position].id for position in reversed(loop)))
