"""Files that rows of ``evidence_items`` name in their column ``file``: looked at first, held once all of them hold."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO, TypeAlias

import polars as pl

from engine.evidence.incoming import open_inside
from engine.evidence.items import byte_columns, must_show_something
from engine.evidence.store import EvidenceBytes, EvidenceStore, measure
from engine.intake.imports.batches import SheetRows
from engine.intake.imports.checks import CheckResult
from engine.intake.imports.files.headers import ROW, Header
from engine.intake.imports.mapping import ColumnMapping
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import importable
from engine.model.errors import Usage
from engine.store import Revision
from engine.store.rows import many
from engine.store.schema.controls import evidence_items

ITEMS = "evidence_items"
FILE = "file"
TOO_LARGE = "evidence_too_large"
Opener: TypeAlias = Callable[[str], AbstractContextManager[BinaryIO]]
"""What opens the file of a name that a row has; Usage where there is none that can be held."""


def top_names(sheet_rows: Iterable[SheetRows], mapping: ColumnMapping) -> set[str]:
    """The files and folders of an imported folder that rows of evidence items name: they are no tables."""
    names: set[str] = set()
    for sheet in sheet_rows:
        if sheet.table == ITEMS:
            header = Header(importable(ITEMS), sheet.file, Problems(), mapping)
            for frame in header.frames(sheet):
                if FILE in frame.columns:
                    names.update(frame[FILE].drop_nulls())
    return {parts[0] for parts in (PurePosixPath(name).parts for name in names) if parts}


def opener(checked: CheckResult, most: int, handed_in: Mapping[str, bytes] | None) -> Opener | None:
    """What opens files that rows name: those that were ``handed_in`` with them, or lie where the rows do.

    None for rows that lie nowhere: then a name is only told.
    """
    if handed_in is not None:
        return partial(_open_handed_in, handed_in)
    return None if checked.folder is None else partial(open_inside, checked.folder, most=most)


def _open_handed_in(files: Mapping[str, bytes], name: str) -> BytesIO:
    if name not in files:
        raise Usage(f"{name} does not exist.")
    return BytesIO(files[name])


def check_files(checked: CheckResult, open_named: Opener, problems: Problems) -> dict[str, EvidenceBytes]:
    """What the files that rows name hold; a problem for each that cannot be held or has another sum than its row.

    Usage for a file with more bytes than one may have.
    """
    found: dict[str, EvidenceBytes | None] = {}
    for rows in checked.spool:
        wanted = rows.filter(pl.col(FILE).is_not_null()) if FILE in rows.columns else rows.clear()
        sums = wanted["sha256"] if "sha256" in wanted.columns else [None] * wanted.height
        for row, name, sha256 in zip(wanted[ROW], wanted[FILE] if wanted.height else (), sums, strict=True):
            if name not in found:
                try:
                    found[name] = _measure(open_named, name)
                except Usage as error:
                    if error.word == TOO_LARGE:
                        raise Usage(f"{checked.file}, row {row}: {error.message}", word=TOO_LARGE) from error
                    found[name] = None
                    problems.add(checked.file, row, FILE, f"a file that can be held: {error.message}", name)
            there = found[name]
            if there is not None and sha256 is not None and sha256.lower() != there.sha256:
                problems.add(checked.file, row, "sha256", f"the SHA-256 of {name}, {there.sha256}", sha256)
    return {name: there for name, there in found.items() if there is not None}


def _measure(open_named: Opener, name: str) -> EvidenceBytes:
    with open_named(name) as file:
        found = measure(file)
    must_show_something(name, found)
    return found


def put_files(
    evidence: EvidenceStore, org_id: str, open_named: Opener, names: Sequence[str]
) -> dict[str, EvidenceBytes]:
    """Hold the bytes of the files. Usage where they are more than may be held."""
    held = {}
    for name in names:
        with open_named(name) as file:
            held[name] = evidence.put(org_id, file, name)
    return held


def add_bytes(
    revision: Revision, records: Sequence[dict[str, object]], files: Mapping[str, EvidenceBytes], now: datetime
) -> None:
    """Say in the records which bytes they hold; a row that holds the same already stays as it is."""
    mine = [record for record in records if record.get(FILE) in files]
    if not mine:
        return
    ids = [str(record["id"]) for record in mine]
    known = {row["id"]: row for row in many(revision.records, evidence_items, revision.org_id, id=ids)}
    for record in mine:
        there = files[str(record[FILE])]
        before = known.get(str(record["id"]))
        if before is not None and before["held_sha256"] == there.sha256 and before["removed"] is None:
            record["sha256"] = there.sha256
            continue
        record.update(byte_columns(there, str(record[FILE]), now))
