"""The bench: which figures miss their targets."""

from tests.bench.table import Figure
from tests.bench.targets import TARGETS, missed


def test_without_figures_nothing_is_missed():
    assert missed([]) == []


def test_a_tenth_below_the_target_is_let_through_and_more_is_named():
    seals = [Figure(f"seal a bundle: {ratio}", "1 s", "zip", "1 s", ratio) for ratio in (0.85, 0.77, 0.76)]
    assert missed(seals) == ["seal a bundle: 0.76: ratio 0.76, target 0.85"]


def test_memory_has_targets_too_and_a_figure_without_one_misses_none():
    figures = [Figure("nightly batch: 50", "9 s", peak_mb=peak) for peak in (880, 881)]
    assert missed([*figures, Figure("hq verify of it", "9 s", ratio=0.01)]) == [
        "nightly batch: 50: 881 MB, target 800 MB"
    ]


def test_no_target_hides_another():
    starts = [target.what for target in TARGETS]
    assert [(a, b) for a in starts for b in starts if a != b and b.startswith(a)] == []
