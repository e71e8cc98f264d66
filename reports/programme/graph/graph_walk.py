"""What fails when a node of a directed graph fails: loops, and everything reachable, in time linear in the edges."""

from collections.abc import Iterable, Sequence

Graph = Sequence[Sequence[int]]


def adjacency(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Successors of each of ``count`` nodes."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        successors[source].append(target)
    return successors


def components(graph: Graph) -> list[list[int]]:
    """Strongly connected components, each before those that lead to it (Tarjan 1972, without recursion)."""
    order: list[int] = [-1] * len(graph)
    low: list[int] = [0] * len(graph)
    waiting: list[int] = []
    held = [False] * len(graph)
    found: list[list[int]] = []
    clock = 0
    for root in range(len(graph)):
        if order[root] >= 0:
            continue
        path = [(root, 0)]
        while path:
            node, step = path.pop()
            if step == 0:
                order[node] = low[node] = clock
                clock += 1
                waiting.append(node)
                held[node] = True
            elif held[graph[node][step - 1]]:
                low[node] = min(low[node], low[graph[node][step - 1]])
            successors = graph[node]
            while step < len(successors) and order[successors[step]] >= 0:
                if held[successors[step]]:
                    low[node] = min(low[node], order[successors[step]])
                step += 1
            if step < len(successors):
                path += [(node, step + 1), (successors[step], 0)]
            elif low[node] == order[node]:
                found.append(_cut(waiting, held, node))
    return found


def _cut(waiting: list[int], held: list[bool], first: int) -> list[int]:
    """Take the component that begins with ``first`` off the stack."""
    group = []
    while True:
        member = waiting.pop()
        held[member] = False
        group.append(member)
        if member == first:
            return sorted(group)


def reach(graph: Graph, marks: Sequence[int]) -> list[int]:
    """For each node the union of the ``marks`` (bit sets) of everything that it reaches, itself included."""
    bits = [0] * len(graph)
    for group in components(graph):
        union = 0
        for node in group:
            union |= marks[node]
            for successor in graph[node]:
                union |= bits[successor]
        for node in group:
            bits[node] = union
    return bits
