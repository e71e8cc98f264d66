"""Findings of every known scanner, from one parsed JSON body to a ``FindingBatch``."""

from engine.ingest.findings.batch import FORMATS, HEADER, MOST, FindingBatch, read_findings
from engine.ingest.findings.finding import Finding

__all__ = ["FORMATS", "HEADER", "MOST", "Finding", "FindingBatch", "read_findings"]
