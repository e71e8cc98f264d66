"""Incidents by the days of the organization, not those of UTC."""

import polars as pl


def incident_days(incidents: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """Every incident with ``opened_on`` and ``resolved_on``, days in the organization's time zone."""
    zone = organization["time_zone"][0] if organization.height else "UTC"
    return incidents.with_columns(
        pl.col(f"{step}_at").dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date().alias(f"{step}_on")
        for step in ("opened", "resolved")
    ).sort("opened_at", "id")
