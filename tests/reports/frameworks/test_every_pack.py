"""What holds for every framework pack: the same rows in every format, an honest page without data, the standard's counts."""

import csv
import io
import json
import re
from datetime import date
from functools import cache

import markdown
import polars as pl
import pytest

from engine.model.documents.document import Edition, Organization, Position
from engine.render import RENDERERS
from reports.frameworks.cis import cis_v8
from reports.frameworks.cmmc import cmmc_l2
from reports.frameworks.gdpr import gdpr_art32
from reports.frameworks.hipaa import hipaa
from reports.frameworks.iso27001 import iso_assessment
from reports.frameworks.nist import nist_csf
from reports.frameworks.pci import pci_dss
from reports.frameworks.poam import fedramp_poam
from reports.frameworks.soc2 import type_ii
from tests.factories import DAY, ask, moment, rows
from tests.render.parsing import Page
from tests.reports.explanations import values_follow
from tests.reports.frameworks.packs import pack

FRAMEWORKS = {
    type_ii: "soc2",
    iso_assessment: "iso27001",
    pci_dss: "pci-dss",
    hipaa: "hipaa",
    nist_csf: "nist-csf",
    cis_v8: "cis-v8",
    cmmc_l2: "cmmc-l2",
    gdpr_art32: "gdpr-art32",
    fedramp_poam: "cis-v8",
}
PACKS = {module.REPORT.name: (module.REPORT, framework) for module, framework in FRAMEWORKS.items()}
STATES = ("effective", "no_data", "stale", "partial", "ineffective", "not_applicable")
# what a pack reports as good; the more the better
SCORES = {
    "type-ii": ("type_ii_no_exceptions_noted",),
    "hipaa": (*("hipaa_required_met_pct", "hipaa_addressable_met_pct", "hipaa_required_met", "hipaa_addressable_met"),),
    "nist-csf": ("csf_at_target",),
    "cis-v8": ("cis_in_place", "cis_ig1_in_place_pct", "cis_ig2_in_place_pct", "cis_ig3_in_place_pct"),
    "cmmc-l2": ("sprs_score", "cmmc_met"),
    "gdpr-art32": ("gdpr_demonstrated_pct", "gdpr_demonstrated", "gdpr_demonstrated_in_part"),
}


def mixed_states(framework):
    """Every state in turn."""
    names = [row["control_id"] for row in pack(framework)[0]]
    return pack(framework, but={name: STATES[index % len(STATES)] for index, name in enumerate(names)})


@cache
def frames(framework):
    """Something in every fact that a pack takes."""
    requirements, statuses = mixed_states(framework)
    first, second, *_ = [row["control_id"] for row in statuses]
    on, other = {"framework": framework, "control_id": first}, {"framework": framework, "control_id": second}
    return {
        "organization": [{"frameworks": [framework, "fedramp-poam"]}],
        "requirements": requirements,
        "control_assessments": statuses,
        "control_status": statuses,
        "control_profiles": [
            {**on, "implementation": "As in <the> | plan", "target_pct": 80, "implemented_pct": 50, "risk_ref": "R-1"},
            {**other, "decision": "alternative", "rationale": "=A better way", "decided_on": date(2026, 1, 1)},
        ],
        "gaps": [
            {
                "framework": framework,
                "control_id": row["control_id"],
                "gap_id": f"{framework}:{row['control_id']}",
                "state": row["state"],
                "title": row["title"],
                "owner": "ann@acme.example",
                "action": "Do it",
            }
            for row in statuses
            if row["state"] in ("no_data", "ineffective", "stale")
        ],
        "exceptions": [{**other, "id": "X-1", "standing": "approved", "kind": "accepted_risk", "compensating": "Wall"}],
        "risks": [{"id": "R-1", "title": "Loss", "level": "high", "unknown": False, "status": "open"}],
        "vendors": [
            {"vendor_id": name, "name": name, "tier": "high", "handles_phi": True, "data_classes": "health"}
            for name in "ab"
        ],
        "vendor_controls": [
            {
                **on,
                "vendor_id": "a",
                "title": "Control",
                "gap": "expired",
                "customer_side": "Ours",
                "model": "carve-out",
            }
        ],
        "agreements": [
            {"vendor_id": "a", "kind": kind, "document_id": f"D-{kind}", "flows_down": True} for kind in ("baa", "dpa")
        ],
        "test_windows": [
            {
                **on,
                "schedule_id": "T-1",
                "run_id": "R-1",
                "procedure": "Look",
                "outcome": "failed",
                "window_open_on": date(2026, 11, 1),
                "window_close_on": date(2026, 11, 7),
                "performed_on": date(2026, 11, 5),
                "population": 20,
                "tested": 5,
                "deviations": 1,
            }
        ],
        "criteria_events": [{**other, "action": "a.b", "title": "Ran", "effect": "supports", "events": 3}],
        "criteria_days": [{**other, "happened_on": date(2026, 11, day)} for day in (2, 9)],
        "state_changes": [{**on, "observed_on": date(2026, 11, 2), "state": "stale", "previous": "effective"}],
        "policies": [{**on, "policy_id": "P", "title": "Policy", "version": 2, "accepted_on": date(2026, 11, 3)}],
        "bundles": [{"id": "B-1", "sealed_on": date(2026, 11, 2)}],
        "legal_holds": [{"id": "H-1", "placed_on": date(2026, 1, 1)}],
        "incidents": [{"id": "I-1", "opened_at": moment("2026-11-02"), "minutes_to_resolve": 90.0}],
        "findings": [
            {
                "id": f"F-{n}",
                "source": "scanner",
                "finding_key": f"k{n}",
                "title": "Weak | cipher",
                "severity": severity,
                "status": "open",
                "asset": "web",
                "first_seen_on": date(2026, 10, 1),
            }
            for n, severity in enumerate(("critical", "high", "medium", "low"))
        ],
        "poam": [
            {
                "id": f"V-{n}",
                "weakness_key": key,
                "detected_on": date(2026, 10, 1),
                "due_on": date(2026, 12, 30),
                "scheduled_on": date(2026, 12, 30),
                "status": "open",
            }
            for n, key in ((2, "F-0"), (10, "gone"))
        ],
    }


def build_document(name, given):
    report, _ = PACKS[name]
    return report.document({fact: rows(fact, *given.get(fact, ())) for fact in report.facts}, ask())


def render_document(name, document, format):
    report, _ = PACKS[name]
    edition = Edition(
        report.name,
        report.title,
        report.description,
        report.schema_version,
        Organization("acme", "Acme"),
        DAY,
        Position(1, "0" * 64),
        {"periodDays": 30},
        0,
        document,
    )
    return RENDERERS[format].render(edition).decode()


@pytest.mark.parametrize("name", PACKS)
def test_every_format_shows_the_same_rows(name):
    document = build_document(name, frames(PACKS[name][1]))
    assert sum(table.frame.is_empty() for table in document.tables) <= (name == "iso-assessment")
    data = json.loads(render_document(name, document, "json"))
    heights = [len(data[table.name]) for table in document.tables]
    assert heights == [table.frame.height for table in document.tables]

    lines = list(csv.DictReader(io.StringIO(render_document(name, document, "csv"), newline="")))
    if (
        "section" not in lines[0]
    ):  # of the FedRAMP plan the items alone: its other table names no control of the template
        assert len(lines) == heights[0]
    else:
        shown_in = [{line["section"], *line.get("also_in", "").split("; ")} for line in lines]
        assert [sum(table.name in names for names in shown_in) for table in document.tables] == heights

    shown = [height for height in heights if height]
    html = Page(render_document(name, document, "html"))
    text = Page(markdown.markdown(render_document(name, document, "md"), extensions=["tables"]))
    for page in (html, text):
        assert [len(part) - 1 for part in page.tables] == shown
    first = [[" ".join(row[0].split()) for part in page.tables for row in part] for page in (html, text)]
    # a page has the title before the identifier, and heads such a column as one of names
    named = [
        ("Name" if other == "ID" else other.removesuffix(" ID"), one, other) for one, other in zip(*first, strict=True)
    ]
    assert [one for name, one, other in named if not f" {one}".endswith((f" {other}", f" {name}"))] == []


@pytest.mark.parametrize("name", PACKS)
def test_the_order_of_the_facts_does_not_matter(name):
    report, framework = PACKS[name]
    given = {fact: rows(fact, *frames(framework).get(fact, ())) for fact in report.facts}
    forwards = report.document(given, ask())
    backwards = report.document({fact: frame.reverse() for fact, frame in given.items()}, ask())
    for format in report.light_formats:
        assert render_document(name, forwards, format) == render_document(name, backwards, format)


@pytest.mark.parametrize("name", PACKS)
def test_an_empty_organization_gets_an_honest_document(name):
    document = build_document(name, {})
    report, framework = PACKS[name]
    assert all(render_document(name, document, format) for format in report.light_formats)
    assert document.headline.endswith(".")
    assert "not in scope" in document.headline
    assert all(table.frame.is_empty() for table in document.tables)
    assert not [key for key, value in document.summary.items() if key.endswith(("_pct", "score")) and value is not None]
    full = build_document(name, frames(framework))
    assert [(table.name, table.frame.schema) for table in document.tables] == [
        (table.name, table.frame.schema) for table in full.tables
    ]
    assert list(document.summary) == list(full.summary)


@pytest.mark.parametrize("name", SCORES)
def test_removing_all_data_raises_no_score(name):
    """The framework stays in scope, everything that was ever recorded is gone."""
    requirements, _ = mixed_states(PACKS[name][1])
    before = build_document(name, frames(PACKS[name][1])).summary
    after = build_document(name, {"requirements": requirements}).summary
    assert {key: after[key] for key in SCORES[name] if (after[key] or 0) > max(before[key] or 0, 0)} == {}
    assert [after[key] or 0 for key in SCORES[name]] == [0] * len(SCORES[name])


@pytest.mark.parametrize("name", PACKS)
def test_every_figure_is_what_its_rows_give(name):
    report, framework = PACKS[name]
    for given in ({}, frames(framework)):
        values_follow(report, **{fact: rows(fact, *given.get(fact, ())) for fact in report.facts})


@pytest.mark.parametrize("name", PACKS)
def test_terms_are_defined_and_labels_name_columns(name):
    document = build_document(name, frames(PACKS[name][1]))
    terms = len(document.definitions) - len(PACKS[name][0].figures)
    assert 1 <= terms <= 9
    for table in document.tables:
        assert {*table.hidden, *table.heat, *table.state, *table.headings} <= set(table.frame.columns), table.name
        assert all(dtype != pl.Null for dtype in table.frame.dtypes), table.name


def test_the_packs_have_the_counts_of_their_standards():
    counts = {
        "soc2": 61,
        "iso27001": 123,
        "pci-dss": 250,
        "hipaa": 55,
        "nist-csf": 106,
        "cis-v8": 153,
        "cmmc-l2": 110,
        "gdpr-art32": 8,
    }
    assert {framework: len(pack(framework)[0]) for framework in counts} == counts


NOTHING_APPLIES = {
    "type-ii": "No SOC 2 criterion is applicable, so there is nothing to report on.",
    "iso-assessment": "No requirement is applicable; an auditor could find 123 major and 0 minor nonconformities.",
    "hipaa": "No specification or standard of the HIPAA Security Rule is applicable, so there is nothing to meet.",
    "nist-csf": "No outcome of NIST CSF 2.0 is in scope of the profile.",
    "cis-v8": "No safeguard of IG1 applies, so nothing can be said about it.",
    "cmmc-l2": "No SPRS score can be given, because there is no evidence of a system security plan (3.12.4).",
    "gdpr-art32": "No measure of GDPR Article 32 is applicable, so there is nothing to demonstrate.",
}


@pytest.mark.parametrize("name", NOTHING_APPLIES)
def test_where_nothing_applies_no_share_of_nothing_is_told(name):
    _, framework = PACKS[name]
    requirements, statuses = pack(framework, default="not_applicable")
    organization = [{"frameworks": [framework]}]
    given = {
        "organization": organization,
        "requirements": requirements,
        "control_assessments": statuses,
        "control_status": statuses,
    }
    assert build_document(name, given).headline == NOTHING_APPLIES[name]


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("state", STATES)
def test_no_first_sentence_counts_nothing_of_nothing_or_starts_without_a_first(name, state):
    _, framework = PACKS[name]
    for whole in (slice(None), slice(1), slice(0)):
        requirements, statuses = (part[whole] for part in pack(framework, default=state))
        organization = [{"frameworks": [framework, "fedramp-poam"]}]
        headline = build_document(
            name,
            {
                "organization": organization,
                "requirements": requirements,
                "control_assessments": statuses,
                "control_status": statuses,
            },
        ).headline
        assert not re.search(r"\b0 of 0\b|\bthe 0\b|^0 items", headline), headline
