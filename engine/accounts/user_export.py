"""What the console knows of one person, for that person. Secrets are not among it."""

from engine.accounts.preferences import flags
from engine.accounts.tokens import API_KEY, INGEST, list_credentials
from engine.store import Store
from engine.store.queries.history.audit import count_of, incidents_of
from engine.store.rows import first, many, pick
from engine.store.schema.organizations import memberships, users

_PROFILE = ("name", "title", "active", "deletion_requested_at")
_MEMBERSHIP = ("role", "status", "workspace_id", "since_on", "display_name")
_INCIDENT = (
    "id", "title", "severity", "status", "service_id", "source", "owner", "opened_at", "acknowledged_at",
    "mitigated_at", "resolved_at", "closed_at", "summary", "root_cause",
)  # fmt: skip


def user_export(store: Store, org_id: str, email: str) -> dict[str, object]:
    """Profile, memberships, incidents, keys and preferences of a person within one organization."""
    with store.reader() as connection:
        profile = first(connection, users, org_id, email=email)
        member = many(connection, memberships, org_id, email=email)
        incident_rows = incidents_of(connection, org_id, email)
        events = count_of(connection, org_id, email)
    return {
        "profile": {"email": email, **(pick(profile, _PROFILE) if profile else dict.fromkeys(_PROFILE))},
        "memberships": [{"organization": org_id, **pick(row, _MEMBERSHIP)} for row in member],
        "notification_preferences": flags(profile["preferences"] if profile else None),
        "api_keys": list_credentials(store, org_id, API_KEY, owner=email),
        "alert_ingest_tokens": list_credentials(store, org_id, INGEST, owner=email),
        "incidents": [pick(row, _INCIDENT) for row in incident_rows],
        "audit_events": events,
    }
