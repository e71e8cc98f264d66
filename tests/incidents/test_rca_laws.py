"""What holds for the root-cause analysis of all signals."""

from engine.incidents.rca_features import Signal
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.incidents.rca_words import KINDS
from tests.incidents.test_rca import before, past, run

SIGNALS = st.lists(
    st.builds(
        Signal,
        st.sampled_from([*KINDS]),
        st.sampled_from([f"x:{i}" for i in range(20)]),
        st.integers(-60, 2000).map(before),
        st.text(max_size=12),
        st.sampled_from(["checkout", "payments", "db", "far", None]),
        severity=st.sampled_from(["critical", "high", "medium", "low", "info"]),
        ended_at=st.none() | st.integers(-60, 2000).map(before),
        environment=st.sampled_from([None, "production", "staging"]),
        failed=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda signal: signal.id,
)


@given(SIGNALS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_does_not_matter_scores_are_bounded_and_contributions_sum(signals, random):
    result = run(*signals, past=[past("p1", "Bad release"), past("p2")])
    mixed = random.sample(signals, len(signals))
    assert run(*mixed, past=[past("p2"), past("p1", "Bad release")]) == result
    confidences = [candidate.confidence for candidate in result.candidates]
    assert confidences == sorted(confidences, reverse=True)
    for candidate in result.candidates:
        assert 0 <= candidate.confidence <= 1
        assert round(sum(c.contribution for c in candidate.contributions), 3) == candidate.confidence
    assert result.conclusive == (result.hypothesis != "inconclusive")
