"""Stores as a power cut leaves them: the file of the store and its log, cut at the border of a page or within one."""

import shutil
import struct
from pathlib import Path

HEADER, FRAME = 32, 24  # bytes of the log of SQLite before its first page, and before each page


def page_borders(log: Path) -> list[int]:
    """The lengths of a log of SQLite at which a page ends, from none to all of them."""
    data = log.read_bytes()
    (page,) = struct.unpack(">I", data[8:12])
    return list(range(HEADER, len(data) + 1, FRAME + page))


def cut_copy(store: Path, log: Path, folder: Path, length: int) -> Path:
    """A copy of a store whose log has so many bytes."""
    folder.mkdir()
    copy = folder / store.name
    shutil.copy(store, copy)
    copy.with_name(log.name).write_bytes(log.read_bytes()[:length])
    return copy
