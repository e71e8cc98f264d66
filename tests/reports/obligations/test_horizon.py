"""The weeks that are looked ahead are a figure with rows wherever a report shows them."""

from datetime import date

import pytest

from reports.obligations.forecast.obligation_forecast import REPORT as FORECAST
from reports.obligations.rollup.obligation_heatmap import REPORT as HEATMAP
from reports.obligations.whatif.obligation_whatif import REPORT as WHATIF
from tests.factories import ask, explained_rows


@pytest.mark.parametrize("report", [FORECAST, HEATMAP, WHATIF], ids=lambda report: report.name)
def test_the_weeks_of_the_horizon_are_explained_where_they_stand(report):
    weeks = explained_rows(report, "horizon_weeks", ask(weeks=2))
    assert weeks.select("week", "week_start_on").rows() == [
        ("2026-W47", date(2026, 11, 16)),
        ("2026-W48", date(2026, 11, 23)),
    ]
