"""Scanners' files at the bulk door: the same reader and the same storing as at the route, in one revision."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.findings import ingest_findings
from engine.intake.findings import FindingBatch, is_csv, parse_document, read_findings
from engine.intake.imports import files_in, is_table
from engine.intake.imports.files.silences import is_silences
from engine.intake.imports.files.tickets import is_issues
from engine.intake.tool_results.results import is_prowler_csv
from engine.model.errors import InvalidData, Problem, Usage
from engine.store import Store

SUFFIXES = (".nessus", ".xml", ".sarif", ".json")
LARGEST = 128 * 2**20
MOST = 100_000
HEAD = 2**16
REPORT = b'{"report":"'


def is_scanner_file(path: Path) -> bool:
    """By its name; a CSV by its header, unless it is named after a table."""
    if path.suffix.lower() in SUFFIXES:
        return not (is_silences(path) or is_issues(path))
    if path.suffix.lower() != ".csv" or is_table(path.stem):
        return False
    with path.open("rb") as file:
        head = file.read(HEAD)
        return is_csv(head) or is_prowler_csv(head)


def _is_report(path: Path) -> bool:
    """Whether a file is a report of ours as JSON, of ``hq export`` or ``hq report``, by how it begins."""
    if path.suffix.lower() != ".json":
        return False
    with path.open("rb") as file:
        return file.read(len(REPORT)) == REPORT


def scanner_files(paths: Sequence[Path]) -> list[Path]:
    """The files of scanners among these and in these folders; Usage where tables, or reports, are among them.

    Tables are checked and written as a whole, findings are matched with those that are there: one revision cannot be
    both.
    """
    files = [file for path in paths for file in files_in(path)]
    if (report := next((file for file in files if _is_report(file)), None)) is not None:
        raise Usage(
            f"{report.name} is a report that hq wrote, and no records: import the tables that it was made from, or "
            "take a whole store along with hq backup and hq restore."
        )
    found = [file for file in files if is_scanner_file(file)]
    other = next((file for file in files if file not in found), None)
    if found and other is not None:
        raise Usage(
            f"{found[0].name} holds findings of a scanner and {other.name} does not; import them in two commands."
        )
    return found


def import_findings(
    store: Store,
    files: Sequence[Path],
    *,
    org_id: str,
    actor: str,
    now: datetime,
    complete: bool = False,
    together: bool = True,
) -> list[tuple[str, dict[str, object]]]:
    """Import scanners' files into an organization, all or none; the counts of each by its name.

    ``together``: severe findings of one scanner, rule and severity share an incident. Of ``complete`` scans, what
    is open on their hosts and not among their findings is fixed.
    InvalidData names the file that cannot be read; NotFound for an unknown organization.
    """
    batches = [(file.name, _read(file, now, complete)) for file in files]
    with store.revision(org_id, actor, now=now) as revision:
        return [(name, ingest_findings(revision, batch, Receipt(now), together=together)) for name, batch in batches]


def read_bounded(file: Path) -> bytes:
    """The bytes of a scanner's file; InvalidData where there are too many."""
    size = file.stat().st_size
    if size > LARGEST:
        raise InvalidData(f"{file.name} has {size:,} bytes; a scanner's file may have {LARGEST:,}. Export it in parts.")
    return file.read_bytes()


def _read(file: Path, now: datetime, complete: bool) -> FindingBatch:
    data = read_bounded(file)
    try:
        body = parse_document(data, None)
        return read_findings(body, source_header=None, received_at=now, most=MOST, complete=complete)
    except Problem as problem:
        raise InvalidData(f"{file.name}: {problem.message}", details=problem.details) from problem
