"""What the report that links tests to controls says."""

import json
from datetime import date

from engine.model.documents.document import Coverage
from reports.testing.testing_evidence_linker import REPORT
from tests.factories import ask, explained_rows, lead, moment, rows
from tests.factories import document as edition
from tests.reports.explanations import values_follow


def dry(identifier, day=10, outcome="passed", **more):
    return {
        "id": identifier,
        "kind": "dry_run",
        "title": "rotate-key",
        "playbook": "rotate-key",
        "performed_on": date(2026, 11, day),
        "performed_at": moment(f"2026-11-{day} 09:00"),
        "outcome": outcome,
        **more,
    }


def match(test_id, control_id, day=10, **more):
    return {
        "framework": "soc2",
        "control_id": control_id,
        "title": f"Control {control_id}",
        "test_id": test_id,
        "basis": ["runbook"],
        "performed_on": date(2026, 11, day),
        "age_days": 20 - day,
        "window_days": 35,
        "freshness": "fresh",
        "position": int(control_id[1:]),
        **more,
    }


def link(test_id, control_id, on=15, **more):
    return {
        "framework": "soc2",
        "control_id": control_id,
        "id": f"L-{test_id}-{control_id}",
        "test_id": test_id,
        "status": "linked",
        "supplement": False,
        "linked_by": "ann",
        "linked_on": date(2026, 11, on),
        "linked_at": moment(f"2026-11-{on} 10:00"),
        "outcome": "passed",
        "age_days": 10,
        "window_days": 35,
        "freshness": "fresh",
        **more,
    }


def facts(tests=(), matches=(), links=(), status=None, recurring=()):
    given = status or [{"control_id": f"C{n}"} for n in range(1, 5)]
    return {
        "tests": rows("tests", *tests),
        "test_matches": rows("test_matches", *matches),
        "test_links": rows("test_links", *links),
        "control_tests": rows("control_tests", *({"framework": "soc2", **row} for row in recurring)),
        "control_status": rows("control_status", *({"framework": "soc2", **row} for row in given)),
    }


def report(*given, period_days=30, **more):
    return edition(REPORT, ask(period_days=period_days), **facts(*given, **more))


def frame(document, name):
    return document.table(name).frame


def statuses(document):
    return dict(frame(document, "tests").select("id", "status").rows())


FIRST = (
    *("tests_in_period", "tests_passed_in_period", "tests_linked_pct", "tests_suggested", "tests_unlinked"),
    *("tests_rejected", "tests_linked", "tests_unused"),
)


def test_each_test_is_linked_suggested_rejected_or_unlinked():
    document = report(
        [dry("a"), dry("b"), dry("c"), dry("d"), dry("e", outcome="failed")],
        [match("a", "C1"), match("b", "C1"), match("c", "C1")],
        [link("a", "C1"), link("c", "C1", status="rejected")],
    )
    assert statuses(document) == {"a": "linked", "b": "suggested", "c": "rejected", "d": "unlinked", "e": "unlinked"}
    assert {name: document.summary[name] for name in FIRST} == {
        "tests_in_period": 5,
        "tests_passed_in_period": 4,
        "tests_linked_pct": 25.0,
        "tests_suggested": 1,
        "tests_unlinked": 2,
        "tests_rejected": 1,
        "tests_linked": 1,
        "tests_unused": 3,
    }
    assert document.coverage == Coverage(4, 4)


def test_a_recurring_test_that_passed_is_linked_to_the_controls_of_its_schedule():
    def run(identifier, control_id, outcome="passed", counts=True):
        return {"control_id": control_id, "run_id": identifier, "outcome": outcome, "counts": counts}

    tests = [dry(name, kind="test_run") for name in ("pull", "bad", "old")]
    tests[1]["outcome"] = "failed"
    document = report(
        tests,
        [match(name, "C1", basis=["schedule"]) for name in ("pull", "old")],
        recurring=[
            *(run("pull", control_id) for control_id in ("C1", "C2")),
            run("bad", "C1", outcome="failed"),
            run("old", "C1", counts=False),
        ],
    )
    assert statuses(document) == {"pull": "linked", "bad": "unlinked", "old": "suggested"}
    (linked,) = frame(document, "tests").filter(id="pull")["linked_controls"].to_list()
    assert linked == ["soc2:C1", "soc2:C2"]
    assert [document.summary[name] for name in ("tests_linked_pct", "tests_unused", "controls_suggested")] == [
        50.0,
        1,
        1,
    ]
    assert frame(document, "suggestions")["test_id"].to_list() == ["old"]


def test_the_newest_undecided_test_is_suggested_for_each_control():
    document = report(
        [dry("a", 10), dry("b", 12), dry("c", 14)],
        [match("a", "C1", 10), match("b", "C1", 12), match("c", "C1", 14), match("a", "C2", 10)],
        [link("c", "C1", status="rejected")],
    )
    assert frame(document, "suggestions").select("control_id", "test_id").rows() == [("C1", "b"), ("C2", "a")]


def test_what_is_older_than_a_linked_test_or_stale_is_not_suggested():
    document = report(
        [dry("a", 10), dry("b", 12)],
        [match("a", "C1", 10), match("b", "C1", 12), match("a", "C2", 10, freshness="stale")],
        [link("b", "C1", age_days=8)],
    )
    assert frame(document, "suggestions").is_empty()
    assert lead(document) == (
        "In 30 days 1 of 2 passed tests is linked to a control (50.0 %); no further link is suggested.",
        "",
    )


def test_the_picture_has_the_test_that_would_serve_most_controls_first():
    (chart,) = report(
        [dry("a"), dry("b", title="apply-patch", playbook="apply-patch")],
        [match("a", "C1"), match("b", "C2"), match("b", "C3")],
    ).charts
    assert chart.frame.rows() == [("apply-patch", 2), ("rotate-key", 1)]
    assert report().charts == []


def test_a_control_that_lacks_a_test_comes_first():
    test_kind = {"kinds_required": ["test"]}
    document = report(
        [dry("a")],
        [match("a", "C1"), match("a", "C2"), match("a", "C3"), match("a", "C4")],
        status=[
            {"control_id": "C1"},
            {"control_id": "C2", **test_kind, "kinds_present": ["test"], "kinds_stale": ["test"], "state": "stale"},
            {"control_id": "C3", **test_kind, "kinds_present": [], "state": "no_data"},
            {"control_id": "C4", "applicable": False},
        ],
    )
    assert frame(document, "suggestions").select("control_id", "adds").rows() == [
        ("C3", "first"),
        ("C2", "renews"),
        ("C1", "supports"),
    ]
    assert lead(document) == (
        "In 30 days 0 of 1 passed test is linked to a control (0.0 %); 3 more controls could use one as evidence.",
        "Link the dry-run “rotate-key” of 10 Nov 2026 to SOC 2 C3 Control C3 (with ann@acme.example): it would have its "
        "first test.",
    )
    body = json.loads(frame(document, "suggestions")["link_body"][0])
    assert body == {"links": [{"test_id": "a", "framework": "soc2", "control_id": "C3"}]}


def test_where_no_control_needs_a_link_nobody_has_to_act():
    assert lead(report([dry("a")], [match("a", "C1")], status=[{"control_id": "C1"}])) == (
        "In 30 days 0 of 1 passed test is linked to a control (0.0 %); 1 more control could have one too, and none needs it.",
        "Nobody has to act: no state changes by a link. The first that fits is the dry-run “rotate-key” of 10 Nov 2026 for "
        "SOC 2 C1 Control C1 (with ann@acme.example).",
    )


def test_a_control_is_newly_evidenced_by_its_first_link_to_a_passed_test():
    document = report(
        [dry("a")],
        links=[
            link("a", "C1"),
            link("old", "C2", linked_at=moment("2026-01-02 10:00"), linked_on=date(2026, 1, 2)),
            link("a", "C2"),
            link("f", "C3", outcome="failed"),
            link("r", "C4", status="rejected"),
        ],
    )
    assert frame(document, "newly_evidenced").select("control_id", "linked_on").rows() == [("C1", date(2026, 11, 15))]


def test_links_in_bundles_and_supplements_are_counted():
    document = report(
        [dry("a")],
        links=[link("a", "C1", bundle_id="B1"), link("a", "C2", bundle_id="B0", supplement=True), link("a", "C3")],
    )
    assert [document.summary[name] for name in ("test_links", "test_links_in_bundles", "test_links_supplement")] == [
        3,
        2,
        1,
    ]
    assert frame(document, "tests").select("linked_controls", "bundles").rows() == [
        (["soc2:C1", "soc2:C2", "soc2:C3"], ["B0", "B1"])
    ]


def test_tests_before_the_period_are_left_out():
    document = report([dry("a", 10)], [match("a", "C1")], period_days=5)
    assert document.summary["tests_in_period"] == 0
    assert lead(document) == (
        "No test was performed in 5 days, so there is nothing to link.",
        "Import test_runs.csv with hq import to fill this report.",
    )
    assert document.summary["tests_linked_pct"] is None


def test_tests_that_failed_are_no_evidence():
    document = report([dry("a", outcome="failed"), dry("b", outcome="blocked")])
    assert lead(document) == ("None of 2 tests in 30 days passed, so none can be evidence.", "")


SEVERAL = (
    [dry("a"), dry("b"), dry("c"), dry("e", outcome="failed")],
    [match("a", "C1"), match("b", "C2")],
    [link("a", "C1", bundle_id="B1", supplement=True), link("c", "C1", status="rejected"), link("a", "C3")],
    [{"control_id": "C1"}, {"control_id": "C2", "kinds_required": ["test"], "kinds_present": []}, {"control_id": "C3"}],
)


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, ask(), **facts(*SEVERAL))
    values_follow(REPORT)


def test_figures_of_controls_and_links_count_controls_and_links():
    summary = report(*SEVERAL).summary
    assert {name: summary[name] for name in summary if name not in FIRST} == {
        "controls_newly_evidenced": 2,
        "controls_suggested": 1,
        "controls_suggested_without_test": 1,
        "test_links": 2,
        "test_links_in_bundles": 1,
        "test_links_supplement": 1,
    }


def test_an_unused_test_says_where_it_stands():
    found = explained_rows(REPORT, "tests_unused", ask(), **facts(*SEVERAL))
    assert found.select("id", "reason").rows() == [
        ("b", "rotate-key on 2026-11-10: passed, suggested"),
        ("c", "rotate-key on 2026-11-10: passed, rejected"),
    ]


def test_without_tests_nothing_is_linked():
    document = report()
    assert lead(document) == (
        "No test was performed in 30 days, so there is nothing to link.",
        "Import test_runs.csv with hq import to fill this report.",
    )
    assert document.summary["tests_linked_pct"] is None
