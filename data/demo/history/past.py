"""The rows of past days, and the facts that the product computes from them.

Each day stands in one view as an organization of its own, so that all of them are computed in one pass.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache

import polars as pl

from data.demo.frames import ordered_frame
from data.demo.history.story import Story
from engine.catalogue import catalogue
from engine.facts import ASKED, FACTS, FactQuestion, Facts, inputs
from engine.facts.question import start_of
from engine.model.thresholds import thresholds
from engine.replica.scans.registry import SCANS

PERIOD_DAYS = 30
SLO_WINDOW = timedelta(days=31)
# what a snapshot writes on its day was not there when it was taken
OBSERVED = {"readiness_snapshots": "taken_on", "posture_snapshots": "taken_on", "control_state_changes": "observed_on"}


def key_of(story: Story, day: date) -> str:
    """The name under which a day of the organization stands in the view."""
    return f"{story.profile.org}@{day}"


def questions(story: Story, days: Sequence[date]) -> list[FactQuestion]:
    profile = story.profile
    settings = thresholds(1, profile.settings)
    return [FactQuestion(key_of(story, day), profile.time_zone, day, PERIOD_DAYS, settings) for day in days]


@cache
def scans_of(fact: str) -> frozenset[str]:
    """The scans that a fact is made from in the end."""
    if fact == ASKED:
        return frozenset()
    return frozenset({fact}) if fact in SCANS else _scans(inputs(FACTS[fact]))


def _scans(names: Collection[str]) -> frozenset[str]:
    return frozenset().union(*(scans_of(name) for name in names))


def tables_of(names: Collection[str], known: Collection[str]) -> list[str]:
    """Those of the ``known`` tables that the facts of these names read."""
    words = {word for scan in _scans(names) for word in re.findall(r"\w+", SCANS[scan])}
    return sorted(words & set(known))


def facts_but(facts: Facts, names: Collection[str], later: Collection[str]) -> dict[str, pl.DataFrame]:
    """What the facts of these names are made from that holds whatever the scans ``later`` will say."""
    given: dict[str, pl.DataFrame] = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name in given or name == ASKED:
            continue
        if not scans_of(name) & set(later):
            given[name] = facts[name]
        elif name in FACTS:
            open_names += inputs(FACTS[name])
    return given


class DatedRows:
    """The rows of a table with the days from which and until which each stood."""

    def __init__(self, story: Story, table: str) -> None:
        self._story, self._table = story, table
        if table == "audit_log":
            self._rows = _log(story)
        elif table == "slo_buckets":
            self._rows = story.frames[table]
        else:
            versions = list(story.versions(table))
            self._rows = ordered_frame(table, [version.row for version in versions]).with_columns(
                since=pl.Series([version.since for version in versions], dtype=pl.Date),
                until=pl.Series([version.until for version in versions], dtype=pl.Date),
            )

    def on(self, days: Sequence[date]) -> pl.DataFrame:
        """The rows as they stood at the end of each day, each day as an organization."""
        story, table = self._story, self._table
        if table == "audit_log":
            return _of_each(story, days, self._rows, "occurred_at", None)
        if table == "slo_buckets":
            return _of_each(story, days, self._rows, "bucket_at", SLO_WINDOW)
        owner = "id" if table == "organizations" else "org_id"
        asked = pl.DataFrame(
            {owner: [key_of(story, day) for day in days], "today": days}, schema_overrides={"today": pl.Date}
        )
        there = (pl.col("since") <= pl.col("today")) & (pl.col("until") > pl.col("today"))
        if table in OBSERVED:
            there &= pl.col(OBSERVED[table]) < pl.col("today")
        rows = self._rows.drop(owner, strict=False).join(asked, how="cross")
        return rows.filter(there).drop("since", "until", "today")


def _log(story: Story) -> pl.DataFrame:
    """The log as far as facts of its days rest on it.

    That is its first event, and the last of each day among equal ones that are evidence or its contrary.
    """
    local = pl.col("occurred_at").dt.convert_time_zone(story.profile.time_zone).dt.date()
    series = catalogue().actions.filter(pl.col("effect") != "neutral")["action"]
    return (
        story.frames["audit_log"]
        .with_row_index("seq", offset=1)
        .filter((pl.col("seq") == 1) | pl.col("action").is_in(series.implode()))
        .group_by("action", "outcome", "controls", local_day=local)
        .agg(pl.col("seq", "event_id", "occurred_at", "actor").last())
        .drop("local_day")
        .sort("seq")
    )


def _of_each(
    story: Story, days: Sequence[date], rows: pl.DataFrame, moment: str, window: timedelta | None
) -> pl.DataFrame:
    parts = []
    for day in days:
        end = pl.lit(end_of(story, day)).dt.replace_time_zone("UTC")
        wanted = pl.col(moment) < end
        if window is not None:
            wanted &= pl.col(moment) >= end - window
        parts.append(rows.filter(wanted).with_columns(org_id=pl.lit(key_of(story, day))))
    return pl.concat(parts)


def end_of(story: Story, day: date) -> datetime:
    """The instant, UTC without zone, at which a business date of the organization ends."""
    return start_of(day + timedelta(days=1), story.profile.time_zone)


class PastDay:
    """The facts of one day out of those of many; ``told`` are facts that only this day knows."""

    def __init__(self, as_of: date, key: str, facts: Facts, told: Mapping[str, pl.DataFrame]) -> None:
        self.as_of = as_of
        self._key, self._facts, self._told = key, facts, told

    def fact(self, name: str) -> pl.DataFrame:
        return self._told[name] if name in self._told else self._facts.of(self._key, name)
