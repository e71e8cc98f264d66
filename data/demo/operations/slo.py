"""Objectives of the services that have one, and their traffic."""

from datetime import datetime, timedelta
from math import pi, sin

import polars as pl

from data.demo.cast.profile import HISTORY_DAYS
from data.demo.frames import INSTANT
from data.demo.history.story import EPOCH, SECOND, Story
from data.demo.operations.services import BURNED, BURNED_MINUTES, DEPLOYED_AGO, DEPLOYED_AT, NAMES, service_id

SLO_DAYS = 31
SAMPLED_MINUTES = 45  # of the time before, one bucket each so many minutes is enough to tell the share of bad ones
WINDOW_DAYS = 30  # what was measured before the history begins, so that budgets are known from its first day on
# days since each service has an objective: the first two always had one
SINCE = (HISTORY_DAYS, HISTORY_DAYS, 320, 265, 210, 150, 105, 70)
MINUTE = 60 * SECOND
RATES = (0.00018, 0.00031, 0.00052)  # of requests that go wrong on any day, by service
OUTAGE = {"critical": 0.5, "high": 0.22}  # of requests that go wrong until a grave incident is mitigated


def fill(story: Story) -> None:
    """Objectives, of one service after the other."""
    org = story.profile.org
    for position, name in enumerate(_slo_services(story)):
        objective = 99.9 if position % 3 else 99.95
        story.add(
            "slo_profiles",
            since=story.day(SINCE[position]),
            service_id=service_id(name),
            objective_pct=99.9 if name == BURNED[org] else objective,
            indicator="requests answered without error within one second",
            window_kind="calendar" if position == 2 else "rolling",
        )


def _slo_services(story: Story) -> list[str]:
    names = [name for name, *_ in NAMES[story.profile.org]]
    burned = BURNED[story.profile.org]
    return [burned, *[name for name in names if name != burned]][: story.profile.slo_services]


def _buckets(story: Story) -> pl.DataFrame:
    """Five-minute buckets of the last 31 days; traffic breathes with the day, one release burned a budget."""
    rng = story.rng("slo")
    starts = list(range(_moment(story.at(SLO_DAYS, 0)), _moment(story.at(0, 0)), 5 * MINUTE))
    released: datetime = story.at(DEPLOYED_AGO, DEPLOYED_AT)
    burning = _moment(released)
    curve = [1 + 0.6 * sin(2 * pi * (slot - 78) / 288) for slot in range(288)]
    services: list[str] = []
    totals: list[int] = []
    bad: list[int] = []
    for position, name in enumerate(_slo_services(story)):
        level, rate = 260 + 90 * (position % 5), RATES[position % 3]
        for slot, start in enumerate(starts):
            total = int(level * curve[slot % 288] * (0.9 + 0.2 * rng.random()))
            burned = position == 0 and 0 <= start - burning < BURNED_MINUTES * MINUTE
            services.append(service_id(name))
            totals.append(total)
            bad.append(min(total, int(total * (0.31 if burned else rate) + rng.random())))
    return pl.DataFrame(
        {
            "service_id": services,
            "bucket_at": pl.Series(starts * len(_slo_services(story)), dtype=pl.Int64).cast(INSTANT),
            "total": totals,
            "bad": bad,
        }
    ).sort("service_id", "bucket_at")


def traffic(story: Story) -> None:
    """What was measured of the services with an objective: of the last month each bucket, of the time before some."""
    buckets = pl.concat([_samples(story), _buckets(story)])
    story.frames["slo_buckets"] = buckets.sort("service_id", "bucket_at")


def _samples(story: Story) -> pl.DataFrame:
    """The months before the last. Grave incidents burned the budget of their service."""
    rng = story.rng("slo/sampled")
    outages: dict[str, list[tuple[int, int, float]]] = {}
    for row in story.tables["incidents"]:
        if row["severity"] in OUTAGE and row["mitigated_at"]:
            span = _moment(row["started_at"]), _moment(row["mitigated_at"]), OUTAGE[row["severity"]]
            outages.setdefault(row["service_id"], []).append(span)
    frames = []
    for position, name in enumerate(_slo_services(story)):
        service, began = service_id(name), SINCE[position] + (WINDOW_DAYS if SINCE[position] == HISTORY_DAYS else 0)
        days = list(range(_moment(story.at(began, 0)), _moment(story.at(SLO_DAYS, 0)), SAMPLED_MINUTES * MINUTE))
        total, rate = 10 * (260 + 90 * (position % 5)), RATES[position % 3]
        bad = [int(total * rate + rng.random()) for _ in days]
        for start, end, share in outages.get(service, ()):
            for at in range(
                (start - days[0]) // (SAMPLED_MINUTES * MINUTE), (end - days[0]) // (SAMPLED_MINUTES * MINUTE)
            ):
                if 0 <= at < len(bad):
                    bad[at] = int(total * share)
        moments = pl.Series(days, dtype=pl.Int64).cast(INSTANT)
        frames.append(
            pl.DataFrame({"bucket_at": moments, "bad": bad}).with_columns(
                service_id=pl.lit(service), total=pl.lit(total, dtype=pl.Int64)
            )
        )
    return pl.concat(frames).select("service_id", "bucket_at", "total", "bad")


def _moment(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)
