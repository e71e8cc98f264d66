"""What holds for all reports of the programme."""

from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Edition, Organization, Position
from engine.render.html import html
from engine.render.tables import csv
from engine.render.text import json, markdown
from reports.programme.activity import summary
from reports.programme.board import executive_summary, program
from reports.programme.graph import control_graph
from reports.programme.health import control_health_scorecard
from reports.programme.packs import baseline_comparison, benchmarking
from reports.programme.posture import posture_score
from reports.programme.regulation import regulatory_impact
from reports.programme.risk import gap_remediations, risk_heatmap
from reports.programme.trends import kpi_trends, policy_drift
from tests.factories import DAY, document, moment, rows
from tests.reports.explanations import values_follow

REPORTS = {
    module.REPORT.name: module.REPORT
    for module in (
        *(summary, program, posture_score, risk_heatmap, executive_summary, gap_remediations),
        *(control_health_scorecard, baseline_comparison, benchmarking, control_graph, kpi_trends),
        *(policy_drift, regulatory_impact),
    )
}
STATES = ("no_data", "stale", "partial", "effective", "ineffective")


def controls(number):
    for index in range(number):
        framework = ("soc2", "iso27001", "hipaa")[index % 3]
        yield {
            **{"framework": framework, "control_id": f"C{index // 7}.{index}", "state": STATES[index % 5]},
            **{
                "previous_state": STATES[(index + index // 5) % 5],
                "weight": 1 + index % 5,
                "group_id": f"G{index % 2}",
            },
            **{"freshness": "fresh" if index % 2 else "missing", "group_title": f"Group {index % 2}"},
        }


def gaps(number):
    for control in controls(number):
        if control["state"] != "effective":
            yield {
                **{name: control[name] for name in ("framework", "control_id", "state", "weight", "group_id")},
                **{"gap_id": f"{control['framework']}:{control['control_id']}", "group_title": control["group_title"]},
                "requirements": [f"{control['framework']}:{control['control_id']}"],
            }


FRAMEWORKS = [
    {
        **{
            "framework": name,
            "applicable": 10,
            "effective": 2,
            "assessed": 8,
            "strict_pct": 20.0,
            "weighted_pct": 40.0,
        },
        **{"prior_on": date(2026, 10, 20), "prior_strict_pct": 20.0, "prior_weighted_pct": 39.0, "coverage_pct": 80.0},
    }
    for name in ("soc2", "iso27001", "hipaa")
]
POSTURE = [
    {
        **{"component": name, "title": name.capitalize(), "weight": weight, "share": weight / 0.55, "value": 50.0},
        **{"contribution": given, "prior_value": 40.0, "prior_score": 40.0, "prior_on": date(2026, 10, 20)},
    }
    for name, weight, given in (("readiness", 0.35, 31.8), ("freshness", 0.20, 18.2))
]
FRAMES = {
    "organization": rows("organization", {"frameworks": ["soc2", "iso27001", "hipaa", "fedramp-poam"]}),
    "control_status": rows("control_status", *controls(30)),
    "gaps": rows("gaps", *gaps(30)),
    "signature_duties": rows(
        "signature_duties", {"framework": "soc2", "control_id": "CC1.1", "id": "a", "due_on": DAY}
    ),
    "accepted_plans": rows("accepted_plans"),
    "evidence_files": rows("evidence_files", {"id": "EV-1", "held_state": "whole"}),
    "requirements": rows("requirements"),
    "framework_proposals": rows("framework_proposals"),
    "own_texts": rows("own_texts"),
    "own_controls": rows("own_controls"),
    "own_pairs": rows("own_pairs"),
    "own_frameworks": rows("own_frameworks"),
    "frameworks": rows("frameworks"),
    "awaited_work": rows("awaited_work", {"framework": "soc2", "control_id": "CC1.1", "id": "r", "owner": "ann@x"}),
    "control_horizons": rows(
        "control_horizons",
        *(
            {name: given[name] for name in ("framework", "control_id", "weight", "group_id")}
            | {"cadence": "monthly", "cadence_window": 35, "kinds_required": ["attestation"], "owner": "ann"}
            | {"attestation_until": date(2026, 11, 25 + index % 5), "position": index}
            for index, given in enumerate(controls(30))
        ),
    ),
    "framework_targets": rows(
        "framework_targets",
        {"framework": "soc2", "name": "SOC 2", "target_on": date(2027, 3, 1)},
        {"framework": "hipaa", "name": "HIPAA", "target_on": date(2027, 1, 4)},
    ),
    "load": rows("load"),
    "service_watch": rows("service_watch"),
    "senders": rows("senders"),
    "dead_letters": rows("dead_letters"),
    "observations": rows("observations"),
    "readiness": rows("readiness", *FRAMEWORKS),
    "posture": rows("posture", *POSTURE),
    "control_evidence": rows(
        "control_evidence",
        *(
            {**control, "source": "operation", "events": 2, "events_before": 1, "last_at": moment("2026-11-18 08:30")}
            | {"last_id": f"e{index // 2}"}
            for index, control in enumerate(
                {name: given[name] for name in ("framework", "control_id")} for given in controls(12)
            )
        ),
    ),
    "policies": rows("policies", {"framework": "soc2", "control_id": "C0.0", "accepted_on": date(2026, 1, 1)}),
    "known_since": rows("known_since", {"framework": "soc2", "known_since": date(2026, 1, 1)}),
    "audit_actions": rows(
        "audit_actions", *({"action": name, "events": 5, "tagged_events": 0} for name in ("a.b", "c.d"))
    ),
    "attestations": rows(
        "attestations",
        *({"id": str(n), "framework": name, "status": "overdue"} for n, name in enumerate(("soc2", "hipaa"))),
    ),
    "vendors": rows(
        "vendors",
        *(
            {"vendor_id": str(n), "tier": "high", "review": "overdue", "assurance": "lapsed", "inherited_gaps": 1}
            for n in range(3)
        ),
    ),
    "obligations": rows(
        "obligations",
        *(
            {"obligation_id": f"o{n}", "due_on": date(2026, 11, 25), "owner": f"p{n % 2}@acme.example", "days_left": 5}
            for n in range(8)
        ),
        *(
            {"obligation_id": f"l{n}", "due_on": date(2026, 11, 1), "days_left": -19, "state": "overdue"}
            | {"owner": f"p{n % 2}@acme.example"}
            for n in range(8)
        ),
    ),
    "risks": rows(
        "risks",
        *(
            {"id": f"R{n}", "title": "Risk", "likelihood": 4, "impact": 4, "inherent": 16, "residual_likelihood": 3}
            | {"residual_impact": 4, "residual": 12, "previous": 16, "level": "high", "appetite": 9, "status": "open"}
            | {"over_appetite": True, "unknown": n == 4}
            for n in range(5)
        ),
    ),
    "incidents": rows("incidents", {"id": "1", "severity": "high", "opened_at": moment("2026-11-01 10:00")}),
    "service_health": rows("service_health", *({"service_id": f"s{n}", "level": "critical"} for n in range(2))),
    "exceptions": rows(
        "exceptions", *({"id": f"EX{n}", "standing": "expired", "expires_on": date(2026, 11, 1)} for n in range(5))
    ),
    "posture_days": rows(
        "posture_days",
        *(
            {"taken_on": date(2026, 11, day), "score": 70.0 - day, "component": "readiness", "value": 70.0 - day}
            for day in (1, 8, 15)
        ),
    ),
    "state_changes": rows(
        "state_changes",
        *(
            {"framework": "soc2", "control_id": f"C0.{n}", "observed_on": date(2026, 11, 8), "state": "stale"}
            | {"previous": "effective"}
            for n in range(3)
        ),
    ),
    "movements": rows(
        "movements",
        {"kind": "control", "framework": "soc2", "thing": "SOC 2 C0.0", "state": "stale", "because": ""},
        {"kind": "third_party", "thing": "Northwind", "state": "lapsed", "because": ""},
    ),
    "days_away": rows("days_away"),
    "owner_weeks": rows(
        "owner_weeks",
        *(
            {"owner": f"p{n}@acme.example", "week": f"2026-W{week}", "shortfall_hours": 2.0}
            | {"week_start_on": date.fromisocalendar(2026, week, 1)}
            for n in range(2)
            for week in (48, 49)
        ),
    ),
    "remediations": rows(
        "remediations", {"id": "1", "opened_on": date(2026, 11, 1)}, {"id": "2", "opened_on": date(2026, 11, 3)}
    ),
    "readiness_weeks": rows(
        "readiness_weeks",
        *(
            {"framework": name, "week": f"2026-W{week}", "strict_pct": 20.1, "weighted_pct": 40.3, "fresh_pct": 60.7}
            for name in ("soc2", "iso27001", "hipaa")
            for week in (44, 45, 47)
        ),
    ),
    "guardrails": rows(
        "guardrails",
        *(
            {"policy_id": f"P{index % 3}", "title": "Policy", "version": 1, "newest_version": 1 + index % 2}
            | {"framework": control["framework"], "control_id": control["control_id"], "in_scope": True}
            | {"accepted_on": date(2026, 1, 1), "review_due_on": date(2027, 1, 1), "requirements": [f"soc2:{index}"]}
            for index, control in enumerate(controls(12))
        ),
    ),
    "unaccepted_policies": rows(
        "unaccepted_policies", *({"policy_id": f"U{n}", "title": "Policy", "version": n + 1} for n in range(2))
    ),
    "policy_blocks": rows(
        "policy_blocks", *({"id": str(n), "policy_id": "P1", "blocked_on": date(2026, 11, n + 1)} for n in range(3))
    ),
    "automation_runs": rows("automation_runs", {"id": "1", "playbook": "patch", "ran_on": date(2026, 11, 1)}),
    "graph_nodes": rows(
        "graph_nodes",
        *({"node": f"control:soc2:{n}", "kind": "control", "label": "Control", "framework": "soc2"} for n in range(9)),
        *({"node": f"requirement:soc2:{n}", "kind": "requirement", "label": "It"} for n in range(9)),
        *({"node": f"source:action:{n}", "kind": "evidence_source", "label": "Action"} for n in range(2)),
        *({"node": f"service:{n}", "kind": "system", "label": "Service"} for n in range(3)),
    ),
    "graph_edges": rows(
        "graph_edges",
        *(
            {"source": f"control:soc2:{n}", "relation": "implements", "target": f"requirement:soc2:{n}"}
            for n in range(9)
        ),
        *(
            {"source": f"source:action:{n % 2}", "relation": "evidences", "target": f"control:soc2:{n}"}
            for n in range(8)
        ),
        *({"source": f"service:{n}", "relation": "depends_on", "target": f"service:{(n + 1) % 3}"} for n in range(3)),
    ),
    "control_profiles": rows(
        "control_profiles", {"framework": "hipaa", "control_id": "C0.2", "decision": "alternative"}
    ),
    "scenarios": rows(
        "scenarios",
        *(
            {"scenario": f"s{n}", "title": f"Scenario {n}", "framework": name, "status": "final", "position": n}
            | {"status_as_of": date(2026, 1, 1), "effective_on": date(2027, 1, 1) if n else None}
            for n, name in enumerate(("hipaa", "soc2"))
        ),
    ),
    "scenario_requirements": rows(
        "scenario_requirements",
        {
            "scenario": "s0",
            "framework": "hipaa",
            "requirement": "C0.2",
            "change": "mandatory",
            "control_id": "C0.2",
            "effort_hours": 8.0,
            "position": 0,
        },
        *(
            {"scenario": "s1", "framework": "soc2", "requirement": f"new {n}", "change": "new", "weight": 3}
            | {"effort_hours": 2.5, "position": n + 1}
            for n in range(4)
        ),
    ),
    "scenario_answers": rows(
        "scenario_answers",
        *(
            {"scenario": "s1", "requirement": "new 1", "coverage": "part", "position": index}
            | {name: control[name] for name in ("framework", "control_id")}
            for index, control in enumerate(controls(6))
        ),
    ),
    "benchmark_members": rows(
        "benchmark_members",
        *(
            {"size": "small", "title": "Small", "headcount_from": 0, "cohort_kind": "reference", "provenance": "model"}
            | {"framework": name, "programme": str(n), "strict_pct": 10.0 * n, "weighted_pct": 11.0 * n}
            | {"dated_on": date(2026, 1, 1)}
            for name in ("soc2", "hipaa")
            for n in range(6)
        ),
    ),
    "benchmark_studies": rows(
        "benchmark_studies", *({"study": str(n), "title": "T", "framework": "soc2", "sector": "all"} for n in range(2))
    ),
}


def edition(report, document):
    return Edition(
        report=report.name,
        title=report.title,
        description=report.description,
        schema_version=report.schema_version,
        organization=Organization("acme", "Acme"),
        as_of=DAY,
        revision=Position(1, "0" * 64),
        parameters={"periodDays": 30},
        settings_version=0,
        document=document,
    )


def full(report):
    return document(report, **{fact: FRAMES[fact] for fact in report.facts})


def render_document(report, shown):
    given = edition(report, shown)
    return [renderer.render(given) for renderer in (json, csv, html, markdown)]


@pytest.mark.parametrize("name", REPORTS)
def test_the_order_of_the_facts_does_not_matter(name):
    report = REPORTS[name]
    backwards = {fact: FRAMES[fact].reverse() for fact in report.facts}
    assert render_document(report, document(report, **backwards)) == render_document(report, full(report))


@pytest.mark.parametrize("name", REPORTS)
def test_every_format_can_show_a_report_without_any_data(name):
    report = REPORTS[name]
    empty = document(report)
    assert all(render_document(report, empty))
    assert empty.headline.endswith(".")
    assert empty.coverage.assessed == 0


@pytest.mark.parametrize("name", REPORTS)
def test_columns_have_the_same_types_with_and_without_data(name):
    report = REPORTS[name]
    some, empty = full(report), document(report)
    assert [(one.name, one.frame.schema) for one in some.tables] == [
        (one.name, one.frame.schema) for one in empty.tables
    ]
    assert list(some.summary) == list(empty.summary)


@pytest.mark.parametrize("name", REPORTS)
def test_the_rows_that_explain_a_figure_give_its_value(name):
    report = REPORTS[name]
    values_follow(report)
    values_follow(report, **{fact: FRAMES[fact] for fact in report.facts})


@pytest.mark.parametrize("name", REPORTS)
def test_terms_are_defined_and_labels_name_columns(name):
    report = REPORTS[name]
    some = full(report)
    titles = {some.titles[figure.id] for figure in report.figures}
    assert titles <= set(some.definitions)
    assert len(some.definitions) >= 3
    assert len(set(some.definitions) - titles) <= 9
    for table in some.tables:
        assert {*table.hidden, *table.heat, *table.state} <= set(table.frame.columns), table.name
        assert all(dtype != pl.Null for dtype in table.frame.dtypes), table.name
