"""The retention job: what each organization keeps for how long, and the purge of what is older."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta

from engine.model.days import local_day, midnight
from engine.model.every_organization import for_every_organization
from engine.model.records import RetentionOverrideRow
from engine.model.vocabulary import EVERY_RECORD
from engine.store import Store
from engine.store.queries.operations.payloads import purge_payloads
from engine.store.queries.own_frameworks import own_rule_patterns
from engine.store.removal.retention import (
    PurgeResult,
    deployment_tier,
    first_events,
    keep_starts,
    purge_audit_log,
    purge_incidents,
)
from engine.store.rows import many
from engine.store.schema.audit import retention_overrides
from engine.store.schema.organizations import memberships, users

ACTOR = "retention"
PURGES = {"audit_log": purge_audit_log, "incidents": purge_incidents}


def retention_days(store: Store, org_id: str, today: date) -> Mapping[str, int]:
    """Days to keep each class of records: the tier's default, or the organization's own.

    An override that nobody of the organization approved on a day up to ``today`` may lengthen and never shortens.
    """
    from engine.replica.scans.governance import RETENTION_DAYS

    with store.reader() as connection:
        default = RETENTION_DAYS[deployment_tier(connection, org_id)]
        people: list[tuple[str, date | None]] = [(row["email"], None) for row in many(connection, users, org_id)]
        people += [(row["email"], row["since_on"]) for row in many(connection, memberships, org_id)]
        own: dict[str, int] = {
            row["record_class"]: row["days"]
            if _is_approved(row, people, today)
            else max(row["days"], default[row["record_class"]])
            for row in many(connection, retention_overrides, org_id)
        }
    return {**default, **own}


def _is_approved(row: RetentionOverrideRow, people: Iterable[tuple[str, date | None]], today: date) -> bool:
    """The rule of ``engine.facts.approvals``, on rows of the store."""
    on = row["approved_on"]
    if on is None or on > today:
        return False
    names = {name.strip().lower() for name in (row["approved_by"] or "").split(";")}
    return any(email.lower() in names and (since is None or since <= on) for email, since in people)


def purge(store: Store, org_id: str, *, now: datetime) -> list[PurgeResult]:
    """Remove what is older than its days in the organization's time zone; one transaction for each class."""
    from engine.catalogue.nameable import nameable_controls

    zone = store.time_zone(org_id)
    today = local_day(now, zone)
    done = []
    for record_class, days in retention_days(store, org_id, today).items():
        before = midnight(today - timedelta(days=days), zone)
        with store.revision(org_id, ACTOR, now=now) as revision:
            known = nameable_controls(revision.records, org_id)
            rules = own_rule_patterns(revision.records, org_id)
            starts = record_starts(first_events(revision.connection, org_id, before), zone, known, rules)
            purged = PURGES[record_class](revision, before)
            if purged.rows and record_class == "audit_log":
                keep_starts(revision, starts)
            done.append(purged)
    return done


def record_starts(
    events: Iterable[tuple[str, str | None, datetime]],
    zone: str,
    known: Mapping[str, AbstractSet[str]],
    rules: Sequence[tuple[str, str, str]] = (),
) -> dict[str, date]:
    """The first business date of each framework that an event is about: by the action map, by its own words, which name
    a control that is ``known``, or by ``rules`` of one's own (pattern, framework, control)."""
    from engine.catalogue import catalogue
    from engine.catalogue.patterns import fits

    frameworks: dict[str, set[str]] = defaultdict(set)
    for framework, action in catalogue().action_controls.select("framework", "action").unique().iter_rows():
        frameworks[action].add(framework)
    starts: dict[str, date] = {}
    for action, controls, at in events:
        named = [tag.partition(":") for tag in (controls or "").split("; ")]
        own = {framework for framework, _, control in named if control in known.get(framework, ())}
        own |= {framework for pattern, framework, _ in rules if fits(pattern, action)}
        day = local_day(at, zone)
        for name in {EVERY_RECORD, *own, *frameworks[action]}:
            starts[name] = min(day, starts.get(name, day))
    return starts


def purge_all(
    store: Store, *, now: datetime, payload_days: int, sign: Callable[[str], object] = lambda org_id: None
) -> str:
    """Purge every organization and say what was done; Problem, in the end, when it failed for any.

    ``payload_days``: how long bodies of monitors and scanners are kept as they came. ``sign`` signs the head of an
    organization before anything of it goes: where it cannot, nothing does.
    """

    def purge_both(org_id: str) -> tuple[list[PurgeResult], int]:
        sign(org_id)
        purged = purge(store, org_id, now=now)
        with store.unversioned_transaction() as connection:
            return purged, purge_payloads(connection, org_id, now - timedelta(days=payload_days), now)

    org_ids = [org_id for org_id, _ in store.organizations()]
    went = for_every_organization("retention", org_ids, purge_both)
    purged = [part for parts, _ in went.results.values() for part in parts]
    bodies = sum(count for _, count in went.results.values())
    rows = {name: sum(part.rows for part in purged if part.record_class == name) for name in PURGES}
    blocked = sum(1 for part in purged if part.blocked_by)
    return went.message(
        f"{rows['audit_log']} audit events and {rows['incidents']} incidents removed, {blocked} purges held back"
        + (f", {bodies} bodies of monitors and scanners dropped" if bodies else "")
    )
