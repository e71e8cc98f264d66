"""What vendors are to send before the controls that wait for them have evidence."""

from collections import defaultdict
from typing import NamedTuple

import polars as pl

from engine.model.vocabulary import VENDOR_DOCUMENT_NAMES
from engine.render import words
from engine.reporting.snapshot.snapshot import Snapshot

# how a gap is said behind the document that it is of
_GAPS = {"cuec_unmapped": ": our part of its controls is not mapped", "qualified_opinion": " has reservations"}
# what is to be done about a gap
_TASKS = {
    "missing": "asks the vendor for its {}",
    "expired": "asks the vendor for a new {}",
    "wrong_scope": "asks the vendor for one that covers what we use: {}",
    "cuec_unmapped": "maps our part of the controls in its {}",
    "qualified_opinion": "judges the reservations in its {}",
}


class VendorNeed(NamedTuple):
    """A document, what is wrong with it, how many controls wait for it, and what its owner does about it."""

    text: str
    controls: int
    task: str


def needs_of_vendors(snapshot: Snapshot) -> dict[str, list[VendorNeed]]:
    """By vendor, what weighs most first, as the report of inherited gaps has it."""
    waiting = snapshot.fact("vendor_controls").filter(pl.col("gap") != "none")
    vendor_needs: dict[str, list[VendorNeed]] = defaultdict(list)
    counted = waiting.group_by("vendor_id", "expected_evidence", "gap").agg(
        pl.len(), severity_score=pl.col("severity_score").sum().round(1)
    )
    weightiest = counted.sort("severity_score", "expected_evidence", "gap", descending=[True, False, False])
    for row in weightiest.iter_rows(named=True):
        kind = row["expected_evidence"] or "evidence"
        name = VENDOR_DOCUMENT_NAMES.get(kind, words.spell(kind))
        lacks = _GAPS.get(row["gap"], f" {words.spell(row['gap'])}")
        task = _TASKS.get(row["gap"], "settles with the vendor what its {} lacks").format(name)
        vendor_needs[row["vendor_id"]].append(VendorNeed(f"{name}{lacks}", row["len"], task))
    return vendor_needs
