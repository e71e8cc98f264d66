"""Cosignatures of witnesses: somebody outside signs that they saw a head, and that it continues what they saw before.

A witness is known by its key in SVC_WITNESS_KEYS (a ``vkey``). What it signed is taken as a whole note with its line,
or as the line alone, and is kept beside the head.
"""

from collections.abc import Sequence
from hashlib import sha256

from engine.model.checkpoints import (
    NoteSignature,
    WitnessKey,
    cosigned_at,
    decode_base64,
    open_note,
    read_signature,
    read_witness_key,
)
from engine.model.errors import BadRequest, Conflict
from engine.runtime.heads.signed_heads import SignedHead, of_row
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.history import signed_heads as queries
from engine.store.schema.records import SignedHeadRow

LOOKED_AT = 1_000  # heads that a line alone may belong to, the newest ones


def record_cosignatures(services: Services, org_id: str, given: str) -> SignedHead:
    """Keep what witnesses signed beside the head that it belongs to; that head, with all that is kept beside it.

    BadRequest for what is no cosignature of a known witness, or of a head that was not signed here; nothing is kept
    then.
    """
    witnesses = trusted_witnesses(services.settings)
    if not witnesses:
        raise _refusal("no witness is known: set SVC_WITNESS_KEYS to their vkeys")
    with services.store.reader() as connection:
        rows = queries.latest(connection, org_id, LOOKED_AT)
    try:
        row, lines = _match_head(rows, given, witnesses)
    except ValueError as error:
        raise _refusal(f"it {error}") from error
    kept = {}
    for one in [*_stored_lines(row), *lines]:
        kept[one.name, one.key_id] = one  # a later one of the same witness takes the place of an earlier one
    text = "".join(one.line() for one in kept.values())
    with services.store.unversioned_transaction() as connection:
        queries.attach(connection, org_id, row["seq"], cosignatures=text)
    return of_row({**row, "cosignatures": text})


def trusted_witnesses(settings: Settings) -> list[WitnessKey]:
    """The witnesses whose lines are taken."""
    return [read_witness_key(vkey) for vkey in settings.witness_keys]


def must_hold_beside(row: SignedHeadRow, witnesses: Sequence[WitnessKey]) -> None:
    """What is kept beside a signed head is of it: lines of known witnesses, a time stamp over its note. ValueError.

    Of a witness that is not known any more nothing can be said, nor of the authority that stamped.
    """
    text = open_note(row["note"]).text
    for one in _lines(row["cosignatures"] or ""):
        mine = [each for each in witnesses if (each.name, each.key_id) == (one.name, one.key_id)]
        if mine and not _is_cosigned(text, one, mine):
            raise ValueError(f"has a line of {one.name} beside it that this witness did not sign over it")
    stamp = row["time_stamp"]
    if stamp is not None and sha256(row["note"].encode()).digest() not in decode_base64(stamp):
        raise ValueError("has a time stamp beside it that is of another head")


def _stored_lines(row: SignedHeadRow) -> list[NoteSignature]:
    try:
        return _lines(row["cosignatures"] or "")
    except ValueError as error:
        raise Conflict(
            f"What is kept beside the signed head of {row['seq']} events of {row['org_id']} {error}. Run `hq verify "
            f"--org {row['org_id']}`.",
            word="heads_broken",
        ) from error


def _match_head(
    rows: Sequence[SignedHeadRow], given: str, witnesses: Sequence[WitnessKey]
) -> tuple[SignedHeadRow, list[NoteSignature]]:
    """The head that was cosigned, and the lines of witnesses. ValueError."""
    if "\n\n" not in given:
        lines = _lines(given)
        for row in rows:
            if lines and all(_is_cosigned(open_note(row["note"]).text, one, witnesses) for one in lines):
                return row, lines
        raise ValueError("holds no cosignature of a known witness over a head that was signed here")
    note = open_note(given)
    for row in rows:
        own = open_note(row["note"])
        if own.text == note.text:
            lines = [one for one in note.signatures if one not in own.signatures]
            for one in lines:
                if not _is_cosigned(note.text, one, witnesses):
                    raise ValueError(f"has a line of {one.name} that no known witness signed over its head")
            if not lines:
                raise ValueError("has no cosignature")
            return row, lines
    raise ValueError("is of a head that was not signed here")


def _is_cosigned(text: str, one: NoteSignature, witnesses: Sequence[WitnessKey]) -> bool:
    return any(cosigned_at(text, one, witness) is not None for witness in witnesses)


def _lines(text: str) -> list[NoteSignature]:
    *lines, rest = text.split("\n")
    if rest:
        raise ValueError(f"has {rest[:80]!r} without an end of line among the lines of witnesses")
    return [read_signature(line) for line in lines]


def _refusal(why: str) -> BadRequest:
    return BadRequest(f"The cosignature is refused: {why}.", word="no_cosignature")
