"""Events of payment providers are applied once, and those without effect are recorded all the same."""

from collections.abc import Callable
from datetime import datetime

from engine.store import PLATFORM, Revision, Store
from engine.store.writing.inbound import first_time


def once(
    store: Store, org_id: str, source: str, key: str, kind: str, change: Callable[[Revision], None], *, now: datetime
) -> str:
    """Run ``change`` for an event that was not seen before, in the revision that remembers it."""

    def write(revision: Revision) -> str:
        if not first_time(revision.side_tables, source, key, now):
            return "repeated"
        revision.record(
            "billing.event.received",
            object_type="billing_event",
            object_id=key,
            details={"provider": source, "kind": kind},
        )
        change(revision)
        return "applied"

    return store.write(org_id, f"provider:{source}", write, now=now)


def ignore(store: Store, source: str, key: str, kind: str, reason: str, *, now: datetime) -> str:
    """Record an event that changes nothing, in the platform's own organization: it names nobody that we know."""
    store.ensure_platform(now)

    def write(revision: Revision) -> str:
        if not first_time(revision.side_tables, source, key, now):
            return "repeated"
        details = {"provider": source, "kind": kind[:100], "reason": reason}
        revision.record("billing.event.ignored", object_type="billing_event", object_id=key, details=details)
        return "ignored"

    return store.write(PLATFORM, f"provider:{source}", write, now=now)
