"""A page of a thing says why it stands where it does, what proves it and what is to be done."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from types import SimpleNamespace

import polars as pl
import pytest

from engine.facts.controls.horizons import evidence_endings
from engine.model.days import spelled_day
from engine.model.documents.document import Document, Edition, Organization, Position, Table
from engine.model.thresholds import Thresholds
from engine.reporting.site.document_answers import exceptions
from engine.reporting.site.list_tables import list_table, summary, with_counts
from engine.reporting.site.named_answers import lapses, overload
from engine.reporting.site.portrait import Portrait
from engine.reporting.site.portraits import portraits
from engine.reporting.site.questions import questions
from engine.reporting.site.things import Thing, distinct_titles
from engine.reporting.site.vendor_needs import VendorNeed, needs_of_vendors
from tests.factories import DAY, moment, rows

SCANS = {
    "framework_targets": {"framework": pl.String, "target_on": pl.Date},
    "revision_days_rows": {"changed_on": pl.Date},
    "services_rows": {"id": pl.String, "name": pl.String},
    "trigger_events_rows": {"event_id": pl.String, "action": pl.String},
    "incident_details_rows": dict.fromkeys(("id", "root_cause", "summary", "parent_reason"), pl.String)
    | {"impact_users": pl.Int64},
}
CONTROL = {"framework": "soc2", "control_id": "CC6.1"}


@dataclass
class Records:
    """Facts of a few rows."""

    as_of: date = DAY
    frames: dict = field(default_factory=dict)
    subject: object = field(default_factory=lambda: SimpleNamespace(settings=Thresholds()))

    def fact(self, name):
        """The rows that were given, else none."""
        empty = pl.DataFrame(schema=SCANS[name]) if name in SCANS else None
        return self.frames.get(name, rows(name) if empty is None else empty)

    def framework_name(self, framework):
        """What a framework is called."""
        return {"soc2": "SOC 2"}[framework]


LATER, WORK = date(2027, 1, 26), ("control_id", "action", "done_by", "owner")
PLAN = Document(
    headline="SOC 2 will not be ready.",
    next_step="Decide on a later day; until then begin with SOC 2 A1.3.",
    summary={"by": LATER, "not_effective": 24, "needed_hours": 67.5, "reached": False},
    tables=(
        Table("goals", "Goals", pl.DataFrame({"planned_strict_pct": [60.7]})),
        Table("actions", "Work", pl.DataFrame([("A1.3", "Sign", date(2026, 12, 4), "ann")], schema=WORK, orient="row")),
        Table("open", "Open", pl.DataFrame({"control_id": ["A1.2"], "why": ["its owner has no hours"]})),
    ),
)
PLANS = {"soc2": PLAN}


def portrait(kind, key, **frames):
    return portraits(Records(frames=frames), PLANS, {})[kind, key]


def test_without_records_there_is_no_portrait():
    assert portraits(Records(), {}, {}) == {}


def test_a_framework_says_how_ready_it_is_for_which_day_and_which_gaps_come_first():
    readiness = {"framework": "soc2", "applicable": 61, "effective": 37, "strict_pct": 60.7, "prior_strict_pct": 65.6}
    gap = {**CONTROL, "gap_id": "soc2:CC6.1", "title": "Logical access", "state": "ineffective", "priority": 2.0}
    other = {**gap, "gap_id": "soc2:A1.3", "control_id": "A1.3", "title": "Recovery", "priority": 1.0}
    frames = {
        "readiness": rows("readiness", {**readiness, "prior_on": date(2026, 10, 26)}),
        "framework_targets": rows("framework_targets", {"framework": "soc2", "target_on": date(2027, 1, 26)}),
        "gaps": rows(
            "gaps", other | {"owner": None, "due_on": None}, gap | {"owner": "ann", "due_on": DAY - timedelta(days=1)}
        ),
    }
    told = portraits(Records(frames=frames), PLANS, {})["framework", "soc2"]
    assert told.sentence == (
        "37 of 61 applicable controls effective (60.7 %, down 4.9 points since 26 Oct 2026). Ready on 26 Jan 2027? "
        "No; 24 short if nothing is done, 67.5 h of work by then; the plan comes to 60.7 %."
    )
    plan, first, own = told.parts
    assert (plan.title, plan.lines) == (
        "What comes first by the plan",
        ["Decide on a later day; until then begin with SOC 2 A1.3."],
    )
    assert (first.title, first.lines) == (
        "The 2 gaps, what gains most for its hours first",
        [
            "SOC 2 CC6.1 Logical access, ineffective: ann, 1 day late",
            "SOC 2 A1.3 Recovery, ineffective: nobody owns it, not planned yet",
        ],
    )
    assert own.lines == ["Every requirement with state and owner: /api/governance/compliance/type-ii"]


@pytest.mark.parametrize(
    ("control", "line"),
    [
        ("A1.3", ["In the plan for 26 Jan 2027: sign by 4 Dec 2026, ann"]),
        ("A1.2", ["The plan for 26 Jan 2027 leaves it open: its owner has no hours"]),
        ("CC6.1", []),
    ],
)
def test_a_gap_says_what_the_plan_of_its_framework_has_for_it(control, line):
    told = portrait(
        "control",
        f"soc2:{control}",
        control_assessments=rows("control_assessments", {**CONTROL, "control_id": control, "state": "no_data"}),
        gaps=rows("gaps", {**CONTROL, "control_id": control, "action": "Sign"}),
    )
    assert told.parts[0].lines == ["Sign, 8 h", *line]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            {
                "state": "effective",
                "kinds_required": ["attestation", "policy", "operation"],
                "last_evidence_on": date(2026, 11, 3),
                "next_due_on": date(2026, 12, 3),
            },
            "Effective: its last evidence of operation is of 3 Nov 2026, good until 3 Dec 2026.",
        ),
        (
            {
                "state": "stale",
                "state_since": date(2026, 11, 1),
                "last_evidence_on": date(2026, 7, 1),
                "age_days": 142,
                "window_days": 100,
            },
            "Stale since 1 Nov 2026: its last evidence of operation is of 1 Jul 2026.",
        ),
        ({"state": "no_data"}, "No data: nothing was ever recorded for it."),
        (
            {"state": "partial", "kinds_required": ["test", "policy"], "kinds_present": ["policy"]},
            "Partial: no evidence of test.",
        ),
        (
            {
                "state": "partial",
                "state_since": date(2026, 11, 10),
                "kinds_required": ["operation", "attestation"],
                "kinds_present": ["operation"],
                "last_evidence_on": date(2026, 11, 12),
            },
            "Partial since 10 Nov 2026: nobody signed it; its last evidence of operation, of 12 Nov 2026, does not stand in "
            "for it.",
        ),
        (
            {
                "state": "partial",
                "state_since": date(2026, 11, 10),
                "kinds_required": ["operation", "attestation"],
                "kinds_present": ["operation"],
                "last_evidence_on": date(2026, 11, 9),
            },
            "Partial since 10 Nov 2026: nobody signed it.",
        ),
        (
            {"state": "ineffective", "failing_test": "TST-1", "last_test_on": date(2026, 11, 9)},
            "Ineffective: its test of 2 Nov 2026 failed.",
        ),
        ({"state": "not_applicable", "justification": "no cards"}, "Out of scope: no cards."),
    ],
)
def test_a_control_says_why_it_stands_where_it_does(row, sentence):
    unknown = dict.fromkeys(("state_since", "last_evidence_on", "next_due_on", "evidence_note", "justification"))
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows("control_assessments", CONTROL | unknown | row),
        control_tests=rows("control_tests", {**CONTROL, "run_id": "TST-1", "performed_on": date(2026, 11, 2)}),
    )
    assert told.sentence == sentence


def test_a_control_lists_the_failed_test_first():
    row = CONTROL | {"state": "ineffective", "failing_test": "TST-1"}
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows("control_assessments", row),
        control_tests=rows("control_tests", {**CONTROL, "run_id": "TST-1", "performed_on": date(2026, 11, 2)}),
    )
    assert told.parts[-1].lines[0] == "2 Nov 2026, test: failed"


SIGNED = {
    **CONTROL,
    "id": "ATT-1",
    "due_on": date(2025, 11, 14),
    "attested_on": date(2025, 11, 30),
    "status": "attested",
}
SIGNED |= {"attested_at": moment("2025-11-30T15:00:00")}


@pytest.mark.parametrize(
    ("horizon", "until"),
    [
        (
            {"operation_until": date(2027, 2, 21), "attestation_until": date(2026, 12, 28)},
            "28 Dec 2026, when its attestation lapses",
        ),
        (
            {"operation_until": date(2026, 12, 1), "operation_recurs": True, "attestation_until": date(2026, 12, 28)},
            "28 Dec 2026, when its attestation lapses",
        ),
        ({"operation_until": date(2026, 12, 1), "operation_recurs": True}, "3 Dec 2026"),
    ],
)
def test_a_control_is_good_until_the_first_of_its_evidence_lapses(horizon, until):
    row = {"state": "effective", "last_evidence_on": date(2026, 11, 3), "next_due_on": date(2026, 12, 3)}
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows(
            "control_assessments", CONTROL | {"state_since": None, "kinds_required": ["operation", "attestation"]} | row
        ),
        control_horizons=rows("control_horizons", CONTROL | horizon),
    )
    assert told.sentence == f"Effective: its last evidence of operation is of 3 Nov 2026, good until {until}."


REJECTED = SIGNED | {"id": "ATT-2", "status": "rejected", "due_on": date(2026, 11, 14)}
REJECTED |= {"attested_on": date(2026, 11, 14), "attested_at": moment("2026-11-14T15:00:00")}
OPEN = {**CONTROL, "id": "ATT-3", "due_on": date(2026, 11, 10), "attested_at": None, "attested_on": None}
OPEN |= {"status": "overdue", "owner": "ann", "delegated_to": None}


@pytest.mark.parametrize(
    ("stale", "signed", "sentence", "work", "kinds"),
    [
        (
            ["attestation"],
            [SIGNED, OPEN],
            "Stale: its attestation of 30 Nov 2025 was good until 10 Nov 2026, to be renewed by 10 Nov 2026. ann owns "
            f"it; its attestation was due 10 Nov 2026: {(DAY - date(2026, 11, 10)).days} days late.",
            [f"Sign its attestation: ann, due 10 Nov 2026, {(DAY - date(2026, 11, 10)).days} days late"],
            [
                "Policy: good until 1 Dec 2026",
                "Attestation of 30 Nov 2025 was good until 10 Nov 2026, to be renewed by 10 Nov 2026",
            ],
        ),
        (
            ["attestation"],
            [SIGNED, REJECTED],
            "Stale: its attestation was rejected on 14 Nov 2026. ann owns it; no day is set.",
            ["Sign its attestation: none is planned"],
            ["Policy: good until 1 Dec 2026", "Attestation was rejected on 14 Nov 2026"],
        ),
        (
            ["policy"],
            [SIGNED, OPEN],
            "Stale: its policy evidence was good until 1 Dec 2026. ann owns it; no day is set.",
            ["Review the policy, 5 h"],
            ["Policy was good until 1 Dec 2026", "Attestation: good until 10 Nov 2026"],
        ),
    ],
)
def test_a_stale_control_names_the_kind_that_lapsed_and_the_work_on_it_alone(stale, signed, sentence, work, kinds):
    needed = ["policy", "attestation"]
    row = {
        "state": "stale",
        "applicable": True,
        "kinds_required": needed,
        "kinds_present": needed,
        "kinds_stale": stale,
    }
    gap = {"owner": "ann", "due_on": None, "action": "Review the policy", "effort_hours": 5.0, "blocked_by": None}
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows("control_assessments", CONTROL | {"state_since": None} | row),
        control_horizons=rows(
            "control_horizons", {**CONTROL, "policy_until": date(2026, 12, 1), "attestation_until": date(2026, 11, 10)}
        ),
        attestations=rows("attestations", *signed),
        gaps=rows("gaps", CONTROL | gap),
    )
    assert told.sentence == sentence
    assert [(part.title, part.lines) for part in told.parts[:2]] == [
        ("What closes it", work),
        ("Evidence by kind", kinds),
    ]


@pytest.mark.parametrize(
    ("due", "duty"),
    [
        ({"due_on": date(2026, 12, 1)}, "Its remediation, with ann@acme.example, is due 1 Dec 2026."),
        (
            {"poam_due_on": date(2026, 12, 20)},
            "Its weakness on the FedRAMP plan of action, with ann@acme.example, is due 20 Dec 2026.",
        ),
        ({"due_on": DAY}, f"Its remediation, with ann@acme.example, is due {spelled_day(DAY)}."),
        (
            {"due_on": DAY - timedelta(days=1)},
            f"Its remediation, with ann@acme.example, was due {spelled_day(DAY - timedelta(days=1))}: 1 day late.",
        ),
        (
            {"due_on": date(2026, 12, 1), "poam_due_on": date(2026, 10, 1)},
            "Its remediation, with ann@acme.example, is due 1 Dec 2026. On the FedRAMP plan of action it was due 1 Oct 2026: "
            f"{(DAY - date(2026, 10, 1)).days} days late.",
        ),
        ({}, "ann@acme.example owns it; no day is set."),
    ],
)
def test_what_speaks_against_a_control_and_who_closes_it_by_when(due, duty):
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows(
            "control_assessments", {**CONTROL, "state": "ineffective", "state_since": None, "failing_test": None}
        ),
        control_evidence=rows(
            "control_evidence",
            {
                **CONTROL,
                "source": "operation",
                "contradicted_rule": "access.revocation_failed",
                "contradicted_on": date(2026, 11, 4),
            },
        ),
        gaps=rows(
            "gaps",
            {
                **CONTROL,
                "owner": "ann@acme.example",
                **due,
                "action": "Review who may do what",
                "effort_hours": 3.0,
                "blocked_by": "no list",
            },
        ),
    )
    assert told.sentence == f"Ineffective: access revocation failed on 4 Nov 2026 speaks against it. {duty}"
    work, _, proof = told.parts
    assert (work.title, work.lines, proof.title) == (
        "What closes it",
        ["Review who may do what, 3 h", "It is blocked: no list"],
        "What is on record for it",
    )


DAY_BEFORE = date(2026, 11, 18)


def test_an_effective_control_says_what_its_period_has_against_it():
    row = CONTROL | {"state": "effective", "state_since": None, "last_evidence_on": None, "next_due_on": None}
    known = Records(frames={"control_assessments": rows("control_assessments", row)})
    table = Table("deviations", "Deviations", pl.DataFrame({"control_id": ["CC6.1"], "why": ["10 deviations"]}))
    edition = Edition(
        *("type-ii", "Type II", "", 1, Organization("acme", "Acme"), DAY, Position(1, "ab"), {"periodDays": 365}, 0),
        Document("Deviations.", tables=(table,)),
    )
    told = portraits(known, {}, exceptions(edition))["control", "soc2:CC6.1"]
    assert told.sentence == "Effective: all that it needs is there. Type II over 365 days: 10 deviations."


def test_an_event_against_a_control_is_named_by_what_was_done():
    against = {"source": "operation", "contradicted_by": "AE-1", "contradicted_on": date(2026, 11, 19)}
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows(
            "control_assessments", {**CONTROL, "state": "ineffective", "state_since": None, "failing_test": None}
        ),
        control_evidence=rows("control_evidence", {**CONTROL, **against, "contradicted_rule": None}),
        trigger_events_rows=pl.DataFrame({"event_id": ["AE-1"], "action": ["log.integrity.failed"]}),
    )
    assert told.sentence == "Ineffective: log integrity failed on 19 Nov 2026 speaks against it."
    assert told.parts[-1].lines[0] == "19 Nov 2026, operation: log integrity failed, against it"


def test_of_several_events_against_a_control_the_newest_is_named_as_the_last():
    against = {"contradicted_by": "AE-1", "contradicted_on": date(2026, 11, 19), "contradicted_since": DAY_BEFORE}
    told = portrait(
        "control",
        "soc2:CC6.1",
        control_assessments=rows(
            "control_assessments", {**CONTROL, "state": "ineffective", "state_since": DAY_BEFORE, "failing_test": None}
        ),
        control_evidence=rows("control_evidence", {**CONTROL, "source": "operation", **against}),
        trigger_events_rows=pl.DataFrame({"event_id": ["AE-1"], "action": ["log.integrity.failed"]}),
    )
    assert told.sentence == (
        "Ineffective since 18 Nov 2026: log integrity failed on 19 Nov 2026, the last of several, speaks against it."
    )


def test_the_newest_evidence_of_a_control_comes_first():
    claims = rows(
        "claims",
        {**CONTROL, "source": "item", "evidence_id": "EVD-1", "evidence_on": date(2026, 10, 1), "state": "complete"},
        {
            **CONTROL,
            "source": "operation",
            "evidence_id": "AE-7",
            "action": "access.reviewed",
            "record": "audit event",
            "evidence_on": date(2026, 11, 1),
            "state": "complete",
        },
    )
    told = portrait("control", "soc2:CC6.1", control_assessments=rows("control_assessments", CONTROL), claims=claims)
    lineage = "With events, hashes and bundles: /api/governance/compliance/evidence-lineage"
    assert [(part.title, part.lines, part.more) for part in told.parts] == [
        ("Evidence by kind", ["Operation: good"], 0),
        ("What proves it", ["1 Nov 2026, operation: access reviewed", "1 Oct 2026, item: EVD-1", lineage], 0),
    ]


def test_a_person_has_a_work_list():
    told = portrait(
        "owner",
        "ann@acme.example",
        obligations=rows(
            "obligations",
            {"owner": "ann@acme.example", "title": "Attest A", "due_on": date(2026, 11, 1), "effort_hours": 0.5},
            {
                "owner": "ann@acme.example",
                "title": "Test B",
                "due_on": date(2026, 11, 21),
                "controls": ["soc2:CC6.1"],
                "effort_hours": 2.0,
            },
            {"owner": "ann@acme.example", "title": "Done", "due_on": date(2026, 11, 1), "done_on": date(2026, 11, 1)},
            {
                "owner": "ann@acme.example",
                "title": "Thirtieth",
                "due_on": DAY + timedelta(days=30),
                "effort_hours": 1.0,
            },
            {"owner": "ann@acme.example", "title": "Far", "due_on": DAY + timedelta(days=31)},
        ),
        owner_weeks=rows(
            "owner_weeks",
            *(
                {"owner": owner, "week_start_on": day, "shortfall_hours": lacks}
                for owner, day, lacks in (
                    ("ann@acme.example", date(2026, 11, 30), 7.5),
                    ("ann@acme.example", date(2026, 12, 28), 22.0),
                    ("ann@acme.example", date(2027, 6, 7), 90.0),  # beyond the horizon
                    ("bob@acme.example", date(2026, 12, 28), 3.0),
                )
            ),
        ),
    )
    assert told.sentence == (
        "First: Attest A, due 1 Nov 2026, 19 days late. 1 duty is late, 1 is due within a week, 1 more is due within thirty days: 3.5 h. "
        "Short of 29.5 h in 2 weeks, most 22 h in the week of 28 Dec 2026."
    )
    assert [(part.title, part.lines) for part in told.parts] == [
        ("Late", ["1 Nov 2026, 19 days late: Attest A, 0.5 h"]),
        ("This week", ["21 Nov 2026: Test B (SOC 2 CC6.1), 2 h"]),
        ("Next", ["20 Dec 2026: Thirtieth, 1 h"]),
    ]


@pytest.mark.parametrize(
    ("assurance", "until", "said", "reviewed", "review"),
    [
        ("assured", date(2027, 1, 1), "Assured until 1 Jan 2027", {"review": "current"}, ""),
        (
            "lapsed",
            date(2026, 7, 18),
            "Lapsed since 18 Jul 2026 (SOC 2 type II report to 18 Jul 2025; PCI DSS attestation of compliance "
            "does not cover the service that we use)",
            {
                **{"review": "overdue", "owner": "ann", "next_review_on": date(2026, 8, 30)},
                **{"assured_by": "soc2_type2", "assured_dated_on": date(2025, 7, 18)},
                **{"unfit": "wrong_scope", "unfit_kind": "pci_aoc"},
            },
            " Its review is overdue since 30 Aug 2026: ann reviews it.",
        ),
        (
            "not_assessed",
            None,
            "Never assured",
            {"review": "never", "owner": None},
            " It was never reviewed: nobody reviews it.",
        ),
    ],
)
def test_an_assured_vendor_says_what_its_controls_wait_for(assurance, until, said, reviewed, review):
    waiting = {"vendor_id": "v1", "vendor": "Alder", **CONTROL, "expected_evidence": "baa"}
    needs = rows(
        "vendor_controls", {**waiting, "gap": "missing"}, {**waiting, "gap": "missing"}, {**waiting, "gap": "none"}
    )
    assert needs_of_vendors(Records(frames={"vendor_controls": needs})) == {
        "v1": [
            VendorNeed(
                "business associate agreement missing", 2, "asks the vendor for its business associate agreement"
            )
        ]
    }
    told = portrait(
        "vendor",
        "v1",
        vendor_controls=needs,
        vendors=rows(
            "vendors",
            {
                "vendor_id": "v1",
                "name": "Alder",
                "assurance": assurance,
                "assured_until": until,
                "inherited": 3,
                "inherited_gaps": 2,
                **reviewed,
            },
        ),
    )
    assert told.sentence == f"{said}: 2 of 3 inherited controls wait for evidence.{review}"
    lacks = "business associate agreement missing, for 2 controls"
    assert [part.lines for part in told.parts] == [
        [f"{reviewed.get('owner') or 'Nobody yet'} asks the vendor for its business associate agreement"],
        [lacks],
    ]


def test_an_incident_has_cause_impact_objective_and_family():
    first, second = (
        {"id": name, "title": "Down", "severity": "high", "status": status, "opened_at": moment("2026-11-19 08:30")}
        for name, status in (("INC-1", "resolved"), ("INC-2", "open"))
    )
    told = portraits(
        Records(
            frames={
                "incidents": rows(
                    "incidents",
                    first | {"service_id": "svc-a", "minutes_to_resolve": 130.0},
                    second | {"parent_id": "INC-1", "owner": "ann@acme.example"},
                ),
                "incident_details_rows": pl.DataFrame(
                    [("INC-1", "a release", None, None, 12)],
                    schema=["id", "root_cause", "summary", "parent_reason", "impact_users"],
                    orient="row",
                ),
            }
        ),
        {},
        {},
    )
    assert told["incident", "INC-1"].sentence == "High, resolved: opened on 19 Nov 2026, resolved after 2 h 10 min."
    assert [(part.title, part.lines) for part in told["incident", "INC-1"].parts] == [
        ("Cause", ["a release"]),
        ("Impact", ["12 users"]),
        ("Family", ["19 Nov 2026: INC-2 Down (high, open)"]),
    ]
    assert told["incident", "INC-2"] == Portrait(
        "High, open: opened on 19 Nov 2026, 1 day ago; ann@acme.example has it.",
        [
            ("Next", ["ann@acme.example restores the service in INC-2 Down"], 0),
            ("Cause", ["Not established."], 0),
            ("Family", ["Part of 19 Nov 2026: INC-1 Down (high, resolved)"], 0),
        ],
    )


def test_a_list_begins_with_what_needs_somebody_and_says_how_things_stand():
    things = [
        Thing("control", f"soc2:{name}", name, "", "", {"state": state, "next_due_on": due})
        for name, state, due in (
            ("A", "effective", date(2026, 12, 1)),
            ("B", "ineffective", date(2026, 12, 9)),
            ("C", "effective", date(2026, 11, 30)),
        )
    ]
    table = list_table("control", things)
    assert table.frame.get_column("control_id").to_list() == ["B", "C", "A"]
    assert table.frame.columns == ["framework", "control_id", "title", "state", "next_due_on"]
    assert summary("control", things) == "3 controls: 1 ineffective, 2 effective."


def test_incidents_that_are_not_over_come_first_by_severity():
    things = [
        Thing("incident", name, name, name, "", {"status": status, "severity": severity, "opened_at": moment(at)})
        for name, status, severity, at in (
            ("A", "closed", "critical", "2026-11-19 08:30"),
            ("B", "open", "low", "2026-11-19 08:30"),
            ("C", "mitigated", "critical", "2026-11-01 08:30"),
        )
    ]
    assert list_table("incident", things).frame.get_column("id").to_list() == ["C", "B", "A"]
    assert summary("incident", things) == "2 of 3 incidents are not resolved: 1 critical, 2 without an owner."
    assert summary("incident", things[:1]) == "None of 1 incidents is open."


def test_the_least_ready_framework_comes_first():
    things = [
        Thing("framework", name, name, "", "", {"strict_pct": share}) for name, share in (("A", 60.7), ("B", 40.0))
    ]
    things.append(Thing("framework", "C", "C", "", "", {"applicable": 0}))
    assert list_table("framework", things).frame.get_column("framework").to_list() == ["B", "A", "C"]
    assert summary("framework", things) == "3 frameworks; B is least ready, 40.0 % strict."


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("framework", "1 framework; A is least ready, 40.0 % strict."),
        ("owner", "1 person, with nothing late."),
        ("vendor", "1 vendor: 1 assured."),
    ],
)
def test_one_thing_is_counted_as_one(kind, sentence):
    record = {"applicable": 1, "strict_pct": 40.0, "assurance": "assured"}
    assert summary(kind, [Thing(kind, "A", "A", "", "", record)]) == sentence


def test_what_is_late_stands_first_and_what_is_finished_last():
    things = [
        Thing(
            *("request", name, name, name, ""),
            {"clock": clock, "due_on": date(2026, 11, day), "priority": priority, "days_left": day - 20},
        )
        for name, clock, day, priority in (
            ("L", "overdue", 18, "P1"),
            ("A", "overdue", 1, "P3"),
            ("O", "on_track", 22, "P1"),
            ("P", "paused", 2, "P1"),
            ("B", "at_risk", 25, "P1"),
        )
    ]
    done = {"clock": "closed_late", "due_on": date(2026, 1, 5), "finished_on": date(2026, 1, 9), "priority": "P1"}
    things.append(Thing("request", "C", "C", "C", "", done))
    assert list_table("request", things).frame.get_column("id").to_list() == ["A", "L", "B", "P", "O", "C"]


def test_what_changed_since_last_month_is_held_against_the_day_of_the_posture():
    """One change has one figure: that of the report, which compares with a snapshot of the weeks before."""
    begun = pl.DataFrame({"changed_on": [DAY - timedelta(days=90)]})
    asked = {
        prior: next(
            question.query
            for question in questions(
                Records(
                    frames={
                        "revision_days_rows": begun,
                        "posture": rows("posture", {"prior_on": prior}),
                        "readiness": rows("readiness", {"framework": "soc2"}),
                    }
                )
            )
            if question.title == "What changed since last month?"
        )
        for prior in (date(2026, 10, 19), None)
    }
    assert asked == {date(2026, 10, 19): {"since": "2026-10-19"}, None: {"since": "2026-10-21"}}


@pytest.mark.parametrize(
    ("given", "sentence", "following"),
    [
        (
            {},
            "Overdue for 18 days, due 2 Nov 2026: ann answers it for SOC 2 CC6.1.",
            ["ann sends the evidence now; ben stands in"],
        ),
        (
            {"status": "submitted", "submitted_on": date(2026, 10, 21), "requester": "the firm", "clock": "on_track"},
            "On track, due 2 Nov 2026: sent on 21 Oct 2026 for SOC 2 CC6.1; it waits for the firm.",
            ["ann asks the firm for the decision"],
        ),
        (
            {"finished_on": date(2026, 11, 3), "clock": "closed_late"},
            "Closed 1 day late, due 2 Nov 2026: finished on 3 Nov 2026 for SOC 2 CC6.1.",
            None,
        ),
        (
            {"finished_on": date(2026, 11, 1), "clock": "closed_on_time"},
            "Closed on time, due 2 Nov 2026: finished on 1 Nov 2026 for SOC 2 CC6.1.",
            None,
        ),
    ],
)
def test_a_request_says_whose_turn_it_is(given, sentence, following):
    row = {**CONTROL, "id": "REQ-1", "clock": "overdue", "due_on": date(2026, 11, 2), "owner": "ann", "backup": "ben"}
    unknown = dict.fromkeys(("status", "submitted_on", "finished_on", "requester"))
    told = portrait("request", "REQ-1", requests=rows("requests", row | unknown | given))
    assert (told.sentence, {part.title: part.lines for part in told.parts}.get("Next")) == (sentence, following)


def test_who_has_left_leaves_work_and_somebody_says_whose_it_is():
    duty = {"title": "Attest", "owner": "ann", "due_on": DAY, "state": "open", "effort_hours": 0.5}
    duty |= {"controls": [], "paused": False, "done_on": None}
    gone = {"email": "ann", "until_on": DAY - timedelta(days=3)}
    owned = {**CONTROL, "owner": "ann", "accountable": "ben", "applicable": True}
    frames = {
        "approvers": rows("approvers", gone, {"email": "eve", "until_on": DAY}, {"email": "ben", "until_on": None}),
        "control_status": rows("control_status", owned),
        "obligations": rows("obligations", duty),
    }
    told = portraits(Records(frames=frames), {}, {})
    assert told["owner", "ann"].sentence == (
        "Has left: 1 duty and 1 control wait for a new owner; ben says whose they are by 20 Nov 2026."
    )
    assert told["owner", "eve"] == Portrait("Has left; nothing waits for a new owner.")
    assert ("owner", "ben") not in told
    later = {"obligations": rows("obligations", {**duty, "due_on": date(2026, 12, 9)})}
    told = portraits(Records(frames=frames | later), {}, {})
    assert told["owner", "ann"].sentence.endswith("ben says whose they are by 7 Dec 2026.")  # the Monday of its week


def test_who_asks_for_evidence_has_the_requests_that_are_open():
    row = {**CONTROL, "id": "REQ-1", "title": "Minutes", "requester": "firm", "due_on": DAY - timedelta(days=2)}
    row |= {"owner": "ann", "clock": "overdue", "finished_on": None, "evidence_ids": [], "backup": None}
    done = row | {"id": "REQ-2", "clock": "closed_on_time", "finished_on": DAY - timedelta(days=3)}
    told = portrait("owner", "firm", requests=rows("requests", row, done))
    assert told.sentence == "Asked for evidence 2 times: 1 request is open, 1 overdue."
    assert [(part.title, part.lines) for part in told.parts] == [
        ("Open requests", [f"{spelled_day(DAY - timedelta(days=2))}, 2 days late: REQ-1 Minutes, ann"])
    ]


def test_a_service_says_how_many_findings_wait():
    health = pl.DataFrame({"id": ["svc-a"], "name": ["A"]})
    late, open_ = ({"service": "svc-a", "status": "open", "due_on": date(2026, 11, day)} for day in (1, 29))
    findings = rows("findings", {"id": "F-1", **late}, {"id": "F-2", **open_}, {"id": "F-3", **late, "status": "fixed"})
    assert portrait("service", "svc-a", services_rows=health, findings=findings).sentence == (
        "No objective is recorded for it. 0 incidents in thirty days, 0 open. 2 open findings, 1 of them overdue."
    )


@pytest.mark.parametrize(
    ("level", "used", "said"),
    [
        ("ok", 34.0, "Not known since 18 Nov 2026: its monitor checks is silent. Objective 99.5 %: ok by"),
        (
            "critical",
            124.0,
            "Nothing heard since 18 Nov 2026: its monitor checks is silent. Objective 99.5 %: critical by",
        ),
    ],
)
def test_a_service_whose_monitor_is_silent_is_not_called_good_and_one_that_failed_still_fails(level, used, said):
    last = datetime.fromisoformat("2026-11-18T04:00:00")
    heard = {"token": "t", "source": "checks", "sender_state": "silent", "last_message_at": last}
    told = portrait(
        "service",
        "svc-a",
        services_rows=pl.DataFrame({"id": ["svc-a"], "name": ["A"]}),
        service_health=rows(
            "service_health", {"service_id": "svc-a", "objective_pct": 99.5, "used_30d_pct": used, "level": level}
        ),
        service_watch=rows("service_watch", {"service_id": "svc-a", "senders": ["t / checks"], "watch": "silent"}),
        senders=rows("senders", heard),
    ).sentence
    assert told == (
        f"{said} what was heard before, {used:.0f} % of its error budget of thirty days is used. "
        "0 incidents in thirty days, 0 open."
    )


def test_an_empty_list_says_what_to_record():
    assert summary("vendor", []) == (
        "No vendors on record. Next: record the vendors that hold data or run something for you "
        "(hq import, table vendors)."
    )


@pytest.mark.parametrize(
    ("horizons", "lines"),
    [
        ([], ["Nothing lapses until 20 Dec 2026."]),
        (
            [{"operation_until": DAY, "operation_recurs": True}],
            ["The evidence of 1 control ends until 20 Dec 2026 and renews itself: nobody has to do anything."],
        ),
        (
            [
                {"operation_until": DAY, "operation_recurs": True},
                {"operation_until": DAY, "operation_recurs": True, "test_until": date(2026, 12, 1), "owner": "ann"},
                {"attestation_until": date(2026, 12, 2), "test_until": date(2027, 3, 1)},
                {"policy_until": date(2026, 12, 8)},  # which it does not need
                {"test_until": date(2026, 12, 21)},
            ],
            [
                "The evidence of 3 controls ends: 2 need somebody, 1 renews itself.",
                "By week: 30 Nov 2.",
                "Most: ann 1, without an owner 1.",
            ],
        ),
    ],
)
def test_what_renews_itself_is_told_from_what_needs_somebody(horizons, lines):
    needed = {"framework": "soc2", "kinds_required": ["operation", "test", "attestation"], "test_recurs": False}
    controls = [{**needed, "control_id": f"CC{number}", **row} for number, row in enumerate(horizons)]
    applicable = rows("control_assessments", *({**_key_of(row), "applicable": True} for row in controls))
    asked = pl.DataFrame(
        {"org_id": applicable["org_id"].unique(), "as_of": [DAY] * bool(controls)}, schema_overrides={"as_of": pl.Date}
    )
    ending = evidence_endings(applicable, rows("control_horizons", *controls), asked)
    assert lapses(Records(frames={"evidence_endings": ending})) == lines


def _key_of(row):
    return {name: row[name] for name in ("framework", "control_id")}


def test_requests_of_one_title_are_told_apart():
    requests = [
        {"id": "R1", "title": "Minutes", **CONTROL, "due_on": DAY},
        {"id": "R2", "title": "Minutes", **CONTROL, "due_on": DAY + timedelta(days=1)},
        {"id": "R3", "title": "Minutes", **CONTROL, "control_id": "A1.3", "due_on": DAY},
        {"id": "R4", "title": "Leavers", **CONTROL, "due_on": DAY},
    ]
    assert distinct_titles(rows("requests", *requests), Records())["title"].to_list() == [
        "Minutes for SOC 2 CC6.1, due 20 Nov 2026",
        "Minutes for SOC 2 CC6.1, due 21 Nov 2026",
        "Minutes for SOC 2 A1.3",
        "Leavers",
    ]
    assert distinct_titles(rows("requests"), Records()).is_empty()


def test_a_vendor_is_called_by_name_where_its_page_says_where_it_stands():
    def place(kind):
        return Thing(kind, "V1", "Alder", "V1", "a.html", {}).place

    assert [place(kind) for kind in ("vendor", "service", "request", "control")] == ["Alder", "Alder", "V1", "V1"]


def test_remediations_stand_beside_the_duties_as_reminders_count_them():
    """The closed one is none; who has nothing else has a page, too."""
    fix = {**CONTROL, "owner": "ann", "opened_on": DAY - timedelta(days=40), "closed_on": None}
    told = portraits(
        Records(
            frames={
                "remediations": rows(
                    "remediations",
                    fix | {"id": "R1", "title": "Mend it", "due_on": DAY - timedelta(days=2)},
                    fix | {"id": "R2", "title": "Write it", "due_on": DAY + timedelta(days=9)},
                    fix | {"id": "R3", "title": "Done", "due_on": DAY, "closed_on": DAY - timedelta(days=1)},
                )
            }
        ),
        {},
        {},
    )["owner", "ann"]
    assert told.sentence == (
        "First: Mend it (SOC 2 CC6.1), due 18 Nov 2026, 2 days late. No duty is due within thirty days. "
        "2 remediations of gaps are open, 1 of them late."
    )
    assert [(part.title, part.lines) for part in told.parts] == [
        ("Remediations late", [f"{spelled_day(DAY - timedelta(days=2))}, 2 days late: Mend it (SOC 2 CC6.1)"]),
        ("Remediations to come", [f"{spelled_day(DAY + timedelta(days=9))}: Write it (SOC 2 CC6.1)"]),
    ]


def test_weaknesses_without_a_number_are_late_for_who_closes_them():
    gap = {**CONTROL, "gap_id": "soc2:CC6.1", "title": "Access", "owner": "ann@acme.example"}
    late = {"poam_due_on": DAY - timedelta(days=3)}
    told = portrait(
        "owner",
        "ann@acme.example",
        gaps=rows("gaps", gap | late, gap | late | {"milestone_on": DAY}, gap | {"poam_due_on": DAY}),
    )
    assert told.sentence.endswith("1 weakness is late on the FedRAMP plan of action.")
    assert [(one.title, one.lines) for one in told.parts] == [
        (
            "Late on the FedRAMP plan of action",
            [f"{spelled_day(DAY - timedelta(days=3))}, 3 days late: Close the weakness: Access (SOC 2 CC6.1), 8 h"],
        )
    ]


def test_a_gap_that_waits_says_so_where_it_is_to_be_closed_first():
    gap = {**CONTROL, "gap_id": "soc2:CC6.1", "state": "partial", "title": "Access", "owner": "ann@acme.example"}
    waiting = rows("gaps", gap | {"due_on": DAY, "blocked_by": "the migration"})
    told = portrait(
        "framework",
        "soc2",
        gaps=waiting,
        readiness=rows("readiness", {"framework": "soc2", "applicable": 61, "effective": 37}),
    )
    assert told.parts[1].lines == [
        f"SOC 2 CC6.1 Access, partial: ann@acme.example, remediation due {spelled_day(DAY)}, waits for the migration"
    ]


def test_a_service_that_nobody_hears_of_has_no_good_level():
    levels = {"svc-a": "ok", "svc-b": "critical", "svc-c": "ok"}
    health = rows("service_health", *({"service_id": one, "level": level} for one, level in levels.items()))
    silent = rows("service_watch", *({"service_id": one, "watch": "silent"} for one in ("svc-a", "svc-b", "svc-d")))
    things = [Thing("service", one, one, "", "", {}) for one in (*levels, "svc-d")]
    known = with_counts(things, Records(frames={"service_health": health, "service_watch": silent}))
    assert [thing.record.get("level") for thing in known] == ["not_known", "critical", "ok", "not_known"]
    assert summary("service", known) == "4 services: 1 critical, 2 not known, 1 ok."


def test_whoever_lacks_most_hours_is_named_first_and_then_who_lacks_some_soonest():
    lacks = [("ann", date(2026, 11, 16), 2.0), ("ann", date(2026, 11, 30), 3.0), ("bob", date(2026, 12, 28), 29.0)]
    weeks = [{"owner": who, "week_start_on": day, "shortfall_hours": hours} for who, day, hours in lacks]
    later = {"owner": "cyd", "week_start_on": date(2027, 2, 15), "shortfall_hours": 40.0}
    ahead = Document("", summary={"horizon_weeks": 13})
    said = [
        overload(Records(frames={"owner_weeks": rows("owner_weeks", *some)}), ahead)
        for some in ([*weeks, later], weeks[2:3], [])
    ]
    assert said == [
        [
            "Most short of hours: bob in the week of 28 Dec, 29 h.",
            "then ann in the week of 30 Nov, 3 h.",
            "Soonest: ann in the week of 16 Nov, 2 h.",
        ],
        ["Most short of hours: bob in the week of 28 Dec, 29 h."],
        [],
    ]
