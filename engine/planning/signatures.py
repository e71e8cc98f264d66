"""The duties of each control to be signed: those that are open, and until when those that are decided cover it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    covered: dict[str, date] = {}
    standing: dict[str, list[tuple[str, date, str | None]]] = {}
    following: dict[str, tuple[date, str | None]] = {}
    rows = signature_duties.sort("due_on", "id").select(
        pl.format("{}:{}", "framework", "control_id"), "id", "owner", "due_on", "done"
    )
    for name, duty, owner, due_on, done in rows.iter_rows():
        if done:
            covered[name] = due_on  # the last one, as they are sorted
        elif duty.endswith(NEXT_DUTY):
            following[name] = due_on, owner
        else:
            standing.setdefault(name, []).append((duty, due_on, owner))
    return {
        name: Signatures(
            tuple((duty, due_on) for duty, due_on, _ in standing.get(name, ())),
            covered.get(name),
            {duty: owner for duty, _, owner in standing.get(name, ())},
            following.get(name),
        )
        for name in {**covered, **standing, **following}
    }
