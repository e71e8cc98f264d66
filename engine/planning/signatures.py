"""The duties of each control to be signed: those that are open, and until when those that are decided cover it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

import polars as pl

SIGNATURE = "attestation"
NEXT_DUTY = "-next"  # how the name of a duty ends that follows by itself
NEW_DUTY = ""  # in place of the name of a duty that the plan would ask for


@dataclass(frozen=True)
class Signatures:
    """The open duties of a control to sign, the first due first, and until when those that are decided cover it."""

    open: tuple[tuple[str, date], ...] = ()
    covered: date | None = None
    owners: Mapping[str, str | None] = field(default_factory=dict)  # of those that are open
    following: tuple[date, str | None] | None = None  # the duty that nobody has asked for yet: when due, and whose

    def standing(self) -> tuple[tuple[str, date], ...]:
        """Those whose lapse counts: newer than what was decided."""
        return tuple(duty for duty in self.open if self.covered is None or duty[1] > self.covered)


def signatures(signature_duties: pl.DataFrame) -> Mapping[str, Signatures]:
    """The duties of each control by ``framework:control``; one that follows by itself was asked for by nobody."""
    found: dict[str, Signatures] = {}
    rows = signature_duties.sort("due_on", "id")
    for row in rows.select("framework", "control_id", "id", "owner", "due_on", "done").iter_rows(named=True):
        name = f"{row['framework']}:{row['control_id']}"
        one = found.get(name, Signatures())
        if row["done"]:
            covered = max(one.covered or date.min, row["due_on"])
            found[name] = replace(one, covered=covered)
        elif str(row["id"]).endswith(NEXT_DUTY):
            found[name] = replace(one, following=(row["due_on"], row["owner"]))
        else:
            owners = {**one.owners, row["id"]: row["owner"]}
            found[name] = replace(one, open=(*one.open, (row["id"], row["due_on"])), owners=owners)
    return found
