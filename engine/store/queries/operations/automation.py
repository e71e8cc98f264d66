"""Reads of automations that single rows cannot express."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from engine.model.records import ApprovalRow, PolicyRow
from engine.model.vocabulary import Json
from engine.store.rows import select_first, select_rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals, policies, policy_controls
from engine.store.schema.organizations import heads, organization_settings

RECENT_EVENTS = 50_000  # how far back from its end the audit log is looked through


def setting(connection: Connection, org_id: str, name: str) -> Json:
    """A value that the organization set for itself; None when it did not."""
    table = organization_settings
    query = select(table.c.value).where(table.c.org_id == org_id, table.c.name == name)
    value: Json = connection.execute(query).scalar()
    return value


def last_events(
    connection: Connection, org_id: str, actions: Collection[str]
) -> dict[tuple[str, str | None], datetime]:
    """When each action last happened to each object, among the newest ``RECENT_EVENTS`` of the log."""
    head = select(heads.c.last_seq).where(heads.c.org_id == org_id).scalar_subquery()
    query = (
        select(audit_log.c.action, audit_log.c.object_id, func.max(audit_log.c.occurred_at))
        .where(
            audit_log.c.org_id == org_id,
            audit_log.c.seq > head - RECENT_EVENTS,
            audit_log.c.action.in_(sorted(actions)),
            audit_log.c.outcome == "success",
        )
        .group_by(audit_log.c.action, audit_log.c.object_id)
    )
    return {(action, object_id): at for action, object_id, at in connection.execute(query)}


def last_version(connection: Connection, org_id: str, policy: str) -> int:
    """The highest version of a policy; 0 when there is none."""
    query = select(func.max(policies.c.version)).where(policies.c.org_id == org_id, policies.c.policy == policy)
    return connection.execute(query).scalar() or 0


def guardrails(
    connection: Connection, org_id: str, *, playbook: str | None, state: str | None, workspace_id: str | None
) -> list[PolicyRow]:
    """Versions of guardrails by playbook, newest version first; of one workspace and of none, or of all."""
    query = select(policies).where(policies.c.org_id == org_id, policies.c.kind == "automation")
    if playbook is not None:
        query = query.where(policies.c.playbook == playbook)
    if state is not None:
        query = query.where(policies.c.state == state)
    if workspace_id is not None:
        query = query.where(or_(policies.c.workspace_id.is_(None), policies.c.workspace_id == workspace_id))
    order = (policies.c.playbook, policies.c.policy, policies.c.version.desc(), policies.c.id)
    return select_rows(connection, policies, query.order_by(*order))


def controls_of(connection: Connection, org_id: str, policy_ids: Collection[str]) -> dict[str, list[str]]:
    """The controls that policy versions support, as ``framework:control``."""
    table = policy_controls
    query = select(table.c.policy_id, table.c.framework, table.c.control_id).where(
        table.c.org_id == org_id, table.c.policy_id.in_(sorted(policy_ids))
    )
    found: dict[str, list[str]] = {}
    for policy_id, framework, control in connection.execute(query.order_by(*table.primary_key.columns)):
        found.setdefault(policy_id, []).append(f"{framework}:{control}")
    return found


def approval_of(connection: Connection, org_id: str, kind: str, subject: str) -> ApprovalRow | None:
    """The newest approval that was asked for on a subject."""
    table = approvals
    query = select(table).where(table.c.org_id == org_id, table.c.kind == kind, table.c.subject == subject)
    return select_first(connection, table, query.order_by(table.c.requested_at.desc(), table.c.id.desc()))
