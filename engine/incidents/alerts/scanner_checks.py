"""A scanner's own catalogue is kept, so that findings that come with a number alone get their title and CVEs."""

from dataclasses import replace

from engine.intake.findings import Finding, FindingBatch, ScannerCheck, bare_title, describe
from engine.model.records import FindingRow, ScannerCheckRow
from engine.store import Revision
from engine.store.queries.operations.ingest import checks_by_id
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


def describe_by_row(finding: Finding, old: FindingRow | None) -> Finding:
    """The finding with what is stored of it, where it comes with a number alone and its words once came inside it."""
    if old is None or finding.source not in NUMBERED or finding.title != bare_title(finding.check):
        return finding
    details = old["details"]
    solution = details.get("solution") if isinstance(details, dict) else None
    known = ScannerCheck(
        check=finding.check,
        title=old["title"],
        severity=old["severity"],
        cves=_cves(old["cve"]),
        cvss=old["cvss"],
        known_exploited=bool(old["known_exploited"]),
        solution=solution if isinstance(solution, str) else None,
    )
    return describe(finding, known)


def _check(row: ScannerCheckRow) -> ScannerCheck:
    return ScannerCheck(
        check=row["check_id"],
        title=row["title"],
        severity=row["severity"],
        cves=_cves(row["cve"]),
        cvss=row["cvss"],
        known_exploited=row["known_exploited"],
        solution=row["solution"],
    )


def _cves(text: str | None) -> tuple[str, ...]:
    return tuple(text.split("; ")) if text else ()
