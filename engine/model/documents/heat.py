"""Bands of figures, for tables whose cells are shaded: a shade says in which band of the report a figure stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.model.vocabulary import Better

if TYPE_CHECKING:  # as in ``document``
    import polars as pl


@dataclass(frozen=True)
class HeatScale:
    """Five steps, from calm to alarming, of which the upper four begin at ``starts``.

    ``better``: with less of it the first step is the calm one, with more the last; neither judges nothing, so the
    steps are amounts. ``names`` says what the steps are called where figures do not. ``by`` has other figures of the
    same rows that decide on the shade of the columns of these names.
    """

    starts: tuple[float, float, float, float]
    better: Better = "less"
    names: Sequence[str] = ()
    by: "pl.DataFrame | None" = None

    def step(self, value: float) -> int:
        """The step of a figure: 0 is the lowest."""
        return sum(value >= start for start in self.starts)


COUNTS = (1.0, 3.0, 6.0, 10.0)
COUNTED = ("0", "1–2", "3–5", "6–9", "10 or more")
NUMBER = HeatScale(COUNTS, "neither", COUNTED)
SHARE_OF_GOOD = HeatScale((40.0, 60.0, 80.0, 95.0), "more")  # percent of what should be whole
