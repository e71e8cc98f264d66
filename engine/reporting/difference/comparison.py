"""From two snapshots of one organization to the document that says what differs between them and why."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple, Protocol

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, FrameRow
from engine.model.documents.movement import StateMove, in_groups
from engine.model.figures.figure import Figures
from engine.reporting.difference.causes import Cause, Causes, Grounds
from engine.reporting.difference.diff_text import DiffContext, diff_document
from engine.reporting.difference.documents import DocumentDifference, diff_documents
from engine.reporting.difference.figure_rows import FigureWhy, why
from engine.reporting.difference.movements import MOVING, movements
from engine.reporting.difference.subjects import Subject, subjects_of_row, subjects_of_write, tables_about
from engine.reporting.snapshot.record_parts import behind, tables_behind
from engine.store import Store
from engine.store.queries.history.writes import WriteEvent, events_named, events_of, writes_between


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
    days, names = (before.ask.as_of, after.ask.as_of), after.ask.framework_names
    with store.reader() as connection:
        span = before.position, after.position
        named = events_named(connection, org_id, _evidence_ids(pairs))
        sources = _sources(pairs)
        wanted = {subject for row in _differing(difference) for subject in subjects_of_row(row, sources)}
        tables = tables_about(wanted, tables_behind(report.facts) - {"audit_log"})
        written = writes_between(connection, org_id, tables, *span)
        writes = [write for write in written if not wanted.isdisjoint(subjects_of_write(write))]
        events = events_of(connection, org_id, {write.revision for write in writes}, after.position)
    grounds = Grounds(days, time_zone, writes, events, _evidence(pairs, named, span), _lapses(pairs, days), sources)
    moved = movements(
        {name: pair[0] for name, pair in pairs.items()},
        {name: pair[1] for name, pair in pairs.items()},
        days,
        {name: event.action for name, event in named.items()},
        names,
    )
    whys = {}
    for figure in report.figures:
        if any(change.id == figure.id for change in difference.figures):
            rows = before.figures.explained_rows(figure.id), after.figures.explained_rows(figure.id)
            whys[figure.id] = why(figure, *rows, moved, sources, names)
    return diff_document(
        DiffContext(
            days,
            before.position,
            difference,
            Causes(grounds).of,
            report.facts,
            in_groups(_of_these(moved, wanted, whys.values())),
            whys,
            names,
        )
    )


def _of_these(moved: Iterable[StateMove], wanted: set[Subject], whys: Iterable[FigureWhy]) -> Iterator[StateMove]:
    """What moved of all that rows and figures are about."""
    state_moves = {one for each in whys for one in (*each.moved, *each.incidents)}
    return (one for one in moved if one in state_moves or not wanted.isdisjoint(one.about))


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
    columns = {"control_evidence": ("last_id", "contradicted_by"), "control_assessments": ("last_evidence_id",)}
    return {
        name
        for fact, names in columns.items()
        for frame in pairs.get(fact, ())
        for column in names
        for name in frame[column].drop_nulls().to_list()
    }


def _evidence(pairs: _Pairs, named: Mapping[str, WriteEvent], span: tuple[int, int]) -> dict[Subject, list[WriteEvent]]:
    """Of each control the events that its facts name now, which were recorded in between."""
    write_events: dict[Subject, list[WriteEvent]] = {}
    if "control_evidence" not in pairs:
        return write_events
    for framework, control, *ids in (
        pairs["control_evidence"][1].select("framework", "control_id", "last_id", "contradicted_by").iter_rows()
    ):
        for event in (named[name] for name in ids if name in named):
            if span[0] < event.seq <= span[1]:
                listed = write_events.setdefault(("control", framework, control), [])
                if event not in listed:
                    listed.append(event)
    return write_events


def _lapses(pairs: _Pairs, days: tuple[date, date]) -> dict[Subject, list[Cause]]:
    """What ended for a control in between without a write: its evidence, its attestation."""
    causes: dict[Subject, list[Cause]] = {}
    for row in _entries(pairs, "control_status", ("framework", "control_id"), "state", "stale"):
        since = row["state_since"]
        if since is not None and days[0] < since <= days[1] and not row["change_invalidated"]:
            last, until = row["last_evidence_on"], row["next_due_on"]
            text = f"{' and '.join(row['kinds_stale'])} evidence too old from {spelled_day(since)} on"
            if last is not None and until is not None and until + timedelta(days=1) == since:
                text = f"its newest evidence, of {spelled_day(last)}, was good until {spelled_day(until)}"
            causes.setdefault(("control", row["framework"], row["control_id"]), []).append(Cause("time", text, since))
    for row in _entries(pairs, "attestations", ("id",), "status", "overdue"):
        if days[0] <= row["due_on"] < days[1]:
            what = "its attestation ended" if row["id"].endswith("-next") else "its attestation fell due unsigned"
            cause = Cause("time", f"{what} on {spelled_day(row['due_on'])}", row["due_on"])
            for subject in (("control", row["framework"], row["control_id"]), ("record", "", row["id"])):
                causes.setdefault(subject, []).append(cause)
    return causes


def _entries(pairs: _Pairs, fact: str, key: tuple[str, ...], column: str, state: str) -> Iterable[FrameRow]:
    """The rows of a fact that are in a state now and were not then."""
    if fact not in pairs:
        return []
    then, now = pairs[fact]
    there = then.filter(pl.col(column) == state).select(key)
    return now.filter(pl.col(column) == state).join(there, on=list(key), how="anti").iter_rows(named=True)
