"""What each row has to reach, and what a row that misses its target by more than a tenth means for the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.table import Figure

SLACK = 0.1


@dataclass(frozen=True)
class Target:
    """The figures whose text begins with ``what``: the least ratio to their baseline, and the most memory."""

    what: str
    ratio: float | None = None
    peak_mb: float | None = None

    @property
    def words(self) -> str:
        """The target in words."""
        ratio = [] if self.ratio is None else [f"at least {self.ratio:.2f}"]
        peak = [] if self.peak_mb is None else [f"at most {self.peak_mb:,.0f} MB"]
        return f"{self.what.rstrip(':,')} {', '.join([*ratio, *peak])}"

    def misses(self, figure: Figure) -> list[str]:
        """What is worse than it should be by more than a tenth."""
        found = []
        if self.ratio is not None and figure.ratio is not None and figure.ratio < self.ratio * (1 - SLACK):
            found.append(f"{figure.what}: ratio {figure.ratio:.2f}, target {self.ratio:.2f}")
        if self.peak_mb is not None and figure.peak_mb is not None and figure.peak_mb > self.peak_mb * (1 + SLACK):
            found.append(f"{figure.what}: {figure.peak_mb:,.0f} MB, target {self.peak_mb:,.0f} MB")
        return found


TARGETS = (
    Target("plan:", 1.0),
    Target("nightly batch:", peak_mb=800),
    Target("copy them to the analytics store", peak_mb=300),
    Target("GET posture-score,", 0.75),
    Target("GET gap-remediations,", 0.9),
    Target("POST alerts, one each,", 0.45),
    Target("seal a bundle:", 0.85),
    Target("check every part of it:", 0.85),
    Target("GET audit export,", 1.0, peak_mb=120),
    Target("verify their chain", 0.5),
    Target("alerts of 32 clients beside", 0.6),
)


def target_of(figure: Figure) -> Target | None:
    """The target of a figure; None for one that has none."""
    return next((target for target in TARGETS if figure.what.startswith(target.what)), None)


def misses(figures: Sequence[Figure]) -> list[str]:
    """Every figure that misses its target by more than a tenth, by name."""
    return [miss for figure in figures for target in [target_of(figure)] if target for miss in target.misses(figure)]
