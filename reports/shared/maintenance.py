"""Incidents that planned maintenance takes out of figures."""

import polars as pl

PLANNED = pl.col("maintenance_state").fill_null("") == "planned"
"""Whether an incident was opened in a window of maintenance that had been recorded before it began."""
