"""Delivery of a digest: built once, queued once for each period, whoever asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

from engine.delivery import Channels, Message, QueueAnswer, channels_of, endpoints, enqueue
from engine.digests.calendar import span
from engine.model.days import local_day
from engine.model.declarations.as_of import AsOf
from engine.model.declarations.digest import Digest, When, period_key, quiet_until
from engine.model.documents.document import Position
from engine.model.errors import BadRequest, NotFound, Problem
from engine.model.every_organization import for_every_organization, public_message
from engine.runtime.services import Services
from engine.store.queries.sending import digests as queries
from engine.store.queries.sending.claims import GATHERING
from engine.store.queries.sending.digests import Clock, DeliveryRecord

if TYPE_CHECKING:
    from engine.digests.buttons import Button
    from engine.digests.messages import Occasion

NOTHING: Mapping[str, str] = {}
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """What came of one digest of one organization.

    ``outcome``: delivered, already_delivered, empty, no_recipients or not_configured. Delivered is queued:
    each of ``deliveries`` says what became of it. ``channels`` says what can leave and why the rest cannot.
    """

    org_id: str
    digest: str
    period: str
    outcome: str
    late: bool = False
    content_hash: str | None = None
    headline: str | None = None
    held_until: datetime | None = None
    deliveries: Sequence[Mapping[str, object]] = ()
    channels: Sequence[Mapping[str, object]] = ()

    def as_dict(self) -> dict[str, object]:
        """For an answer."""
        names = ("org_id", "digest", "period", "outcome", "late", "content_hash", "headline", "held_until")
        return {name: getattr(self, name) for name in names} | {
            "deliveries": list(self.deliveries),
            "channels": list(self.channels),
        }


@dataclass(frozen=True)
class _Work:
    """What is known before anything is written."""

    services: Services
    digest: Digest
    org_id: str
    now: datetime
    period: str
    late: bool
    channels: Channels
    ways: Sequence[Mapping[str, object]]
    done: Sequence[DeliveryRecord]  # what was queued for the period
    added: frozenset[str]  # channels over which nothing of it was queued where it would go now
    before: AsOf | None  # the records before its first delivery, so that a channel added later is told the same
    quiet_until: datetime | None


def deliver(
    services: Services,
    digest: Digest,
    org_id: str,
    actor: str,
    *,
    now: datetime,
    query: Mapping[str, str] = NOTHING,
    send_empty: bool = False,
    scheduled: bool = False,
) -> Run:
    """Deliver the digest of the present period, unless that was done. What it moves is written with its deliveries.

    Over a channel that has been added since, what was delivered then is delivered now. ``scheduled``: by the calendar;
    then its mails wait a while for others to the same person, and what was owed on an earlier day is late.
    An empty digest is not sent unless ``send_empty``; the run is recorded, and what it moves is moved. BadRequest for
    a parameter that the report does not have, NotFound for an organization that is not there.
    """
    from engine.digests import buttons, state
    from engine.digests.content import content
    from engine.digests.messages import messages

    work = _prepare(services, digest, org_id, now, scheduled)
    if work.done and not work.added:
        return _already(work, work.done)
    try:
        opened = services.snapshots.open(org_id, now=now, at=work.before)
    except BadRequest:  # of what was delivered then there are no records any more
        return _already(work, work.done)
    with opened as snapshot:
        made = content(snapshot, digest, query)
        move = None if work.done else state.prepare(snapshot, made)  # what it moves was moved with the first delivery
    empty = made.empty and not send_empty
    with services.store.reader() as connection:
        people = queries.people(connection, org_id)
        occasion = _occasion(work, {} if empty else buttons.of(connection, made))
    letters = [] if empty else messages(made, people, work.channels, occasion)
    if work.done:
        letters = [letter for letter in letters if letter.channel in work.added]
        if not letters:
            return _already(work, work.done)
    queued: list[QueueAnswer] = []
    with services.store.revision(org_id, actor, now=now) as revision:
        done = queries.ledger(revision.connection, org_id, digest.name, work.period)
        if len(done) == len(work.done):
            queued = enqueue(revision, letters, late=work.late)
            if work.quiet_until is not None:  # what people would hear waits for the end of quiet hours
                heard = [row["id"] for row in queued if row["channel"] != "webhook"]
                queries.hold_until(revision, heard, work.quiet_until)
            elif scheduled:  # and mails for one another
                mails = [row["id"] for row in queued if row["channel"] == "email"]
                queries.hold_until(revision, mails, now + GATHERING)
            if move is not None:
                move(revision, bool(letters))
            if letters or revision.touched:
                details = {
                    "period": work.period,
                    "content_hash": made.hash,
                    "messages": len(letters),
                    "empty": made.empty,
                }
                revision.record("digest.run", object_type="digest", object_id=digest.name, details=details)
    if len(done) != len(work.done):
        return _already(work, done)
    run = Run(
        org_id,
        digest.name,
        work.period,
        _outcome(work, empty, letters),
        work.late,
        made.hash,
        made.edition.document.headline,
        work.quiet_until if letters else None,
        queued,
        work.ways,
    )
    queries.record_run(
        services.store,
        org_id,
        run_name(digest.name),
        started_at=now,
        finished_at=now,
        outcome="succeeded" if letters else "skipped",
        message=f"{run.outcome} {run.period}: {len(queued)} queued",
    )
    return run


def _new_channels(channels: Channels, digest: Digest, done: Sequence[DeliveryRecord]) -> frozenset[str]:
    queued = {(row["channel"], row["recipient"]) for row in done}
    mailed = any(channel == "email" for channel, _ in queued)
    return frozenset(
        way.name
        for way in channels.leaving
        if way.name in digest.channels
        and (not mailed if way.name == "email" else any((way.name, one) not in queued for one in way.recipients))
    )


def _before(done: Sequence[DeliveryRecord], clock: Clock) -> AsOf | None:
    first = min(done, key=lambda row: row["revision"], default=None)
    if first is None or first["revision"] <= 1:
        return None
    return AsOf(local_day(first["created_at"], clock.zone), first["revision"] - 1)


def run_name(name: str) -> str:
    """The name of a digest's runs for organizations, apart from the jobs of the scheduler."""
    return f"digest:{name}"


def wants(services: Services, digest: Digest, org_id: str) -> bool:
    """Whether anything of the digest could leave for the organization."""
    with services.store.reader() as connection:
        ways = channels_of(services.settings, endpoints(connection, org_id))
    return any(way.name in digest.channels for way in ways.leaving)


def each(name: str, org_ids: Sequence[str], run: Callable[[str], T], *, wanted: Callable[[str], bool]) -> list[T]:
    """One run for each organization that wants it, whatever becomes of the others. Problem when any failed."""

    def run_if_due(org_id: str) -> T | None:
        return run(org_id) if wanted(org_id) else None

    went = for_every_organization(name, org_ids, run_if_due)
    runs = [one for one in went.results.values() if one is not None]
    if went.failures:
        asked = len(runs) + len(went.failures)
        raise Problem(
            f"{name} failed for {len(went.failures)} of {asked} organizations; the next call tries these again.",
            word="digest_failed",
            details=[
                {"org_id": failure.org_id, "outcome": "failed", "message": public_message(failure.error)}
                for failure in went.failures
            ],
        ) from went.failures[0].error
    return runs


def _prepare(services: Services, digest: Digest, org_id: str, now: datetime, scheduled: bool) -> _Work:
    if services.store.head(org_id) is None:
        raise NotFound(f"There is no organization {org_id[:80]!r}.", word="unknown_organization")
    with services.store.reader() as connection:
        clock = queries.clock(connection, org_id)
        channels = channels_of(services.settings, endpoints(connection, org_id))
        due, next_due = span(When(digest.every), now, clock)
        ran = queries.runs_within(connection, org_id, run_name(digest.name), due, next_due)
        today, due_on = local_day(now, clock.zone), local_day(due, clock.zone)
        parts = services.store.part_heads(org_id)
        period = key(digest, today, parts)
        done = queries.ledger(connection, org_id, digest.name, period)
    owed = not ran and due_on < today and key(digest, due_on, parts) == period and digest.period != "catalogue"
    quiet = quiet_until(now, clock.zone, clock.settings)
    return _Work(
        services=services,
        digest=digest,
        org_id=org_id,
        now=now,
        period=period,
        late=owed and scheduled,
        channels=channels,
        ways=[_way(way, quiet, clock) for way in channels.as_dicts() if way["name"] in digest.channels],
        done=done,
        added=_new_channels(channels, digest, done),
        before=_before(done, clock),
        quiet_until=quiet,
    )


def _way(way: Mapping[str, object], quiet: datetime | None, clock: Clock) -> Mapping[str, object]:
    """A channel, with when it leaves where quiet hours hold it."""
    if quiet is None or not way["leaves"] or way["name"] == "webhook":
        return way
    at = quiet.astimezone(clock.zone)
    return {**way, "reason": f"{way['reason']} Quiet hours: it leaves on {at:%Y-%m-%d at %H:%M} ({clock.zone})."}


def key(digest: Digest, day: date, parts: Mapping[str, Position]) -> str:
    """The period of a day, as the ledger names it; ``parts`` are the heads of the organization's tables.

    The catalogue of an organization is that of the program, and where it brought frameworks along their newest write.
    """
    from engine.catalogue.own_catalogue import version_of

    return period_key(digest.period, day, version_of(parts))


def _occasion(work: _Work, buttons: "Mapping[str, Sequence[Button]]") -> "Occasion":
    from engine.digests.desk_acts import DeskActs
    from engine.digests.messages import Occasion

    settings = work.services.settings
    desk = DeskActs(settings, work.org_id, work.now)
    return Occasion(work.period, work.late, settings.base_url, buttons, desk)


def _outcome(work: _Work, empty: bool, letters: Sequence[Message]) -> str:
    if empty:
        return "empty"
    if letters:
        return "delivered"
    return "no_recipients" if any(way["leaves"] for way in work.ways) else "not_configured"


def _already(work: _Work, done: Sequence[DeliveryRecord]) -> Run:
    shown = [{name: row[name] for name in ("id", "channel", "recipient", "status")} for row in done]
    return Run(
        work.org_id,
        work.digest.name,
        work.period,
        "already_delivered",
        any(row["late"] for row in done),
        done[0]["content_hash"],
        deliveries=shown,
        channels=work.ways,
    )
