"""The signed heads that deliveries leave with, and time stamps on heads."""

import base64
import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock

from engine.delivery.outside import Outside
from engine.delivery.time_stamps import time_stamp
from engine.delivery.witness import cosign, cosign_installation
from engine.model.checkpoints import open_note
from engine.model.errors import Problem
from engine.model.records import DeliveryRow
from engine.runtime.heads.installation import InstallationHead, sign_installation
from engine.runtime.heads.signed_heads import SignedHead, newest_signed_head, of_row, one_line_note, signed_head
from engine.runtime.heads.witnesses import is_cosigned, trusted_witnesses
from engine.runtime.services import Services
from engine.store.queries.history import signed_heads as queries
from engine.store.queries.sending import claims

log = logging.getLogger("hq.heads")
OWN_LINES = 1  # signature lines of a head that nobody has cosigned
STAMP_EVERY = timedelta(days=1)
CHANNELS = ("email", "webhook")


class DepartingHeads:
    """The heads of one drain: an organization's is signed once for all that leaves in it."""

    def __init__(self, services: Services, now: datetime) -> None:
        self._services = services
        self._now = now
        self._heads: dict[str, SignedHead | None] = {}
        self._guard = Lock()

    def line(self, row: DeliveryRow) -> str | None:
        """The head that a delivery carries, in one line: noted with its first attempt, the same with all others.

        None where none can be signed: what is owed leaves all the same, and the log says why.
        """
        if row["channel"] not in CHANNELS:
            return None
        seq = row["head_seq"]
        if seq is None:
            with self._guard:
                if row["org_id"] not in self._heads:
                    self._heads[row["org_id"]] = self._sign(row["org_id"])
                head = self._heads[row["org_id"]]
            if head is None:
                return None
            claims.note_head(self._services.store, row, head.size, head.chain)
            seq = head.size
        with self._services.store.reader() as connection:
            known = queries.at(connection, row["org_id"], seq)
        return None if known is None else one_line_note(known["note"])

    def _sign(self, org_id: str) -> SignedHead | None:
        try:
            return signed_head(self._services, org_id, now=self._now)
        except Problem as problem:
            log.error("deliveries of %s leave without a signed head: %s", org_id, problem.message)
            return None


@dataclass(frozen=True)
class HeadRun:
    """What came of signing a head: whether it is a new one, and whether it was stamped."""

    head: SignedHead
    new: bool
    stamped: bool


def _is_cosigned(head: SignedHead) -> bool:
    return len(open_note(head.note).signatures) > OWN_LINES


def _with_witness(services: Services, org_id: str, head: SignedHead, outside: Outside | None) -> SignedHead:
    """The head with what the witness signed; as it is where it signs nothing."""
    try:
        return cosign(services, outside or Outside.of(services.settings), org_id) or head
    except Problem as problem:
        log.warning("the head of %s has no witness: %s", org_id, problem.message)
        return head


def sign_and_stamp(
    services: Services, org_id: str, *, now: datetime, every: timedelta = STAMP_EVERY, outside: Outside | None = None
) -> HeadRun:
    """Sign the head as it stands, have a witness sign it where one is set, and have it stamped where an authority is
    set and none was in the time ``every``.

    Of a witness or an authority that does not answer the log speaks: the next head asks again.
    """
    before = newest_signed_head(services, org_id)
    head = signed_head(services, org_id, now=now)
    if services.settings.witness_url and (before is None or before.size != head.size or not _is_cosigned(head)):
        head = _with_witness(services, org_id, head, outside)
    new = before is None or before.size != head.size
    url = services.settings.timestamp_url
    with services.store.reader() as connection:
        stamped_at = queries.last_stamped(connection, org_id)
        row = queries.at(connection, org_id, head.size)
    due = stamped_at is None or now - stamped_at >= every
    if not url or not due or row is None or row["time_stamp"] is not None:
        return HeadRun(head, new, stamped=False)
    try:
        stamp = time_stamp(outside or Outside.of(services.settings), url, row["note"])
    except Problem as problem:
        log.warning("the head of %s has no time stamp: %s", org_id, problem.message)
        return HeadRun(head, new, stamped=False)
    encoded = base64.b64encode(stamp).decode()
    with services.store.unversioned_transaction() as connection:
        queries.attach(connection, org_id, head.size, time_stamp=encoded)
    return HeadRun(of_row({**row, "time_stamp": encoded}), new, stamped=True)


def sign_installation_for_witness(
    services: Services, *, now: datetime, every: timedelta = timedelta(0), outside: Outside | None = None
) -> InstallationHead | None:
    """Sign the tree over the installation where it moved, and have a witness sign it where one is set.

    None where there is no event yet. Of a witness that does not answer the log speaks: the next run asks again.
    """
    head = sign_installation(services, now=now, every=every)
    settings = services.settings
    if head is None or not settings.witness_url or is_cosigned(head.note, trusted_witnesses(settings)):
        return head
    try:
        seen = cosign_installation(services, outside or Outside.of(settings))
    except Problem as problem:
        log.warning("the head of the installation has no witness: %s", problem.message)
        return head
    return head if seen is None else replace(head, note=seen.note)
