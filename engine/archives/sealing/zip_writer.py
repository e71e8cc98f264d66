"""ZIP archives of one shape (APPNOTE 6.3, sections 4.3 and 4.4), written and read back to the last bit.

Files stand in the order of their names, deflated (bytes of evidence stored as they are), with the date 1980-01-01, as
plain files that anybody may read, and with nothing before, between or after them. So an archive is a function of its
files, and a reader that knows them knows every byte but those of their contents: whatever deviates was put there by
somebody else. Beyond 4 GiB the format would need another shape; such archives are refused.
"""

import re
import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import BinaryIO, Protocol

from engine.archives.errors import BrokenArchive

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
LOCAL_MARK, CENTRAL_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
NEEDED, MADE_BY = 20, 3 << 8 | 20  # version 2.0, on a system with modes
STORED, DEFLATED, TIME, DATE = 0, 8, 0, 1 << 5 | 1
MODE = (stat.S_IFREG | 0o644) << 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LEVEL = 4  # seven in a hundred larger than 6, in two thirds of its time
CHUNK = 1 << 20
MOST_BYTES = (1 << 32) - 1
MOST_FILES, MOST_DIRECTORY = 1000, 1 << 20
_READING = Lock()  # two files of an archive may be read side by side
MOST_RATIO, SMALL = 250, 1 << 20  # no file of records shrinks so much, because each record has a hash of its own


@dataclass(frozen=True)
class ZipEntry:
    """A file in an archive: what the headers say of it. ``offset`` is where its own header begins; ``stored``: bytes as
    they are."""

    name: str
    crc: int
    compressed: int
    size: int
    offset: int
    stored: bool = False

    @property
    def method(self) -> int:
        """What the format calls the way in which the bytes are kept."""
        return STORED if self.stored else DEFLATED

    @property
    def start(self) -> int:
        """Where the compressed bytes begin."""
        return self.offset + LOCAL.size + len(self.name)

    @property
    def end(self) -> int:
        """Where the next file begins."""
        return self.start + self.compressed


class CompressedFile(Protocol):
    """A file that is compressed already, or is to stay as it is (``stored``)."""

    @property
    def name(self) -> str: ...
    @property
    def crc(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def compressed(self) -> int: ...
    @property
    def stored(self) -> bool: ...
    def pieces(self) -> Iterator[bytes]:
        """The compressed bytes."""


def write_zip(file: BinaryIO, parts: Sequence[CompressedFile]) -> None:
    """Write an archive of ``parts``, which are in the order of their names. ValueError beyond 4 GiB."""
    entries, offset = [], 0
    for part in parts:
        entry = ZipEntry(part.name, part.crc, part.compressed, part.size, offset, part.stored)
        entries.append(entry)
        offset = entry.end
    if offset + MOST_DIRECTORY + END.size > MOST_BYTES or sum(entry.size for entry in entries) > MOST_BYTES:
        raise ValueError("an archive holds at most 4 GiB")
    directory = b"".join(map(_central, entries))
    for part, entry in zip(parts, entries, strict=True):
        file.write(_local(entry))
        for piece in part.pieces():
            file.write(piece)
    file.write(directory + _end(len(entries), len(directory), offset))


def read_directory(file: BinaryIO) -> list[ZipEntry]:
    """Read the central directory; refuse bytes outside entries."""
    length = file.seek(0, 2)
    file.seek(0)
    if file.read(4) not in (LOCAL_MARK, END_MARK):
        raise BrokenArchive("archive", f"is no ZIP archive ({length:,} bytes)")
    offset, count, directory = _directory(file, length)
    entries: list[ZipEntry] = []
    place = 0
    while place < len(directory):
        entry, place = _next(directory, place)
        _check_entry(entry, entries)
        if directory[place - CENTRAL.size - len(entry.name) : place] != _central(entry):
            raise BrokenArchive(entry.name, "its line in the directory is not as it was written")
        file.seek(entry.offset)
        if file.read(LOCAL.size + len(entry.name)) != _local(entry):
            raise BrokenArchive(entry.name, "its header and its line in the directory differ")
        entries.append(entry)
    ended = entries[-1].end if entries else 0
    if ended != offset:
        raise BrokenArchive("archive", f"between the files and the directory are {offset - ended:,} bytes too many")
    if len(entries) != count:
        raise BrokenArchive("archive", f"its end speaks of {count} files, its directory lists {len(entries)}")
    if sum(entry.size for entry in entries) > MOST_BYTES:
        raise BrokenArchive("archive", "unpacks to more than 4 GiB")
    return entries


def content(file: BinaryIO, entry: ZipEntry) -> Iterator[bytes]:
    """What a file holds, in pieces of bounded size; BrokenArchive when it is not what was put there."""
    if entry.stored:
        yield from _stored_content(file, entry)
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    place, left, crc, size = entry.start, entry.compressed, 0, 0
    try:
        while left:
            with _READING:
                file.seek(place)
                chunk = file.read(min(CHUNK, left - 1) or 1)  # the last byte comes alone
            if not chunk:
                raise BrokenArchive(entry.name, "is cut off")
            place, left = place + len(chunk), left - len(chunk)
            if not left and _has_stray_bits(inflate, chunk):
                raise BrokenArchive(entry.name, "has bits after its end")
            while chunk:
                piece = inflate.decompress(chunk, CHUNK)
                chunk = inflate.unconsumed_tail
                crc, size = zlib.crc32(piece, crc), size + len(piece)
                if size > entry.size:
                    raise BrokenArchive(
                        entry.name, f"unpacks to more than the {entry.size:,} bytes that it should have"
                    )
                if inflate.unused_data or (inflate.eof and left):
                    raise BrokenArchive(entry.name, "has bytes after its end")
                yield piece
        piece = inflate.flush()  # what a full piece left over: less than one match
    except zlib.error as error:
        raise BrokenArchive(entry.name, "is damaged: its bytes cannot be unpacked") from error
    crc, size = zlib.crc32(piece, crc), size + len(piece)
    if not inflate.eof or size != entry.size or crc != entry.crc:
        raise BrokenArchive(
            entry.name,
            f"is damaged: expected {entry.size:,} bytes with the checksum {entry.crc:08x}, "
            f"found {size:,} with {crc:08x}",
        )
    yield piece


def _stored_content(file: BinaryIO, entry: ZipEntry) -> Iterator[bytes]:
    place, left, crc = entry.start, entry.size, 0
    while left:
        with _READING:
            file.seek(place)
            chunk = file.read(min(CHUNK, left))
        if not chunk:
            raise BrokenArchive(entry.name, "is cut off")
        place, left, crc = place + len(chunk), left - len(chunk), zlib.crc32(chunk, crc)
        yield chunk
    if crc != entry.crc:
        raise BrokenArchive(entry.name, f"is damaged: expected the checksum {entry.crc:08x}, found {crc:08x}")


def _has_stray_bits(inflate: "zlib._Decompress", last: bytes) -> bool:
    """Whether the last byte has a bit set that means nothing: without it the file is the same, and ends."""
    if not last[0]:
        return False
    whole, without = inflate.copy(), inflate.copy()
    fewer = bytes([last[0] ^ (1 << (last[0].bit_length() - 1))])
    try:
        return whole.decompress(last) == without.decompress(fewer) and without.eof
    except zlib.error:
        return False


def _directory(file: BinaryIO, length: int) -> tuple[int, int, bytes]:
    """Where the directory begins, how many files its end speaks of, and the directory."""
    file.seek(max(0, length - END.size))
    end = file.read(END.size)
    if len(end) < END.size or not end.startswith(END_MARK):
        raise BrokenArchive(
            "archive", "does not end with its directory: it was cut off, or something was put behind it"
        )
    _, _, _, _, count, size, offset, _ = END.unpack(end)
    if offset + size + END.size != length:
        raise BrokenArchive("archive", f"should have {offset + size + END.size:,} bytes and has {length:,}")
    if count > MOST_FILES or size > MOST_DIRECTORY:
        raise BrokenArchive("archive", f"lists {count:,} files; an archive of ours has at most {MOST_FILES:,}")
    if end != _end(count, size, offset):
        raise BrokenArchive("archive", "its end is not as it was written")
    file.seek(offset)
    return offset, count, file.read(size)


def _next(directory: bytes, place: int) -> tuple[ZipEntry, int]:
    """The entry at ``place`` and where the next one is."""
    header = directory[place : place + CENTRAL.size]
    if len(header) < CENTRAL.size or not header.startswith(CENTRAL_MARK):
        raise BrokenArchive("archive", "its directory cannot be read")
    fields = CENTRAL.unpack(header)
    method, (crc, compressed, size, named) = fields[4], fields[7:11]
    mode, offset = fields[15:17]
    place += CENTRAL.size + named
    name = directory[place - named : place].decode("ascii", "backslashreplace")
    if not NAME.fullmatch(name):
        raise BrokenArchive(repr(name[:100]), "is no name of a file in the archive's own folder")
    if stat.S_ISLNK(mode >> 16):
        raise BrokenArchive(name, "is a link, not a file")
    return ZipEntry(name, crc, compressed, size, offset, method == STORED), place


def _check_entry(entry: ZipEntry, before: Sequence[ZipEntry]) -> None:
    if before and entry.name == before[-1].name:
        raise BrokenArchive(entry.name, "is in the archive twice")
    if before and entry.name < before[-1].name:
        raise BrokenArchive(entry.name, f"stands after {before[-1].name}: files were added or put in another order")
    expected = before[-1].end if before else 0
    if entry.offset != expected:
        raise BrokenArchive(entry.name, f"begins at byte {entry.offset:,} and should begin at {expected:,}")
    if entry.stored and entry.size != entry.compressed:
        raise BrokenArchive(entry.name, f"is stored in {entry.compressed:,} bytes and should have {entry.size:,}")
    if entry.size > max(SMALL, MOST_RATIO * entry.compressed):
        raise BrokenArchive(
            entry.name, f"would unpack from {entry.compressed:,} to {entry.size:,} bytes, which no file of records does"
        )


def _local(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    return (
        LOCAL.pack(
            LOCAL_MARK, NEEDED, 0, entry.method, TIME, DATE, entry.crc, entry.compressed, entry.size, len(name), 0
        )
        + name
    )


def _central(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    return (
        CENTRAL.pack(
            CENTRAL_MARK,
            MADE_BY,
            NEEDED,
            0,
            entry.method,
            TIME,
            DATE,
            entry.crc,
            entry.compressed,
            entry.size,
            len(name),
            0,
            0,
            0,
            0,
            MODE,
            entry.offset,
        )
        + name
    )


def _end(count: int, size: int, offset: int) -> bytes:
    return END.pack(END_MARK, 0, 0, count, count, size, offset, 0)
