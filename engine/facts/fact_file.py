"""Facts as bytes, so that a process that starts goes on where the one before it was.

Of each fact: its frame as Arrow IPC, and what it was computed from: other frames here by their place, anything else by
its stamp. Nothing of what they say is trusted for being here: a fact is taken where it was computed from what there is.
"""

import io
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec
import polars as pl

from engine.facts.continuations import ScannedTo
from engine.facts.memory import FactMemory, Source, Stamp
from engine.model.documents.document import Position

_Given: TypeAlias = tuple[Source, ...]
_Sources: TypeAlias = list[int | bytes]


class _Fact(msgspec.Struct, array_like=True):
    name: str
    sources: _Sources
    frame: int


class _Scan(msgspec.Struct, array_like=True):
    """A scan that goes on from a place in the chain."""

    name: str
    sources: _Sources
    frame: int
    seq: int
    hash: str


class _Memory(msgspec.Struct, array_like=True):
    period: int
    facts: list[_Fact]
    scans: list[_Scan]


class _File(msgspec.Struct, array_like=True):
    frames: list[bytes]
    memories: list[_Memory]


# what reading other bytes may raise
_UNREADABLE = (msgspec.MsgspecError, pl.exceptions.PolarsError, pl.exceptions.PanicException, IndexError, ValueError)


def facts_bytes(memories: Mapping[int, FactMemory]) -> bytes:
    """What ``facts_from`` reads: the facts by their period. A fact that was computed from what is gone is left out."""
    frames: dict[int, tuple[int, pl.DataFrame]] = {}  # by identity: place and frame
    every = [(period, memory.items(), memory.scanned.items()) for period, memory in memories.items()]
    for _, facts, scans in every:
        for frame in (*(frame for _, _, frame in facts), *(scan.frame for _, _, scan in scans)):
            frames.setdefault(id(frame), (len(frames), frame))
    places = {key: place for key, (place, _) in frames.items()}
    memory_parts = [_Memory(period, _facts(facts, places), _scans(scans, places)) for period, facts, scans in every]
    return msgspec.msgpack.encode(_File([_ipc(frame) for _, frame in frames.values()], memory_parts))


def facts_from(data: bytes) -> dict[int, FactMemory]:
    """The facts by their period. ValueError for bytes of anything else."""
    try:
        file = msgspec.msgpack.decode(data, type=_File)
        frames = [pl.read_ipc_stream(io.BytesIO(one)) for one in file.frames]
        memories = {}
        for one in file.memories:
            memory = memories[one.period] = FactMemory()
            for fact in one.facts:
                memory.put(fact.name, _sources(fact.sources, frames), frames[fact.frame])
            for scan in one.scans:
                scanned = ScannedTo(Position(scan.seq, scan.hash), frames[scan.frame])
                memory.scanned.put(scan.name, _sources(scan.sources, frames), scanned)
            memory.news = 0
        return memories
    except _UNREADABLE as error:
        raise ValueError(f"These are not the bytes of facts: {error}.") from error


def _ipc(frame: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    frame.write_ipc_stream(written, compression="lz4")
    return written.getvalue()


def _facts(facts: Iterable[tuple[Hashable, _Given, pl.DataFrame]], places: Mapping[int, int]) -> list[_Fact]:
    return [
        _Fact(str(name), _places_of(sources, places), places[id(frame)])
        for name, sources, frame in facts
        if _is_here(sources, places)
    ]


def _scans(scans: Iterable[tuple[Hashable, _Given, ScannedTo]], places: Mapping[int, int]) -> list[_Scan]:
    return [
        _Scan(str(name), _places_of(sources, places), places[id(to.frame)], to.position.seq, to.position.hash)
        for name, sources, to in scans
        if _is_here(sources, places)
    ]


def _is_here(sources: Iterable[Source], places: Mapping[int, int]) -> bool:
    return all(id(source) in places for source in sources if isinstance(source, pl.DataFrame))


def _places_of(sources: Iterable[Source], places: Mapping[int, int]) -> _Sources:
    return [places[id(one)] if isinstance(one, pl.DataFrame) else Stamp.of(one).digest for one in sources]


def _sources(sources: _Sources, frames: Sequence[pl.DataFrame]) -> tuple[Source, ...]:
    return tuple(Stamp(one) if isinstance(one, bytes) else frames[one] for one in sources)
