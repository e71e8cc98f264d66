from hypothesis import given
from hypothesis import strategies as st

from reports.programme.graph.graph_walk import adjacency, components, reach


@st.composite
def graphs(draw):
    count = draw(st.integers(0, 7))
    node = st.integers(0, max(count - 1, 0))
    return count, draw(st.lists(st.tuples(node, node), max_size=14)) if count else []


def reachable(count, edges, start):
    """Everything that can be walked to from a node, itself included."""
    found = {start}
    for _ in range(count):
        found |= {target for source, target in edges if source in found}
    return found


def test_a_loop_is_one_component_and_stands_before_what_leads_to_it():
    graph = adjacency(4, [(0, 1), (1, 2), (2, 1), (3, 3)])
    assert components(graph) == [[1, 2], [0], [3]]


def test_nothing_has_no_components():
    assert components([]) == []
    assert reach([], []) == []


def test_a_long_chain_needs_no_recursion():
    count = 20_000
    graph = adjacency(count, [(n, n + 1) for n in range(count - 1)])
    assert len(components(graph)) == count
    assert reach(graph, [0] * (count - 1) + [1])[0] == 1


@given(graphs())
def test_a_node_reaches_what_can_be_walked_to(given_graph):
    count, edges = given_graph
    found = reach(adjacency(count, edges), [1 << number for number in range(count)])
    assert found == [sum(1 << number for number in reachable(count, edges, start)) for start in range(count)]


@given(graphs())
def test_a_component_is_what_reaches_each_other(given_graph):
    count, edges = given_graph
    reach = [reachable(count, edges, start) for start in range(count)]
    mutual = {tuple(sorted(b for b in range(count) if b in reach[a] and a in reach[b])) for a in range(count)}
    assert {tuple(group) for group in components(adjacency(count, edges))} == mutual
