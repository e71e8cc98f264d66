"""The columns in which every kind of duty is written down before they are made one ledger."""

import polars as pl

from engine.facts.schemas import Schema

# hours of work that a duty of a kind takes when nothing more exact is known
EFFORT_HOURS = {
    "attestation": 0.5,
    "bundle": 2.0,
    "test_window": 3.0,
    "policy_review": 4.0,
    "poam_milestone": 6.0,
    "exception_expiry": 2.0,
    "audit_checkpoint": 4.0,
    "committee": 2.0,
}
TYPES: Schema = {
    "kind": pl.String, "key": pl.String, "title": pl.String, "frameworks": pl.List(pl.String),
    "controls": pl.List(pl.String), "vendor_id": pl.String, "vendor_tier": pl.String, "owner": pl.String,
    "accountable": pl.String, "due_on": pl.Date, "effort_hours": pl.Float64, "done_on": pl.Date,
    "cancelled": pl.Boolean, "ended_on": pl.Date, "recurrence": pl.String, "hard": pl.Boolean, "source_ref": pl.String,
    "sequence": pl.Int64, "revision": pl.Int64, "paused": pl.Boolean, "due_at": pl.Datetime("us"),
}  # fmt: skip


def as_ledger(part: pl.DataFrame) -> pl.DataFrame:
    """The ledger's columns in their order; what a kind does not have is null.

    ``cancelled`` says that the duty does not stand, ``ended_on`` from which day on it no longer does; ``paused``
    that its clock stands still, so that it does not become overdue.
    """
    missing = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in TYPES.items() if name not in part.columns]
    complete = part.with_columns(missing)
    defaults = {"cancelled": False, "hard": False, "paused": False, "sequence": 0}
    return complete.select(
        "org_id",
        *(
            pl.col(name).cast(dtype).fill_null(defaults[name]) if name in defaults else pl.col(name).cast(dtype)
            for name, dtype in TYPES.items()
        ),
    )


def one(column: str) -> pl.Expr:
    """A list of one text, or none when it is null."""
    return pl.concat_list(column).list.drop_nulls()


def effort(kind: str) -> pl.Expr:
    return pl.lit(EFFORT_HOURS[kind])


TAG = pl.when(pl.col("control_id").is_not_null()).then(pl.format("{}:{}", "framework", "control_id"))
