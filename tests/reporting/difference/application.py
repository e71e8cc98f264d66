"""The other half of the law of differences: ``apply(diff(a, b), a)`` is ``b``."""

from collections import Counter

import polars as pl


def apply(difference, before):
    """The table that the difference leads to from ``before``."""
    seen, rows = Counter(), {}
    for row in before.iter_rows(named=True):
        values = tuple(row[name] for name in difference.key)
        rows[*values, seen[values]] = row
        seen[values] += 1
    patches = {row.key: {cell.column: cell.after for cell in row.cells} for row in difference.changed}
    order = tuple(rows) if difference.order is None else difference.order
    columns = list(difference.schema)
    made = []
    for key in order:
        assert (key in difference.came) != (key in rows)
        row = difference.came[key] if key in difference.came else {**rows[key], **patches.get(key, {})}
        made.append([row.get(column) for column in columns])
    assert set(rows) - set(order) == set(difference.went)
    return pl.DataFrame(made, schema=dict(difference.schema), orient="row")
