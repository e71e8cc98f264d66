"""Events of services summed over the spans that error budgets look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


BUCKET_MINUTES = 5
DAY_MINUTES = 24 * 60
# The windows of the SRE workbook (5 min to 3 d) and the two budget windows, in minutes.
SPANS = (5, 30, 60, 120, 360, 1440, 4320, 10080, 43200)


@dataclass(frozen=True)
class EventCount:
    """Events of a span. ``buckets`` is how many five-minute buckets it holds, None when that is not known."""

    total: int
    bad: int
    buckets: int | None = None


@dataclass(frozen=True)
class SpanSums:
    """Counts by span in minutes. Without the spans up to three days only the fallback rule can judge."""

    spans: Mapping[int, EventCount]
    last_bucket_at: datetime | None = None


def window_end(now: datetime) -> datetime:
    """End of the last complete bucket: an unfinished one would make the short windows jump."""
    return now.replace(minute=now.minute - now.minute % BUCKET_MINUTES, second=0, microsecond=0)


def bucket_sums(buckets: "pl.DataFrame", now: datetime) -> dict[str, SpanSums]:
    """Sums of every service with a bucket before ``now``.

    ``buckets`` has service_id, bucket_at (start of the five minutes; UTC, with or without zone), total, bad.
    """
    import polars as pl

    end = window_end(now.astimezone(UTC) if now.tzinfo else now.replace(tzinfo=UTC))
    at = buckets["bucket_at"].cast(pl.Datetime("us"))
    naive_end = end.replace(tzinfo=None)
    summed = (
        buckets.with_columns(at)
        .filter(pl.col("bucket_at") < naive_end)
        .group_by("service_id")
        .agg(pl.col("bucket_at").max().alias("last"), *(_span(span, naive_end) for span in SPANS))
        .sort("service_id")
    )
    return {
        row["service_id"]: SpanSums(
            {span: EventCount(**row[str(span)]) for span in SPANS}, row["last"].replace(tzinfo=UTC)
        )
        for row in summed.iter_rows(named=True)
    }


def service_sums(buckets: "pl.DataFrame", now: datetime) -> SpanSums:
    """Sums of the one service that ``buckets`` (bucket_at, total, bad) belong to; zeros without buckets."""
    import polars as pl

    summed = bucket_sums(buckets.with_columns(service_id=pl.lit("")), now)
    return summed.get("", SpanSums({span: EventCount(0, 0, 0) for span in SPANS}))


def _span(minutes: int, end: datetime) -> "pl.Expr":
    import polars as pl

    within = pl.col("bucket_at") >= end - timedelta(minutes=minutes)
    return pl.struct(
        total=pl.col("total").filter(within).sum(),
        bad=pl.col("bad").filter(within).sum(),
        buckets=pl.col("bucket_at").filter(within).n_unique(),
    ).alias(str(minutes))
