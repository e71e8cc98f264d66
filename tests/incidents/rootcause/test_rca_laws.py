"""What holds for the root-cause analysis of whatever is recorded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.incidents.rootcause.rca_estate import Suspect
from engine.incidents.rootcause.rca_words import KINDS
from tests.incidents.rootcause.test_rca import before, past, run
from tests.laws import examples

SUSPECTS = st.lists(
    st.builds(
        lambda kind, name, at, place, severity, ended, environment, failed: Suspect(
            kind,
            f"x:{name}",
            at,
            name,
            "vendors:v" if kind == "vendor_outage" else place,
            kind,
            place,
            name,
            severity,
            ended,
            environment,
            failed=failed,
        ),
        st.sampled_from([*KINDS]),
        st.sampled_from([f"n{i}" for i in range(20)]),
        st.integers(-60, 2000).map(before),
        st.sampled_from(["web", "api", "db", "disk", "far"]),
        st.sampled_from(["critical", "high", "medium", "low", "info"]),
        st.none() | st.integers(-60, 2000).map(before),
        st.sampled_from([None, "production", "staging"]),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda suspect: suspect.id,
)


@given(SUSPECTS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(60))
def test_order_does_not_matter_scores_are_bounded_and_contributions_sum(suspects, random):
    result = run(*suspects, past=[past("p1", "Bad release"), past("p2")])
    mixed = random.sample(suspects, len(suspects))
    assert run(*mixed, past=[past("p1", "Bad release"), past("p2")]) == result
    confidences = [candidate.confidence for candidate in result.candidates]
    assert confidences == sorted(confidences, reverse=True)
    for candidate in result.candidates:
        assert 0 <= candidate.confidence <= 1
        assert round(sum(one.contribution for one in candidate.contributions), 3) == candidate.confidence
        assert len(set(candidate.evidence_ids)) == len(candidate.evidence_ids)
    assert result.conclusive == (result.hypothesis != "inconclusive")


@given(SUSPECTS)
@settings(deadline=None, max_examples=examples(60))
def test_what_is_far_from_the_service_changes_nothing(suspects):
    near = [one for one in suspects if one.service_id not in ("far", "web") or one.kind == "vendor_outage"]
    assert run(*near).candidates == run(*suspects).candidates
