"""What a scanner's report does: findings are kept by key, high and critical ones belong to an incident.

Those of one scanner, rule and severity share one while it is open, in the next report, too; or each opens its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.key_history import PARENT
from engine.incidents.alerts.scanner_checks import describe_by_row, describe_by_store, keep_checks
from engine.intake.findings import Finding, FindingBatch
from engine.intake.keys import join_key
from engine.intake.severity import highest
from engine.model.vocabulary import FINDING_OUTCOMES, LIVE_INCIDENTS, SEVERE, FindingOutcome
from engine.store import Note, Revision
from engine.store.ids import new_id
from engine.store.log.unlogged_recoveries import RESOLVED
from engine.store.queries.operations.ingest import (
    findings_by_key,
    last_incidents,
    open_findings_on,
    resolve_incidents,
    service_ids,
)
from engine.store.rows import many
from engine.store.schema.services import findings, incident_timeline, incidents

SCAN_RULE = "scan-cve"


class FindingResult(TypedDict):
    """What became of a finding, and its incident."""

    finding_key: str
    id: str
    outcome: FindingOutcome
    incident_id: str | None


def ingest_findings(
    revision: Revision, batch: FindingBatch, receipt: Receipt, *, together: bool = False
) -> dict[str, object]:
    """Store a batch; the answer has true counts and, for each finding, what became of it and its incident.

    ``together``: severe findings of one scanner, rule and severity belong to one incident while it is open.
    """
    keep_checks(revision, batch)
    work = _Work(revision, describe_by_store(revision, batch), receipt, together=together)
    results = [work.apply(finding) for finding in work.batch.findings]
    closed = work.close_missing() if batch.complete else 0
    work.finish()
    counts: dict[str, int] = {name: sum(result["outcome"] == name for result in results) for name in FINDING_OUTCOMES}
    return {
        "source": batch.source,
        "received": batch.received,
        "checks": len(batch.checks),
        **counts,
        "closed_as_missing": closed,
        "incidents_opened": len(work.new_incidents),
        "results": results,
    }


class _Work:
    """One batch within one revision: everything is looked up at once, and written at once."""

    def __init__(self, revision: Revision, batch: FindingBatch, receipt: Receipt, *, together: bool) -> None:
        connection, org_id = revision.connection, revision.org_id
        self.revision = revision
        self.batch = batch
        self.receipt = receipt
        self.workspace_id = receipt.workspace_id
        self.known = findings_by_key(connection, org_id, [finding.key for finding in batch.findings])
        self.together = together
        shared = {_shared_key(f, severity) for f in batch.findings for severity in SEVERE} if together else set()
        keys = [*(_incident_key(f.key) for f in batch.findings), *sorted(shared)]
        self.incidents = last_incidents(connection, org_id, keys)
        self.services = service_ids(connection, org_id, [f.service for f in batch.findings if f.service])
        self.new_findings: list[dict[str, object]] = []
        self.new_incidents: list[dict[str, Any]] = []  # a row on its way into the store
        self.shared: dict[str, dict[str, Any]] = {}  # incidents of this batch by what their findings share
        self.joined: Counter[str] = Counter()  # findings that came to an incident that was open, by its identifier
        self.resolved: list[str] = []
        self.left: list[str] = []  # incidents that a finding left: over when it was the last
        self.notes: list[Note] = []
        self.cves: dict[str, str] = {}  # of new incidents

    def apply(self, finding: Finding) -> FindingResult:
        """What became of one finding."""
        old = self.known.get(finding.key)
        finding = describe_by_row(finding, old)
        row = self._row(finding, old)
        if old is not None and finding.is_overtaken(old["fixed_at"], old["last_seen_at"]):
            key, known = finding.key, old["incident_id"]
            return {"finding_key": key, "id": old["id"], "outcome": "unchanged", "incident_id": known}
        if old is None:
            outcome: FindingOutcome = "created"
            self.new_findings.append(row)
        else:
            outcome = self._change(old, row)
        incident_id = self._incident(finding, row, outcome, old["incident_id"] if old else None)
        if old is None:
            row["incident_id"] = incident_id
        elif incident_id != old["incident_id"]:
            self.revision.update(findings, {"id": old["id"]}, {"incident_id": incident_id})
            self.left += [old["incident_id"]] if old["incident_id"] else []
        if outcome in ("created", "reopened", "fixed"):
            action = "vuln.remediated" if outcome == "fixed" else "finding.opened"
            details = {"source": finding.source, "severity": row["severity"], "outcome": outcome}
            self.notes.append(Note(action, "finding", row["id"], workspace_id=self.workspace_id, details=details))
        return {"finding_key": finding.key, "id": row["id"], "outcome": outcome, "incident_id": incident_id}

    # Any: a row on its way into the store
    def _row(self, finding: Finding, old: Mapping[str, Any] | None) -> dict[str, Any]:
        severity = finding.severity
        if old is not None and not finding.severity_given:
            severity = old["severity"]
        return {
            "id": old["id"] if old else new_id("fnd"),
            "source": finding.source,
            "finding_key": finding.key,
            "title": finding.title,
            "severity": severity,
            "status": "fixed" if finding.status == "fixed" else finding.disposition or "open",
            "service_id": self.services.get(finding.service.lower()) if finding.service else None,
            "asset": finding.host,
            "port": finding.port,
            "cve": "; ".join(finding.cves) or None,
            "cvss": finding.cvss,
            "epss": finding.epss,
            "known_exploited": finding.known_exploited,
            "internet_reachable": finding.internet_reachable,
            "first_seen_at": min(finding.first_seen_at, old["first_seen_at"]) if old else finding.first_seen_at,
            "last_seen_at": max(finding.last_seen_at, old["last_seen_at"]) if old else finding.last_seen_at,
            "fixed_at": self._fixed_at(finding, old),
            "details": dict(finding.details),
        }

    def _fixed_at(self, finding: Finding, old: Mapping[str, Any] | None) -> datetime | None:
        """Since when it is fixed. Who calls it fixed without a date says nothing new of one that was."""
        undated = finding.fixed_at is not None and finding.fixed_at >= self.receipt.at
        return old["fixed_at"] if old is not None and old["fixed_at"] is not None and undated else finding.fixed_at

    def _change(self, old: Mapping[str, Any], row: dict[str, Any]) -> FindingOutcome:  # a row on its way into the store
        """Write what differs; a later sighting alone is no change worth a word, but it is kept."""
        if row["service_id"] is None:
            row["service_id"] = old["service_id"]
        differing = {name: value for name, value in row.items() if old[name] != value}
        if differing:
            self.revision.update(findings, {"id": old["id"]}, differing)
        if old["status"] == "fixed" and row["status"] != "fixed":
            return "reopened"
        if old["status"] != "fixed" and row["status"] == "fixed":
            return "fixed"
        return "updated" if differing.keys() - {"last_seen_at"} else "unchanged"

    # Any: a row on its way into the store
    def _incident(
        self, finding: Finding, row: dict[str, Any], outcome: FindingOutcome, before: str | None
    ) -> str | None:
        """The finding's incident: one while it is open, a new one only for a finding that is new or came back."""
        last = self.incidents.get(_incident_key(finding.key))
        if last is not None and last.status in LIVE_INCIDENTS:
            if row["status"] == "fixed":
                self.resolved.append(last.id)
            elif highest(last.severity, row["severity"]) != last.severity:
                self.revision.update(incidents, {"id": last.id}, {"severity": row["severity"]})
            return last.id
        if self.together:
            return self._shared_incident(finding, row, outcome, before)
        worsened = outcome == "updated" and last is None
        if finding.opens_incident and (outcome in ("created", "reopened") or worsened):
            return self._open(finding, row, last.id if last else None)
        return last.id if last else None

    # Any: a row on its way into the store
    def _shared_incident(
        self, finding: Finding, row: dict[str, Any], outcome: FindingOutcome, before: str | None
    ) -> str | None:
        """The incident that all findings of the scanner, rule and severity share while it is open."""
        if row["status"] == "fixed":
            self.left += [before] if before else []
            return before
        if not finding.opens_incident:
            return before
        key = _shared_key(finding, row["severity"])
        if key in self.shared:
            self.shared[key]["alert_count"] += 1
            return str(self.shared[key]["id"])
        last = self.incidents.get(key)
        if last is not None and last.status in LIVE_INCIDENTS:
            self.joined[last.id] += before != last.id
            return last.id
        if outcome in ("created", "reopened") or (outcome == "updated" and before is None):
            opened = self._open(finding, row, last.id if last else None)
            self.shared[key] = {**self.new_incidents.pop(), "dedupe_key": key}
            self.new_incidents.append(self.shared[key])
            return opened
        return before

    # Any: a row on its way into the store
    def _open(self, finding: Finding, row: dict[str, Any], related_to: str | None) -> str:
        now = self.revision.now
        identifier = new_id("inc")
        if row["cve"]:
            self.cves[identifier] = row["cve"]
        self.new_incidents.append(
            {
                "id": identifier,
                "title": f"{finding.title} on {finding.host}",
                "severity": row["severity"],
                "status": "open",
                "service_id": row["service_id"],
                "workspace_id": self.workspace_id,
                "source": finding.source,
                "dedupe_key": _incident_key(finding.key),
                "alert_count": 1,
                "started_at": row["first_seen_at"],
                "opened_at": now,
                "opened_heard_at": now,
                "last_seen_at": now,
                "related_to": related_to,
                "summary": f"Opened for finding {row['id']}",
            }
        )
        details = {"finding": row["id"], "severity": row["severity"]}
        note = Note("incident.opened", "incident", identifier, workspace_id=self.workspace_id, details=details)
        self.notes.append(note)
        return identifier

    def close_missing(self) -> int:
        """Findings of these scanners on the scanned hosts that a complete report no longer has are fixed."""
        reported = {finding.key for finding in self.batch.findings}
        gone = [
            row
            for row in open_findings_on(
                self.revision.connection, self.revision.org_id, sorted(self.batch.origins), sorted(self.batch.hosts)
            )
            if row["finding_key"] not in reported
        ]
        for row in gone:
            self.revision.update(findings, {"id": row["id"]}, {"status": "fixed", "fixed_at": self.revision.now})
            details = {"source": row["source"], "outcome": "missing_from_complete_scan"}
            self.notes.append(Note("vuln.remediated", "finding", row["id"], details=details))
        over = [row["incident_id"] for row in gone if row["incident_id"]]
        if self.together:
            self.left += over
        else:
            self.resolved += over
        return len(gone)

    def _empty_incidents(self) -> list[str]:
        """The incidents that findings left and that no open finding belongs to any more."""
        ids = list(dict.fromkeys(self.left)) if self.together else []
        still = {
            row["incident_id"]
            for row in many(self.revision.records, findings, self.revision.org_id, incident_id=ids)
            if row["status"] != "fixed"
        }
        return [identifier for identifier in ids if identifier not in still]

    def finish(self) -> None:
        """The bulk writes, and the audit events."""
        for row in self.shared.values():
            if row["alert_count"] > 1:
                row["title"] = f"{row['title']} and {row['alert_count'] - 1:,} more"
        self.revision.insert(findings, self.new_findings)
        self._relate_by_cve()
        self.revision.insert(incidents, self.new_incidents)
        for identifier, more in sorted(self.joined.items()):
            if more:
                counted = incidents.c.alert_count + more
                self.revision.update_where(incidents, {"alert_count": counted}, incidents.c.id == identifier)
        self.resolved += self._empty_incidents()
        opened = [(row["id"], f"Opened by {row['source']}: {row['title']}") for row in self.new_incidents]
        resolved = resolve_incidents(self.revision, list(dict.fromkeys(self.resolved)))
        self._timeline(opened, "alert")
        self._timeline([(identifier, RESOLVED) for identifier in resolved], "status")
        self.notes += [Note("incident.resolved", "incident", identifier) for identifier in resolved]
        if self.revision.touched and not self.notes:
            details = {
                "source": self.batch.source,
                "findings": len(self.batch.findings),
                "checks": len(self.batch.checks),
            }
            self.notes.append(Note("vuln.scan.completed", "scan", self.batch.source, details=details))
        self.revision.record_all(self.notes)

    def _relate_by_cve(self) -> None:
        """The rule scan-cve: incidents that one run of a scanner opens for one CVE are a family, of which the first is
        the parent."""
        parents: dict[tuple[object, object], str] = {}
        for row in self.new_incidents:
            cve = self.cves.get(row["id"])
            parent = parents.setdefault((row["source"], cve), row["id"]) if cve else row["id"]
            values = (parent, "confirmed", f"rule {SCAN_RULE}: one run of {row['source']} with {cve}")
            row |= dict(zip(PARENT, values if parent != row["id"] else (None, None, None), strict=True))

    def _timeline(self, entries: Sequence[tuple[str, str]], kind: str) -> None:
        self.revision.insert(
            incident_timeline,
            [
                {
                    "id": new_id("tl"),
                    "incident_id": identifier,
                    "happened_at": self.revision.now,
                    "heard_at": self.revision.now,
                    "kind": kind,
                    "actor": self.revision.actor,
                    "body": body,
                    "payload_id": self.receipt.payload_id,
                }
                for identifier, body in entries
            ],
        )


def _shared_key(finding: Finding, severity: str) -> str:
    return join_key("findings", finding.source, finding.rule or finding.check, severity)


def _incident_key(finding_key: str) -> str:
    return f"finding:{finding_key}"
