"""A page of a thing says why it stands where it does, what proves it and what is to be done."""

from dataclasses import dataclass, field
from datetime import date, timedelta

import polars as pl
import pytest

from engine.model.days import spelled_day
from engine.reporting.site.list_tables import list_table, summary
from engine.reporting.site.portrait import Portrait
from engine.reporting.site.portraits import portraits
from engine.reporting.site.things import Thing
from engine.reporting.site.vendor_needs import VendorNeed, needs_of_vendors
from tests.factories import DAY, moment, rows

SCANS = {
    "services_rows": {"id": pl.String, "name": pl.String},
    "incident_details_rows": dict.fromkeys(("id", "root_cause", "summary", "parent_reason"), pl.String)
    | {"impact_users": pl.Int64},
}
CONTROL = {"framework": "soc2", "control_id": "CC6.1"}


@dataclass
class Records:
    """Facts of a few rows."""

    as_of: date = DAY
    frames: dict = field(default_factory=dict)

    def fact(self, name):
        """The rows that were given, else none."""
        empty = pl.DataFrame(schema=SCANS[name]) if name in SCANS else None
        return self.frames.get(name, rows(name) if empty is None else empty)

    def framework_name(self, framework):
        """What a framework is called."""
        return {"soc2": "SOC 2"}[framework]


def portrait(kind, key, **frames):
    return portraits(Records(frames=frames))[kind, key]


def test_without_records_there_is_no_portrait():
    assert portraits(Records()) == {}


def test_a_framework_says_how_ready_it_is_for_which_day_and_which_gaps_come_first():
    readiness = {"framework": "soc2", "applicable": 61, "effective": 37, "strict_pct": 60.7, "prior_strict_pct": 65.6}
    gap = {**CONTROL, "gap_id": "soc2:CC6.1", "title": "Logical access", "state": "ineffective", "priority": 2.0}
    other = {**gap, "gap_id": "soc2:A1.3", "control_id": "A1.3", "title": "Recovery", "priority": 1.0}
    frames = {
        "readiness": rows("readiness", {**readiness, "prior_on": date(2026, 10, 26)}),
        "framework_targets": rows("framework_targets", {"framework": "soc2", "target_on": date(2027, 1, 26)}),
        "gaps": rows(
            "gaps", other | {"owner": None, "due_on": None}, gap | {"owner": "ann", "due_on": date(2026, 12, 9)}
        ),
    }
    told = portraits(Records(frames=frames))["framework", "soc2"]
    assert told.sentence == (
        "37 of 61 applicable controls effective (60.7 %, down 4.9 points since 26 Oct 2026); to be ready on 26 Jan 2027."
    )
    first, own = told.parts
    assert (first.title, first.lines) == (
        "Which of the 2 gaps first",
        [
            "SOC 2 CC6.1 Logical access, ineffective: ann, planned for 9 Dec 2026",
            "SOC 2 A1.3 Recovery, ineffective: nobody owns it, not planned yet",
        ],
    )
    assert own.lines == ["Every requirement with state and owner: /api/governance/compliance/type-ii"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            {"state": "effective", "last_evidence_on": date(2026, 11, 3), "next_due_on": date(2026, 12, 3)},
            "Effective: the last evidence is of 3 Nov 2026, good until 3 Dec 2026.",
        ),
        (
            {
                "state": "stale",
                "state_since": date(2026, 11, 1),
                "last_evidence_on": date(2026, 7, 1),
                "age_days": 142,
                "window_days": 100,
            },
            "Stale since 1 Nov 2026: the last evidence is of 1 Jul 2026, 142 days old where 100 are allowed.",
        ),
        ({"state": "no_data"}, "No data: nothing was ever recorded for it."),
        (
            {"state": "partial", "kinds_required": ["test", "policy"], "kinds_present": ["policy"]},
            "Partial: no evidence of test.",
        ),
        (
            {"state": "ineffective", "failing_test": "TST-1", "last_test_on": date(2026, 11, 2)},
            "Ineffective: its test of 2 Nov 2026 failed.",
        ),
        (
            {
                "state": "ineffective",
                "state_since": date(2026, 10, 26),
                "failing_test": "TST-1",
                "last_test_on": date(2026, 11, 2),
            },
            "Ineffective since 26 Oct 2026: its last test, of 2 Nov 2026, failed.",
        ),
        ({"state": "not_applicable", "justification": "no cards"}, "Out of scope: no cards."),
    ],
)
def test_a_control_says_why_it_stands_where_it_does(row, sentence):
    unknown = dict.fromkeys(("state_since", "last_evidence_on", "next_due_on", "evidence_note", "justification"))
    told = portrait("control", "soc2:CC6.1", control_assessments=rows("control_assessments", CONTROL | unknown | row))
    assert told.sentence == sentence


@pytest.mark.parametrize(
    ("due_on", "duty"),
    [
        (date(2026, 12, 1), "ann@acme.example is to close it by 1 Dec 2026."),
        (DAY, f"ann@acme.example is to close it by {spelled_day(DAY)}."),
        (
            DAY - timedelta(days=1),
            f"ann@acme.example was to close it by {spelled_day(DAY - timedelta(days=1))}: 1 day late.",
        ),
        (None, "ann@acme.example owns it; no day is set."),
    ],
)
def test_what_speaks_against_a_control_and_who_closes_it_by_when(due_on, duty):
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
        gaps=rows("gaps", {**CONTROL, "owner": "ann@acme.example", "due_on": due_on}),
    )
    assert told.sentence == f"Ineffective: access revocation failed on 4 Nov 2026 speaks against it. {duty}"


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
        ("What proves it", ["1 Nov 2026, operation: access reviewed", "1 Oct 2026, item: EVD-1", lineage], 0)
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
            {"owner": "ann@acme.example", "title": "Far", "due_on": date(2027, 11, 1)},
        ),
    )
    assert told.sentence == "1 duty is late, 1 due within a week, 0 more within thirty days: 2.5 h."
    assert [(part.title, part.lines) for part in told.parts] == [
        ("Late", ["1 Nov 2026: Attest A, 0.5 h"]),
        ("This week", ["21 Nov 2026: Test B (SOC 2 CC6.1), 2 h"]),
    ]


@pytest.mark.parametrize(
    ("assurance", "until", "said"),
    [
        ("assured", date(2027, 1, 1), "Assured until 1 Jan 2027"),
        ("lapsed", date(2026, 7, 18), "Lapsed since 18 Jul 2026"),
        ("never", None, "Never"),
    ],
)
def test_an_assured_vendor_says_what_its_controls_wait_for(assurance, until, said):
    waiting = {"vendor_id": "v1", "vendor": "Alder", **CONTROL, "expected_evidence": "baa"}
    needs = rows(
        "vendor_controls", {**waiting, "gap": "missing"}, {**waiting, "gap": "missing"}, {**waiting, "gap": "none"}
    )
    assert needs_of_vendors(Records(frames={"vendor_controls": needs})) == {
        "v1": [VendorNeed("business associate agreement missing", 2)]
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
            },
        ),
    )
    assert told.sentence == f"{said}: 2 of 3 inherited controls wait for evidence."
    assert [part.lines for part in told.parts] == [["business associate agreement missing, for 2 controls"]]


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
        )
    )
    assert told["incident", "INC-1"].sentence == "High, resolved: opened on 19 Nov 2026, resolved after 2 h 10 min."
    assert [(part.title, part.lines) for part in told["incident", "INC-1"].parts] == [
        ("Cause", ["a release"]),
        ("Impact", ["12 users"]),
        ("Objective", ["svc-a: No objective is recorded for it."]),
        ("Family", ["19 Nov 2026: INC-2 Down (high, open)"]),
    ]
    assert told["incident", "INC-2"] == Portrait(
        "High, open: opened on 19 Nov 2026; ann@acme.example has it.",
        [("Cause", ["Not established."], 0), ("Family", ["Part of 19 Nov 2026: INC-1 Down (high, resolved)"], 0)],
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


def test_an_empty_list_says_what_to_record():
    assert summary("vendor", []) == (
        "No vendors on record. Next: record the vendors that hold data or run something for you "
        "(hq import, table vendors)."
    )
