"""Workbook and committee meeting pack as one file instead of an archive: their tables in one spreadsheet, or their
printable pages on paper. Made when asked for; nothing proves them, as the archive's manifest does.
"""

from dataclasses import dataclass
from datetime import datetime

from engine.archives.contents.contents import (
    CROSSWALK,
    EXCEPTIONS,
    FRAMEWORKS,
    LINEAGE,
    MEETING_PACK,
    TITLES,
    ContentItem,
)
from engine.model.declarations.ask import PERIOD_DAYS
from engine.model.documents.document import Edition
from engine.model.vocabulary import ArchiveKind
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.snapshot.snapshot import Snapshot
from engine.runtime.services import Services

TABLES = (CROSSWALK, *FRAMEWORKS, EXCEPTIONS, LINEAGE)
PAGES = tuple(item for item in MEETING_PACK if item.form == "html")
WITHOUT_EVENTS = (
    "The evidence pack itself, with its events and accepted policies, is in the ZIP of the same address, beside the "
    "manifest that proves it."
)


@dataclass(frozen=True)
class SingleFile:
    """The bytes, and what they follow from."""

    data: bytes
    name: Name


def file_name(services: Services, org_id: str, kind: ArchiveKind, form: str, period: int, *, now: datetime) -> Name:
    """What the file would be named by, as far as one look tells; NotFound: no such organization."""
    with services.snapshots.open(org_id, now=now) as snapshot:
        return _name(snapshot, kind, form, period)


def single_file(
    services: Services, org_id: str, kind: ArchiveKind, form: str, period: int, now: datetime
) -> SingleFile:
    """The organization's as it stands. Unavailable: it is a PDF, and the extra is not installed."""
    with services.snapshots.open(org_id, now=now) as snapshot:
        items = TABLES if kind == "workbook" else PAGES
        editions = [_edition(snapshot, item, period) for item in items]
        return SingleFile(
            _spreadsheet(editions) if form == "xlsx" else _paper(editions), _name(snapshot, kind, form, period)
        )


def _edition(snapshot: Snapshot, item: ContentItem, period: int) -> Edition:
    asked = {PERIOD_DAYS.name: str(period)} if snapshot.report(item.report).has_period else {}
    return snapshot.edition(item.report, asked)


def _name(snapshot: Snapshot, kind: ArchiveKind, form: str, period: int) -> Name:
    return Name.of(snapshot.org_id, kind, form, snapshot.as_of, snapshot.revision, {PERIOD_DAYS.name: period})


def _spreadsheet(editions: list[Edition]) -> bytes:
    from engine.render.tables.xlsx import workbook
    from engine.render.tables.xlsx_about import Imprint

    about = "Crosswalk, every assessment, exceptions and lineage: each table on a sheet of its own."
    return workbook(Imprint(TITLES["workbook"], about, editions[0], (WITHOUT_EVENTS,)), editions)


def _paper(editions: list[Edition]) -> bytes:
    from engine.render.html.pdf import pack

    return pack(TITLES["committee-meeting-pack"], "What the committee meets about, on one count of pages.", editions)
