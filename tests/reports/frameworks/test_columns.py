"""The order of identifiers and shares."""

import polars as pl

from reports.shared.columns import in_order, share_pct


def test_identifiers_sort_by_their_numbers():
    given = ["A.5.10", "10.1", "A.5.2", "9.2.1", "A.8.1", "9.10", "4"]
    assert pl.DataFrame({"id": given}).sort(in_order("id"))["id"].to_list() == [
        "4",
        "9.2.1",
        "9.10",
        "10.1",
        "A.5.2",
        "A.5.10",
        "A.8.1",
    ]


def test_a_share_of_nothing_is_not_zero():
    frame = pl.DataFrame({"part": [1, 0, 0], "whole": [3, 4, 0]})
    assert frame.select(share_pct(pl.col("part"), pl.col("whole"))).to_series().to_list() == [33.3, 0.0, None]
