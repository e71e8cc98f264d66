"""Assessor tokens: what somebody from outside may take away, until when, and what was taken."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine.accounts import tokens
from engine.model.errors import BadRequest
from engine.store import Revision, Store
from engine.store.queries.accounts.settings import threshold
from engine.store.queries.history.access import accesses
from engine.store.rows import without
from engine.store.writing.credentials import uses

ROUTE = "/api/governance/compliance/assessor"
CALENDAR = "obligation-ics"
REPORTS = (
    "crosswalk", CALENDAR, "baseline-comparison", "risk-heatmap", "executive-summary", "type-ii", "iso-assessment",
    "pci-dss", "hipaa", "nist-csf", "cis-v8", "cmmc-l2", "gdpr-art32", "fedramp-poam",
)  # fmt: skip
EXPORTS = ("evidence-export", "workbook", *REPORTS)
MOST_DAYS = 365
SHOWN = 500


def path(export: str) -> str:
    """Where an export is fetched."""
    return f"{ROUTE}/{export}"


def exports(given: Sequence[str] | None) -> list[str]:
    """The exports that a new token opens, in one order: all of them unless some are given, by name or by path.

    BadRequest names one that does not exist.
    """
    if given is None:
        return list(EXPORTS)
    names = [name.removeprefix(f"{ROUTE}/") for name in given]
    unknown = [name for name in names if name not in EXPORTS]
    if unknown or not names:
        raise BadRequest(
            f"A token opens one or more of {', '.join(EXPORTS)}; got {unknown[0][:80] if unknown else 'none'}.",
            word="invalid_body",
            details=[{"field": "allowed", "expected": list(EXPORTS), "got": unknown[0][:80] if unknown else "none"}],
        )
    return [name for name in EXPORTS if name in names]


def issue(
    revision: Revision, label: str, *, engagement: str | None, allowed: Sequence[str] | None, days: int | None
) -> dict[str, object]:
    """A new token with its secret; without ``days`` it lives as long as the organization's setting says."""
    life = days or int(threshold(revision.connection, revision.org_id, "assessor_token_days"))
    until = revision.now + timedelta(days=min(life, MOST_DAYS))
    made = tokens.issue(
        revision, tokens.ASSESSOR, label, expires_at=until, engagement=engagement, allowed=exports(allowed)
    )
    return with_usage(made, 0)


def list_tokens(store: Store, org_id: str) -> list[dict[str, object]]:
    """Metadata of every token, newest first."""
    store.uses.flush()
    credentials = tokens.list_credentials(store, org_id, tokens.ASSESSOR)
    with store.reader() as connection:
        counted = uses(connection, org_id)
    return [with_usage(token, counted.get(token["id"], 0)) for token in credentials]


def revoke(revision: Revision, token_id: str) -> dict[str, object]:
    """End a token, whoever made it."""
    credential = tokens.revoke(revision, tokens.ASSESSOR, token_id, any_owner=True)
    return with_usage(credential, uses(revision.connection, revision.org_id).get(token_id, 0))


def with_usage(token: tokens.CredentialMetadata, count: int) -> dict[str, object]:
    """The metadata of a token with who made it, how often it was used, and the paths that it opens."""
    return without(token, "owner") | {
        "created_by": token["owner"],
        "uses": count,
        "allowed": [path(name) for name in token["allowed"] or ()],
    }


def log(store: Store, org_id: str, *, days: int | None, now: datetime) -> dict[str, object]:
    """What was asked for with any token of the organization in the last days, refused calls too, newest first."""
    since = None if days is None else now - timedelta(days=days)
    with store.reader() as connection:
        total, calls = accesses(connection, org_id, "assessor", since=since, limit=SHOWN)
    return {"calls": total, "shown": len(calls), "newest": calls}
