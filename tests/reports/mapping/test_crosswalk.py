"""What the SOC 2 and ISO/IEC 27001 crosswalk says."""

import pytest

from engine.model.declarations.ask import Ask
from engine.model.errors import BadRequest
from engine.model.thresholds import Thresholds
from reports.mapping.crosswalk import REPORT
from tests.factories import DAY, ask, document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow


def pair(source_id, target_id, relation="intersects", strength=0.5, **given):
    return {
        "source_framework": "soc2",
        "source_id": source_id,
        "source_title": source_id,
        "target_framework": "iso27001",
        "target_id": target_id,
        "target_title": target_id,
        "relation": relation,
        "strength": strength,
        "full": relation in ("equal", "superset") and strength >= 0.8,
        "reviewer": "ann@acme.example",
        **given,
    }


def control(framework, control_id, state="effective", **given):
    return {"framework": framework, "control_id": control_id, "state": state, **given}


def events(framework, control_id, number=1, source="operation", at="2026-11-10 08:00"):
    return {"framework": framework, "control_id": control_id, "source": source, "events": number, "last_at": moment(at)}


def facts(pairs, controls=(), evidence=(), scope=("soc2", "iso27001")):
    return {
        "organization": rows("organization", {"frameworks": list(scope)}),
        "crosswalk": rows("crosswalk", *pairs),
        "control_evidence": rows("control_evidence", *evidence),
        "control_status": rows("control_status", *controls),
    }


def report(pairs, controls=(), evidence=(), scope=("soc2", "iso27001"), **options):
    return document(REPORT, ask(**options), **facts(pairs, controls, evidence, scope))


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


PAIRS = (
    pair("CC6.1", "A.5.15", "superset", 0.85),
    pair("CC6.1", "A.8.2", "intersects", 0.6),
    pair("CC7.3", "A.5.25", "equal", 0.9),
)
CONTROLS = (
    control("soc2", "CC6.1"),
    control("soc2", "CC7.3"),
    control("iso27001", "A.5.15", "no_data"),
    control("iso27001", "A.5.25", "ineffective"),
    control("iso27001", "A.8.2", "partial"),
    control("iso27001", "A.8.10", "no_data"),
    control("iso27001", "A.8.11", "not_applicable", applicable=False),
)
EVIDENCE = (
    events("soc2", "CC6.1", 3),
    events("soc2", "CC6.1", 2, "policy", "2026-11-12 08:00"),
    events("soc2", "CC7.3"),
    events("iso27001", "A.5.25"),
    events("iso27001", "A.8.2", 0, at="2026-01-01 08:00"),
)


def test_the_summary_counts_pairs_targets_and_overlay():
    held = report(PAIRS, CONTROLS, EVIDENCE)
    assert dict(held.summary) == {
        "crosswalk_pairs": 3,
        "crosswalk_pairs_full": 2,
        "crosswalk_targets": 5,
        "crosswalk_targets_applicable": 4,
        "crosswalk_targets_full": 2,
        "crosswalk_targets_partial": 1,
        "crosswalk_targets_none": 1,
        "crosswalk_targets_full_pct": 50.0,
        "crosswalk_targets_without_full_pair": 2,
        "crosswalk_evidence_both": 1,
        "crosswalk_evidence_one_side": 2,
        "crosswalk_evidence_none": 0,
        "crosswalk_reuse": 1,
        "crosswalk_conflicts": 1,
        "crosswalk_conflicts_full": 1,
    }
    assert lead(held) == (
        "SOC 2 fully covers 2 of 4 applicable ISO requirements; 1 pair is in conflict.",
        "Settle first why SOC 2 CC7.3 CC7.3 is effective and ISO 27001 A.5.25 A.5.25 is not (with ann@acme.example).",
    )
    assert (held.coverage.assessed, held.coverage.total) == (4, 6)
    assert held.warnings == []


def test_the_matrix_lays_evidence_and_state_over_both_sides():
    matrix = table(report(PAIRS, CONTROLS, EVIDENCE), "matrix")
    assert matrix.select(
        "source_id",
        "target_id",
        "source_state",
        "target_state",
        "source_events",
        "source_newest_at",
        "target_events",
        "target_newest_at",
        "overlay",
        "reuse",
    ).rows() == [
        ("CC6.1", "A.5.15", "effective", "no_data", 5, moment("2026-11-12 08:00"), 0, None, "one_side", "to target"),
        ("CC6.1", "A.8.2", "effective", "partial", 5, moment("2026-11-12 08:00"), 0, None, "one_side", None),
        (
            "CC7.3",
            "A.5.25",
            "effective",
            "ineffective",
            1,
            moment("2026-11-10 08:00"),
            1,
            moment("2026-11-10 08:00"),
            "both",
            None,
        ),
    ]


def test_a_target_that_does_not_apply_stays_listed_and_leaves_the_denominator():
    targets = table(report(PAIRS, CONTROLS, EVIDENCE), "targets")
    assert targets.select("control_id", "applicable", "mapping", "full_pairs", "best_strength").rows() == [
        ("A.5.15", True, "full", 1, 0.85),
        ("A.5.25", True, "full", 1, 0.9),
        ("A.8.2", True, "partial", 0, 0.6),
        ("A.8.10", True, "none", 0, None),
        ("A.8.11", False, "none", 0, None),
    ]


def test_full_partial_and_none_add_up_to_the_applicable_targets():
    summary = report(PAIRS, CONTROLS, EVIDENCE).summary
    assert (
        summary["crosswalk_targets_full"] + summary["crosswalk_targets_partial"] + summary["crosswalk_targets_none"]
        == summary["crosswalk_targets_applicable"]
    )
    assert (
        summary["crosswalk_evidence_both"] + summary["crosswalk_evidence_one_side"] + summary["crosswalk_evidence_none"]
        == summary["crosswalk_pairs"]
    )


def test_conflicts_on_full_pairs_come_first():
    pairs = (pair("CC1.1", "A.5.1", "intersects", 0.9), pair("CC6.1", "A.5.15", "superset", 0.8))
    controls = (
        *(control("soc2", name) for name in ("CC1.1", "CC6.1")),
        *(control("iso27001", name, "ineffective") for name in ("A.5.1", "A.5.15")),
    )
    conflicts = table(report(pairs, controls), "conflicts")
    assert conflicts["source_id"].to_list() == ["CC6.1", "CC1.1"]


@pytest.mark.parametrize(
    ("relation", "evidenced", "reuse"),
    [
        ("equal", "soc2", "to target"),
        ("equal", "iso27001", "to source"),
        ("superset", "iso27001", None),
        ("subset", "iso27001", "to source"),
        ("subset", "soc2", None),
        ("intersects", "soc2", None),
    ],
)
def test_evidence_is_reused_only_where_the_pair_covers_the_other_side(relation, evidenced, reuse):
    ids = {"soc2": "CC6.1", "iso27001": "A.5.15"}
    held = report(
        [pair("CC6.1", "A.5.15", relation, 0.9)],
        [control(framework, name) for framework, name in ids.items()],
        [events(evidenced, ids[evidenced])],
    )
    assert table(held, "matrix")["reuse"].to_list() == [reuse]


def test_the_statement_of_applicability_lists_requirements_with_their_criteria():
    held = report(PAIRS, CONTROLS, EVIDENCE, view="soa")
    assert [table.name for table in held.tables] == ["conflicts", "soa"]
    soa = table(held, "soa")
    assert soa.select(
        "control_id", "mapping", "criteria", "criteria_effective", "events", "criteria_events"
    ).rows() == [
        ("A.5.15", "full", ["CC6.1"], ["CC6.1"], 0, 5),
        ("A.5.25", "full", ["CC7.3"], ["CC7.3"], 1, 1),
        ("A.8.2", "partial", ["CC6.1"], ["CC6.1"], 0, 5),
        ("A.8.10", "none", None, None, 0, None),
        ("A.8.11", "none", None, None, 0, None),
    ]


def test_a_framework_out_of_scope_leaves_the_mapping_without_overlay():
    iso = tuple(row for row in CONTROLS if row["framework"] == "iso27001")
    held = report(PAIRS, iso, EVIDENCE[3:], scope=("iso27001",))
    assert table(held, "matrix")["overlay"].to_list() == [None, None, None]
    assert held.summary["crosswalk_conflicts"] == 0
    assert held.warnings == ["SOC 2 is not in scope: the mapping is shown without evidence and state of that side."]


def test_without_either_framework_the_pairs_themselves_remain():
    held = report(PAIRS, scope=())
    assert (
        held.summary["crosswalk_pairs"],
        held.summary["crosswalk_targets"],
        held.summary["crosswalk_targets_full"],
    ) == (3, 3, 2)
    assert held.coverage.total == 0
    assert len(held.warnings) == 3


def test_pairs_that_nobody_signed_off_are_counted():
    held = report([pair("CC6.1", "A.5.15", reviewer="catalogue")], CONTROLS)
    assert held.warnings == ["1 pair came with the catalogue: 0 reviewed by a person."]


def test_no_pair_at_all_is_said():
    held = report([], scope=())
    assert lead(held) == (
        "The catalogue holds no SOC 2 to ISO/IEC 27001 pair, so nothing can be mapped.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.summary["crosswalk_targets_full_pct"] is None
    assert all(table.frame.is_empty() for table in held.tables)


def test_where_every_requirement_is_covered_nothing_more_is_asked_for():
    held = report([pair("CC6.1", "A.5.15", "superset", 0.9)], [control("soc2", "CC6.1"), control("iso27001", "A.5.15")])
    assert lead(held) == (
        "SOC 2 fully covers 1 of 1 applicable ISO requirement, and no pair can share evidence that it does not "
        "share yet.",
        "",
    )


def test_every_figure_is_what_its_rows_give():
    given = facts(PAIRS, CONTROLS, EVIDENCE)
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "crosswalk_reuse", **given).select("source_id", "target_id", "reason").rows() == [
        ("CC6.1", "A.5.15", "to target")
    ]
    assert explained_rows(REPORT, "crosswalk_targets_partial", **given).select("control_id", "reason").rows() == [
        ("A.8.2", "pairs: 1, full: 0, best: intersects 0.6")
    ]


def test_without_any_facts_nothing_is_mapped():
    held = document(REPORT, ask(view="matrix"))
    assert lead(held) == (
        "The catalogue holds no SOC 2 to ISO/IEC 27001 pair, so nothing can be mapped.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert set(held.summary.values()) == {0, None}
    assert [table.frame.schema for table in held.tables] == [table.frame.schema for table in report(PAIRS).tables]


def test_the_matrix_has_families_of_both_sides_and_says_where_a_pair_is_full():
    (picture,) = report(PAIRS, CONTROLS, EVIDENCE).pictures
    assert (picture.rows, picture.columns) == (["CC6", "CC7"], ["A.5", "A.8"])
    assert picture.cells == {
        ("CC6", "A.5"): ("1", "good"),
        ("CC6", "A.8"): ("1", "watch"),
        ("CC7", "A.5"): ("1", "good"),
    }
    assert report([]).pictures == []


def test_any_two_frameworks_are_laid_over_each_other():
    ends = {"source_framework": "annex", "target_framework": "soc2"}
    held = document(
        REPORT,
        Ask(DAY, 30, Thresholds(), {"source": "annex", "target": "soc2"}, {"annex": "Acme Security Annex"}),
        **facts(
            [pair("A.1", "CC6.1", "equal", 0.9, **ends), *PAIRS],
            [control("annex", "A.1"), control("soc2", "CC6.1", "ineffective")],
            [events("annex", "A.1")],
            ("soc2", "annex"),
        ),
        frameworks=rows("frameworks", {"framework": "soc2"}, {"framework": "annex"}),
    )
    assert (
        held.headline == "Acme Security Annex fully covers 1 of 1 applicable SOC 2 requirement; 1 pair is in conflict."
    )
    assert table(held, "matrix")["source_id"].to_list() == ["A.1"]
    assert held.titles["crosswalk_pairs"] == "Pairs of Acme Security Annex and SOC 2"
    assert held.warnings == []


def test_a_framework_that_is_not_there_is_refused():
    with pytest.raises(BadRequest, match="The parameter source must be the framework of one of the organization's"):
        report(PAIRS, source="nothing")
