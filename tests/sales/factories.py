"""Leads and moves with defaults: a test states only what it is about."""

import hmac

from engine.store import PLATFORM
from engine.store.schema.commerce import leads
from tests.conftest import NOW


def lead(identifier, **fields):
    """A complete row of a lead."""
    return {
        "id": identifier,
        "reference_id": f"HQE-{identifier}",
        "name": None,
        "email": f"{identifier}@company.example",
        "company": None,
        "message": "Hello",
        "stage": "new",
        "priority": "normal",
        "owner": None,
        "notes": None,
        "lost_reason": None,
        "spam": False,
        "consent": True,
        "value": None,
        "follow_up_on": None,
        "created_at": NOW,
        "stage_changed_at": NOW,
        "first_response_at": None,
        **fields,
    }


def stored_leads(store, *rows):
    """Leads that are there already."""
    store.ensure_platform(NOW)
    with store.revision(PLATFORM, "setup", now=NOW) as revision:
        revision.insert(leads, rows)
        revision.record("leads.prepared")


def stamp(secret, opened):
    """The stamp that a site puts into the form when it is opened, as its author would write it."""
    seconds = str(int(opened.timestamp()))
    return f"{seconds}.{hmac.new(secret.encode(), f'contact:{seconds}'.encode(), 'sha256').hexdigest()}"
