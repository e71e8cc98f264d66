"""Findings of every known scanner, from the bytes of a body or a file to a ``FindingBatch``."""

from engine.intake.findings.batch import FORMATS, HEADER, MOST, FindingBatch, read_findings
from engine.intake.findings.checks import ScannerCheck, bare_title, describe
from engine.intake.findings.csv_rows import is_csv
from engine.intake.findings.documents import parse_document
from engine.intake.findings.finding import Finding

__all__ = [
    "FORMATS",
    "HEADER",
    "MOST",
    "Finding",
    "FindingBatch",
    "ScannerCheck",
    "bare_title",
    "describe",
    "is_csv",
    "parse_document",
    "read_findings",
]
