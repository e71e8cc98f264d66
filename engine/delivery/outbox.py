"""The outbox: deliveries are queued in the revision that decides them, and drained by whoever has the time.

The row is the ledger too: (organization, kind, period, channel, recipient) is there once. A delivery is sent at least
once: when the process dies after the other side has accepted it and before that is written, it is sent again under
the same identifier (Message-ID, webhook-id, Idempotency-Key), by which the other side knows it.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import TypedDict

from engine.delivery.attempt import send
from engine.delivery.backoff import next_attempt
from engine.delivery.heads import DepartingHeads
from engine.delivery.message import Message, check
from engine.delivery.outcome import Outcome
from engine.delivery.outside import Outside
from engine.model.records import DeliveryContentRow, DeliveryRow
from engine.model.vocabulary import Channel, DeliveryStatus
from engine.render.mail.gathered_mail import is_part
from engine.reporting.index import index
from engine.runtime.services import Services
from engine.store import Note, Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.sending import claims
from engine.store.queries.sending import deliveries as queue
from engine.store.queries.sending.claims import ATTEMPTS, Claim

log = logging.getLogger("hq.delivery")
ACTOR = "delivery"
LEASE = timedelta(minutes=5)  # longer than any attempt may take
BUDGET_SECONDS = 45  # no attempt begins later, so that a drain of every minute ends within it
SENDERS = 4
ANSWERS: Mapping[DeliveryStatus, str] = {
    "pending": "already_queued",
    "sent": "already_delivered",
    "failed": "already_failed",
    "skipped": "already_skipped",
}


class QueueAnswer(TypedDict):
    """A delivery by its key and its state; ``result`` is ``queued``, or what the key was before: ``already_…``."""

    id: str
    kind: str
    period: str
    channel: Channel
    recipient: str
    status: DeliveryStatus
    result: str


# -- into the outbox ---------------------------------------------------------------------------------------------------


def enqueue(revision: Revision, messages: Sequence[Message], *, late: bool = False) -> list[QueueAnswer]:
    """Queue what is not in the ledger yet; one answer for each message, in their order.

    For a key that the ledger has nothing changes and no event is recorded. ``late``: sent after the day on which it was
    owed.
    BadRequest for a message that could never be sent; nothing is queued then.
    """
    check(messages)
    keys = [(one.kind, one.period, one.channel, one.recipient) for one in messages]
    known = queue.by_key(revision.records, revision.org_id, keys) if keys else {}
    new, answers = [], []
    for message, key in zip(messages, keys, strict=True):
        row = known.get(key)
        result = "queued" if row is None else ANSWERS[row["status"]]
        if row is None:
            pair = _rows(revision, message, late)
            new.append(pair)
            row = known[key] = pair[0]
        answers.append(
            QueueAnswer(
                id=row["id"],
                kind=row["kind"],
                period=row["period"],
                channel=row["channel"],
                recipient=row["recipient"],
                status=row["status"],
                result=result,
            )
        )
    queue.insert(revision, new)
    revision.record_all(
        Note(
            "delivery.queued",
            "delivery",
            row["id"],
            details={"kind": row["kind"], "period": row["period"], "channel": row["channel"], "late": late},
        )
        for row, _ in new
    )
    return answers


def _rows(revision: Revision, message: Message, late: bool) -> tuple[DeliveryRow, DeliveryContentRow]:
    delivery_id = new_id("dlv")
    now = revision.now
    row: DeliveryRow = {
        "id": delivery_id,
        "kind": message.kind,
        "period": message.period,
        "channel": message.channel,
        "recipient": message.recipient,
        "status": "pending",
        "content_hash": message.content_hash,
        "payload": message.payload,
        "late": late,
        "attempts": 0,
        "created_at": now,
        "next_attempt_at": now,
        "sent_at": None,
        "last_error": None,
        "head_seq": None,
        "head_hash": None,
        "org_id": revision.org_id,
        "revision": revision.seq,
    }
    contents: DeliveryContentRow = {
        "org_id": revision.org_id,
        "revision": revision.seq,
        "delivery_id": delivery_id,
        "subject": message.subject,
        "body_text": message.text,
        "body_html": message.html,
        "blocks": message.blocks,
    }
    return row, contents


# -- out of it ---------------------------------------------------------------------------------------------------------


@dataclass
class DrainResult:
    """How many deliveries were sent, put off, given up and dropped, and how many are due still."""

    sent: int = 0
    retried: int = 0
    failed: int = 0
    skipped: int = 0
    waiting: int = 0

    @property
    def attempts(self) -> int:
        """How many deliveries were dealt with."""
        return self.sent + self.retried + self.failed + self.skipped

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, one.name)} {one.name}" for one in fields(self))


def drain(services: Services, *, now: datetime, limit: int = 500, outside: Outside | None = None) -> DrainResult:
    """Send what is due, up to ``limit`` deliveries and for less than a minute. Several processes may do so at once.

    A channel that does not answer, or that nobody configured, is left alone for the rest of this drain: what waits for
    it stays pending and its attempts uncounted.
    """
    claims.void_future(services.store, now=now)
    work = _Drain(services, now, limit, outside or Outside.of(services.settings), DepartingHeads(services, now))
    with ThreadPoolExecutor(SENDERS, thread_name_prefix="delivery") as senders:
        for done in [senders.submit(work.run) for _ in range(SENDERS)]:
            done.result()
    with services.store.reader() as connection:
        work.result.waiting = claims.waiting(connection, work.time())
    return work.result


class _Drain:
    """One drain: what its threads share."""

    def __init__(self, services: Services, now: datetime, limit: int, outside: Outside, heads: DepartingHeads) -> None:
        self.store = services.store
        self.settings = services.settings
        self.outside = outside
        self._heads = heads
        self.result = DrainResult()
        self._now = now
        self._began = time.monotonic()
        self._left = limit
        self._silent = set(outside.missing_channels())
        self._gathered = [digest.name for digest in index().digests]
        self._guard = Lock()

    def time(self) -> datetime:
        """``now``, moved on by how long this drain has taken."""
        return self._now + timedelta(seconds=time.monotonic() - self._began)

    def run(self) -> None:
        """Claim and send until nothing is due."""
        while True:
            with self._guard:
                if self._left <= 0 or time.monotonic() - self._began > BUDGET_SECONDS:
                    return
                self._left -= 1
                silent = frozenset(self._silent)
            now = self.time()
            claim = claims.claim(self.store, now=now, until=now + LEASE, without=silent, gathered=self._gathered)
            if claim is None:
                return
            self._deal(claim)

    def _deal(self, claim: Claim) -> None:
        if claim.attempt > ATTEMPTS:  # its last attempt began and did not live to say how it ended
            outcome = Outcome("failed", "The last attempt was interrupted.")
        else:
            with self.store.reader() as connection:
                row, contents = claims.contents(connection, claim)
                endpoints = queue.endpoints(connection, claim.org_id)
                claim, beside = self._letters(connection, claim, contents)
            outcome = send(
                self.outside, row, contents, endpoints, now=self.time(), head=self._heads.line(row), beside=beside
            )
        again = next_attempt(claim.id, claim.attempt, self.time(), outcome.retry_after)
        for one in (claim, *claim.beside):
            self._end(one, outcome, again)

    def _letters(
        self, connection: Reader, claim: Claim, contents: DeliveryContentRow | None
    ) -> tuple[Claim, list[tuple[DeliveryRow, DeliveryContentRow]]]:
        """The mails that leave with one; those that cannot stand beside it are left for the next turn."""
        letters, staying = [], []
        for one in claim.beside:
            row, content_row = claims.contents(connection, one)
            fits = (
                contents is not None
                and is_part(contents["body_html"])
                and content_row
                and is_part(content_row["body_html"])
            )
            if fits and content_row is not None:
                letters.append((one, (row, content_row)))
            else:
                staying.append(one)
        for one in staying:
            claims.give_back(self.store, one, self.time())
        return replace(claim, beside=tuple(one for one, _ in letters)), [letter for _, letter in letters]

    def _end(self, claim: Claim, outcome: Outcome, again: datetime) -> None:
        """Write what became of a delivery. Those that were to leave together are tried again together."""
        if outcome.word == "retry" and claim.attempt < ATTEMPTS:
            self._put_off(claim, outcome, again)
        elif outcome.word == "sent":
            self._settle(claim, "sent", "digest.delivered", outcome)
        elif outcome.word == "skipped":
            self._settle(claim, "skipped", "delivery.skipped", outcome)
        else:
            self._settle(claim, "failed", "delivery.failed", outcome)

    def _put_off(self, claim: Claim, outcome: Outcome, at: datetime) -> None:
        claims.postpone(self.store, claim, at, outcome.error, also=outcome.retry_after is not None)
        self._count("retried", claim, outcome)
        log.info("delivery %s over %s: attempt %d: %s", claim.id, claim.channel, claim.attempt, outcome.error)

    def _settle(self, claim: Claim, status: DeliveryStatus, action: str, outcome: Outcome) -> None:
        def change(revision: Revision) -> bool:
            if outcome.gone:
                queue.disable_endpoint(revision, claim.channel)
            return claims.settle(revision, claim, status, action, outcome.error or None)

        if self.store.write(claim.org_id, ACTOR, change, now=self.time()):
            self._count(status, claim, outcome)
            if status != "sent":
                log.error("delivery %s over %s %s: %s", claim.id, claim.channel, status, outcome.error)

    def _count(self, name: str, claim: Claim, outcome: Outcome) -> None:
        with self._guard:
            setattr(self.result, name, getattr(self.result, name) + 1)
            if outcome.channel_down:
                self._silent.add(claim.channel)
