"""Error budgets across services."""

from engine.incidents.slo.slo import Overview, budget, overview
from engine.incidents.slo.slo_rules import Objective
from engine.model.documents.document import Coverage
from tests.incidents.slo.test_slo import both


def test_the_overview_counts_and_weighs():
    critical = budget(Objective("a", 99.9, name="A"), both((1_000, 5), (1_000_000, 1500)))
    warning = budget(Objective("b", 99.9, name="B"), both((1_000, 0), (3_000_000, 2400)))
    quiet = budget(Objective("c", 99.9, name="C"), both((1_000, 0), (1_000_000, 100)))
    new = budget(Objective("d", 99.9, name="D"), both((0, 0), (0, 0)))
    assert overview([new, quiet, warning, critical], ["a", "b", "c", "d", "e"]) == Overview(
        services=5,
        counts={"critical": 1, "warning": 1, "insufficient_history": 1, "ok": 1},
        mean_used_pct=80.0,
        weighted_used_pct=80.0,
        coverage=Coverage(3, 5),
        worst=(critical, warning, quiet),
        without_objective=("e",),
        sentence="Of 5 services, 1 burn critically and 1 need watching; on average 80.0 % of the 30-day error budget "
        "is used; 1 have too little history and 1 no objective.",
    )


def test_busy_services_weigh_more():
    busy = budget(Objective("a", 99.9), both((1, 0), (9_000_000, 0)))
    small = budget(Objective("b", 99.9), both((1, 0), (1_000_000, 500)))
    result = overview([busy, small], [])
    assert (result.mean_used_pct, result.weighted_used_pct) == (25.0, 5.0)


def test_a_broken_promise_of_100_percent_is_the_worst_and_only_five_are_listed():
    spent = [budget(Objective(f"s{i}", 99.9), both((1, 0), (1_000_000, 1000 + i))) for i in range(6)]
    broken = budget(Objective("z", 100.0), both((1, 0), (10, 1)))
    assert [one.service_id for one in overview([*spent, broken], []).worst] == ["z", "s5", "s4", "s3", "s2"]


def test_the_overview_of_nothing():
    assert overview([], []) == Overview(
        0,
        {"critical": 0, "warning": 0, "insufficient_history": 0, "ok": 0},
        None,
        None,
        Coverage(0, 0),
        (),
        (),
        "There are no services.",
    )
    assert overview([], ["a"]).sentence == (
        "No 30-day error budget can be judged yet: 1 of 1 service have no objective."
    )
