"""What holds for all attack graphs, checked against a slow search."""

import math
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exposure.attack_entries import OpenFinding, entries
from engine.exposure.attack_paths import simulate
from engine.exposure.dependencies import Dependency, Service
from tests.laws import examples

IDS = "abcdef"
PLACES = st.sampled_from(["production", "staging"])
SERVICES = st.tuples(
    *(st.builds(Service, st.just(i), st.just(i.upper()), st.integers(1, 5), PLACES, st.booleans()) for i in IDS)
)
EDGES = st.lists(
    st.builds(Dependency, st.sampled_from(IDS), st.sampled_from(IDS), st.none(), st.booleans()),
    max_size=14,
    unique_by=lambda edge: (edge.service_id, edge.depends_on_id),
)
FINDINGS = st.lists(
    st.builds(
        OpenFinding,
        st.sampled_from([f"f{i}" for i in range(9)]),
        st.just("T"),
        st.sampled_from(["critical", "low"]),
        st.sampled_from([*IDS, None]),
        epss=st.none() | st.floats(0, 1),
        cvss=st.none() | st.floats(0, 10),
    ),
    max_size=5,
    unique_by=lambda one: one.id,
)


def every_score(services, edges, findings, depth):
    """All simple paths, found the slow way."""
    by_id = {service.id: service for service in services}
    passage = {(edge.service_id, edge.depends_on_id): 0.3 if edge.segmented else 0.7 for edge in edges}
    scores = {}
    for entry in entries(findings, by_id)[0]:
        for size in range(min(depth, len(IDS) - 1) + 1):
            for rest in permutations(set(IDS) - {entry.service_id}, size):
                walk = (entry.service_id, *rest)
                hops = list(pairwise(walk))
                if all(hop in passage for hop in hops) and by_id[walk[-1]].environment == "production":
                    score = entry.strength * math.prod(passage[hop] for hop in hops) * by_id[walk[-1]].criticality / 5
                    if score > 0:
                        scores[f"{entry.finding_id}@{'>'.join(walk)}"] = score
    return scores


@given(SERVICES, EDGES, FINDINGS, st.integers(0, 5))
@settings(deadline=None, max_examples=examples(60))
def test_every_simple_path_is_found_with_its_score(services, edges, findings, depth):
    result = simulate(services, edges, findings, max_depth=depth, listed=100_000)
    expected = every_score(services, edges, findings, depth)
    assert {path.id: path.score for path in result.paths} == pytest.approx(expected, abs=1e-6)
    assert len(result.paths) == result.found == len(expected)
    assert result.total_score == pytest.approx(sum(expected.values()), abs=1e-5)
    order = [(-path.score, len(path.hops), path.id) for path in result.paths]
    assert order == sorted(order)


@given(SERVICES, EDGES, FINDINGS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_input_does_not_matter(services, edges, findings, random):
    expected = simulate(services, edges, findings)
    mixed = [random.sample(list(part), len(part)) for part in (services, edges, findings)]
    assert simulate(*mixed) == expected


@given(SERVICES, EDGES, FINDINGS)
@settings(deadline=None)
def test_removing_a_choke_point_leaves_its_residual_and_never_more(services, edges, findings):
    result = simulate(services, edges, findings)
    residual = {point.id: point.residual for point in result.choke_points if point.kind == "dependency"}
    for edge in edges:
        rest = [other for other in edges if other != edge]
        after = simulate(services, rest, findings).total_score
        assert after <= result.total_score + 1e-9
        name = f"{edge.service_id}>{edge.depends_on_id}"
        if name in residual:
            assert after == pytest.approx(residual[name], abs=1e-5)


@given(SERVICES, EDGES, FINDINGS)
@settings(deadline=None)
def test_a_fix_never_raises_what_is_left_and_leaves_what_it_says(services, edges, findings):
    result = simulate(services, edges, findings)
    left = [result.total_score, *(fix.residual for fix in result.fixes)]
    assert all(after <= before for before, after in pairwise(left))
    for fix in result.fixes:
        if fix.kind == "fix_finding":
            findings = [one for one in findings if one.id != fix.id]
        else:
            edges = [
                Dependency(edge.service_id, edge.depends_on_id, edge.kind, segmented=True)
                if f"{edge.service_id}>{edge.depends_on_id}" == fix.id
                else edge
                for edge in edges
            ]
        assert simulate(services, edges, findings).total_score == pytest.approx(fix.residual, abs=1e-4)


@given(SERVICES, EDGES, FINDINGS)
@settings(deadline=None)
def test_targets_add_up_to_the_whole(services, edges, findings):
    result = simulate(services, edges, findings)
    assert sum(target.total_score for target in result.targets) == pytest.approx(result.total_score, abs=1e-5)
    assert all(target.best_score <= target.combined + 1e-6 <= 1 + 2e-6 for target in result.targets)


def exact_chance(services, edges, findings, target):
    """The chance that a target is reached, over every state of the dependencies and the services of entry."""
    by_id = {service.id: service for service in services}
    failing = {}
    for entry in entries(findings, by_id)[0]:
        failing[entry.service_id] = failing.get(entry.service_id, 1.0) * (1 - entry.strength)
    parts = [(None, start, 1 - chance) for start, chance in sorted(failing.items())]
    parts += [(edge.service_id, edge.depends_on_id, 0.3 if edge.segmented else 0.7) for edge in edges]
    total = 0.0
    for state in product((True, False), repeat=len(parts)):
        held = [part for part, holds in zip(parts, state, strict=True) if holds]
        taken = {None}
        while more := {end for start, end, _ in held if start in taken} - taken:
            taken |= more
        if target in taken:
            total += math.prod(part[2] if holds else 1 - part[2] for part, holds in zip(parts, state, strict=True))
    return total


@given(
    SERVICES,
    EDGES.filter(lambda edges: len(edges) <= 6),
    FINDINGS.filter(lambda open_findings: len(open_findings) <= 3),
)
@settings(deadline=None, max_examples=examples(30))
def test_a_target_is_reached_as_often_as_over_all_states_of_the_graph(services, edges, findings):
    for target in simulate(services, edges, findings).targets:
        expected = exact_chance(services, edges, findings, target.service_id)
        assert (target.method, target.standard_error) == ("exact", None)
        assert target.reached == pytest.approx(expected, abs=2e-6)
        assert target.combined == pytest.approx(expected * target.criticality / 5, abs=2e-6)
