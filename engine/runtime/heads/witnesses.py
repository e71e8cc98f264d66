"""Cosignatures of witnesses: somebody outside signs that they saw a head, and that it continues what they saw before.

A witness is known by its key in SVC_WITNESS_KEYS (a ``vkey``). What it signed is taken as a whole note with its line,
or as the line alone, and is kept beside an organization's head, and under that of the installation's tree.
"""

from collections.abc import Sequence
from hashlib import sha256

from engine.model.checkpoints import (
    NoteSignature,
    SignedNote,
    WitnessKey,
    cosigned_at,
    decode_base64,
    open_note,
    read_signature,
    read_witness_key,
)
from engine.model.errors import BadRequest, Conflict
from engine.model.records import SignedHeadRow
from engine.runtime.heads.installation import InstallationHead, tree_path
from engine.runtime.heads.signed_heads import SignedHead, append_note, of_row
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.history import installation
from engine.store.queries.history import signed_heads as queries

LOOKED_AT = 1_000  # heads that a line alone may belong to, the newest ones


def record_cosignatures(services: Services, org_id: str, given: str) -> SignedHead:
    """Keep what witnesses signed beside the head that it belongs to; that head, with all that is kept beside it.

    BadRequest for what is no cosignature of a known witness, or of a head that was not signed here; nothing is kept
    then.
    """
    witnesses = _witnesses_or_refusal(services.settings)
    with services.store.reader() as connection:
        rows = queries.latest(connection, org_id, LOOKED_AT)
    place, lines = _match_head([row["note"] for row in rows], given, witnesses)
    row = rows[place]
    text = "".join(one.line() for one in _latest_of_each([*_stored_lines(row), *lines]))
    with services.store.unversioned_transaction() as connection:
        queries.attach(connection, org_id, row["seq"], cosignatures=text)
    return of_row({**row, "cosignatures": text})


def record_installation_cosignatures(services: Services, given: str) -> InstallationHead:
    """Keep what witnesses signed under the head of the installation's tree that it belongs to; that head.

    BadRequest as for an organization's; nothing is kept then.
    """
    witnesses = _witnesses_or_refusal(services.settings)
    with services.store.unversioned_transaction() as connection:
        rows = installation.signed(connection)[: -LOOKED_AT - 1 : -1]
        place, lines = _match_head([row["note"] for row in rows], given, witnesses)
        ours, *before = open_note(rows[place]["note"]).signatures
        text = open_note(rows[place]["note"]).text
        note = str(SignedNote(text, (ours, *_latest_of_each([*before, *lines]))))
        installation.replace_note(connection, rows[place]["size"], note)
    append_note(tree_path(services.settings), note)
    return InstallationHead(rows[place]["size"], note, new=False)


def _witnesses_or_refusal(settings: Settings) -> list[WitnessKey]:
    witnesses = trusted_witnesses(settings)
    if not witnesses:
        raise _refusal("no witness is known: set SVC_WITNESS_KEYS to their vkeys")
    return witnesses


def _latest_of_each(lines: Sequence[NoteSignature]) -> list[NoteSignature]:
    """A later line of a witness takes the place of an earlier one."""
    return list({(one.name, one.key_id): one for one in lines}.values())


def trusted_witnesses(settings: Settings) -> list[WitnessKey]:
    """The witnesses whose lines are taken."""
    return [read_witness_key(vkey) for vkey in settings.witness_keys]


def must_hold_beside(row: SignedHeadRow, witnesses: Sequence[WitnessKey]) -> None:
    """What is kept beside a signed head is of it: lines of known witnesses, a time stamp over its note. ValueError.

    Of a witness that is not known any more nothing can be said, nor of the authority that stamped.
    """
    must_be_cosigned(open_note(row["note"]).text, _lines(row["cosignatures"] or ""), witnesses)
    stamp = row["time_stamp"]
    if stamp is not None and sha256(row["note"].encode()).digest() not in decode_base64(stamp):
        raise ValueError("has a time stamp beside it that is of another head")


def must_be_cosigned(text: str, lines: Sequence[NoteSignature], witnesses: Sequence[WitnessKey]) -> None:
    """No line is of a known witness that did not sign this text. ValueError."""
    for one in lines:
        mine = [each for each in witnesses if (each.name, each.key_id) == (one.name, one.key_id)]
        if mine and not _is_cosigned(text, one, mine):
            raise ValueError(f"has a line of {one.name} beside it that this witness did not sign over it")


def is_cosigned(note: str, witnesses: Sequence[WitnessKey]) -> bool:
    """Whether one of the witnesses signed that it saw the head of a note. What is no note was signed by nobody."""
    try:
        opened = open_note(note)
    except ValueError:
        return False
    return any(_is_cosigned(opened.text, one, witnesses) for one in opened.signatures)


def _stored_lines(row: SignedHeadRow) -> list[NoteSignature]:
    try:
        return _lines(row["cosignatures"] or "")
    except ValueError as error:
        raise Conflict(
            f"What is kept beside the signed head of {row['seq']} events of {row['org_id']} {error}. Run `hq verify "
            f"--org {row['org_id']}`.",
            word="heads_broken",
        ) from error


def _match_head(notes: Sequence[str], given: str, witnesses: Sequence[WitnessKey]) -> tuple[int, list[NoteSignature]]:
    """Which head was cosigned, and the lines of witnesses. BadRequest."""
    try:
        return _match(notes, given, witnesses)
    except ValueError as error:
        raise _refusal(f"it {error}") from error


def _match(notes: Sequence[str], given: str, witnesses: Sequence[WitnessKey]) -> tuple[int, list[NoteSignature]]:
    if "\n\n" not in given:
        lines = _lines(given)
        for place, head in enumerate(notes):
            if lines and all(_is_cosigned(open_note(head).text, one, witnesses) for one in lines):
                return place, lines
        raise ValueError("holds no cosignature of a known witness over a head that was signed here")
    note = open_note(given)
    for place, head in enumerate(notes):
        own = open_note(head)
        if own.text == note.text:
            lines = [one for one in note.signatures if one != own.signatures[0]]
            for one in lines:
                if not _is_cosigned(note.text, one, witnesses):
                    raise ValueError(f"has a line of {one.name} that no known witness signed over its head")
            if not lines:
                raise ValueError("has no cosignature")
            return place, lines
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
