"""Incidents by the days of the organization, not those of UTC."""

import polars as pl

from reports.shared.maintenance import PLANNED


def incident_days(incidents: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """Every incident with ``opened_on`` and ``resolved_on``, days in the organization's time zone.

    What was opened in a window of maintenance that had been recorded before it began is left out.
    """
    return dated_incidents(incidents.filter(~PLANNED), organization)


def incidents_in_maintenance(incidents: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """The incidents that were opened in a window of maintenance, planned or declared late."""
    return dated_incidents(incidents.filter(pl.col("maintenance_state").is_not_null()), organization)


def dated_incidents(incidents: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """With ``opened_on`` and ``resolved_on``, days in the organization's time zone."""
    zone = organization["time_zone"][0] if organization.height else "UTC"
    return incidents.with_columns(
        pl.col(f"{step}_at").dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date().alias(f"{step}_on")
        for step in ("opened", "resolved")
    ).sort("opened_at", "id")
