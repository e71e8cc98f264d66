"""What vendors are to send before the controls that wait for them have evidence."""

from collections import defaultdict
from typing import NamedTuple

import polars as pl

from engine.model.vocabulary import VENDOR_DOCUMENT_NAMES
from engine.render import words
from engine.reporting.snapshot.snapshot import Snapshot


class VendorNeed(NamedTuple):
    """A document, what is wrong with it, and how many controls wait for it."""

    text: str
    controls: int


def needs_of_vendors(snapshot: Snapshot) -> dict[str, list[VendorNeed]]:
    """By vendor, what most controls wait for first."""
    waiting = snapshot.fact("vendor_controls").filter(pl.col("gap") != "none")
    vendor_needs: dict[str, list[VendorNeed]] = defaultdict(list)
    counted = waiting.group_by("vendor_id", "expected_evidence", "gap").len()
    for row in counted.sort("len", "expected_evidence", "gap", descending=[True, False, False]).iter_rows(named=True):
        kind = row["expected_evidence"] or "evidence"
        name = VENDOR_DOCUMENT_NAMES.get(kind, words.spell(kind))
        vendor_needs[row["vendor_id"]].append(VendorNeed(f"{name} {words.spell(row['gap'])}", row["len"]))
    return vendor_needs
