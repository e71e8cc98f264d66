"""Tests of the period and the controls that they show: linked, suggested, or of no use so far."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.wording import count, part_of, percent, spell, with_whom
from reports.testing import linking

ROUTE = "/api/governance/compliance/testing-evidence-linker"
LABELS = {
    "title": "What was tested",
    "id": "Test",
    "policy_version": "Guardrail version",
    "status": "Link",
    "freshness": "Age of the test",
}
DEFINITIONS = {
    "Test": "A dry-run of a playbook, or a recurring test that was performed.",
    "Match by": "Runbook: the runbook of the control has the playbook. Policy: the guardrail that the dry-run was held "
    "against supports the control. Schedule: the recurring test is that of the control. A match is a suggestion; "
    "somebody has to judge it.",
    "Test evidence would be": "First: the control needs a test and has none. Renews: the one that it has is stale. "
    "Supports: it has one already, or needs none.",
    "Age of the test": "Against the window of the control's cadence: fresh up to 80 % of it, due soon up to all of it, "
    "then stale.",
}


def build(control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    tests, suggestions = figures.rows(linking.tests_in_period), figures.rows(linking.suggestions)
    return Document(
        *_opening(suggestions, control_status, figures, ask),
        tables=(
            Table(
                "suggestions",
                "Links to decide on, most useful first",
                suggestions,
                labels={"basis": "Match by", "freshness": LABELS["freshness"]},
                state=("control_state", "freshness"),
                hidden=("link_body", "age_days", "window_days"),
                note="The newest fitting test of each control. Machine formats have the body to post.",
            ),
            Table(
                "tests",
                "Tests of the period, newest first",
                tests,
                labels=LABELS,
                state=("outcome", "status"),
                words=("kind",),
                hidden=("policy_id", "suggested_controls"),
            ),
            Table(
                "links",
                "Links of these tests",
                figures.rows(linking.links),
                labels=LABELS,
                state=("status", "freshness", "outcome"),
            ),
            Table("playbooks", "By playbook", linking.by_playbook(tests)),
            Table(
                "newly_evidenced",
                "Controls newly evidenced in the period",
                figures.rows(linking.newly_evidenced),
                part_of=("links",),
            ),
        ),
        coverage=packs.controls_coverage(control_status),
        charts=_charts(figures),
        definitions=DEFINITIONS,
        footnotes=(f"To link tests, post its body, which the JSON has, to {ROUTE}; each link is an audit event.",),
    )


def _opening(suggestions: pl.DataFrame, control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    days = count(ask.period_days, "day")
    tests, passed = figures["tests_in_period"], figures["tests_passed_in_period"]
    if not tests:
        return Opening(f"No test was performed in {days}, so there is nothing to link.", setup.fill("test_runs"))
    if not passed:
        return Opening(f"None of {count(tests, 'test')} in {days} passed, so none can be evidence.")
    used = part_of(passed - figures["tests_unused"], passed, "passed test")
    share = f"In {days} {used} linked ({percent(figures['tests_linked_pct'])})"
    if suggestions.is_empty():
        return Opening(f"{share}; no further link is suggested.")
    first = suggestions.row(0, named=True)
    mine = [pl.col(name) == first[name] for name in ("framework", "control_id")]
    owner = control_status.row(by_predicate=pl.all_horizontal(mine), named=True)["owner"]
    state = spell(first["control_state"])
    why = {"first": "which has no test yet", "renews": "whose test is stale"}.get(
        first["adds"], f"which is {state}" if state != "effective" else "which it would support"
    )
    control = packs.titled_control(first, ask)
    more = count(figures["controls_suggested"], "more control", "more controls")
    return Opening(
        f"{share}, tests fit {more}.", f"Link {first['test_id']} to {control} first, {why} ({with_whom(owner)})."
    )


def _charts(figures: Figures) -> list[Chart]:
    if not figures["tests_in_period"]:
        return []
    numbers = {name: figures[f"tests_{name}"] for name in linking.STATUSES}
    frame = pl.DataFrame({"link": list(numbers), "tests": list(numbers.values())})
    return [
        Chart(
            "bars",
            "Tests by link",
            frame,
            "link",
            "tests",
            "Tests of the period by where linking stands.",
            words=("link",),
        )
    ]


REPORT = Report(
    name="testing-evidence-linker",
    title="Testing evidence linker",
    description="Dry-runs and recurring tests with the controls and bundles that they are linked to, and what fits.",
    build=build,
    figures=select(
        *("tests_in_period", "tests_passed_in_period", "tests_linked_pct"),
        *(f"tests_{name}" for name in linking.STATUSES),
        *("tests_unused", "controls_newly_evidenced", "controls_suggested", "controls_suggested_without_test"),
        *("test_links", "test_links_in_bundles", "test_links_supplement"),
    ),
    schema_version=2,
)
