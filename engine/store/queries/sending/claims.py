"""Sending as rows: what is due, who works on it until when, what becomes of it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, func, or_, select, update

from engine.model.records import DeliveryContentRow, DeliveryRow
from engine.model.vocabulary import Channel, DeliveryStatus, Outcome
from engine.store.rows import first, many
from engine.store.schema.organizations import users
from engine.store.schema.outputs import deliveries, delivery_contents
from engine.store.store import Store
from engine.store.writing.revisions import Revision

ATTEMPTS = 9
GATHERING = timedelta(minutes=10)  # that mails of the calendar wait for one another
APART = "mails_apart"  # the preference that keeps them apart
CLOCKS_DIFFER = timedelta(minutes=5)  # between machines, without anything being wrong


@dataclass(frozen=True)
class Claim:
    """A delivery that this process may try to send until ``until``; ``attempt`` counts from 1.

    ``beside``: e-mails to the same person that were taken with it, to leave as one.
    """

    org_id: str
    id: str
    kind: str
    channel: Channel
    recipient: str
    attempt: int
    until: datetime
    beside: tuple["Claim", ...] = ()


def claim(
    store: Store, *, now: datetime, until: datetime, without: Collection[str] = (), gathered: Collection[str] = ()
) -> Claim | None:
    """Take the delivery that is due longest, or None. Nobody else gets it before ``until``.

    With an e-mail of a kind in ``gathered`` all such are taken that wait for the same person, unless that person wants
    them apart.

    The update names the instant that was read: of several processes that want the same row, one changes it. The
    attempt counts from here, so that a message that kills its sender is not tried for ever.
    """
    due = [deliveries.c.status == "pending", deliveries.c.next_attempt_at <= now]
    if without:
        due.append(deliveries.c.channel.not_in(sorted(without)))
    names = ("org_id", "id", "kind", "channel", "recipient", "attempts", "next_attempt_at")
    query = select(*(deliveries.c[name] for name in names)).where(*due)
    query = query.order_by(deliveries.c.next_attempt_at, deliveries.c.org_id, deliveries.c.id).limit(16)
    while True:
        with store.reader() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return None
        for row in rows:
            same = (deliveries.c.org_id == row.org_id, deliveries.c.id == row.id, deliveries.c.status == "pending")
            taken = update(deliveries).where(*same, deliveries.c.next_attempt_at == row.next_attempt_at)
            with store.unversioned_transaction() as connection:
                changed = connection.execute(taken.values(next_attempt_at=until, attempts=row.attempts + 1)).rowcount
                if changed == 1:
                    lead = Claim(row.org_id, row.id, row.kind, row.channel, row.recipient, row.attempts + 1, until)
                    alone = row.channel != "email" or row.kind not in gathered
                    return lead if alone else replace(lead, beside=_beside(connection, lead, now, gathered))


def _beside(connection: Connection, lead: Claim, now: datetime, gathered: Collection[str]) -> tuple[Claim, ...]:
    """The e-mails that leave with one: those that are due, and those that were never tried and wait for such as it."""
    if wants_apart(connection, lead.org_id, lead.recipient):
        return ()
    due = deliveries.c.next_attempt_at <= now
    fresh = and_(deliveries.c.attempts == 0, deliveries.c.next_attempt_at <= now + GATHERING)
    mine = (
        deliveries.c.org_id == lead.org_id,
        deliveries.c.channel == lead.channel,
        deliveries.c.status == "pending",
        deliveries.c.recipient == lead.recipient,
        deliveries.c.kind.in_(sorted(gathered)),
        deliveries.c.id != lead.id,
        or_(due, fresh),
        deliveries.c.attempts < ATTEMPTS,
    )
    waiting = select(deliveries.c.id, deliveries.c.kind, deliveries.c.attempts).where(*mine)
    waiting = waiting.order_by(deliveries.c.created_at, deliveries.c.id)
    waiting = waiting.with_for_update(skip_locked=True)  # who is being dealt with leaves by itself
    claims = [
        Claim(lead.org_id, row.id, row.kind, lead.channel, lead.recipient, row.attempts + 1, lead.until)
        for row in connection.execute(waiting).all()
    ]
    for one in claims:
        same = (deliveries.c.org_id == one.org_id, deliveries.c.id == one.id)
        taken = update(deliveries).where(*same).values(next_attempt_at=one.until, attempts=one.attempt)
        connection.execute(taken)
    return tuple(claims)


def void_future(store: Store, *, now: datetime) -> None:
    """What was queued later than now, by a clock that was set back since, and never tried: it is due now."""
    later = now + CLOCKS_DIFFER
    ahead = (deliveries.c.status == "pending", deliveries.c.next_attempt_at > later, deliveries.c.created_at > later)
    with store.unversioned_transaction() as connection:
        connection.execute(update(deliveries).where(*ahead, deliveries.c.attempts == 0).values(next_attempt_at=now))


def contents(connection: Connection, claim: Claim) -> tuple[DeliveryRow, DeliveryContentRow | None]:
    """The delivery and what it says; None when that was pruned."""
    row = many(connection, deliveries, claim.org_id, id=claim.id)[0]
    return row, first(connection, delivery_contents, claim.org_id, delivery_id=claim.id)


def wants_apart(connection: Connection, org_id: str, email: str) -> bool:
    """Whether somebody wants each mail by itself."""
    profile = first(connection, users, org_id, email=email)
    stored = profile["preferences"] if profile else None
    return isinstance(stored, dict) and stored.get(APART) is True


def note_head(store: Store, row: DeliveryRow, seq: int, digest: str) -> None:
    """Which signed head a delivery carries, at this attempt and at all further ones."""
    mine = deliveries.c.org_id == row["org_id"], deliveries.c.id == row["id"]
    with store.unversioned_transaction() as connection:
        connection.execute(update(deliveries).where(*mine).values(head_seq=seq, head_hash=digest))


def settle(revision: Revision, claim: Claim, status: DeliveryStatus, action: str, error: str | None) -> bool:
    """Write what became of a claimed delivery, with its event; False when another process wrote it first.

    A delivery that was sent is sent, whoever holds it now; giving up is for the one that holds the claim.
    """
    row = many(revision.records, deliveries, revision.org_id, id=claim.id)[0]
    if row["status"] != "pending" or (status != "sent" and not _is_current(row, claim)):
        return False
    values: dict[str, object] = {"status": status, "last_error": error, "next_attempt_at": None}
    if status == "sent":
        values["sent_at"] = revision.now
    revision.update(deliveries, {"id": claim.id}, values)
    details = {"kind": row["kind"], "period": row["period"], "channel": row["channel"], "attempts": row["attempts"]}
    outcome: Outcome = "success" if status == "sent" else "failure"
    if error:
        details["error"] = error
    revision.record(action, object_type="delivery", object_id=claim.id, outcome=outcome, details=details)
    return True


def _is_current(row: DeliveryRow, claim: Claim) -> bool:
    return row["attempts"] == claim.attempt and row["next_attempt_at"] == claim.until


def give_back(store: Store, claim: Claim, at: datetime) -> None:
    """Let somebody else have a claimed delivery at once; the attempt was none."""
    own = update(deliveries).where(
        deliveries.c.org_id == claim.org_id,
        deliveries.c.id == claim.id,
        deliveries.c.status == "pending",
        deliveries.c.next_attempt_at == claim.until,
    )
    with store.unversioned_transaction() as connection:
        connection.execute(own.values(next_attempt_at=at, attempts=claim.attempt - 1))


def postpone(store: Store, claim: Claim, at: datetime, error: str, *, also: bool = False) -> None:
    """Try again at ``at``. ``also``: whatever else waits for the same place waits as long, uncounted."""
    mine = (deliveries.c.org_id == claim.org_id, deliveries.c.status == "pending")
    own = update(deliveries).where(
        *mine,
        deliveries.c.id == claim.id,
        deliveries.c.attempts == claim.attempt,
        deliveries.c.next_attempt_at == claim.until,
    )
    with store.unversioned_transaction() as connection:
        connection.execute(own.values(next_attempt_at=at, last_error=error))
    if not also:
        return
    same = (deliveries.c.channel == claim.channel, deliveries.c.recipient == claim.recipient)
    others = select(deliveries.c.id).where(*mine, *same, deliveries.c.next_attempt_at < at)
    others = others.with_for_update(skip_locked=True)  # who is being dealt with needs no holding back
    with store.unversioned_transaction() as connection:
        connection.execute(update(deliveries).where(*mine, deliveries.c.id.in_(others)).values(next_attempt_at=at))


def waiting(connection: Connection, now: datetime) -> int:
    """How many deliveries are due."""
    query = select(func.count()).where(deliveries.c.status == "pending", deliveries.c.next_attempt_at <= now)
    return int(connection.execute(query).scalar_one())
