"""A scenario: pending duties with the dates that they would have, and what each week would hold. Writes nothing."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.forecast import weeks
from reports.shared import ledger

ID_DIGITS = 16
OPTIONS = ("shiftWeeks", "framework", "kind", "id", "descope")
FATES = ("unchanged", "moved", "held", "descoped")


def options_of(ask: Ask) -> dict[str, Any]:
    """What the scenario changes; filters of a shift by no week say nothing and are left out."""
    given: Mapping[str, Any] = {name: ask.options.get(name) for name in OPTIONS}
    kept = {name: value for name, value in given.items() if value not in (None, 0)}
    if "shiftWeeks" not in kept:
        kept = {name: value for name, value in kept.items() if name == "descope"}
    return kept


def scenario_id(duties: pl.DataFrame, ask: Ask) -> str:
    """Equal inputs, equal identifier: the changes, the day, the horizon and the pending duties themselves."""
    held = duties.select(
        "obligation_id", "due_on", "effort_hours", "hard", "state", pl.col("frameworks").list.join("; ")
    )
    content = [options_of(ask), ask.as_of.isoformat(), ask.horizon_weeks, held.write_csv()]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:ID_DIGITS]


def scenario_duties(duties: ledger.Pending, ask: Ask) -> pl.DataFrame:
    """Pending duties with their ``fate``, ``new_due_on`` and ``new_place``.

    What the scenario would move past a hard deadline is held. Nothing moves before the day of the report; an overdue
    duty that is shifted later is planned that many weeks from now.
    """
    options = options_of(ask)
    shift = int(options.get("shiftWeeks", 0))
    end = ledger.mondays(ask)[-1] + pl.duration(days=7)
    chosen = pl.lit(bool(shift))
    if "framework" in options:
        chosen &= pl.col("frameworks").list.contains(options["framework"])
    if "kind" in options:
        chosen &= pl.col("kind") == options["kind"]
    if "id" in options:
        chosen &= pl.col("obligation_id") == options["id"]
    names = pl.col("frameworks").list.drop_nulls()
    gone = (names.list.len() > 0) & (names.list.set_difference([options.get("descope", "")]).list.len() == 0)
    start = pl.max_horizontal("due_on", pl.lit(ask.as_of))
    target = pl.max_horizontal(start + pl.duration(weeks=shift), pl.lit(ask.as_of))
    moves = chosen.fill_null(False) & (target != start)
    return (
        duties.with_columns(
            fate=pl.when(gone.fill_null(False))
            .then(pl.lit("descoped"))
            .when(moves & pl.col("hard") & (target > pl.col("due_on")))
            .then(pl.lit("held"))
            .when(moves)
            .then(pl.lit("moved"))
            .otherwise(pl.lit("unchanged")),
            wanted_on=target,
        )
        .with_columns(new_due_on=pl.when(pl.col("fate") == "moved").then("wanted_on").otherwise("due_on"))
        .with_columns(
            new_place=pl.when(pl.col("fate") == "descoped")
            .then(pl.lit("descoped"))
            .when(pl.col("fate") != "moved")
            .then("place")
            .when(pl.col("new_due_on") < end)
            .then(pl.lit("known"))
            .otherwise(pl.lit("beyond"))
        )
    )


def after(planned: Annotated[pl.DataFrame, scenario_duties], ask: Ask) -> pl.DataFrame:
    """The pending duties as the scenario leaves them, in the columns of the ledger."""
    state = pl.when(pl.col("new_place") == "overdue").then(pl.lit("overdue")).otherwise(pl.lit("open"))
    start = ledger.on_week(pl.col("new_due_on"), state, ask)
    return (
        planned.filter(pl.col("fate") != "descoped")
        .with_columns(
            due_on="new_due_on", place="new_place", state=state, week=start.dt.strftime("%G-W%V"), week_start_on=start
        )
        .sort("due_on", "obligation_id")
    )


After: TypeAlias = Annotated[pl.DataFrame, after]


def base_weeks(duties: ledger.Pending, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The weeks of the horizon as they are: duties, hours, demand, utilisation; the fullest first."""
    return _weeks(duties, load, owner_weeks, ask)


def scenario_weeks(then: After, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The weeks of the horizon as the scenario leaves them, as ``base_weeks``."""
    return _weeks(then, load, owner_weeks, ask)


def week_comparison(base: pl.DataFrame, then: pl.DataFrame) -> pl.DataFrame:
    """Each week of the horizon before (``base_*``) and after (``scenario_*``): duties, hours, demand, utilisation."""
    sides = [
        frame.select("week", pl.col("duties", "hours", "demand_hours", "utilisation_pct").name.prefix(f"{side}_"))
        for side, frame in (("base", base), ("scenario", then))
    ]
    return (
        base.select("week", "week_start_on", "available_hours")
        .join(sides[0], on="week")
        .join(sides[1], on="week")
        .sort("week_start_on")
        .select(
            *("week", "week_start_on", "base_duties", "scenario_duties", "base_hours", "scenario_hours"),
            *("base_demand_hours", "scenario_demand_hours", "available_hours"),
            *("base_utilisation_pct", "scenario_utilisation_pct"),
        )
    )


def _weeks(duties: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Work that nobody has hours for is fullest of all, but in the week under way, whose working days are over then.

    Ties go to the earlier week.
    """
    available = owner_weeks.group_by("week").agg(available_hours=pl.col("available_hours").sort().sum().round(3))
    known = (
        duties.filter(pl.col("place") == "known")
        .group_by("week")
        .agg(duties=pl.len().cast(pl.Int64), hours=pl.col("effort_hours").sort().sum().round(3))
    )
    work = (
        load.join(duties.filter(pl.col("place") != "overdue").select("obligation_id", on="due_on"), on="obligation_id")
        .group_by(week=pl.max_horizontal("on", pl.lit(ask.as_of)).dt.strftime("%G-W%V"))
        .agg(demand_hours=pl.col("hours").sort().sum().round(3))
    )
    frame = ledger.horizon(ask)
    for part in (known, work, available):
        frame = frame.join(part, on="week", how="left", maintain_order="left")
    return (
        frame.with_columns(pl.col("duties").fill_null(0), pl.col("hours", "^.*_hours$").fill_null(0.0))
        .with_columns(is_over=ledger.is_over(ask))
        .with_columns(utilisation_pct=weeks.utilisation())
        .sort(
            (pl.col("week_start_on") <= ask.as_of) & pl.col("utilisation_pct").is_null(),
            "utilisation_pct",
            "week_start_on",
            descending=[False, True, False],
            nulls_last=False,
        )
    )
