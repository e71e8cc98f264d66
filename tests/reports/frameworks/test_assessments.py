"""Why a control is not met: each kind of evidence that lapsed or lacks is named."""

import pytest

from reports.frameworks.assessments import order_note, why, with_remediations
from tests.factories import rows

BOTH = {"kinds_required": ["operation", "attestation"], "kinds_present": ["operation", "attestation"]}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"state": "effective"}, None),
        ({"state": "stale", **BOTH, "kinds_stale": ["attestation"]}, "its signature is no longer in force"),
        ({"state": "stale", "kinds_stale": ["operation"]}, "evidence of operation is older than its window"),
        (
            {"state": "stale", **BOTH, "kinds_stale": ["operation", "attestation"], "change_invalidated": True},
            "it changed since its evidence, its signature is no longer in force",
        ),
        (
            {"state": "stale", **BOTH, "kinds_present": ["operation"], "kinds_stale": ["operation"]},
            "evidence of operation is older than its window, nobody signed it",
        ),
        ({"state": "partial", **BOTH, "kinds_present": ["operation"]}, "nobody signed it"),
        ({"state": "ineffective", "failing_test": "T-1"}, "a test failed"),
        ({"state": "ineffective"}, "an event contradicts it"),
        ({"state": "no_data", "evidence_note": "1 event, which does not govern"}, "1 event, which does not govern"),
        ({"state": "stale"}, "a required kind of evidence lapsed"),
    ],
)
def test_what_lapsed_or_lacks_is_named_by_its_kind(row, said):
    assert rows("control_assessments", row).select(why=why())["why"].to_list() == [said]


def test_a_list_of_gaps_names_who_works_on_each_and_without_a_gap_who_does_the_control():
    controls = [{"framework": "hipaa", "control_id": name, "owner": "ann"} for name in ("a", "b")]
    gaps = rows("gaps", {"framework": "hipaa", "control_id": "a", "gap_id": "hipaa:a", "owner": "tom"})
    frame = with_remediations(rows("control_assessments", *controls), gaps)
    assert frame.select("control_id", "owner", "work_owner").rows() == [("a", "ann", "tom"), ("b", "ann", "ann")]


def test_a_list_of_gaps_says_its_order_and_that_the_next_step_has_another():
    assert order_note("by severity", "", "1 of these is no gap.") == (
        "In this order: by severity. What to close first goes by another rule, what a gap gains for each of its hours, "
        "on this page as on all. 1 of these is no gap."
    )
