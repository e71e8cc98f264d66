"""Held bytes of evidence in an archive: a file for each, as it was taken, and a list that says what was left out."""

from datetime import timedelta

import polars as pl

from engine.archives.contents.material import Material
from engine.archives.sealing.spool import ArchiveSpool
from engine.evidence.store import PIECE, EvidenceStore, open_evidence
from engine.model.days import local_day, midnight
from engine.model.errors import Conflict
from engine.model.records import EvidenceItemRow
from engine.render.tables.csv import csv_chunks
from engine.runtime.services import Services
from engine.store.rows import many
from engine.store.schema.controls import evidence_items, evidence_links
from engine.store.types import instant_text

LIST = "evidence_files.csv"
MOST_FILES = 900  # of a thousand that an archive may have
ABOUT_LIST = "evidence items of the window: the file that holds the bytes of each, or why they are not here"
NOT_HELD = "told: a location or a hash alone, the bytes are not held here"
_WHY = {
    "evidence_changed": "the bytes are not those that were taken: no evidence",
    "evidence_missing": "the bytes are missing from the evidence store: no evidence",
}


def spool_evidence(services: Services, material: Material, spool: ArchiveSpool) -> int:
    """Add the held files of the window's items, the newest first, as far as they fit; returns how many there are.

    Bytes are checked against their SHA-256 on the way: what is not whole stays out.
    """
    evidence, limit = open_evidence(services.settings), services.settings.bundle_evidence_bytes
    items, links = _items(material)
    names: dict[str, str] = {}  # of files that are in the archive, by SHA-256
    taken, rows = 0, []
    for item in sorted(items, key=lambda item: (item["captured_at"], item["id"]), reverse=True):
        sha256, size = item["held_sha256"], item["held_bytes"] or 0
        why = _absence(item)
        if why is None and sha256 is not None and sha256 not in names:
            why = _no_room(len(names), taken + size, limit) or _add(evidence, material.owner.id, sha256, spool)
            if why is None:
                names[sha256], taken = _name(sha256), taken + size
        rows.append(
            {
                "file": None if why else names.get(sha256 or ""),
                "item": item["id"],
                "title": item["title"],
                "name": item["file"],
                "media_type": item["media_type"],
                "captured_at": instant_text(item["captured_at"]),
                "controls": "; ".join(links.get(item["id"], [])),
                "sha256": sha256 or item["sha256"],
                "bytes": item["held_bytes"],
                "run": item["run_id"],
                "part": item["part"],
                "left_out": why,
            }
        )
    schema = {name: pl.Int64 if name == "bytes" else pl.String for name in _COLUMNS}
    frame = pl.DataFrame(rows, schema=schema, orient="row").sort("captured_at", "item")
    spool.add(LIST, ABOUT_LIST, b"".join(csv_chunks([frame])), frame.height)
    return len(names)


_COLUMNS = (
    *("file", "item", "title", "name", "media_type", "captured_at", "controls", "sha256", "bytes", "run", "part"),
    "left_out",
)


def _items(material: Material) -> tuple[list[EvidenceItemRow], dict[str, list[str]]]:
    """The items that were captured in the window, as they stood at the revision; and their controls.

    The window ``all`` begins with the first event, and has what was captured before it, too. A pack for one framework
    has the items that are linked to it, and of their controls its own.
    """
    org_id, zone = material.owner.id, material.store.time_zone(material.owner.id)
    begins = None if material.window.requested == "all" else midnight(material.window.start_on, zone)
    ends = midnight(material.window.end_on + timedelta(days=1), zone)
    last, wanted = material.snapshot.subject.revision.seq, material.pack.wanted
    with material.store.reader() as connection:
        rows = many(connection, evidence_items, org_id)
        links: dict[str, list[str]] = {}
        for link in many(connection, evidence_links, org_id):
            if wanted not in (None, link["framework"]):
                continue
            links.setdefault(link["evidence_id"], []).append(f"{link['framework']}:{link['control_id']}")
    known = [row for row in rows if row["captured_at"] < ends and row["revision"] <= last]
    of_window = [row for row in known if begins is None or begins <= row["captured_at"]]
    return [row for row in of_window if wanted is None or row["id"] in links], links


def _absence(item: EvidenceItemRow) -> str | None:
    if item["removed"] is not None:
        on = "" if item["removed_at"] is None else f" on {local_day(item['removed_at'], 'UTC')}"
        return f"{item['removed']}{on}: the SHA-256 is what remains"
    return NOT_HELD if item["held_sha256"] is None else None


def _no_room(files: int, size: int, limit: int) -> str | None:
    if size > limit:
        return f"no room: an archive carries at most {limit:,} bytes of evidence (SVC_BUNDLE_EVIDENCE_BYTES)"
    return f"no room: an archive carries at most {MOST_FILES:,} files of evidence" if files >= MOST_FILES else None


def _add(evidence: EvidenceStore, org_id: str, sha256: str, spool: ArchiveSpool) -> str | None:
    """Why the bytes cannot be added; None once they are."""
    try:
        with (
            evidence.open(org_id, sha256) as file,
            spool.writing(_name(sha256), "bytes of evidence as they were taken", lambda: None, stored=True) as part,
        ):
            while piece := file.read(PIECE):
                part.write(piece)
    except Conflict as problem:
        return _WHY[problem.word]
    return None


def _name(sha256: str) -> str:
    return f"evidence-{sha256}"
