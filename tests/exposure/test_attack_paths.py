"""Attack paths: the worked example, ranking, bounds, what to fix, and what holds for all graphs."""

import pytest

from engine.exposure.attack_entries import EntryPoint, OpenFinding, entries
from engine.exposure.attack_fixes import ChokePoint, Fix
from engine.exposure.attack_paths import STATEMENT, AttackPath, Hop, Simulation, simulate
from engine.exposure.attack_targets import AttackTarget, combine
from engine.exposure.dependencies import Dependency, Service
from engine.model.errors import NotFound

WEB = Service("web", "Web", 3, "staging", internet_facing=True)
API = Service("api", "API", 3, "staging")
DB = Service("db", "Database", 5)
CHAIN = [Dependency("web", "api"), Dependency("api", "db", "database")]
KEV = OpenFinding("f1", "Old library", "critical", "web", cve="CVE-2026-1", cvss=9.8, epss=0.4, known_exploited=True)


def finding(name, service="web", **given):
    return OpenFinding(name, name, given.pop("severity", "high"), service, **given)


def test_the_worked_example():
    result = simulate([WEB, API, DB], CHAIN, [KEV])
    entry = EntryPoint(
        "f1",
        "web",
        "Old library",
        "CVE-2026-1",
        exploit=0.95,
        exposure=1.0,
        assumed=False,
        why="CVE-2026-1 is open on Web: known to be exploited, reachable from the internet.",
        evidence_id="findings:f1",
    )
    why = "no segmentation or strong authentication is recorded."
    assert result == Simulation(
        statement=STATEMENT,
        sentence="1 path leads to 1 service; Database is the most exposed, at 46.6 % over all its paths, "
        "what they share counted once (exact).",
        max_depth=5,
        found=1,
        total_score=0.4655,
        expansions=2,
        truncated=False,
        missed_at_most=None,
        paths=(
            AttackPath(
                rank=1,
                id="f1@web>api>db",
                score=0.4655,
                target_id="db",
                target_criticality=1.0,
                services=("web", "api", "db"),
                entry=entry,
                hops=(
                    Hop("web", "api", 0.7, f"Web calls API; {why}", "service_dependencies:web>api"),
                    Hop("api", "db", 0.7, f"API calls Database (database); {why}", "service_dependencies:api>db"),
                ),
            ),
        ),
        targets=(
            AttackTarget(
                "db", "Database", 5, 1, 1, 0.4655, 0.4655, 0.4655, 0.4655, "exact", None, "One path leads here."
            ),
        ),
        choke_points=(
            ChokePoint("dependency", "api>db", "API → Database", 1, 0.4655, 0.0, 100.0, "service_dependencies:api>db"),
            ChokePoint("dependency", "web>api", "Web → API", 1, 0.4655, 0.0, 100.0, "service_dependencies:web>api"),
            ChokePoint("service", "api", "API", 1, 0.4655, 0.0, 100.0, "services:api"),
            ChokePoint("service", "web", "Web", 1, 0.4655, 0.0, 100.0, "services:web"),
        ),
        fixes=(Fix(1, "fix_finding", "f1", "Fix CVE-2026-1 on Web", 0.4655, 0.0, 0.0, "findings:f1"),),
        warnings=(),
    )


def test_parallel_paths_combine():
    assert round(combine([0.4655, 0.2]), 4) == 0.5724
    assert combine([]) == 0
    direct = OpenFinding("f2", "Weak service", "high", "db", epss=0.2, internet_reachable=True)
    result = simulate([WEB, API, DB], CHAIN, [KEV, direct])
    assert [(path.id, path.score) for path in result.paths] == [("f1@web>api>db", 0.4655), ("f2@db", 0.2)]
    assert result.targets == (
        AttackTarget(
            "db",
            "Database",
            5,
            paths=2,
            entries=2,
            best_score=0.4655,
            total_score=0.6655,
            combined=0.5724,
            reached=0.5724,
            method="exact",
            standard_error=None,
            why="2 paths lead here and share nothing.",
        ),
    )


def test_what_paths_share_counts_once():
    services = [WEB, API, Service("left", "Left", 1, "staging"), Service("right", "Right", 1, "staging"), DB]
    edges = [Dependency(*pair.split(">")) for pair in ("web>api", "api>left", "api>right", "left>db", "right>db")]
    result = simulate(services, edges, [KEV])
    (target,) = result.targets
    assert target.combined == pytest.approx(0.95 * 0.7 * (1 - (1 - 0.49) ** 2), abs=1e-6)
    assert combine(path.score for path in result.paths) > target.combined
    assert target.why == "All 2 paths here pass Web → API, so they succeed or fail together with it."


def test_the_criticality_of_a_target_counts_once_however_many_paths_there_are():
    minor = Service("minor", "Minor", 1)
    many = [OpenFinding(f"f{i}", "T", "critical", "minor", known_exploited=True) for i in range(9)]
    (target,) = simulate([minor], [], many).targets
    assert (target.total_score, target.combined) == (pytest.approx(9 * 0.95 * 0.6 / 5), pytest.approx(0.2, abs=2e-4))


def test_no_finding_or_no_target_is_no_path():
    nothing = simulate([], [], [])
    assert (nothing.found, nothing.total_score, nothing.paths, nothing.targets, nothing.fixes) == (0, 0, (), (), ())
    assert nothing.sentence == "No path leads from an open finding to a target."
    assert simulate([WEB, API, DB], CHAIN, []).found == 0
    assert simulate([WEB, API], CHAIN[:1], [KEV]).found == 0


def test_a_named_target_need_not_be_in_production():
    result = simulate([WEB, API, DB], CHAIN, [KEV], target_id="api")
    assert [(path.id, path.score) for path in result.paths] == [("f1@web>api", 0.399)]


def test_an_unknown_target_is_said():
    with pytest.raises(NotFound, match="no service 'ghost'"):
        simulate([WEB], [], [KEV], target_id="ghost")


@pytest.mark.parametrize(
    ("given", "exploit", "assumed"),
    [
        ({"cvss": 8.0}, 0.4, False),
        ({"cvss": 8.0, "epss": 0.1}, 0.4, False),
        ({"cvss": 8.0, "epss": 0.6}, 0.6, False),
        ({"epss": 0.99, "known_exploited": True}, 0.99, False),
        ({"known_exploited": True}, 0.95, False),
        ({"epss": 0.0}, 0.0, False),
        ({"severity": "critical"}, 0.5, True),
        ({"severity": "high"}, 0.445, True),
        ({"severity": "info"}, 0.0, True),
    ],
)
def test_exploit_is_the_largest_of_what_is_known_and_the_worst_of_the_severity_when_nothing_is(given, exploit, assumed):
    (entry,), _ = entries([finding("f", **given)], {"web": WEB})
    assert (entry.exploit, entry.assumed) == (exploit, assumed)


def test_exposure_is_internal_unless_the_finding_or_the_service_is_reachable():
    inside, outside = finding("f", "db", epss=0.5), finding("g", "db", epss=0.5, internet_reachable=True)
    assert [entry.exposure for entry in entries([inside, outside], {"db": DB})[0]] == [0.6, 1.0]


def test_only_open_findings_on_known_services_are_entries_and_the_rest_is_said():
    findings = [finding("a", None), finding("b", "ghost"), finding("c", status="fixed"), finding("d", severity="low")]
    assert simulate([WEB, API, DB], CHAIN, findings).warnings == (
        "2 open findings are on no known service and begin no path.",
        "1 open findings have neither CVSS nor EPSS; the worst of their severity was taken.",
    )


def test_segmentation_makes_a_hop_harder():
    guarded = [CHAIN[0], Dependency("api", "db", segmented=True)]
    path = simulate([WEB, API, DB], guarded, [KEV]).paths[0]
    assert path.score == 0.1995
    assert path.hops[1].why == (
        "API calls Database; segmentation or strong authentication is recorded, which makes it harder but not "
        "impossible."
    )


def test_ranking_is_by_score_then_hops_then_id():
    twin = Service("cache", "Cache", 5)
    findings = [finding("b", "db", epss=0.5), finding("a", "db", epss=0.5), finding("c", "cache", epss=0.35)]
    services = [DB, twin, Service("near", "Near", 5)]
    edges = [Dependency("db", "near")]
    ranked = simulate(services, edges, findings).paths
    assert [(path.rank, path.id, path.score) for path in ranked] == [
        (1, "a@db", 0.3),
        (2, "b@db", 0.3),
        (3, "c@cache", 0.21),
        (4, "a@db>near", 0.21),
        (5, "b@db>near", 0.21),
    ]


def test_depth_bounds_hops_and_is_capped_at_8():
    services = [Service(f"s{i}", f"S{i}", 5, "production" if i == 9 else "staging") for i in range(10)]
    chain = [Dependency(f"s{i}", f"s{i + 1}") for i in range(9)]
    seen = [finding(f"f{i}", f"s{i}", epss=1.0) for i in range(10)]
    assert [len(path.hops) for path in simulate(services, chain, seen).paths] == [0, 1, 2, 3, 4, 5]
    assert simulate(services, chain, seen, max_depth=0).found == 1
    deepest = simulate(services, chain, seen, max_depth=99)
    assert (deepest.max_depth, deepest.found) == (8, 9)


def mesh(size):
    services = [Service(f"s{i}", f"S{i}", 1 + i % 5) for i in range(size)]
    edges = [
        Dependency(a.id, b.id, segmented=(i * 7 + j) % 3 == 0)
        for i, a in enumerate(services)
        for j, b in enumerate(services)
        if a != b
    ]
    return services, edges, [finding(f"f{i}", f"s{i}", epss=0.1 + i / 20) for i in range(size)]


def test_a_search_that_is_cut_short_says_so_and_has_lost_the_least():
    services, edges, findings = mesh(6)
    whole = simulate(services, edges, findings, listed=10_000)
    cut = simulate(services, edges, findings, listed=10_000, most_expansions=50)
    assert (whole.truncated, whole.missed_at_most) == (False, None)
    assert (cut.truncated, cut.expansions) == (True, 50)
    missing = {path.id: path.score for path in whole.paths} | {path.id: 0 for path in cut.paths}
    assert max(missing.values()) <= cut.missed_at_most
    better = [path.id for path in whole.paths if path.score > cut.missed_at_most]
    assert better
    assert [path.id for path in cut.paths][: len(better)] == better
    assert cut.warnings == (
        f"The search stopped after 50 steps, best first; no path that is missing scores above "
        f"{cut.missed_at_most:.4f}.",
    )


def test_a_list_that_is_shorter_than_what_was_found_holds_the_best():
    services, edges, findings = mesh(5)
    whole, short = (simulate(services, edges, findings, listed=many) for many in (10_000, 7))
    assert short.paths == whole.paths[:7]
    assert (short.found, short.total_score, short.targets) == (whole.found, whole.total_score, whole.targets)


@pytest.mark.real
def test_an_estimate_says_its_method_its_error_and_that_the_order_is_not_certain():
    services, edges, findings = mesh(7)
    result = simulate(services, edges, findings)
    top = result.targets[0]
    assert (top.method, {target.method for target in result.targets}) == ("monte_carlo", {"monte_carlo"})
    assert result.sentence == (
        f"{result.found:,} paths lead to 7 services; {top.name} is the most exposed, at {100 * top.combined:.1f} % "
        f"over all its paths, what they share counted once (Monte Carlo, 16,384 samples, standard error "
        f"{100 * top.standard_error:.2f} points)."
    )
    assert all(0 < target.standard_error <= 0.004 for target in result.targets)
    assert result == simulate(services, edges, findings)
    twins = [Service(one.id, one.name, 5) for one in services]
    assert any("their order is not certain" in line for line in simulate(twins, edges, findings).warnings)


def test_fixes_come_in_the_order_in_which_they_pay():
    second = finding("f2", "api", epss=0.1)
    result = simulate([WEB, API, DB], CHAIN, [KEV, second])
    assert [(fix.kind, fix.id, fix.reduction, fix.residual, fix.residual_pct) for fix in result.fixes] == [
        ("fix_finding", "f1", 0.4655, 0.042, 8.3),
        ("fix_finding", "f2", 0.042, 0.0, 0.0),
    ]


def test_segmenting_pays_where_many_findings_share_a_dependency():
    many = [finding(f"f{i}", epss=0.5) for i in range(5)]
    first = simulate([WEB, API, DB], CHAIN, many).fixes[0]
    assert first == Fix(
        1,
        "segment",
        "api>db",
        "Segment Database from API, or require strong authentication",
        0.7,
        0.525,
        42.9,
        "service_dependencies:api>db",
    )
