"""From two snapshots of one organization to the document that says what differs between them and why."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple, Protocol

import polars as pl

from engine.model.ask import Ask
from engine.model.days import spelled_day
from engine.model.document import Document, FrameRow
from engine.model.figure import Figures
from engine.model.report import Report
from engine.reporting.difference import tables
from engine.reporting.difference.causes import Cause, Causes, Grounds
from engine.reporting.difference.documents import DocumentDifference, diff_documents
from engine.reporting.difference.movements import MOVING, movements
from engine.reporting.difference.origins import behind, tables_behind
from engine.reporting.difference.subjects import Subject, subjects_of_row, subjects_of_write
from engine.reporting.difference.telling import Told, tell
from engine.reporting.facts.movements import family_of
from engine.store import Store
from engine.store.queries.writes import WriteEvent, events_named, events_of, writes_between

_LISTED = 3
_PARTS = ("contribution", "value", "amount", "flag")  # of an explained row: what it gives to its figure


class Side(NamedTuple):
    """A report at one position of the chain: what it says, what it was asked, and any fact of that moment."""

    document: Document
    figures: Figures
    ask: Ask
    position: int
    fact: "FactReader"


class FactReader(Protocol):
    """Gives a fact of one moment, over any period."""

    def __call__(self, name: str) -> pl.DataFrame: ...


def compare(report: Report, before: Side, after: Side, store: Store, org_id: str, time_zone: str) -> Document:
    """What differs between the report then and now, and what did it."""
    difference = diff_documents(before.document, after.document, report.figures)
    closure = behind(report.facts)
    pairs = {name: (before.fact(name), after.fact(name)) for name in _looked_at(closure)}
    days = before.ask.as_of, after.ask.as_of
    with store.reader() as connection:
        span = before.position, after.position
        named = events_named(connection, org_id, _evidence_ids(pairs))
        sources = _sources(pairs)
        wanted = {subject for row in _differing(difference) for subject in subjects_of_row(row, sources)}
        written = writes_between(connection, org_id, tables_behind(report.facts) - {"audit_log"}, *span)
        writes = [write for write in written if not wanted.isdisjoint(subjects_of_write(write))]
        events = events_of(connection, org_id, {write.revision for write in writes})
    grounds = Grounds(days, time_zone, writes, events, _evidence(pairs, named, span), _passed(pairs, days), sources)
    families = {name: family_of(event.action) for name, event in named.items()}
    changed = [figure.id for figure in difference.figures if figure.id in after.figures.declared]
    return tell(
        Told(
            days,
            before.position,
            difference,
            Causes(grounds).of,
            report.facts,
            movements(
                {name: pair[0] for name, pair in pairs.items()},
                {name: pair[1] for name, pair in pairs.items()},
                families,
            ),
            {name: _why(before.figures.explained(name), after.figures.explained(name)) for name in changed},
        )
    )


def _looked_at(closure: frozenset[str]) -> Iterator[str]:
    """The facts of the report that tell of things rather than of sums."""
    wanted = [*(moving.fact for moving in MOVING), "control_evidence", "obligations"]
    return (name for name in wanted if name in closure)


_Pairs = Mapping[str, tuple[pl.DataFrame, pl.DataFrame]]


def _differing(difference: DocumentDifference) -> Iterator[FrameRow]:
    for named in difference.tables:
        yield from named.rows.came.values()
        yield from named.rows.went.values()
        yield from (row.after for row in named.rows.changed)


def _sources(pairs: _Pairs) -> dict[str, str]:
    frames = pairs.get("obligations", ())
    return {
        name: source for frame in frames for name, source in frame.select("obligation_id", "source_ref").iter_rows()
    }


def _evidence_ids(pairs: _Pairs) -> set[str]:
    """The events that the facts name as evidence of controls, for or against."""
    columns = {"control_evidence": ("last_id", "contradicted_by"), "control_status": ("last_evidence_id",)}
    return {
        name
        for fact, names in columns.items()
        for frame in pairs.get(fact, ())
        for column in names
        for name in frame[column].drop_nulls().to_list()
    }


def _evidence(pairs: _Pairs, named: Mapping[str, WriteEvent], span: tuple[int, int]) -> dict[Subject, list[WriteEvent]]:
    """Of each control the events that its facts name now, which were recorded in between."""
    found: dict[Subject, list[WriteEvent]] = {}
    if "control_evidence" not in pairs:
        return found
    for framework, control, *ids in pairs["control_evidence"][1].select(
        "framework", "control_id", "last_id", "contradicted_by"
    ).iter_rows():  # fmt: skip
        for event in (named[name] for name in ids if name in named):
            if span[0] < event.seq <= span[1]:
                listed = found.setdefault(("control", framework, control), [])
                if event not in listed:
                    listed.append(event)
    return found


def _passed(pairs: _Pairs, days: tuple[date, date]) -> dict[Subject, list[Cause]]:
    """What ended for a control in between without a write: its evidence, its attestation."""
    found: dict[Subject, list[Cause]] = {}
    for row in _entered(pairs, "control_status", ("framework", "control_id"), "state", "stale"):
        last, until = row["last_evidence_on"], row["next_due_on"]
        if last is not None and until is not None and days[0] <= until < days[1] and not row["change_invalidated"]:
            said = f"its newest evidence, of {spelled_day(last)}, was good until {spelled_day(until)}"
            cause = Cause("time", said, until + timedelta(days=1))
            found.setdefault(("control", row["framework"], row["control_id"]), []).append(cause)
    for row in _entered(pairs, "attestations", ("id",), "status", "overdue"):
        if days[0] <= row["due_on"] < days[1]:
            what = "its attestation ended" if row["id"].endswith("-next") else "its attestation fell due unsigned"
            cause = Cause("time", f"{what} on {spelled_day(row['due_on'])}", row["due_on"])
            for subject in (("control", row["framework"], row["control_id"]), ("record", "", row["id"])):
                found.setdefault(subject, []).append(cause)
    return found


def _entered(pairs: _Pairs, fact: str, key: tuple[str, ...], column: str, state: str) -> Iterable[FrameRow]:
    """The rows of a fact that are in a state now and were not then."""
    if fact not in pairs:
        return []
    then, now = pairs[fact]
    there = then.filter(pl.col(column) == state).select(key)
    return now.filter(pl.col(column) == state).join(there, on=list(key), how="anti").iter_rows(named=True)


def _why(before: pl.DataFrame, after: pl.DataFrame) -> str:
    """Which of the rows that a figure counts came, went or gave another part to it."""
    difference = tables.diff(before.drop("reason"), after.drop("reason"))
    said = []
    for word, rows in (("came", difference.came), ("went", difference.went)):
        if rows:
            said.append(f"{len(rows):,} {word} ({_some([_named(row) for row in rows.values()])})")
    part = next((name for name in _PARTS if name in after.columns), None)
    moved = []
    for row in difference.changed:
        old, new = row.before.get(part or ""), row.after.get(part or "")
        if isinstance(old, int | float) and isinstance(new, int | float) and old != new:
            moved.append((abs(new - old), f"{_named(row.after)} {new - old:+,g}"))
    if moved:
        told = [text for _, text in sorted(moved, key=lambda one: (-one[0], one[1]))]
        said.append(_some(told))
    return "; ".join(said)


def _named(row: FrameRow) -> str:
    """What people call a row that a figure counts."""
    name = next((row[name] for name in ("title", "name", "vendor") if row.get(name)), None)
    key = [str(row[column]) for column in ("framework", "control_id", "id", "vendor_id") if row.get(column)]
    return " ".join(key[:2]) if key else str(name or next((value for value in row.values() if value), ""))


def _some(names: list[str]) -> str:
    more = f", {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
