"""The FedRAMP plan of action and milestones: columns to the letter, numbers, deadlines."""

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.poam import entries, scheduled_on
from reports.frameworks.poam.fedramp_poam import REPORT
from reports.frameworks.poam.poam_columns import headings
from tests.factories import lead
from tests.laws import examples
from tests.reports.frameworks.packs import report, table

SCOPE = [{"frameworks": ["soc2", "fedramp-poam"]}]
GAP = {
    "framework": "cmmc-l2",
    "control_id": "AC.L2-3.1.1",
    "gap_id": "cmmc-l2:AC.L2-3.1.1",
    "state": "ineffective",
    "severity": "high",
    "detected_on": date(2026, 11, 1),
    "title": "Access",
    "owner": "ann@acme.example",
    "action": "Review access",
    "due_on": date(2026, 11, 28),
    "effort_hours": 6.0,
}
FINDING = {
    "id": "FND-1", "source": "scanner-net", "finding_key": "web/tls/1", "title": "Weak cipher", "severity": "medium",
    "status": "open", "service": "web", "owner": "ben@acme.example", "asset": "web-1", "port": 443,
    "cve": "CVE-1; CVE-2", "cvss": 5.4, "epss": 0.05, "known_exploited": False, "internet_reachable": False,
    "first_seen_on": date(2026, 10, 1), "due_on": date(2026, 12, 1),
}  # fmt: skip
LINE = {
    "id": "V-7",
    "weakness_key": GAP["gap_id"],
    "detected_on": date(2026, 10, 1),
    "due_on": date(2026, 12, 30),
    "status": "open",
}
CLOSED = {**LINE, "id": "V-3", "status": "completed", "closed_on": date(2026, 11, 10)}


def ledger_line(line, findings):
    """A line of the ledger as its fact has it."""
    details = {"controls": "AC-2", **entries(line.get("details"))}
    line = {**line, "details": json.dumps(details)}
    capped = [row["due_on"] for row in findings if row["id"] == line["weakness_key"] and row["known_exploited"]]
    due = scheduled_on(details, line["detected_on"], line["due_on"], *capped)
    return {"owner": details.get("point_of_contact", "ann@acme.example"), "scheduled_on": due, **line}


def plan(gaps=(), findings=(), poam=(), organization=SCOPE, **asked):
    profiles = asked.pop("control_profiles", ())
    asked.setdefault("scans", "all")
    poam = [ledger_line(line, findings) for line in poam]
    facts = {
        "organization": organization,
        "gaps": gaps,
        "findings": findings,
        "poam": poam,
        "control_profiles": profiles,
        "nist_pairs": asked.pop("nist_pairs", ()),
    }
    return report(REPORT, options=asked, **facts)


def rows(document, *columns):
    """What stands on the sheet: items of the plan and gaps that name no control of NIST SP 800-53."""
    names = ("items", "gaps_without_control")
    return [row for name in names for row in table(document, name).select(columns).rows()]


def test_the_headings_are_those_of_the_templates():
    assert len(headings("2.1", "open")) == 31
    assert ",".join(headings("3.0", "open").values()) == (
        "POAM ID,Controls,Weakness Name,Weakness Description,Weakness Detector Source,Weakness Source Identifier,"
        "Asset Identifier,Point of Contact,Resources Required,Remediation Plan,Original Detection Date,"
        "Scheduled Completion Date,Status Date,Vendor Dependency,Last Vendor Check-in Date,"
        "Vendor Dependent Product Name,Original Risk Rating,Adjusted Risk Rating,Risk Adjustment,"
        "False Positive,Operational Requirement,"
        "Deviation Rationale,Supporting Documents,Comments,Binding Operational Directive 22-01 tracking,"
        "Binding Operational Directive 22-01 Due Date,CVE"
    )
    dropped = set(headings("2.1", "open")) - set(headings("3.0", "open"))
    assert dropped == {"planned_milestones", "milestone_changes", "auto_approve", "service_name"}
    assert headings("2.1", "open")["remediation_plan"] == "Overall Remediation Plan"
    assert headings("3.0", "closed")["remediation_plan"] == "Overall Remediation Plan"


@pytest.mark.parametrize(
    ("severity", "rating", "due"),
    [
        ("critical", "High", date(2026, 12, 1)),
        ("high", "High", date(2026, 12, 1)),
        ("medium", "Moderate", date(2027, 1, 30)),
        ("low", "Low", date(2027, 4, 30)),
    ],
)
def test_deadlines_are_30_90_and_180_days_from_detection(severity, rating, due):
    document = plan([{**GAP, "severity": severity}])
    assert rows(document, "poam_id", "original_risk_rating", "scheduled_completion_date") == [
        ("unnumbered", rating, due)
    ]


def test_a_gap_fills_the_columns_of_the_template():
    systems = {"framework": "cmmc-l2", "control_id": "AC.L2-3.1.1", "systems": "vpn"}
    (row,) = table(plan([GAP], control_profiles=[systems]), "gaps_without_control").to_dicts()
    expected = {
        "controls": "cmmc-l2: AC.L2-3.1.1",
        "weakness_name": "Access",
        "asset_identifier": "vpn",
        "weakness_description": "AC.L2-3.1.1 Access: an event contradicts it.",
        "weakness_detector_source": "Control assessment",
        "weakness_source_identifier": "cmmc-l2:AC.L2-3.1.1",
        "point_of_contact": "ann@acme.example",
        "resources_required": "6 hours",
        "remediation_plan": "Review access",
        "planned_milestones": "(01) 2026-11-28: Review access",
        "status_date": date(2026, 11, 20),
        "vendor_dependency": "No",
        "days_left": 11,
        "late": False,
        "potential_impact": "N4",
        "accepted_vulnerability_on": date(2027, 5, 12),
        "bod_22_01_tracking": None,
    }
    assert {name: row[name] for name in expected} == expected


def test_a_finding_fills_the_columns_of_the_template():
    (row,) = table(plan(findings=[FINDING], template="2.1"), "items").to_dicts()
    expected = {
        "controls": "RA-5",
        "weakness_description": "Weak cipher on web-1 (CVSS 5.4).",
        "asset_identifier": "web-1:443",
        "cve": "CVE-1, CVE-2",
        "service_name": "web",
        "bod_22_01_tracking": "No",
        "bod_22_01_due_date": None,
        "original_risk_rating": "Moderate",
        "scheduled_completion_date": date(2026, 12, 30),
        "likely_exploitable": False,
        "internet_reachable": False,
        "potential_impact": "N3",
    }
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize("state", ["partial", "stale"])
def test_incomplete_evidence_is_no_weakness_unless_it_has_a_number(state):
    gap = {**GAP, "state": state}
    assert rows(plan([gap]), "poam_id") == []
    assert rows(plan([gap], poam=[LINE]), "poam_id", "comments") == [("V-7", None)]


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ({}, 1),
        ({"status": "accepted"}, 1),
        ({"status": "fixed"}, 0),
        ({"status": "false_positive"}, 0),
        ({"severity": "info"}, 0),
    ],
)
def test_findings_that_are_not_fixed_are_weaknesses(given, listed):
    assert len(rows(plan(findings=[{**FINDING, **given}]), "poam_id")) == listed


def test_the_ledger_gives_number_detection_deadline_and_what_people_wrote():
    details = (
        '{"point_of_contact":"eve@acme.example","vendor_dependency":"Yes","last_vendor_check_in_date":"2026-10-20",'
        '"comments":7,"bod_22_01_due_date":"soon"}'
    )
    document = plan([GAP], poam=[{**LINE, "details": details}])
    assert rows(
        document,
        "poam_id",
        "original_detection_date",
        "scheduled_completion_date",
        "original_risk_rating",
        "point_of_contact",
        "last_vendor_check_in_date",
        "check_in_overdue",
        "comments",
        "bod_22_01_due_date",
    ) == [
        (
            "V-7",
            date(2026, 10, 1),
            date(2026, 12, 30),
            "Moderate",
            "eve@acme.example",
            date(2026, 10, 20),
            True,
            None,
            None,
        )
    ]
    assert document.warnings[-1] == "1 vendor check-in more than 30 days ago: the points of contact ask again."


def test_an_item_says_when_it_was_first_listed_and_an_unnumbered_one_was_not():
    other = {**GAP, "gap_id": "cmmc-l2:other", "control_id": "other"}
    document = plan([GAP, other], poam=[{**LINE, "listed_on": date(2026, 10, 5)}])
    columns = ("poam_id", "original_detection_date", "first_listed_on")
    assert set(rows(document, *columns)) == {
        ("V-7", date(2026, 10, 1), date(2026, 10, 5)),
        ("unnumbered", date(2026, 11, 1), None),
    }


def test_a_number_is_never_used_again():
    """A weakness that comes back after its number was closed waits for a new one."""
    document = plan([GAP], poam=[CLOSED])
    assert rows(document, "poam_id", "weakness_key") == [("unnumbered", GAP["gap_id"])]
    assert rows(plan([GAP], poam=[CLOSED, LINE]), "poam_id") == [("V-7",)]
    again = {**LINE, "id": "V-9"}
    assert rows(plan([GAP], poam=[LINE, again]), "poam_id") == [("V-7",), ("V-9",)]


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.sampled_from(["open", "accepted", "completed", "false_positive"]), min_size=1, max_size=6))
def test_every_number_is_on_one_sheet_once(states):
    ledger = [
        {
            **(LINE if state in ("open", "accepted") else CLOSED),
            "id": f"V-{n}",
            "status": state,
            "weakness_key": (GAP["gap_id"], FINDING["id"], "gone")[n % 3],
        }
        for n, state in enumerate(states)
    ]
    sheets = [plan([GAP], [FINDING], ledger, sheet=sheet) for sheet in ("open", "closed")]
    numbers = [number for sheet in sheets for (number,) in rows(sheet, "poam_id") if number != "unnumbered"]
    assert sorted(numbers) == sorted(line["id"] for line in ledger)


def test_a_number_that_is_no_longer_seen_is_called_no_gap():
    named = {**LINE, "details": json.dumps({"controls": "CC6.1"})}
    said = "no control of NIST SP 800-53, which the template demands: not on the plan, listed below"
    old = f"1 open number names {said}, 1 of them no longer seen: confirm and close."
    assert old in plan(poam=[named]).warnings
    assert f"1 gap names {said}." in plan([GAP]).warnings


def test_a_number_stays_open_until_it_is_closed():
    document = plan(poam=[LINE])
    assert rows(document, "poam_id", "weakness_name", "comments") == [
        ("V-7", f"Weakness {GAP['gap_id']}", "The weakness is no longer seen: confirm and close.")
    ]
    assert document.warnings[-1] == "1 numbered item is no longer seen and can be closed."


def test_the_closed_sheet_lists_what_was_closed():
    late = {**CLOSED, "id": "V-2", "due_on": date(2026, 10, 31)}
    document = plan([GAP], [FINDING], [CLOSED, late, LINE], sheet="closed")
    assert rows(document, "poam_id", "status", "status_date", "late", "days_left") == [
        ("V-2", "completed", date(2026, 11, 10), True, None),
        ("V-3", "completed", date(2026, 11, 10), False, None),
    ]
    assert lead(document) == ("2 items closed, 1 of them after the deadline.", "")


def test_the_date_of_a_known_exploited_vulnerability_caps_the_deadline():
    kev = {**FINDING, "known_exploited": True, "due_on": date(2026, 10, 22)}
    document = plan(findings=[kev])
    assert rows(document, "scheduled_completion_date", "bod_22_01_tracking", "bod_22_01_due_date", "late") == [
        (date(2026, 10, 22), "Yes", date(2026, 10, 22), True)
    ]


@pytest.mark.parametrize(
    ("given", "likely", "reachable"),
    [
        ({"known_exploited": True}, True, False),
        ({"epss": 0.1}, True, False),
        ({"epss": None}, False, False),
        ({"epss": None, "known_exploited": None}, True, False),
        ({"internet_reachable": None}, False, True),
    ],
)
def test_what_is_unknown_of_a_vulnerability_counts_as_the_worst(given, likely, reachable):
    assert rows(plan(findings=[{**FINDING, **given}]), "likely_exploitable", "internet_reachable") == [
        (likely, reachable)
    ]


@pytest.mark.parametrize(("adjustment", "due"), [("Yes", date(2027, 4, 30)), ("Pending", date(2026, 12, 1))])
def test_only_an_approved_adjustment_moves_the_deadline(adjustment, due):
    details = f'{{"adjusted_risk_rating":"Low","risk_adjustment":"{adjustment}"}}'
    line = {**LINE, "detected_on": date(2026, 11, 1), "due_on": due, "details": details}
    assert rows(plan([GAP], poam=[line]), "scheduled_completion_date", "adjusted_risk_rating") == [(due, "Low")]


@pytest.mark.parametrize(
    ("due", "details", "rating", "expected"),
    [
        (date(2026, 12, 30), "", "Moderate", date(2026, 12, 30)),
        (date(2026, 12, 15), "", "Moderate", date(2026, 12, 15)),
        (date(2027, 12, 30), "", "Low", date(2027, 3, 30)),
        (date(2026, 12, 30), '{"original_risk_rating":"Critical"}', "High", date(2026, 10, 31)),
        (date(2027, 12, 30), '{"original_risk_rating":"High","vendor_dependency":"Yes"}', "High", date(2027, 12, 30)),
        (date(2027, 3, 30), '{"adjusted_risk_rating":"Low","risk_adjustment":"Yes"}', "High", date(2027, 3, 30)),
    ],
)
def test_the_date_of_the_ledger_is_never_later_than_the_rating_allows(due, details, rating, expected):
    document = plan([GAP], poam=[{**LINE, "due_on": due, "details": details or None}])
    assert rows(document, "original_risk_rating", "scheduled_completion_date") == [(rating, expected)]


@pytest.mark.parametrize(
    ("status", "details", "deviations"),
    [
        ("accepted", None, (None, None, "Yes")),
        ("accepted", '{"risk_adjustment":"Yes"}', (None, "Yes", None)),
        ("false_positive", None, ("Yes", None, None)),
        ("open", '{"false_positive":"Pending"}', ("Pending", None, None)),
    ],
)
def test_the_state_of_a_number_is_a_deviation_of_the_template(status, details, deviations):
    sheet = "closed" if status == "false_positive" else "open"
    document = plan([GAP], poam=[{**CLOSED, "status": status, "details": details}], sheet=sheet)
    assert rows(document, "false_positive", "risk_adjustment", "operational_requirement") == [deviations]


def test_late_scan_findings_alone_can_be_listed():
    late = {**FINDING, "id": "FND-2", "severity": "high"}
    assert len(rows(plan([GAP], [FINDING, late]), "poam_id")) == 3
    assert rows(plan([GAP], [FINDING, late], scans="late"), "weakness_key") == [("FND-2",), (GAP["gap_id"],)]


def test_the_plan_lists_late_scan_findings_alone_where_nothing_else_is_asked_for():
    assert REPORT.parse({})["scans"] == "late"


@pytest.mark.parametrize(("milestone", "slow"), [(date(2026, 12, 30), []), (date(2026, 12, 31), ["V-7"])])
def test_a_milestone_after_the_scheduled_completion_is_a_warning(milestone, slow):
    document = plan([{**GAP, "due_on": milestone}], [FINDING], [LINE])
    assert table(document, "items").filter("milestone_late")["poam_id"].to_list() == slow
    sentence = (
        "1 item plans its last milestone after the day by which FedRAMP wants it closed, first “Access” (with "
        "ann@acme.example), due 2026-12-30: move the milestone or ask the agency for another day."
    )
    assert [text for text in document.warnings if "milestone" in text] == [sentence] * len(slow)


def test_findings_that_are_not_late_are_counted_where_they_are_not_listed():
    document = plan(findings=[FINDING], scans="late")
    assert lead(document) == ("No item must be listed; 1 scan finding is open and not late.", "")
    assert (document.summary["poam_items_open"], document.summary["poam_scan_findings_not_late"]) == (0, 1)
    listed = plan(findings=[FINDING])
    assert (rows(listed, "poam_id"), listed.summary) == ([("unnumbered",)], document.summary)


def test_a_closed_sheet_without_items_says_so():
    assert lead(plan([GAP], sheet="closed")) == ("No item of the plan was closed.", "")


def test_a_milestone_that_somebody_wrote_down_counts_and_one_of_a_closed_item_does_not():
    details = '{"planned_milestones":"(01) 2026-12-01: order; (02) 2027-01-15: fit"}'
    assert rows(plan([GAP], poam=[{**LINE, "details": details}]), "milestone_late") == [(True,)]
    closed = plan([GAP], poam=[{**CLOSED, "details": details}], sheet="closed")
    assert rows(closed, "milestone_late") == [(False,)]


def test_a_weakness_with_two_numbers_is_a_warning():
    document = plan([GAP], [FINDING], [LINE, {**LINE, "id": "V-9"}])
    assert [text for text in document.warnings if "number:" in text] == [
        "1 weakness has more than one number: close all but the oldest. It is one duty in the calendar."
    ]
    assert not [text for text in plan([GAP], [FINDING], [LINE]).warnings if "number:" in text]


def test_the_headline_names_the_item_that_is_due_first():
    document = plan([GAP], [FINDING], [LINE])
    assert lead(document) == (
        "None of 1 open item of the plan is late.",
        "Close first V-7 Access (detected 1 Oct 2026; with ann@acme.example, due 30 Dec 2026).",
    )
    assert document.warnings == [
        "1 item has no number in the ledger yet: an administrator numbers them, as the plan goes to the agency with "
        "numbers.",
        "1 item without an asset identifier, which the template demands.",
    ]


def test_the_plan_alone_has_the_columns_of_the_template_so_that_it_is_the_csv():
    assert [(sheet.name, bool(sheet.headings)) for sheet in plan([GAP]).tables] == [
        ("items", True),
        ("gaps_without_control", False),
    ]


@pytest.mark.parametrize(
    ("controls", "listed"),
    [
        ("AC-2", True),
        ("AC-2; SI-4(2)", True),
        ("RA-5", True),
        ("gdpr-art32: 32(1)(a)", False),
        ("nist-csf: PR.AA-01", False),
        ("CC6.1", False),
        ("Access control", False),
    ],
)
def test_an_item_of_the_plan_names_a_control_of_800_53_and_no_weakness_leaves_without_one(controls, listed):
    found = plan([GAP], [FINDING], [{**LINE, "details": json.dumps({"controls": controls})}])
    assert "V-7" in table(found, "items" if listed else "gaps_without_control")["poam_id"].to_list()
    parts = found.summary["poam_items_open"], found.summary["poam_gaps_without_control"]
    assert (parts, sum(parts)) == ((int(listed), int(not listed)), 1)


PAIRS = [
    {"framework": "cmmc-l2", "control_id": "AC.L2-3.1.1", "nist_control": control, "nist_position": position}
    for position, control in ((3, "AC-17"), (1, "AC-2"), (2, "AC-3(7)"), (1, "AC-2"))
]


def test_a_gap_names_the_controls_of_800_53_that_its_own_control_is_paired_with():
    found = plan([GAP], nist_pairs=PAIRS)
    assert table(found, "items").select("controls", "weakness_source_identifier").rows() == [
        ("AC-2, AC-3(7), AC-17", "cmmc-l2:AC.L2-3.1.1")
    ]
    assert (found.summary["poam_items_open"], found.summary["poam_gaps_without_control"]) == (1, 0)
    other = plan([{**GAP, "control_id": "AC.L2-3.1.2", "gap_id": "cmmc-l2:AC.L2-3.1.2"}], nist_pairs=PAIRS)
    assert (other.summary["poam_items_open"], other.summary["poam_gaps_without_control"]) == (0, 1)


def test_what_the_ledger_names_comes_before_the_pairs():
    found = plan([GAP], poam=[{**LINE, "details": json.dumps({"controls": "SI-4"})}], nist_pairs=PAIRS)
    assert table(found, "items")["controls"].to_list() == ["SI-4"]


def test_a_number_keeps_the_controls_of_its_pairs_when_the_weakness_is_no_longer_seen():
    line = {**LINE, "details": "{}"}
    poam = [{**line, "owner": "ann@acme.example", "scheduled_on": date(2026, 12, 30)}, {**CLOSED, "details": "{}"}]
    poam[1] |= {"owner": "ann@acme.example", "scheduled_on": date(2026, 12, 30)}
    facts = {"organization": SCOPE, "poam": poam, "nist_pairs": PAIRS}
    for sheet in ("open", "closed"):
        document = report(REPORT, options={"sheet": sheet}, **facts)
        assert table(document, "items")["controls"].to_list() == ["AC-2, AC-3(7), AC-17"]


def test_an_empty_plan_and_one_out_of_scope_say_so():
    assert plan().headline.startswith("No open weakness is on record: no control is contradicted")
    assert plan().warnings == ["No finding of a scanner is on record, which is not the same as none found."]
    unknown = plan(organization=[{"frameworks": ["fedramp-poam"]}])
    assert lead(unknown) == (
        "No control is assessed and no scan is on record, so it is not known whether there are weaknesses.",
        "Import findings.csv with hq import, or post to /api/integrations/vulnerabilities, to fill this report.",
    )
    outside = plan([GAP], [FINDING], [LINE], organization=[{"frameworks": ["soc2"]}])
    assert lead(outside) == (
        "The FedRAMP POA&M is not in scope, so there is no plan.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert table(outside, "items").is_empty()


def test_the_figures_are_the_same_whichever_sheet_is_shown():
    late = {**CLOSED, "id": "V-2", "due_on": date(2026, 10, 31)}
    asked = [{}, {"sheet": "closed"}, {"scans": "late"}, {"template": "2.1"}]
    summaries = [plan([GAP], [FINDING], [CLOSED, late, LINE], **options).summary for options in asked]
    assert [{key: number for key, number in one.items() if key not in ("sheet", "template")} for one in summaries] == [
        {
            "poam_items_open": 1,
            "poam_gaps_without_control": 0,
            "poam_closed_without_control": 0,
            "poam_items_late": 0,
            "poam_items_numbered": 1,
            "poam_items_unnumbered": 0,
            "poam_items_high": 0,
            "poam_items_moderate": 1,
            "poam_items_low": 0,
            "poam_items_from_gaps": 1,
            "poam_items_from_scans": 0,
            "poam_scan_findings_not_late": 1,
            "poam_items_detected_in_period": 0,
            "poam_vendor_check_ins_overdue": 0,
            "poam_items_closed": 2,
            "poam_items_closed_late": 1,
            "poam_items_closed_in_period": 2,
        }
    ] * len(asked)


def test_the_picture_has_what_is_late_of_each_rating():
    late = {**LINE, "id": "V-8", "weakness_key": "x:1", "title": "Old", "due_on": date(2026, 10, 31)}
    held = plan([GAP], [FINDING], [{**LINE, "due_on": date(2026, 12, 30)}, late])
    (chart,) = held.charts
    assert chart.frame.rows() == [("High", "late", 1), ("Moderate", "in time", 2)]
    assert list(plan([GAP], poam=[CLOSED], sheet="closed").charts) == []


def test_an_item_counts_from_the_failure_that_stands_not_from_what_was_wrong_before():
    document = plan([{**GAP, "detected_on": date(2025, 11, 1), "weakness_since": date(2026, 11, 18)}])
    row = table(document, "gaps_without_control").row(0, named=True)
    assert (row["original_detection_date"], row["scheduled_completion_date"], row["late"]) == (
        date(2026, 11, 18),
        date(2026, 12, 18),
        False,
    )
