"""What changed between two archives of one organization, from the two files alone: no store, no network.

Their reports are compared file by file. What did it is looked up in the audit chain that the newer one holds: events
on the record that a row is about, events that name its control, and those that are evidence for it.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from engine.archives.sealing.manifest import LOG, RULES, Predicate
from engine.archives.sealing.zip_writer import content, read_directory
from engine.archives.verification.archive_check import check_archive
from engine.catalogue import catalogue
from engine.catalogue.patterns import fits
from engine.model.columns import COLUMNS
from engine.model.documents.document import Document, Edition, Organization, Position, Table
from engine.model.errors import BadRequest
from engine.model.figures.figure import Figure
from engine.render.words import label
from engine.reporting.difference.causes import Causes, Grounds
from engine.reporting.difference.diff_text import DiffContext, diff_document
from engine.reporting.difference.documents import diff_documents
from engine.reporting.difference.subjects import Subject
from engine.store.queries.history.writes import WriteEvent

REPORT = "bundle-difference"
POSTURE = "posture.json"
# the events themselves, what files hold, and which events are evidence
_NOT_REPORTS = ("evidence_pack.csv", "evidence_files.csv", RULES)
_TYPES = {"date": pl.Date, "count": pl.Int64, "days": pl.Int64}
_SECTION = "section"


class _Archive(NamedTuple):
    about: Predicate
    files: dict[str, bytes]
    events: list["_LoggedEvent"]
    rules: list[dict[str, str]]


class _LoggedEvent(WriteEvent, frozen=True):
    """An event of the chain, with the controls that it names itself."""

    controls: str | None
    outcome: str = ""


class _Line(msgspec.Struct):
    event: _LoggedEvent


class _Envelope(msgspec.Struct):
    summary: dict[str, object]


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_envelope = msgspec.json.Decoder(_Envelope).decode


def compare_archives(old: Path, new: Path, figures: Sequence[Figure]) -> Edition:
    """What the newer says otherwise than the older. ``figures`` are those of the posture in them.

    BadRequest where one is broken, where they are of two organizations, or in the wrong order; OSError where one cannot
    be read.
    """
    before, after = _read(old), _read(new)
    one, other = before.about, after.about
    if one.organization.id != other.organization.id or one.kind != other.kind:
        raise BadRequest(
            f"Two archives of one organization and kind are compared; got a {one.kind} of {one.organization.id} and "
            f"a {other.kind} of {other.organization.id}."
        )
    if one.kind == "evidence-pack":
        raise BadRequest(
            "An evidence pack holds events and files, and no reports to compare: take bundles or workbooks."
        )
    if one.revision.seq > other.revision.seq or one.as_of > other.as_of:
        raise BadRequest(
            f"Name the older archive first: {old.name} is of revision {one.revision.seq} on {one.as_of}, {new.name} of "
            f"{other.revision.seq} on {other.as_of}."
        )
    return Edition(
        report=REPORT,
        title="What changed between two bundles",
        description="The reports of two archives compared, with the events of the newer one's audit chain that did it.",
        schema_version=1,
        organization=Organization(other.organization.id, other.organization.name),
        as_of=other.as_of,
        revision=Position(other.revision.seq, other.revision.hash),
        parameters={"since": one.as_of.isoformat(), "sinceRevision": one.revision.seq},
        settings_version=other.settings_version,
        document=_document(before, after, figures),
    )


def _document(before: _Archive, after: _Archive, figures: Sequence[Figure]) -> Document:
    shared = [name for name in after.files if name in before.files]
    span = before.about.revision.seq, after.about.revision.seq
    days = before.about.as_of, after.about.as_of
    difference = diff_documents(_archive_report(before, shared), _archive_report(after, shared), figures)
    between = [event for event in after.events if span[0] < event.seq <= span[1]]
    grounds = Grounds(days, evidence=_by_subject(between, after.rules))
    document = diff_document(
        DiffContext(days, span[0], difference, Causes(grounds).of, ("the records that the newer bundle was made of",))
    )
    return replace(document, warnings=_warnings(before, after), footnotes=())


def _warnings(before: _Archive, after: _Archive) -> list[str]:
    """What the two files cannot tell."""
    warnings = []
    first, since = after.about.events.first_seq if after.about.events else None, before.about.revision.seq + 1
    if first is None or first > since:
        until = f"{first - 1:,}" if first else f"{after.about.revision.seq:,}"
        warnings.append(
            f"The newer archive does not hold the events {since:,} to {until}: causes among them are not told."
        )
    for one, other, word in ((before, after, "older"), (after, before, "newer")):
        alone = sorted(one.files.keys() - other.files.keys())
        if alone:
            warnings.append(f"Only the {word} archive has {', '.join(alone)}.")
    return warnings


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(path: Path) -> _Archive:
    check = check_archive(path)
    if not check.ok or check.statement is None:
        raise BadRequest(f"{path.name} is broken: {check.problem}. Nothing is compared with it.", word="broken_archive")
    files: dict[str, bytes] = {}
    events: list[_LoggedEvent] = []
    rules: list[dict[str, str]] = []
    with path.open("rb") as file:
        for entry in read_directory(file):
            if entry.name == LOG:
                events = [_decode_line(line).event for line in _lines(content(file, entry))]
            elif entry.name == RULES:
                rules = pl.read_csv(io.BytesIO(b"".join(content(file, entry))), infer_schema=False).to_dicts()
            elif entry.name == POSTURE or (entry.name.endswith(".csv") and entry.name not in _NOT_REPORTS):
                files[entry.name] = b"".join(content(file, entry))
    return _Archive(check.statement.predicate, files, events, rules)


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole


def _by_subject(events: Iterable[_LoggedEvent], rules: Sequence[dict[str, str]]) -> dict[Subject, list[WriteEvent]]:
    """Events by what they are about; of several of one action on one control the newest speaks for all."""
    mapped: dict[str, list[Subject]] = {}
    for action, framework, control in (
        catalogue().action_controls.select("action", "framework", "control_id").iter_rows()
    ):
        mapped.setdefault(action, []).append(("control", framework, control))
    newest: dict[Subject, dict[str, WriteEvent]] = {}
    for event in events:
        tags = (event.controls or "").split("; ")
        named: list[Subject] = [("control", *tag.split(":", 1)) for tag in tags if ":" in tag]
        record: list[Subject] = [("record", "", event.object_id)] if event.object_id else []
        ruled: list[Subject] = [
            ("control", rule["framework"], rule["control_id"])
            for rule in rules
            if fits(rule["pattern"], event.action) and rule["outcome"] in ("any", event.outcome)
        ]
        for subject in (*ruled, *mapped.get(event.action, ()), *named, *record):
            newest.setdefault(subject, {})[event.action] = event
    return {subject: list(by_action.values()) for subject, by_action in newest.items()}


def _archive_report(archive: _Archive, names: Sequence[str]) -> Document:
    """What the reports of an archive say: the figures of the posture, and every table of a CSV file."""
    summary = _decode_envelope(archive.files[POSTURE]).summary if POSTURE in names else {}
    tables = [table for name in names if name != POSTURE for table in _tables(name, archive.files[name])]
    return Document("", summary=summary, tables=tables)


def _tables(name: str, data: bytes) -> Iterator[Table]:
    """The tables of a CSV file: of several each is a section."""
    stem = name.partition(".")[0]
    frame = pl.read_csv(io.BytesIO(data), infer_schema=False)
    if _SECTION not in frame.columns:
        yield Table(stem, label(stem), _with_types(frame))
        return
    for section in frame[_SECTION].unique(maintain_order=True).to_list():
        rows = frame.filter(pl.col(_SECTION) == section).drop(_SECTION)
        filled = [column.name for column in rows if column.null_count() < rows.height]
        yield Table(f"{stem}_{section}", f"{label(stem)}, {label(section).lower()}", _with_types(rows.select(filled)))


def _with_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Days and whole numbers where a column is declared to hold them and does; all else is text."""
    casts = []
    for column in frame:
        kind = _TYPES.get(COLUMNS[column.name].unit) if column.name in COLUMNS else None
        cast = column if kind is None else _cast(column, kind)
        casts.append(cast if cast.null_count() == column.null_count() else column)
    return pl.DataFrame(casts)


def _cast(column: pl.Series, kind: type[pl.DataType]) -> pl.Series:
    return column.str.to_date("%Y-%m-%d", strict=False) if kind == pl.Date else column.cast(kind, strict=False)
