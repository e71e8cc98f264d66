"""Facts: what many reports look at, computed once.

A fact function takes and returns frames with an ``org_id`` column, so one organization on demand and all of them in
the nightly batch run through the same code. What it is made from is said by the names of its parameters: another fact,
``asked`` (who, which day, which thresholds), or ``<name>_rows`` (a scan of the replica). Columns are declared in
``schemas``.
"""

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from engine.facts.continuations import (
    CONTINUATIONS,
    EVENT_COLUMNS,
    EVENTS_SINCE,
    LOOKUPS,
    MANY_EVENTS,
    Continuation,
    ScannedTo,
)
from engine.facts.expressions import SIGNED_DAYS
from engine.facts.memory import FactMemory, Source
from engine.facts.obligations.ledger import EFFORT_HOURS
from engine.facts.obligations.sources import REVIEW_HOURS
from engine.facts.question import BOUNDS, OF_PERIOD, FactQuestion, question_frame
from engine.facts.schemas import SCHEMAS
from engine.facts.table import ASKED, FACTS, OF_EVERYBODY, check_facts, check_names, has_period, inputs, sources_of
from engine.model.documents.document import Position
from engine.replica.scans.registry import SCANS
from engine.replica.view import View

Scan = Callable[[str], pl.DataFrame]
"""Runs a query that may read ``asked``."""
Complete = Callable[[Scan, Mapping[str, pl.DataFrame]], Mapping[str, pl.DataFrame]]
"""Adds the weeks that have none to the scans of weekly snapshots, ``WEEKLY`` or ``PLANNED``, which it gets as they are
stored."""
WEEKLY = ("readiness_snapshots_rows", "posture_snapshots_rows", "control_state_changes_rows")
PLANNED = ("obligation_snapshots_rows",)
_BOUNDS, _DAY, _DAY_BOUNDS = "bounds", "day", "day bounds"
_SINCE = "WITH audit_log AS (SELECT * FROM main.audit_log WHERE org_id = $1 AND seq > $2) SELECT * FROM ({query})"


@dataclass(frozen=True)
class CachedFacts:
    """What facts of an organization at ``head`` came to earlier, and what says whether a scan would say the same.

    That is where the newest write to each part of the records ended that it looks at: ``stand_of`` gives those of the
    tables, and whether it looks at all events.
    """

    memory: FactMemory
    head: Position
    stand_of: Callable[[str], tuple[Hashable, bool]]


class Facts:
    """The facts of some organizations in one view of the replica, each computed when it is first asked for.

    ``given`` are facts and scans that are known already. ``complete`` makes up for weeks without a snapshot. With
    ``recall``, what rests on nothing that changed since is not computed again. ``of_day`` are the facts of the same
    moment over whatever period: what is the same over every period is taken from them.
    """

    def __init__(
        self,
        view: View,
        questions: Sequence[FactQuestion],
        given: Mapping[str, pl.DataFrame] | None = None,
        complete: "Complete | None" = None,
        recall: CachedFacts | None = None,
        of_day: "Facts | None" = None,
    ) -> None:
        self._view = view
        self._complete = complete
        self._recall = recall
        self._of_day = of_day
        self._weeks: dict[str, pl.DataFrame] = {}  # scans of snapshots with the weeks that were missing
        self._lock = threading.RLock()
        self._passed: dict[Position, bool] = {}
        self._events: dict[int, pl.DataFrame] = {}  # events after a place in the chain
        self._alone = questions[0].org_id if len(questions) == 1 else ""
        self._memory = FactMemory(0) if recall is None else recall.memory
        self._questions = tuple(questions)
        asked = self._frame_of_question(ASKED, lambda: question_frame(questions))
        day = self._frame_of_question(_DAY, lambda: asked.drop(OF_PERIOD))
        self._asked = {True: asked, False: day}  # by whether the period is told
        self._bounds = {
            True: self._frame_of_question(_BOUNDS, lambda: asked.select(BOUNDS)),
            False: self._frame_of_question(_DAY_BOUNDS, lambda: day.select(cs.by_name(BOUNDS, require_all=False))),
        }
        self._frames: dict[str, pl.DataFrame] = {**(given or {}), ASKED: asked}

    def _frame_of_question(self, name: str, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """What says whom the facts are about; the same frame as long as the same is asked."""
        frame = self._memory.get(name, self._questions)
        return self._memory.settle(name, self._questions, make()) if frame is None else frame

    def __getitem__(self, name: str) -> pl.DataFrame:
        with self._lock:
            if name not in self._frames:
                whole = self._of_day if self._of_day is not None and not has_period(name) else None
                self._frames[name] = self._make(name) if whole is None else whole[name]
            return self._frames[name]

    def of(self, org_id: str, name: str) -> pl.DataFrame:
        """The rows of one organization; facts of the catalogue have no organization and come whole."""
        frame = self[name]
        if self._alone or "org_id" not in frame.columns:
            return frame
        mine = pl.col("org_id") == org_id
        return frame.filter(mine | pl.col("org_id").is_null() if name in OF_EVERYBODY else mine)

    def _make(self, name: str) -> pl.DataFrame:
        """A fact or a scan: as it was computed earlier, if from the same."""
        sources: tuple[Source, ...] = tuple(self._parts_of(name).values())
        if name in SCANS and self._recall is not None:
            stand, is_of_all_events = self._recall.stand_of(name)
            sources = (stand, self._bounds[has_period(name)], *sources)
            if is_of_all_events:
                frame = self._memory.get(name, (*sources, self._recall.head))
                return self._go_on(name, sources, self._recall) if frame is None else frame
        frame = self._memory.get(name, sources)
        if frame is None and name in LOOKUPS and self._recall is not None:
            frame = self._look_up(name, sources, self._recall)
        return self._memory.settle(name, sources, self._compute(name)) if frame is None else frame

    def _parts_of(self, name: str) -> dict[str, pl.DataFrame]:
        """What a fact is computed from; of what is asked without the period where none matters to it."""
        over = has_period(name)
        return {part: self._asked[over] if part == ASKED else self[part] for part in sources_of(name)}

    def _look_up(self, name: str, sources: tuple[Source, ...], recall: CachedFacts) -> pl.DataFrame:
        """A scan of rows of the log by their keys: those that were found before are not looked for again."""
        (wanted,), rest = sources_of(name), sources[:-1]
        before = recall.memory.scanned.get(name, rest)
        asked, keys = self[wanted], LOOKUPS[name]
        if before is None or not self._is_past(before.position):
            frame = self._scan(name)
        else:
            new = asked.join(before.frame, on=keys, how="anti")
            rows = self._rows(SCANS[name], {**self._tables(name), wanted: new})
            found = pl.DataFrame(rows, before.frame.schema, orient="row")
            frame = pl.concat([before.frame.join(asked, on=keys, how="semi"), found])
        frame = recall.memory.settle(name, sources, frame)
        recall.memory.scanned.put(name, rest, ScannedTo(recall.head, frame))
        return frame

    def _go_on(self, name: str, sources: tuple[Source, ...], recall: CachedFacts) -> pl.DataFrame:
        """A scan of all events; where it can, it takes in those alone that came since it was last looked at."""
        frame, continuation = None, CONTINUATIONS.get(name)
        before = recall.memory.scanned.get(name, sources) if continuation is not None else None
        if continuation is not None and before is not None and self._is_past(before.position):
            frame = before.frame
            if self._is_touched(name, continuation, before.position.seq):
                frame = continuation.continue_rows(frame, self._since(name, frame, before.position.seq))
        frame = recall.memory.settle(name, (*sources, recall.head), self._compute(name) if frame is None else frame)
        recall.memory.scanned.put(name, sources, ScannedTo(recall.head, frame))
        return frame

    def _is_touched(self, name: str, continuation: Continuation, after: int) -> bool:
        """Whether a scan may have rows of events that came ``after`` a place in the chain."""
        if continuation.touched is None:
            return True
        if after not in self._events:
            with self._view.lock:
                rows = self._view.rows(EVENTS_SINCE, (self._alone, after))
            self._events[after] = pl.DataFrame(rows, EVENT_COLUMNS, orient="row")
        events = self._events[after]
        return events.height >= MANY_EVENTS or continuation.touched(events, [self[part] for part in sources_of(name)])

    def _is_past(self, position: Position) -> bool:
        """Whether the organization was once at the position."""
        if position not in self._passed:
            with self._view.lock:
                self._passed[position] = self._view.has_passed(self._alone, position)
        return self._passed[position]

    def _compute(self, name: str) -> pl.DataFrame:
        weekly = next((scans for scans in (WEEKLY, PLANNED) if name in scans), ())
        if weekly and self._complete is not None:
            if name not in self._weeks:
                stored = {scan: self._scan(scan) for scan in weekly}
                self._weeks.update(self._complete(self._run, stored))
            return self._weeks[name]
        if name in SCANS:
            return self._scan(name)
        return FACTS[name](**self._parts_of(name))

    def _scan(self, name: str) -> pl.DataFrame:
        tables = self._tables(name)
        with self._view.lock:
            self._offer(tables)
            return self._view.frame(SCANS[name])

    def _run(self, query: str) -> pl.DataFrame:
        with self._view.lock:
            self._offer({ASKED: self._bounds[True]})
            return self._view.frame(query)

    def _tables(self, name: str) -> dict[str, pl.DataFrame]:
        """What a scan reads besides the records."""
        return {ASKED: self._bounds[has_period(name)], **{fact: self[fact] for fact in sources_of(name)}}

    def _since(self, name: str, before: pl.DataFrame, after: int) -> pl.DataFrame:
        """The rows of a scan over the events ``after`` a place in the chain, in the columns of those before."""
        query, tables = _SINCE.format(query=SCANS[name]), self._tables(name)
        return pl.DataFrame(self._rows(query, tables, (self._alone, after)), before.schema, orient="row")

    def _rows(
        self, query: str, tables: Mapping[str, pl.DataFrame], parameters: Sequence[object] = ()
    ) -> list[tuple[Any, ...]]:
        with self._view.lock:
            self._offer(tables)
            return self._view.rows(query, parameters)

    def _offer(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """What a query reads besides the records; the view's lock is held."""
        for table, frame in tables.items():
            self._view.offer(table, frame)


__all__ = [
    "ASKED",
    "EFFORT_HOURS",
    "FACTS",
    "REVIEW_HOURS",
    "SCHEMAS",
    "SIGNED_DAYS",
    "FactQuestion",
    "Facts",
    "CachedFacts",
    "check_facts",
    "check_names",
    "inputs",
    "sources_of",
]
