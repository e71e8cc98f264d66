"""What an archive says of itself: an in-toto Statement v1 over its files.

Each file is a subject with its SHA-256. The predicate says whose archive it is, of which window, at which position of
the audit chain it was made, and ties the files together with a Merkle root after RFC 6962: leaf ``i`` is the line
``<sha256>  <name>`` of file ``i`` in the order of the names, as it also stands in ``SHA256SUMS``.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Protocol

import msgspec

from engine.model import merkle
from engine.model.vocabulary import ARCHIVE_KINDS, ArchiveKind

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://hq.example/evidence-archive/v1"
MANIFEST, ENVELOPE, SUMS, KEY = "manifest.json", "manifest.dsse.json", "SHA256SUMS", "signing_key.pem"
LOG, HEAD, HEADS, ROTATIONS = "audit_log.jsonl", "head.txt", "heads.json", "key_rotations.txt"
RULES = "organization_rules.csv"
INSTALLATION = "installation.txt"
UNLISTED = (MANIFEST, ENVELOPE, SUMS)  # they speak of the others
Digest = str


class FileEntry(Protocol):
    """A file as the manifest lists it."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def rows(self) -> int | None: ...


class ManifestSubject(msgspec.Struct, frozen=True):
    name: str
    digest: dict[str, str]


class File(msgspec.Struct, frozen=True):
    """A file in the predicate."""

    path: str
    bytes: int
    sha256: str
    rows: int | None = None


class Window(msgspec.Struct, frozen=True):
    """The days that an archive is about; ``requested`` is how they were asked for."""

    requested: str
    start_on: date
    end_on: date


class ManifestRevision(msgspec.Struct, frozen=True):
    """A position of the audit chain."""

    seq: int
    hash: str


class EventRange(msgspec.Struct, frozen=True):
    """The part of the audit chain that an archive holds in full."""

    count: int
    first_seq: int
    last_seq: int


class Tree(msgspec.Struct, frozen=True):
    """The Merkle tree over the files."""

    algorithm: str
    leaves: str
    size: int
    root: str


class Previous(msgspec.Struct, frozen=True):
    """The bundle before."""

    id: str
    manifest_sha256: str | None
    merkle_root: str | None


class Owner(msgspec.Struct, frozen=True):
    id: str
    name: str


class Predicate(msgspec.Struct, frozen=True):
    """What is stated of the files."""

    kind: str
    organization: Owner
    as_of: date
    window: Window
    revision: ManifestRevision
    settings_version: int
    key_id: str
    files: list[File]
    merkle: Tree
    events: EventRange | None = None
    previous: Previous | None = None


class Statement(msgspec.Struct, frozen=True, rename={"type_": "_type", "predicate_type": "predicateType"}):
    """The manifest as a whole."""

    type_: str
    subject: list[ManifestSubject]
    predicate_type: str
    predicate: Predicate


def tree(files: Sequence[FileEntry]) -> Tree:
    """The Merkle tree over files in the order of their names."""
    root = merkle.root([merkle.file_leaf(file.name, file.sha256) for file in files])
    return Tree("RFC 6962, SHA-256", "'<sha256>  <path>' of each file, in this order", len(files), root.hex())


def statement(
    files: Sequence[FileEntry],
    *,
    kind: ArchiveKind,
    organization: Owner,
    as_of: date,
    window: Window,
    revision: ManifestRevision,
    settings_version: int,
    key_id: str,
    events: EventRange | None = None,
    previous: Previous | None = None,
) -> bytes:
    """The manifest over ``files``, which are in the order of their names: indented JSON."""
    made = Statement(
        STATEMENT,
        [ManifestSubject(file.name, {"sha256": file.sha256}) for file in files],
        PREDICATE,
        Predicate(
            kind,
            organization,
            as_of,
            window,
            revision,
            settings_version,
            key_id,
            [File(file.name, file.size, file.sha256, file.rows) for file in files],
            tree(files),
            events,
            previous,
        ),
    )
    return msgspec.json.format(msgspec.json.encode(made, enc_hook=_day), indent=2) + b"\n"


def _day(value: object) -> str:
    """What msgspec writes for plain dates, for subclasses of them."""
    if isinstance(value, date):
        return value.isoformat()
    raise NotImplementedError(f"a manifest cannot hold {type(value).__name__}")


def read_statement(data: bytes) -> Statement:
    """A manifest; ValueError says what does not fit."""
    try:
        made = msgspec.json.decode(data, type=Statement)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"is no manifest of an evidence archive ({error})") from error
    for name, found, expected in (("_type", made.type_, STATEMENT), ("predicateType", made.predicate_type, PREDICATE)):
        if found != expected:
            raise ValueError(f"has the {name} {found[:80]!r}, expected {expected}")
    if made.predicate.kind not in ARCHIVE_KINDS:
        raise ValueError(f"speaks of a {made.predicate.kind[:80]!r}, expected one of {', '.join(ARCHIVE_KINDS)}")
    subjects = [(one.name, one.digest.get("sha256")) for one in made.subject]
    if subjects != [(file.path, file.sha256) for file in made.predicate.files]:
        raise ValueError("lists other files as subjects than in its predicate")
    return made


def sums(lines: Iterable[tuple[str, Digest]]) -> bytes:
    """The file that ``sha256sum -c`` reads."""
    return "".join(f"{merkle.file_line(name, digest)}\n" for name, digest in sorted(lines)).encode()
