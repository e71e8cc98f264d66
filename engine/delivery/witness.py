"""A witness that is asked by itself: every signed head goes to it, and what it signs comes back (C2SP tlog-witness).

What it answers says whether it saw more of our history than there is: it remembers the largest head that it signed, and
signs none that does not continue it.
"""

import base64
import http.client
from collections.abc import Callable

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import MOST_BYTES, PostAnswer, post
from engine.model.checkpoints import open_note, read_checkpoint
from engine.model.errors import BadRequest, Conflict, Unavailable
from engine.runtime.heads.signed_heads import SignedHead, consistency_proof, newest_signed_head
from engine.runtime.heads.witnesses import record_cosignatures, trusted_witnesses
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history import signed_heads as queries
from engine.store.rows import Reader
from engine.store.schema.records import SignedHeadRow

TRIES = 3
SIZE = "text/x.tlog.size"
Proof = Callable[[int], list[bytes]]  # the hashes from a head of so many events to the one that is shown


def cosign(services: Services, outside: Outside, org_id: str) -> SignedHead | None:
    """Show the newest signed head to the witness of SVC_WITNESS_URL and keep what it signs; None where there is none.

    Unavailable where it does not answer; Conflict where it saw another history; BadRequest where its key is not known.
    """
    head = newest_signed_head(services, org_id)
    if not services.settings.witness_url or head is None:
        return None
    with services.store.reader() as connection:
        rows = queries.latest(connection, org_id, 1_000)
    lines = show(
        outside,
        services.settings.witness_url,
        rows[0]["note"],
        _cosigned_size(rows, services.settings),
        lambda old: consistency_proof(services, org_id, old, head.size),
    )
    return record_cosignatures(services, org_id, lines)


def witness_problem(connection: Reader, settings: Settings, outside: Outside, org_id: str) -> str | None:
    """What the witness of SVC_WITNESS_URL says against the history of an organization; None where it says nothing."""
    rows = queries.latest(connection, org_id, 1_000)
    if not rows:
        return None
    tree = EventTree(connection, org_id)

    def proof(old: int) -> list[bytes]:
        return tree.consistency(old, rows[0]["seq"])

    try:
        show(outside, settings.witness_url, rows[0]["note"], _cosigned_size(rows, settings), proof)
    except (BadRequest, Conflict, Unavailable) as problem:
        return problem.message
    return None


def _cosigned_size(rows: list[SignedHeadRow], settings: Settings) -> int:
    """How many events the largest head has that a known witness signed; 0 without one."""
    names = {witness.name for witness in trusted_witnesses(settings)}
    return next((row["seq"] for row in rows if any(name in (row["cosignatures"] or "") for name in names)), 0)


def show(outside: Outside, url: str, note: str, old: int, proof: Proof) -> str:
    """What the witness signs under a head, as lines; ``old``: the events of the head that it is thought to know.

    Where it knows another one it is asked again with the proof from there. Unavailable where it does not answer as a
    witness does, Conflict where it saw more events than the head has, or a history that the head does not continue.
    """
    head = read_checkpoint(open_note(note).text)
    for _ in range(TRIES):
        answer = _post(outside, url, _question(note, old, proof(old)))
        if answer.status == 200:
            return _text(answer)
        if answer.status == 409 and answer.headers.get("content-type", "").startswith(SIZE):
            known = _size(answer)
            if known > head.size:
                raise Conflict(
                    f"The witness saw a head of {known} events of {head.origin}, and the newest signed head here has "
                    f"{head.size}: events were cut off, or this is an older copy.",
                    word="history_broken",
                )
            if known != old:
                old = known
                continue
        if answer.status in (409, 422):
            raise Conflict(
                f"The witness does not find that the head of {head.size} events of {head.origin} continues what it "
                "saw: events were rewritten, or the head is of another installation.",
                word="history_broken",
            )
        raise Unavailable(f"The witness answers {answer.status} to a head of {head.origin}; expected 200, 409 or 422.")
    raise Unavailable("The witness says each time that it knows another head: somebody else shows it heads as well.")


def _question(note: str, old: int, proof: list[bytes]) -> bytes:
    steps = [base64.b64encode(step).decode() for step in proof]
    return "\n".join([f"old {old}", *steps, "", note]).encode()


def _post(outside: Outside, url: str, body: bytes) -> PostAnswer:
    try:
        target = WebhookTarget.any(f"{url.rstrip('/')}/add-checkpoint")
        return post(outside, target, {"Content-Type": "text/plain; charset=utf-8"}, body, public=False)
    except (AddressRefusal, OSError, http.client.HTTPException) as error:
        raise Unavailable(f"The witness could not be reached ({type(error).__name__}).") from error


def _text(answer: PostAnswer) -> str:
    if len(answer.body) >= MOST_BYTES:
        raise Unavailable(f"The witness answers with {MOST_BYTES:,} bytes or more; expected lines of signatures.")
    try:
        return answer.body.decode()
    except UnicodeDecodeError as error:
        raise Unavailable("The witness answers with bytes that are no text; expected lines of signatures.") from error


def _size(answer: PostAnswer) -> int:
    text = answer.body.decode("ascii", "replace").strip()
    if not text.isdecimal() or len(text) > 19:
        raise Unavailable(f"The witness answers {text[:40]!r}; expected the number of events that it saw.")
    return int(text)
