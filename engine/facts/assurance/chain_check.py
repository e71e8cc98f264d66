"""Whether replicated audit events still say what was hashed when they were chained."""

import polars as pl

from engine.model.documents.document import FrameRow
from engine.store.chain.chain import ChainedEvent, link
from engine.store.types import instant_text

_INSTANTS = ("occurred_at", "recorded_at")


def hash_matches(events: pl.DataFrame) -> pl.Series:
    """For each event, with its own ``hash`` and that of the event before as ``previous``: whether the two fit.

    Null where there is no event or the hash before it is not known.
    """
    rows = events.with_columns(pl.col(_INSTANTS).dt.replace_time_zone("UTC")).iter_rows(named=True)
    return pl.Series("hash_holds", [_matches(row) for row in rows], dtype=pl.Boolean)


def _matches(row: FrameRow) -> bool | None:
    if row["hash"] is None or row["previous"] is None:
        return None
    said = {name: row[name] for name in ChainedEvent.__struct_fields__}
    said |= {name: instant_text(row[name]) for name in _INSTANTS}
    expected: str = link(row["previous"], ChainedEvent(**said), row["changes"])
    return bool(expected == row["hash"])
