"""Where the newest write to the parts of an organization's records ended."""

from collections.abc import Collection, Mapping

from engine.model.documents.document import Position
from engine.store.log.parts import EVENTS, PERSON_ERASED, part_of


def newest(parts: Collection[str], heads: Mapping[str, Position], head: Position) -> Position:
    """Where the newest write to any of these parts ended, in an organization that stands at ``head``."""
    if EVENTS in parts:
        return head
    return max((heads[part] for part in parts if part in heads), key=lambda position: position.seq, default=head)


def newest_erasure(heads: Mapping[str, Position]) -> int:
    """Where the newest erasure of a person ended; 0 without one. What was computed before may name that person."""
    position = heads.get(part_of(PERSON_ERASED))
    return 0 if position is None else position.seq
