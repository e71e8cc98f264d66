"""The rows of the attestation board: what decides, what is open, and which controls nobody is to sign for."""

import polars as pl

from reports.shared.columns import in_order, share_pct

# as the board says it: what the fact calls due_7 is due within as many days as the organization set
DUE_SOON = {"due_7": "due_soon"}
STATUSES = ("overdue", "rejected", "due_soon", "due_30", "not_due", "attested")
ON_BOARD = pl.col("current") | pl.col("status").is_in(["overdue", "due_7", "due_30", "not_due"])
_KEY = ["framework", "control_id"]


def without_duty(control_status: pl.DataFrame, attestations: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls without any attestation, in the order of their standard."""
    return (
        control_status.filter("applicable")
        .join(attestations, on=_KEY, how="anti")
        .sort("framework", in_order("control_id"))
    )


def worst_first(attestations: pl.DataFrame) -> pl.DataFrame:
    """Attestations by urgency, in the words of the board."""
    urgency = pl.col("status").replace_strict(dict(zip(STATUSES, range(len(STATUSES)), strict=True)), default=0)
    return (
        attestations.with_columns(pl.col("status").replace(DUE_SOON))
        .sort(urgency, "due_on", "framework", in_order("control_id"), "id")
        .select(
            *("framework", "control_id", "title", "group_id", "owner", "attestor", "delegated_to", "statement"),
            *("due_on", "days_left", "status", "attested_at", "evidence_links", "evidence_freshness", "unsupported"),
            *("current", "id"),
        )
    )


def totals(board: pl.DataFrame, by: str) -> pl.DataFrame:
    """The board by framework or owner: how many stand where, and how much of what decides is signed."""
    current, attested = pl.col("current"), pl.col("status") == "attested"
    return (
        board.group_by(by)
        .agg(
            attestations=pl.len().cast(pl.Int64),
            **{state: (pl.col("status") == state).sum().cast(pl.Int64) for state in STATUSES},
            unsupported=pl.col("unsupported").sum().cast(pl.Int64),
            current_pct=share_pct((current & attested).sum(), current.sum()),
        )
        .sort(by)
    )
