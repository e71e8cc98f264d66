"""A plan is simulated before it is shown: each piece of work is done on its day, and the states of the days follow.

Nothing is taken from the choice: evidence is good from the day on which it is there until the end of its window, a
signature until a later duty is overdue, and what speaks against a control does so until the work that mends it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.planning.signatures import NEW_DUTY, SIGNATURE, Signatures
from engine.planning.windows import window_days

_MENDED_BY = {"failing test": "test", "contradicting event": "operation"}


def without_plan(horizons: pl.DataFrame) -> pl.DataFrame:
    """Horizons as the only stage of their controls."""
    return horizons.with_columns(stage_from=pl.lit(None, pl.Date), stage_until=pl.lit(None, pl.Date))


@dataclass(frozen=True)
class Evidence:
    """Evidence of a kind for one control, there from a day on; ``duty`` is the one that a signature signs."""

    control: str  # framework:control
    kind: str
    on: date
    duty: str | None = None


@dataclass(frozen=True)
class PlanSimulation:
    """The horizons of controls with evidence that comes on its days."""

    horizons: pl.DataFrame
    evidence: Sequence[Evidence]
    signatures: Mapping[str, Signatures]

    @cached_property
    def stages(self) -> pl.DataFrame:
        """The horizons of each control as its evidence comes: each from ``stage_from`` until before ``stage_until``."""
        done: dict[str, list[Evidence]] = {}
        for one in sorted(self.evidence, key=lambda one: (one.on, one.control, one.kind)):
            done.setdefault(one.control, []).append(one)
        if not done:
            return without_plan(self.horizons)
        tag = pl.format("{}:{}", "framework", "control_id")
        changed = self.horizons.filter(tag.is_in(sorted(done)))
        rows = [
            stage
            for row in changed.iter_rows(named=True)
            for stage in self._stages_of(row, done[f"{row['framework']}:{row['control_id']}"])
        ]
        same = without_plan(self.horizons.filter(~tag.is_in(sorted(done))))
        after = pl.DataFrame(rows, schema=same.schema)
        return pl.concat([same, after]).sort("framework", "position", "stage_from", nulls_last=False)

    def _stages_of(self, row: dict[str, Any], done: Sequence[Evidence]) -> Iterator[dict[str, Any]]:
        """A control before its evidence and after each day on which some of it comes."""
        days = sorted({one.on for one in done})
        for begin, end in zip((None, *days), (*days, None), strict=True):
            there = [] if begin is None else [one for one in done if one.on <= begin]
            yield {**self._row(row, there), "stage_from": begin, "stage_until": end}

    def _row(self, row: dict[str, Any], done: Sequence[Evidence]) -> dict[str, Any]:
        found = dict(row)
        signed: set[str] = set()
        for one in done:
            if one.kind not in KINDS:
                continue
            until = one.on + timedelta(days=window_days(row, one.kind))
            if one.kind == SIGNATURE:
                signed.add(one.duty or NEW_DUTY)
                until = min([until, *self._following(row, signed)])
                found[f"{one.kind}_until"] = until
            else:
                before = found[f"{one.kind}_until"]
                found[f"{one.kind}_until"] = until if before is None else max(before, until)
            if _MENDED_BY.get(str(row["opposed_by"])) == one.kind:
                found["opposed_by"] = None
        return found

    def _following(self, row: Mapping[str, Any], signed: set[str]) -> list[date]:
        """When the next duty is due that is newer than what was signed."""
        mine = self.signatures.get(f"{row['framework']}:{row['control_id']}", Signatures())
        covered = max([mine.covered or date.min, *(due for name, due in mine.open if name in signed)])
        if NEW_DUTY in signed and mine.open == ():
            return []
        return [due for name, due in mine.open if due > covered and name not in signed][:1]
