"""Of which controls evidence that they need ends soon, and by when somebody has to renew it."""

import polars as pl

from engine.facts.controls.horizons import ends_soon
from engine.model.declarations.ask import Ask
from reports.shared.columns import in_order


def ending(control_assessments: pl.DataFrame, control_horizons: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Applicable controls, what somebody has to renew first in front; what renews itself comes last."""
    return (
        ends_soon(control_assessments, control_horizons, ask.as_of)
        .sort("by_hand_on", "ends_on", "framework", in_order("control_id"), nulls_last=True)
        .select("framework", "control_id", "title", "owner", "kinds_ending", "ends_on", "by_hand_on")
    )
