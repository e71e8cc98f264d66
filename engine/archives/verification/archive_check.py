"""Checking an archive without unpacking it: nothing is written, memory is bounded, the first broken thing is named."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

import msgspec

from engine.archives.errors import BrokenArchive
from engine.archives.sealing import dsse, manifest
from engine.archives.sealing.manifest import HEAD, HEADS, INSTALLATION, LOG, ROTATIONS
from engine.archives.sealing.zip_writer import ZipEntry, content, read_directory
from engine.archives.verification import verify
from engine.archives.verification.chain_lines import check_chain
from engine.archives.verification.other_zips import read_repacked
from engine.model import merkle
from engine.runtime.keys import signing_keys as keys

VERSION = "1"  # of the rules below
SMALL = 16 * 1024 * 1024


@dataclass(frozen=True)
class FileCheck:
    """What became of one file: ``status`` is ok, missing, modified or extra."""

    name: str
    status: str
    expected: str | None
    found: str | None


@dataclass
class ArchiveCheck:
    """What a check found. It is ok when nothing is in ``problems``; the first one is what to look at first."""

    problems: list[BrokenArchive] = field(default_factory=list)
    statement: manifest.Statement | None = None
    manifest_sha256: str | None = None
    signature_ok: bool = False
    root_ok: bool = False
    sums_ok: bool = False
    chain_ok: bool | None = None
    head_ok: bool | None = None
    files: list[FileCheck] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def problem(self) -> str | None:
        """The first broken thing and where it is."""
        return str(self.problems[0]) if self.problems else None


def check_archive(path: Path, *, key_id: str | None = None) -> ArchiveCheck:
    """Check everything in the archive at ``path``. ``key_id``: fingerprint, or its beginning, of the key that must have
    signed it. OSError when the file cannot be read."""
    check = ArchiveCheck()
    with path.open("rb") as file:
        try:
            _check(file, check, key_id)
        except BrokenArchive as broken:
            check.problems.append(broken)
    return check


class ArchiveMember(Protocol):
    """A file in an archive, however it is packed. ``size`` is what the archive says of it."""

    @property
    def size(self) -> int: ...
    def pieces(self) -> Iterator[bytes]:
        """What it holds; BrokenArchive where it is not what it should be."""


@dataclass(frozen=True)
class _PackFile:
    """A file in an archive of our shape."""

    file: BinaryIO
    entry: ZipEntry

    @property
    def size(self) -> int:
        return self.entry.size

    def pieces(self) -> Iterator[bytes]:
        return content(self.file, self.entry)


Members: TypeAlias = Mapping[str, ArchiveMember]


def _check(file: BinaryIO, check: ArchiveCheck, key_id: str | None) -> None:
    """All of it. Where the archive is not of our shape its files are looked at first, to name those that changed."""
    try:
        members: Members = {entry.name: _PackFile(file, entry) for entry in read_directory(file)}
    except BrokenArchive as broken:
        others = read_repacked(file)
        try:
            if manifest.MANIFEST in others:
                _check_members(others, check, key_id)
        except BrokenArchive as inside:
            check.problems.append(inside)
        check.problems.append(broken)
        return
    _check_members(members, check, key_id)


def _check_members(members: Members, check: ArchiveCheck, key_id: str | None) -> None:
    payload = _small(members, manifest.MANIFEST)
    check.manifest_sha256 = hashlib.sha256(payload).hexdigest()
    try:
        check.statement = made = manifest.read_statement(payload)
    except ValueError as error:
        raise BrokenArchive(manifest.MANIFEST, str(error)) from error
    try:
        _check_signature(members, payload, made.predicate.key_id, key_id)
        check.signature_ok = True
    except BrokenArchive as broken:
        check.problems.append(broken)
    history = _history(members, made.predicate, check)
    tree = None if history is None else verify.Frontier(history.before.size, history.before.parts)
    _each_checked(members, made.predicate, check, tree)
    if history is not None and tree is not None:
        if made.predicate.events is None and tree.size < made.predicate.revision.seq:
            tree.add(bytes.fromhex(made.predicate.revision.hash))
        try:
            history.check(tree)
            check.head_ok = True
        except verify.Broken as broken:
            check.problems.append(BrokenArchive(broken.where, broken.problem))
    known = {listed.path for listed in made.predicate.files} | set(manifest.UNLISTED)
    for name in members:
        if name not in known:
            check.files.append(FileCheck(name, "extra", None, None))
            check.problems.append(BrokenArchive(name, "is in the archive and not in the manifest"))
    _check_tree(made, check)
    _check_sums(members, check)


def _check_signature(members: Members, payload: bytes, stated: str, wanted: str | None) -> None:
    """The envelope holds the manifest, and the key beside it, which the manifest names, signed it."""
    pem = _small(members, manifest.KEY)
    try:
        public = keys.public_key(pem)
    except ValueError as error:
        raise BrokenArchive(manifest.KEY, str(error)) from error
    key_id = keys.key_id(public)
    try:
        envelope = dsse.open_envelope(_small(members, manifest.ENVELOPE))
    except ValueError as error:
        raise BrokenArchive(manifest.ENVELOPE, str(error)) from error
    if envelope.payload != payload:
        raise BrokenArchive(manifest.ENVELOPE, f"holds another manifest than {manifest.MANIFEST}")
    if key_id != stated or envelope.key_id != stated:
        raise BrokenArchive(
            manifest.KEY, f"is not the key that the manifest names: expected {stated[:100]}, found {key_id}"
        )
    if not dsse.is_signed_by(envelope, public):
        raise BrokenArchive(manifest.ENVELOPE, f"its signature is not that of {manifest.KEY}")
    if wanted is not None and not key_id.startswith(wanted.lower()):
        raise BrokenArchive(manifest.KEY, f"is another key: expected {wanted}, found {key_id}")


def _history(members: Members, predicate: manifest.Predicate, check: ArchiveCheck) -> verify.History | None:
    """The signed head and its proofs, where the archive has them and they hold."""
    if not {HEAD, HEADS} & (listed := {file.path for file in predicate.files}):
        return None
    check.head_ok = False
    try:
        known = [keys.public_key(_small(members, manifest.KEY)).public_bytes_raw()]
        if ROTATIONS in listed:
            known = verify.read_rotations(ROTATIONS, _small(members, ROTATIONS).decode(), known[0])
        note, proofs = _small(members, HEAD), _small(members, HEADS)
        about = msgspec.to_builtins(predicate)
        if INSTALLATION in listed:
            text = _small(members, INSTALLATION).decode()
            verify.check_installation(text, about["organization"]["id"], about["revision"], known, dsse.is_signature)
        return verify.History(note, proofs, about, known, dsse.is_signature)
    except ValueError as error:  # a key that is none is told elsewhere
        check.problems += [BrokenArchive(ROTATIONS, "is not UTF-8")] * isinstance(error, UnicodeDecodeError)
    except (verify.Broken, BrokenArchive) as broken:
        check.problems.append(BrokenArchive(broken.where, broken.problem))
    return None


def _each_checked(
    members: Members, predicate: manifest.Predicate, check: ArchiveCheck, tree: verify.Frontier | None
) -> None:
    """Every file that is listed: the audit log here, the others on a thread beside it."""
    with ThreadPoolExecutor(1, "check") as thread:
        checks: list[Callable[[], tuple[FileCheck, BrokenArchive | None]]] = []
        for listed in predicate.files:
            member = members.get(listed.path)
            if listed.path == LOG and predicate.events is not None:
                checks.append(partial(_check_log, member, listed, predicate.events, predicate.revision, check, tree))
            else:
                checks.append(thread.submit(_check_member, member, listed).result)
        for one in checks:
            file_check, broken = one()
            check.files.append(file_check)
            check.problems += [broken] if broken else []


def _check_log(
    member: ArchiveMember | None,
    listed: manifest.File,
    events: manifest.EventRange,
    revision: manifest.ManifestRevision,
    check: ArchiveCheck,
    tree: verify.Frontier | None,
) -> tuple[FileCheck, BrokenArchive | None]:
    """The audit log against its line in the manifest and against itself, in the same pass."""

    def read(pieces: Iterator[bytes]) -> None:
        check.chain_ok = False
        check_chain(pieces, events, revision, tree)
        check.chain_ok = True

    return _check_member(member, listed, read)


def _drain(pieces: Iterator[bytes]) -> None:
    for _ in pieces:
        pass


def _check_member(
    member: ArchiveMember | None, listed: manifest.File, read: Callable[[Iterator[bytes]], None] = _drain
) -> tuple[FileCheck, BrokenArchive | None]:
    """One file against its line in the manifest, and what is wrong with it; ``read`` takes what it holds."""
    name = listed.path
    if member is None:
        return FileCheck(name, "missing", listed.sha256, None), BrokenArchive(name, "is missing")
    digest = hashlib.sha256()
    try:
        if member.size != listed.bytes:
            raise BrokenArchive(name, f"was modified: expected {listed.bytes:,} bytes, found {member.size:,}")
        read(_hash_along(member.pieces(), digest))
    except BrokenArchive as broken:
        return FileCheck(name, "modified", listed.sha256, None), broken
    found = digest.hexdigest()
    if found != listed.sha256:
        changed = BrokenArchive(name, f"was modified: expected SHA-256 {listed.sha256}, found {found}")
        return FileCheck(name, "modified", listed.sha256, found), changed
    return FileCheck(name, "ok", listed.sha256, found), None


def _check_tree(made: manifest.Statement, check: ArchiveCheck) -> None:
    predicate = made.predicate
    leaves = [merkle.file_leaf(file.path, file.sha256) for file in predicate.files]
    stated, names = predicate.merkle, [file.path for file in predicate.files]
    if names != sorted(set(names)) or set(names) & set(manifest.UNLISTED):
        check.problems.append(BrokenArchive(manifest.MANIFEST, "lists files twice, out of order, or itself"))
    found = merkle.root(leaves).hex()
    check.root_ok = (stated.root, stated.size) == (found, len(leaves))
    if not check.root_ok:
        check.problems.append(
            BrokenArchive(manifest.MANIFEST, f"states the Merkle root {stated.root[:100]}, expected {found}")
        )


def _check_sums(members: Members, check: ArchiveCheck) -> None:
    """The sums are those of the files that were found, so that ``sha256sum -c`` says what is said here."""
    lines = [(one.name, one.expected) for one in check.files if one.expected is not None]
    for name in (manifest.MANIFEST, manifest.ENVELOPE):
        lines.append((name, hashlib.sha256(_small(members, name)).hexdigest()))
    check.sums_ok = _small(members, manifest.SUMS) == manifest.sums(lines)
    if not check.sums_ok:
        check.problems.append(BrokenArchive(manifest.SUMS, "lists other sums than those of the files"))


def _small(members: Members, name: str) -> bytes:
    """A file that is read whole."""
    member = members.get(name)
    if member is None:
        raise BrokenArchive(name, "is missing")
    if member.size > SMALL:
        raise BrokenArchive(name, f"has {member.size:,} bytes; at most {SMALL:,} are read")
    return b"".join(member.pieces())


def _hash_along(pieces: Iterator[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for piece in pieces:
        digest.update(piece)
        yield piece
