import polars as pl
import pytest

from engine.model.thresholds import Thresholds
from reports.capacity import workload
from reports.capacity.workload import Spread


def test_imbalance_of_four_owners():
    assert workload.spread([1.2, 0.6, 0.6, 0.4], Thresholds()) == Spread(4, 0.7, 1.714, 0.2143, "imbalanced")


def test_even_work_is_balanced():
    assert workload.spread([50.0, 50.0, 50.0], Thresholds()) == Spread(3, 50.0, 1.0, 0.0, "balanced")


@pytest.mark.parametrize(("used", "mean"), [([], None), ([90.0], 90.0), ([90.0, 10.0], 50.0)])
def test_fewer_than_three_owners_are_not_meaningful(used, mean):
    assert workload.spread(used, Thresholds()) == Spread(len(used), mean, None, None, "not_meaningful")


@pytest.mark.parametrize(
    ("short", "used", "flag"),
    [
        (False, 0.0, "green"),
        (False, 69.9, "green"),
        (False, 70.0, "amber"),
        (False, 85.0, "amber"),
        (False, 85.1, "red"),
        (False, 100.0, "red"),
        (True, 100.1, "shortfall"),
        (True, None, "shortfall"),
        (True, 30.0, "shortfall"),
        (False, None, "green"),
    ],
)
def test_flags(short, used, flag):
    frame = pl.DataFrame(
        {"short": [short], "utilisation_pct": [used]}, schema_overrides={"utilisation_pct": pl.Float64}
    )
    assert frame.select(workload.flag(pl.col("short"), Thresholds())).item() == flag


def test_red_begins_where_the_organization_says():
    frame = pl.DataFrame({"utilisation_pct": [80.0]})
    assert frame.select(workload.flag(pl.lit(False), Thresholds(1, {"utilisation_warn_pct": 75}))).item() == "red"
