"""Workbook, evidence pack and committee meeting pack: made when they are first asked for, kept as artifacts.

Where none can be kept they are made for whoever asks, in the system's folder of temporary files.
"""

import logging
import os
import tempfile
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from engine.archives.contents.windows import Days
from engine.archives.errors import disk
from engine.archives.sealing.proofs import add_history
from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.model.vocabulary import ArchiveKind
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifact_space import UNFINISHED
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ArchiveFile:
    """An archive on disk. ``etag`` names what it follows from; ``passing``: it is read once and goes."""

    path: Path
    etag: str
    as_of: date
    passing: bool = False


def pack(
    services: Services, org_id: str, kind: ArchiveKind, window: Days, *, now: datetime, framework: str | None = None
) -> ArchiveFile:
    """The archive of the organization as it stands, from the artifacts or made now; NotFound: no such organization.

    ``framework`` leaves what is evidence for others out of an evidence pack; BadRequest where it is not in scope.
    """
    from engine.archives.contents.contents import gather
    from engine.archives.sealing.archive import seal

    key = signing_key(services.settings.signing_key_path)
    artifacts = services.artifacts
    asked = _parameters(services, window, framework, key.id)
    wanted = _name(services, org_id, kind, window, asked, now)
    found = None if wanted is None else artifacts.file_of(wanted)
    if wanted is not None and found is not None:
        return _as_file(found, wanted)
    with gather(services, org_id, kind, window, now=now, framework=framework) as (spool, about, _):
        position = Position(about.revision.seq, about.revision.hash)
        made = Name.of(org_id, kind, "zip", about.as_of, position, asked)
        with artifacts.building(made):
            path = artifacts.file_of(made)
            if path is not None:
                return _as_file(path, made)
            add_history(services, spool, about, now=now)
            temporary = artifacts.place(made).with_name(f"{UNFINISHED}{os.urandom(8).hex()}")
            try:
                seal(spool, about, key, temporary)
                return _as_file(artifacts.take(made, temporary), made)
            except Unavailable as problem:
                log.warning("The %s of %s is made without being kept: %s", kind, org_id, problem.message)
            with disk("The archive"):
                handle, passing = tempfile.mkstemp(prefix="hq-", suffix=".zip")
                os.close(handle)
            Path(passing).unlink()  # sealing writes to none that is there
            seal(spool, about, key, Path(passing))
            return ArchiveFile(Path(passing), made.key, made.as_of, passing=True)


def _as_file(path: Path, name: Name) -> ArchiveFile:
    return ArchiveFile(path, name.key, name.as_of)


def _name(
    services: Services, org_id: str, kind: ArchiveKind, window: Days, asked: dict[str, str], now: datetime
) -> Name | None:
    """What the archive would be named by, as far as one look tells; None for an unknown organization."""
    head = services.store.head(org_id)
    if head is None:
        return None
    as_of = window.of(services.store, org_id, now).end_on
    return Name.of(org_id, kind, "zip", as_of, head, asked)


def _parameters(services: Services, window: Days, framework: str | None, key_id: str) -> dict[str, str]:
    most = str(services.settings.bundle_evidence_bytes)
    asked = {"window": window.requested, "key": key_id, "evidence": most}
    return asked if framework is None else asked | {"framework": framework}
