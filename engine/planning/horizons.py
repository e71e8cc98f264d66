"""How a framework will stand on the days to come, with nothing done or with a plan: read off horizons."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.facts.controls.horizons import lapsed_on, state_on
from engine.facts.expressions import iso_week, pct
from engine.model.vocabulary import STATE_SCORES
from engine.planning.check import PlanSimulation, without_plan

_ACTIVE = pl.col("state") != "not_applicable"


class HorizonRows:
    """Horizons as rows, with their states on days to come: each day is looked at once, whatever asks for it."""

    def __init__(self, horizons: pl.DataFrame) -> None:
        self.frame = horizons
        self.rows: Sequence[Mapping[str, Any]] = horizons.to_dicts()
        self._states: dict[date, Sequence[str]] = {}
        self._numbers: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            self._numbers.setdefault(row["framework"], []).append(number)

    def states(self, day: date) -> Sequence[str]:
        """The state of each on a day."""
        if day not in self._states:
            self._states[day] = self.frame.select(state=state_on(pl.lit(day)))["state"].to_list()
        return self._states[day]

    def numbers(self, framework: str) -> Sequence[int]:
        """The places of the rows of a framework."""
        return self._numbers.get(framework, ())

    def count_applicable(self, framework: str, day: date) -> int:
        """Controls of a framework that apply on a day."""
        states = self.states(day)
        return sum(states[number] != "not_applicable" for number in self.numbers(framework))


@dataclass(frozen=True)
class Projection:
    """The controls of a framework from a day on, with the ``horizons`` that they have there.

    ``simulation`` has them with the evidence of a plan; without one nothing is done.
    """

    framework: str
    as_of: date
    by: date
    horizons: pl.DataFrame
    simulation: PlanSimulation | None = None

    @cached_property
    def stages(self) -> pl.DataFrame:
        """The controls with every stage that the plan brings them to, each with the days that it lasts."""
        known = without_plan(self.horizons) if self.simulation is None else self.simulation.stages
        return known.filter(framework=self.framework)

    def over(self, days: Sequence[date]) -> pl.DataFrame:
        """The controls with their ``state`` ``on`` each of the days, which are from ``as_of`` on."""
        return (
            pl.DataFrame({"on": days}, schema={"on": pl.Date})
            .join(self.stages, how="cross", maintain_order="left_right")
            .filter(
                (pl.col("stage_from") <= pl.col("on")).fill_null(True),
                (pl.col("stage_until") > pl.col("on")).fill_null(True),
            )
            .with_columns(state=state_on(pl.col("on")))
            .drop("stage_from", "stage_until")
        )

    def on(self, day: date) -> pl.DataFrame:
        """The controls with their ``state`` on a day from ``as_of`` on."""
        return self.over([day]).drop("on")

    def failing(self, days: Sequence[date]) -> pl.DataFrame:
        """The controls that apply and are not effective ``on`` each of the days."""
        return self.over(days).filter(_ACTIVE, pl.col("state") != "effective")

    def effective(self, days: Sequence[date]) -> Mapping[date, AbstractSet[str]]:
        """The controls that are effective on each of the days."""
        found = self.over(days).filter(state="effective").group_by("on").agg("control_id")
        return {**{day: frozenset() for day in days}, **{day: frozenset(ids) for day, ids in found.iter_rows()}}

    def readiness(self, days: Sequence[date]) -> pl.DataFrame:
        """Strict and weighted readiness (F3) on each of the days."""
        sums = (
            self.over(days)
            .group_by("on")
            .agg(
                applicable=_ACTIVE.sum().cast(pl.Int64),
                effective=(pl.col("state") == "effective").sum().cast(pl.Int64),
                earned=(pl.col("weight") * _score()).filter(_ACTIVE).sum(),
                possible=pl.col("weight").filter(_ACTIVE).sum(),
            )
        )
        return (
            pl.DataFrame({"on": days}, schema={"on": pl.Date})
            .join(sums, on="on", how="left", maintain_order="left")
            .with_columns(pl.col("applicable", "effective", "earned", "possible").fill_null(0))
            .with_columns(
                week=iso_week("on"), strict_pct=pct("effective", "applicable"), weighted_pct=pct("earned", "possible")
            )
            .select("week", "on", "applicable", "effective", "strict_pct", "weighted_pct")
        )

    @property
    def days(self) -> list[date]:
        """The day itself, each Sunday until the last day, and that."""
        sunday = self.as_of + timedelta(days=6 - self.as_of.weekday())
        sundays = [sunday + timedelta(weeks=number) for number in range(1 + (self.by - self.as_of).days // 7)]
        return sorted({self.as_of, self.by, *(day for day in sundays if day < self.by)})

    @property
    def lapses(self) -> pl.DataFrame:
        """Evidence that is good today and is past its window by the last day, the first to lapse first."""
        parts = [
            self.horizons.filter(
                pl.col("kinds_required").list.contains(kind),
                ~lapsed_on(kind, pl.lit(self.as_of)),
                lapsed_on(kind, pl.lit(self.by)),
            ).select(
                lapses_on=pl.col(f"{kind}_until") + pl.duration(days=1),
                control_id="control_id",
                title="title",
                evidence=pl.lit(kind),
                owner="owner",
                position="position",
            )
            for kind in KINDS
        ]
        return pl.concat(parts).sort("lapses_on", "position", "evidence").drop("position")


def project(control_horizons: pl.DataFrame, framework: str, as_of: date, by: date) -> Projection:
    """The projection of a framework from facts of ``as_of`` to ``by``."""
    return Projection(framework, as_of, by, control_horizons.filter(framework=framework))


def _score() -> pl.Expr:
    return pl.col("state").replace_strict(STATE_SCORES, default=0.0, return_dtype=pl.Float64)
