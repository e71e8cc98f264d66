"""From files to a sealed archive: instructions, manifest, signature, sums, ZIP."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from engine.archives.contents.about import About
from engine.archives.errors import disk
from engine.archives.sealing import dsse, manifest, readme
from engine.archives.sealing.spool import ArchiveSpool, Part
from engine.archives.sealing.zip_writer import write_zip
from engine.model.errors import BadRequest
from engine.runtime.keys.signing_keys import SigningKey

SCRIPT = Path(__file__).parents[1] / "verification" / "verify.py"


@dataclass(frozen=True)
class SealedArchive:
    """An archive on disk and what identifies it."""

    path: Path
    size: int
    sha256: str
    manifest_sha256: str
    merkle_root: str
    key_id: str
    parts: tuple[Part, ...]


def seal(spool: ArchiveSpool, about: About, key: SigningKey, path: Path) -> SealedArchive:
    """Write the archive of all that was spooled to ``path``, whole or not at all. May be called again for another path.

    BadRequest when it would be larger than the format allows; Unavailable when the disk does not take it.
    """
    spool.without("verify.py", manifest.KEY, "README.md", *manifest.UNLISTED)
    spool.add("verify.py", "checks this folder with Python alone", SCRIPT.read_bytes())
    spool.add(manifest.KEY, "public half of the key that signed the manifest", key.public_pem)
    spool.add("README.md", "what this is and how to check it", readme.text(about, spool.parts, key.id))
    listed = spool.parts
    statement = manifest.statement(
        listed,
        kind=about.kind,
        organization=about.organization,
        as_of=about.as_of,
        window=about.window,
        revision=about.revision,
        settings_version=about.settings_version,
        key_id=key.id,
        events=about.events,
        previous=about.previous,
    )
    spool.add(manifest.MANIFEST, "in-toto statement", statement)
    spool.add(manifest.ENVELOPE, "DSSE envelope", dsse.sign(statement, key))
    sums = manifest.sums((part.name, part.sha256) for part in spool.parts)
    spool.add(manifest.SUMS, "for sha256sum -c", sums)
    with disk("The archive"), _new_file(path) as file:
        try:
            write_zip(file, spool.parts)
        except ValueError as error:
            raise BadRequest(
                "The archive would be larger than 4 GiB: choose a shorter window.", word="archive_too_large"
            ) from error
    digest, size = _digest(path)
    return SealedArchive(
        path, size, digest, sha256(statement).hexdigest(), manifest.tree(listed).root, key.id, tuple(listed)
    )


@contextmanager
def _new_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that is on disk in the end, or gone when the block raises."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
        return digest.hexdigest(), file.tell()
