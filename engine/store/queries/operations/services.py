"""Reads of services: the graph, open findings, and the buckets of an objective."""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import BigInteger, Connection, String, and_, cast, func, or_, select, type_coerce

from engine.model.documents.document import Organization
from engine.model.vocabulary import Environment, FindingStatus, Severity
from engine.store.schema.organizations import organizations
from engine.store.schema.risk import data_flows, systems
from engine.store.schema.services import findings, service_dependencies, services, slo_buckets

if TYPE_CHECKING:
    import polars as pl


class ServiceNode(NamedTuple):
    """A service as a node of the graph."""

    id: str
    name: str
    criticality: int
    environment: Environment
    internet_facing: bool


class DependencyEdge(NamedTuple):
    """A dependency as an edge of the graph."""

    service_id: str
    depends_on_id: str
    kind: str | None
    segmented: bool
    vendor_id: str | None


class OpenFindingRow(NamedTuple):
    """What an attacker would use: an open finding."""

    id: str
    title: str
    severity: Severity
    service_id: str | None
    status: FindingStatus
    cve: str | None
    cvss: float | None
    epss: float | None
    known_exploited: bool | None
    internet_reachable: bool | None


def all_services(connection: Connection, org_id: str) -> list[ServiceNode]:
    """Every service, by id."""
    query = select(*(services.c[name] for name in ServiceNode._fields)).where(services.c.org_id == org_id)
    return [ServiceNode(*row) for row in connection.execute(query.order_by(services.c.id))]


def all_dependencies(connection: Connection, org_id: str) -> list[DependencyEdge]:
    """Every dependency, by its two ends."""
    table = service_dependencies
    query = select(*(table.c[name] for name in DependencyEdge._fields)).where(table.c.org_id == org_id)
    return [
        DependencyEdge(*row) for row in connection.execute(query.order_by(table.c.service_id, table.c.depends_on_id))
    ]


def needed_pairs(connection: Connection, org_id: str) -> list[tuple[str, str, str | None]]:
    """(service, what it needs, vendor behind that) of every dependency, by its two ends."""
    table = service_dependencies.c
    query = select(table.service_id, table.depends_on_id, table.vendor_id).where(table.org_id == org_id)
    return [
        (row[0], row[1], row[2]) for row in connection.execute(query.order_by(table.service_id, table.depends_on_id))
    ]


def vendor_flows(connection: Connection, org_id: str) -> list[tuple[str, str, str]]:
    """(service, vendor, flow) of the flows of data from a service's systems to a vendor, sorted."""
    sources = and_(systems.c.org_id == data_flows.c.org_id, systems.c.id == data_flows.c.from_system)
    query = (
        select(systems.c.service_id, data_flows.c.vendor_id, data_flows.c.id)
        .join_from(data_flows, systems, sources)
        .where(data_flows.c.org_id == org_id, data_flows.c.vendor_id.is_not(None), systems.c.service_id.is_not(None))
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(query.order_by(*query.selected_columns))]


def open_findings(connection: Connection, org_id: str) -> list[OpenFindingRow]:
    """Every open finding, by id."""
    query = select(*(findings.c[name] for name in OpenFindingRow._fields)).where(
        findings.c.org_id == org_id, findings.c.status == "open"
    )
    return [OpenFindingRow(*row) for row in connection.execute(query.order_by(findings.c.id))]


def buckets(connection: Connection, org_id: str, service_id: str, begin: datetime, end: datetime) -> "pl.DataFrame":
    """The five-minute buckets of a service in a span, its end excluded: bucket_at (UTC without zone), total, bad."""
    import polars as pl

    at = slo_buckets.c.bucket_at
    text = connection.dialect.name == "sqlite"  # has instants as text: a column is parsed at once, not each value
    micros = cast(func.extract("epoch", at) * 1_000_000, BigInteger)
    query = select(type_coerce(at, String) if text else micros, slo_buckets.c.total, slo_buckets.c.bad).where(
        slo_buckets.c.org_id == org_id, slo_buckets.c.service_id == service_id, at >= begin, at < end
    )
    schema = {"bucket_at": pl.String if text else pl.Int64, "total": pl.Int64, "bad": pl.Int64}
    frame = pl.DataFrame([tuple(row) for row in connection.execute(query.order_by(at))], schema=schema, orient="row")
    column = pl.col("bucket_at")
    parsed = column.str.to_datetime("%Y-%m-%dT%H:%M:%S%.6fZ", time_unit="us") if text else pl.from_epoch(column, "us")
    return frame.with_columns(parsed)


def organization(connection: Connection, org_id: str) -> Organization:
    """Who an organization is."""
    table = organizations
    row = connection.execute(select(table.c.id, table.c.name, table.c.time_zone).where(table.c.id == org_id)).one()
    return Organization(row.id, row.name, row.time_zone)


def services_called(connection: Connection, org_id: str, name: str) -> list[str]:
    """The ids of services with this name or, where none has it, this identifier; case does not matter."""
    wanted = name.strip().lower()
    query = select(services.c.id, services.c.name).where(
        services.c.org_id == org_id, or_(func.lower(services.c.name) == wanted, func.lower(services.c.id) == wanted)
    )
    rows = connection.execute(query.order_by(services.c.id)).all()
    named = [row.id for row in rows if row.name.lower() == wanted]
    return named or [row.id for row in rows]
