"""Tests of the period and the controls that they show: linked, suggested, or of no use so far."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, FrameRow, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.wording import count, part_of, percent, with_whom
from reports.testing import linking

SUGGESTED = ("framework", "control_id", "title", "test", "owner", "control_state", "performed_on", "basis", "adds")
MOST_BARS = 8
# what a page leads with
FOREMOST = (
    *("tests_unused", "tests_linked_pct", "controls_suggested", "controls_suggested_without_test"),
    *("tests_passed_in_period", "controls_newly_evidenced"),
)
TESTED = ("title", "kind", "performed_on", "outcome", "status", "suggested", "actor")
LINKED = ("framework", "control_id", "status", "outcome", "freshness", "linked_on", "linked_by")
ROUTE = "/api/governance/compliance/testing-evidence-linker"
LABELS = {
    "title": "What was tested",
    "id": "Test",
    "policy_version": "Guardrail version",
    "status": "Link",
    "freshness": "Age of the test",
}
GAINS = {"first": "it would have its first test", "renews": "its stale test would be fresh again"}
DEFINITIONS = {
    "Test": "A dry-run of a playbook, or a recurring test that was performed.",
    "Fits by": "Runbook: the runbook of the control has the playbook. Policy: the guardrail that the dry-run was held "
    "against supports the control. Schedule: the recurring test is that of the control, and passed under a query that "
    "is no longer asked. A match is a suggestion; somebody has to judge it.",
    "Link": "Linked: somebody linked it to a control, or it is a recurring test that passed, which the controls of its "
    "schedule have as evidence without a link. Suggested: a control fits and nobody decided. Rejected: every link was "
    "refused. Unlinked: it did not pass, or no control fits.",
    "Test evidence would be": "First: the control needs a test and has none. Renews: the one that it has is stale. "
    "Supports: it has one already, or needs none.",
    "Age of the test": "Against the window of the control's cadence: fresh up to 80 % of it, due soon up to all of it, "
    "then stale.",
}


def build(control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    tests, suggestions = figures.rows(linking.tests_in_period), figures.rows(linking.suggestions)
    links = figures.rows(linking.links)
    return Document(
        *_opening(suggestions, figures, ask),
        tables=(
            Table(
                "suggestions",
                "Links to decide on, most useful first",
                suggestions.select(*SUGGESTED, pl.exclude(SUGGESTED)),
                labels={"test": "Test that fits", "basis": "Fits by", "freshness": LABELS["freshness"]},
                state=("control_state", "freshness"),
                hidden=("test_id", "freshness", "link_body", "age_days", "window_days"),
                note="The newest fitting test of each control. Whoever owns the control judges whether it shows it.",
            ),
            Table(
                "tests",
                "Tests of the period, newest first",
                tests.select(*TESTED, pl.exclude(TESTED)),
                labels={**LABELS, "title": "Test", "suggested": "Controls that it fits"},
                state=("outcome", "status"),
                words=("kind",),
                hidden=(
                    "id",
                    "policy_id",
                    "policy_version",
                    "performed_at",
                    "suggested_controls",
                    "bundles",
                    "linked_controls",
                ),
            ),
            Table(
                "links",
                "Links of these tests",
                links.select(*LINKED, pl.exclude(LINKED)),
                labels=LABELS,
                state=("status", "freshness", "outcome"),
                hidden=("test_id", "window_days", "age_days", "link_id", "bundle_id", "supplement"),
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
        charts=_charts(suggestions),
        definitions=DEFINITIONS,
        foremost=FOREMOST if tests.height else (),
        footnotes=(f"Links are made with {ROUTE}: the JSON has the body to post; each link is an audit event.",),
    )


def _opening(suggestions: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    days = count(ask.period_days, "day")
    tests, passed = figures["tests_in_period"], figures["tests_passed_in_period"]
    if not tests:
        return Opening(f"No test was performed in {days}, so there is nothing to link.", setup.fill("test_runs"))
    if not passed:
        return Opening(f"None of {count(tests, 'test')} in {days} passed, so none can be evidence.")
    used = part_of(passed - figures["tests_unused"], passed, "passed test")
    share = f"In {days} {used} linked to a control ({percent(figures['tests_linked_pct'])})"
    if suggestions.is_empty():
        return Opening(f"{share}; no further link is suggested.")
    first = suggestions.row(0, named=True)
    more = count(figures["controls_suggested"], "more control")
    if first["adds"] == "supports":
        return Opening(
            f"{share}; {more} could have one too, and none needs it.",
            f"Nobody has to act: no state changes by a link. The first that fits is {_test(first)} for "
            f"{packs.titled_control(first, ask)} ({with_whom(first['owner'])}).",
        )
    return Opening(
        f"{share}; {more} could use one as evidence.",
        f"Link {_test(first)} to {packs.titled_control(first, ask)} ({with_whom(first['owner'])}): "
        f"{GAINS[first['adds']]}.",
    )


def _test(suggestion: FrameRow) -> str:
    """The test of a suggestion as it is called: a dry-run by its playbook."""
    day = spelled_day(suggestion["performed_on"])
    name = suggestion["test"] or suggestion["test_id"]
    return f"the dry-run “{name}” of {day}" if "schedule" not in suggestion["basis"] else f"the test “{name}” of {day}"


def _charts(suggestions: pl.DataFrame) -> list[Chart]:
    """The tests whose links are worth most: how many controls each would serve."""
    if suggestions.is_empty():
        return []
    named = suggestions.with_columns(test=pl.coalesce("test", "test_id"))
    served = named.group_by("test").agg(controls=pl.len().cast(pl.Int64)).sort(-pl.col("controls"), "test")
    alt = f"Controls that each test fits, by test; at most {MOST_BARS} tests, those that fit most."
    return [Chart("bars", "Controls that each test would serve", served.head(MOST_BARS), "test", "controls", alt)]


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
