"""Error budgets of all services at once, from sums that the analytics store makes."""

from datetime import datetime, timedelta

from engine.incidents.slo.slo import Overview, ServiceBudget, budget, overview
from engine.incidents.slo.slo_rules import Objective
from engine.incidents.slo.slo_sums import SPANS, EventCount, SpanSums, window_end
from engine.replica.view import View

_SPANS = ", ".join(
    f"coalesce(sum(total) FILTER (ago <= {span}), 0) total_{span}, "
    f"coalesce(sum(bad) FILTER (ago <= {span}), 0) bad_{span}, count(*) FILTER (ago <= {span}) buckets_{span}"
    for span in SPANS
)
_SUMS = f"""
SELECT service_id, max(bucket_at) AS last_bucket_at, {_SPANS}
FROM (
    SELECT service_id, bucket_at, total, bad, date_diff('minute', bucket_at, CAST(? AS TIMESTAMP)) AS ago
    FROM slo_buckets
    WHERE org_id = ? AND bucket_at < CAST(? AS TIMESTAMP) AND bucket_at >= CAST(? AS TIMESTAMP)
)
GROUP BY service_id
"""  # noqa: S608 - spans are numbers of ours
_OBJECTIVES = """
SELECT p.service_id, p.objective_pct, p.window_kind, s.name
FROM slo_profiles p JOIN services s ON s.org_id = p.org_id AND s.id = p.service_id
WHERE p.org_id = ? ORDER BY p.service_id
"""


def error_budgets(view: View, org_id: str, now: datetime) -> Overview:
    """The overview of an organization, by the same rules as a single service's budget."""
    known = view.frame("SELECT id FROM services WHERE org_id = ? ORDER BY id", (org_id,))["id"].to_list()
    return overview(service_budgets(view, org_id, now), known)


def service_budgets(view: View, org_id: str, now: datetime) -> list[ServiceBudget]:
    """The budget of every service with an objective."""
    end = window_end(now)
    at, begin = (moment.replace(tzinfo=None).isoformat() for moment in (end, end - timedelta(minutes=max(SPANS))))
    sums = {
        row["service_id"]: SpanSums(
            {span: EventCount(*(int(row[f"{name}_{span}"]) for name in ("total", "bad", "buckets"))) for span in SPANS},
            row["last_bucket_at"].replace(tzinfo=end.tzinfo),
        )
        for row in view.frame(_SUMS, (at, org_id, at, begin)).iter_rows(named=True)
    }
    nothing = SpanSums({span: EventCount(0, 0, 0) for span in SPANS})
    objectives = [Objective(*row) for row in view.frame(_OBJECTIVES, (org_id,)).iter_rows()]
    return [budget(each, sums.get(each.service_id, nothing)) for each in objectives]
