"""The worked examples of the formulas."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.documents.document import Coverage
from engine.model.figures import formulas as f
from engine.model.thresholds import Thresholds


def test_contributions_round_by_largest_remainder_with_ties_to_the_earlier_component():
    weights = [0.35, 0.20, 0.15, 0.10, 0.10]
    values = [80, 70, 90, 50, 100]
    exact = [w / 0.9 * v for w, v in zip(weights, values, strict=True)]
    score = round(sum(exact), 1)
    assert score == 78.3
    assert f.largest_remainder(exact, score) == [31.1, 15.6, 15.0, 5.5, 11.1]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_rounded_contributions_always_sum_to_the_rounded_total(values):
    total = round(sum(values), 1)
    rounded = f.largest_remainder(values, total)
    assert round(sum(rounded), 1) == total
    assert all(abs(a - b) <= 0.1 + 1e-6 for a, b in zip(values, rounded, strict=True))


def test_nearest_rank_returns_values_that_occurred():
    values = [1, 2, 2, 3, 4, 5, 8, 9, 13, 21]
    assert [f.nearest_rank(values, p) for p in (50, 90, 95)] == [4, 13, 21]
    assert f.nearest_rank([], 50) is None


def test_percentile_rank_refuses_small_cohorts():
    assert f.percentile_rank([40, 50, 60, 60, 70], 60) == 60
    assert f.percentile_rank([40, 50, 60, 60], 60) is None


def test_imbalance():
    utilisation = [1.2, 0.6, 0.6, 0.4]
    assert round(max(utilisation) / (sum(utilisation) / 4), 3) == 1.714
    assert round(f.gini(utilisation), 4) == 0.2143
    assert f.gini([]) is None


def test_error_budget():
    assert round(f.budget_used_pct(600, 1_000_000, 99.9), 6) == 60
    assert round(f.burn_rate(600, 1_000_000, 99.9), 6) == 0.6
    assert round(f.budget_used_pct(300, 200_000, 99.9), 6) == 150
    assert round(f.burn_rate(300, 200_000, 99.9), 6) == 1.5
    assert f.budget_used_pct(0, 0, 99.9) is None


def test_a_rolling_budget_is_exhausted_only_when_errors_arrive_faster_than_they_roll_off():
    assert round(f.days_to_exhaustion(0.6, 1.5, 30), 1) == 13.3
    assert f.days_to_exhaustion(0.6, 0.6, 30) is None
    assert round(f.days_to_exhaustion(0.6, 1.5, 30, rolling=False), 1) == 8.0
    assert f.days_to_exhaustion(1.2, 0.1, 30) == 0.0


@pytest.mark.parametrize(
    ("part", "hours", "days", "expected"),
    [
        (0.02, 1, 30, 14.4),
        (0.05, 6, 30, 6),
        (0.10, 24, 30, 3),
        (0.10, 72, 30, 1),
        (0.08, 1, 7, 13.44),
        (0.125, 6, 7, 3.5),
        (0.20, 24, 7, 1.4),
        (0.42, 72, 7, 0.98),
    ],
)
def test_burn_factors_scale_with_the_window(part, hours, days, expected):
    assert round(f.burn_threshold(part, hours, days), 2) == expected


def test_crossover_counts_the_largest_effort_and_a_quarter_of_the_rest():
    assert f.crossover_hours([6, 4, 5]) == (15, 8.25)
    assert f.crossover_hours([2, 1.5]) == (3.5, 2.5)  # 0.375, an eighth up: savings that are shown add up


def test_sprs():
    assert f.sprs_score([5, 3, 1, 1]) == 100
    assert f.sprs_score([1] * 22) == 88
    assert f.sprs_score([]) == 110


def test_a_grade_begins_at_its_limit():
    scores = (100, 90, 89.9, 80, 79.9, 70, 69.9, 60, 59.9, 0)
    assert "".join(f.grade(score, Coverage(1, 1), Thresholds()) for score in scores) == "AABBCCDDFF"


def test_grades_need_coverage():
    assert f.grade(78.3, Coverage(50, 100), Thresholds()) == "C"
    assert f.grade(78.3, Coverage(49, 100), Thresholds()) == "insufficient_data"
    assert f.grade(None, Coverage(100, 100), Thresholds()) == "insufficient_data"
    assert f.rag(80, Coverage(1, 1), Thresholds()) == "green"
    assert f.rag(59.9, Coverage(1, 1), Thresholds()) == "red"


def test_business_days_skip_weekends():
    assert f.business_days_after(date(2026, 11, 20), 1) == date(2026, 11, 23)
    assert f.business_days_after(date(2026, 11, 20), 5) == date(2026, 11, 27)
    assert f.business_days_after(date(2026, 11, 21), 1) == date(2026, 11, 24)


def test_weeks_are_iso_weeks():
    assert f.iso_week(date(2027, 1, 1)) == "2026-W53"
    assert f.week_start("2026-W47") == date(2026, 11, 16)


def test_risk_levels_follow_the_cell():
    assert [f.risk_level(cell) for cell in (4, 5, 9, 10, 16, 17)] == [
        "low",
        "moderate",
        "moderate",
        "high",
        "high",
        "critical",
    ]


def test_no_share_of_draws_is_certain():
    assert [f.odds(share) for share in (100.0, 99.6, 99.4, 62.5, 0.6, 0.0)] == [
        *("over 99", "over 99", "99", "62", "1", "under 1")
    ]
