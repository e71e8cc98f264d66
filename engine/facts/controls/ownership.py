"""Who answers for which control."""

import polars as pl

from engine.facts.expressions import shape

_KEY = ["org_id", "framework", "control_id"]


def raci(control_owners_rows: pl.DataFrame, users_rows: pl.DataFrame, controls: pl.DataFrame) -> pl.DataFrame:
    """Every role that somebody has for an assessable control in scope; ``active`` is null for nobody we know."""
    frame = (
        control_owners_rows.join(controls.filter("assessable").select(*_KEY, "position"), on=_KEY)
        .join(users_rows.select("org_id", "email", "name", "active"), on=["org_id", "email"], how="left")
        .with_columns(role="raci")
    )
    order = pl.col("role").replace_strict({"R": 0, "A": 1, "C": 2, "I": 3}, default=4)
    return shape("raci", frame.sort("org_id", "framework", "position", order, "email"))
