"""Accept the index of reports: ``python -m tests.reports.accept_index``."""

import dataclasses

import msgspec

from engine.reporting.index import INDEX, IndexEntry
from reports import REPORTS, SECTIONS
from reports.digests import DIGESTS
from reports.programme.plans import readiness_plan


def index_bytes() -> bytes:
    """The file as the declarations have it, a line for each."""
    reports = [IndexEntry.of(report) for report in REPORTS]
    digests = [dataclasses.replace(digest, report=IndexEntry.of(digest.report)) for digest in DIGESTS]
    sections = msgspec.json.encode({title: [report.name for report in section] for title, section in SECTIONS.items()})
    lines = {
        name: b",\n".join(map(msgspec.json.encode, entries))
        for name, entries in (("reports", reports), ("digests", digests))
    }
    plan = msgspec.json.encode(IndexEntry.of(readiness_plan.REPORT))
    return b'{"sections": %b,\n"reports": [\n%b\n], "digests": [\n%b\n],\n"plan": %b}\n' % (
        sections,
        lines["reports"],
        lines["digests"],
        plan,
    )


if __name__ == "__main__":
    INDEX.write_bytes(index_bytes())
