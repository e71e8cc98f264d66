"""States of controls without the dates of their evidence: for what looks at states alone."""

import polars as pl

EVIDENCE_DATES = ("last_evidence_on", "attested_on", "age_days", "age_ratio", "next_due_on")


def control_states(control_status: pl.DataFrame) -> pl.DataFrame:
    """The status without when evidence came, which the first event of a day moves."""
    return control_status.drop(EVIDENCE_DATES)
