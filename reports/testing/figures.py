"""Figures of testing: the lineage of evidence, tests linked to controls, and the windows of recurring tests."""

from collections.abc import Mapping

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, Share
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better
from reports.testing import claim_rows, linking, windows

_STATE = pl.col("state")
_CLAIM = "{source} evidence {evidence_id}"
LINEAGE = (
    Figure("claims", "Claims", "count", "neither",
           "Sources of evidence that stand behind an applicable control, one claim for each control and source.",
           "claims", Count(), reason=_CLAIM),
    Figure("claims_complete", "Claims with a complete lineage", "count", "more",
           "Claims whose evidence is on record, whose audit event is in the log, and whose hash follows from the event "
           "as it is stored.", "claims", Count(), _STATE == "complete", _CLAIM),
    Figure("claims_broken", "Claims with a broken lineage", "count", "less",
           "Claims of which a step to their source cannot be followed.",
           "claims", Count(), _STATE == "broken", _CLAIM + ": {problem}"),
    Figure("claims_hash_mismatch", "Claims on changed events", "count", "less",
           "Claims whose audit event is not the one that was hashed: it was changed after it was recorded.",
           "claims", Count(), _STATE == "hash_mismatch", _CLAIM + ": {problem}"),
    Figure("lineage_completeness_pct", "Lineage completeness", "percent", "more",
           "Claims with a complete lineage, as a share of all claims.",
           "claims", Share(_STATE == "complete"), reason=_CLAIM + ": {state}"),
    Figure("claims_bundled", "Claims in a sealed bundle", "count", "more",
           "Claims whose evidence and audit event are in a sealed bundle.",
           "claims", Count(), pl.col("bundle_id").is_not_null(), _CLAIM + " in {bundle_id}"),
    Figure("claims_not_bundled", "Claims in no sealed bundle", "count", "neither",
           "Claims whose lineage ends at the audit log, because no sealed bundle has them.",
           "claims", Count(), pl.col("bundle_id").is_null(), _CLAIM),
    Figure("claims_audit_events", "Audit events behind claims", "count", "neither",
           "Different audit events that claims rest on.", "claims", Distinct("event_id"), reason="event {event_id}"),
    Figure("orphan_evidence", "Orphan evidence", "count", "less",
           "Evidence items and accepted policies that support no control.",
           "orphan_evidence", Count(), reason="{kind} that supports no control"),
    Figure("orphan_controls", "Orphan controls", "count", "less",
           "Applicable controls that no claim is about, so that nothing can be traced.",
           claim_rows.orphans, Count(), reason="{state}, no claim"),
)  # fmt: skip

_PASSED = pl.col("outcome") == "passed"
_LINKED = pl.col("status") == "linked"
_TEST = "{title} on {performed_on}: {outcome}, {status}"
_LINK = "test {test_id}, {status} on {linked_on}"
_STANDING: Mapping[str, tuple[Better, str]] = {
    "suggested": ("neither", "not linked, fit a control and wait for somebody to decide"),
    "unlinked": ("neither", "not linked: not passed, or no control fits them"),
    "rejected": ("neither", "not linked, because somebody refused every link"),
    "linked": ("more", "linked to a control by somebody"),
}
LINKS = (
    Figure("tests_in_period", "Tests performed", "count", "more",
           "Dry-runs of playbooks and recurring tests that were performed from {period_start} to {as_of}.",
           linking.tests_in_period, Count(), reason=_TEST),
    Figure("tests_passed_in_period", "Tests passed", "count", "more",
           "Tests performed from {period_start} to {as_of} that passed.",
           linking.tests_in_period, Count(), _PASSED, _TEST),
    Figure("tests_linked_pct", "Passed tests linked to a control", "percent", "more",
           "Tests linked to a control, as a share of those that were performed from {period_start} to {as_of} and "
           "passed.", linking.tests_in_period, Share(_LINKED), _PASSED, _TEST),
    *(
        Figure(f"tests_{name}", f"Tests {name}", "count", better,
               f"Tests performed from {{period_start}} to {{as_of}} that are {meaning}.",
               linking.tests_in_period, Count(), pl.col("status") == name, _TEST)
        for name, (better, meaning) in _STANDING.items()
    ),
    Figure("tests_unused", "Passed tests without use", "count", "less",
           "Tests performed from {period_start} to {as_of} that passed and are linked to no control.",
           linking.tests_in_period, Count(), _PASSED & ~_LINKED, _TEST),
    Figure("controls_newly_evidenced", "Controls newly evidenced by tests", "count", "more",
           "Controls whose first link to a passed test was made from {period_start} to {as_of}.",
           linking.newly_evidenced, Count(), reason="test {test_id}, linked on {linked_on}"),
    Figure("controls_suggested", "Controls that tests fit", "count", "neither",
           "Applicable controls that a passed test fits which is not stale, is newer than what is linked, and which "
           "nobody decided on.", linking.suggestions, Count(), reason="test {test_id}, {adds}"),
    Figure("controls_suggested_without_test", "Controls without a test that one fits", "count", "neither",
           "Controls that tests fit, that need a test and never had one.",
           linking.suggestions, Count(), pl.col("adds") == "first", "test {test_id} would be its first"),
    Figure("test_links", "Links of tests", "count", "more",
           "Links to controls of the tests performed from {period_start} to {as_of}.",
           linking.links, Count(), _LINKED, _LINK),
    Figure("test_links_in_bundles", "Links of tests with a bundle", "count", "more",
           "Links of the tests performed from {period_start} to {as_of} that name a bundle.",
           linking.links, Count(), _LINKED & pl.col("bundle_id").is_not_null(), _LINK + " in {bundle_id}"),
    Figure("test_links_supplement", "Links of tests as supplement", "count", "neither",
           "Links of the tests performed from {period_start} to {as_of} to a bundle that was sealed before the test.",
           linking.links, Count(), _LINKED & pl.col("supplement"), _LINK + " in {bundle_id}"),
)  # fmt: skip

_WINDOW = "{standing}: {window_open_on} to {window_close_on}, performed {performed_on}"
_ENDED: Mapping[str, tuple[Better, str]] = {
    "done": ("more", "that were performed by their last day"),
    "late": ("less", "that were performed after their last day"),
    "missed": ("less", "whose last day has passed and that were not performed"),
}
SCHEDULES = (
    Figure("test_schedules", "Recurring tests", "count", "neither", "Recurring tests that are scheduled.",
           windows.schedules, Count(), reason="{cadence}: {procedure}"),
    Figure("tests_failed_last", "Recurring tests that failed last", "count", "less",
           "Recurring tests whose last window was performed with a test that failed.",
           windows.schedules, Count(), pl.col("outcome") == "failed", "failed on {performed_on}"),
    Figure("test_windows_open", "Test windows open", "count", "neither",
           "Windows of recurring tests that may be performed today.",
           windows.windows, Count(), pl.col("standing") == "open", _WINDOW),
    Figure("test_windows_in_12_months", "Test windows of 12 months", "count", "neither",
           "Windows of recurring tests of the 12 months up to {as_of} that were performed or have ended.",
           windows.past_year, Count(), reason=_WINDOW),
    *(
        Figure(f"test_windows_{name}_in_12_months", f"Test windows {name} in 12 months", "count", better,
               f"Windows of recurring tests of the 12 months up to {{as_of}} {meaning}.",
               windows.past_year, Count(), pl.col("standing") == name, _WINDOW)
        for name, (better, meaning) in _ENDED.items()
    ),
    Figure("test_windows_on_time_pct", "Test windows met on time", "percent", "more",
           "Windows performed by their last day, as a share of those of the 12 months up to {as_of} that were "
           "performed or have ended.", windows.past_year, Share(pl.col("standing") == "done"), reason=_WINDOW),
    Figure("tests_by_owner", "Recurring tests by the owner", "count", "less",
           "Recurring tests that the owner of the control performs, so that they are not independent.",
           windows.schedules, Count(), ~pl.col("independent"), "owner and performer: {performer}"),
    Figure("tests_short_of_evidence", "Recurring tests short of evidence", "count", "less",
           "Recurring tests for whose last window less evidence was received than expected.",
           windows.schedules, Count(), pl.col("evidence_received") < pl.col("evidence_expected"),
           "{evidence_received} of {evidence_expected} received"),
    Figure("controls_needing_test", "Controls that need a test", "count", "neither",
           "Applicable controls whose mandatory evidence includes a test.",
           windows.needing_test, Count(), reason="needs {kinds_required}"),
    Figure("controls_without_test_schedule", "Controls without a test schedule", "count", "less",
           "Applicable controls whose mandatory evidence includes a test and for which none is scheduled.",
           windows.without_schedule, Count(), reason="needs {kinds_required}; no schedule"),
)  # fmt: skip

FIGURES = (*LINEAGE, *LINKS, *SCHEDULES)
