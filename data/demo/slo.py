"""Objectives of the services that have one, and their traffic."""

from datetime import datetime, timedelta
from math import pi, sin

import polars as pl

from data.demo.frames import INSTANT
from data.demo.services import BURNED, BURNED_MINUTES, DEPLOYED_AGO, DEPLOYED_AT, NAMES, service_id
from data.demo.story import EPOCH, SECOND, Story

SLO_DAYS = 31


def fill(story: Story) -> None:
    org = story.profile.org
    for position, name in enumerate(_measured(story)):
        objective = 99.9 if position % 3 else 99.95
        story.add(
            "slo_profiles",
            service_id=service_id(name),
            objective_pct=99.9 if name == BURNED[org] else objective,
            indicator="requests answered without error within one second",
            window_kind="calendar" if position == 2 else "rolling",
        )


def _measured(story: Story) -> list[str]:
    names = [name for name, *_ in NAMES[story.profile.org]]
    burned = BURNED[story.profile.org]
    return [burned, *[name for name in names if name != burned]][: story.profile.slo_services]


def buckets(story: Story) -> pl.DataFrame:
    """Five-minute buckets of the last 31 days; traffic breathes with the day, one release burned a budget."""
    rng = story.rng("slo")
    first = (story.at(SLO_DAYS, 0) - EPOCH) // timedelta(microseconds=1)
    last = (story.at(0, 0) - EPOCH) // timedelta(microseconds=1)
    starts = list(range(first, last, 300 * SECOND))
    released: datetime = story.at(DEPLOYED_AGO, DEPLOYED_AT)
    burning = (released - EPOCH) // timedelta(microseconds=1)
    curve = [1 + 0.6 * sin(2 * pi * (slot - 78) / 288) for slot in range(288)]
    services: list[str] = []
    totals: list[int] = []
    bad: list[int] = []
    for position, name in enumerate(_measured(story)):
        level, rate = 260 + 90 * (position % 5), (0.00018, 0.00031, 0.00052)[position % 3]
        for slot, start in enumerate(starts):
            total = int(level * curve[slot % 288] * (0.9 + 0.2 * rng.random()))
            burned = position == 0 and 0 <= start - burning < BURNED_MINUTES * 60 * SECOND
            services.append(service_id(name))
            totals.append(total)
            bad.append(min(total, int(total * (0.31 if burned else rate) + rng.random())))
    return pl.DataFrame(
        {
            "service_id": services,
            "bucket_at": pl.Series(starts * len(_measured(story)), dtype=pl.Int64).cast(INSTANT),
            "total": totals,
            "bad": bad,
        }
    ).sort("service_id", "bucket_at")
