"""Findings of every known scanner, from one parsed JSON body to a ``FindingBatch``."""

from engine.intake.findings.batch import (
    FORMATS,
    HEADER,
    MOST,
    FindingBatch,
    read_findings,
)
from engine.intake.findings.finding import Finding

__all__ = ["FORMATS", "HEADER", "MOST", "Finding", "FindingBatch", "read_findings"]
