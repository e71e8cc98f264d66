"""Audit events: appended in the order of the file; one that is recorded already must be the same."""

from collections.abc import Callable, Iterator

import polars as pl
from sqlalchemy import ColumnElement, Connection, Select, select

from engine.intake.imports.files.headers import ROW
from engine.intake.imports.files.spool import BATCH_ROWS, RowSpool
from engine.intake.imports.problems import Problems
from engine.model.vocabulary import Outcome
from engine.store import EventRow
from engine.store.chain.chain import SpelledEvent
from engine.store.schema.audit import audit_log

KNOWN, HASH = "#known", "#hash"
INSTANT = "%Y-%m-%dT%H:%M:%S%.6fZ"  # of UTC, as ``instant_text`` writes it
CHUNK = 10_000
FEW_FOR_EACH = 20
_DEFAULTS: dict[str, Outcome] = {"outcome": "success"}


class EventImport:
    """The events that an organization has already; of those only the ones that a file names are read.

    Where they are not many times the file, all identifiers are read first (16 bytes each), so that a file of new
    events costs no look-up and a file of old ones is compared in the order of the chain.
    """

    def __init__(self, connection: Connection, org_id: str, arriving: int) -> None:
        self._connection = connection
        self._mine = audit_log.c.org_id == org_id
        newest = select(audit_log.c.seq).where(self._mine).order_by(audit_log.c.seq.desc()).limit(1)
        self._places = self._all_places() if (connection.scalar(newest) or 0) <= FEW_FOR_EACH * arriving else None

    def _all_places(self) -> pl.DataFrame:
        query = _query("seq", "event_id").where(self._mine).order_by(audit_log.c.seq)
        parts = [pl.DataFrame(schema={"seq": pl.Int64(), HASH: pl.UInt64()})]
        for part in self._connection.execute(query.execution_options(yield_per=BATCH_ROWS)).partitions():
            seqs, ids = zip(*part, strict=True)
            columns = [pl.Series("seq", seqs, dtype=pl.Int64), pl.Series(ids, dtype=pl.String).hash().alias(HASH)]
            parts.append(pl.DataFrame(columns))
        return pl.concat(parts)

    def mark(self, rows: pl.DataFrame, file: str, problems: Problems) -> pl.DataFrame:
        """``rows`` with ``KNOWN``: recorded already, with the same content. Other content is a bad row.

        Only the columns of the file are compared.
        """
        given = [name for name in EventRow._fields if name in rows.columns]
        recorded = self._read(given, rows["event_id"].drop_nulls())
        known = rows["event_id"].is_in(list(recorded)).fill_null(False)
        for row, *cells in rows.filter(known).select(ROW, *given).iter_rows():
            before = recorded[cells[0]]
            if before != tuple(cells):
                differing = [name for name, old, new in zip(given, before, cells, strict=True) if old != new]
                wanted = f"the recorded event unchanged, which has another {', '.join(differing)}"
                problems.add(file, row, "event_id", wanted, cells[0])
        return rows.with_columns(known.alias(KNOWN))

    def _read(self, given: list[str], ids: pl.Series) -> dict[str, tuple[object, ...]]:
        read: dict[str, tuple[object, ...]] = {}
        wanted = ids
        if self._places is not None:
            wanted = self._places.filter(pl.col(HASH).is_in(ids.hash().implode()))["seq"]
        for start in range(0, wanted.len(), CHUNK):
            chunk = wanted[start : start + CHUNK].to_list()
            chosen = audit_log.c.event_id.in_(chunk) if self._places is None else _places(chunk)
            query = _query(*given).where(self._mine, chosen)
            read.update((str(row[0]), tuple(row)) for row in self._connection.execute(query))
        return read


def _query(*names: str) -> Select[*tuple[object, ...]]:
    """The columns, structured details as the canonical text that they are kept in."""
    as_text = audit_log.c.details.cast(audit_log.c.actor.type)
    columns = [as_text if name == "details" else audit_log.c[name] for name in names]
    return audit_log.select().with_only_columns(*columns)


def _places(seqs: list[int]) -> ColumnElement[bool]:
    """Positions of the chain, as a range where they are close together."""
    first, last = seqs[0], seqs[-1]
    close = last - first < 2 * len(seqs)
    return audit_log.c.seq.between(first, last) if close else audit_log.c.seq.in_(seqs)


def new_events(rows: pl.DataFrame) -> Iterator[EventRow]:
    """Those of the rows that are not recorded yet."""
    return map(EventRow._make, _new(rows).iter_rows())


def spelled_events(rows: pl.DataFrame) -> Iterator[SpelledEvent]:
    """The same with their moments as the chain spells them, a column at a time."""
    return _new(rows).with_columns(pl.col("occurred_at").dt.strftime(INSTANT)).iter_rows()


def _new(rows: pl.DataFrame) -> pl.DataFrame:
    columns = [
        pl.col(name) if name in rows.columns else pl.lit(_DEFAULTS.get(name), dtype=pl.String).alias(name)
        for name in EventRow._fields
    ]
    return rows.filter(~pl.col(KNOWN)).select(columns)


def event_rows(spool: RowSpool, progress: Callable[[str, int], None]) -> Iterator[SpelledEvent]:
    """The events that are new, in the order of the file."""
    done = 0
    for rows in spool:
        yield from spelled_events(rows)
        done += rows.height
        progress("writing audit_log", done)
