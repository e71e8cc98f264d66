"""What changed in the catalogue since it was last seen, and what that touches."""

from datetime import date

import pytest

from reports.mapping.mapping_digest import REPORT
from tests.factories import assessment_facts, document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

SEEN = {"taken_on": date(2026, 10, 1), "version": "old"}


def requirement(control_id, title="Title", framework="soc2", **given):
    return {"framework": framework, "control_id": control_id, "title": title, "assessable": True, **given}


def edge(source, target, relation="superset", strength=0.9):
    return {
        "source_framework": "soc2",
        "source_id": source,
        "target_framework": "iso27001",
        "target_id": target,
        "relation": relation,
        "strength": strength,
    }


def control(control_id, state="effective", framework="soc2", **given):
    return {
        "framework": framework,
        "control_id": control_id,
        "state": state,
        "title": f"Our {control_id}",
        "owner": "ann@acme.example",
        **given,
    }


def full(given):
    return {**given, "full": given["relation"] in ("equal", "superset") and given["strength"] >= 0.8}


def facts(now=(), then=(), edges=(), edges_then=(), *, status=(), states=(), linked=(), seen=SEEN, scope=("soc2",)):
    return {
        "organization": rows("organization", {"frameworks": list(scope)}),
        "catalogue_entries": rows(
            "catalogue_entries", *({"version": "new", "position": n, **row} for n, row in enumerate(now))
        ),
        "crosswalk": rows("crosswalk", *map(full, edges)),
        "catalogue_seen": rows("catalogue_seen", *([seen] if seen else [])),
        "requirements_seen": rows("requirements_seen", *then),
        "edges_seen": rows("edges_seen", *edges_then),
        **assessment_facts(*status),
        "state_changes": rows("state_changes", *states),
        "linked_evidence": rows("linked_evidence", *linked),
    }


def report(*given, **more):
    return document(REPORT, **facts(*given, **more))


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


ONE = requirement("CC1.1")


def test_requirements_are_added_removed_and_renamed():
    held = report(
        now=[ONE, requirement("CC1.2", "New title"), requirement("CC1.3")],
        then=[ONE, requirement("CC1.2", "Old title"), requirement("CC1.9", "Gone")],
    )
    assert table(held, "requirements_changed").rows() == [
        ("renamed", "soc2", "CC1.2", "New title", "Old title", True, True),
        ("added", "soc2", "CC1.3", "Title", None, True, True),
        ("removed", "soc2", "CC1.9", None, "Gone", True, True),
    ]
    assert held.summary["catalogue_changed"] is True


def test_edges_are_added_removed_and_changed_in_relation_or_strength():
    held = report(
        [ONE],
        [ONE],
        [
            edge("CC1.1", "A.5.1"),
            edge("CC1.1", "A.5.2", "equal"),
            edge("CC1.1", "A.5.3", strength=0.5),
            edge("CC1.1", "A.5.4"),
        ],
        [edge("CC1.1", "A.5.1"), edge("CC1.1", "A.5.2"), edge("CC1.1", "A.5.3"), edge("CC1.1", "A.5.10")],
        scope=("soc2", "iso27001"),
    )
    found = table(held, "edges_changed").select(
        "change", "target_id", "relation", "previous_relation", "strength", "previous_strength", "in_scope"
    )
    assert found.rows() == [
        ("changed", "A.5.2", "equal", "superset", 0.9, 0.9, True),
        ("changed", "A.5.3", "superset", "superset", 0.5, 0.9, True),
        ("added", "A.5.4", "superset", None, 0.9, None, True),
        ("removed", "A.5.10", None, "superset", None, 0.9, True),
    ]


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        ([], ["A.5.1"]),
        ([edge("CC1.1", "A.5.1", strength=0.79)], ["A.5.1"]),
        ([edge("CC1.1", "A.5.1", "subset")], ["A.5.1"]),
        ([edge("CC2.1", "A.5.1", "equal", 0.8)], []),
        ([edge("CC1.1", "A.5.1", "superset", 0.8)], []),
    ],
)
def test_a_requirement_has_lost_its_last_full_edge_when_no_full_one_is_left(now, lost):
    held = report([ONE], [ONE], now, [edge("CC1.1", "A.5.1"), edge("CC1.1", "A.9.9", "intersects", 0.4)])
    found = table(held, "lost_full")
    assert found["control_id"].to_list() == lost
    assert found["covered_by"].to_list() == [["soc2 CC1.1"]] * len(lost)


def test_readiness_is_compared_with_the_requirements_of_before():
    """Two of three are effective now; without the added one and with a removed effective one it was two of three too."""
    held = report(
        [ONE, requirement("CC1.2"), requirement("CC1.3")],
        [ONE, requirement("CC1.2"), requirement("CC1.8"), requirement("CC1.9", assessable=False)],
        status=[control("CC1.1"), control("CC1.2", "stale"), control("CC1.3")],
        states=[
            {"framework": "soc2", "control_id": "CC1.8", "observed_on": date(2026, 9, 1), "state": "stale"},
            {"framework": "soc2", "control_id": "CC1.8", "observed_on": date(2026, 9, 8), "state": "effective"},
        ],
    )
    found = table(held, "frameworks").select(
        "framework",
        "added",
        "removed",
        "previous_effective",
        "previous_applicable",
        "previous_strict_pct",
        "now_strict_pct",
        "effect_points",
    )
    assert found.rows() == [("soc2", 1, 2, 2, 3, 66.7, 66.7, 0.0)]


def test_a_removed_requirement_without_a_record_was_not_effective():
    held = report([ONE], [ONE, requirement("CC1.9")], status=[control("CC1.1")])
    assert table(held, "frameworks")["effect_points"].to_list() == [50.0]


def test_each_touched_control_counts_once_by_the_gravest_change():
    held = report(
        [requirement("CC1.1", "New title"), requirement("CC1.2")],
        [requirement("CC1.1", "Old title")],
        [edge("CC1.1", "A.5.1", "intersects")],
        [edge("CC1.1", "A.5.1")],
        status=[control("CC1.1", events=4), control("CC1.2", "no_data", owner=None, events=0)],
        linked=[{"framework": "soc2", "control_id": "CC1.1", "evidence_id": name} for name in ("e1", "e2")],
    )
    found = table(held, "touched").select("impact", "control_id", "state", "recipient", "events", "items")
    assert found.rows() == [
        ("added", "CC1.2", "no_data", None, 0, 0),
        ("renamed", "CC1.1", "effective", "ann@acme.example", 4, 2),
    ]
    assert table(held, "owners").select("recipient", "message").rows() == [
        ("ann@acme.example", "1 renamed. Begin with soc2 CC1.1."),
        (None, "1 new in its framework. Begin with soc2 CC1.2."),
    ]
    assert (held.summary["controls_touched"], held.summary["evidence_touched"]) == (2, 2)
    assert lead(held) == (
        "The catalogue changed since 1 Oct 2026: 2 controls in scope are touched.",
        "Look first at SOC 2 CC1.2, new in its framework (nobody owns it).",
    )


def test_changes_outside_the_scope_touch_nothing():
    held = report([ONE, requirement("A.5.1", framework="iso27001")], [ONE], status=[control("CC1.1")])
    assert lead(held) == ("The catalogue changed since 1 Oct 2026; none of your controls in scope is touched.", "")
    assert table(held, "requirements_changed")["in_scope"].to_list() == [False]


def test_without_a_snapshot_nothing_is_compared_and_nothing_counts_as_unchanged():
    held = report([ONE], seen=None, edges=[edge("CC1.1", "A.5.1")], status=[control("CC1.1")])
    assert lead(held) == (
        "Nothing can be compared yet: no version of the catalogue (1 requirement, 1 mapping) was kept for this "
        "organization.",
        "An administrator runs the digest once to keep this version: post to "
        "/api/governance/compliance/mapping-digest.",
    )
    unknown = {name: value for name, value in held.summary.items() if value is None}
    assert set(unknown) == {
        "catalogue_seen_on",
        "catalogue_version_before",
        "catalogue_changed",
        "requirements_added",
        "requirements_removed",
        "requirements_renamed",
        "edges_added",
        "edges_removed",
        "edges_changed",
        "lost_last_full_edge",
        "controls_touched",
        "evidence_touched",
    }
    assert all(table.frame.is_empty() for table in held.tables if table.name != "catalogue")


def test_the_same_catalogue_asks_for_nothing():
    held = report([ONE], [ONE], [edge("CC1.1", "A.5.1")], [edge("CC1.1", "A.5.1")], seen={**SEEN, "version": "new"})
    assert lead(held) == (
        "The catalogue is unchanged since the last snapshot, and so are its mappings: nothing is to be done.",
        "",
    )
    assert held.summary["catalogue_changed"] is False


def test_other_rules_with_the_same_requirements_are_no_change():
    held = report([ONE], [ONE])
    assert held.headline.startswith("The catalogue has other rules, but the same requirements since")
    assert held.summary["catalogue_changed"] is False


def test_every_figure_is_what_its_rows_give():
    given = facts(
        [ONE, requirement("CC1.3")],
        [ONE, requirement("CC1.9", "Gone")],
        [edge("CC1.1", "A.5.2")],
        [edge("CC1.1", "A.5.1"), edge("CC1.1", "A.5.2", "equal")],
        status=[control("CC1.1"), control("CC1.3")],
        linked=[{"framework": "soc2", "control_id": "CC1.1", "evidence_id": "e1"}],
    )
    values_follow(REPORT, **given)
    values_follow(REPORT, **facts([ONE], seen=None))
    values_follow(REPORT)
    found = explained_rows(REPORT, "requirements_added", **given).select("control_id", "reason", "amount").rows()
    assert found == [("CC1.1", "none", 0), ("CC1.3", "added", 1), ("CC1.9", "removed", 0)]
    found = explained_rows(REPORT, "lost_last_full_edge", **given).select("control_id", "reason", "amount").rows()
    assert found == [("A.5.1", "covered by soc2 CC1.1", 1), ("A.5.2", "covered by none", 0)]


def test_without_any_facts_nothing_can_be_compared():
    held = document(REPORT)
    assert lead(held) == (
        "The catalogue has no requirement, so there is nothing to map and nothing to compare.",
        "An administrator runs the digest once to keep this version: post to "
        "/api/governance/compliance/mapping-digest.",
    )
    assert held.warnings == []
    compared = report([ONE, requirement("CC1.3")], [ONE], status=[control("CC1.3")])
    assert [table.frame.schema for table in held.tables] == [table.frame.schema for table in compared.tables]
    assert all(table.frame.is_empty() for table in held.tables if table.name != "catalogue")


def test_the_catalogue_says_what_is_assessed_and_what_shares_no_evidence():
    held = report(
        [ONE, requirement("CC1", assessable=False), requirement("A.5.1", framework="iso27001")],
        seen=None,
        edges=[edge("CC1.1", "A.5.1"), edge("CC1.2", "A.5.1", "intersects")],
        status=[control("CC1.1")],
    )
    shown = table(held, "catalogue").select("framework", "requirements", "assessable_entries", "pairs", "full_pairs")
    assert shown.rows() == [("soc2", 2, 1, 2, 1), ("iso27001", 1, 1, 2, 1)]
    (chart,) = held.charts
    assert chart.frame.rows() == [("SOC 2", "in full", 1), ("SOC 2", "in part", 1)]
    assert held.warnings == []
    alone = report([ONE], seen=None, edges=[], status=[control("CC1.1")])
    assert (alone.charts, alone.warnings) == (
        [],
        [
            "SOC 2 has no mapping: evidence counts for it and another framework only where the item is linked to "
            "controls of both."
        ],
    )
