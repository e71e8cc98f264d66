"""One rule for what counts as approved: somebody of the organization did it, on a day that has come."""

import polars as pl

from engine.facts.expressions import has_happened, shape


def approvers(approvers_rows: pl.DataFrame) -> pl.DataFrame:
    """Who can approve: everybody with a profile, and each member from the day of joining on (``since_on``).

    Somebody who left may have approved before: at the latest on the day that the record of them last changed
    (``until_on``), as it says so from then on.
    """
    return shape("approvers", approvers_rows).sort("org_id", "email", "since_on", "until_on")


def with_approval(frame: pl.DataFrame, approvers: pl.DataFrame, by: str, on: str) -> pl.DataFrame:
    """``frame``, which has ``org_id`` and ``as_of``, with ``approved``: whether its approval holds on that day.

    ``by`` is the column of the approver, or of several joined by '; ' of whom one is enough; ``on`` that of the day.
    """
    keys = ["org_id", by, on]
    names = pl.col(by).str.to_lowercase().str.split(";").list.eval(pl.element().str.strip_chars())
    valid = (
        frame.select(keys)
        .unique()
        .with_columns(email=names)
        .explode("email", empty_as_null=False)
        .join(approvers, on=["org_id", "email"])
        .filter(
            pl.col("since_on").is_null() | (pl.col("since_on") <= pl.col(on)),
            pl.col("until_on").is_null() | (pl.col("until_on") >= pl.col(on)),
        )
        .select(*keys, approved=pl.lit(True))
        .unique()
    )
    return frame.join(valid, on=keys, how="left", maintain_order="left").with_columns(
        approved=pl.col("approved").fill_null(False) & has_happened(on)
    )
