"""What the report that links tests to controls says."""

import json
from datetime import date

from engine.model.document import Coverage
from reports.testing.testing_evidence_linker import REPORT
from tests.factories import ask, moment, rows


def dry(identifier, day=10, outcome="passed", **more):
    return {"id": identifier, "kind": "dry_run", "title": "rotate-key", "playbook": "rotate-key",
            "performed_on": date(2026, 11, day), "performed_at": moment(f"2026-11-{day} 09:00"), "outcome": outcome,
            **more}  # fmt: skip


def match(test_id, control_id, day=10, **more):
    return {"framework": "soc2", "control_id": control_id, "title": f"Control {control_id}", "test_id": test_id,
            "basis": ["runbook"], "performed_on": date(2026, 11, day), "age_days": 20 - day, "window_days": 35,
            "freshness": "fresh", "position": int(control_id[1:]), **more}  # fmt: skip


def link(test_id, control_id, on=15, **more):
    return {"framework": "soc2", "control_id": control_id, "id": f"L-{test_id}-{control_id}", "test_id": test_id,
            "status": "linked", "supplement": False, "linked_by": "ann", "linked_on": date(2026, 11, on),
            "linked_at": moment(f"2026-11-{on} 10:00"), "outcome": "passed", "age_days": 10, "window_days": 35,
            "freshness": "fresh", **more}  # fmt: skip


def report(tests=(), matches=(), links=(), status=None, period_days=30):
    given = status or [{"control_id": f"C{n}"} for n in range(1, 5)]
    return REPORT.build(
        rows("tests", *tests),
        rows("test_matches", *matches),
        rows("test_links", *links),
        rows("control_status", *({"framework": "soc2", **row} for row in given)),
        ask(period_days=period_days),
    )


def frame(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def statuses(document):
    return dict(frame(document, "tests").select("id", "status").rows())


def test_each_test_is_linked_suggested_rejected_or_unlinked():
    document = report(
        [dry("a"), dry("b"), dry("c"), dry("d"), dry("e", outcome="failed")],
        [match("a", "C1"), match("b", "C1"), match("c", "C1")],
        [link("a", "C1"), link("c", "C1", status="rejected")],
    )
    assert statuses(document) == {"a": "linked", "b": "suggested", "c": "rejected", "d": "unlinked", "e": "unlinked"}
    assert {name: document.summary[name] for name in ("tests", "passed", "linked", "unused", "linked_pct")} == {
        "tests": 5, "passed": 4, "linked": 1, "unused": 3, "linked_pct": 25.0
    }  # fmt: skip
    assert document.coverage == Coverage(1, 4)


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
    assert document.headline == (
        "In 30 days 1 of 2 passed tests is linked to a control (50.0 %); no further link is suggested."
    )


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
        ("C3", "first"), ("C2", "renews"), ("C1", "supports")
    ]  # fmt: skip
    assert document.headline == (
        "In 30 days 0 of 1 passed test is linked to a control (0.0 %), and tests fit 3 more controls: start with a for "
        "SOC 2 C3, which has no test yet."
    )
    body = json.loads(frame(document, "suggestions")["link_body"][0])
    assert body == {"links": [{"test_id": "a", "framework": "soc2", "control_id": "C3"}]}


def test_a_control_is_newly_evidenced_by_its_first_link_to_a_passed_test():
    document = report(
        [dry("a")],
        links=[
            link("a", "C1"), link("old", "C2", linked_at=moment("2026-01-02 10:00"), linked_on=date(2026, 1, 2)),
            link("a", "C2"), link("f", "C3", outcome="failed"), link("r", "C4", status="rejected"),
        ],
    )  # fmt: skip
    assert frame(document, "newly_evidenced").select("control_id", "linked_on").rows() == [("C1", date(2026, 11, 15))]


def test_links_in_bundles_and_supplements_are_counted():
    document = report(
        [dry("a")], links=[link("a", "C1", bundle_id="B1"), link("a", "C2", bundle_id="B0", supplement=True), link("a", "C3")]
    )  # fmt: skip
    assert [document.summary[name] for name in ("links", "links_in_bundles", "supplements")] == [3, 2, 1]
    assert frame(document, "tests").select("linked_controls", "bundles").rows() == [
        (["soc2:C1", "soc2:C2", "soc2:C3"], ["B0", "B1"])
    ]


def test_tests_before_the_period_are_left_out():
    document = report([dry("a", 10)], [match("a", "C1")], period_days=5)
    assert document.summary["tests"] == 0
    assert document.headline == "No test was performed in 5 days, so there is nothing to link."
    assert document.summary["linked_pct"] is None


def test_tests_that_failed_are_no_evidence():
    document = report([dry("a", outcome="failed"), dry("b", outcome="blocked")])
    assert document.headline == "None of 2 tests in 30 days passed, so none can be evidence."
