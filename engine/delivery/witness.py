"""A witness that is asked by itself: every signed head goes to it, and what it signs comes back (C2SP tlog-witness).

What it answers says whether it saw more of our history than there is: it remembers the largest head that it signed, and
signs none that does not continue it. It is asked about the tree over the whole installation first, then about every
organization that there is or was: of one without a signed head it is shown an empty one.
"""

import base64
import http.client
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import MOST_BYTES, PostAnswer, post
from engine.model import merkle
from engine.model.checkpoints import Checkpoint, SignedNote, open_note, origin_of, read_checkpoint
from engine.model.commitments import WHOLE
from engine.model.errors import BadRequest, Conflict, Unavailable
from engine.runtime.heads.installation import InstallationHead, consistency_path
from engine.runtime.heads.signed_heads import SignedHead, newest_signed_head, sign
from engine.runtime.heads.witnesses import (
    is_cosigned,
    record_cosignatures,
    record_installation_cosignatures,
    trusted_witnesses,
)
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.chain.chain import GENESIS
from engine.store.chain.event_tree import EventTree
from engine.store.queries.accounts.installation import positions
from engine.store.queries.history import installation
from engine.store.queries.history import signed_heads as queries
from engine.store.rows import Reader

TRIES = 3
SIZE = "text/x.tlog.size"
LOOKED_AT = 1_000  # newest heads among which the largest cosigned one is looked for
Read = Callable[[], AbstractContextManager[Reader]]
Proof = Callable[[int], list[bytes]]  # the hashes from a head of so many events to the one that is shown


class Unreachable(Unavailable):
    """Nobody answers at the address of the witness: there is no use in asking about more."""


class HeadQuestion(NamedTuple):
    """A head for the witness: its note, the size that the witness is thought to know, and proofs from others."""

    note: str
    cosigned: int
    proof: Proof


def cosign(services: Services, outside: Outside, org_id: str) -> SignedHead | None:
    """Show the newest signed head to the witness of SVC_WITNESS_URL and keep what it signs; None where there is none.

    Unavailable where it does not answer; Conflict where it saw another history; BadRequest where its key is not known.
    """
    if not services.settings.witness_url or newest_signed_head(services, org_id) is None:
        return None
    lines = _ask(services, outside, org_id)
    return None if lines is None else record_cosignatures(services, org_id, lines)


def cosign_installation(services: Services, outside: Outside) -> InstallationHead | None:
    """The same for the newest signed head of the tree over the installation."""
    lines = _ask(services, outside, WHOLE) if services.settings.witness_url else None
    return None if lines is None else record_installation_cosignatures(services, lines)


def _ask(services: Services, outside: Outside, org_id: str) -> str | None:
    head = _newest(services.store.reader, services.settings, org_id)
    return None if head is None else show(outside, services.settings.witness_url, head)


def witness_problems(connection: Reader, settings: Settings, outside: Outside) -> Iterator[str]:
    """What the witness of SVC_WITNESS_URL says against the installation, and against each organization that is or was
    there: in a chain, a commitment, or a file of signed heads."""
    known = {one.org_id for one in positions(connection)}
    known |= {row["org_id"] for row in installation.commitments(connection)}
    known |= {path.stem for path in (settings.data_dir / "heads").glob("*.log") if path.stat().st_size}
    for org_id in (WHOLE, *sorted(known)):
        name = "the installation" if org_id == WHOLE else org_id
        try:
            head = _newest(lambda: nullcontext(connection), settings, org_id) or _empty(settings, org_id)
            show(outside, settings.witness_url, head)
        except Unreachable as problem:
            yield f"Of {name}: {problem.message}"
            return
        except (BadRequest, Conflict, Unavailable) as problem:
            yield f"Of {name}: {problem.message}"


def _newest(read: Read, settings: Settings, org_id: str) -> HeadQuestion | None:
    """The newest signed head of an organization, or of the installation; None without one. Nothing is read on while
    the witness is waited for."""
    with read() as connection:
        if org_id == WHOLE:
            rows = installation.signed(connection)[::-1][:LOOKED_AT]
            signed = [(row["size"], row["note"]) for row in rows]
        else:
            latest = queries.latest(connection, org_id, LOOKED_AT)
            signed = [(row["seq"], row["note"] + (row["cosignatures"] or "")) for row in latest]
    if not signed:
        return None
    size, note = signed[0]
    witnesses = trusted_witnesses(settings)
    cosigned = next((seq for seq, whole in signed if is_cosigned(whole, witnesses)), 0)

    def proof(old: int) -> list[bytes]:
        with read() as connection:
            if org_id == WHOLE:
                return consistency_path(connection, old, size)
            return EventTree(connection, org_id).consistency(old, size)

    return HeadQuestion(_own_line_alone(note), cosigned, proof)


def _own_line_alone(note: str) -> str:
    opened = open_note(note)
    return str(SignedNote(opened.text, opened.signatures[:1]))


def _empty(settings: Settings, org_id: str) -> HeadQuestion:
    """A head over nothing: who saw more says so. Conflict where there is no key to sign it with."""
    if not settings.signing_key_path.exists():
        raise Conflict(
            f"There is no signed head to show to the witness, and no key {settings.signing_key_path}: `hq heads --all` "
            "signs the first head; where there was one, restore a backup.",
            word="no_head",
        )
    nothing = Checkpoint(origin_of(org_id), 0, merkle.root([]), GENESIS)
    return HeadQuestion(sign(nothing, signing_key(settings.signing_key_path)), 0, lambda old: [])


def show(outside: Outside, url: str, question: HeadQuestion) -> str:
    """What the witness signs under a head, as lines.

    Where it knows another one it is asked again with the proof from there. Unavailable where it does not answer as a
    witness does, Conflict where it saw more events than the head has, or a history that the head does not continue.
    """
    head, old = read_checkpoint(open_note(question.note).text), question.cosigned
    things = "commitments" if head.origin == origin_of(WHOLE) else "events"
    for _ in range(TRIES):
        answer = _post(outside, url, _body(question.note, old, question.proof(old)))
        if answer.status == 200:
            return _text(answer)
        if answer.status == 409 and answer.headers.get("content-type", "").startswith(SIZE):
            known = _size(answer)
            if known > head.size:
                raise Conflict(
                    f"The witness saw a head of {known} {things} of {head.origin}, and the newest signed head here "
                    f"has {head.size}: {things} were cut off, or this is an older copy.",
                    word="history_broken",
                )
            if known != old:
                old = known
                continue
        if answer.status in (409, 422):
            raise Conflict(
                f"The witness does not find that the head of {head.size} {things} of {head.origin} continues what it "
                f"saw: {things} were rewritten, or the head is of another installation.",
                word="history_broken",
            )
        unknown = " Give it the key that `hq keys` prints." if answer.status in (403, 404) else ""
        raise Unavailable(
            f"The witness answers {answer.status} to a head of {head.origin}; expected 200, 409 or 422.{unknown}"
        )
    raise Unavailable("The witness says each time that it knows another head: somebody else shows it heads as well.")


def _body(note: str, old: int, proof: list[bytes]) -> bytes:
    steps = [base64.b64encode(step).decode() for step in proof]
    return "\n".join([f"old {old}", *steps, "", note]).encode()


def _post(outside: Outside, url: str, body: bytes) -> PostAnswer:
    try:
        target = WebhookTarget.any(f"{url.rstrip('/')}/add-checkpoint")
        return post(outside, target, {"Content-Type": "text/plain; charset=utf-8"}, body, public=False)
    except (AddressRefusal, OSError, http.client.HTTPException) as error:
        raise Unreachable(f"The witness could not be reached ({type(error).__name__}).") from error


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
