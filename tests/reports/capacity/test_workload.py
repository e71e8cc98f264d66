import polars as pl
import pytest

from engine.model.thresholds import Thresholds
from reports.capacity import workload
from reports.capacity.workload import Spread


def test_imbalance_of_four_owners():
    assert workload.spread([1.2, 0.6, 0.6, 0.4], Thresholds()) == Spread(4, 1.714, 0.2143, "imbalanced")


def test_even_work_is_balanced():
    assert workload.spread([50.0, 50.0, 50.0], Thresholds()) == Spread(3, 1.0, 0.0, "balanced")


@pytest.mark.parametrize("used", [[], [90.0], [90.0, 10.0]])
def test_fewer_than_three_owners_are_not_meaningful(used):
    assert workload.spread(used, Thresholds()) == Spread(len(used), None, None, "not_meaningful")


@pytest.mark.parametrize(
    ("demand", "available", "flag"),
    [
        (0.0, 10.0, "green"), (6.9, 10.0, "green"), (7.0, 10.0, "amber"), (8.5, 10.0, "amber"), (8.6, 10.0, "red"),
        (10.0, 10.0, "red"), (10.1, 10.0, "shortfall"), (0.5, 0.0, "shortfall"), (0.0, 0.0, "green"),
    ],
)  # fmt: skip
def test_flags(demand, available, flag):
    used = round(100 * demand / available, 1) if available else None
    frame = pl.DataFrame(
        {"demand_hours": [demand], "available_hours": [available], "utilisation_pct": [used]},
        schema_overrides={"utilisation_pct": pl.Float64},
    )
    assert frame.select(workload.flag(Thresholds())).item() == flag
