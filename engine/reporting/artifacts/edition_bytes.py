"""A report's edition as bytes, kept beside its artifacts: any format is rendered of them without a record being read.

Bytes may come from a bucket that others write to. So nothing is named in them but the content's own classes, made by
their constructors, and frames as Arrow IPC; whatever else is named is refused. A name gives what calls the class and
never the class itself, on which bytes could set members.
"""

import io
import pickle
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from functools import partial
from types import MappingProxyType
from typing import Any

import polars as pl

from engine.model.documents.document import (
    Alarm,
    CalendarEvent,
    Chart,
    ChartMark,
    Coverage,
    Document,
    Edition,
    Organization,
    Position,
    Table,
)
from engine.model.documents.heat import HeatScale
from engine.model.documents.pictures import (
    CalendarPicture,
    GraphPicture,
    GraphPoint,
    LaneSpan,
    MatrixPicture,
    TimelinePicture,
    TrendLine,
    TrendPicture,
)
from engine.model.documents.story import BoardStory, StoryDecision, StoryMark

_CONTENT = (
    *(Alarm, BoardStory, CalendarEvent, CalendarPicture, Chart, ChartMark, Coverage, Document, Edition, GraphPicture),
    *(GraphPoint, HeatScale, LaneSpan, MatrixPicture, Organization, Position, StoryDecision, StoryMark, Table),
    *(TimelinePicture, TrendLine, TrendPicture, date, datetime, time, timedelta, timezone, dict),
)
# what reading other bytes may raise
_UNREADABLE = (
    *(pickle.UnpicklingError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException, EOFError, TypeError),
    *(ValueError, AttributeError, ArithmeticError, LookupError),
)
_LEVEL = 1  # of zlib: the frames of a page are small, and half of what is left is texts


def edition_bytes(edition: Edition) -> bytes:
    """What ``edition_from`` reads. TypeError names a class that no document may hold.

    Equal editions may have different bytes, as frames lie in memory; whatever is rendered of them is the same.
    """
    written = io.BytesIO()
    _Writer(written, protocol=pickle.HIGHEST_PROTOCOL).dump(edition)
    return zlib.compress(written.getvalue(), _LEVEL)


def edition_from(data: bytes) -> Edition:
    """The edition whose bytes these are. ValueError for others, and for those that name what no document holds."""
    try:
        edition = _Reader(io.BytesIO(zlib.decompress(data))).load()
    except _UNREADABLE as error:
        raise ValueError(f"These are not the bytes of an edition: {error}.") from error
    if not isinstance(edition, Edition):
        raise ValueError(f"These are the bytes of {type(edition).__name__}, not of an edition.")
    return edition


def _frame(data: bytes) -> pl.DataFrame:
    return pl.read_ipc(io.BytesIO(data))


_NAMED = {(one.__module__, one.__qualname__): one for one in (*_CONTENT, _frame)}


class _Writer(pickle.Pickler):
    def reducer_override(self, given: Any) -> Any:  # what pickle asks for differs by class
        """Frames as Arrow IPC, content by its fields: what was worked out of them and is remembered stays behind."""
        if isinstance(given, pl.DataFrame):
            written = io.BytesIO()
            given.write_ipc(written)
            return _frame, (written.getvalue(),)
        if is_dataclass(given) and not isinstance(given, type):
            _check(type(given))
            return type(given), tuple(getattr(given, one.name) for one in fields(given))
        if isinstance(given, MappingProxyType):
            return dict, (dict(given),)
        if isinstance(given, str | tuple):  # an alarm, a mark: of a class of its own
            _check(type(given))
            return type(given), (str(given),) if isinstance(given, str) else tuple(given)
        if not isinstance(given, type) and not callable(given):
            _check(type(given))
        return NotImplemented


def _check(kind: type) -> None:
    if (kind.__module__, kind.__qualname__) not in _NAMED:
        raise TypeError(f"A document holds a {kind.__module__}.{kind.__qualname__}, of which nothing can be kept.")


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable[..., object]:
        """What makes an object of the class of that name; UnpicklingError for one that no document holds."""
        found = _NAMED.get((module, name))
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} is named in them")
        return partial(found)
