"""Which report goes into which archive under which name, and the archives that are made of them.

The table of a framework is ``<framework>.csv``: the lineage report names it as the file of a claim.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from engine.archives.contents.about import About
from engine.archives.contents.decisions import decisions
from engine.archives.contents.evidence_files import LIST as EVIDENCE_LIST
from engine.archives.contents.evidence_files import spool_evidence
from engine.archives.contents.log import spool_log, spool_pack
from engine.archives.contents.material import Material, gather_material
from engine.archives.contents.windows import Days
from engine.archives.sealing.manifest import RULES, EventRange, ManifestRevision
from engine.archives.sealing.spool import ArchiveSpool
from engine.model.vocabulary import FRAMEWORK_NAMES, ArchiveKind
from engine.render.tables.csv import SECTION, csv_chunks
from engine.runtime.services import Services


@dataclass(frozen=True)
class ContentItem:
    """A report as a file of an archive."""

    file: str
    report: str
    about: str

    @property
    def form(self) -> str:
        """The format, by the file's extension."""
        return self.file.rpartition(".")[2]


FRAMEWORKS = (
    ContentItem("soc2.csv", "type-ii", "SOC 2: criteria, tests performed, deviations, complementary controls"),
    ContentItem(
        "iso27001.csv", "iso-assessment", "ISO/IEC 27001: clauses, statement of applicability, nonconformities"
    ),
    ContentItem("pci-dss.csv", "pci-dss", "PCI DSS: finding for each requirement and its method"),
    ContentItem("hipaa.csv", "hipaa", "HIPAA Security Rule: standards and implementation specifications"),
    ContentItem("nist-csf.csv", "nist-csf", "NIST CSF: current and target profile"),
    ContentItem("cis-v8.csv", "cis-v8", "CIS Controls: safeguards by implementation group"),
    ContentItem("cmmc-l2.csv", "cmmc-l2", "CMMC Level 2: MET, NOT MET and the SPRS score"),
    ContentItem("gdpr-art32.csv", "gdpr-art32", "GDPR Article 32: measures, their tests and processors"),
    ContentItem("fedramp-poam.csv", "fedramp-poam", "FedRAMP plan of action and milestones, columns of the template"),
)
CROSSWALK = ContentItem(
    "crosswalk.csv", "crosswalk", "how SOC 2 maps to ISO/IEC 27001, with the evidence on either side"
)
EXCEPTIONS = ContentItem(
    "exceptions.csv", "exception-register", "accepted departures with approver, expiry and standing"
)
LINEAGE = ContentItem("lineage.csv", "evidence-lineage", "every claim with its evidence, audit event, hash and bundle")
WORKBOOK = (CROSSWALK, EXCEPTIONS, LINEAGE)
BUNDLE = (
    *WORKBOOK,
    ContentItem("attestations.csv", "attestations", "who signed for which control, when, on which evidence"),
    ContentItem(
        "evidence_freshness.csv", "evidence-freshness", "age of the evidence of each control against its cadence"
    ),
    ContentItem("open_gaps.csv", "gap-remediations", "controls that are not effective, and the plan to close them"),
    ContentItem("testing_schedules.csv", "testing-schedules", "planned and performed tests"),
    ContentItem("evidence_links.csv", "testing-evidence-linker", "tests linked to controls and bundles"),
    ContentItem("vendors.csv", "third-party-vendors", "third parties with their assurance"),
    ContentItem("legal_holds.csv", "legal-holds", "matters for which records are kept"),
    ContentItem("posture.json", "posture-score", "posture score with its components"),
)
MEETING_PACK = (
    ContentItem("summary.html", "executive-summary", "printable summary for the committee"),
    ContentItem("agenda.html", "committee-digest", "printable agenda: decisions, peaks, staffing, meetings to come"),
    ContentItem("scorecard.csv", "control-health-scorecard", "health of each control family"),
    ContentItem("scorecard.html", "control-health-scorecard", "the same, printable"),
    ContentItem("posture.json", "posture-score", "posture score with its components"),
    ContentItem("posture.csv", "posture-score", "the same as a table"),
    EXCEPTIONS,
    ContentItem("open_gaps.csv", "gap-remediations", "controls that are not effective, by priority"),
)
TITLES = {
    "bundle": "Evidence bundle",
    "workbook": "Evidence workbook",
    "evidence-pack": "Evidence pack",
    "committee-meeting-pack": "Committee meeting pack",
}


@contextmanager
def gather(
    services: Services, org_id: str, kind: ArchiveKind, window: Days, *, now: datetime, framework: str | None = None
) -> Iterator[tuple[ArchiveSpool, About, dict[str, int]]]:
    """The files of an archive of that kind at this moment, what it is about, and how many rows of each kind it has.

    ``framework`` leaves what is evidence for others out of an evidence pack.
    """
    with (
        gather_material(services, org_id, window, now=now, framework=framework) as material,
        ArchiveSpool(services.settings.data_dir / "spool") as spool,
    ):
        events, counts = _FILL[kind](material, spool)
        if kind in WITH_EVIDENCE:
            counts["evidence_files"] = spool_evidence(services, material, spool)
        subject = material.snapshot.subject
        about = About(
            kind=kind,
            title=TITLES[kind] if framework is None else f"{TITLES[kind]} for {framework} alone",
            organization=material.owner,
            as_of=subject.as_of,
            window=material.window,
            revision=ManifestRevision(subject.revision.seq, subject.revision.hash),
            settings_version=subject.settings.version,
            events=events,
        )
        yield spool, about, counts


def _bundle(material: Material, spool: ArchiveSpool) -> tuple[EventRange | None, dict[str, int]]:
    with ThreadPoolExecutor(1, "log") as thread:  # reading, hashing and much of a report need no interpreter
        log = thread.submit(spool_log, material, spool)
        _reports(material, spool, (*FRAMEWORKS, *BUNDLE))
        events, policies = log.result()
    _own_frameworks(material, spool)
    _own_rules(material, spool)
    rows = {part.name.partition(".")[0]: part.rows for part in spool.parts if part.rows is not None}
    return events, {"events": events.count, "policies": policies, **rows}


def _workbook(material: Material, spool: ArchiveSpool) -> tuple[EventRange | None, dict[str, int]]:
    spool_pack(material, spool)
    _reports(material, spool, (*FRAMEWORKS, *WORKBOOK))
    _own_frameworks(material, spool)
    return None, {}


def _meeting_pack(material: Material, spool: ArchiveSpool) -> tuple[EventRange | None, dict[str, int]]:
    _reports(material, spool, MEETING_PACK)
    spool.add(
        "decisions.md", "decisions asked for now, to fill in, and what became of earlier ones", decisions(material)
    )
    return None, {}


def _evidence_pack(material: Material, spool: ArchiveSpool) -> tuple[EventRange | None, dict[str, int]]:
    spool_pack(material, spool)
    _own_rules(material, spool)
    return None, {}


WITH_EVIDENCE: tuple[ArchiveKind, ...] = ("bundle", "workbook", "evidence-pack")
_FILL = {
    "bundle": _bundle,
    "workbook": _workbook,
    "evidence-pack": _evidence_pack,
    "committee-meeting-pack": _meeting_pack,
}


def _reports(material: Material, spool: ArchiveSpool, items: tuple[ContentItem, ...]) -> None:
    for item in items:
        data = material.bytes(item.report, item.form)
        counts = _records(data) if item.form == "csv" else None
        spool.add(item.file, item.about + _sections_text(counts), data, None if counts is None else counts.total())


def _own_frameworks(material: Material, spool: ArchiveSpool) -> None:
    """The page of each framework of one's own; one that is called as another file is has its kind before its name."""
    taken = {part.name for part in spool.parts} | {EVIDENCE_LIST, RULES}
    for framework in material.pack.frameworks:
        if framework in FRAMEWORK_NAMES:
            continue
        data = material.bytes("baseline-comparison", "csv", framework=framework)
        counts, name = _records(data), f"{framework}.csv"
        about = f"{framework}, a framework of the organization's own: readiness and every control"
        file = f"framework-{name}" if name in taken else name
        spool.add(file, about + _sections_text(counts), data, counts.total())


def _own_rules(material: Material, spool: ArchiveSpool) -> None:
    """Which events are evidence for which control by the organization's own word: who has the archive alone asks it."""
    if not material.pack.rules:
        return
    columns = ("pattern", "outcome", "framework", "control_id", "effect", "family", "note")
    schema = dict.fromkeys(columns, pl.String)
    frame = pl.DataFrame(list(material.pack.rules), schema_overrides=schema).select(columns)
    about = "rules of the organization's own: which events are evidence for which control"
    spool.add(RULES, about, b"".join(csv_chunks([frame.sort(columns, nulls_last=True)])), frame.height)


def _records(data: bytes) -> Counter[str]:
    """How many records a CSV file has after its header, by section where it has several tables."""
    reader = csv.reader(io.StringIO(data.decode(), newline=""))
    by_section = next(reader, [])[:1] == [SECTION]
    return Counter(row[0] if by_section else "" for row in reader)


def _sections_text(counts: Counter[str] | None) -> str:
    """What the rows of a file of several tables are, in its order: ``: gaps 3, owners 2``."""
    named = [f"{section.replace('_', ' ')} {rows:,}" for section, rows in (counts or {}).items() if section]
    return f": {', '.join(named)}" if named else ""
