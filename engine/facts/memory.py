"""What was computed before, and what it was computed from: what did not change is not computed again.

Frames are told apart by identity. One that comes out equal to the one before *is* the one before, so whatever rests on
it stays as it is, too (early cutoff). What is remembered is never visible: from scratch comes the same.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, TypeAlias, TypeVar

import polars as pl
import polars.selectors as cs

from engine.facts.continuations import ScannedTo

T = TypeVar("T")
ALL_FACTS = 1_000  # more than there are
Source: TypeAlias = object
"""A frame that something was computed from, or a value that says what else it follows from."""


@dataclass(frozen=True)
class Stamp:
    """What is left of a value that was a source, where another process remembered it."""

    digest: bytes

    @classmethod
    def of(cls, source: Source) -> "Stamp":
        return source if isinstance(source, Stamp) else cls(sha256(repr(source).encode()).digest())


class FactCache(Generic[T]):
    """The last value under each key, with its sources; of ``limit`` keys at most those used last. For many threads."""

    def __init__(self, limit: int) -> None:
        self.news = 0  # values that were put here
        self._limit = limit
        self._kept: OrderedDict[Hashable, tuple[tuple[Source, ...], T]] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, key: Hashable, sources: tuple[Source, ...]) -> T | None:
        """The value, if it was computed from these very sources."""
        with self._guard:
            found = self._kept.get(key)
            if found is None or not _same_sources(found[0], sources):
                return None
            self._kept.move_to_end(key)
            return found[1]

    def get_or_make(self, key: Hashable, sources: tuple[Source, ...], make: Callable[[], T]) -> T:
        """The value, made now if it was not computed from these very sources."""
        found = self.get(key, sources)
        if found is None:
            found = make()
            self.put(key, sources, found)
        return found

    def last(self, key: Hashable) -> T | None:
        """The value, whatever it was computed from."""
        found = self._kept.get(key)
        return None if found is None else found[1]

    def __len__(self) -> int:
        return len(self._kept)

    def items(self) -> list[tuple[Hashable, tuple[Source, ...], T]]:
        """All that is remembered: key, sources and value."""
        with self._guard:
            return [(key, sources, value) for key, (sources, value) in self._kept.items()]

    def put(self, key: Hashable, sources: tuple[Source, ...], value: T) -> None:
        """Remember it instead of the one before."""
        with self._guard:
            self.news += 1
            self._kept[key] = sources, value
            self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)


class FactMemory(FactCache[pl.DataFrame]):
    """Facts and scans of one question, by name."""

    def __init__(self, limit: int = ALL_FACTS) -> None:
        super().__init__(limit)
        self.scanned = FactCache[ScannedTo](limit)  # scans that go on from there

    def settle(self, key: Hashable, sources: tuple[Source, ...], frame: pl.DataFrame) -> pl.DataFrame:
        """Remember a frame that was computed now; returns the one before where that says the same."""
        before = self.last(key)
        settled = frame if before is None or not same_content(before, frame) else before
        self.put(key, sources, settled)
        return settled


class DerivedMemory(FactCache[Any]):
    """What functions make of facts for reports: frames most of the time."""

    def recall(self, key: Hashable, sources: tuple[Source, ...], make: Callable[[], Any]) -> Any:
        """What was made of these very sources, else what ``make`` gives now: the one before where both are frames that
        say the same."""
        frame = self.get(key, sources)
        if frame is None:
            frame, before = make(), self.last(key)
            if isinstance(frame, pl.DataFrame) and isinstance(before, pl.DataFrame) and same_content(before, frame):
                frame = before
            self.put(key, sources, frame)
        return frame


def same_content(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two frames are equal to the last bit: rows in order, types, and the sign of a zero."""
    if one.schema != other.schema or not one.equals(other, null_equal=True):
        return False
    floats = [name for name, kind in one.schema.items() if kind.is_float()]
    if not floats or not (_may_have_signed_zero(one) or _may_have_signed_zero(other)):
        return True
    return all((1 / one[name]).equals(1 / other[name], null_equal=True) for name in floats)


def _may_have_signed_zero(frame: pl.DataFrame) -> bool:
    """Whether a cell is the zero below zero, which is rare, or so near to it that its inverse is infinite."""
    return -math.inf in frame.select((1 / cs.float()).min().name.keep()).row(0)


def _same_sources(before: tuple[Source, ...], now: tuple[Source, ...]) -> bool:
    return len(before) == len(now) and all(map(_same_source, before, now))


def _same_source(before: Source, now: Source) -> bool:
    if isinstance(before, pl.DataFrame) or isinstance(now, pl.DataFrame):
        return before is now
    return before == (Stamp.of(now) if isinstance(before, Stamp) else now)
