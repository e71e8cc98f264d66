"""Why a figure moved: which of the rows that it counts came, went or give another part, and what happened to those."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from engine.model.documents.document import FrameRow
from engine.model.documents.movement import StateMove
from engine.model.figures.figure import REASON, Figure
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.difference import tables
from engine.reporting.difference.subjects import subjects_of_row
from engine.reporting.difference.tables import TableDifference

# scores whose parts are no things: the kinds of things that they sum up
_SUMMED = {"posture": ("control", "attestation", "third_party", "remediation"), "readiness": ("control", "attestation")}
_OF_A_SCORE = ("contribution", "numerator")
_LISTED = 3
_PARTS = ("contribution", "numerator", "value", "amount", "flag")  # what a row gives to its figure


@dataclass(frozen=True)
class FigureWhy:
    """The rows behind the move of a figure, in words, and what moved of them. ``parts``: of a score, its components.

    ``incidents`` are those among the rows: figures of incidents count a period, which moves on, so its rows say why.
    """

    rows: str
    moved: tuple[StateMove, ...]
    parts: str = ""
    incidents: tuple[StateMove, ...] = ()


def why(
    figure: Figure,
    before: pl.DataFrame,
    after: pl.DataFrame,
    moved: Sequence[StateMove],
    sources: Mapping[str, str],
    framework_names: Mapping[str, str] = FRAMEWORK_NAMES,
) -> FigureWhy:
    """``before`` and ``after`` are the explained rows of the figure. What moved of other things is no reason."""
    difference = tables.diff(before.drop(REASON), after.drop(REASON))
    part = next((name for name in _PARTS if name in after.columns), "")
    rows = list(_differing(difference, part))
    subjects = {subject for row in rows for subject in subjects_of_row(row, sources)}
    summed = () if subjects or part not in _OF_A_SCORE else figure.facts
    kinds = {kind for fact in summed for kind in _SUMMED.get(fact, ())}
    steps = _steps(difference, part, framework_names)
    mine = [one for one in moved if one.kind in kinds or not subjects.isdisjoint(one.about)]
    return FigureWhy(
        _in_words(difference, steps, framework_names),
        tuple(one for one in mine if one.kind != "incident"),
        steps if kinds else "",
        tuple(one for one in mine if one.kind == "incident"),
    )


def _differing(difference: TableDifference, part: str) -> Iterator[FrameRow]:
    yield from difference.came.values()
    yield from difference.went.values()
    yield from (row.after for row in difference.changed if row.before.get(part) != row.after.get(part))


def _in_words(difference: TableDifference, steps: str, framework_names: Mapping[str, str]) -> str:
    said = []
    for word, rows in (("came", difference.came), ("went", difference.went)):
        if rows:
            said.append(f"{len(rows):,} {word} ({_some([_row_name(row, framework_names) for row in rows.values()])})")
    return "; ".join([*said, steps] if steps else said)


def _steps(difference: TableDifference, part: str, framework_names: Mapping[str, str]) -> str:
    """The rows that give another part than before, those that differ most first."""
    steps = []
    for row in difference.changed:
        old, new = row.before.get(part), row.after.get(part)
        if isinstance(old, int | float) and isinstance(new, int | float) and old != new:
            steps.append((abs(new - old), f"{_row_name(row.after, framework_names)} {new - old:+,.3g}"))
    return _some([text for _, text in sorted(steps, key=lambda one: (-one[0], one[1]))])


def _row_name(row: FrameRow, framework_names: Mapping[str, str]) -> str:
    """What people call a row that a figure counts."""
    if row.get("framework") and row.get("control_id"):
        return f"{framework_names.get(row['framework'], row['framework'])} {row['control_id']}"
    names = (row.get(name) for name in ("title", "name", "vendor", *row))
    return str(next((name for name in names if name), ""))


def _some(names: list[str]) -> str:
    more = f", {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
