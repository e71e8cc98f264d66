"""An archive that another program packed: its files are read all the same, to say which of them were changed.

That it was packed again is a break in itself: only an archive of one shape is the one that was sealed. So what is read
here answers one question, and nothing that is large or damaged is read on.
"""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

from engine.archives.errors import BrokenArchive
from engine.archives.sealing.zip_writer import CHUNK, MOST_FILES, NAME

UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)


class RepackedFile:
    """A file in such an archive. ``size`` is what its directory says of it."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self._archive = archive
        self._info = info
        self.size = info.file_size

    def pieces(self) -> Iterator[bytes]:
        """What it holds, up to the size that was said; BrokenArchive when it cannot be read or goes on."""
        left = self.size
        try:
            with closing(self._archive.open(self._info)) as source:
                while piece := source.read(CHUNK):
                    left -= len(piece)
                    if left < 0:
                        raise BrokenArchive(self._info.filename, f"unpacks to more than its {self.size:,} bytes")
                    yield piece
        except UNREADABLE as error:  # RuntimeError: encrypted, or packed in a way that is not known here
            raise BrokenArchive(self._info.filename, "is damaged: its bytes cannot be unpacked") from error


def read_repacked(file: BinaryIO) -> dict[str, RepackedFile]:
    """Its files by name; none where it is no archive, or one that no tool for archives would make of ours."""
    try:
        archive = zipfile.ZipFile(file)
    except UNREADABLE:
        return {}
    files = [info for info in archive.infolist() if not info.filename.endswith("/")]
    names = {info.filename for info in files}
    if len(files) > MOST_FILES or len(names) < len(files) or not all(map(NAME.fullmatch, names)):
        return {}
    return {info.filename: RepackedFile(archive, info) for info in files}
