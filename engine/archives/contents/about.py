"""What an archive is about."""

from dataclasses import dataclass
from datetime import date

from engine.archives.sealing import manifest
from engine.model.vocabulary import ArchiveKind


@dataclass(frozen=True)
class About:
    """What an archive is about: all of it goes into the manifest, so equal ``About`` and files are equal bytes."""

    kind: ArchiveKind
    title: str
    organization: manifest.Owner
    as_of: date
    window: manifest.Window
    revision: manifest.ManifestRevision
    settings_version: int
    events: manifest.EventRange | None = None
    previous: manifest.Previous | None = None
