"""The dependency graph: layers, cycles, who is hit."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.exposure.dependencies import Cycle, Dependency, Graph, Node, Service, build, ways

WEB, API, DB, LOG = (
    Service(name, name.title(), rank) for name, rank in (("web", 3), ("api", 5), ("db", 5), ("log", 1))
)


def needs(*pairs):
    return [Dependency(*pair.split(">")) for pair in pairs]


def _needs(graph):
    found = {}
    for edge in graph.edges:
        found.setdefault(edge.service_id, []).append(edge.depends_on_id)
    return found


def test_ways_are_shortest_and_of_two_the_one_through_a_preferred_place():
    graph = {"web": ["api", "log"], "api": ["db"], "log": ["db"], "db": ["disk"]}
    assert ways("web", graph) == {
        "web": ("web",),
        "api": ("web", "api"),
        "log": ("web", "log"),
        "db": ("web", "api", "db"),
        "disk": ("web", "api", "db", "disk"),
    }
    assert ways("web", graph, preferred={"log"})["disk"] == ("web", "log", "db", "disk")
    assert set(ways("web", graph, most=1)) == {"web", "api", "log"}
    assert ways("alone", {}) == {"alone": ("alone",)}


def test_an_empty_graph():
    assert build([], []) == Graph((), (), (), ())


def test_layers_degrees_and_blast_radius_of_a_chain():
    graph = build([WEB, API, DB, LOG], needs("web>api", "api>db", "web>log"))
    assert graph == Graph(
        nodes=(
            Node(API, layer=1, depth=1, dependencies=1, dependents=1, blast_radius=1, blast_vital=0, cycle=None),
            Node(DB, layer=0, depth=2, dependencies=0, dependents=1, blast_radius=2, blast_vital=1, cycle=None),
            Node(LOG, layer=0, depth=1, dependencies=0, dependents=1, blast_radius=1, blast_vital=0, cycle=None),
            Node(WEB, layer=2, depth=0, dependencies=2, dependents=0, blast_radius=0, blast_vital=0, cycle=None),
        ),
        edges=(Dependency("api", "db"), Dependency("web", "api"), Dependency("web", "log")),
        cycles=(),
        dangling=(),
    )
    assert graph.dependents("db") == ("api", "web")
    assert graph.dependents("web") == ()


def test_services_of_a_cycle_share_a_layer_and_hit_each_other():
    graph = build([WEB, API, DB, LOG], needs("web>api", "api>db", "db>web", "db>log"))
    assert graph.cycles == (Cycle(("api", "db", "web"), ("api", "db", "web", "api")),)
    assert [(n.service.id, n.layer, n.depth, n.blast_radius, n.cycle) for n in graph.nodes] == [
        ("api", 1, 0, 2, 1),
        ("db", 1, 0, 2, 1),
        ("log", 0, 1, 3, None),
        ("web", 1, 0, 2, 1),
    ]


def test_a_service_that_needs_itself_is_a_cycle_of_one():
    graph = build([DB], needs("db>db"))
    assert graph.cycles == (Cycle(("db",), ("db", "db")),)
    assert (graph.nodes[0].layer, graph.nodes[0].blast_radius) == (0, 0)


def test_edges_to_unknown_services_are_named_and_left_out():
    graph = build([WEB], needs("web>ghost", "ghost>web"))
    assert graph.edges == ()
    assert graph.dangling == (Dependency("ghost", "web"), Dependency("web", "ghost"))


def test_of_repeated_edges_the_unsegmented_one_counts():
    edges = [Dependency("web", "api", "queue", segmented=True), Dependency("web", "api", "http")]
    assert build([WEB, API], edges).edges == (Dependency("web", "api", "http"),)


def test_a_chain_of_thousands_needs_no_recursion():
    services = [Service(f"s{i:05}", "s", 5) for i in range(5000)]
    chain = [Dependency(f"s{i:05}", f"s{i + 1:05}") for i in range(4999)]
    graph = build(services, chain)
    assert (graph.nodes[0].layer, graph.nodes[-1].depth, graph.nodes[-1].blast_radius) == (4999, 4999, 4999)


NAMES = st.sampled_from("abcdefg")
EDGES = st.lists(st.builds(Dependency, NAMES, NAMES, segmented=st.booleans()), max_size=20)


@given(EDGES, st.randoms(use_true_random=False))
def test_the_graph_is_the_same_for_every_order_of_its_input(edges, random):
    services = [Service(name, name, 5) for name in "abcdefg"]
    expected = build(services, edges)
    random.shuffle(services)
    random.shuffle(edges)
    assert build(services, edges) == expected


@given(EDGES)
def test_blast_radius_cycles_and_layers_agree_with_their_definitions(edges):
    graph = build([Service(name, name, 5) for name in "abcdefg"], edges)
    reaches = {name: set(ways(name, _needs(graph))) for name in "abcdefg"}
    for node in graph.nodes:
        name = node.service.id
        assert graph.dependents(name) == tuple(sorted(one for one in "abcdefg" if one != name and name in reaches[one]))
        assert node.blast_radius == node.blast_vital == len(graph.dependents(name))
        looped = any(name in reaches[edge.depends_on_id] for edge in edges if edge.service_id == name)
        assert (node.cycle is not None) == looped
        if node.cycle is not None:
            members = {one for one in "abcdefg" if one in reaches[name] and name in reaches[one]}
            assert set(graph.cycles[node.cycle - 1].services) == members
    by_id = {node.service.id: node for node in graph.nodes}
    for edge in graph.edges:
        start, end = by_id[edge.service_id], by_id[edge.depends_on_id]
        same = start.cycle is not None and start.cycle == end.cycle
        assert start.layer == end.layer if same else start.layer > end.layer
        assert start.depth == end.depth if same else start.depth < end.depth
    for cycle in graph.cycles:
        pairs = {(edge.service_id, edge.depends_on_id) for edge in graph.edges}
        assert set(pairwise(cycle.loop)) <= pairs
        assert cycle.loop[0] == cycle.loop[-1] == cycle.services[0]
