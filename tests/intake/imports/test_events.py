"""Audit events on their way from a file to the chain."""

from datetime import UTC, datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from engine.intake.imports.events import KNOWN, new_events, spelled_events
from engine.store.types import instant_text

MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone


@given(moments=st.lists(st.tuples(MOMENTS, st.booleans()), max_size=5))
def test_a_column_of_moments_is_spelled_as_each_of_them_is(moments):
    rows = pl.DataFrame(
        {
            "event_id": [f"e{n}" for n in range(len(moments))],
            "occurred_at": pl.Series([at for at, _ in moments], dtype=pl.Datetime("us", "UTC")),
            "actor": pl.Series(["ann"] * len(moments), dtype=pl.String),
            "action": pl.Series(["noted"] * len(moments), dtype=pl.String),
            KNOWN: pl.Series([known for _, known in moments], dtype=pl.Boolean),
        }
    )
    expected = [(event[0], instant_text(event.occurred_at), *event[2:]) for event in new_events(rows)]
    assert list(spelled_events(rows)) == expected
