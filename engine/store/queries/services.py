"""Reads of services: the graph, open findings, and the buckets of an objective."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl
from sqlalchemy import Connection, String, select, type_coerce

from engine.document import Organization
from engine.store.schema.organizations import organization_settings, organizations
from engine.store.schema.services import findings, service_dependencies, services, slo_buckets
from engine.thresholds import Thresholds, thresholds


class ServiceRow(NamedTuple):
    id: str
    name: str
    criticality: int
    environment: str
    internet_facing: bool


class DependencyRow(NamedTuple):
    service_id: str
    depends_on_id: str
    kind: str | None
    segmented: bool


class FindingRow(NamedTuple):
    id: str
    title: str
    severity: str
    service_id: str | None
    status: str
    cve: str | None
    cvss: float | None
    epss: float | None
    known_exploited: bool | None
    internet_reachable: bool | None


def all_services(connection: Connection, org_id: str) -> list[ServiceRow]:
    """Every service, by id."""
    query = select(*(services.c[name] for name in ServiceRow._fields)).where(services.c.org_id == org_id)
    return [ServiceRow(*row) for row in connection.execute(query.order_by(services.c.id))]


def all_dependencies(connection: Connection, org_id: str) -> list[DependencyRow]:
    """Every dependency, by its two ends."""
    table = service_dependencies
    query = select(*(table.c[name] for name in DependencyRow._fields)).where(table.c.org_id == org_id)
    return [
        DependencyRow(*row) for row in connection.execute(query.order_by(table.c.service_id, table.c.depends_on_id))
    ]


def open_findings(connection: Connection, org_id: str) -> list[FindingRow]:
    """Every open finding, by id."""
    query = select(*(findings.c[name] for name in FindingRow._fields)).where(
        findings.c.org_id == org_id, findings.c.status == "open"
    )
    return [FindingRow(*row) for row in connection.execute(query.order_by(findings.c.id))]


def buckets(connection: Connection, org_id: str, service_id: str, now: datetime, days: int = 30) -> pl.DataFrame:
    """The five-minute buckets of a service in the last ``days``: bucket_at (UTC without zone), total, bad."""
    at = slo_buckets.c.bucket_at
    text = connection.dialect.name == "sqlite"  # instants are text there: parsed as a column, not one by one
    query = select(type_coerce(at, String) if text else at, slo_buckets.c.total, slo_buckets.c.bad).where(
        slo_buckets.c.org_id == org_id,
        slo_buckets.c.service_id == service_id,
        at >= now - timedelta(days=days, minutes=5),
        at < now,
    )
    moment: Any = pl.String if text else pl.Datetime("us", "UTC")
    schema = {"bucket_at": moment, "total": pl.Int64, "bad": pl.Int64}
    frame = pl.DataFrame([tuple(row) for row in connection.execute(query.order_by(at))], schema=schema, orient="row")
    started = pl.col("bucket_at")
    naive = (
        started.str.to_datetime("%Y-%m-%dT%H:%M:%S%.6fZ", time_unit="us")
        if text
        else started.dt.replace_time_zone(None)
    )
    return frame.with_columns(naive)


def organization(connection: Connection, org_id: str) -> Organization:
    """Who an organization is."""
    table = organizations
    row = connection.execute(select(table.c.id, table.c.name, table.c.time_zone).where(table.c.id == org_id)).one()
    return Organization(row.id, row.name, row.time_zone)


def settings(connection: Connection, org_id: str) -> Thresholds:
    """The organization's thresholds as of now."""
    table = organization_settings
    query = select(table.c.name, table.c.value, table.c.revision).where(table.c.org_id == org_id)
    rows = connection.execute(query).all()
    return thresholds(max((row.revision for row in rows), default=0), {row.name: row.value for row in rows})
