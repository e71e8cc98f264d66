"""A receipt: one event, the path from it to a signed head, and that head, in a text that fits in a mail.

hq-receipt/v1
key K5oZ…=                                             32 bytes of the key that signed the head
{"hash":"…","previous":"…","event":{…}}                as in ``audit_log.jsonl``: all that the leaf is computed from
c2sp.org/tlog-proof@v1                                 from here on a C2SP ``tlog-proof``
index 811
<base64 of a hash for each step, nearest first>
<empty>
hq/acme                                                the head, with cosignatures of witnesses
…

Where the signing key was changed, the rotations follow, each after an empty line. ``verify.py`` checks it.
"""

import base64
from datetime import datetime

from engine.archives.contents.log import as_hashed
from engine.model import merkle
from engine.model.checkpoints import open_note, origin_of, signer
from engine.model.errors import Conflict, NotFound
from engine.runtime.heads.signed_heads import SignedHead, newest_signed_head, signed_head
from engine.runtime.keys.key_rotations import own_keys, rotations_text
from engine.runtime.services import Services
from engine.store.chain.chain import event_json
from engine.store.chain.event_tree import EventTree
from engine.store.queries.history.audit import AuditEntry, events_between
from engine.store.queries.history.signed_heads import place_of

HEAD = "hq-receipt/v1"
PROOF = "c2sp.org/tlog-proof@v1"


def receipt(services: Services, org_id: str, event_id: str, *, now: datetime) -> str:
    """The receipt of an event; where it is above the last signed head, one is signed.

    NotFound for an event that is not there, or not any more: retention leaves its leaf alone.
    """
    with services.store.reader() as connection:
        seq = place_of(connection, org_id, event_id)
    if seq is None:
        raise NotFound(f"There is no event {event_id[:200]!r} of {org_id}.", word="unknown_event")
    head = newest_signed_head(services, org_id)
    if head is None or head.size < seq:
        head = signed_head(services, org_id, now=now)
    return _text(services, head, _entry(services, org_id, seq))


def _entry(services: Services, org_id: str, seq: int) -> AuditEntry:
    audit_entries = [entry for page in events_between(services.store, org_id, seq, seq) for entry in page]
    if not audit_entries or audit_entries[0].previous_hash is None:
        raise NotFound(f"Event {seq} of {org_id} is not there any more.", word="unknown_event")
    return audit_entries[0]


def _text(services: Services, head: SignedHead, entry: AuditEntry) -> str:
    event = event_json(as_hashed(head.org_id, entry), entry.changes).decode()
    with services.store.reader() as connection:
        path = EventTree(connection, head.org_id).inclusion(entry.seq, head.size)
    leaf = merkle.leaf_hash(bytes.fromhex(entry.hash))
    if merkle.path_root(leaf, entry.seq - 1, head.size, path) != head.root:
        raise Conflict(
            f"Event {entry.seq} of {head.org_id} is not the one under the signed head of {head.size} events. "
            f"Run `hq verify --org {head.org_id}`.",
            word="history_broken",
        )
    key_path = services.settings.signing_key_path
    key = signer(open_note(head.note), origin_of(head.org_id), own_keys(key_path))
    if key is None:
        raise Conflict(f"The signed head of {head.size} events of {head.org_id} is signed with no key of ours.")
    rotations = rotations_text(key_path)
    lines = [
        HEAD,
        f"key {base64.b64encode(key).decode()}",
        f'{{"hash":"{entry.hash}","previous":"{entry.previous_hash}","event":{event}}}',
        PROOF,
        f"index {entry.seq - 1}",
        *(base64.b64encode(step).decode() for step in path),
    ]
    return "\n".join(lines) + "\n\n" + head.note + (f"\n{rotations}" if rotations else "")
