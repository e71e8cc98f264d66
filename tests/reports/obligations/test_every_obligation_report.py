"""What holds for all views of the ledger: bytes, formats, the empty organization."""

import csv as reader
import json as parser
from datetime import date, timedelta

import polars as pl
import pytest

from engine.model.documents.document import Edition, Organization, Position
from engine.render.html import html
from engine.render.tables import csv
from engine.render.text import json, markdown
from reports.obligations.crossover import obligation_consolidation, obligation_crossover
from reports.obligations.density import obligation_density_alerts, obligation_density_trend_history
from reports.obligations.forecast import obligation_forecast
from reports.obligations.rollup import obligation_heatmap, obligation_rollup
from reports.obligations.whatif import obligation_whatif
from reports.shared.ledger import KINDS
from tests.factories import DAY, ask, assessment_facts, moment, rows
from tests.reports.obligations.ledgers import duty, ledger, work

REPORTS = {
    module.REPORT.name: module.REPORT
    for module in (
        *(obligation_rollup, obligation_heatmap, obligation_forecast, obligation_whatif),
        *(obligation_crossover, obligation_consolidation),
        *(obligation_density_alerts, obligation_density_trend_history),
    )
}
OPTIONS = {"obligation-whatif": {"shiftWeeks": 2, "descope": "hipaa"}}
FRAMEWORKS = ("soc2", "iso27001", "hipaa")


def duties(number):
    for n in range(number):
        framework = FRAMEWORKS[n % 3]
        yield duty(
            f"d{n:03d}",
            n * 7 % 120 - 20,
            kind=KINDS[n % len(KINDS)],
            frameworks=[framework],
            hard=n % 4 == 0,
            controls=[f"{framework}:C{n % 5}"],
            owner=(None, "ann", "bob")[n % 3],
            accountable="cyd",
            title="=1|<b>",
            effort_hours=0.1 + n % 3,
            vendor_id=f"V{n % 2}" if n % 5 == 0 else None,
            vendor_tier="high",
        )


def weeks():
    for ago in range(1, 14):
        day = date(2026, 11, 16) - timedelta(weeks=ago)
        yield {
            "week": f"{day:%G-W%V}",
            "week_start_on": day,
            "planned": 9,
            "planned_hours": 20.0,
            "completed": 9 - ago % 3,
            "slipped": ago % 3,
            "forecast": 8,
        }


LEDGER = ledger(*duties(90))
OWNER_WEEKS, LOAD = work(LEDGER, ("ann", "default", 10.0))
CONTROLS = [{"framework": name, "control_id": f"C{n}"} for name in FRAMEWORKS for n in range(5)]
FRAMES = {
    "frameworks": rows("frameworks", {"framework": "hipaa"}, {"framework": "soc2"}),
    "obligations": LEDGER,
    "owner_weeks": OWNER_WEEKS,
    "load": LOAD,
    "requests": rows("requests", *({"id": f"R{n}", "opened_on": DAY - timedelta(days=3 * n)} for n in range(60))),
    "obligation_weeks": rows("obligation_weeks", *weeks()),
    "test_windows": rows(
        "test_windows",
        *(
            {
                **control,
                "schedule_id": f"S{n}",
                "window_open_on": DAY,
                "standing": ("missed", "open", "upcoming")[n % 3],
            }
            for n, control in enumerate(CONTROLS)
        ),
    ),
    "vendor_controls": rows("vendor_controls", *({"vendor_id": f"V{n % 2}", **row} for n, row in enumerate(CONTROLS))),
    **assessment_facts(
        *({**row, "active": n % 2 == 1, "next_due_on": DAY + timedelta(days=n)} for n, row in enumerate(CONTROLS))
    ),
    "linked_evidence": rows(
        "linked_evidence", *({**row, "evidence_id": f"E{n // 4}"} for n, row in enumerate(CONTROLS))
    ),
    "crosswalk": rows(
        "crosswalk",
        *(
            {"source_framework": "soc2", "source_id": f"C{n}", "target_framework": "iso27001", "target_id": f"C{n}"}
            | {"relation": "equal", "strength": 0.9, "full": True}
            for n in range(5)
        ),
    ),
    "plays": rows(
        "plays",
        *(
            {"play_id": f"P{n}", "status": status, "number": 1, "step_status": "done", "hours_saved": 2.0}
            for n, status in enumerate(("active", "completed", "abandoned"))
        ),
    ),
    "density_alerts": rows(
        "density_alerts",
        *(
            {
                "delivery_id": f"D{n}",
                "alert_id": f"a{n}",
                "week": f"2026-W{40 + n}",
                "level": "warning",
                "status": "sent",
            }
            | {"created_at": moment("2026-10-01 08:00"), "created_on": date(2026, 10, 1), "channel": "email"}
            for n in range(9)
        ),
    ),
}


def build_document(name, frames=FRAMES):
    report = REPORTS[name]
    return report.document({fact: frames[fact] for fact in report.facts}, ask(**OPTIONS.get(name, {})))


def empty(name):
    nothing = {fact: rows(fact) for fact in REPORTS[name].facts}
    return build_document(name, nothing | {"frameworks": FRAMES["frameworks"]})  # what the question names is there


def render_document(name, document):
    report = REPORTS[name]
    edition = Edition(
        report=report.name,
        title=report.title,
        description=report.description,
        schema_version=report.schema_version,
        organization=Organization("acme", "Acme"),
        as_of=DAY,
        revision=Position(1, "0" * 64),
        parameters={},
        settings_version=0,
        document=document,
    )
    return {form.__name__.rpartition(".")[2]: form.render(edition) for form in (json, csv, html, markdown)}


@pytest.mark.parametrize("name", REPORTS)
def test_the_order_of_the_facts_does_not_show(name):
    first = render_document(name, build_document(name))
    for seed in (1, 2):
        mixed = {fact: frame.sample(fraction=1.0, shuffle=True, seed=seed) for fact, frame in FRAMES.items()}
        assert render_document(name, build_document(name, mixed)) == first


@pytest.mark.parametrize("name", REPORTS)
def test_every_format_has_the_same_rows(name):
    document = build_document(name)
    made = render_document(name, document)
    counts = {table.name: table.frame.height for table in document.tables}
    assert any(counts.values())
    assert {table: len(parser.loads(made["json"])[table]) for table in counts} == counts
    lines = list(reader.DictReader(made["csv"].decode().splitlines()))
    whole = {table.name: table.frame.height for table in document.tables if not table.part_of}
    assert {table: sum(line["section"] == table for line in lines) for table in whole} == whole
    assert made["html"].count(b'<tr><th scope="row"') == sum(counts.values())
    body = made["markdown"].decode().splitlines()
    assert sum(line.startswith("| ") for line in body) == sum(number + 2 for number in counts.values() if number)


@pytest.mark.parametrize("name", REPORTS)
def test_an_organization_without_records_is_not_told_that_all_is_well(name):
    document = empty(name)
    assert all(render_document(name, document).values())
    assert document.headline.startswith("No")
    assert not document.charts
    assert document.coverage is None or document.coverage.assessed == 0
    assert not [
        key for key, value in document.summary.items() if key.endswith("_pct") and "utilisation" not in key and value
    ]


@pytest.mark.parametrize("name", REPORTS)
def test_columns_and_figures_are_the_same_with_and_without_data(name):
    full, nothing = build_document(name), empty(name)
    assert [(one.name, one.frame.schema) for one in full.tables] == [
        (one.name, one.frame.schema) for one in nothing.tables
    ]
    assert list(full.summary) == list(nothing.summary)


@pytest.mark.parametrize("name", REPORTS)
def test_labels_name_columns_and_terms_are_defined(name):
    document = build_document(name)
    assert document.headline.endswith(".")
    assert document.definitions
    for table in document.tables:
        assert {*table.hidden, *table.heat, *table.state} <= set(table.frame.columns), table.name
        assert all(dtype != pl.Null for dtype in table.frame.dtypes), table.name
    named = {label for table in document.tables for label in table.labels}
    columns = {column for table in document.tables for column in table.frame.columns}
    assert named <= columns
