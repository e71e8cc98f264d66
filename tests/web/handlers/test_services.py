"""Services over HTTP: error budgets, the overview, the dependency graph, attack paths."""

from datetime import timedelta

import pytest

from engine.store.schema.organizations import organization_settings
from engine.store.schema.services import findings, service_dependencies, services, slo_buckets, slo_profiles
from tests.conftest import NOW

SLO = "/api/services/api/slo"
OVERVIEW = "/api/overview/error-budget-summary"
GRAPH = "/api/services/dependency-graph"
PATHS = "/api/attack-paths/simulate"
ALL = [SLO, OVERVIEW, GRAPH, PATHS]


def write(store, *rows, org="acme"):
    with store.revision(org, "setup", now=NOW) as revision:
        for table, row in rows:
            revision.insert(table, [row])
        revision.record("import.completed")


def service(identifier, **values):
    return services, {"id": identifier, "name": identifier.title(), "criticality": 5, **values}


def needs(one, other, **values):
    return service_dependencies, {"service_id": one, "depends_on_id": other, **values}


def objective(identifier, pct=99.0, **values):
    return slo_profiles, {"service_id": identifier, "objective_pct": pct, **values}


def buckets(identifier, count, total=100, bad=0):
    """The newest complete buckets before now, and the one that is still filling."""
    rows = [
        (
            slo_buckets,
            {"service_id": identifier, "bucket_at": NOW - timedelta(minutes=5 * n), "total": total, "bad": bad},
        )
        for n in range(1, count + 1)
    ]
    return [*rows, (slo_buckets, {"service_id": identifier, "bucket_at": NOW, "total": 999, "bad": 999})]


def finding(identifier, on, **values):
    row = {
        "id": identifier,
        "source": "s",
        "finding_key": identifier,
        "title": "A weakness",
        "severity": "high",
        "status": "open",
        "service_id": on,
        "cvss": 8.0,
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        **values,
    }
    return findings, row


@pytest.mark.parametrize("path", ALL)
def test_these_routes_need_a_session_and_know_their_parameters(path, sign_in, with_people):
    write(with_people, service("api"))
    assert sign_in(None).get(path).status == 401
    answer = sign_in().get(f"{path}?periodDays=3")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    assert answer.json["details"][0]["parameter"] == "periodDays"


@pytest.mark.parametrize("path", ALL)
def test_services_of_another_organization_do_not_exist(path, sign_in, with_people):
    write(with_people, service("api"), objective("api"), *buckets("api", 9), finding("f", "api"), org="other")
    answer = sign_in().get(path)
    if path == SLO:
        assert (answer.status, answer.json["error"]) == (404, "not_found")
    else:
        assert answer.status == 200
        assert b"Api" not in answer.body


# -- error budgets -----------------------------------------------------------------------------------------------------


def test_the_budgets_of_a_service_over_seven_and_thirty_days(sign_in, with_people):
    """7 days hold 2,016 buckets: 201,600 events, 2,016 of them may be bad; 1,008 were, 0.5 of each bucket."""
    write(
        with_people, service("api", owner="ann@acme.example"), objective("api"), *buckets("api", 8640, total=200, bad=1)
    )
    answer = sign_in("member@acme.example").get(SLO)
    assert answer.status == 200
    found = answer.json
    assert found["service"]["name"] == "Api"
    assert found["profile"] == {"objective_pct": 99.0, "indicator": None, "window_kind": "rolling"}
    assert (found["as_of"], found["severity"], found["method"]) == ("2026-11-20T08:30:00Z", "ok", "burn_rates")
    figures = ("days", "total", "bad", "budget", "used_pct", "remaining_pct", "burn", "exhaustion_days", "buckets")
    assert [[window[name] for name in figures] for window in found["windows"]] == [
        [7, 403_200, 2016, 4032.0, 50.0, 50.0, 0.5, None, 2016],
        [30, 1_728_000, 8640, 17280.0, 50.0, 50.0, 0.5, None, 8640],
    ]
    assert found["last_bucket_at"] == "2026-11-20T08:25:00Z"
    assert found["sentence"] == (
        "Api has used 50.0 % of its 30-day error budget (8,640 of 17,280 bad events); at the recent rate the budget "
        "does not run out."
    )


def test_no_data_is_never_good(sign_in, with_people):
    write(with_people, service("api"), service("new"), objective("new"))
    found = sign_in().get(SLO).json
    assert (found["profile"], found["severity"], found["windows"]) == (None, "no_objective", [])
    found = sign_in().get("/api/services/new/slo").json
    assert {window["severity"] for window in found["windows"]} == {"insufficient_history"}
    assert {window["used_pct"] for window in found["windows"]} == {None}
    assert found["sentence"] == "New has no events in 30 days, so its error budget cannot be judged."


def test_the_overview_counts_and_judges_as_the_services_themselves_do(sign_in, with_people):
    names = ("bad", "fine", "slow", "new")
    write(
        with_people,
        *(service(name) for name in (*names, "none")),
        *(objective(name) for name in names),
        *buckets("bad", 900, total=100, bad=20),
        *buckets("fine", 900, total=300, bad=0),
        *buckets("slow", 900, total=100, bad=1),
        *buckets("new", 20),
    )
    client = sign_in()
    found = client.get(OVERVIEW).json
    assert found["counts"] == {"critical": 2, "warning": 0, "insufficient_history": 1, "ok": 1}
    assert (found["services"], found["critical"], found["warning"]) == (5, 2, 0)
    assert found["coverage"] == {"assessed": 3, "total": 5, "pct": 60.0}
    assert (found["mean_used_pct"], found["weighted_used_pct"]) == (700.0, 420.0)
    assert [budget["service_id"] for budget in found["worst"]] == ["bad", "slow", "fine"]
    assert found["without_objective"] == ["none"]
    for budget in found["worst"]:
        alone = client.get(f"/api/services/{budget['service_id']}/slo").json
        assert {name: budget[name] for name in ("severity", "rule", "sentence")} == {
            name: alone[name] for name in ("severity", "rule", "sentence")
        }
        assert [window["used_pct"] for window in budget["windows"]] == [
            window["used_pct"] for window in alone["windows"]
        ]


def test_the_overview_sees_the_last_write(sign_in, with_people):
    client = sign_in()
    assert client.get(OVERVIEW).json["sentence"] == "There are no services."
    write(with_people, service("api"))
    assert client.get(OVERVIEW).json["without_objective"] == ["api"]


# -- the graph ---------------------------------------------------------------------------------------------------------


def test_the_graph_has_nodes_directed_edges_cycles_and_blast_radius(sign_in, with_people):
    write(
        with_people,
        service("web", criticality=3, internet_facing=True),
        service("api"),
        service("db"),
        service("queue"),
        needs("web", "api", kind="api"),
        needs("api", "db"),
        needs("api", "queue"),
        needs("queue", "api"),
        needs("api", "ghost"),
    )
    found = sign_in().get(GRAPH).json
    assert found["summary"] == {"services": 4, "dependencies": 4, "cycles": 1, "deepest_layer": 2}
    assert {node["id"]: (node["layer"], node["blast_radius"], node["cycle"]) for node in found["nodes"]} == {
        "api": (1, 2, 1),
        "db": (0, 3, None),
        "queue": (1, 2, 1),
        "web": (2, 0, None),
    }
    assert {"from": "web", "to": "api", "kind": "api", "segmented": False, "vendor_id": None} in found["edges"]
    assert found["cycles"] == [{"services": ["api", "queue"], "loop": ["api", "queue", "api"]}]
    assert [edge["to"] for edge in found["dangling_edges"]] == ["ghost"]


def test_an_empty_graph_is_empty(sign_in):
    found = sign_in().get(GRAPH).json
    assert (found["nodes"], found["edges"], found["summary"]["deepest_layer"]) == ([], [], None)


# -- attack paths ------------------------------------------------------------------------------------------------------


@pytest.fixture
def exposed_services(with_people):
    write(
        with_people,
        service("web", internet_facing=True, criticality=2),
        service("api", criticality=4),
        service("db"),
        needs("web", "api"),
        needs("api", "db", segmented=True),
        finding("F1", "web", known_exploited=True),
        finding("F2", "db", status="fixed"),
    )
    return with_people


def test_paths_are_ranked_with_choke_points_and_fixes(sign_in, exposed_services):
    found = sign_in().get(PATHS).json
    assert [(path["score"], path["services"]) for path in found["paths"]] == [
        (0.532, ["web", "api"]),
        (0.38, ["web"]),
        (0.1995, ["web", "api", "db"]),
    ]
    assert (found["max_depth"], found["found"], found["truncated"]) == (5, 3, False)
    assert found["fixes"][0]["evidence_id"] == "findings:F1"
    assert found["choke_points"]
    assert [(one["service_id"], one["combined"], one["method"], one["standard_error"]) for one in found["targets"]] == [
        ("api", 0.532, "exact", None),
        ("web", 0.38, "exact", None),
        ("db", 0.1995, "exact", None),
    ]
    assert "what they share counted once (exact)" in found["sentence"]
    assert "not detections" in found["statement"]


def test_target_and_depth_bound_the_search(sign_in, exposed_services):
    client = sign_in()
    assert [path["target_id"] for path in client.get(f"{PATHS}?targetServiceId=db").json["paths"]] == ["db"]
    assert [path["target_id"] for path in client.get(f"{PATHS}?maxDepth=1").json["paths"]] == ["api", "web"]
    write(exposed_services, (organization_settings, {"name": "attack_depth", "value": 1}))
    assert client.get(PATHS).json["max_depth"] == 1


@pytest.mark.parametrize("depth", ["0", "9", "-1", "x", "1.5", "", "99999999999"])
def test_a_depth_out_of_range_is_named(depth, sign_in, exposed_services):
    answer = sign_in().get(f"{PATHS}?maxDepth={depth}")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    assert answer.json["details"][0] == {
        "parameter": "maxDepth",
        "expected": "an integer from 1 to 8",
        "got": depth[:80],
    }


def test_an_unknown_target_is_404(sign_in, exposed_services):
    write(exposed_services, service("theirs"), org="other")
    for target in ("nothing", "theirs"):
        answer = sign_in().get(f"{PATHS}?targetServiceId={target}")
        assert (answer.status, answer.json["error"]) == (404, "not_found")
    assert sign_in().get(f"{PATHS}?targetServiceId=").status == 400
