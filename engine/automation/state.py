"""The records of one organization as playbooks look at them: read when asked for, each table once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from engine.model.records import (
    DataFlowRow,
    DeployRow,
    ExecutionRow,
    FindingRow,
    IncidentRow,
    LegalHoldRow,
    ServiceRow,
    SystemRow,
    VendorDocumentRow,
    VendorRow,
)
from engine.model.vocabulary import LIVE_INCIDENTS, SEVERITIES, Role
from engine.store import Reader, rows
from engine.store.queries.accounts import organizations
from engine.store.queries.operations import automation as queries
from engine.store.schema.audit import legal_holds
from engine.store.schema.automation import dry_runs, executions
from engine.store.schema.organizations import memberships, users
from engine.store.schema.risk import data_flows, systems, vendor_documents, vendors
from engine.store.schema.services import deploys, findings, incidents, service_dependencies, services

Reference: TypeAlias = Literal["service", "user", "vendor", "system"]  # what an input may name
RANKS: Mapping[str, int] = {word: rank for rank, word in enumerate(("none", *reversed(SEVERITIES)), -1)}


@dataclass(frozen=True)
class ActiveMember:
    """Who may act for the organization; ``employed`` is what the profile says, no profile says yes."""

    email: str
    role: Role
    employed: bool
    name: str | None


@dataclass
class State:
    """One organization at one moment."""

    connection: Reader
    org_id: str
    now: datetime

    @cached_property
    def services(self) -> dict[str, ServiceRow]:
        return {row["id"]: row for row in rows.many(self.connection, services, self.org_id)}

    @cached_property
    def edges(self) -> list[tuple[str, str]]:
        """(service, what it needs) between services that exist, sorted."""
        found = rows.many(self.connection, service_dependencies, self.org_id)
        pairs = [(row["service_id"], row["depends_on_id"]) for row in found]
        return [pair for pair in pairs if pair[0] in self.services and pair[1] in self.services]

    @cached_property
    def open_incidents(self) -> list[IncidentRow]:
        return rows.many(self.connection, incidents, self.org_id, status=LIVE_INCIDENTS)

    @cached_property
    def members(self) -> dict[str, ActiveMember]:
        """Active members by e-mail address."""
        profiles = {row["email"]: row for row in rows.many(self.connection, users, self.org_id)}
        active_members = {}
        for row in rows.many(self.connection, memberships, self.org_id, status="active"):
            email, profile = row["email"], profiles.get(row["email"])
            employed, name = (profile["active"], profile["name"]) if profile else (True, None)
            active_members[email] = ActiveMember(email, row["role"], employed, name)
        return active_members

    @cached_property
    def vendors(self) -> dict[str, VendorRow]:
        return {row["id"]: row for row in rows.many(self.connection, vendors, self.org_id)}

    @cached_property
    def systems(self) -> dict[str, SystemRow]:
        return {row["id"]: row for row in rows.many(self.connection, systems, self.org_id)}

    @cached_property
    def data_flows(self) -> list[DataFlowRow]:
        return rows.many(self.connection, data_flows, self.org_id)

    @cached_property
    def live_holds(self) -> list[LegalHoldRow]:
        return rows.many(self.connection, legal_holds, self.org_id, released_at=None)

    def open_findings(self, service_id: str) -> list[FindingRow]:
        return rows.many(self.connection, findings, self.org_id, service_id=service_id, status="open")

    def vendor_documents(self, vendor_id: str) -> list[VendorDocumentRow]:
        return rows.many(self.connection, vendor_documents, self.org_id, vendor_id=vendor_id)

    def deploys(self, service_id: str) -> list[DeployRow]:
        """The last ten deploys of a service up to now, newest first."""
        deploy_rows = rows.many(
            self.connection, deploys, self.org_id, service_id=service_id, order=("-deployed_at",), limit=10
        )
        return [row for row in deploy_rows if row["deployed_at"] <= self.now]

    def executions_of(self, playbook: str, inputs: Mapping[str, object]) -> list[ExecutionRow]:
        """Executions of a playbook with exactly these inputs, among its last hundred."""
        last = rows.many(
            self.connection, executions, self.org_id, playbook=playbook, order=("-executed_at",), limit=100
        )
        runs = rows.many(self.connection, dry_runs, self.org_id, id=[row["dry_run_id"] for row in last])
        same = {row["id"] for row in runs if row["inputs"] == dict(inputs)}
        return [row for row in last if row["dry_run_id"] in same]

    def last_events(self, actions: Collection[str]) -> dict[tuple[str, str | None], datetime]:
        return queries.last_events(self.connection, self.org_id, actions)

    def local(self) -> datetime:
        """Now, in the organization's time zone."""
        return self.now.astimezone(ZoneInfo(organizations.time_zone(self.connection, self.org_id)))

    def name_of(self, kind: Reference, key: str) -> str | None:
        """The name of a service, member, vendor or system of the organization; None when there is none."""
        if kind == "user":
            member = self.members.get(key)
            return (member.name or key) if member else None
        row: ServiceRow | VendorRow | SystemRow | None
        match kind:
            case "service":
                row = self.services.get(key)
            case "vendor":
                row = self.vendors.get(key)
            case "system":
                row = self.systems.get(key)
        return (row["name"] or key) if row else None

    def dependents(self, service_ids: Collection[str]) -> tuple[str, ...]:
        """The other services that need one of these, directly or not."""
        callers: dict[str, list[str]] = {}
        for caller, needed in self.edges:
            callers.setdefault(needed, []).append(caller)
        found, waiting = set(service_ids), list(service_ids)
        while waiting:
            new = [caller for caller in callers.get(waiting.pop(), ()) if caller not in found]
            found.update(new)
            waiting += new
        return tuple(sorted(found - set(service_ids)))

    def needs(self, service_id: str) -> tuple[str, ...]:
        """What a service needs directly."""
        return tuple(needed for caller, needed in self.edges if caller == service_id)

    def callers_of(self, service_id: str) -> tuple[str, ...]:
        """What needs a service directly."""
        return tuple(caller for caller, needed in self.edges if needed == service_id)
