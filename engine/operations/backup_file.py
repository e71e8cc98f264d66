"""The file of a backup: a ZIP archive that any tool opens, with a digest over all of it at its very end.

    tables/<table>.jsonl     a line for each row: an array of values, in the order of the columns in the manifest
    bundles/<org>/<id>.zip   archives as they were sealed
    evidence/<org>/<sha256>  bytes of evidence, as they were taken
    heads/<org>.log          signed heads, up to where the tables stand
    heads/installation.tree  signed heads of the tree over all organizations; its leaves are among the tables
    keys/…                   signing.key, signing.key.rotations, webhook.key, session.secret
    manifest.json            what the others are: name, size, SHA-256, and where every organization's chain stands

The last 64 bytes, the comment of the archive, are the SHA-256 of everything before them in hex: of a file that was cut
off or changed nothing is believed. Encrypted, the whole is in a file of ``age``.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import PurePosixPath
from types import TracebackType
from typing import IO, BinaryIO

import msgspec

from engine.model.errors import InvalidData
from engine.operations.age import DecryptingReader, DecryptionError, Sink, is_encrypted
from engine.store.copy.table_copy import TableColumn

FORMAT, VERSION = "hq-backup", 1
MANIFEST = "manifest.json"
DIGEST = 64
CHUNK = 1 << 20
LEVEL = 4
MOST_MANIFEST, MOST_LINE = 1 << 26, 1 << 27
_NAME = re.compile(r"(tables|bundles|heads|keys|evidence)(/[^/\\\x00-\x1f]{1,230}){1,2}")


class BackupMember(msgspec.Struct, frozen=True):
    """A file in a backup; of a table also its rows, its columns and those of its key."""

    name: str
    size: int
    sha256: str
    rows: int | None = None
    columns: tuple[TableColumn, ...] | None = None
    key: tuple[str, ...] | None = None


class BackupOrganization(msgspec.Struct, frozen=True):
    """Where an organization's chain stands in a backup, and its last signed head."""

    id: str
    seq: int
    hash: str
    signed_head: str | None


class BackupManifest(msgspec.Struct, frozen=True):
    """What a backup says of itself. ``lacking``: archives and evidence that were lost or
    changed before, with a sentence each."""

    format: str
    version: int
    product: str
    schema: str
    engine: str
    made_at: str
    keys: bool
    organizations: tuple[BackupOrganization, ...]
    settings: dict[str, str]
    lacking: dict[str, str]
    members: tuple[BackupMember, ...]


class _Version(msgspec.Struct):
    format: str
    version: int
    product: str = "?"


def refusal(why: str) -> InvalidData:
    """The error of a backup that cannot be used."""
    return InvalidData(f"The backup {why}; nothing was restored.", word="backup_refused")


# -- writing -----------------------------------------------------------------------------------------------------------


class _DigestWriter(io.RawIOBase):
    """Passes on what is written, but for the last 64 bytes: there the digest of the rest comes."""

    def __init__(self, file: Sink) -> None:
        super().__init__()
        self._file, self._digest, self._end = file, sha256(), b""
        self.is_given_up = False

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # whatever has bytes
        all_of_it = self._end + bytes(data)
        self._pass_on(all_of_it[:-DIGEST])
        self._end = all_of_it[-DIGEST:]
        return len(data)

    def finish(self) -> None:
        self._file.write(self._digest.hexdigest().encode())

    def _pass_on(self, data: bytes) -> None:
        if not self.is_given_up:
            self._digest.update(data)
            self._file.write(data)


class MemberWriter:
    """A file of a backup that is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest, self.size, self.rows = sha256(), 0, 0

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        self._file.write(data)
        self.digest.update(data)
        self.size += len(data)


class BackupWriter:
    """A backup that is being written, as a block: its members one after the other, then ``finish``."""

    def __init__(self, file: Sink) -> None:
        self._end = _DigestWriter(file)
        self._zip = zipfile.ZipFile(self._end, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self._members: list[BackupMember] = []

    def __enter__(self) -> "BackupWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.is_given_up = True  # what was not finished never is
        self._zip.close()

    @contextmanager
    def member(
        self, name: str, *, columns: tuple[TableColumn, ...] | None = None, key: tuple[str, ...] | None = None
    ) -> Iterator[MemberWriter]:
        """The next file; an archive and what somebody handed in are kept as they are."""
        plain = name.endswith(".zip") or name.startswith("evidence/")
        with self._zip.open(zipfile.ZipInfo(name) if plain else name, "w", force_zip64=True) as file:
            member_writer = MemberWriter(file)
            yield member_writer
        rows = None if columns is None else member_writer.rows
        self._members.append(
            BackupMember(name, member_writer.size, member_writer.digest.hexdigest(), rows, columns, key)
        )

    def members(self) -> Sequence[BackupMember]:
        """What was written."""
        return self._members

    def finish(self, manifest: BackupManifest) -> None:
        """Say what all of it is, and seal it."""
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        with self._zip.open(MANIFEST, "w") as file:
            file.write(text + b"\n")
        self._zip.comment = b"0" * DIGEST
        self._zip.close()
        self._end.finish()


# -- reading -----------------------------------------------------------------------------------------------------------


class BackupReader:
    """A backup that is whole: its digest was checked, and its directory is what its manifest says."""

    def __init__(self, file: BinaryIO, passphrase: bytes | None) -> None:
        """InvalidData says what does not hold."""
        with unreadable():
            if is_encrypted(file) != (passphrase is not None):
                raise refusal(_OTHERWISE[passphrase is None])
            plain: BinaryIO = file
            if passphrase is not None:
                plain = io.BufferedReader(DecryptingReader(file, passphrase), CHUNK)
            end = _check_digest(plain)
            self._zip = zipfile.ZipFile(plain)
            if self._zip.comment != end:
                raise refusal("has another end than it was written with")
            self.manifest = self._read_manifest()
            self._by_name = {member.name: member for member in self.manifest.members}
            self._check_directory()

    def _read_manifest(self) -> BackupManifest:
        there = self._zip.NameToInfo.get(MANIFEST)
        if there is None or there.file_size > MOST_MANIFEST:
            raise refusal(f"has no {MANIFEST} that could be read")
        text = self._zip.read(there)
        try:
            version = msgspec.json.decode(text, type=_Version)
            if version.format != FORMAT or version.version != VERSION:
                raise refusal(
                    f"is in the format {version.format[:40]} {version.version}, written by version "
                    f"{version.product[:40]}: this version reads {FORMAT} {VERSION}"
                )
            return msgspec.json.decode(text, type=BackupManifest)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise refusal(f"has a {MANIFEST} that is none: {error}") from error

    def _check_directory(self) -> None:
        """Exactly the members that the manifest lists, under names that can only mean a place in a data folder."""
        entries = self._zip.infolist()
        backup_members = [*self.manifest.members, None]
        if len(entries) != len(backup_members):
            raise refusal(f"holds {len(entries)} files, and its manifest speaks of {len(backup_members)}")
        for entry, member in zip(entries, backup_members, strict=True):
            if entry.filename != (MANIFEST if member is None else member.name):
                raise refusal(f"holds {entry.filename[:200]!r} where its manifest has another file")
            if member is not None and (not is_safe(member.name) or entry.orig_filename != entry.filename):
                raise refusal(f"holds a file of the name {entry.filename[:200]!r}, which no backup has")
            if member is not None and entry.file_size != member.size:
                raise refusal(f"has {entry.file_size:,} bytes of {member.name} and not {member.size:,}")
        if len(self._by_name) != len(self.manifest.members):
            raise refusal("has a file twice")

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._by_name

    def pieces(self, name: str) -> Iterator[bytes]:
        """What a file holds; InvalidData in the end, or before, where it is not what was written."""
        member, digest, size = self._by_name[name], sha256(), 0
        with unreadable(name), self._zip.open(name) as file:
            while piece := file.read(CHUNK):
                size += len(piece)
                if size > member.size:
                    break
                digest.update(piece)
                yield piece
        if size != member.size or digest.hexdigest() != member.sha256:
            raise refusal(f"is damaged: {name} is not the file that was written")

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file, each without its end."""
        rest = b""
        for piece in self.pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            if len(rest) > MOST_LINE:
                raise refusal(f"has a line in {name} that no backup has")
            yield from whole
        if rest:
            raise refusal(f"has a {name} without an end")


_OTHERWISE = {
    True: "is encrypted: name the file that holds its passphrase with --passphrase-file",
    False: "is not encrypted, though a passphrase was given: leave out --passphrase-file if that is as it should be",
}


@contextmanager
def unreadable(name: str = "") -> Iterator[None]:
    """Whatever the libraries say of a file that is not as it was written, as one sentence."""
    try:
        yield
    except DecryptionError as error:
        raise refusal(str(error)) from error
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        zlib.error,
    ) as error:
        raise refusal(f"cannot be read{name and f' at {name}'}: {error}") from error


def is_safe(name: str) -> bool:
    """Whether a name can only mean a place below a data folder."""
    return _NAME.fullmatch(name) is not None and str(PurePosixPath(name)) == name and ".." not in name.split("/")


def _check_digest(file: BinaryIO) -> bytes:
    """The last 64 bytes, once the rest is found to be what they say."""
    length = file.seek(0, io.SEEK_END)
    file.seek(0)
    digest, left = sha256(), max(0, length - DIGEST)
    while left and (piece := file.read(min(CHUNK, left))):
        digest.update(piece)
        left -= len(piece)
    end = file.read(DIGEST)
    if end != digest.hexdigest().encode():
        raise refusal("is damaged, cut off, or no backup: the digest at its end is not that of its content")
    return end
