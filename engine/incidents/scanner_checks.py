"""A scanner's own catalogue is kept, so that findings that come with a number alone get their title and CVEs."""

from dataclasses import replace

from engine.intake.findings import FindingBatch, ScannerCheck, describe
from engine.store import Revision
from engine.store.queries.ingest import checks_by_id
from engine.store.schema.records import ScannerCheckRow
from engine.store.schema.services import scanner_checks

NUMBERED = ("qualys",)  # scanners whose findings come without the words of their checks


def keep_checks(revision: Revision, batch: FindingBatch) -> None:
    """Store the entries of the catalogue that the body brought along."""
    rows = [
        {
            "source": batch.source,
            "check_id": check.check,
            "title": check.title,
            "severity": check.severity,
            "cve": "; ".join(check.cves) or None,
            "cvss": check.cvss,
            "known_exploited": check.known_exploited,
            "solution": check.solution,
        }
        for check in batch.checks.values()
    ]
    if rows:
        revision.upsert(scanner_checks, rows)


def describe_by_store(revision: Revision, batch: FindingBatch) -> FindingBatch:
    """The batch with what is kept about those checks that the body itself says nothing about."""
    missing = {finding.check for finding in batch.findings} - batch.checks.keys()
    if batch.source not in NUMBERED or not missing:
        return batch
    rows = checks_by_id(revision.connection, revision.org_id, batch.source, sorted(missing))
    known = {row["check_id"]: _check(row) for row in rows}
    return replace(batch, findings=[describe(finding, known.get(finding.check)) for finding in batch.findings])


def _check(row: ScannerCheckRow) -> ScannerCheck:
    return ScannerCheck(
        check=row["check_id"],
        title=row["title"],
        severity=row["severity"],
        cves=tuple(row["cve"].split("; ")) if row["cve"] else (),
        cvss=row["cvss"],
        known_exploited=row["known_exploited"],
        solution=row["solution"],
    )
