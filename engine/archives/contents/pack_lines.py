"""The events of an evidence pack as lines of its CSV: what ``evidence_pack.rows_of`` gives, without frames of them.

An event's tags depend on its action, outcome and own controls alone, so each such kind is tagged and spelled once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from engine.archives.contents.evidence_pack import COLUMNS, EVIDENCE, EvidencePack, tags_of
from engine.render.tables.csv_cells import joined_lines, lines
from engine.store.chain.chain_segments import StoredEvent

MOST_KINDS = 50_000  # that are kept in memory
_EMPTY = "\x1a"  # in place of empty text
_LINE = "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\r\n"
_Kind = tuple[str, str | None, str]


class _Tags(NamedTuple):
    """Control tags and frameworks of a kind of events, and both as two cells of a line."""

    tags: str
    frameworks: str
    text: str
    commas: int
    quotes: int


class _Page(NamedTuple):
    """Rows of the pack, joined; ``kept`` are the events and the hash before each."""

    text: str
    rows: int
    commas: int
    quotes: int
    kept: Sequence[tuple[StoredEvent, str]]
    pack: "PackLines"

    def cells(self) -> Iterator[Sequence[object]]:
        """The same cell by cell."""
        for event, before in self.kept:
            yield self.pack.cells(event, before)


class PackLines:
    """What is known of the kinds of events of a pack."""

    def __init__(self, pack: EvidencePack) -> None:
        self._pack = pack
        self._kinds: dict[_Kind, _Tags] = {}
        self._versions: dict[str | None, int] = dict(pack.versions.iter_rows())

    def of(self, page: Sequence[StoredEvent], before: Iterable[str], since: str) -> tuple[int, bytes]:
        """How many lines a page of events has, and the lines; ``before`` are the hashes before each."""
        kept = [both for both in zip(page, before, strict=True) if both[0][7] >= since]
        self._learn({(event[0], event[2], event[9]) for event, _ in kept})
        joined, commas, quotes = [], 0, 0
        kinds, versions = self._kinds, self._versions
        for event, previous in kept:
            action, actor, controls, _, event_id, object_id, object_type, at, _, outcome, _, _, seq, *_, hash_ = event
            kind = kinds[action, controls, outcome]
            thing = _thing(object_type, object_id)
            proof = object_id if object_type in EVIDENCE else event_id
            commas, quotes = commas + kind.commas, quotes + kind.quotes
            joined.append(
                _LINE
                % (
                    event_id or _EMPTY,
                    at,
                    actor or _EMPTY,
                    action or _EMPTY,
                    thing or "",
                    kind.text,
                    _EMPTY if proof == "" else proof or "",
                    hash_,
                    previous,
                    versions.get(thing, ""),
                    outcome,
                    seq,
                )
            )
        joined_page = _Page("".join(joined), len(kept), commas, quotes, kept, self)
        return len(kept), joined_lines(joined_page, len(COLUMNS))

    def cells(self, event: StoredEvent, previous: str) -> Sequence[object]:
        """The cells of an event's line."""
        action, actor, controls, _, event_id, object_id, object_type, at, _, outcome, _, _, seq, *_, hash_ = event
        kind, thing = self._kinds[action, controls, outcome], _thing(object_type, object_id)
        proof = object_id if object_type in EVIDENCE else event_id
        return (
            event_id,
            at,
            actor,
            action,
            thing,
            kind.tags,
            kind.frameworks,
            proof,
            hash_,
            previous,
            self._versions.get(thing),
            outcome,
            seq,
        )

    def _learn(self, kinds: set[_Kind]) -> None:
        if len(self._kinds) > MOST_KINDS:
            self._kinds.clear()
        new = sorted(kinds - self._kinds.keys(), key=str)
        if not new:
            return
        columns = ("action", "controls", "outcome")
        frame = pl.DataFrame(new, schema=dict.fromkeys(columns, pl.String), orient="row")
        tagged = tags_of(frame, self._pack).select(*columns, "control_tags", "framework")
        for *told, tags, names in tagged.iter_rows():
            both = "; ".join(tags), "; ".join(names)
            text = lines([both]).decode().removesuffix("\r\n")
            self._kinds[told[0], told[1], told[2]] = _Tags(*both, text, text.count(",") - 1, text.count('"'))


def _thing(object_type: str | None, object_id: str | None) -> str | None:
    """What an event was about; None where it says nothing."""
    if object_type is None or object_id is None:
        return object_type or object_id or None
    return f"{object_type}:{object_id}"
